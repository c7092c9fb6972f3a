#!/usr/bin/env bats
# Role: TensorFlow and JAX as people have them, in jobs over two hosts that share one machine's addresses. Their scripts
# have no word of WM's: they find the other tasks by what each is told.

load lib
setup_file() { cluster_up --nodes 2 --cpus 4; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }
last_words() { [ -z "${job-}" ] || words_of "$(result_dir "$job")"/log/*/std*; }

spec() { bsub -spec - | grep -o '<[0-9]*>' | head -1 | tr -d '<>'; }
# What JAX gathered in all tasks of a job.
gathered() { cat "$(result_dir "$1")"/log/*/stdout | grep gathered; }

@test "JAX gathers over two hosts, whether its script is told where or finds it: two jobs at once" {
  needs_venv jax
  found=$(submit -app training -n 2 -R 'span[ptile=1]' -m 'node1 node2' python3 "$BATS_TEST_DIRNAME/jax_gather.py")
  told=$(submit -app training -n 2 -R 'span[ptile=1]' -m 'node2 node1' python3 "$BATS_TEST_DIRNAME/jax_gather.py" told)
  for job in $found $told; do
    ran_out "$job" 60
    [ "$(state "$job")" = finished ]
    [ "$(gathered "$job")" = "$(printf 'gathered 1 10 of 2\n%.0s' 1 2)" ] || { gathered "$job"; return 1; }
  done
}

@test "TensorFlow's workers on two hosts of one machine sum up: each listens on all addresses" {
  needs_venv tensorflow
  job=$(spec <<J
{"name": "tf", "groups": [{"name": "worker", "tasks": 2, "resreq": "span[ptile=1]",
  "command": "python3 $BATS_TEST_DIRNAME/tensorflow_workers.py >said.\$WM_GROUP_RANK 2>log.\$WM_GROUP_RANK.txt"}]}
J
)
  ran_out "$job" 90
  [ "$(state "$job")" = finished ]
  [ "$(cat said.0 said.1)" = "$(printf 'worker %d sum 11 of 2\n' 0 1)" ]
}
