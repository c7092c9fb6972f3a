#!/usr/bin/env bats
# Role: several accounts on one cluster (root only): jobs run as their owners, and nobody
# else can end them or read what they print.

load lib
setup_file() {
  [ -z "$(why_no_accounts)" ] || return 0
  open_place
  reachable_build "$PLACE/build"
  make_account a && make_account b
  if command -v mpicc >/dev/null; then
    mkdir "$PLACE/mpi" && chmod 755 "$PLACE/mpi"
    mpicc -o "$PLACE/mpi/hello" "$BATS_TEST_DIRNAME/mpi_hello.c" || return
  fi
  cat >"$BATS_FILE_TMPDIR/apps.conf" <<CONF
[podman]
container = podman
container_image = localhost/wmtest:1
container_binds = /usr, /lib, /lib64, /etc/openmpi, /etc/alternatives, $PLACE/mpi
container_options = --ulimit=nofile=1024:1024 --ulimit=nproc=1000:1000
CONF
  "$MINICLUSTER" up --dir "$PLACE/c" $(mpi_network) --nodes 2 --multiuser --conf "$BATS_FILE_TMPDIR/apps.conf"
}
teardown_file() {
  [ -n "${PLACE-}" ] || return 0
  "$MINICLUSTER" down --dir "$PLACE/c"
  remove_accounts
  rm -rf "$PLACE"
}
setup() {
  [ -n "${PLACE-}" ] || skip "$(why_no_accounts)"
  CLUSTER=$PLACE/c
  cluster_env
  place=$PLACE/$BATS_TEST_NUMBER
  mkdir -p "$place/a" "$place/b" && chown $ACCOUNT-a "$place/a" && chown $ACCOUNT-b "$place/b" && chmod 700 "$place"/?
}

# as a|b COMMAND…: as that account, in its folder
as() {
  local who=$1
  shift
  (cd "$place/$who" && setpriv --reuid "$ACCOUNT-$who" --regid "$(id -g "$ACCOUNT-$who")" --clear-groups -- \
    env HOME="$place/$who" USER="$ACCOUNT-$who" LOGNAME="$ACCOUNT-$who" "$@")
}
submit_as() {
  local who=$1 said
  shift
  said=$(as "$who" bsub "$@")
  [[ $said =~ \<([0-9]+)\> ]] && echo "${BASH_REMATCH[1]}"
}

@test "wmasterd is not root" {
  pid=$(cut -d' ' -f1 "$CLUSTER/run/wmasterd.pid")
  [ "$(stat -c %u "/proc/$pid")" -ne 0 ]
}

@test "where results are root's folder, a user's own is made by the host, for that user alone" {
  results=$(badmin showconf | sed -n 's/.*STATE_DIR = //p')
  results=$(dirname "$results")/results
  [ ! -e "$results/$ACCOUNT-b" ]
  chmod 0755 "$results"
  job=$(submit_as b -app training 'echo here >"$RESULT_DIR/said"')
  run ran_out "$job"
  chmod 1777 "$results"
  [ "$status" -eq 0 ]
  is "$job" stat DONE
  [ "$(stat -c '%a %U' "$results/$ACCOUNT-b")" = "700 $ACCOUNT-b" ]
}

@test "what a launcher says on both hosts is in a file that its owner alone may write, and is the owner's" {
  printf '#!/bin/sh\necho "node $PET_NODE_RANK uid $(id -u)"\n[ "$PET_NODE_RANK" = 0 ] || exit 3\nsleep 31609\n' >"$place/a/torchrun"
  chmod 755 "$place/a/torchrun"
  job=$(submit_as a -n 2 -R 'span[ptile=1]' -o out.txt ./torchrun train.py)
  ran_out "$job"
  [ "$(grep -c "^node [01] uid $(id -u "$ACCOUNT-a")$" "$place/a/out.txt")" -eq 2 ]
  [ "$(stat -c %U "$place/a/out.txt")" = "$ACCOUNT-a" ]
}

@test "a job runs with its owner's uid and groups" {
  job=$(submit_as a -o out.txt 'id -u; id -G')
  ran_out "$job"
  wait_for 5 test -s "$place/a/out.txt"
  [ "$(head -1 "$place/a/out.txt")" = "$(id -u $ACCOUNT-a)" ]
  [ "$(sed -n 2p "$place/a/out.txt")" = "$(id -G $ACCOUNT-a)" ]
  [ "$(stat -c %U "$place/a/out.txt")" = $ACCOUNT-a ]
}

@test "an output file behind a link that another account has planted is refused" {
  mkdir -m 777 "$place/open"  # no sticky bit: the kernel does not protect its links
  as a sh -c 'echo mine >secret; chmod 600 secret'
  as b ln -s "$place/a/secret" "$place/open/out.txt"
  job=$(submit_as a -o "$place/open/out.txt" echo overwritten)
  ran_out "$job"
  [ "$(cat "$place/a/secret")" = mine ]
  [[ $(field "$job" exit_reason) == *"is a link that uid "*" made"* ]]
}

@test "another account can neither end nor read it" {
  job=$(SECRET=tuesday submit_as a 'echo private words; sleep 1000')
  wait_for 10 in_state "$job" running
  run as b bkill "$job"
  [ "$status" -eq 255 ]
  run as b bpeek "$job"
  [ "$status" -ne 0 ]
  [[ $output != *"private words"* ]]
  run as b bresize release 1 "$job"
  [ "$status" -ne 0 ]
  pid=$(field "$job" pids | tr ' :' '\n\n' | head -1)
  run as b cat "/proc/$pid/environ"
  [ "$status" -ne 0 ]
  in_state "$job" running
  run as a bkill "$job"
  [ "$status" -eq 0 ]
  ran_out "$job"
}

@test "an ordinary account may not administer" {
  run as b badmin hclose node1
  [ "$status" -ne 0 ]
  run as b badmin reconfig
  [ "$status" -ne 0 ]
}

@test "what a job launches on its other host is its owner's" {
  job=$(submit_as a -n 4 -R 'span[ptile=2]' -o out.txt \
    'set -- $LSB_MCPU_HOSTS; blaunch $3 "echo uid=\$(id -u) groups=\$(id -G) host=\$WM_HOST; touch there"')
  ran_out "$job"
  wait_for 5 grep -q uid= "$place/a/out.txt"
  grep -qE "^uid=$(id -u $ACCOUNT-a) groups=$(id -G $ACCOUNT-a) host=node[12]$" "$place/a/out.txt"
  [ "$(stat -c %U "$place/a/there")" = $ACCOUNT-a ]
}

@test "only the owner gets into a job, not even root" {
  job=$(submit_as a 'sleep 1000')
  wait_for 10 in_state "$job" running
  run as b battach "$job" id -u </dev/null
  [ "$status" -eq 255 ]
  [[ $output == *"User permission denied"* ]]
  run battach "$job" id -u </dev/null
  [ "$status" -eq 255 ]
  run as a battach "$job" id -u </dev/null
  [ "$status" -eq 0 ]
  [ "$output" = "$(id -u $ACCOUNT-a)" ]
  as a bkill "$job"
  ran_out "$job"
}

@test "an interactive job's streams are its owner's" {
  run as a env BSUB_QUIET=y bash -c 'echo word | bsub -I "id -u; cat" 2>/dev/null'
  [ "$status" -eq 0 ]
  [ "$output" = "$(id -u $ACCOUNT-a)"$'\n'word ]
}

# podman_as_a: an image and what podman needs for account a, or the test is skipped
podman_as_a() {
  command -v newuidmap >/dev/null || skip "no newuidmap on this machine"
  make_image "$place/image"
  mkdir "$place/a/run" && chown $ACCOUNT-a "$place/a/run" && chmod 700 "$place/a/run"
  printf '[engine]\nruntime = "runc"\n' >"$place/a/containers.conf"
  export CONTAINERS_CONF=$place/a/containers.conf XDG_RUNTIME_DIR=$place/a/run
  image_for_podman "$place/image" as a
}
# ends the process that holds the user namespace of a's podman
after_each() {
  [ ! -e "$place/a/run" ] || as a podman system migrate 2>/dev/null
  end_all_jobs
}

@test "podman runs a job of an ordinary account, without root" {
  podman_as_a
  job=$(submit_as a -app podman -o out.txt 'cat /etc/where; pwd; echo here >made; exit 4')
  ran_out "$job" 60
  is "$job" exit_code 4
  [ "$(sed -n 1p "$place/a/out.txt")" = inside ]
  [ "$(sed -n 2p "$place/a/out.txt")" = "$place/a" ]
  [ "$(stat -c %U "$place/a/made")" = $ACCOUNT-a ]
}

# mpi_as_a [bsub-arguments…] LAUNCHER: four ranks over two hosts, each inside
mpi_as_a() {
  need_mpi
  podman_as_a
  job=$(submit_as a -app podman -n 4 -R 'span[ptile=2]' -o out.txt \
    "${@:1:$#-1}" "${*: -1} sh -c 'cat /etc/where >>ranks.txt; exec $PLACE/mpi/hello'")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(grep -cx inside "$place/a/ranks.txt")" -eq 4 ]
  grep -q 'rank 0 of 4 on .* sum 6' "$place/a/out.txt"
}

@test "podman without root: mpirun inside spans the job's hosts" { mpi_as_a mpirun; }

@test "podman without root: ranks that the hosts start keep their uid and are one world" {
  local uid first
  uid=$(id -u "$ACCOUNT-a") first=$((1000000 + uid * 65536))
  flock /etc usermod --add-subuids $first-$((first + 65535)) --add-subgids $first-$((first + 65535)) "$ACCOUNT-a"
  mpi_as_a -mpi pmix exec
}
