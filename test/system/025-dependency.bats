#!/usr/bin/env bats
# Role: jobs that wait for others or for the clock, and what accounting says of them, all from
# the command line.

load lib
setup_file() { cluster_up --nodes 1 --cpus 4; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

@test "a job waits for another's end, says for which, and starts with it" {
  first=$(submit -J first 'while [ ! -e go ]; do sleep 0.05; done')
  second=$(submit -w 'done(first) && !exit('"$first"')' true)
  wait_for 20 bash -c "bjobs -p $second | grep -q 'dependency condition not satisfied.*done($first)'"
  touch go
  ran_out "$second"
  [ "$(state "$second")" = finished ]
}

@test "what can never be met is named, and -ti ends the job" {
  first=$(submit 'exit 3')
  ran_out "$first"
  waits=$(submit -w "done($first)" true)
  orphan=$(submit -w "done($first)" -ti true)
  after=$(submit -w "exit($first, 3)" true)
  wait_for 20 bash -c "bjobs -p $waits | grep -q 'never satisfied'"
  ran_out "$orphan"
  [ "$(state "$orphan")" = killed ]
  ran_out "$after"
  [ "$(state "$after")" = finished ]
  [ "$(state "$waits")" = pending ]
}

@test "conditions that name nothing or do not read are refused" {
  run bsub -w 'done(99999)' true
  [ "$status" -eq 255 ]
  [[ $output == *"99999: No matching job found. Job not submitted."* ]]
  run bsub -w 'done(' true
  [ "$status" -eq 255 ]
  [[ $output == *"Dependency condition syntax error"* ]]
}

@test "a begin time is waited for, a termination time ends the job" {
  run bsub -b 2099:1:1:00:00 true
  [ "$status" -eq 0 ]
  [[ $output == *"Job will be scheduled after"* ]]
  [[ $output =~ Job\ \<([0-9]+)\> ]]
  wait_for 20 bash -c "bjobs -p ${BASH_REMATCH[1]} | grep -q 'specified start time'"
  run bsub -t 2001:1:1:00:00 true
  [ "$status" -eq 255 ]
}

@test "bacct sums up what has ended, also after accounting was made again" {
  job=$(submit -J counted true)
  ran_out "$job"
  wait_for 20 bash -c "bacct -J counted | grep -q 'Total number of done jobs:        1'"
  bacct -l "$job" | grep -q 'Completed <done>'
  bacct -u all | sed '/throughput/,$d' >before
  run badmin rebuild-acct
  [ "$status" -eq 0 ]
  [[ $output == "Accounting is made again, up to event "* ]]
  bacct -u all | sed '/throughput/,$d' >after
  diff before after
  run bacct -J nobody
  [ "$status" -eq 255 ]
}

@test "bwait returns when a condition is met, can never be met, or its time is over" {
  first=$(submit 'while [ ! -e go ]; do sleep 0.05; done')
  run bwait -w "done($first)" -t 0
  [ "$status" -eq 2 ]
  [[ $output == *"not met in time: done($first)"* ]]
  bwait -w "done($first)" -t $DEADLINE_FACTOR &
  touch go
  wait $!
  run bwait -w "exit($first)"
  [ "$status" -eq 1 ]
  [[ $output == *"can never be met: exit($first)"* ]]
  run bwait -w 'done(99999)'
  [ "$status" -eq 255 ]
}

@test "bjobs --watch has a line for each state of a job, and ends with it" {
  job=$(submit 'while [ ! -e go ]; do sleep 0.05; done')
  wait_for 20 bash -c "[ \"\$(bjobs -noheader -o stat $job)\" = RUN ]"
  bjobs --watch "$job" >seen &
  wait_for 20 grep -q "$job .*RUN" seen
  touch go
  wait $!
  tail -1 seen | grep -q "$job .*DONE"
  [ "$(grep -c RUN seen)" -eq 1 ]
}

@test "bjobs --watch of an array ends when it is killed, elements that never began too" {
  array=$(submit -J 'many[1-40]%1' sleep 300)
  bjobs --watch "$array" >seen &
  wait_for 20 grep -q "$array\[1\] .*RUN" seen
  bkill "$array"
  wait $!
  [ "$(grep -c EXIT seen)" -eq 40 ]
  run bjobs --watch -J many
  [ "$status" -eq 255 ]
  [[ $output == *"not -J"* ]]
}
