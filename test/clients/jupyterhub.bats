#!/usr/bin/env bats
# Role: Debian's JupyterHub, unmodified, with a spawner that types what batchspawner types: a user's server is a job, is
# reached through the hub, survives the hub, and ends with a click.

load lib
setup_file() { cluster_up --nodes 2 --cpus 2 --mem 4G; }
teardown_file() { cluster_down; }
setup() { client jupyterhub jupyterhub-singleuser configurable-http-proxy jq; cluster_env; cd "$BATS_TEST_TMPDIR" || return; }
after_each() {
  [ ! -s hub.pid ] || kill "$(cat hub.pid)" 2>/dev/null || true
  end_all_jobs
}

free() { $PYTHON -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
hub_up() {
  jupyterhub -f "$BATS_TEST_DIRNAME/jupyterhub_config.py" >>hub.log 2>&1 3>&- &
  echo $! >hub.pid
  wait_for 30 hub GET /
}
hub() { curl -sS --fail -X "$1" -H "Authorization: token $HUB_TOKEN" "http://127.0.0.1:$HUB_PORT/hub/api$2" "${@:3}"; }
server() { hub GET "/users/$USER" | jq -r '.servers[""].ready // false'; }
is_ready() { [ "$(server)" = true ]; }
is_gone() { [ "$(server)" = false ]; }
reached() { curl -sS --fail -H "Authorization: token $HUB_TOKEN_OF_USER" "http://127.0.0.1:$HUB_PORT/user/$USER/api/status" | jq -e .started; }

@test "a user's server is a job that the hub starts, reaches, finds again and ends" {
  export NODE_PATH=/usr/share/nodejs # another node than Debian's does not look there
  export HOME=$BATS_TEST_TMPDIR USER=$(id -un) HUB_PORT=$(free) HUB_API_PORT=$(free) HUB_PROXY_PORT=$(free)
  export HUB_TOKEN=0123456789abcdef0123456789abcdef CONFIGPROXY_AUTH_TOKEN=fedcba9876543210fedcba9876543210
  hub_up || { tail -n 30 hub.log; return 1; }
  hub POST "/users/$USER"
  hub POST "/users/$USER/server"
  wait_for 60 is_ready || { tail -n 30 hub.log .jupyterhub.lsf.err; return 1; }
  job=$(bjobs -noheader -o jobid -J spawner-jupyterhub)
  [ "$(field "$job" stat)" = RUN ]
  HUB_TOKEN_OF_USER=$(hub POST "/users/$USER/tokens" -d '{}' | jq -r .token)
  wait_for 20 reached
  # the hub goes and comes back, the server stays
  kill -KILL "$(cat hub.pid)"
  in_state "$job" running
  hub_up
  wait_for 30 is_ready
  wait_for 20 reached
  [ "$(bjobs -noheader -o jobid -J spawner-jupyterhub)" = "$job" ]
  hub DELETE "/users/$USER/server"
  wait_for 20 in_state "$job" killed
  wait_for 20 is_gone
}
