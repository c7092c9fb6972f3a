#!/usr/bin/env bats
# Role: elastic MPI programs that are resized by a restart: mpi_train (test/examples/mpi) shrinks and grows over hosts without a
# lost or a repeated step, and its weights are those of one process (which its rank 0 checks: status 0 only then). Whatever
# launcher it is, ranks have all the time that they need to save their work (mpi_saves).

load lib
setup_file() {
  printf '[mpi]\nresize = restart\n' >"$BATS_FILE_TMPDIR/apps.conf"
  if command -v mpicc mpirun >/dev/null; then
    mpicc -o "$BATS_FILE_TMPDIR/saves" "$BATS_TEST_DIRNAME/mpi_saves.c" || return
  fi
  if command -v mpicc.mpich mpiexec.hydra >/dev/null; then
    mpicc.mpich -o "$BATS_FILE_TMPDIR/saves.mpich" "$BATS_TEST_DIRNAME/mpi_saves.c" || return
  fi
  mpi_cluster_up --nodes 3 --cpus 1 --conf "$BATS_FILE_TMPDIR/apps.conf"
  cluster_env
  echo 'restart_quiet = 1s' >>"$WM_CONF_DIR/wm.conf"
  badmin reconfig
  DATA_DIR='' $PYTHON "$TOP/scripts/demo.d/digits.py" "$BATS_FILE_TMPDIR/digits"
}
teardown_file() { cluster_down; }
setup() {
  need_mpi
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  export TMPDIR=$PWD # an mpirun that is killed leaves its session's folder
}
need_train() {
  [ -x "$B/test/examples/mpi_train" ] || skip "mpi_train is not built: configure found no mpicxx"
  export RESULT_DIR=$PWD LOG_DIR=$PWD/log
  mkdir -p log
  cat >program <<END
#!/bin/sh
exec mpirun -x RESULT_DIR -x LOG_DIR $B/test/examples/mpi_train --data $BATS_FILE_TMPDIR/digits --passes 60 --step-ms 25 "\$@"
END
  chmod +x program
}

world_is() { tail -qn 1 log/rank.0/steps.csv | awk -F, -v world="$1" '{ now = $3 } END { exit now != world }'; }
steps() { tail -n 1 log/rank.0/weights.csv | cut -d, -f1; }
past() { [ "$(steps)" -ge "$1" ]; }
# Every step was applied once, in order, at rank 0; on all ranks the weights after it are the same.
all_steps_once() {
  [ "$(cut -d, -f1 log/rank.0/weights.csv | tr '\n' ' ')" = "$(seq 1 "$1" | tr '\n' ' ')" ]
  [ "$(cat log/rank.*/weights.csv | sort -u | wc -l)" -eq "$1" ]
}
finished() { # finished STEPS
  touch hurry
  ran_out "$job" 90
  [ "$(state "$job")" = finished ]
  grep -q "^$1 steps, accuracy 0.* differs from one process by" out.txt
}

shrink_to_one() {
  need_train
  job=$(submit -app mpi -ar -n 1,3 -o out.txt ./program --checkpoints 0)
  wait_for 60 world_is 3
  wait_for 30 past $(($(steps) + 5))
  bresize release 2 "$job"
  wait_for 60 world_is 1
}

@test "it shrinks at its command without losing a step" {
  shrink_to_one
  finished 1800
  all_steps_once 1800
  is "$job" attempt 1
  [ "$(grep -c '^resumed from checkpoint' out.txt)" -eq 1 ]
}

@test "it grows again when it may, and ends by itself" {
  shrink_to_one
  wait_for 30 past $(($(steps) + 5))
  bresize request 3 "$job"
  wait_for 60 world_is 3
  finished 1800
  all_steps_once 1800
  is "$job" attempt 1
  [ "$(grep -c '^resumed from checkpoint' out.txt)" -eq 2 ]
  [ "$(bhosts -noheader | awk '{ used += $5 } END { print used }')" -eq 0 ]
}

rank_pid() { # rank_pid RANK
  local env
  for env in /proc/[0-9]*/environ; do
    tr '\0' '\n' <"$env" 2>/dev/null | grep -qx "LOG_DIR=$LOG_DIR" || continue
    tr '\0' '\n' <"$env" | grep -qx "OMPI_COMM_WORLD_RANK=$1" && basename "${env%/environ}" && return
  done
}

@test "a rank that dies takes all along, and the job goes on from its last checkpoint" {
  need_train
  job=$(submit -app mpi -ar -n 1,3 -Q all -o out.txt ./program --checkpoints 1)
  wait_for 60 world_is 3
  wait_for 60 past 35 # a pass has 30
  kill -KILL "$(rank_pid 2)"
  wait_for 60 is "$job" attempt 2
  finished 1800
  # what came after the checkpoint was done again, with the same result
  [ "$(cat log/rank.*/weights.csv | sort -u | wc -l)" -eq 1800 ]
  grep -q '^resumed from checkpoint at step [1-9]' out.txt
}

course_has() { grep -q "$1" saves/course; }
# Each start goes on where the one before it was saved.
nothing_lost() { awk '$1 == "from" && $2 != saved { lost = 1 } $1 == "saved" { saved = $2 } END { exit lost }' saved=0 saves/course; }

# saves_at_each_size LAUNCHER PROGRAM
saves_at_each_size() {
  mkdir saves
  job=$(submit -app mpi -ar -n 1,3 -o out.txt "$1" "$2" "$PWD/saves")
  wait_for 60 course_has '^from 0 of 3$'
  bresize release 2 "$job"
  wait_for 60 course_has '^from [1-9][0-9]* of 1$'
  bresize request 3 "$job"
  wait_for 60 course_has '^from [1-9][0-9]* of 3$'
  touch saves/hurry
  ran_out "$job" 60
  cat saves/course
  [ "$(state "$job")" = finished ]
  nothing_lost
  is "$job" attempt 1
}

@test "ranks of mpirun have the time that they need to save their work, on all hosts" {
  saves_at_each_size mpirun "$BATS_FILE_TMPDIR/saves"
}

@test "so have those of MPICH's Hydra" {
  [ -x "$BATS_FILE_TMPDIR/saves.mpich" ] || skip "no MPICH: run scripts/bootstrap"
  saves_at_each_size mpiexec.hydra "$BATS_FILE_TMPDIR/saves.mpich"
}

@test "so have they below a script that ends at the signal" {
  printf '#!/bin/sh\nmpirun "$@"\n' >program
  chmod +x program
  saves_at_each_size ./program "$BATS_FILE_TMPDIR/saves"
}
