#!/usr/bin/env bats
# Role: jobs of a queue that makes way by being suspended: they are stopped, their slots go to the
# higher job, they go on where they were; never those with GPUs.

load lib
setup_file() {
  cat >"$BATS_FILE_TMPDIR/queues.conf" <<'END'
[normal]
priority = 50
[first]
priority = 90
preempts = lower
[resting]
priority = 10
preempt_by = suspend
END
  cluster_up --nodes 2 --cpus 2 --gpus 1 --conf "$BATS_FILE_TMPDIR/queues.conf"
}
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

ticks() { wc -l <ticks.txt; }
ticked() { [ "$(ticks)" -gt "$1" ]; }
counts() { # a job that writes a line ten times a second while it runs
  submit "$@" 'while :; do echo . >>ticks.txt; sleep 0.1; done'
}
has_stat() { is "$1" stat "$2"; }

@test "a job is stopped for a higher one, says why, and goes on where it was" {
  low=$(counts -q resting -n 4)
  wait_for 20 in_state "$low" running
  wait_for 20 ticked 5
  high=$(submit -q first -n 4 sleep 100)
  wait_for 20 in_state "$high" running
  has_stat "$low" SSUSP
  [[ $(field "$low" pend_reason) == *"preempted by job <$high>"* ]]
  run bjobs -l "$low"
  [[ $output == *"SUSPENDING REASONS:"* ]]
  run bresume "$low"
  [ "$status" -ne 0 ]
  [[ $output == *"job <$high>"* ]]
  was=$(ticks)
  other=$(submit -q normal sleep 0)
  wait_for 10 in_state "$other" pending
  [ "$(ticks)" -le $((was + 1)) ]
  bkill "$high"
  wait_for 20 in_state "$low" running
  wait_for 20 ticked $((was + 5))
  is "$low" attempt 1
  events_of "$low" PARK 1
  events_of "$low" RESUME 1
}

@test "a master that dies meanwhile forgets neither the job nor whose slots they are" {
  low=$(counts -q resting -n 4)
  wait_for 20 in_state "$low" running
  high=$(submit -q first -n 3 sleep 100)
  wait_for 20 in_state "$high" running
  "$MINICLUSTER" kill wmasterd
  "$MINICLUSTER" start wmasterd
  has_stat "$low" SSUSP
  bkill "$high"
  wait_for 20 in_state "$low" running
  is "$low" attempt 1
}

@test "one that is stopped can be killed" {
  low=$(counts -q resting -n 4)
  wait_for 20 in_state "$low" running
  high=$(submit -q first -n 4 sleep 100)
  wait_for 20 has_stat "$low" SSUSP
  bkill "$low"
  ran_out "$low"
  [ "$(state "$low")" = killed ]
  in_state "$high" running
}

@test "a job that holds a GPU is left alone" {
  low=$(submit -q resting -n 2 -gpu num=1 -R 'span[ptile=1]' sleep 100)
  wait_for 20 in_state "$low" running
  high=$(submit -q first -gpu num=1 sleep 100)
  wait_for 10 in_state "$high" pending
  wait_for 10 test -n "$(bwhy -json "$high" | jq -r '.RECORDS[0].CODE')"
  has_stat "$low" RUN
  in_state "$low" running
}
