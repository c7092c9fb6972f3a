#!/usr/bin/env bats
# Role: what people arrange ahead: advance reservations, job groups with limits, messages at jobs,
# jobs placed by hand, limits across jobs, windows of queues, service classes.

load lib
setup_file() {
  printf '[p]\nprojects = red\njobs = 1\n' >"$BATS_FILE_TMPDIR/limits.conf"
  printf '[reports]\nvelocity = 1\n' >"$BATS_FILE_TMPDIR/slas.conf"
  # A window that is closed now and for the next hours.
  local hour=$((10#$(date +%H)))
  printf '[night]\npriority = 40\ndispatch_window = %d:00-%d:00\n' $(((hour + 8) % 24)) $(((hour + 9) % 24)) \
    >"$BATS_FILE_TMPDIR/queues.conf"
  cluster_up --nodes 2 --cpus 4 --conf "$BATS_FILE_TMPDIR/limits.conf" --conf "$BATS_FILE_TMPDIR/slas.conf" \
    --conf "$BATS_FILE_TMPDIR/queues.conf"
}
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; me=$(id -un); }
after_each() {
  end_all_jobs
  brsvs -json | jq -r '.RECORDS[].RSVID' | xargs -r brsvdel >/dev/null 2>&1 || true
}

waits_for() { field "$1" pend_reason | grep -qF "$2"; }
at() { date -d "$1" +%Y:%m:%d:%H:%M; }

@test "a reservation has its slots, its own jobs, and a reason for those it keeps out" {
  run brsvadd -u "$me" -m node1 -b "$(at now)" -e "$(at '+2 hours')" -d 'for a course'
  [ "$status" -eq 0 ]
  [ "$output" = "Reservation $me#0 is created" ]
  free=$(submit -n 4 sleep 600)
  wait_for 20 in_state "$free" running
  [ "$(field "$free" exec_host | sort -u)" = "4*node2" ] || field "$free" exec_host | grep -q node2
  kept_out=$(submit sleep 600)
  wait_for 20 waits_for "$kept_out" "Slots are kept for advance reservation <$me#0>"
  [ "$(bhosts -noheader -o 'host_name rsv' node1 node2)" = $'node1 4\nnode2 0' ]
  own=$(submit -U "$me#0" -n 2 sleep 600)
  wait_for 20 in_state "$own" running
  field "$own" exec_host | grep -q node1
  brsvs | grep -qE "^$me#0 +user +$me +2/4 +node1:2/4 "
  brsvs -l "$me#0" | grep -q "Jobs: $own"
  [ "$(bhosts node1 | awk 'NR == 2 { print $NF }')" = 2 ]
  bhosts -l node1 | grep -qx "  $me#0: 2 of 4 slots in use, active"
  bjobs -WL "$own" | grep -q TIME_LEFT
  bjobs -WP "$own" | grep -q COMPLETE
  bjobs -plan | grep -q "^$kept_out "
  more=$(submit -U "$me#0" -n 3 sleep 600)
  wait_for 20 waits_for "$more" "Not enough slots left in advance reservation"
}

@test "a reservation outlives the master; who is gone in time is lent its slots; its end ends its jobs" {
  brsvadd -N later -u "$me" -m "node1 node2" -b "$(at '+3 hours')" -e "$(at '+4 hours')"
  "$MINICLUSTER" kill wmasterd
  "$MINICLUSTER" start wmasterd
  brsvs later | grep -q '^later '
  short=$(submit -W 60 -n 4 sleep 600)
  endless=$(submit sleep 600)
  wait_for 20 in_state "$short" running
  wait_for 20 waits_for "$endless" "advance reservation <later>"
  early=$(submit -U later sleep 600)
  wait_for 20 waits_for "$early" "advance reservation <later> is not active yet"
  brsvmod -b "$(at now)" later
  wait_for 20 in_state "$early" running
  brsvmod -e "$(at '+1 minute')" later
  wait_for 30 ended "$early"
  bjobs -l "$early" | grep -q TERM_DEADLINE
}

@test "what cannot be reserved is refused with what there is" {
  run brsvadd -u "$me" -n 9 -b "$(at now)" -e "$(at '+1 hour')"
  [ "$status" -eq 255 ]
  [[ $output == *"9 slots were asked for, 8 are there"* ]]
  run brsvadd -u "$me" -n 1 -b "$(at '+2 hours')" -e "$(at '+1 hour')"
  [ "$status" -eq 255 ]
  run bsub -U nothing sleep 1
  [ "$status" -eq 255 ]
  [[ $output == *"nothing: No such reservation. Job not submitted."* ]]
  run brsvadd -u "$me" -n 1 -t '9:99-x'
  [[ $output == *"is no time window"* ]]
}

@test "a job group has a limit that counts the groups below it, and is named" {
  bgadd -L 1 /risk
  first=$(submit -g /risk/day sleep 600)
  wait_for 20 in_state "$first" running
  second=$(submit -g /risk/night sleep 600)
  wait_for 20 waits_for "$second" "job group </risk>"
  bjgroup -s /risk | grep -qE '^/risk .* 1/1 '
  run bgdel /risk
  [ "$status" -eq 255 ]
  bgmod -L 2 /risk
  wait_for 20 in_state "$second" running
  bstop -g /risk 0
  wait_for 20 in_state "$first" suspended
  bresume -g /risk 0
  bkill -g /risk 0
  ran_out "$first"
  ran_out "$second"
  bgdel /risk
  run bgmod -L 1 /risk
  [[ $output == *"/risk: Job group does not exist"* ]]
}

@test "messages are left, read, waited for, and kept over a restart" {
  job=$(submit sleep 600)
  waiting=$(submit -w "external($job, \"half way\")" -o out echo met)
  wait_for 20 in_state "$job" running
  echo attached >file
  bpost -i 3 -d 'a plot' -a file "$job"
  "$MINICLUSTER" kill wmasterd
  "$MINICLUSTER" start wmasterd
  bread "$job" | grep -qE '^3 .*a plot +file \(9 bytes\)'
  [ "$(bread -i 3 -a - "$job")" = attached ]
  is "$job" ext_msg "3: a plot"
  in_state "$waiting" pending
  bpost -d 'half way' "$job"
  ran_out "$waiting"
  bjobs -l "$job" | grep -q 'EXTERNAL MESSAGES'
  run bpost -i 128 -d x "$job"
  [ "$status" -eq 255 ]
}

@test "brun starts what limits hold back, or says why not; bmig moves" {
  bgadd -L 0 /held
  job=$(submit -r -g /held sleep 600)
  wait_for 20 waits_for "$job" "job group </held>"
  run brun -m node2 -b "$job"
  [ "$status" -eq 0 ]
  wait_for 20 in_state "$job" running
  [ "$(field "$job" exec_host)" = node2 ]
  large=$(submit -n 4 -g /held sleep 600)
  run brun -m node2 "$large"
  [ "$status" -eq 255 ]
  [[ $output == *"do not fit on these hosts as they are now"* ]]
  bkill "$large"
  ran_out "$large"
  bgmod -Ln /held
  bmig -m node1 "$job"
  moved() { [ "$(field "$job" exec_host)" = node1 ] && in_state "$job" running; }
  wait_for 40 moved
  is "$job" attempt 2
  badmin audit | grep -q brun
}

@test "limits.conf counts across jobs, windows keep jobs waiting, a class is shown" {
  first=$(submit -P red sleep 600)
  wait_for 20 in_state "$first" running
  second=$(submit -P red sleep 600)
  wait_for 20 waits_for "$second" "limit <p>"
  [ "$(blimits -json -n p | jq -r '.RECORDS[0].JOBS')" = 1/1 ]
  late=$(submit -q night sleep 1)
  wait_for 20 waits_for "$late" "dispatch window of queue <night>"
  job=$(submit -sla reports -We 5 sleep 600)
  wait_for 20 in_state "$job" running
  bsla reports | grep -q 'GOAL:  VELOCITY 1'
  [ "$(bsla -json reports | jq -c '.RECORDS[0] | [.NAME, .GOAL, .STATUS, .RUN, .OWNS]')" = '["reports","VELOCITY 1","Active:On time","1",""]' ]
  bsla reports | grep -q 'Active:On time'
  [ "$(bjobs -sla reports -json -o jobid | jq -r '.RECORDS[0].JOBID')" = "$job" ]
  run bsub -sla nothing sleep 1
  [ "$status" -eq 255 ]
}

@test "perfmon counts what is asked and done" {
  badmin perfmon start 1
  job=$(submit true)
  ran_out "$job"
  counted() { badmin perfmon view | grep -qE "^Jobs completed .* 1$"; }
  wait_for 10 counted
  badmin perfmon stop
  badmin perfmon | grep -q 'has not been started'
}

@test "a program of the site's own checkpoints a job, the trainer is told by a signal" {
  mkdir bin
  printf '#!/bin/sh\necho "$@" >"%s/asked"\n' "$PWD" >bin/echkpnt.test
  chmod +x bin/echkpnt.test
  job=$(PATH=$PWD/bin:$PATH submit -k "ckpt method=test" sleep 600)
  wait_for 20 in_state "$job" running
  run bchkpnt "$job"
  [ "$status" -eq 0 ]
  grep -q -- "-d $PWD/ckpt/$job" asked
  [ -d "ckpt/$job" ]
  trainer=$(submit -k ckpt 'trap "echo told >told" USR1; while [ ! -e told ]; do sleep 0.1; done')
  wait_for 20 in_state "$trainer" running
  told() { bchkpnt "$trainer" >/dev/null 2>&1; [ -e told ]; }
  wait_for 20 told
  run bchkpnt "$(submit -H true)"
  [ "$status" -eq 255 ]
}
