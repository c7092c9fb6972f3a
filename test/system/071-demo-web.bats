#!/usr/bin/env bats
# Role: the web demo's own test: each sabotage does something really wrong, and the demo fails with that
# reason. The good run is `make demo-web` itself.

load lib
setup() {
  programs_built || skip "daemons or commands are not built"
  command -v chromium >/dev/null || skip "no chromium (scripts/bootstrap web)"
  [ -f "$B/pages/index.html" ] || skip "the pages are not built (scripts/bootstrap web)"
  $PYTHON -c 'import sklearn' 2>/dev/null || skip "no digits"
  export DEMO_DIR=$BATS_TEST_TMPDIR/out
  unset WM_CLUSTER_DIR
}
sabotaged() { DEMO_SABOTAGE=$1 run "$TOP/scripts/demo-web"; [ "$status" -eq 1 ] || { echo "$output"; return 1; }; }
after_each() {
  local kept
  kept=$(sed -n 's/^logs kept in //p' <<<"${output-}")
  [[ $kept != */wm-demo.* ]] || rm -rf "$kept"
}

@test "a wrong key is found: nobody is logged in" {
  DEMO_PAGE_LIMIT_S=15 sabotaged wrong-key
  [[ $output == *"FAILED: not within 15 s: the log-in succeeds"*"do not fit"* ]] || { echo "$output"; return 1; }
}

@test "a gateway that is dead is found" {
  DEMO_PAGE_LIMIT_S=15 sabotaged no-gateway
  [[ $output == *"FAILED: not within"*"the door or your part of it does not answer"* ]] || { echo "$output"; return 1; }
}

@test "code that does not run is found, with what it said" {
  sabotaged broken-script
  [[ $output == *"FAILED: job 1 failed"*"this code is broken"* ]] || { echo "$output"; return 1; }
}

@test "a trial of the search that is lost is found" {
  DEMO_SCENES=search sabotaged lost-trial
  [[ $output == *"FAILED: 30 of 30 trials, ["*"'KILLED'"* ]] || { echo "$output"; return 1; }
}

@test "a job that does not shrink is found" {
  [ -n "${WM_SOAK-}" ] || skip "long: make soak"
  DEMO_RESIZE_LIMIT_S=15 sabotaged no-shrink
  [[ $output == *"FAILED: not within 15 s: ann trains on 2"* ]] || { echo "$output"; return 1; }
}

@test "a notebook that is never idle is found" {
  [ -n "${WM_SOAK-}" ] || skip "long: make soak"
  command -v jupyter-notebook >/dev/null || skip "no jupyter-notebook (scripts/bootstrap)"
  DEMO_IDLE_LIMIT_S=40 sabotaged busy-notebook
  [[ $output == *"FAILED: not within 40 s: the notebook is warned"* ]] || { echo "$output"; return 1; }
}

@test "a kernel that does not start is found, with what it said" {
  [ -n "${WM_SOAK-}" ] || skip "long: make soak"
  DEMO_KERNEL_LIMIT_S=30 sabotaged broken-kernel
  [[ $output == *"FAILED: the first request got no answer"* || $output == *"this kernel is broken"* ]] || { echo "$output"; return 1; }
}

@test "slots that a service keeps are found" {
  [ -n "${WM_SOAK-}" ] || skip "long: make soak"
  DEMO_RESIZE_LIMIT_S=20 sabotaged no-release
  [[ $output == *"FAILED: not within 20 s: no load: after kernel_delay_release_time the training has its 4 GPUs again"* ]] || { echo "$output"; return 1; }
}

@test "a model that was not promoted cannot be deployed" {
  DEMO_PAGE_LIMIT_S=30 sabotaged unpromoted
  [[ $output == *"FAILED: not within 30 s: the model is in the space"* ]] || { echo "$output"; return 1; }
}
