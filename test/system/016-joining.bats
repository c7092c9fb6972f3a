#!/usr/bin/env bats
# Role: a host that is not in hosts.conf and wants to join is shown to who can mend it, and joins
# once it is listed; and munged, which a site watches, sees nothing that looks like an attack.

load lib
setup_file() { cluster_up --nodes 1 --cpus 2; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }
after_each() { [ -z "${joining-}" ] || kill -9 "$joining" 2>/dev/null || true; }

named() { [[ $(bhosts 2>&1) == *"Host <newhost>"*"asks to join"*"[newhost]"*"badmin reconfig"* ]]; }
has_joined() { [[ $(bhosts -noheader newhost 2>&1) == *ok* ]]; }

@test "a host that is not listed is named with the remedy, and joins when it is" {
  programs_built || skip "daemons are not built"
  WM_NODE=newhost "$B/sbin/wnoded" --conf "$WM_CONF_DIR" --name newhost --foreground 2>"$BATS_TEST_TMPDIR/log" 3>&- &
  joining=$!
  wait_for 20 named
  [ "$(bhosts -noheader 2>/dev/null | wc -l)" -eq 1 ]
  run badmin ckconfig
  [ "$status" -eq 0 ]
  [[ $output == *"Warning: hosts.conf: host 'newhost' asks to join"* ]]
  run badmin reconfig
  [[ $output == *"Host <newhost> asks to join and is not in hosts.conf"* ]]
  printf '[newhost]\n' >>"$WM_CONF_DIR/hosts.conf"
  badmin reconfig
  wait_for 20 has_joined
  [[ $(bhosts 2>&1) != *"asks to join"* ]]
  [ "$(grep -c session_given_up "$BATS_TEST_TMPDIR/log")" -eq 1 ]
}

@test "a queue that is left out while it has jobs is told before it is too late" {
  job=$(submit -q urgent sleep 100)
  wait_for 20 in_state "$job" running
  cp -r "$WM_CONF_DIR" conf
  sed -i '/\[urgent\]/,/^$/d' conf/queues.conf
  WM_CONF_DIR=$PWD/conf run badmin ckconfig
  [ "$status" -eq 0 ]
  [[ $output == *"Warning: queues.conf: queue 'urgent' is left out and has 1"* ]]
  sed -i 's/^master_user = .*/master_user = no-such-account/' conf/wm.conf
  WM_CONF_DIR=$PWD/conf run badmin ckconfig
  [ "$status" -eq 255 ]
  [[ $output == *"Error: wm.conf: master_user: no account 'no-such-account'"* ]]
  bkill "$job"
}

@test "commands one after another are no replays to munged" {
  for _ in {1..5}; do bhosts >/dev/null; bjobs -a >/dev/null; done
  log=$CLUSTER/log/munged.out
  [ -s "$log" ]
  # A job's own signature is checked again where it starts: here by the same munged.
  run grep -c Replayed "$log"
  [ "$output" -le 1 ]
}
