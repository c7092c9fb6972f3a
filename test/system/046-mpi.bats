#!/usr/bin/env bats
# Role: MPI programs over a job's hosts by the launchers that Debian has, with no options.

load lib
setup_file() {
  if command -v mpicc mpirun >/dev/null; then
    mpicc -o "$BATS_FILE_TMPDIR/hello" "$BATS_TEST_DIRNAME/mpi_hello.c" || return
    mpicc -o "$BATS_FILE_TMPDIR/spawn" "$BATS_TEST_DIRNAME/mpi_spawn.c" || return
  fi
  if command -v mpicc.mpich mpiexec.hydra >/dev/null; then
    mpicc.mpich -o "$BATS_FILE_TMPDIR/hello.mpich" "$BATS_TEST_DIRNAME/mpi_hello.c" || return
  fi
  cluster_up --nodes 2 --cpus 4
}
teardown_file() { cluster_down; }
setup() {
  command -v mpicc mpirun >/dev/null || skip "no Open MPI: run scripts/bootstrap"
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  hello=$BATS_FILE_TMPDIR/hello
  mpi_on_loopback
}

none_like() { ! pgrep -f "^[^ ]*$1"; }

@test "mpirun without options fills the slots of the job's hosts" {
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt mpirun "$hello")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(grep -c 'of 4 on node[12] sum 6' out.txt)" -eq 4 ]
  [ "$(grep -c 'on node1 ' out.txt)" -eq 2 ]
  [ "$(grep -c 'on node2 ' out.txt)" -eq 2 ]
  [ "$(grep -o 'rank [0-3]' out.txt | sort -u | wc -l)" -eq 4 ]
}

@test "on one host too, and with fewer ranks when asked" {
  job=$(submit -n 3 -R 'span[hosts=1]' -o out.txt mpirun -n 2 "$hello")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(grep -c 'of 2 on node[12] sum 1' out.txt)" -eq 2 ]
}

@test "ranks spawn others into the job's free slots, on its other host, too" {
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt mpirun -n 2 "$BATS_FILE_TMPDIR/spawn" 2)
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  grep -q '^2 spawned 2: ok' out.txt
}

@test "the abort of one rank ends them all" {
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt mpirun "$hello" abort)
  ran_out "$job" 60
  [ "$(state "$job")" = failed ]
  wait_for 15 none_like "$hello abort"
}

@test "bkill leaves nothing of it on any host" {
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt mpirun "$hello" wait)
  wait_for 40 bash -c "[ \"\$(bpeek $job | grep -c 'of 4 on')\" -eq 4 ]"
  bkill "$job"
  ran_out "$job" 60
  wait_for 15 none_like "$hello wait"
  wait_for 15 none_like "orted.*$hello|orted -mca"
}

@test "MPICH's Hydra finds the job's hosts and blaunch by itself" {
  command -v mpicc.mpich mpiexec.hydra >/dev/null || skip "no MPICH: run scripts/bootstrap"
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt mpiexec.hydra "$hello.mpich")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(grep -c 'of 4 on node1 sum 6' out.txt)" -eq 2 ]
  [ "$(grep -c 'of 4 on node2 sum 6' out.txt)" -eq 2 ]
}
