#!/usr/bin/env bats
# Role: the demo's own test: each sabotage does something really wrong, and the demo fails with
# that reason. Fewer steps than `make demo`; the good run is `make demo` itself.

load lib
setup() {
  programs_built || skip "daemons or commands are not built"
  export DEMO_DIR=$BATS_TEST_TMPDIR/out DEMO_STEPS_ANN=500 DEMO_STEPS_BOB=60 DEMO_RIGID_S=2 DEMO_RESIZE_LIMIT_S=15
  unset WM_CLUSTER_DIR
}
sabotaged() { DEMO_SABOTAGE=$1 run "$TOP/scripts/demo"; [ "$status" -eq 1 ] || { echo "$output"; return 1; }; }
after_each() {
  local kept
  kept=$(sed -n 's/^logs kept in //p' <<<"${output-}")
  [[ $kept != */wm-demo.* ]] || rm -rf "$kept"
}

@test "a dropped sample is found" {
  sabotaged drop-sample
  [[ $output == *"FAILED: ann: pass 0: 1 samples skipped"* ]] || { echo "$output"; return 1; }
}

@test "a skipped step is found" {
  sabotaged skip-step
  [[ $output == *"FAILED: ann: "*"optimizer steps are missing"* ]] || { echo "$output"; return 1; }
}

@test "a job that does not shrink is found" {
  DEMO_STEPS_ANN=5000 sabotaged no-shrink  # long enough for a fast machine too
  [[ $output == *"FAILED: not within 15 s: ann trains on 2"* ]] || { echo "$output"; return 1; }
  jq -e '.problems | length > 0' "$DEMO_DIR/summary.json"
}

@test "an unknown sabotage is a usage error" {
  DEMO_SABOTAGE=nonsense run "$TOP/scripts/demo"
  [ "$status" -eq 2 ]
  [[ $output == *nonsense*drop-sample* ]]
}
