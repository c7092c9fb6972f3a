#!/usr/bin/env bats
# Role: what monitoring gets with WM is sound: alert rules with their tests, and each question of the board.

load lib
setup() { command -v promtool >/dev/null || skip "no promtool"; cd "$BATS_TEST_TMPDIR" || return; }

@test "alert rules are sound and fire when they should" {
  promtool check rules "$TOP/etc/prometheus/wm.rules.yml"
  (cd "$TOP/etc/prometheus" && promtool test rules wm.test.yml)
}

@test "each question of the board can be asked" {
  jq -r '"groups:\n- name: board\n  rules:", (.panels[].targets[]?.expr | "  - record: x:y:z\n    expr: " + tojson)' \
    "$TOP/etc/grafana/wm.json" >board.yml
  [ "$(grep -c expr: board.yml)" -ge 12 ]
  promtool check rules --lint=none board.yml
}

@test "the master tells what the rules and the board ask for" {
  local told
  told=$(grep -ohE '"wm_[a-z_]+"' "$TOP"/daemons/wmasterd/acct/metrics.cc | tr -d '"' | sort -u)
  for name in $(grep -ohE 'wm_[a-z_]+' "$TOP"/etc/prometheus/wm.rules.yml "$TOP"/etc/grafana/wm.json | sort -u); do
    grep -qx "${name%_bucket}" <<<"$told" || { echo "$name"; return 1; }
  done
}
