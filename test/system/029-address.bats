#!/usr/bin/env bats
# Role: hosts that hosts.conf gives no address, or a name, are as good as others.

load lib
setup_file() {
  printf '[node1]\naddress =\n[node2]\naddress = node2\n' >"$BATS_FILE_TMPDIR/hosts.conf"
  cluster_up --nodes 2 --cpus 2 --gpus 2 --conf "$BATS_FILE_TMPDIR/hosts.conf"
}
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

@test "an elastic job trains on both" {
  cp "$BATS_TEST_DIRNAME/small_train.py" .
  job=$(train 4,4 20)
  proven "$job" 20
}

@test "an interactive job reaches its terminal, and blaunch the other host" {
  run bash -c "BSUB_QUIET=y timeout 60 bsub -I echo here 2>/dev/null </dev/null"
  [ "$status" -eq 0 ]
  [ "$output" = here ]
  job=$(submit -n 2 -R 'span[ptile=1]' -o out.txt 'set -- $LSB_HOSTS; blaunch $1 echo on \$WM_HOST; blaunch $2 echo on \$WM_HOST')
  ran_out "$job" 60
  for host in node1 node2; do wait_for 10 grep -qx "on $host" out.txt; done
}
