#!/usr/bin/env bats
# Role: plans divide the cluster as their shares say; a higher queue goes first without killing.

load lib
setup_file() {
  printf '[/]\nshares = 1\n[/big]\nshares = 3\n[/small]\nshares = 1\n' >"$BATS_FILE_TMPDIR/plans.conf"
  cluster_up --nodes 4 --cpus 1 --gpus 1 --conf "$BATS_FILE_TMPDIR/plans.conf"
}
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; cp "$BATS_TEST_DIRNAME/small_train.py" .; }

train() { submit -app training -ar -n 1,4 -gpu num=1 -plan "$1" $PYTHON small_train.py "$2" 10; }
holds() { is "$1" nalloc_slot "$2"; }
plan() { bplans -json | jq -r --arg p "$1" --arg k "$2" '.RECORDS[] | select(.PLAN == $p) | .[$k]'; }

@test "shares 3 to 1 give 3 and 1" {
  big=$(train /big 40000)
  wait_for 40 holds "$big" 4
  small=$(train /small 40000)
  wait_for 30 holds "$big" 3
  wait_for 30 holds "$small" 1
  [ "$(plan /big USED)" -eq 3 ]
  [ "$(plan /small USED)" -eq 1 ]
  run bplans
  [[ $output == *big*small* ]]
}

@test "a rigid job of a higher queue shrinks the elastic one, which grows back" {
  job=$(train /big 40000)
  wait_for 40 holds "$job" 4
  rigid=$(submit -q urgent -app training -n 2 -gpu num=1 'while [ ! -e go ]; do sleep 0.1; done')
  wait_for 20 in_state "$rigid" running
  holds "$job" 2
  in_state "$job" running
  touch go
  ran_out "$rigid"
  [ "$(state "$rigid")" = finished ]
  wait_for 20 holds "$job" 4
  is "$job" attempt 1
}

@test "resizes are in bhist with their reason" {
  job=$(train /big 40000)
  wait_for 40 holds "$job" 4
  bresize release 2 "$job"
  wait_for 10 events_of "$job" RESIZE 1
  [ -n "$(events "$job" RESIZE | tail -1 | jq -r .REASON)" ]
}
