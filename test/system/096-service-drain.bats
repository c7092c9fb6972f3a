#!/usr/bin/env bats
# Role: a host that is drained: routers and kernels of services and tasks of elastic jobs have others elsewhere
# before they leave, rigid jobs run to their end, nothing new starts there; opened again it is a host like any other.

load lib
setup_file() { cluster_up --web --nodes 3 --cpus 2; }
teardown_file() { cluster_down; }
setup() {
  cluster_env
  export HOME=$BATS_TEST_TMPDIR DLIM=$WM_GATEWAY_URL/dlim/v1
  cd "$BATS_TEST_TMPDIR" || return
}
last_words() { cat "$folder"/router* "$folder"/log/* 2>/dev/null; bhosts -l; }
after_each() {
  badmin hopen all
  end_all_jobs
  wait_for 30 bash -c '[ "$(bjobs 2>&1)" = "No unfinished job found" ]'
  [ -z "$folder" ] || dlim model undeploy -f ping
}

door() { curl -sS --cacert "$WM_GATEWAY_CA" -H "Authorization: Bearer $(dlim config -s)" "$@"; }
ask() { door --max-time 30 --data-binary "$2" "$DLIM/inference/$1"; }
router_says() { curl -sS --max-time 5 --unix-socket "$folder/router.sock" http://localhost/state; }
has_kernels() { [ "$(router_says | jq '.kernels | length')" = "$1" ]; }
hosts_of() { bjobs -noheader -o exec_host "$1" | tr ':' '\n' | sed 's/.*\*//' | sort; }
is_off() { ! hosts_of "$1" | grep -qx "$2"; } # JOB HOST
drain_says() { bhosts -l "$1" | sed -n 's/^ DRAIN *//p'; }
says() { [ "$(drain_says "$1")" = "$2" ]; }
host_is() { [ "$(bhosts -json "$1" | jq -r '.RECORDS[0].STATUS')" = "$2" ]; }
start_ping() { # KERNELS
  cp -r "$TOP/libwm/kernel/examples/ping" .
  echo '{"policy": {"kernel_min": '"$1"', "kernel_max": '"$1"', "schedule_interval": 1}, "kernel": {"connection_timeout": 20}}' >profile.json
  dlim model deploy -p ping && dlim model updateprofile ping -f profile.json
  dlim model start ping
  job=$(door "$DLIM/model/ping/instance" | jq -r '.instances[0].job_id')
  folder=$(dirname "$(find "$CLUSTER/results/" -path '*/services/ping/service.json')")
  wait_for 30 has_kernels "$1"
}
keep_asking() { # until there is a file "enough"; what was answered is in "codes"
  while [ ! -e enough ]; do
    door --max-time 30 -o answer -w '%{http_code} %header{retry-after}\n' --data-binary 1 "$DLIM/inference/ping" >>codes
    sleep 0.1
  done
}

@test "a kernel's host is drained: another one serves before it is asked to leave, and no request fails" {
  [ -x "$B/sbin/wrouter" ] || skip "services are not built"
  start_ping 2
  keep_asking &
  asking=$!
  host=$(comm -13 <(hosts_of "$job[1]" | sort -u) <(hosts_of "$job[2]" | sort -u) | head -1)
  [ -n "$host" ] || host=$(hosts_of "$job[2]" | tail -1)
  run badmin hclose -drain -C "new disk" "$host"
  [ "$output" = "Drain <$host> ...... done" ]
  host_is "$host" closed_Adm
  bhosts -l "$host" | grep -q 'ADMIN ACTION COMMENT: ".*: new disk"'
  wait_for 30 is_off "$job[2]" "$host"
  wait_for 10 has_kernels 2
  events "$job[2]" RESIZE | jq -r .REASON | grep -q "moved away from <$host>, which is drained"
  says "$host" "nothing is left there" || is_off "$job[1]" "$host"
  several() { [ "$(grep -c '^200' codes)" -ge 5 ]; }
  wait_for 30 several
  touch enough && wait "$asking"
  ! grep -vE '^(200 |503 [1-9][0-9]*)$' codes
}

@test "the router's host is drained: requests are answered by its successor, elsewhere" {
  [ -x "$B/sbin/wrouter" ] || skip "services are not built"
  start_ping 1
  host=$(hosts_of "$job[1]") before=$(cat "$folder/router.task")
  keep_asking &
  asking=$!
  badmin hclose -drain "$host"
  wait_for 30 is_off "$job[1]" "$host"
  wait_for 30 is_off "$job[2]" "$host"
  [ "$(cat "$folder/router.task")" != "$before" ]
  wait_for 10 has_kernels 1
  [ "$(ask ping two)" = "pong two" ]
  wait_for 10 says "$host" "nothing is left there"
  several() { [ "$(grep -c '^200' codes)" -ge 5 ]; }
  wait_for 30 several
  touch enough && wait "$asking"
  ! grep -vE '^(200 |503 [1-9][0-9]*)$' codes # answered, or told to come again; never left without a word
  echo "# $(grep -c '^200' codes) answered, $(grep -c '^503' codes) told to come again" >&3
  [ "$(bjobs -noheader -o stat "$job[1]")" = RUN ]
}

@test "a rigid job runs to its end, an elastic one moves, and nothing new starts there until it is opened" {
  folder=""
  fixed=$(submit -m node1 -n 1 'sleep 300')
  moves=$(submit -app training -ar -n 1,1 -m "node1 node2" 'exec sleep 300')
  wait_for 20 in_state "$fixed" running
  wait_for 20 in_state "$moves" running
  on_node1() { hosts_of "$moves" | grep -qx node1; }
  if ! on_node1; then badmin hclose -drain node2; wait_for 30 on_node1; badmin hopen node2; fi
  badmin hclose -drain node1
  wait_for 30 is_off "$moves" node1
  [ "$(hosts_of "$moves")" = node2 ]
  wait_for 20 says node1 "1 task runs to its end"
  in_state "$fixed" running
  waiting=$(submit -m node1 true)
  wait_for 10 in_state "$waiting" pending
  run bwhy "$waiting"
  [[ $output == *"Closed by LSF administrator"* ]]
  badmin hopen node1
  ran_out "$waiting"
  host_is node1 ok
  [ -z "$(drain_says node1)" ]
  [ "$(hosts_of "$moves")" = node2 ] # it stays where it is
  bkill "$fixed" "$moves"
}

@test "closed without -drain everything stays; -drain is hclose's alone, and hosts have to exist" {
  folder=""
  job=$(submit -app training -ar -n 1,1 'exec sleep 300')
  wait_for 20 in_state "$job" running
  host=$(hosts_of "$job")
  badmin hclose "$host"
  sleep 3
  [ "$(hosts_of "$job")" = "$host" ]
  [ -z "$(drain_says "$host")" ]
  run badmin hopen -drain "$host"
  [ "$status" -eq 255 ]
  [[ $output == *"-drain goes with hclose"* ]]
  run badmin hclose -drain nowhere
  [ "$status" -eq 255 ]
  [[ $output == *"nowhere: Bad host name"* ]]
  badmin hclose -drain "$host"
  wait_for 30 is_off "$job" "$host"
  badmin hist | grep -q "hclose <$host> by .*: drained"
}
