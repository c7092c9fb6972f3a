#!/usr/bin/env bats
# Role: a host that is sick rather than dead: its munged is gone, or stands still. Its jobs run
# elsewhere, none of them ends for it, and it serves again once it is well.

load lib
setup_file() {
  cat >"$BATS_FILE_TMPDIR/wm.conf" <<CONF
[limits]
host_faults = 2
CONF
  cluster_up --nodes 2 --cpus 8 --conf "$BATS_FILE_TMPDIR/wm.conf"
}
teardown_file() {
  [ ! -e "$BATS_FILE_TMPDIR/munged.pid" ] || kill -KILL "$(cat "$BATS_FILE_TMPDIR/munged.pid")" 2>/dev/null || true
  cluster_down
}
setup() {
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
}

# node2 with a munged of its own, which has the cluster's key.
own_munged() {
  shared=$(dirname "$(sed -n 's/^munge_socket = //p' "$CLUSTER/conf/wm.conf")")
  own=$shared/../own
  mkdir -p "$own"
  cp "$shared/../key/munge.key" "$own/munge.key"
  /usr/sbin/munged --force --key-file "$own/munge.key" --socket "$own/socket" --pid-file "$own/pid" \
    --log-file "$own/log" --seed-file "$own/seed" 3>&-
  wait_for 10 test -S "$own/socket"
  cp "$own/pid" "$BATS_FILE_TMPDIR/munged.pid"
}
node2_with_it() {
  "$MINICLUSTER" kill wnoded node2
  cp -r "$CLUSTER/conf" "$BATS_FILE_TMPDIR/conf"
  sed -i "s|^munge_socket = .*|munge_socket = $own/socket|" "$BATS_FILE_TMPDIR/conf/wm.conf"
  WM_NODE=node2 setsid "$B/sbin/wnoded" --conf "$BATS_FILE_TMPDIR/conf" --name node2 --foreground \
    >"$BATS_FILE_TMPDIR/node2.log" 2>&1 3>&- &
  echo $! >"$BATS_FILE_TMPDIR/node2.pid"
}
ran_on_node2() {
  local job
  job=$(submit -m node2 true)
  ran_out "$job" && [ "$(state "$job")" = finished ]
}
states_of() { bjobs -a -noheader -o 'stat' "$1" | sort | uniq -c | sed 's/^ *//'; }

@test "a host without munged: two hundred jobs are done, elsewhere; none ends for it" {
  own_munged
  node2_with_it
  wait_for 20 ran_on_node2
  kill -TERM "$(cat "$own/pid")"
  wait_for 10 test ! -S "$own/socket"
  job=$(submit -J 'x[1-200]' true)
  bwait -w "ended($job)" -t 3
  [ "$(states_of "$job")" = '200 DONE' ] || { states_of "$job"; bhosts; tail -5 "$BATS_FILE_TMPDIR/node2.log"; return 1; }
  [[ $(bhist -a -l "$job" | tr -d ' \n') == *[Mm]unge* ]] # it was tried there
}

@test "a job that must run there waits, with the reason, and runs once munged is back" {
  own=$(dirname "$(sed -n 's/^munge_socket = //p' "$BATS_FILE_TMPDIR/conf/wm.conf")")
  job=$(submit -m node2 true)
  told() { bhist -l "$job" | tr -d ' \n' | grep -qi munge; }
  wait_for 20 told || { bhist -l "$job"; bjobs -l "$job"; return 1; }
  [ "$(bjobs -noheader -o stat "$job")" != EXIT ]
  /usr/sbin/munged --force --key-file "$own/munge.key" --socket "$own/socket" --pid-file "$own/pid" \
    --log-file "$own/log" --seed-file "$own/seed" 3>&-
  cp "$own/pid" "$BATS_FILE_TMPDIR/munged.pid"
  bresume "$job" 2>/dev/null || true
  ran_out "$job" 90
  [ "$(state "$job")" = finished ]
}

@test "a munged that stands still keeps jobs from its host, and no others" {
  own=$(dirname "$(sed -n 's/^munge_socket = //p' "$BATS_FILE_TMPDIR/conf/wm.conf")")
  kill -STOP "$(cat "$own/pid")"
  job=$(submit -J 'x[1-50]' true)
  bwait -w "ended($job)" -t 3 || { bjobs -a "$job"; return 1; }
  kill -CONT "$(cat "$own/pid")"
  [ "$(states_of "$job")" = '50 DONE' ] || { states_of "$job"; return 1; }
}
