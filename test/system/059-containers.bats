#!/usr/bin/env bats
# Role: jobs in containers, by application profile: charliecloud, and podman where it works. The image
# is made here from busybox, no registry is asked.

load lib
setup_file() {
  image=$BATS_FILE_TMPDIR/image
  make_image "$image"
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
container_binds = /usr, /lib, /lib64, /etc/openmpi, /etc/alternatives

[podman]
container = podman
container_image = localhost/wmtest:1
container_options = --ulimit=nofile=1024:1024 --ulimit=nproc=1000:1000
CONF
  mkdir -p "$BATS_FILE_TMPDIR/data"
  echo treasure >"$BATS_FILE_TMPDIR/data/file"
  cluster_up --nodes 2 --cpus 4 --conf "$BATS_FILE_TMPDIR/apps.conf"
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  image=$BATS_FILE_TMPDIR/image
}
teardown() { [ -n "${BATS_TEST_COMPLETED-}" ] || { cat ./*.txt; cluster_words; }; end_all_jobs; }

need_charliecloud() { command -v ch-run >/dev/null || skip "no ch-run: run scripts/bootstrap"; }

@test "a job runs inside, in its folder, with its environment, and its exit code comes out" {
  need_charliecloud
  export MINE='two words'
  job=$(submit -app inside -o out.txt 'cat /etc/where; pwd; echo "$MINE"; cat /opt/data/file; touch made; exit 9')
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

@test "blaunch from inside reaches the hosts of the job" {
  need_charliecloud
  [[ $B != *-* ]] || skip "commands with sanitizers need libraries that the image lacks"
  job=$(submit -app inside -n 2 -R 'span[ptile=1]' -o out.txt "cat /etc/where; $B/bin/blaunch -z \"\$LSB_HOSTS\" /bin/echo launched")
  ran_out "$job" 60
  [ "$(grep -cx launched out.txt)" -eq 2 ]
  [ "$(grep -cx inside out.txt)" -eq 1 ]
}

@test "MPI works inside: mpirun finds the slots of its host, ranks talk" {
  need_charliecloud
  command -v mpicc mpirun >/dev/null || skip "no Open MPI: run scripts/bootstrap"
  mpicc -o hello "$BATS_TEST_DIRNAME/mpi_hello.c"
  export OMPI_MCA_btl=self,vader
  job=$(submit -app mpi -n 2 -R 'span[hosts=1]' -o out.txt "cat /etc/where; /usr/bin/mpirun $PWD/hello")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(head -1 out.txt)" = inside ]
  [ "$(grep -c 'of 2 on .* sum 1' out.txt)" -eq 2 ]
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
  printf '[engine]\nruntime = "runc"\n' >containers.conf
  export CONTAINERS_CONF=$PWD/containers.conf
  image_for_podman "$image"
  job=$(submit -app podman -o out.txt 'cat /etc/where; pwd; exit 4')
  ran_out "$job" 60
  # as root podman makes cgroups at the roots of the hierarchies and leaves them
  find /sys/fs/cgroup -depth -type d -path '*libpod_parent*' -exec rmdir {} + 2>/dev/null || true
  is "$job" exit_code 4
  [ "$(sed -n 1p out.txt)" = inside ]
  [ "$(sed -n 2p out.txt)" = "$PWD" ]
}
