#!/usr/bin/env bats
# Role: kill -9 of each daemon at work: nothing acknowledged is lost, nothing runs twice,
# running jobs run on.

load lib
setup_file() { cluster_up --nodes 2 --cpus 4; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

mini() { "$MINICLUSTER" "$@"; }

@test "a job outlives kill -9 of wmasterd and its end is known afterwards" {
  job=$(submit 'echo $$ >>started; while [ ! -e go ]; do sleep 0.1; done; exit 6')
  wait_for 10 in_state "$job" running
  mini kill wmasterd
  touch go
  mini start wmasterd
  ran_out "$job"
  is "$job" exit_code 6
  [ "$(wc -l <started)" -eq 1 ]
}

@test "a command waits for a master that is away" {
  mini kill wmasterd
  bsub -o late.txt echo late >answer 2>/dev/null 3>&- &
  client=$!
  mini start wmasterd
  wait "$client"
  [[ $(<answer) =~ \<([0-9]+)\> ]]
  ran_out "${BASH_REMATCH[1]}"
  wait_for 5 grep -qx late late.txt
}

@test "jobs acknowledged right before the kill are all there, once" {
  for i in 1 2 3 4 5; do submit -J "burst$i" -o "burst.$i" "echo x >>burst.runs.$i" >>numbers; done
  mini kill wmasterd
  mini start wmasterd
  while read -r job; do ran_out "$job"; done <numbers
  [ "$(sort -u numbers | wc -l)" -eq 5 ]
  for i in 1 2 3 4 5; do [ "$(wc -l <burst.runs.$i)" -eq 1 ]; done
}

@test "kill -9 of wnoded: its job runs on and its exit code is kept" {
  job=$(submit 'echo $$ >>started; hostname >where; while [ ! -e go ]; do sleep 0.1; done; exit 8')
  wait_for 10 in_state "$job" running
  node=$(field "$job" exec_host | sed 's/.*\*//; s/:.*//')
  mini kill wnoded "$node"
  touch go
  is_gone() { ! kill -0 "$(cat started)"; }
  wait_for 10 is_gone # the task ends while nobody watches
  mini start "$node"
  ran_out "$job"
  is "$job" exit_code 8
  [ "$(wc -l <started)" -eq 1 ]
}

@test "a whole host dies: the job ends with a named reason only after hdead or its return" {
  job=$(submit sleep 1000)
  wait_for 10 in_state "$job" running
  node=$(field "$job" exec_host | sed 's/.*\*//; s/:.*//')
  mini kill "$node"
  wait_for 40 in_state "$job" unknown
  mini start "$node"
  ran_out "$job"
  [ "$(state "$job")" = failed ]
  wait_for 10 bash -c "bhosts -json | jq -e '[.RECORDS[].STATUS] | all(. == \"ok\")'"
}

@test "kill -9 of the shepherd: its tasks are ended and the reason is named" {
  job=$(submit -app training sleep 31501)
  wait_for 10 in_state "$job" running
  wait_for 10 pgrep -f '^sleep 31501'
  node=$(field "$job" exec_host | sed 's/.*\*//; s/:.*//')
  mini kill shepherd "$job@$node"
  ran_out "$job"
  [ "$(state "$job")" = failed ]
  wait_for 10 bash -c '! pgrep -f "^sleep 31501"'
}
