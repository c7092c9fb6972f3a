#!/usr/bin/env bats
# Role: fence_command on a real cluster: a host that died is switched off by the site's command,
# its rerunnable job starts elsewhere, and who said so is told.

load lib
setup_file() {
  cat >"$BATS_FILE_TMPDIR/fence" <<END
#!/bin/sh
[ -e "$BATS_FILE_TMPDIR/works" ] || { echo "no answer from the power supply"; exit 1; }
echo "\$1" >>"$BATS_FILE_TMPDIR/fenced"
echo "switched off"
END
  chmod +x "$BATS_FILE_TMPDIR/fence"
  cat >"$BATS_FILE_TMPDIR/wm.conf" <<END
[cluster]
fence_command = $BATS_FILE_TMPDIR/fence
fence_retry = 2s
fence_after = 1s
END
  cluster_up --nodes 2 --cpus 2 --conf "$BATS_FILE_TMPDIR/wm.conf"
}
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

@test "a job of a dead host starts elsewhere once the fence command says that it is off" {
  job=$(submit -r 'echo run >>runs; while [ ! -e go ]; do sleep 0.1; done')
  wait_for 20 in_state "$job" running
  node=$(field "$job" exec_host | sed 's/.*\*//; s/:.*//')
  "$MINICLUSTER" kill "$node"
  wait_for 60 grep -rq host_fence_failed "$CLUSTER"/log
  [ "$(state "$job")" = unknown ]
  touch "$BATS_FILE_TMPDIR/works"
  wait_for 60 in_state "$job" running
  grep -qx "$node" "$BATS_FILE_TMPDIR/fenced"
  is "$job" attempt 2
  touch go
  ran_out "$job"
  [ "$(state "$job")" = finished ]
  "$MINICLUSTER" start "$node"
  wait_for 20 bash -c "bhosts -json | jq -e '[.RECORDS[].STATUS] | all(. == \"ok\")'"
}

@test "a master that stood still for a minute fences nobody and loses nothing" {
  [ -n "${WM_SOAK-}" ] || skip "long: make soak"
  before=$(cat "$BATS_FILE_TMPDIR/fenced" 2>/dev/null | wc -l)
  job=$(submit -r 'echo run >>stood; while [ ! -e on ]; do sleep 0.1; done')
  wait_for 20 in_state "$job" running
  "$MINICLUSTER" kill wmasterd -STOP
  sleep 60
  "$MINICLUSTER" kill wmasterd -CONT
  wait_for 20 in_state "$job" running
  sleep 5
  [ "$(state "$job")" = running ]
  touch on
  ran_out "$job"
  [ "$(state "$job")" = finished ]
  [ "$(wc -l <stood)" = 1 ]
  [ "$(cat "$BATS_FILE_TMPDIR/fenced" 2>/dev/null | wc -l)" = "$before" ]
  grep -rq loop_was_away "$CLUSTER"/log
}
