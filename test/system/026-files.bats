#!/usr/bin/env bats
# Role: files that travel with a job (-f, -is), and its budgets of being queued again.

load lib
setup_file() {
  cat >"$BATS_FILE_TMPDIR/wm.conf" <<CONF
[limits]
max_user_requeue = 2
CONF
  cluster_up --nodes 2 --conf "$BATS_FILE_TMPDIR/wm.conf"
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
}
teardown() { [ -n "${BATS_TEST_COMPLETED-}" ] || { cat ./*.txt; cluster_words; }; end_all_jobs; }

@test "files go there before the job and come back after it" {
  mkdir there
  echo input >in
  echo first >log
  job=$(submit -cwd "$PWD/there" -f "$PWD/in > in" -f "$PWD/out < out" -f "$PWD/log << out" 'cat in >out; echo more >>out')
  ran_out "$job"
  [ "$(state "$job")" = finished ]
  wait_for 10 grep -q more log
  [ "$(cat out)" = $'input\nmore' ]
  [ "$(cat log)" = $'first\ninput\nmore' ]
}

@test "a file that is not there keeps the job from running, and is named" {
  job=$(submit -f "$PWD/nothing > in" 'touch ran')
  ran_out "$job" 60
  [ "$(state "$job")" = failed ]
  [[ $(bhist -l "$job" | tr -d '\n ') == *"thecopyof'$PWD/nothing'exitedwith1"* ]] || { bhist -l "$job"; return 1; }
  [ ! -e ran ]
}

@test "a spooled input is the file as it was, and is gone afterwards" {
  export HOME=$PWD
  echo then >in
  job=$(submit -H -is in -o out.txt cat)
  echo now >in
  [ "$(ls .lsbatch | wc -l)" -eq 1 ]
  bresume "$job"
  ran_out "$job"
  [ "$(head -1 out.txt)" = then ]
  none_spooled() { [ "$(ls .lsbatch | wc -l)" -eq 0 ]; }
  wait_for 10 none_spooled
}

@test "a job that always asks to be queued again ends when its budget is used up" {
  job=$(submit -Q 7 'echo x >>runs; exit 7')
  ran_out "$job" 60
  [ "$(state "$job")" = failed ]
  is "$job" exit_code 7
  [ "$(wc -l <runs)" -eq 3 ]
}
