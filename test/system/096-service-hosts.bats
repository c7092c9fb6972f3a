#!/usr/bin/env bats
# Role: an inference service over hosts that have a network of their own each: a router on each host with a
# web door, kernels of all hosts at both. Root only.

load lib
setup_file() {
  [ "$(id -u)" -eq 0 ] && command -v ip nsenter >/dev/null || return 0
  printf '[node1]\nresources = gateway\n[node2]\nresources = gateway\n' >"$BATS_FILE_TMPDIR/hosts.conf"
  printf '[times]\nsilent_after = 2s\n' >"$BATS_FILE_TMPDIR/wm.conf"
  cluster_up --web --nodes 3 --cpus 2 --netns --conf "$BATS_FILE_TMPDIR/hosts.conf" --conf "$BATS_FILE_TMPDIR/wm.conf"
}
teardown_file() { cluster_down; }
setup() {
  [ "$(id -u)" -eq 0 ] || skip "network namespaces need root"
  command -v ip nsenter >/dev/null || skip "no ip or nsenter: run scripts/bootstrap"
  cluster_env
  [ -x "$B/sbin/wrouter" ] || skip "services are not built"
  export HOME=$BATS_TEST_TMPDIR DLIM=$WM_GATEWAY_URL/dlim/v1
  cd "$BATS_TEST_TMPDIR" || return
  cp -r "$TOP/libwm/kernel/examples/ping" .
  bridge=wm$(sed -n 's/^master_port = //p' "$WM_CONF_DIR/wm.conf")
  # On all three hosts, whichever have room: two routers and three kernels are five of six slots.
  echo '{"replica": 2, "policy": {"kernel_min": 3, "kernel_max": 3, "schedule_interval": 1}, "kernel": {"connection_timeout": 20}}' >profile.json
  dlim model deploy -p ping && dlim model updateprofile ping -f profile.json
  dlim model start ping
  job=$(door "$DLIM/model/ping/instance" | jq -r '.instances[0].job_id')
  folder=$(dirname "$(find "$CLUSTER/results/" -path '*/services/ping/service.json')")
  wait_for 30 both_have_three
}
last_words() { cat "$folder"/router* "$folder"/log/*; }
after_each() {
  end_all_jobs
  wait_for 20 bash -c '[ "$(bjobs 2>&1)" = "No unfinished job found" ]'
  dlim model undeploy -f ping
}

door() { curl -sS --cacert "$WM_GATEWAY_CA" -H "Authorization: Bearer $(dlim config -s)" "$@"; }
ask() { door --data-binary "$2" "$DLIM/inference/$1"; }
said_by() { curl -sS --unix-socket "$folder/$1.sock" http://localhost/state; }
kernels_at() { said_by "$1" | jq '.kernels | length'; }
both_have_three() { [ "$(kernels_at router)" = 3 ] && [ "$(kernels_at router-1)" = 3 ]; }
both_serve() { # six requests, three each
  local first second
  first=$(said_by router | jq .finished) second=$(said_by router-1 | jq .finished)
  for n in 1 2 3 4 5 6; do [ "$(ask ping "$n")" = "pong $n" ] || return; done
  [ "$(said_by router | jq .finished)" -eq $((first + 3)) ] && [ "$(said_by router-1 | jq .finished)" -eq $((second + 3)) ]
}

@test "routers are on the hosts with a web door, one each, and kernels of all hosts are at both" {
  [ "$(bjobs -noheader -o exec_host "$job[1]" | tr ':' '\n' | sed 's/.*\*//' | sort | tr '\n' ' ')" = "node1 node2 " ]
  [ "$(sed 's/:.*//' "$folder/router" "$folder/router-1" | sort -u | grep -c '^10\.')" = 2 ]
  for router in router router-1; do [ "$(said_by $router | jq -r '.kernels[].host' | sort -u | wc -l)" -ge 2 ]; done
  wait_for 20 both_serve
  has_wanted() { [ "$(said_by router | jq .wanted)" = 3 ]; }
  wait_for 20 has_wanted
}

@test "a profile that is written at one door is seen by the router of the other" {
  jq '.policy.task_execution_timeout = 1' profile.json >quick.json
  slow() { curl -sS -o /dev/null -w '%{http_code}' --unix-socket "$folder/router-1.sock" -d 'sleep 3' http://localhost/inference; }
  [ "$(slow)" = 200 ]
  # As the other door would have it: the file alone.
  jq '.policy.task_execution_timeout = 1' "$folder/profile.json" >"$folder/profile.json.new"
  mv "$folder/profile.json.new" "$folder/profile.json"
  late() { [ "$(slow)" = 504 ]; }
  wait_for 20 late
}

@test "while a cable is cut every request is answered, by a kernel or as too late, and all are back when it is" {
  jq '.policy.task_execution_timeout = 2' profile.json >quick.json
  dlim model updateprofile ping -f quick.json
  ip link set "${bridge}v3" down
  for n in $(seq 10); do
    said=$(ask ping "$n")
    [ "$said" = "pong $n" ] || [[ $said == "Inference service for model ping"* ]] || { echo "$said"; return 1; }
    echo "$said" >>said
  done
  grep -q pong said # of a host that is not cut off
  ip link set "${bridge}v3" up
  wait_for 60 both_have_three
  wait_for 20 both_serve
}
