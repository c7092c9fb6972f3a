#!/usr/bin/env bats
# Role: TensorFlow as people have it, in jobs over hosts that have a network of their own each, by TF_CONFIG alone. Root
# only, and long: TensorFlow's import takes seconds of every task.

load lib
setup_file() {
  [ "$(id -u)" -eq 0 ] || return 0
  command -v ip nsenter >/dev/null || return 0
  [ -n "${WM_SOAK-}" ] || return 0
  cluster_up --nodes 2 --cpus 4 --netns
}
teardown_file() { cluster_down; }
setup() {
  [ -n "${WM_SOAK-}" ] || skip "long: make soak"
  [ "$(id -u)" -eq 0 ] || skip "network namespaces need root"
  command -v ip nsenter >/dev/null || skip "no ip or nsenter: run scripts/bootstrap"
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
}

spec() { bsub -spec - | grep -o '<[0-9]*>' | head -1 | tr -d '<>'; }
# command FILE: runs it, with what it says in FILE.GROUP.RANK
command_of() { echo "python3 $BATS_TEST_DIRNAME/$1 >said.\$WM_GROUP.\$WM_GROUP_RANK 2>log.\$WM_GROUP.\$WM_GROUP_RANK.txt"; }
ended_well() { # JOBID
  ran_out "$1" 180
  [ "$(state "$1")" = finished ]
}

@test "ParameterServerStrategy: a chief, a parameter server and two workers" {
  needs_venv tensorflow
  job=$(spec <<J
{"name": "ps", "groups": [
  {"name": "boss", "role": "chief", "command": "$(command_of tensorflow_servers.py)"},
  {"name": "ps", "command": "$(command_of tensorflow_servers.py)"},
  {"name": "worker", "tasks": 2, "resreq": "span[ptile=1]", "command": "$(command_of tensorflow_servers.py)"}]}
J
)
  ended_well "$job"
  [ "$(cat said.boss.0)" = "total 40 of 2 workers, kept by /job:ps/replica:0/task:0/device:CPU:0" ]
}

@test "MultiWorkerMirroredStrategy: both workers have the sum" {
  needs_venv tensorflow
  job=$(spec <<J
{"name": "tf", "groups": [{"name": "worker", "tasks": 2, "resreq": "span[ptile=1]",
  "command": "$(command_of tensorflow_workers.py)"}]}
J
)
  ended_well "$job"
  [ "$(cat said.worker.*)" = "$(printf 'worker %d sum 11 of 2\n' 0 1)" ]
}

@test "model.fit of tf_keras under it: the workers end with one weight, the right one" {
  needs_venv tf_keras
  job=$(spec <<J
{"name": "fit", "groups": [{"name": "worker", "tasks": 2, "resreq": "span[ptile=1]",
  "command": "$(command_of keras_fit.py)"}]}
J
)
  ended_well "$job"
  [ "$(cat said.worker.* | sort -u | wc -l)" -eq 1 ]
  [[ $(cat said.worker.0) == "2 replicas, weight "* ]]
  [[ $(cat said.worker.0) =~ weight\ (2\.9|3\.0) ]]
}
