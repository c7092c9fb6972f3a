#!/usr/bin/env bats
# Role: a backup that is made while the cluster works, and a master on an older copy of its state: it is not
# obeyed until an administrator says so, gives no number twice, and starts again what it knows to be pending.

load lib
setup_file() { cluster_up --nodes 1 --cpus 4; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

state_dir() { echo "$(badmin showconf | sed -n 's/.*STATE_DIR = //p')/master"; }
mini() { "$MINICLUSTER" "$@"; }
master_is_gone() { ! kill -0 "$(cut -d' ' -f1 "$CLUSTER/run/wmasterd.pid")" 2>/dev/null; }
number_of() { sed -n 's/.*Job <\([0-9]*\)>.*/\1/p'; }

@test "a backup is one file, verified, and never written over" {
  job=$(submit true)
  ran_out "$job"
  run badmin backup all.tar
  [ "$status" -eq 0 ]
  [[ $output == *"verified"* ]]
  tar -tf all.tar >list
  for file in core.db acct.db MANIFEST; do grep -qx "./$file" list; done
  [ "$(stat -c %a all.tar)" = 600 ]
  run badmin backup all.tar
  [ "$status" -ne 0 ]
  [[ $output == *"is there"* ]]
  run badmin backup
  [[ $output == *"name one file"* ]]
  [ -z "$(ls -A | grep -v -e '^all.tar$' -e '^list$')" ]
}

@test "a master on an older copy is stopped by the first host, and goes on after a take-over" {
  kept=$(submit -H true)
  run badmin take-over
  [[ $output == *"no host has obeyed a newer state"* ]]
  badmin backup old.tar
  lost=$(submit 'echo $$ >pid; exec sleep 1000')
  wait_for 20 in_state "$lost" running
  wait_for 10 test -s pid
  mini kill wmasterd
  state=$(state_dir)
  rm -f "$state"/*.db "$state"/*.db-*
  tar -xf old.tar -C "$state"
  mini start wmasterd || true
  wait_for 30 test -e "$state/outranked"
  wait_for 30 master_is_gone
  run mini start wmasterd
  grep -h 'badmin take-over' "$(dirname "$(dirname "$state")")"/log/master/* "$state"/../../log/* 2>/dev/null | grep -q 'newer state'
  kill -0 "$(cat pid)" # nobody was obeyed: it runs on
  badmin take-over -C 'the disk is lost'
  mini start wmasterd
  is "$kept" stat PSUSP
  gone() { ! kill -0 "$(cat pid)" 2>/dev/null; }
  wait_for 20 gone # unknown to the state that was chosen
  next=$(submit -o next.out echo here)
  [ "$next" -gt "$lost" ]
  bresume "$kept"
  ran_out "$kept"
  is "$kept" attempt 1001
  ran_out "$next"
  [ ! -e "$state/outranked" ]
  bhist -l "$kept" >/dev/null
}

@test "with unknown_jobs = adopt what runs is a job again, under its number" {
  badmin backup before.tar
  job=$(submit -o adopted.out 'while [ ! -e enough ]; do sleep 0.1; done; echo whole')
  wait_for 20 in_state "$job" running
  attempt=$(field "$job" attempt)
  mini kill wmasterd
  state=$(state_dir)
  rm -f "$state"/*.db "$state"/*.db-*
  tar -xf before.tar -C "$state"
  sed -i '1i unknown_jobs = adopt' "$WM_CONF_DIR/wm.conf"
  mini start wmasterd || true
  wait_for 30 test -e "$state/outranked"
  wait_for 30 master_is_gone
  badmin take-over -C 'the disk is lost again'
  mini start wmasterd
  wait_for 30 in_state "$job" running
  is "$job" attempt "$attempt"
  touch enough
  ran_out "$job"
  [ "$(state "$job")" = finished ]
  grep -qx whole adopted.out
  bacct -l "$job" >/dev/null
}
