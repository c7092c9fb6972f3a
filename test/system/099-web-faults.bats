#!/usr/bin/env bats
# Role: the web door when something dies in the middle, and when clients misbehave: an error or a complete answer,
# never half a job; nobody else notices. What waits long is make soak's.

load lib
setup_file() { cluster_up --web --nodes 1 --cpus 4; }
teardown_file() { cluster_down; }
setup() {
  cluster_env
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  cd "$BATS_TEST_TMPDIR" || return
  export MINICLUSTER
  pid=$(pgrep -f "$B/sbin/wuserd.*$(dirname "$WM_GATEWAY_CA")" || true)
}
after_each() {
  for daemon in nginx wgatewayd; do "$MINICLUSTER" start $daemon 2>/dev/null || true; done
  end_all_jobs
}
fault() { run $PYTHON "$BATS_TEST_DIRNAME/web_faults.py" "$@"; echo "$output"; [ "$status" -eq 0 ]; }
soak() { [ -n "${WM_SOAK-}" ] || skip "$1: make soak"; }

@test "an upload in which wuserd or the master dies makes one execution, whole" {
  for daemon in wuserd wmasterd; do fault kill $daemon upload; done
}
@test "an upload in which nginx or the gateway dies makes one execution, whole" {
  soak "two more deaths"
  for daemon in nginx wgatewayd; do fault kill $daemon upload; done
}
@test "a log or a result that breaks off looks like it" {
  fault kill wuserd log
  fault kill nginx result
}
@test "all deaths in logs and results" {
  soak "every daemon"
  for daemon in nginx wgatewayd wuserd wmasterd; do
    for what in log result; do fault kill $daemon $what; done
  done
}
@test "JSON that is 10,000 deep, broken text: no request is a fault" {
  fault deep
  fault words
}
@test "no place and no word leads out of what it names" { fault traversal; }
@test "bodies without end are refused" { fault endless; }
@test "1,000 connections that say nothing keep nobody out" { fault idle 1000; }
@test "10,000 connections that say nothing keep nobody out" {
  soak "10,000 connections"
  [ "$(ulimit -Hn)" -ge 12000 ] || skip "12,000 open files are not allowed here"
  ulimit -n "$(ulimit -Hn)"
  fault idle 10000
}
@test "heads that come byte by byte are cut off" {
  soak "15 s"
  fault slow
}
