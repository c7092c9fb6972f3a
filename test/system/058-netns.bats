#!/usr/bin/env bats
# Role: hosts that have a network of their own each: names and addresses are real, a job spans them,
# and a cut cable is a cut cable. Root only.

load lib
setup_file() {
  [ "$(id -u)" -eq 0 ] || return 0
  command -v ip nsenter >/dev/null || return 0
  cat >"$BATS_FILE_TMPDIR/wm.conf" <<CONF
[times]
silent_after = 2s
CONF
  cluster_up --nodes 2 --netns --conf "$BATS_FILE_TMPDIR/wm.conf"
}
teardown_file() { cluster_down; }
setup() {
  [ "$(id -u)" -eq 0 ] || skip "network namespaces need root"
  command -v ip nsenter >/dev/null || skip "no ip or nsenter: run scripts/bootstrap"
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  bridge=wm$(sed -n 's/^master_port = //p' "$WM_CONF_DIR/wm.conf")
}

host_is() { [ "$(bhosts -json "$1" | jq -r '.RECORDS[0].STATUS')" = "$2" ]; }

@test "a job over two hosts: each has its own name and address, blaunch goes from one to the other" {
  job=$(submit -n 2 -R 'span[ptile=1]' -o out.txt \
    'blaunch -z "$LSB_HOSTS" "hostname; ip -4 -o addr show eth0; getent hosts node1 node2"')
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(grep -cx 'node[12]' out.txt)" -eq 2 ]
  [ "$(grep -c 'inet 10\.' out.txt)" -eq 2 ]
  [ "$(grep -o 'inet 10[0-9.]*' out.txt | sort -u | wc -l)" -eq 2 ]
  [ "$(grep -c '^10.* node[12]$' out.txt)" -eq 4 ]
}

@test "a port taken on one host is free on the other" {
  cat >port.py <<PY
import socket, time
server = socket.create_server(('', 4711))
print('bound', flush=True)
time.sleep(2)
PY
  job=$(submit -n 2 -R 'span[ptile=1]' -o out.txt "blaunch -z \"\$LSB_HOSTS\" $PYTHON port.py")
  ran_out "$job" 60
  [ "$(grep -cx bound out.txt)" -eq 2 ]
}

@test "a host whose cable is cut is silent, its job goes on, and is whole when the cable is back" {
  job=$(submit -m node2 -o out.txt 'touch begun; while [ ! -e go ]; do sleep 0.1; done; echo done; exit 3')
  wait_for 20 test -e begun
  ip link set "${bridge}v2" down
  wait_for 20 in_state "$job" unknown
  touch go
  wait_for 10 grep -q done out.txt
  ip link set "${bridge}v2" up
  wait_for 30 host_is node2 ok
  ran_out "$job" 30
  [ "$(state "$job")" = failed ]
  is "$job" exit_code 3
  is "$job" attempt 1
}

@test "what a launcher says on both hosts is in the file that the first one writes" {
  printf '#!/bin/sh\necho "on $(hostname) node $PET_NODE_RANK of $PET_NNODES"\necho "oops $PET_NODE_RANK" >&2\n' >torchrun
  chmod +x torchrun
  job=$(submit -n 2 -R 'span[ptile=1]' -o 'out.%H' ./torchrun train.py)
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(ls out.* | wc -l)" -eq 1 ]
  [ "$(grep -cE '^on node[12] node [01] of 2$' out.*)" -eq 2 ]
  [ "$(grep -c '^oops [01]$' out.*)" -eq 2 ]
}

@test "of a launcher on a host whose cable is cut for a while no line is missing" {
  cat >torchrun <<'END'
#!/bin/sh
i=0
while [ ! -e go ]; do i=$((i + 1)); echo "line $i of $PET_NODE_RANK"; sleep 0.05; done
echo "$i lines of $PET_NODE_RANK"
END
  chmod +x torchrun
  job=$(submit -m 'node1! node2' -n 2 -R 'span[ptile=1]' -o out.txt ./torchrun train.py)
  wait_for 20 grep -q 'line 1 of 1' out.txt
  ip link set "${bridge}v2" down
  wait_for 20 in_state "$job" unknown
  touch go
  ip link set "${bridge}v2" up
  wait_for 30 host_is node2 ok
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  for node in 0 1; do
    said=$(sed -n "s/ lines of $node\$//p" out.txt)
    [ "$(grep -c "^line .* of $node\$" out.txt)" -eq "$said" ]
  done
}

@test "down leaves no namespace and no bridge" {
  "$MINICLUSTER" up --dir "$BATS_TEST_TMPDIR/c" --nodes 1 --netns
  other=wm$(sed -n 's/^master_port = //p' "$BATS_TEST_TMPDIR/c/conf/wm.conf")
  ip netns list | grep -q "^$other.1"
  "$MINICLUSTER" down --dir "$BATS_TEST_TMPDIR/c"
  [ "$(ip netns list | grep -c "^$other" || true)" -eq 0 ]
  [ "$(ip -o link show | grep -c " $other" || true)" -eq 0 ]
}

@test "an MPI program spans them, by mpirun and by the hosts themselves" {
  [ -z "$(why_no_mpi)" ] || skip "$(why_no_mpi)"
  mpicc -o hello "$BATS_TEST_DIRNAME/mpi_hello.c"
  job=$(submit -n 4 -R 'span[ptile=2]' -o out.txt mpirun "$PWD/hello")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(grep -c 'of 4 on node1 sum 6' out.txt)" -eq 2 ]
  [ "$(grep -c 'of 4 on node2 sum 6' out.txt)" -eq 2 ]
  job=$(submit -mpi pmix -n 4 -R 'span[ptile=2]' -tag -o direct.txt "$PWD/hello")
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(grep -c 'rank [0-3] of 4 on .* sum 6' direct.txt)" -eq 4 ]
}
