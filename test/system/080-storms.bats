#!/usr/bin/env bats
# Role: storms, one kind of fault again and again while jobs come and go: nothing is lost, doubled, told wrong or cut. Each prints
# its row of test/RESULTS.md. Long: make soak, STORM_SECONDS (60) each.

load lib
setup() { [ -n "${WM_SOAK-}" ] || skip "long: make soak"; }
teardown() { :; } # a storm has its own cluster

storm() {
  run "$PYTHON" "$TOP/test/support/storm.py" "$1" "${STORM_SECONDS:-60}" "$BATS_TEST_TMPDIR"
  echo "$output"
  [ "$status" -eq 0 ]
  echo "# $output" >&3
}
rooted() { [ "$(id -u)" -eq 0 ] || skip "needs root to mount a small file system"; }

@test "kill -9 of the master" { storm 'kill -9 master'; }
@test "kill -9 of host daemons" { storm 'kill -9 wnoded'; }
@test "kill -9 of whole hosts" { storm 'kill -9 host'; }
@test "kill -9 of shepherds" { storm 'kill -9 shepherd'; }
@test "a master that stands still" { storm 'SIGSTOP master'; }
@test "host daemons that stand still" { storm 'SIGSTOP wnoded'; }
@test "shepherds that stand still" { storm 'SIGSTOP shepherd'; }
@test "a full disk of the master" { rooted; storm 'full disk of master'; }
@test "a full disk of a host" { rooted; storm 'full disk of host'; }
@test "a clock a day ahead for seconds" {
  compgen -G '/usr/lib/*/faketime/libfaketimeMT.so.1' >/dev/null || skip "no libfaketime: apt install faketime"
  storm 'clock a day ahead'
}
@test "a store restored from an older copy" { storm 'restored store'; }
