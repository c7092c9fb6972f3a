#!/usr/bin/env bats
# Role: wrong input is refused with the object and the value named, the right exit code, and
# no job made.

load lib
setup_file() { cluster_up --nodes 1 --cpus 2; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

refused() {
  [ "$status" -eq 255 ] || { echo "status $status: $output"; return 1; }
  [[ $output == *"Job not submitted."* ]]
}

@test "an unknown queue" {
  run bsub -q nosuch true
  refused
  [[ $output == *"nosuch: No such queue"* ]]
}

@test "an unknown option names itself" {
  run bsub -nosuchoption true
  [ "$status" -eq 255 ]
  [[ $output == *nosuchoption* ]]
}

@test "an unknown plan and an unknown application profile" {
  run bsub -plan /nowhere true
  refused
  [[ $output == */nowhere* ]]
  run bsub -app nosuchapp true
  refused
  [[ $output == *nosuchapp* ]]
}

@test "a request that this cluster can never satisfy" {
  run bsub -n 500 true
  refused
  [[ $output == *500* ]]
}

@test "more GPUs than there are" {
  run bsub -gpu num=3 true
  refused
}

@test "bad numbers, bad resource requirements, an empty job" {
  run bsub -n four true
  refused
  run bsub -n 3,2 true
  refused
  run bsub -R 'rusage[mem=' true
  refused
  run bsub </dev/null
  refused
}

@test "an unreadable script" {
  run bsub ./nothing-here.sh
  [ "$status" -eq 0 ] || refused   # not a file: a command, as LSF takes it
  printf '#BSUB -n 1\ntrue\n' >secret.sh
  chmod 000 secret.sh
  [ "$(id -u)" -eq 0 ] || { run bsub <secret.sh; [ "$status" -ne 0 ]; }
}

@test "bkill and bjobs of a job that is not there" {
  run bkill 999999
  [ "$status" -eq 255 ]
  [[ $output == *"Job <999999>: No matching job found"* ]]
  run bjobs 999999
  [ "$status" -eq 255 ]
  [[ $output == *"Job <999999> is not found"* ]]
}

@test "nothing of this made a job" {
  bkill 0 || true
  run bjobs -a -json -o 'jobid job_name'
  [[ $(jq -r '.RECORDS[].JOB_NAME' <<<"$output") != *true* ]]
}

@test "a wrong configuration is named with file, line and the nearest key; the old one stays" {
  cp -r "$WM_CONF_DIR" conf
  printf '[normal]\npriorty = 50\n' >conf/queues.conf
  WM_CONF_DIR=$PWD/conf run badmin ckconfig
  [ "$status" -ne 0 ]
  [[ $output == *"queues.conf:2"*priorty*priority* ]]
  run badmin ckconfig
  [ "$status" -eq 0 ]
  cp "$WM_CONF_DIR/queues.conf" kept.conf
  printf '[normal]\npriority = lots\n' >"$WM_CONF_DIR/queues.conf"
  run badmin reconfig
  [ "$status" -ne 0 ]
  [[ $output == *"queues.conf:2"*lots* ]]
  cp kept.conf "$WM_CONF_DIR/queues.conf"
  job=$(submit -q urgent true)
  ran_out "$job"
}

@test "reconfig takes a new queue in" {
  printf '[evening]\npriority = 5\n' >>"$WM_CONF_DIR/queues.conf"
  run badmin reconfig
  [ "$status" -eq 0 ]
  job=$(submit -q evening true)
  ran_out "$job"
  [ "$(state "$job")" = finished ]
}

@test "a host that hosts.conf does not list any more gets no job until it does again" {
  cp "$WM_CONF_DIR/hosts.conf" kept.conf
  running=$(submit sleep 100)
  wait_for 10 in_state "$running" running
  echo '[another]' >"$WM_CONF_DIR/hosts.conf"
  run badmin reconfig
  [ "$status" -eq 0 ]
  [[ $output == *"Host <node1> is closed: it is not in hosts.conf; jobs that run there go on"* ]]
  in_state "$running" running
  [[ $(bhosts -l node1) == *"not in hosts.conf"* ]]
  cp kept.conf "$WM_CONF_DIR/hosts.conf"
  badmin reconfig
  job=$(submit true)
  ran_out "$job"
  [ "$(state "$job")" = finished ]
}

@test "closed queues and hosts take no job until they are opened" {
  badmin qclose -C 'moving house' urgent
  run bsub -q urgent true
  refused
  [ "$(bqueues -noheader -o 'status comments delimiter="|"' urgent)" = 'Closed:Active|moving house' ]
  badmin qopen urgent
  badmin hclose node1
  job=$(submit true)
  run bash -c 'bhosts -json | jq -r ".RECORDS[0].STATUS"'
  [[ $output == closed* ]]
  [ "$(state "$job")" = pending ]
  [ "$(bwhy -json "$job" | jq -r '.RECORDS[0] | .CODE + " " + .HOSTS_REMOVED + " " + .FIX')" = 'hosts_closed 1 badmin hopen' ]
  badmin hopen node1
  ran_out "$job"
}

@test "a name that is not known is named, exit 255; what is known is shown all the same" {
  for asked in 'bhosts node1 nosuch' 'bqueues normal nosuch' 'bplans / /nosuch'; do
    run $asked
    [ "$status" -eq 255 ]
    [[ $output == *nosuch:* ]]
    [ "${#lines[@]}" -eq 3 ]
  done
}

@test "output that cannot be written is an error of what only shows, not of what was done" {
  for command in bqueues "bhosts -json" "bjobs -h"; do
    run bash -c "$command >/dev/full"
    [ "$status" -eq 255 ]
    [[ $output == "${command%% *}: standard output cannot be written" ]]
  done
  run bash -c "bsub true >/dev/full"
  [ "$status" -eq 0 ]
}

@test "what a terminal obeys is not echoed by a refusal" {
  run bsub -J $'a\e[31m[9-1]' true
  [ "$status" -eq 255 ]
  [[ $output != *$'\e'* ]]
}

@test "refusals have the words by which clients know not to try again" {
  run bsub -n 99999 true
  [ "$status" -eq 255 ]
  [[ $output == *"Too many processors requested"* ]]
  run bsub -R 'rusage[lic=1]' true
  [[ $output == *"cannot be used in the resource requirement section"* ]]
  run bsub -U someone#0 true
  [[ $output == *"someone#0: No such reservation. Job not submitted."* ]]
}

@test "an option of another system that is not translated refuses the job by name and line" {
  printf '#!/bin/sh\n#SBATCH -n 2\n#SBATCH --ntasks-per-socket=2\ntrue\n' >other.sh
  run bsub other.sh
  [ "$status" -eq 255 ]
  [[ $output == "line 3 of the script: #SBATCH --ntasks-per-socket is not translated"*"Job not submitted." ]]
}
