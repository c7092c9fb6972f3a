#!/usr/bin/env bats
# Role: sizes of live elastic jobs by what they report: in a goodput queue the one that makes more of
# workers ends with more of them, in a fairshare queue both have the same; a worker that makes a
# job slower is given back; what the master has learned survives its death.

load lib
setup_file() {
  cat >"$BATS_FILE_TMPDIR/queues.conf" <<'END'
[normal]
priority = 50
[gain]
priority = 50
elastic = goodput
END
  printf '[/equal]\nelastic = fairshare\n' >"$BATS_FILE_TMPDIR/plans.conf"
  cluster_up --nodes 4 --cpus 1 --gpus 1 --conf "$BATS_FILE_TMPDIR/queues.conf" --conf "$BATS_FILE_TMPDIR/plans.conf"
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  mkdir good bad
  cp "$BATS_TEST_DIRNAME/small_train.py" good
  cp "$BATS_TEST_DIRNAME/small_train.py" bad
}

# elastic_job "SLEEP_MS [each]" bsub-arguments…
elastic_job() { submit "${@:2}" -app training -ar -n 1,4 -gpu num=1 $PYTHON small_train.py 100000 $1; }
start() { # bsub-arguments…: bad alone on all, then good beside it
  bad=$(cd bad && elastic_job 60 "$@")
  wait_for 40 at_world "$bad" 4
  wait_for 20 past_step "$bad" 100
  good=$(cd good && elastic_job '120 each' "$@")
  wait_for 40 past_step "$good" 5
}
sizes() { at_world "$good" "$1" && at_world "$bad" "$2"; }

@test "a goodput queue gives workers to the job that makes more of them" {
  start -q gain
  wait_for 60 sizes 3 1
  run bqueues -l gain
  [[ $output == *"ELASTIC SIZES:  goodput"* ]]
  # A master that starts again knows what the one before it had learned.
  "$MINICLUSTER" kill wmasterd
  "$MINICLUSTER" start wmasterd
  changes=$(field "$good" nresize)
  step=$(last_step "$good")
  wait_for 30 past_step "$good" $((step + 200))
  sizes 3 1
  [ "$(field "$good" nresize)" = "$changes" ]
  is "$good" attempt 1
  is "$bad" attempt 1
}

@test "a fairshare queue gives both the same, and so does a plan that says fairshare" {
  start -q normal
  step=$(last_step "$bad")
  wait_for 60 past_step "$bad" $((step + 200))
  sizes 2 2
  end_all_jobs
  ran_out "$good"
  ran_out "$bad"
  start -q gain -plan /equal
  step=$(last_step "$bad")
  wait_for 60 past_step "$bad" $((step + 200))
  sizes 2 2
  run bplans -l /equal
  [[ $output == *"ELASTIC SIZES: fairshare"* ]]
}

@test "a job gives a worker back that makes it slower, and says why" {
  bad=$(cd bad && submit -q gain -app training -ar -n 1,2 -gpu num=1 $PYTHON small_train.py 100000 60 apart)
  wait_for 40 at_world "$bad" 2
  wait_for 40 at_world "$bad" 1
  run bhist -l -w "$bad"
  [[ $output == *"RESIZE 2 -> 1 task(s), no faster with more tasks"* ]]
  step=$(last_step "$bad")
  wait_for 40 past_step "$bad" $((step + 100))
  at_world "$bad" 1
  is "$bad" attempt 1
}
