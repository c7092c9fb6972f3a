#!/usr/bin/env bats
# Role: jobs that wait are changed by their owner, and run as they were changed: the hosts check
# the signature of what they run.

load lib
setup_file() { cluster_up --nodes 2 --cpus 2; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

@test "a job runs as it was changed, not as it was submitted" {
  id=$(submit -H -J before -o "$BATS_TEST_TMPDIR/before" 'echo $LSB_JOBNAME on $LSB_DJOB_NUMPROC')
  run bmod -n 3 -J after -oo "$BATS_TEST_TMPDIR/after" -W 5 "$id"
  [ "$status" -eq 0 ]
  [ "$output" = "Parameters of job <$id> are being changed" ]
  bresume "$id"
  wait_for 20 in_state "$id" finished
  grep -q "^after on 3$" "$BATS_TEST_TMPDIR/after"
  [ ! -e "$BATS_TEST_TMPDIR/before" ]
  run bhist -l -w "$id"
  [[ $output == *"MODIFY, by $(id -un): name before -> after; tasks 1 -> 3; run limit none -> 5m;"* ]]
}

@test "a job runs another command" {
  id=$(submit -H -o out 'echo before')
  bmod -Z 'echo after "$LSB_JOBNAME"' "$id"
  bresume "$id"
  wait_for 20 in_state "$id" finished
  wait_for 5 grep -q Successfully out
  grep -qx 'after echo after "$LSB_JOBNAME"' out
}

@test "what kept it from starting is taken back, and it starts" {
  id=$(submit -b 2031:1:1:0:0 true)
  in_state "$id" pending
  bmod -bn "$id"
  wait_for 20 in_state "$id" finished
}

@test "more elements of an array run at a time" {
  id=$(submit -J 'many[1-4]%1' 'sleep 60')
  wait_for 20 eval '[ "$(bjobs -r -noheader "$id" | wc -l)" -eq 1 ]'
  bmod -J %3 "$id"
  wait_for 20 eval '[ "$(bjobs -r -noheader "$id" | wc -l)" -eq 3 ]'
  bkill "$id"
}

@test "a job that runs ends at its new run limit; what waits is told when" {
  id=$(submit -n 4 -W 60 'sleep 300')
  wait_for 20 in_state "$id" running
  next=$(submit -n 4 -W 60 true)
  promise() { bhist -l -w "$next" | tr -d '\n' | grep -o 'PROMISE.*'; }
  wait_for 20 promise
  before=$(promise)
  bmod -W 600 "$id" # whoever runs this is an administrator
  bjobs -l "$id" | grep -q "600.* min"
  wait_for 20 eval '[ "$(promise)" != "$before" ]'
  bmod -W 0:0:2 "$id"
  ran_out "$id"
  [[ $(field "$id" exit_reason) == *TERM_RUNLIMIT* ]]
  run bhist -l -w "$id"
  [[ $(tr -d '\n' <<<"$output" | tr -s ' ') == *"run limit 1h -> 10h"*"run limit 10h -> 2s"* ]]
  wait_for 20 in_state "$next" finished
}

@test "a run limit that was changed while the host's daemon was away is kept" {
  id=$(submit -n 1 -W 60 'hostname; sleep 300')
  wait_for 20 in_state "$id" running
  node=$(field "$id" exec_host | sed "s,.*\*,,; s,:.*,,")
  "$MINICLUSTER" kill wnoded "$node"
  bmod -W 0:0:1 "$id"
  "$MINICLUSTER" start "$node"
  ran_out "$id"
  [[ $(field "$id" exit_reason) == *TERM_RUNLIMIT* ]]
}

@test "what is refused changes nothing and says why" {
  id=$(submit -H -n 2 true)
  for bad in "-n 99" "-q nosuch" "-W never" "-plan /nosuch" "-R select[" "-J other[1-3]" "-K" ""; do
    run bmod $bad "$id"
    [ "$status" -eq 255 ]
    [[ $output == *"Job not modified." ]] || { echo "$bad: $output"; false; }
  done
  [ "$(bjobs -noheader -o nreq_slot "$id")" = 2 ]
  run bmod -W 5 4711
  [[ $output == *"Job <4711>: No matching job found. Job not modified."* ]]
  run bmod -W 5
  [[ $output == *"one job ID is wanted"* ]]
  bkill "$id"
}

@test "a job that runs is signed anew as it is, and goes on" {
  id=$(submit -app training -ar -n 1,2 'trap "exit 0" TERM; while :; do sleep 0.05; done')
  wait_for 20 is "$id" nalloc_slot 2
  started=$(field "$id" start_time)
  run bmod -sign "$id"
  [ "$status" -eq 0 ]
  bresize release 1 "$id"
  wait_for 20 is "$id" nalloc_slot 1
  bresize request 1 "$id"   # the newcomer is started by the new signature
  wait_for 20 is "$id" nalloc_slot 2
  [ "$(field "$id" start_time)" = "$started" ]
  bkill "$id"
  run bmod -bundle x "$id"
  [ "$status" -eq 255 ]
}

why_says() { bwhy "$1" | tr -s ' \n' ' ' | grep -q "$2"; }
@test "after a change of MUNGE's key a job is held until its owner has signed it anew" {
  id=$(submit -H 'echo ran >ran')
  "$MINICLUSTER" rekey
  wait_for 20 bresume "$id" # what the master had prepared by the old key is used up first
  wait_for 20 why_says "$id" "its signature cannot be proven"
  in_state "$id" held
  why_says "$id" "bmod -sign $id"
  bmod -sign "$id"
  bresume "$id"
  ran_out "$id" 20
  [ "$(state "$id")" = finished ]
}
