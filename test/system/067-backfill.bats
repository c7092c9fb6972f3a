#!/usr/bin/env bats
# Role: small jobs start before large ones that wait, and nobody who was given a date starts after
# it: EASY and conservative backfill by configuration, the dates in bjobs -l, how good they were in
# bacct.

load lib
setup_file() { cluster_up --nodes 1 --cpus 4; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

backfill() {
  sed -i '/^backfill = /d' "$WM_CONF_DIR/wm.conf"
  echo "backfill = $1" >>"$WM_CONF_DIR/wm.conf"
  badmin reconfig
}
running() { wait_for 20 in_state "$1" running; }
is_dated() { bjobs -l "$1" | grep -q 'Estimated start'; }
dated() { wait_for 20 is_dated "$1"; }
pending() { in_state "$1" pending; }
began() { events "$1" DISPATCH | jq -r .TIME | tail -1; }
before() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }
# the first date that the job was given, as it was kept: seconds late
late() { events "$1" PROMISE_ERROR | jq -r .TO | tail -1; }

# Three of the four slots are busy for at most two minutes; $wide waits for one of them, $next for all.
queue_up() {
  busy=$(submit -n 3 -W 2 sleep 100)
  running "$busy"
  wide=$(submit -n 3 -W 2 sleep 1)
  dated "$wide"
  next=$(submit -n 4 -W 1 sleep 1)
  dated "$next"
}

# Until then nobody knows whether what waits would have started.
settled() {
  local probe
  probe=$(submit -n 1 -W 1 true)
  ran_out "$probe"
}

@test "easy: what is gone in time starts, what would delay the first that waits does not" {
  busy=$(submit -n 3 -W 2 sleep 100)
  running "$busy"
  wide=$(submit -n 4 -W 2 sleep 1)
  dated "$wide"
  long=$(submit -n 1 -W 10 sleep 100)
  short=$(submit -n 1 -W 1 sleep 1)
  ran_out "$short"
  is "$short" wm_state finished
  pending "$wide"
  pending "$long"
  bkill "$busy"
  ran_out "$wide"
  running "$long"
  before "$(began "$short")" "$(began "$wide")"
  before "$(began "$wide")" "$(began "$long")"
  [ "$(late "$wide")" -le 0 ]
}

@test "easy holds places for the first that waits only, conservative for all" {
  queue_up
  long=$(submit -n 1 -W 10 sleep 100)
  running "$long"
  pending "$next"
  bkill "$long" "$busy"
  ran_out "$wide"
  ran_out "$next"
  backfill conservative
  queue_up
  long=$(submit -n 1 -W 10 sleep 100)
  settled
  pending "$long"
  pending "$next"
  bkill "$busy"
  ran_out "$wide"
  ran_out "$next"
  running "$long"
  before "$(began "$next")" "$(began "$long")"
  [ "$(late "$wide")" -le 0 ]
  [ "$(late "$next")" -le 0 ]
}

@test "without backfill jobs start in order" {
  backfill none
  busy=$(submit -n 3 -W 2 sleep 100)
  running "$busy"
  wide=$(submit -n 4 -W 2 sleep 1)
  short=$(submit -n 1 -W 1 sleep 1)
  bkill "$busy"
  ran_out "$short"
  before "$(began "$wide")" "$(began "$short")"
}

@test "bacct counts how far starts were from their dates" {
  run bacct
  [ "$status" -eq 0 ]
  [[ $output =~ START\ PROMISES:\ +([0-9]+) ]]
  [ "${BASH_REMATCH[1]}" -ge 3 ]
  [[ $output == *"early"* ]]
  # nobody who was given a date started much after it
  [[ $output =~ over\ 1\ hour\ late\ +0\ +0.0 ]]
  [[ $output =~ 1\ minute\ to\ 1\ hour\ late\ +0\ +0.0 ]]
}
