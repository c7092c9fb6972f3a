#!/usr/bin/env bats
# Role: a worker that hangs: it is named, prints the stacks of its threads and is ended; the others
# go on without having lost a step.

load lib
setup_file() {
  printf '[times]\nhang_limit = 5s\n' >"$BATS_FILE_TMPDIR/wm.conf"
  cluster_up --nodes 3 --cpus 1 --gpus 1 --conf "$BATS_FILE_TMPDIR/wm.conf"
}
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; cp "$BATS_TEST_DIRNAME/small_train.py" .; }

stacks() { grep -q 'most recent call first' "$(result_dir "$1")/log/$2/stderr"; }

@test "a worker that hangs is named, prints its stacks and is ended; the others go on" {
  job=$(train 1,3 1200)
  wait_for 60 at_world "$job" 3
  step=$(last_step "$job")
  "$MINICLUSTER" kill task "$job.3" -STOP
  wait_for 60 events_of "$job" CONDEMN 1
  [[ $(events "$job" CONDEMN) == *"has not entered a collective for 5s"* ]]
  wait_for 30 stacks "$job" 3
  wait_for 60 past_step "$job" $((step + 50))
  proven "$job" 1200 3
}
