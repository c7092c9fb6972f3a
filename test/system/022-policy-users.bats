#!/usr/bin/env bats
# Role: the site's policy where the cluster has several accounts (root only): wpolicyd runs it as wm-policy, which reads
# no store; without wpolicyd, or with another in its place, nothing is submitted.

load lib
setup_file() {
  [ -z "$(why_no_accounts)" ] || return 0
  open_place
  reachable_build "$PLACE/build"
  make_account a
  # The account has one name everywhere.
  if ! getent passwd wm-policy >/dev/null; then
    flock /etc useradd -r -M -d /nonexistent -s /usr/sbin/nologin wm-policy
    touch "$BATS_FILE_TMPDIR/made"
  fi
  printf '#!/bin/sh\ncat >/dev/null\necho "{\\"accept\\": true}"\n' >"$PLACE/policy" && chmod 755 "$PLACE/policy"
  "$MINICLUSTER" up --dir "$PLACE/c" --nodes 1 --multiuser
  eval "$("$MINICLUSTER" env --dir "$PLACE/c")"
  mkdir -p "$WM_CONF_DIR/wm.conf.d" && printf 'submit_policy = %s/policy\n' "$PLACE" >"$WM_CONF_DIR/wm.conf.d/policy.conf"
  "$B/bin/badmin" reconfig
}
teardown_file() {
  [ -n "${PLACE-}" ] || return 0
  "$MINICLUSTER" down --dir "$PLACE/c"
  remove_accounts
  [ ! -e "$BATS_FILE_TMPDIR/made" ] || flock /etc userdel -f wm-policy
  rm -rf "$PLACE"
}
setup() {
  [ -n "${PLACE-}" ] || skip "$(why_no_accounts)"
  CLUSTER=$PLACE/c
  cluster_env
  socket=$(badmin showconf | sed -n 's/.*RUN_DIR = //p')/policy/socket
  [ "$socket" != /policy/socket ] || socket=$(readlink -f "$CLUSTER/run")/policy/socket
}
after_each() { [ -z "${serving-}" ] || kill "$serving" || true; end_all_jobs; }

as_a() {
  setpriv --reuid "$ACCOUNT-a" --regid "$(id -g "$ACCOUNT-a")" --clear-groups -- \
    env HOME=/ USER="$ACCOUNT-a" LOGNAME="$ACCOUNT-a" "$@"
}
serve() { # starts wpolicyd; it is wm-policy itself from then on
  "$B/sbin/wpolicyd" --conf "$WM_CONF_DIR" >"$BATS_TEST_TMPDIR/said" 2>&1 3>&- &
  serving=$!
  wait_for 20 grep -q wpolicyd_up "$BATS_TEST_TMPDIR/said"
}
policy() { printf '#!/bin/sh\ncat >/dev/null\n%s\n' "$1" >"$PLACE/next" && chmod 755 "$PLACE/next" && mv "$PLACE/next" "$PLACE/policy"; }

@test "without wpolicyd nothing is submitted, and ckconfig says why" {
  run as_a bsub true
  [ "$status" -eq 255 ]
  [[ $output == *"submit_policy did not answer: wpolicyd is not there"* ]] || { echo "$output"; return 1; }
  run badmin ckconfig
  [[ $output == *"wpolicyd does not listen"* ]] || { echo "$output"; return 1; }
}

@test "the policy is wm-policy, with no other group, and cannot read the store" {
  serve
  [ "$(stat -c %U "/proc/$serving")" = wm-policy ]
  policy "cat '$CLUSTER'/state/master/core.db >/dev/null 2>&1 && words=read || words=\"\$(id -un) \$(id -G)\"; echo \"{\\\"refuse\\\": \\\"\$words\\\"}\""
  run as_a bsub true
  [[ $output == "submit_policy: wm-policy $(id -g wm-policy). Job not submitted." ]] || { echo "$output"; return 1; }
  policy 'echo "{\"accept\": true}"'
  run as_a bsub -o /dev/null true
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
}

@test "nobody but the master is answered, and nobody but wpolicyd is asked" {
  serve
  as_a "$PYTHON" -c "
import socket, struct
s = socket.socket(socket.AF_UNIX); s.connect('$socket')
try:
    for part in (b'/bin/true', b'1000', b''): s.sendall(struct.pack('<I', len(part)) + part)
    said = s.recv(100)
except (BrokenPipeError, ConnectionResetError):
    said = b''
assert said == b'', 'answered'"
  kill "$serving" && wait "$serving" || true
  serving=
  rm -f "$socket"
  "$PYTHON" -c "
import os, socket, time
s = socket.socket(socket.AF_UNIX); s.bind('$socket'); s.listen(); os.chmod('$socket', 0o666)
open('$BATS_TEST_TMPDIR/up', 'w').close()
time.sleep(60)" 3>&- &
  serving=$!
  wait_for 20 test -e "$BATS_TEST_TMPDIR/up"
  run as_a bsub true
  [ "$status" -eq 255 ]
  [[ $output == *"listens there, not wm-policy"* ]] || { echo "$output"; return 1; }
}
