#!/usr/bin/env bats
# Role: what the daemons do is what bsim says they do: one list of jobs, run by both.

load lib
setup_file() { cluster_up --nodes 4 --cpus 4 --conf "$BATS_TEST_DIRNAME/sleepers-apps.conf"; }
teardown_file() { cluster_down; }
setup() { cluster_env; }

apart() { jq -e --arg key "$1" --argjson most "$2" '.[$key].apart_percent | . <= $most and . >= -$most' list.json; }

@test "a list of rigid and elastic jobs takes the daemons as long as the simulator says, within 5 %" {
  cd "$BATS_TEST_TMPDIR" || return
  $PYTHON "$BATS_TEST_DIRNAME/same_list.py" "$BATS_TEST_DIRNAME/sleep_list.swf" 2 4 4 >list.json
  jq -c '.makespan_s, .avg_jct_s, .jobs[]' list.json
  # somebody waited and somebody was resized, or there was nothing to foretell
  jq -e '[.jobs[].real.wait_s | select(. > 1)] | length >= 2' list.json
  jq -e '[.jobs[].real.resizes] | add >= 20' list.json
  apart makespan_s 5
  apart avg_jct_s 5
}
