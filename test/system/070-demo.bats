#!/usr/bin/env bats
# Role: the demo's own test: each sabotage does something really wrong, and the demo fails with
# that reason. Fewer steps than `make demo`; the good run is `make demo` itself.

load lib
setup() {
  programs_built || skip "daemons or commands are not built"
  export DEMO_DIR=$BATS_TEST_TMPDIR/out DEMO_STEPS_ANN=500 DEMO_STEPS_BOB=60 DEMO_RIGID_S=2
  unset WM_CLUSTER_DIR
}
sabotaged() { DEMO_SABOTAGE=$1 run "$TOP/scripts/demo"; [ "$status" -eq 1 ] || { echo "$output"; return 1; }; }
after_each() {
  local kept
  kept=$(sed -n 's/^logs kept in //p' <<<"${output-}")
  [[ $kept != */wm-demo.* ]] || rm -rf "$kept"
  [ -z "${stand_in-}" ] || rm -rf "$stand_in"
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
  DEMO_RESIZE_LIMIT_S=15 DEMO_STEPS_ANN=5000 sabotaged no-shrink  # long enough for a fast machine too
  [[ $output == *"FAILED: not within 15 s: ann trains on 2"* ]] || { echo "$output"; return 1; }
  jq -e '.problems | length > 0' "$DEMO_DIR/summary.json"
}

# A Python of its own in the folder stand_in, which other accounts reach; modules there go before its others.
make_stand_in() {
  stand_in=$(mktemp -d) && chmod 755 "$stand_in"
  printf '#!/bin/sh\nPYTHONPATH=%s:$PYTHONPATH exec %s "$@"\n' "$stand_in" "$PYTHON" >"$stand_in/python3"
  chmod 755 "$stand_in/python3"
}

@test "a module that is missing is named, not what the job used" {
  make_stand_in
  echo 'raise ModuleNotFoundError("No module named torch")' >"$stand_in/torch.py"
  PYTHON=$stand_in/python3 run "$TOP/scripts/demo"
  [ "$status" -eq 1 ]
  [[ $output == *"FAILED: job of ann failed"*"No module named torch"* && $output != *"Resource usage"* ]] || { echo "$output"; return 1; }
}

@test "an interpreter that cannot be started is named" {
  [ "$(id -u)" -eq 0 ] || skip "needs root: else the demo itself could not start it"
  make_stand_in
  PYTHON=$stand_in/none run "$TOP/scripts/demo"
  [ "$output" = "$stand_in/none cannot be started: No such file or directory; PYTHON=… names another" ]
  chmod 700 "$stand_in/python3"
  PYTHON=$stand_in/python3 run "$TOP/scripts/demo"
  [ "$status" -eq 1 ]
  [[ $output == *"FAILED: job of ann failed"*"$stand_in/python3"*"ermission denied"* ]] || { echo "$output"; return 1; }
}

@test "an unknown sabotage is a usage error" {
  DEMO_SABOTAGE=nonsense run "$TOP/scripts/demo"
  [ "$status" -eq 2 ]
  [[ $output == *nonsense*drop-sample* ]]
}
