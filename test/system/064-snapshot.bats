#!/usr/bin/env bats
# Role: a saved live state as a workload: bsim runs on from what runs and waits on a cluster.

load lib
setup_file() { cluster_up --nodes 2 --cpus 2; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

@test "what runs has what is left of its run limit, what waits starts when it ends" {
  runs=$(submit -n 4 -W 10 sleep 1000)
  wait_for 20 in_state "$runs" running
  waits=$(submit -n 2 -W 5 sleep 1000)
  badmin snapshot now.wm
  run bsim --format snapshot --workload now.wm --policy easy --json out.json
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *"2 jobs on 2 hosts"* ]]
  jq -e --arg name "$runs" '.jobs[] | select(.name == $name) | .start_s == 0' out.json
  jq -e --arg name "$waits" '.jobs[] | select(.name == $name) | .start_s > 300 and .start_s <= 600' out.json
}

@test "on more hosts it would start at once" {
  runs=$(submit -n 4 -W 10 sleep 1000)
  wait_for 20 in_state "$runs" running
  waits=$(submit -n 2 -W 5 sleep 1000)
  badmin snapshot now.wm
  bsim --format snapshot --workload now.wm --policy easy --hosts 3 --gpus-per-host 0 --cpus-per-host 2 --json out.json
  jq -e --arg name "$waits" '.jobs[] | select(.name == $name) | .start_s < 5' out.json
}

@test "what is no saved state, and a list without a cluster, are refused" {
  echo nothing >bad.wm
  run bsim --format snapshot --workload bad.wm --policy easy
  [ "$status" -eq 255 ]
  [[ $output == *"bad.wm: "*"a saved state"* ]]
  run bsim --format swf --workload bad.wm --policy easy
  [ "$status" -eq 255 ]
  [[ $output == *"--hosts and --gpus-per-host"* ]]
}
