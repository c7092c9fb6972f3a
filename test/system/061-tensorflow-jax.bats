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

# Every sample of every pass in one applied step.
all_used() { # JOB PASSES
  python3 - "$TOP/test/support" "$(result_dir "$1")" "$2" <<'P'
import os, sys
sys.path.insert(0, sys.argv[1])
import fake_lead
wrong = fake_lead.check_ledger(sys.argv[2], os.listdir(os.path.join(sys.argv[2], 'log')), 64, int(sys.argv[3]))
sys.exit('\n'.join(wrong) or 0)
P
}

@test "a model of Keras in an elastic job: its workers come and go" {
  needs_venv tensorflow
  job=$(submit -app training -ar -n 1,2 -o said python3 "$BATS_TEST_DIRNAME/keras_elastic.py" 200 25)
  wait_for 90 at_world "$job" 2
  bresize release 1 "$job"
  wait_for 30 at_world "$job" 1
  bresize request 1 "$job"
  wait_for 90 at_world "$job" 2
  touch hurry
  ran_out "$job" 90
  [ "$(state "$job")" = finished ] || { cat said "$(result_dir "$job")"/log/*/std*; return 1; }
  is "$job" attempt 1
  all_used "$job" 200
  grep -q 'train returned' said
  [ -e "$(result_dir "$job")/model/model.keras" ]
}

@test "tasks of a job of fixed size train a model of Keras together" {
  needs_venv tensorflow
  job=$(submit -app training -n 2 -R 'span[ptile=1]' python3 "$BATS_TEST_DIRNAME/keras_elastic.py" 20)
  ran_out "$job" 120
  [ "$(state "$job")" = finished ] || { cat "$(result_dir "$job")"/log/*/std*; return 1; }
  at_world "$job" 2
  all_used "$job" 20
  [ "$(cat "$(result_dir "$job")"/log/*/stdout | grep -c 'train returned, world 2 torch False')" -eq 1 ]
}
