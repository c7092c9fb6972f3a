#!/usr/bin/env bats
# Role: hours that a plan or a user has: shown, warned of, used up; nothing is ended for them, and a
# master that starts again knows them.

load lib
setup_file() {
  printf '[/]\n[/a]\n[/b]\n' >"$BATS_FILE_TMPDIR/plans.conf"
  printf '[/a]\ngpu_hours = 2\ncarry = 10\nat_end = shrink\n[/b]\ncpu_hours = 0\n' >"$BATS_FILE_TMPDIR/budgets.conf"
  cluster_up --nodes 3 --cpus 1 --gpus 1 --conf "$BATS_FILE_TMPDIR/plans.conf" --conf "$BATS_FILE_TMPDIR/budgets.conf"
}
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; cp "$BATS_TEST_DIRNAME/small_train.py" .; }

budget() { bplans -b -json | jq -r --arg b "$1" --arg k "$2" '.RECORDS[] | select(.BUDGET == $b) | .[$k]'; }
holds() { is "$1" nalloc_slot "$2"; }
waits_for_budget() { [ "$(bwhy -json "$1" | jq -r '.RECORDS[0].CODE')" = budget ]; }
used_some() { bplans -b -json | jq -e '[.RECORDS[] | select(.BUDGET == "/a") | .RATE | tonumber] | add == 0'; }

@test "a job's cost is told before it is submitted, and nothing is submitted" {
  run bsub -cost -plan /a -n 1 -gpu num=1 -W 1:30 sleep 1
  [ "$status" -eq 0 ]
  [[ $output == *"/a: up to 1.5 of 2 GPU hours that are free in "* ]]
  run bsub -cost -plan /a -app training -n 2 -gpu num=1 -W 1:00 sleep 1
  [[ $output == *"/a: up to 2 of 2 GPU hours"* ]]
  run bsub -cost sleep 1
  [[ $output == *"no budget"* ]]
  [ "$(bjobs -a -noheader 2>/dev/null | grep -c sleep)" -eq 0 ]
}

@test "one that is used up and refuses takes no job, and says so" {
  run bsub -plan /b sleep 1
  [ "$status" -eq 255 ]
  [[ $output == *"budget /b: 0 of 0 CPU hours are left in "*"Job not submitted"* ]]
}

@test "what could draw more than is left waits, and bwhy names the budget" {
  first=$(submit -plan /a -app training -gpu num=1 -W 1:00 sleep 1000)
  wait_for 20 in_state "$first" running
  second=$(submit -plan /a -app training -gpu num=1 -W 1:20 sleep 1000)
  wait_for 20 waits_for_budget "$second"
  run bwhy "$second"
  [[ $output == *"Budget: /a has 2 of 2 GPU hours left in "*"(1 reserved); this job may need 1.3 = 1 GPU x 1.3 h; it fits with -W "* ]]
  third=$(submit -plan /a -app training -gpu num=1 -W 0:30 sleep 1000)
  wait_for 20 in_state "$third" running
  run bplans -b /a
  [[ $output == *"/a "*"GPU h"* ]]
  bkill "$first"
  wait_for 20 in_state "$second" running
}

@test "a master that starts again knows what was used" {
  job=$(submit -plan /a -app training -gpu num=1 -W 0:30 sleep 2)
  wait_for 20 in_state "$job" finished
  wait_for 20 used_some
  before=$(budget /a USED),$(budget /a RESERVED)
  "$MINICLUSTER" kill wmasterd
  "$MINICLUSTER" start wmasterd
  [ "$(budget /a USED),$(budget /a RESERVED)" = "$before" ]
}

@test "an elastic job of a budget that is used up goes to its minimum, and on" {
  job=$(submit -plan /a -app training -ar -n 1,3 -gpu num=1 $PYTHON small_train.py 40000 10)
  wait_for 60 holds "$job" 3
  sed -i 's/^gpu_hours = .*/gpu_hours = 0/' "$WM_CONF_DIR/budgets.conf"
  badmin ckconfig
  badmin reconfig
  wait_for 30 holds "$job" 1
  in_state "$job" running
  run bsub -plan /a -app training -gpu num=1 sleep 1
  [ "$status" -eq 0 ]
  [[ $output == *"bsub: budget /a: "*" of 0 GPU hours are left in "*"the job waits until there is room"* ]]
}

@test "negative hours and budgets within themselves are refused with their line" {
  cp "$WM_CONF_DIR/budgets.conf" kept
  printf '[/a]\ngpu_hours = -1\n' >"$WM_CONF_DIR/budgets.conf"
  run badmin ckconfig
  [ "$status" -ne 0 ]
  [[ $output == *"budgets.conf:2: gpu_hours: "* ]]
  printf '[/a]\ngpu_hours = 1\nwithin = /b\n[/b]\ngpu_hours = 1\nwithin = /a\n' >"$WM_CONF_DIR/budgets.conf"
  run badmin reconfig
  [ "$status" -ne 0 ]
  [[ $output == *"goes in a circle: /a within /b within /a"* ]]
  cp kept "$WM_CONF_DIR/budgets.conf"
}
