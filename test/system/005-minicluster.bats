#!/usr/bin/env bats
# Role: the private cluster itself, with shell scripts in the daemons' place: every verb,
# several clusters side by side, and nothing left behind.

setup() {
  TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  export B=$BATS_TEST_TMPDIR/build DIR=$BATS_TEST_TMPDIR/c
  unset WM_CLUSTER_DIR
  mkdir -p "$B/bin" "$B/sbin"
  # A pretended daemon writes down how it was started and stays.
  cat >"$B/sbin/wmasterd" <<'SH'
#!/bin/bash
echo "$0 $*" >"$WM_CLUSTER_DIR/log/${WM_NODE:-wmasterd}.started"
[ -z "$NOTIFY_SOCKET" ] || python3 -c 'import os, socket
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"READY=1", os.environ["NOTIFY_SOCKET"])'
[ -z "$WM_NODE" ] || { LSB_JOBID=7 WM_TASK=0 setsid sleep 1000 & (exec -a "wshepherd 7-0.1 $WM_NODE" sleep 1000) & }
exec sleep 1000
SH
  cp "$B/sbin/wmasterd" "$B/sbin/wnoded"
  cat >"$B/bin/bhosts" <<'SH'
#!/bin/bash
jq -n '{RECORDS: [range(1; 4) | {HOST_NAME: "node\(.)", STATUS: "ok"}]}'
SH
  chmod +x "$B"/*/*
}

teardown() {
  "$TOP/scripts/minicluster" down --dir "$DIR"
  "$TOP/scripts/minicluster" down --dir "$DIR.2"
}

mini() { run "$TOP/scripts/minicluster" "$@"; }
up() { mini up --dir "$DIR" --nodes 2 "$@"; [ "$status" -eq 0 ] || { echo "$output"; return 1; }; }
# a process nobody has waited for yet (state Z) is dead too
lives() { [[ $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) == [!Z]* ]]; }
pid_of() { cut -d' ' -f1 "$DIR/run/$1.pid"; }
wait_for() { for _ in {1..200}; do "$@" && return 0; command sleep 0.05; done; echo "never: $*"; return 1; }
# pids below this test's clusters
left() { grep -alz "^WM_CLUSTER_DIR=$BATS_TEST_TMPDIR" /proc/[0-9]*/environ 2>/dev/null | wc -l; }

@test "up starts the daemons with their flags and writes the configuration" {
  up --cpus 3 --gpus 1 --mem 2G
  wait_for test -s "$DIR/log/node2.started"
  [[ $(<"$DIR/log/wmasterd.started") == *"wmasterd --conf $DIR/conf --foreground" ]]
  [[ $(<"$DIR/log/node2.started") =~ "--name node2 --foreground" ]]
  grep -q 'gpus = 1' "$DIR/conf/hosts.conf"
  grep -q 'mem = 2G' "$DIR/conf/hosts.conf"
  for file in wm queues hosts users plans apps; do [ -e "$DIR/conf/$file.conf" ]; done
}

@test "an overlay replaces a key, keeps the others, and a wrong name is refused" {
  printf '[normal]\npriority = 7\n[night]\npriority = 3\n' >"$BATS_TEST_TMPDIR/my-queues.conf"
  up --conf "$BATS_TEST_TMPDIR/my-queues.conf"
  run cat "$DIR/conf/queues.conf"
  [[ $output == *"priority = 7"*"description"*"[urgent]"*"[night]"* ]]
  touch "$BATS_TEST_TMPDIR/nothing.conf"
  mini up --dir "$DIR.2" --conf "$BATS_TEST_TMPDIR/nothing.conf"
  [ "$status" -eq 1 ]
  [[ $output == *"nothing.conf"*"must end in"* ]]
}

@test "each cluster has a name of its own, so that none ends the processes of another" {
  up
  mini up --dir "$DIR.2" --nodes 1
  [ "$status" -eq 0 ]
  one=$(grep cluster_name "$DIR/conf/wm.conf") two=$(grep cluster_name "$DIR.2/conf/wm.conf")
  [ -n "$one" ] && [ "$one" != "$two" ]
}

@test "sockets stay short however deep the folder is" {
  DIR=$BATS_TEST_TMPDIR/$(printf 'deep/%.0s' {1..40})c
  up
  run sed -n 's/^munge_socket = //p' "$DIR/conf/wm.conf"
  [ -S "$output" ]
  [ ${#output} -lt 60 ]
}

@test "one account chooses an address after another" {
  [ "$(id -u)" -eq 0 ] || skip "needs root to be two accounts"
  take="import sys; sys.path.insert(0, '$TOP/scripts/common'); from cluster import address; import os
block = address.take(os.getpid()); address.give_back(block)"
  python3 -B -c "$take"
  runuser -u nobody -- test -r "$TOP/scripts/common/cluster/address.py" || skip "the sources are root's alone"
  runuser -u nobody -- python3 -c '' 2>/dev/null || skip "other accounts cannot start this Python"
  runuser -u nobody -- python3 -B -c "$take"
}

@test "two clusters side by side have different addresses" {
  up
  mini up --dir "$DIR.2"
  [ "$status" -eq 0 ]
  [ "$(jq -r .block "$DIR/cluster.json")" != "$(jq -r .block "$DIR.2/cluster.json")" ]
}

@test "env sets up a shell in which host names resolve" {
  up
  eval "$("$TOP/scripts/minicluster" env --dir "$DIR")"
  [ "$WM_CONF_DIR" = "$DIR/conf" ]
  [ "$(command -v bhosts)" = "$B/bin/bhosts" ]
  run getent ahostsv4 node2
  [[ $output == "$(jq -r .block "$DIR/cluster.json").2"* ]]
}

@test "munge works inside, with the cluster's own key" {
  up
  socket=$(sed -n 's/^munge_socket = //p' "$DIR/conf/wm.conf")
  run bash -c "munge -n --socket $socket | unmunge --socket $socket"
  [ "$status" -eq 0 ]
  [[ $output == *"Success"* ]]
}

@test "kill wmasterd, start wmasterd" {
  up
  old=$(pid_of wmasterd)
  mini kill --dir "$DIR" wmasterd
  [ "$status" -eq 0 ]
  ! lives "$old"
  mini kill --dir "$DIR" wmasterd
  [ "$status" -eq 1 ]
  mini start --dir "$DIR" wmasterd
  [ "$status" -eq 0 ]
  [ "$(pid_of wmasterd)" != "$old" ]
  lives "$(pid_of wmasterd)"
}

@test "start of a daemon that dies says why and fails" {
  up
  mini kill --dir "$DIR" wmasterd
  printf '#!/bin/sh\necho "wm.conf:3: unknown key" >&2; sleep 0.1; exit 1\n' >"$B/sbin/wmasterd"
  mini start --dir "$DIR" wmasterd
  [ "$status" -eq 1 ]
  [[ $output == *"wmasterd died"*"wm.conf:3: unknown key"* ]]
}

@test "kill nodeK takes the whole host and leaves the other" {
  up
  wait_for test -s "$DIR/log/node1.started" && wait_for test -s "$DIR/log/node2.started"
  mini kill --dir "$DIR" node1
  [ "$status" -eq 0 ]
  [ "$(grep -alz '^WM_NODE=node1' $(grep -alz "^WM_CLUSTER_DIR=$DIR" /proc/[0-9]*/environ 2>/dev/null) 2>/dev/null | wc -l)" -eq 0 ]
  lives "$(pid_of node2)"
}

@test "kill task and kill shepherd find the process by job and host" {
  up
  wait_for test -s "$DIR/log/node1.started"
  wait_for grep -qalz '^LSB_JOBID=7' /proc/[0-9]*/environ 2>/dev/null
  mini kill --dir "$DIR" task 7.0 -STOP
  [ "$status" -eq 0 ]
  mini kill --dir "$DIR" shepherd 7@node1 -CONT
  [ "$status" -eq 0 ]
  mini kill --dir "$DIR" task 8.0
  [ "$status" -eq 1 ]
  [[ $output == *"no task 8.0"* ]]
}

@test "down leaves nothing running and no address taken" {
  up
  wait_for test -s "$DIR/log/node2.started"
  block=$(jq -r .block "$DIR/cluster.json") short=$(jq -r .short "$DIR/cluster.json")
  mini down --dir "$DIR"
  [ "$status" -eq 0 ]
  [ "$(left)" -eq 0 ]
  [ ! -e "$short" ]
  [ ! -e "/tmp/.wm-clusters/$block" ]
}

@test "run passes the command's exit code on and leaves nothing" {
  mini run --dir "$DIR" --nodes 1 -- sh -c 'test -f $WM_CONF_DIR/wm.conf && exit 9'
  [ "$status" -eq 9 ]
  [ "$(left)" -eq 0 ]
}

@test "a daemon that dies at start is named with its last words, and nothing is left" {
  printf '#!/bin/sh\necho "no such option: --name" >&2; exit 1\n' >"$B/sbin/wnoded"
  printf '#!/bin/sh\nexit 1\n' >"$B/bin/bhosts"
  mini up --dir "$DIR" --nodes 1
  [ "$status" -eq 1 ]
  [[ $output == *"node1 died"*"no such option: --name"* ]]
  [ "$(left)" -eq 0 ]
}

@test "wrong usage is said with its own exit code" {
  mini fly
  [ "$status" -eq 2 ]
  mini run --nodes 1
  [ "$status" -eq 2 ]
  mini up --nodes 0 --dir "$DIR"
  [ "$status" -eq 1 ]
  mini kill --dir "$DIR" wmasterd
  [ "$status" -eq 1 ]
  [[ $output == *"no cluster is up"* ]]
}
