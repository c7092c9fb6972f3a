#!/usr/bin/env bats
# Role: the commands that only look: users, groups, profiles, limits, resources, free slots,
# dependencies; their tables, their JSON, names that are not there.

load lib
setup_file() {
  printf '[default]\nmax_slots = 50\n['"$(id -un)"']\ngroups = ops\n[carol]\ngroups = vision\n[dave]\ngroups = vision, night\n' >"$BATS_FILE_TMPDIR/users.conf"
  printf '[/]\n[/a]\nowns = 1\nlimit = 3\n' >"$BATS_FILE_TMPDIR/plans.conf"
  printf '[node1]\nresources = ssd, scratch=500\n[node2]\ngroups = rack\n' >"$BATS_FILE_TMPDIR/hosts.conf"
  printf '[gold]\nvelocity = 1\n' >"$BATS_FILE_TMPDIR/slas.conf"
  cluster_up --nodes 2 --cpus 2 --conf "$BATS_FILE_TMPDIR/slas.conf" --conf "$BATS_FILE_TMPDIR/hosts.conf" --conf "$BATS_FILE_TMPDIR/users.conf" --conf "$BATS_FILE_TMPDIR/plans.conf"
  me=$(id -un)
}
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

@test "busers: who asks, members of a group, everybody" {
  job=$(submit -n 2 sleep 600)
  wait_for 20 in_state "$job" running
  submit -H sleep 1
  run busers
  [ "${lines[0]}" = "USER/GROUP          JL/P    MAX  NJOBS   PEND    RUN  SSUSP  USUSP    RSV" ]
  [ "$(awk '{ print $1, $3, $4, $5, $6 }' <<<"${lines[1]}")" = "$(id -un) 50 3 1 2" ]
  [ "$(busers vision | awk 'NR > 1 { print $1 }' | tr '\n' ' ')" = "carol dave " ]
  busers all | grep -q '^dave '
  [ "$(busers -json dave | jq -r '.RECORDS[0].NJOBS, .USERS')" = "$(printf '0\n1')" ]
  run busers nobody-of-this-name
  [ "$status" -eq 255 ]
  [[ $output == *"No such user/group"* ]]
}

@test "bugroup and bmgroup" {
  [ "$(bugroup -noheader vision | tr -s ' ')" = "vision carol dave" ]
  [ "$(bugroup -json night | jq -r '.RECORDS[0].USERS')" = dave ]
  run bugroup x
  [ "$status" -eq 255 ]
  [ "$(bmgroup -noheader | tr -s ' ')" = "rack node2" ]
  run bmgroup x
  [ "$status" -eq 255 ]
}

@test "hosts are named by groups, and selected" {
  for command in bhosts lshosts lsload; do
    [ "$($command -noheader -o host_name rack)" = node2 ]
    [ "$($command -noheader -o host_name -R "select[hname=='node1']")" = node1 ]
    [ "$($command -noheader -o host_name -R 'slots>=2 && ncpus<2' | wc -l)" -eq 0 ]
    run $command -R 'select[' node1
    [ "$status" -eq 255 ]
  done
  run bhosts nowhere rack
  [ "$status" -eq 255 ]
  [[ $output == *"nowhere: Bad host name, host group name or cluster name"* ]]
}

@test "bhosts -aff -s: what jobs are bound to, numbers of hosts.conf; bqueues -r: shares" {
  cpu=$(lscpu -p=CPU | tail -n 1)
  bhosts -aff node1 | grep -q '^AFFINITY: Enabled$'
  bhosts -aff node1 | grep -qE "^ +core[0-9]+\(([0-9]+ )*$cpu( [0-9]+)*\)$"
  bhosts -l -aff node2 | grep -q '^ *NUMA\[0\]$'
  [ "$(bhosts -s | tr -s ' ')" = $'RESOURCE TOTAL RESERVED LOCATION\nscratch 500 0.0 node1' ]
  run bhosts -s ssd
  [ "$status" -eq 255 ]
  bqueues -r normal | grep -qx 'SHARE_INFO_FOR: normal/'
  bqueues -r normal | grep -qE '^a +[0-9]+ +[0-9.]+ +0 '
}

@test "bhist -t, -T: what happened, in order; bacct of a class" {
  job=$(submit -sla gold true)
  other=$(submit true)
  wait_for 20 in_state "$job" finished
  wait_for 20 in_state "$other" finished
  bhist -t -a | grep -qE "^.*: Job <$job> SUBMIT"
  [ "$(bhist -T "$(date -d '-1 hour' +%Y/%m/%d/%H:%M),." | grep -c "Job <$other> SUBMIT")" -eq 1 ]
  [ -z "$(bhist -T "2020/1/1,2020/1/2" | grep Job)" ]
  bacct -sla gold | grep -qE 'Total number of done jobs: +1 '
  run bacct -U nobody#0
  [ "$status" -eq 255 ]
}

@test "btop and bbot: a position, as LSF has it" {
  badmin qinact normal
  a=$(submit -J a true) b=$(submit -J b true) c=$(submit -J c true)
  [ "$(btop "$c" 2 2>&1)" = "Job <$c> has been moved to position 2 from top." ]
  [ "$(bbot "$a $b" 2>&1 | wc -l)" -eq 2 ]
  badmin qact normal
  run btop ""
  [ "$status" -eq 255 ]
  [[ $output == *"a job ID is wanted"* ]]
  for words in 0 "$a 0" "$a x" "$a 1001" "1 2 3"; do
    # shellcheck disable=SC2086 # several words
    run bbot $words
    [ "$status" -eq 255 ]
  done
}

@test "bapp: profiles and their slots" {
  job=$(submit -app batch sleep 600)
  wait_for 20 in_state "$job" running
  bapp | grep -qE '^batch +1 +0 +1 +0$'
  bapp -l batch | grep -qx 'APPLICATION NAME: batch'
  run bapp nothing
  [ "$status" -eq 255 ]
}

@test "blimits: what is used of what there may be" {
  job=$(submit -plan /a -n 2 sleep 600)
  wait_for 20 in_state "$job" running
  [ "$(blimits -json -n plan_limit | jq -r '.RECORDS[0] | .PLANS, .SLOTS' | tr '\n' ' ')" = "/a 2/3 " ]
  blimits -u "$(id -un)" | grep -q ' 2/50'
}

@test "bresources and bslots" {
  bresources -g | grep -qE '^/a +1 '
  [ "$(bresources -json | jq -r '.RECORDS[] | .RESOURCE, .VALUE, .LOCATION' | tr '\n' ' ')" = 'scratch 500 node1 ssd  node1 ' ]
  run bresources -s licence
  [ "$output" = "No resource found" ]
  [ "$(bslots -noheader)" = "4        UNLIMITED" ]
  job=$(submit -n 4 sleep 600)
  wait_for 20 in_state "$job" running
  run bslots
  [ "$output" = "No backfill window exists at this time" ]
}

@test "bsla, bparams and bjobs -psum" {
  bsla /a | grep -qx 'GOAL:  GUARANTEE'
  [ "$(bsla -json | jq -r '.RECORDS[] | select(.PLAN == "/a") | .PLAN, .OWNS' | tr '\n' ' ')" = "/a 1 " ]
  run bsla /nowhere
  [ "$status" -eq 255 ]
  bparams -a | grep -qx 'WM_SUBMIT_FILTER_TIME = 10s'
  bparams -l | grep -qx '        WM_CLEAN_PERIOD = 1h'
  busy=$(submit -n 4 sleep 600)
  wait_for 20 in_state "$busy" running
  a=$(submit sleep 1) b=$(submit sleep 1)
  wait_for 20 sh -c 'bjobs -psum | grep -q ": 2$"'
  [ "$(bjobs -psum | head -1)" = "Pending reason summary: 2 pending job(s)" ]
}

@test "job groups select, and are counted" {
  a=$(submit -H -g /risk/day sleep 1)
  b=$(submit -H -g /risk/night sleep 1)
  c=$(submit -H -g /risky sleep 1)
  [ "$(bjobs -noheader -o jobid -g /risk | sort -n | tr '\n' ' ')" = "$a $b " ]
  [ "$(field "$a" job_group)" = /risk/day ]
  bjobs -UF "$a" | grep -q 'Job Group </risk/day>'
  [ "$(bjgroup -noheader /risk | awk '{ print $1, $2, $3 }' | tr '\n' ' ')" = "/risk 2 2 /risk/day 1 1 /risk/night 1 1 " ]
  bkill -g /risk 0
  [ "$(bjobs -noheader -o jobid -g / | tr '\n' ' ')" = "$c " ]
  run bsub -g nonsense sleep 1
  [ "$status" -eq 255 ]
  [[ $output == *"Bad job group name"* ]]
  run bjgroup /nowhere
  [ "$status" -eq 255 ]
}

@test "bjdepinfo: up and down the chain" {
  a=$(submit -H -J first sleep 1)
  b=$(submit -w "done($a)" sleep 1)
  c=$(submit -w "ended($b)" sleep 1)
  [ "$(bjdepinfo -json "$b" | jq -r '.RECORDS[0] | .PARENT, .PARENT_STATUS, .PARENT_NAME' | tr '\n' ' ')" = "$a PSUSP first " ]
  [ "$(bjdepinfo -r 0 "$c" | awk 'NR > 1 { print $2, $5 }' | tr '\n' ' ')" = "$b 1 $a 2 " ]
  [ "$(bjdepinfo -c -r 0 "$a" | awk 'NR > 1 { print $2 }' | tr '\n' ' ')" = "$b $c " ]
  run bjdepinfo "$a"
  [ "$output" = "Job <$a> does not depend on any jobs" ]
  run bjdepinfo 999999
  [ "$status" -eq 255 ]
}

@test "what is not an option is refused by each" {
  for command in busers bugroup bmgroup bapp blimits bresources bslots bsla bjdepinfo; do
    run $command -Znonsense
    [ "$status" -eq 255 ]
    run $command -h
    [ "$status" -eq 0 ]
  done
}

@test "bjobs: users of a group, what is reserved, who is eligible, by reservation" {
  big=$(submit -R 'rusage[mem=10,swp=5]' -H sleep 1) small=$(submit -n 4 sleep 600)
  wait_for 20 in_state "$small" running
  next=$(submit sleep 1)
  ids() { bjobs -noheader -o jobid "$@" | tr '\n' ' '; }
  [ "$(ids -G ops)" = "$big $small $next " ]
  [ "$(ids -u 'carol, ops')" = "$big $small $next " ]
  run bjobs -G vision
  [ "$output" = "No unfinished job found" ]
  run bjobs -G carol
  [ "$status" -eq 255 ] && [ "$output" = "carol: No such user/host group" ]
  [ "$(ids -rusage mem)" = "$big " ] && [ "$(ids -rusage 'mem,swp')" = "$big " ]
  [ -z "$(ids -rusage 'mem tmp')" ]
  wait_for 10 sh -c "bjobs -noheader -pe -o jobid | grep -qx $next"
  [ "$(ids -pe)" = "$next " ] && [ "$(ids -pi)" = "$big " ]
  [ -z "$(ids -U nothing)" ]
  bkill "$big" "$small" "$next"
}

@test "bjobs -script and -hostfile" {
  printf '#!/bin/sh\n#BSUB -n 2\n\nsleep 600\n' >mine.sh
  job=$(submit <mine.sh) plain=$(submit -H 'echo  as typed')
  bjobs -script "$job" | cmp - mine.sh
  [ "$(bjobs -script "$plain")" = 'echo  as typed' ]
  [ "$(bjobs -script "$plain" "$job" | head -2)" = "Job <$plain>"$'\necho  as typed' ]
  run bjobs -script
  [ "$status" -eq 255 ] && [ "$output" = "bjobs: -script: a job ID is wanted" ]
  run bjobs -script 999999
  [ "$status" -eq 255 ] && [ "$output" = "Job <999999> is not found" ]
  wait_for 20 in_state "$job" running
  [ "$(bjobs -hostfile "$job" | grep -c '^node[12]$')" -eq 2 ]
  run bjobs -hostfile "$plain"
  [ "$status" -eq 255 ] && [ "$output" = "Job <$plain> : Not yet started." ]
}
