#!/usr/bin/env bats
# Role: services outlive their hosts: a host whose cable is cut, with the router or with kernels, is
# replaced within 5 s, and nothing else happens when it is back. What nobody waits for is not computed.
# Root only.

load lib
setup_file() {
  [ "$(id -u)" -eq 0 ] && command -v ip nsenter >/dev/null || return 0
  printf '[node1]\nresources = gateway\n[node2]\nresources = gateway\n' >"$BATS_FILE_TMPDIR/hosts.conf"
  cluster_up --web --nodes 3 --cpus 2 --netns --conf "$BATS_FILE_TMPDIR/hosts.conf"
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
  echo '{"policy": {"kernel_min": 2, "kernel_max": 2, "schedule_interval": 1}, "kernel": {"connection_timeout": 20}}' >profile.json
  dlim model deploy -p ping && dlim model updateprofile ping -f profile.json
  dlim model start ping
  job=$(door "$DLIM/model/ping/instance" | jq -r '.instances[0].job_id')
  folder=$(dirname "$(find "$CLUSTER/results/" -path '*/services/ping/service.json')")
  wait_for 30 has_two
}
last_words() { cat "$folder"/router* "$folder"/log/*; }
after_each() {
  for n in 1 2 3; do ip link set "${bridge}v$n" up; done
  end_all_jobs
  wait_for 30 bash -c '[ "$(bjobs 2>&1)" = "No unfinished job found" ]'
  dlim model undeploy -f ping
}

door() { curl -sS --cacert "$WM_GATEWAY_CA" -H "Authorization: Bearer $(dlim config -s)" "$@"; }
ask() { door --max-time 30 --data-binary "$2" "$DLIM/inference/$1"; }
router_says() { curl -sS --max-time 5 --unix-socket "$folder/router.sock" http://localhost/state; }
has_two() { [ "$(router_says | jq '.kernels | length')" = 2 ]; }
hosts_of() { bjobs -noheader -o exec_host "$job[$1]" | tr ':' '\n' | sed 's/.*\*//' | sort -u; } # 1: the router's, 2: kernels'
host_is() { [ "$(bhosts -json "$1" | jq -r '.RECORDS[0].STATUS')" = "$2" ]; }
cut() { ip link set "${bridge}v${1#node}" down; cut_at=$(date +%s%N); }
join() { ip link set "${bridge}v${1#node}" up; }
# MS: no later after the cut.
within() {
  local took=$((($(date +%s%N) - cut_at) / 1000000))
  echo "# after $took ms" >&3
  [ "$took" -le "$1" ]
}

@test "the router's host is cut off: requests are answered from elsewhere within 5 s; back again, it changes nothing" {
  before=$(cat "$folder/router.task") host=$(hosts_of 1)
  (while [ ! -e enough ]; do
    door --max-time 30 -o /dev/null -w '%{http_code} %header{retry-after}\n' --data-binary 1 "$DLIM/inference/ping" >>codes
    sleep 0.1
  done) &
  asking=$!
  cut "$host"
  elsewhere() { [ "$(cat "$folder/router.task")" != "$before" ] && [ "$(ask ping one)" = "pong one" ]; }
  wait_for 20 elsewhere
  within 5000
  ! grep -vE '^(200 |503 [1-9][0-9]*)$' codes # answered, or told to come again; never left without a word
  now=$(cat "$folder/router.task")
  join "$host"
  alone() { [ "$(hosts_of 1 | wc -l)" = 1 ] && [ "$(hosts_of 1)" != "$host" ] && host_is "$host" ok; }
  wait_for 30 alone
  wait_for 20 has_two
  [ "$(cat "$folder/router.task")" = "$now" ]
  [ "$(ask ping two)" = "pong two" ]
  touch enough && wait "$asking"
  ! grep -vE '^(200 |503 [1-9][0-9]*)$' codes
  [ "$(bjobs -noheader -o 'stat' "$job[1]")" = RUN ]
}

@test "a kernel's host is cut off: its place is taken on another one, and what it had is answered" {
  host=$(comm -13 <(hosts_of 1) <(hosts_of 2) | head -1)
  [ -n "$host" ]
  for n in 1 2 3 4; do ask ping "sleep 1" >"said$n" & done
  sleep 0.3
  cut "$host"
  kept() { [ "$(router_says | jq --arg gone "$host" '[.kernels[] | select(.host != $gone)] | length')" = 2 ]; }
  wait_for 20 kept
  within 5000
  wait
  for n in 1 2 3 4; do [ "$(cat "said$n")" = "pong sleep 1" ]; done
  join "$host"
  wait_for 30 host_is "$host" ok
  back() { [ "$(bjobs -noheader -o slots "$job[2]")" = 2 ] && has_two; }
  wait_for 30 back
}

@test "requests whose clients have left are not computed" {
  for n in 1 2; do ask ping "sleep 15" >/dev/null & done
  busy() { [ "$(router_says | jq .in_flight)" = 2 ]; }
  wait_for 10 busy
  token=$(dlim config -s)
  for n in 1 2 3 4 5 6; do
    curl -sS --cacert "$WM_GATEWAY_CA" -H "Authorization: Bearer $token" --max-time 5 -d "sleep 9$n" "$DLIM/inference/ping" &
  done
  queued() { [ "$(router_says | jq .queued)" = 6 ]; }
  wait_for 5 queued
  none() { [ "$(router_says | jq .queued)" = 0 ]; }
  wait_for 8 none # while both kernels are busy still
  busy
  wait
  [ "$(ask ping after)" = "pong after" ]
  [ "$(router_says | jq .finished)" = 3 ]
}
