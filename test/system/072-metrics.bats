#!/usr/bin/env bats
# Role: what monitoring gets with WM is sound: alert rules with their tests, and each question of the board.

load lib
setup() { command -v promtool >/dev/null || skip "no promtool"; cd "$BATS_TEST_TMPDIR" || return; }
after_each() { cluster_down; }

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

@test "the master and each host answer, in a form that promtool takes" {
  programs_built || skip "daemons or commands are not built"
  printf '[cluster]\nmetrics_address = 127.0.0.1:0\nnode_metrics_address = :0\n' >wm.conf
  BATS_FILE_TMPDIR=$BATS_TEST_TMPDIR cluster_up --nodes 2 --conf "$PWD/wm.conf"
  eval "$("$MINICLUSTER" env --dir "$CLUSTER")"
  id=$(submit sleep 1000)
  wait_for 20 in_state "$id" running
  local at answers=0
  for at in $(grep -rhoE 'metrics at="?[0-9.]+:[0-9]+' "$CLUSTER/log" | grep -oE '[0-9.]+:[0-9]+$'); do
    curl -sf "http://$at/metrics" >text
    promtool check metrics <text
    curl -sf -H 'Accept: application/openmetrics-text' "http://$at/metrics" | tail -1 | grep -qx '# EOF'
    cat text >>all
    answers=$((answers + 1))
  done
  [ "$answers" -eq 3 ]
  grep -q '^wm_jobs{state="running"} 1$' all
  grep -q '^wm_requests_total{verb="submit"} 1$' all
  [ "$(grep -c '^wm_node_tasks 1$' all)" -eq 1 ]
}
