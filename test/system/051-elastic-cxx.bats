#!/usr/bin/env bats
# Role: an elastic C++ program over gloo on real hosts: it grows, shrinks and loses a worker, and its
# weights are those of one process (which its rank 0 checks: status 0 only then).

load lib
setup_file() {
  cluster_up --nodes 3 --cpus 1 --gpus 1
  DATA_DIR='' $PYTHON "$TOP/scripts/demo.d/digits.py" "$BATS_FILE_TMPDIR/digits"
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  program="$B/test/examples/gloo_train --data $BATS_FILE_TMPDIR/digits --step-ms 25"
}

# finished JOBID STEPS [KILLED_TASK]
finished() {
  touch hurry
  ran_out "$1" 90
  [ "$(state "$1")" = finished ] || { bhist -l "$1"; cat "$(result_dir "$1")"/log/*/stderr; return 1; }
  is "$1" attempt 1
  cat "$(result_dir "$1")"/log/*/stdout | grep -q "^$2 steps, accuracy 0.* differs from one process by"
  run $PYTHON "$TOP/scripts/demo.d/evidence.py" "$(result_dir "$1")" "${@:3}"
  [[ $output == *"$2 steps, "*" samples, all in order"* ]] || { echo "$output"; return 1; }
}

@test "bresize shrinks and grows it without a restart" {
  job=$(submit -app training -ar -n 1,2 -gpu num=1 $program --passes 60)
  wait_for 40 at_world "$job" 2
  bresize release 1 "$job"
  wait_for 10 at_world "$job" 1
  bresize request 1 "$job"
  wait_for 20 at_world "$job" 2
  finished "$job" 1800
}

@test "a worker killed at work: the survivors go on" {
  job=$(submit -app training -ar -n 1,3 -gpu num=1 $program --passes 60)
  wait_for 40 at_world "$job" 3
  step=$(last_step "$job")
  "$MINICLUSTER" kill task "$job.2"
  wait_for 20 past_step "$job" $((step + 50))
  finished "$job" 1800 2
}

@test "bkill lets it write a checkpoint first" {
  job=$(submit -app training -ar -n 1,2 -gpu num=1 $program --passes 60 --checkpoints 0)
  wait_for 40 at_world "$job" 2
  wait_for 20 past_step "$job" 20
  bkill "$job"
  ran_out "$job"
  [ "$(state "$job")" = killed ]
  [ -s "$(result_dir "$job")/checkpoint/checkpoint.wm" ]
}
