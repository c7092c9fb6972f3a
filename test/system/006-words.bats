#!/usr/bin/env bats
# Role: what a failed system test says is enough to understand it: its jobs, and the daemons' last words. A file
# with tests that fail is run as any other.

load lib
setup() {
  programs_built || skip "daemons or commands are not built"
  sed "s/^-//" >"$BATS_TEST_TMPDIR/failing.bats" <<END # bats takes every line that begins with @test for its own
load $TOP/test/system/lib
setup_file() { cluster_up --nodes 1 --cpus 2; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "\$BATS_TEST_TMPDIR" || return; }
last_words() { echo "its own words"; }
-@test "with a job that failed" {
  good=\$(submit 'sleep 0') bad=\$(submit 'exit 3')
  ran_out "\$good" && ran_out "\$bad"
  echo "what it wrote" >notes.txt
  false
}
-@test "that is good" {
  submit 'exit 4'
  wait_for 20 in_state 3 failed
}
-@test "with a dead master" {
  "\$MINICLUSTER" kill wmasterd
  false
}
END
}
# As by hand, whatever bats itself has put into this test's environment.
by_bats() { env -i PATH="$PATH" HOME="$HOME" TMPDIR="$BATS_TEST_TMPDIR" B="$B" PYTHON="$PYTHON" ${WM_TEST_TAG:+WM_TEST_TAG="$WM_TEST_TAG"} "$BATS_ROOT/bin/bats" --tap "$1"; }

@test "a failed test shows its jobs but those that are done, its files and the daemons' logs" {
  run by_bats "$BATS_TEST_TMPDIR/failing.bats"
  [ "$status" -eq 1 ]
  first=${output%%ok 2 *} third=${output##*not ok 3 }
  [[ $first == *"its own words"*"---- notes.txt"*"what it wrote"*"---- job 2"*"Job <2>"*"Exited"*"---- wmasterd"* ]] || { echo "$output"; return 1; }
  [[ $first != *"---- job 1"* ]]
  [[ $output == *"ok 2 that is good"$'\n'"not ok 3"* ]]
  [[ $third == *"---- job 3"*"---- job 2"* ]] || { echo "$third"; return 1; }
}
