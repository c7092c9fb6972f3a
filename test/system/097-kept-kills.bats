#!/usr/bin/env bats
# Role: what has run is kept, whatever is killed: kill -9 of the master while runs end, are archived and forgotten, of the
# master and of the owner's daemon while runs are deleted. At every answer a run is found once; what was deleted stays so.

load lib
setup_file() {
  printf '[times]\nclean_period = 1s\n' >"$BATS_FILE_TMPDIR/wm.conf"
  cluster_up --web --nodes 1 --cpus 8 --conf "$BATS_FILE_TMPDIR/wm.conf"
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  cd "$BATS_TEST_TMPDIR" || return
  API=$WM_GATEWAY_URL/api/v1
}

mine() { curl -sS --cacert "$WM_GATEWAY_CA" -u "$(id -un):$WM_API_KEY" "$@"; }
answers() { [ "$(mine -o /dev/null -w '%{http_code}' "$API/runs?limit=1")" = 200 ]; }
runs() { mine "$API/runs?name=$1-*&limit=1000" | jq -r '.runs[].id' | sort; }
begin() { local n; for n in $(seq "$2"); do submit -app training -J "$1-$n" true; done; } # NAME COUNT
is_ended() { [[ $(bjobs -noheader -o stat "$1" 2>&1) =~ DONE|not\ found ]]; }
is_archived() { is_ended "$1" && badmin archive | grep -qE '^Jobs on their way +0$'; }
is_forgotten() { [[ $(bjobs "$1" 2>&1) == *"is not found"* ]]; }
kill_and_start() { "$MINICLUSTER" kill wmasterd && "$MINICLUSTER" start wmasterd && wait_for 30 answers; }

@test "a master that is killed while runs end, are archived and forgotten loses none and doubles none" {
  for phase in ended archived forgotten; do
    begin "kill-$phase" 12 >>wanted
    wait_for 20 is_$phase "$(tail -n 1 wanted)"
    kill_and_start
    diff <(sort wanted) <(runs kill)
  done
  wait_for 20 is_forgotten "$(tail -n 1 wanted)"
  diff <(sort wanted) <(runs kill)
}

# NAME COUNT DAEMON: deletes all, and kills as soon as the first is gone.
delete_and_kill() {
  fewer() { [ "$(runs "$1" | wc -l)" -lt "$2" ]; }
  mine --max-time 30 -X DELETE "$API/runs?name=$1-*&count=$2" >said 2>&1 &
  wait_for 20 fewer "$1" "$2"
  "$MINICLUSTER" kill "$3" || true # it may have none to do any more
  wait $! || true
}

@test "runs that were deleted while master and wuserd were killed stay deleted, the others are whole, also when the archive is made again" {
  begin gone 60 | sort >wanted
  all() { [ "$(mine "$API/runs?name=gone-*&state=finished&count=1" | jq .count)" = 60 ]; }
  wait_for 30 all
  delete_and_kill gone 60 wmasterd
  "$MINICLUSTER" start wmasterd
  wait_for 30 answers
  runs gone >left
  [ "$(comm -13 wanted left | wc -l)" = 0 ]
  if [ -s left ]; then
    delete_and_kill gone "$(wc -l <left)" wuserd
    wait_for 30 answers
  fi
  runs gone >rest
  [ "$(comm -13 left rest | wc -l)" = 0 ] # none came back
  [ "$(wc -l <rest)" -lt 60 ]
  while read -r job; do
    [ "$(mine "$API/runs/$job" | jq -r .run.state)" = finished ]
  done <rest
  badmin archive rebuild
  made_again() { ! badmin archive | grep -q 'made again'; }
  wait_for 30 made_again
  diff rest <(runs gone)
  kill_and_start
  diff rest <(runs gone)
  comm -23 wanted rest | head -n 3 | while read -r job; do
    [ "$(mine -o /dev/null -w '%{http_code}' "$API/runs/$job")" = 404 ]
    bacct -l "$job" | grep -q "Job <$job>"
  done
}
