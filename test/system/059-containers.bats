#!/usr/bin/env bats
# Role: jobs in containers, by application profile: charliecloud, and podman where it works. The image
# is made here from busybox, no registry is asked.

load lib
setup_file() {
  image=$BATS_FILE_TMPDIR/image
  make_image "$image"
  if command -v mpicc >/dev/null; then
    mkdir "$BATS_FILE_TMPDIR/bin"
    mpicc -o "$BATS_FILE_TMPDIR/bin/hello" "$BATS_TEST_DIRNAME/mpi_hello.c" || return
    mpicc -o "$BATS_FILE_TMPDIR/bin/course" "$BATS_TEST_DIRNAME/mpi_course.c" || return
  fi
  cat >"$BATS_FILE_TMPDIR/apps.conf" <<CONF
[inside]
container = charliecloud
container_image = $image
container_binds = $BATS_FILE_TMPDIR/data:/opt/data

[chosen]
container = charliecloud
container_image = \$LSB_CONTAINER_IMAGE

[mpi]
container = charliecloud
container_image = $image
container_binds = /usr, /lib, /lib64, /etc/openmpi, /etc/alternatives, $BATS_FILE_TMPDIR/bin

[podman]
container = podman
container_image = localhost/wmtest:1
container_options = --ulimit=nofile=1024:1024 --ulimit=nproc=1000:1000

[podman-mpi]
container = podman
container_image = localhost/wmtest:1
container_binds = /usr, /lib, /lib64, /etc/openmpi, /etc/alternatives, $BATS_FILE_TMPDIR/bin
container_options = --ulimit=nofile=1024:1024 --ulimit=nproc=1000:1000
CONF
  mkdir -p "$BATS_FILE_TMPDIR/data"
  echo treasure >"$BATS_FILE_TMPDIR/data/file"
  # pauses between more tries grow long
  printf "[limits]\nmax_user_requeue = 1\n" >"$BATS_FILE_TMPDIR/wm.conf"
  mpi_cluster_up --nodes 2 --cpus 4 --conf "$BATS_FILE_TMPDIR/apps.conf" --conf "$BATS_FILE_TMPDIR/wm.conf"
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  image=$BATS_FILE_TMPDIR/image
  hello=$BATS_FILE_TMPDIR/bin/hello course=$BATS_FILE_TMPDIR/bin/course
}

need_charliecloud() { command -v ch-run >/dev/null || skip "no ch-run: run scripts/bootstrap"; }
need_blaunch() { ! sanitized || skip "commands with sanitizers need libraries that the image lacks"; }
need_podman() {
  printf '[engine]\nruntime = "runc"\n' >containers.conf
  export CONTAINERS_CONF=$PWD/containers.conf
  image_for_podman "$image"
}
# as root podman makes cgroups at the roots of the hierarchies and leaves them
sweep_podman() { find /sys/fs/cgroup -depth -type d -path '*libpod_parent*' -exec rmdir {} + 2>/dev/null || true; }

none_like() { ! pgrep -f "^[^ ]*$1"; }
# over_two PROFILE [bsub-arguments…] COMMAND: four slots on two hosts; each rank notes where it is
over_two() {
  job=$(submit -app "$1" -n 4 -R 'span[ptile=2]' -o out.txt "${@:2}")
  ran_out "$job" 60
}
where="cat /etc/where >>ranks.txt"
all_inside() { [ "$(state "$job")" = finished ] && [ "$(grep -cx inside ranks.txt)" -eq 4 ]; }

@test "a job runs inside, in its folder, with its environment, and its exit code comes out" {
  need_charliecloud
  export MINE='two words'
  mkdir tmp
  job=$(TMPDIR=$PWD/tmp submit -app inside -o out.txt 'cat /etc/where; pwd; echo "$MINE"; cat /opt/data/file; touch made; exit 9')
  ran_out "$job"
  is "$job" exit_code 9
  [ "$(sed -n 1p out.txt)" = inside ]
  [ "$(sed -n 2p out.txt)" = "$PWD" ]
  [ "$(sed -n 3p out.txt)" = 'two words' ]
  [ "$(sed -n 4p out.txt)" = treasure ]
  [ -e made ]
}

@test "a script of its own runs inside, too" {
  need_charliecloud
  printf '#!/bin/sh\ncat /etc/where\n' >job.sh
  chmod +x job.sh
  job=$(submit -app inside -o out.txt <job.sh)
  ran_out "$job"
  [ "$(head -1 out.txt)" = inside ]
}

@test "bkill leaves nothing of it" {
  need_charliecloud
  job=$(submit -app inside 'sleep 31851 & sleep 31852')
  wait_for 20 pgrep -f '^sleep 3185[12]'
  bkill "$job"
  ran_out "$job"
  [ "$(pgrep -fc '^sleep 3185[12]' || true)" -eq 0 ]
}

@test "blaunch from inside runs inside on the job's other host, as its caller" {
  need_charliecloud
  need_blaunch
  mkdir sub
  job=$(submit -app inside -n 2 -R 'span[ptile=1]' -o out.txt "set -- \$LSB_MCPU_HOSTS; echo here=\$1 inside=\$WM_CONTAINER
    cd sub; export MINE=mine; $B/bin/blaunch \$3 'cat /etc/where; echo there=\$WM_HOST \$MINE; pwd; exit 7'; echo code=\$?
    cd /opt/data; $B/bin/blaunch -no-shell \$3 /bin/cat file
    $B/bin/blaunch -z \"\$LSB_HOSTS\" /bin/echo launched")
  ran_out "$job" 60
  here=$(sed -n 's/^here=\(node[12]\) inside=charliecloud$/\1/p' out.txt)
  [ -n "$here" ]
  [ "$(grep -cx inside out.txt)" -eq 1 ]
  grep -qx 'there=node[12] mine' out.txt && ! grep -qx "there=$here mine" out.txt
  grep -qx "$PWD/sub" out.txt
  grep -qx code=7 out.txt
  grep -qx treasure out.txt
  [ "$(grep -cx launched out.txt)" -eq 2 ]
}

@test "what blaunch runs inside elsewhere ends with its caller" {
  need_charliecloud
  need_blaunch
  job=$(submit -app inside -n 2 -R 'span[ptile=1]' "set -- \$LSB_MCPU_HOSTS; $B/bin/blaunch \$3 'sleep 31853 & exec sleep 31853'")
  wait_for 20 pgrep -f '^sleep 31853'
  bkill "$job"
  ran_out "$job"
  wait_for 15 none_like 'sleep 31853'
}

@test "MPI works inside: mpirun finds the slots of its host, ranks talk" {
  need_charliecloud
  need_mpi
  export OMPI_MCA_btl=self,vader
  job=$(submit -app mpi -n 2 -R 'span[hosts=1]' -o out.txt "cat /etc/where; /usr/bin/mpirun $hello")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(head -1 out.txt)" = inside ]
  [ "$(grep -c 'of 2 on .* sum 1' out.txt)" -eq 2 ]
}

@test "mpirun inside spans the job's hosts: its daemons and ranks are inside there, too" {
  need_charliecloud
  need_blaunch
  need_mpi
  over_two mpi "mpirun sh -c '$where; exec $hello'"
  all_inside
  for host in node1 node2; do [ "$(grep -c "of 4 on $host sum 6" out.txt)" -eq 2 ]; done
}

@test "ranks inside: standard input for rank 0, lines of all with their rank" {
  need_charliecloud
  need_mpi
  seq 1 10 >numbers
  over_two mpi -mpi pmix -tag -i numbers "$where; $course read; echo says \$PMIX_RANK"
  all_inside
  wait_for 20 grep -q 'Sender: LSF System' out.txt
  grep -qx '\[0\] input 55' out.txt
  for rank in 0 1 2 3; do grep -qx "\[$rank\] says $rank" out.txt; done
}

@test "ranks that the hosts start are one world, each in its container" {
  need_charliecloud
  need_mpi
  over_two mpi -mpi pmix "$where; exec $course"
  all_inside
  grep -q '^course of 4: sum 6 ring 4 pairs ok' out.txt
}

@test "ranks of one host talk over its memory, each in its container" {
  need_charliecloud
  need_mpi
  export OMPI_MCA_btl=self,vader OMPI_MCA_mpi_yield_when_idle=1
  job=$(submit -app mpi -mpi pmix -n 2 -R 'span[hosts=1]' -o out.txt "$course")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  grep -q '^course of 2: sum 1 ring 2 pairs ok' out.txt
}

@test "one rank's abort or failure inside ends them all on both hosts, with its code" {
  need_charliecloud
  need_mpi
  for word in abort:7 fail:5; do
    over_two mpi -mpi pmix "$course ${word%:*}"
    is "$job" exit_code "${word#*:}"
    wait_for 15 none_like "$course ${word%:*}"
  done
  need_blaunch
  over_two mpi "mpirun $hello abort"
  is "$job" exit_code 7
  wait_for 15 none_like "$hello abort"
}

@test "bkill leaves nothing of ranks inside on any host, however they were started" {
  need_charliecloud
  need_mpi
  job=$(submit -app mpi -mpi pmix -n 4 -R 'span[ptile=2]' "$course wait")
  wait_for 40 bash -c "bpeek $job | grep -q 'course of 4'"
  bkill "$job"
  ran_out "$job" 60
  wait_for 15 none_like "$course wait"
  need_blaunch
  job=$(submit -app mpi -n 4 -R 'span[ptile=2]' "mpirun $hello wait")
  wait_for 40 bash -c "[ \"\$(bpeek $job | grep -c 'of 4 on')\" -eq 4 ]"
  bkill "$job"
  ran_out "$job" 60
  wait_for 15 none_like "$hello wait"
  wait_for 15 none_like 'orted -mca|prted --prtemca|prted --allow'
}

@test "a missing image is named, and the tasks never run" {
  need_charliecloud
  export LSB_CONTAINER_IMAGE=$PWD/nowhere
  job=$(submit -app chosen 'touch ran')
  ran_out "$job" 60
  [ "$(state "$job")" = failed ]
  [[ $(field "$job" exit_reason) == *PRE_EXEC_FAIL* ]] || { bjobs -l "$job"; return 1; }
  [[ $(bhist -l "$job" | tr -d '\n ') == *"thelookforcontainerimage'$PWD/nowhere'exitedwith2"* ]]
  [ ! -e ran ]
}

@test "the job chooses the image where the profile lets it" {
  need_charliecloud
  LSB_CONTAINER_IMAGE=$image
  export LSB_CONTAINER_IMAGE
  job=$(submit -app chosen -o out.txt 'cat /etc/where')
  ran_out "$job"
  [ "$(head -1 out.txt)" = inside ]
}

@test "podman runs it, too" {
  need_podman
  job=$(submit -app podman -o out.txt 'cat /etc/where; pwd; exit 4')
  ran_out "$job" 60
  sweep_podman
  is "$job" exit_code 4
  [ "$(sed -n 1p out.txt)" = inside ]
  [ "$(sed -n 2p out.txt)" = "$PWD" ]
}

@test "podman: ranks that the hosts start, and those of mpirun, are one world over the hosts" {
  need_mpi
  need_podman
  over_two podman-mpi -mpi pmix "$where; exec $course"
  sweep_podman
  all_inside
  grep -q '^course of 4: sum 6 ring 4 pairs ok' out.txt
  need_blaunch
  rm ranks.txt out.txt
  over_two podman-mpi "mpirun sh -c '$where; exec $hello'"
  sweep_podman
  all_inside
  for host in node1 node2; do [ "$(grep -c "of 4 on $host sum 6" out.txt)" -eq 2 ]; done
}

@test "podman: one rank's abort ends them all" {
  need_mpi
  need_podman
  over_two podman-mpi -mpi pmix "$course abort"
  is "$job" exit_code 7
  wait_for 15 none_like "$course abort"
  need_blaunch
  over_two podman-mpi "mpirun $hello abort"
  wait_for 15 none_like "$hello abort"
  sweep_podman
  is "$job" exit_code 7
}
