#!/usr/bin/env bats
# Role: MPI programs over a job's hosts by the launchers that Debian has, with no options.

load lib
setup_file() {
  if command -v mpicc mpirun >/dev/null; then
    mpicc -o "$BATS_FILE_TMPDIR/hello" "$BATS_TEST_DIRNAME/mpi_hello.c" || return
    mpicc -o "$BATS_FILE_TMPDIR/spawn" "$BATS_TEST_DIRNAME/mpi_spawn.c" || return
    mpicc -o "$BATS_FILE_TMPDIR/manner" "$BATS_TEST_DIRNAME/mpi_manner.c" || return
  fi
  if command -v mpicc.mpich mpiexec.hydra >/dev/null; then
    mpicc.mpich -o "$BATS_FILE_TMPDIR/hello.mpich" "$BATS_TEST_DIRNAME/mpi_hello.c" || return
  fi
  mpi_cluster_up --nodes 2 --cpus 4
}
teardown_file() { cluster_down; }
setup() {
  need_mpi
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  hello=$BATS_FILE_TMPDIR/hello
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

@test "ranks are not bound to cores, and yield where a host has more slots than CPUs" {
  job=$(submit -n 4 -R 'span[hosts=1]' -o out.txt mpirun "$BATS_FILE_TMPDIR/manner")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(grep -c "of 4 yields $((4 > $(nproc))) on $(nproc) CPUs" out.txt)" -eq 4 ]
}

@test "lines of ranks on all hosts are told apart when asked" {
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt mpirun --tag-output "$hello")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  for rank in 0 1 2 3; do grep -q "^\[[^]]*,$rank\]<stdout>: *rank $rank of 4 " out.txt; done
}

# are_stopped YES|NO COUNT: so many ranks wait, and all of them are stopped, by signal or freezer, or none is
are_stopped() {
  local states
  states=$(pgrep -f "^$hello(.mpich)? wait" | xargs -r ps -o stat= -p)
  [ "$(wc -l <<<"$states")" -eq "$2" ] || return 1
  if [ "$1" = YES ]; then ! grep -qv '^[TD]' <<<"$states"; else ! grep -q '^[TD]' <<<"$states"; fi
}

# stops_and_goes_on LAUNCHER PROGRAM: over two hosts; bkill ends what has been stopped once, and leaves nothing
stops_and_goes_on() {
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt "$1" "$2" wait)
  wait_for 40 bash -c "[ \"\$(bpeek $job | grep -c 'of 4 on')\" -eq 4 ]"
  wait_for 20 are_stopped NO 4
  bstop "$job"
  wait_for 20 are_stopped YES 4
  bresume "$job"
  wait_for 20 are_stopped NO 4
  bkill "$job"
  ran_out "$job" 60
  wait_for 15 none_like "$2 wait"
}

@test "bstop stops the ranks of all hosts, bresume lets them go on" { stops_and_goes_on mpirun "$hello"; }

@test "the far daemon of mpirun keeps its files in the attempt's folder, and they go with it" {
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt "echo folder=\$WM_HOSTFILE; mpirun $hello wait")
  wait_for 40 bash -c "[ \"\$(bpeek $job | grep -c 'of 4 on')\" -eq 4 ]"
  folder=$(sed -n 's/^folder=//p' out.txt)
  session() { find "${folder%/run/*}" -path "*/$job-0.1.d/*" \( -name 'ompi.*' -o -name 'prted.*' \) | grep .; }
  session
  bkill "$job"
  ran_out "$job" 60
  no_session() { ! session; }
  wait_for 15 no_session
}

@test "a job that a rank submits has hosts, slots and a world of its own" {
  cat >outer <<END
#!/bin/sh
[ "\${OMPI_COMM_WORLD_RANK-\$PMI_RANK}" = 0 ] || exit 0
bsub -n 2 -R 'span[ptile=1]' -o $PWD/two.txt mpirun $hello
bsub -n 1 -o $PWD/one.txt mpirun -n 1 $hello
bsub -mpi pmix -n 2 -R 'span[ptile=1]' -tag -o $PWD/direct.txt $BATS_FILE_TMPDIR/manner
END
  chmod +x outer
  job=$(submit -n 2 -R 'span[ptile=1]' -o out.txt mpirun ./outer)
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  for inner in two one direct; do wait_for 60 grep -q 'Sender: LSF System' $inner.txt; done
  [ "$(grep -c 'of 2 on node[12] sum 1' two.txt)" -eq 2 ]
  [ "$(grep -c 'of 1 on node[12] sum 0' one.txt)" -eq 1 ]
  [ "$(grep -c '\] rank [01] of 2 ' direct.txt)" -eq 2 ]
}

# without_hosts LAUNCHER: one that knows nothing of the job's hosts, and takes its own for one slot
without_hosts() {
  echo "env -u OMPI_MCA_orte_default_hostfile -u PRTE_MCA_prte_default_hostfile -u LSB_MCPU_HOSTS -u LSB_JOBID" \
    "OMPI_MCA_orte_set_default_slots=1 PRTE_MCA_prte_set_default_slots=1 $*"
}
told() { grep "^WARNING: $1 started 1 rank in a job of 4 slots" out.txt; }

@test "an mpirun that starts fewer ranks than slots, unasked, is told in the report" {
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt "$(without_hosts mpirun sh -c "'$hello; sleep 3'")")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(grep -c 'of 1 on node[12] sum 0' out.txt)" -eq 1 ]
  [ "$(told mpirun | wc -l)" -eq 1 ]
  rm out.txt
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt "mpirun -n 1 sh -c '$hello; sleep 3'")
  ran_out "$job" 60
  [ "$(grep -c 'of 1 on node[12] sum 0' out.txt)" -eq 1 ]
  ! told mpirun
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
  wait_for 15 none_like 'orted -mca|prted --prtemca|prted --allow'
}

need_mpich() { command -v mpicc.mpich mpiexec.hydra >/dev/null || skip "no MPICH: run scripts/bootstrap"; }

@test "MPICH's Hydra finds the job's hosts and blaunch by itself" {
  need_mpich
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt mpiexec.hydra "$hello.mpich")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(grep -c 'of 4 on node1 sum 6' out.txt)" -eq 2 ]
  [ "$(grep -c 'of 4 on node2 sum 6' out.txt)" -eq 2 ]
}

@test "its ranks are not bound to cores, and their lines are told apart when asked" {
  need_mpich
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt mpiexec.hydra -l sh -c "$hello.mpich && nproc")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  for rank in 0 1 2 3; do
    grep -q "^\[$rank\] rank $rank of 4 " out.txt
    grep -q "^\[$rank\] $(nproc)$" out.txt
  done
}

@test "its ranks are stopped on all hosts, go on and are ended" {
  need_mpich
  stops_and_goes_on mpiexec.hydra "$hello.mpich"
}

@test "the abort of one of its ranks ends them all" {
  need_mpich
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt mpiexec.hydra "$hello.mpich" abort)
  ran_out "$job" 60
  [ "$(state "$job")" = failed ]
  wait_for 15 none_like "$hello.mpich abort"
}

@test "a job that one of its ranks submits has hosts, slots and a world of its own" {
  need_mpich
  printf '#!/bin/sh\n[ "$PMI_RANK" = 0 ] || exit 0\nexec bsub -n 2 -R "span[ptile=1]" -o %s/inner.txt mpiexec.hydra %s.mpich\n' \
    "$PWD" "$hello" >outer
  chmod +x outer
  job=$(submit -n 2 -R 'span[ptile=1]' -o out.txt mpiexec.hydra ./outer)
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  wait_for 60 grep -q 'Sender: LSF System' inner.txt
  for node in node1 node2; do [ "$(grep -c "of 2 on $node sum 1" inner.txt)" -eq 1 ]; done
}

@test "MPICH's Hydra, too, is told of when it starts fewer ranks than slots, unasked" {
  need_mpich
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt "$(without_hosts mpiexec.hydra sh -c "'$hello.mpich; sleep 3'")")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(grep -c 'of 1 on node[12] sum 0' out.txt)" -eq 1 ]
  [ "$(told mpiexec.hydra | wc -l)" -eq 1 ]
}
