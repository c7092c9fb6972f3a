#!/usr/bin/env bats
# Role: ranks of MPI programs that the job's hosts start themselves (bsub -mpi pmix): they find
# each other without mpirun, on one host and on two, and end together.

load lib
setup_file() {
  if command -v mpicc >/dev/null; then
    mpicc -o "$BATS_FILE_TMPDIR/course" "$BATS_TEST_DIRNAME/mpi_course.c" || return
    mpicc -o "$BATS_FILE_TMPDIR/joins" "$BATS_TEST_DIRNAME/mpi_joins.c" || return
    mpicc -o "$BATS_FILE_TMPDIR/spawn" "$BATS_TEST_DIRNAME/mpi_spawn.c" || return
  fi
  mpi_cluster_up --nodes 2 --cpus 4
}
teardown_file() { cluster_down; }
setup() {
  need_mpi
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  course=$BATS_FILE_TMPDIR/course
}

none_like() { ! pgrep -f "^[^ ]*$1"; }

@test "ranks on one host are one world" {
  job=$(submit -mpi pmix -n 4 -R 'span[hosts=1]' -o out.txt "$course")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  grep -q '^course of 4: sum 6 ring 4 pairs ok' out.txt
}

@test "ranks on two hosts are one world, host by host" {
  job=$(submit -mpi pmix -n 4 -R 'span[ptile=2]' -o out.txt "$course")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(field "$job" exec_host | tr : '\n' | sort | uniq -c | awk '{ print $1, $2 }' | paste -sd' ')" = '2 node1 2 node2' ]
  grep -q '^course of 4: sum 6 ring 4 pairs ok' out.txt
}

@test "a rank alone is a world" {
  job=$(submit -mpi pmix -o out.txt "$course")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  grep -q '^course of 1: sum 0 ring 1 pairs ok' out.txt
}

@test "rank 0 reads the job's standard input, the others read nothing" {
  seq 1 10 >numbers
  job=$(submit -mpi pmix -n 4 -R 'span[ptile=2]' -i numbers -o out.txt "$course" read)
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  grep -q '^input 55$' out.txt
}

@test "bsub -I shows what rank 0 says and exits as the job does" {
  run bsub -I -mpi pmix -n 4 -R 'span[ptile=2]' "$course"
  [ "$status" -eq 0 ]
  [[ $output == *"course of 4: sum 6 ring 4 pairs ok"* ]]
}

# all_fail HOW: what one of four ranks on two hosts does ends them all; nothing of them is left
all_fail() {
  job=$(submit -mpi pmix -n 4 -R 'span[ptile=2]' -o out.txt "$course" "$1")
  ran_out "$job" 60
  [ "$(state "$job")" = failed ] || return 1
  wait_for 15 none_like "$course $1"
}

@test "the abort of one rank ends them all with its code" {
  all_fail abort
  is "$job" exit_code 7
}

@test "a rank that fails ends them all with its code" {
  all_fail fail
  is "$job" exit_code 5
}

@test "nobody waits for ever for a rank that ends well before MPI_Init" { all_fail leave; }

@test "nobody waits for ever for a rank that ends well before MPI_Finalize" {
  for where in 'span[hosts=1]' 'span[ptile=2]'; do
    job=$(submit -mpi pmix -n 4 -R "$where" -o out.txt "$course" quit)
    ran_out "$job" 60
    [ "$(state "$job")" = failed ]
    wait_for 15 none_like "$course quit"
  done
}

@test "bkill leaves nothing of it on any host" {
  job=$(submit -mpi pmix -n 4 -R 'span[ptile=2]' -o out.txt "$course" wait)
  wait_for 40 bash -c "bpeek $job | grep -q 'course of 4'"
  bkill "$job"
  ran_out "$job" 60
  [ "$(state "$job")" = killed ]
  wait_for 15 none_like "$course wait"
}

ranks_are() { # ranks_are STATES COUNT: so many wait, each in one of these states
  [ "$(pgrep -f "^$course wait" | xargs -r ps -o stat= -p | grep -c "^[$1]")" -eq "$2" ]
}

@test "bstop stops the ranks of both hosts, bresume lets them go on" {
  job=$(submit -mpi pmix -n 4 -R 'span[ptile=2]' -o out.txt "$course" wait)
  wait_for 40 bash -c "bpeek $job | grep -q 'course of 4'"
  wait_for 20 ranks_are RS 4
  bstop "$job"
  wait_for 20 ranks_are TD 4
  bresume "$job"
  wait_for 20 ranks_are RS 4
}

@test "memory that killed ranks share goes with them" {
  export OMPI_MCA_btl=self,vader
  job=$(submit -mpi pmix -n 2 -R 'span[hosts=1]' "$course" wait)
  wait_for 40 bash -c "bpeek $job | grep -q 'course of 2'"
  pgrep -f "^$course wait" | while read -r pid; do grep -oE '/dev/shm/(vader|sm)_segment[^ ]*' "/proc/$pid/maps"; done | sort -u >shared
  [ "$(wc -l <shared)" -eq 2 ]
  [ "$(cat shared | xargs ls | wc -l)" -eq 2 ]
  bkill "$job"
  ran_out "$job" 60
  wait_for 15 bash -c '[ "$(xargs ls <shared | wc -l)" -eq 0 ]'
}

@test "programs that are no MPI programs run as they are, one a task" {
  job=$(submit -mpi pmix -n 4 -R 'span[ptile=2]' 'echo $PMIX_RANK >rank.$PMIX_RANK')
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(cat rank.0 rank.1 rank.2 rank.3 | tr '\n' ' ')" = '0 1 2 3 ' ]
}

@test "-tag brings the lines of all ranks together, whole and with their rank" {
  job=$(submit -mpi pmix -n 4 -R 'span[ptile=2]' -tag -o out.txt -e err.txt \
    'for i in $(seq 1 200); do echo "line $i of $PMIX_RANK"; done; printf "no end"; echo "oops $PMIX_RANK" >&2')
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  wait_for 30 grep -q 'Sender: LSF System' out.txt
  for rank in 0 1 2 3; do
    [ "$(grep -c "^\[$rank\] line [0-9]* of $rank$" out.txt)" -eq 200 ]
    [ "$(grep -c "^\[$rank\] no end$" out.txt)" -eq 1 ]
    [ "$(cat err.txt | grep -c "^\[$rank\] oops $rank$")" -eq 1 ]
  done
  [ "$(grep -n 'Sender: LSF System' out.txt | cut -d: -f1)" -gt 804 ]
}

@test "-tag waits for ranks of other hosts, and a killed job does not wait" {
  job=$(submit -mpi pmix -n 2 -R 'span[ptile=1]' -tag -o out.txt \
    '[ $PMIX_RANK = 0 ] || sleep 2; echo "late $PMIX_RANK"')
  ran_out "$job" 60
  wait_for 20 grep -q 'Sender: LSF System' out.txt
  [ "$(grep -c '^\[1\] late 1$' out.txt)" -eq 1 ]
  job=$(submit -mpi pmix -n 2 -R 'span[ptile=1]' -tag -o killed.txt 'echo "here $PMIX_RANK"; sleep 31604')
  wait_for 20 grep -q '^\[1\] here 1$' killed.txt
  bkill "$job"
  ran_out "$job" 60
  wait_for 20 grep -q 'Sender: LSF System' killed.txt
}

@test "ranks find each other by a name, connect, part and connect again" {
  for where in 'span[hosts=1]' 'span[ptile=2]'; do
    job=$(submit -mpi pmix -n 4 -R "$where" -o out.txt "$BATS_FILE_TMPDIR/joins")
    ran_out "$job" 60
    [ "$(state "$job")" = finished ]
    grep -q '^joined twice: ok' out.txt
    rm out.txt
  done
}

@test "ranks that want to spawn others are told that they cannot, and none is left waiting" {
  for request in '-n 1' '-n 4 -R span[ptile=2]'; do
    job=$(submit -mpi pmix $request -e err.txt "$BATS_FILE_TMPDIR/spawn" 2)
    ran_out "$job" 60
    [ "$(state "$job")" = failed ]
    grep -qE 'MPI_ERR_(SPAWN|UNKNOWN)' err.txt # what Open MPI 4 and 5 call it
    wait_for 15 none_like "$BATS_FILE_TMPDIR/spawn"
    rm err.txt
  done
}

@test "mpirun works beside it, in a job without -mpi" {
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt mpirun "$course")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  grep -q 'course of 4: sum 6 ring 4 pairs ok' out.txt
}
