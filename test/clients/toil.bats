#!/usr/bin/env bats
# Role: Debian's toil, unmodified, with its own support of LSF.

load lib
setup_file() { cluster_up --nodes 2 --cpus 2 --mem 4G; }
teardown_file() { cluster_down; }
setup() { client toil; cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

workflow() {
  HOME=$BATS_TEST_TMPDIR timeout 400 "$PYTHON" "$BATS_TEST_DIRNAME/toil_workflow.py" --batchSystem lsf --disableCaching \
    --workDir "$BATS_TEST_TMPDIR" --statePollingWait 1 --retryCount "$1" "file:$BATS_TEST_TMPDIR/store"
}

@test "a workflow of five jobs is driven to its end" {
  run workflow 0
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *"sum 14"* ]]
  [ "$(bjobs -a -noheader -o job_name | grep -c toil_job_)" -ge 3 ]
}

@test "a job that fails is tried again" {
  export BREAK_ONCE=$BATS_TEST_TMPDIR/broken
  run workflow 2
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *"sum 14"* ]]
  [ -e "$BREAK_ONCE" ]
}
