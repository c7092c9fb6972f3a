#!/usr/bin/env bats
# Role: SIGHUP has daemons read their files anew, and ends none.

load lib
setup_file() { cluster_up --nodes 1 --cpus 2; }
teardown_file() { cluster_down; }
setup() { cluster_env; }

there() { bqueues "$1" >/dev/null 2>&1; }

@test "SIGHUP of the master is badmin reconfig; a mistake leaves what holds" {
  ! there later
  printf '[later]\npriority = 7\n' >>"$WM_CONF_DIR/queues.conf"
  "$MINICLUSTER" kill wmasterd -HUP
  wait_for 20 there later
  printf '[latest]\nnonsense = 7\n' >>"$WM_CONF_DIR/queues.conf"
  "$MINICLUSTER" kill wmasterd -HUP
  wait_for 20 grep -q 'config_kept.*nonsense' "$CLUSTER/log/wmasterd.out"
  there later
  ! there latest
  sed -i '/latest/,$d' "$WM_CONF_DIR/queues.conf"
}

@test "SIGHUP ends no host, and has it log as wm.conf says from then on" {
  "$MINICLUSTER" kill wnoded node1 -HUP
  wait_for 20 grep -q log_reopened "$CLUSTER/log/node1.out"
  job=$(submit true)
  ran_out "$job"
  [ "$(state "$job")" = finished ]
}
