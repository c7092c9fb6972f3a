#!/usr/bin/env bats
# Role: notebooks on real daemons: Jupyter as a job, reached through the door on an origin of its own,
# by its owner alone; kernels by REST and WebSocket; warned and ended when idle; any other application.

load lib
setup_file() {
  cat >"$BATS_FILE_TMPDIR/apps.conf" <<'C'
[quick]
type = notebook
command = wm-notebook
idle_limit = 10s
idle_warning = 2s
idle_cpu = 60
[while-busy]
type = notebook
command = wm-notebook --gpu-while-busy 'num=1 -W 0:10'
[curves]
type = notebook
command = wm-notebook --strip wm-curves
[files]
type = notebook
description = The files of a folder
command = wm-notebook --strip python3 -m http.server --bind 127.0.0.1 %p
C
  cluster_up --web --nodes 1 --cpus 4 --gpus 1 --conf "$BATS_FILE_TMPDIR/apps.conf"
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  export HOME=$BATS_TEST_TMPDIR API=$WM_GATEWAY_URL/api/v1/notebooks
  cd "$BATS_TEST_TMPDIR" || return
  JAR=$BATS_TEST_TMPDIR/jar
}

need_jupyter() { command -v jupyter-notebook >/dev/null || skip "no jupyter-notebook (scripts/bootstrap)"; }
door() { curl -sS --cacert "$WM_GATEWAY_CA" "$@"; }
mine() { door -u "$(id -un):$WM_API_KEY" "$@"; }
code_of() { door -o /dev/null -w '%{http_code}' "$@"; }
start() { mine -d "$1" "$API" | jq -r .id; }
web() { mine "$API/$1" | jq -r ".web.$2"; }
web_is() { [ "$(web "$1" "$2")" = "$3" ]; }
ticket_of() { mine -d "{\"job\": \"$1\"}" "$WM_GATEWAY_URL/auth/v1/app" | jq -r .ticket; }
# What a browser does with the page's form.
enter() { door -b "$JAR" -c "$JAR" -H "Origin: $WM_GATEWAY_URL" --data-urlencode "ticket=$(ticket_of "$1")" -o /dev/null -w '%{http_code} %{redirect_url}' "$WM_APPS_URL/_open"; }
open_notebook() { # ID
  wait_for 30 web_is "$1" state ready
  [ "$(enter "$1")" = "303 $WM_APPS_URL/$1/" ]
  wait_for 30 reached "$1"
}
reached() { [ "$(apps "/$1/" -o /dev/null -w '%{http_code}')" -lt 400 ]; }
apps() { door -b "$JAR" -c "$JAR" "$WM_APPS_URL$1" "${@:2}"; }
answers() { [ "$(apps "$1" -o /dev/null -w '%{http_code}')" = "${2:-200}" ]; }

@test "bsub -app notebook runs Jupyter, which its owner reaches and nobody else" {
  need_jupyter
  job=$(submit -app notebook </dev/null)
  [ "$(field "$job" job_name)" = notebook ]
  open_notebook "$job"
  apps "/$job/api/status" | jq -e .started
  answers "/$job/tree"
  # no cookie, another job's cookie, a forged one, another origin, a ticket that was used
  [ "$(code_of "$WM_APPS_URL/$job/api/status")" = 404 ]
  [ "$(door -o /dev/null -w '%{http_code} %{redirect_url}' -H 'Accept: text/html' "$WM_APPS_URL/$job/tree")" = "302 $WM_GATEWAY_URL/notebooks/$job" ]
  sed "s/app-$job/app-99/" "$JAR" >other
  [ "$(code_of -b other "$WM_APPS_URL/99/api/status")" = 404 ]
  answers "/$job/api/status" 200
  [ "$(apps "/$job/api/status" -H 'Origin: https://elsewhere' -o /dev/null -w '%{http_code}')" = 404 ]
  token=$(mine "$WM_GATEWAY_URL/auth/v1/logon" | jq -r .accessToken)
  [ "$(code_of -H "Cookie: __Host-wm=$token" "$WM_APPS_URL/$job/api/status")" = 404 ]
  [ "$(code_of -H "X-Auth-Token: $token" "$WM_APPS_URL/$job/api/status")" = 404 ]
  [ "$(code_of -u "$(id -un):$WM_API_KEY" -H "X-WM-App: $job" "$WM_GATEWAY_URL/$job/api/status")" = "$(page_code)" ] # a page, not the notebook
  ticket=$(ticket_of "$job")
  post() { code_of -H "Origin: $1" --data-urlencode "ticket=$ticket" "$WM_APPS_URL/_open"; }
  [ "$(post https://elsewhere)" = 401 ]
  [ "$(post "$WM_APPS_URL")" = 401 ]
  [ "$(post "$WM_GATEWAY_URL")" = 303 ]
  [ "$(post "$WM_GATEWAY_URL")" = 401 ]
  # nothing listens at a port, and its socket is its owner's
  address=$(web "$job" address)
  [ "$(stat -c %a "$address")" = 600 ]
  # nobody's log has the way in
  ! grep -rqF -e "$ticket" -e "$token" "$CLUSTER/log" "$(result_dir "$job")"
}

@test "a kernel runs cells, over the WebSocket that a browser uses, and knows the door" {
  need_jupyter
  job=$(start '{"name": "cells"}')
  open_notebook "$job"
  answers "/$job/tree" # which brings the cookie against forged requests
  $PYTHON "$BATS_TEST_DIRNAME/notebook_client.py" "$WM_APPS_URL/$job/" "$JAR" '6*7' 'import os; len(os.environ["USER_ACCESS_TOKEN"]) > 99' \
    'open(os.environ["USER_ACCESS_TOKEN_FILE"]).read().startswith("eyJ")' \
    'import subprocess; subprocess.run(["dlim", "model", "list"], capture_output=True, text=True).returncode' >said
  diff said - <<<$'42\nTrue\nTrue\n0'
  ! grep -rqs USER_ACCESS_TOKEN= "$CLUSTER/state" || { echo "the master has a token"; return 1; }
}

@test "it waits in the queue like any job, says its place, and is cancelled there" {
  holder=$(submit -n 4 sleep 1000)
  wait_for 20 in_state "$holder" running
  job=$(start '{"name": "waits"}')
  next=$(start '{"name": "waits too"}')
  mine "$API/$next" | jq -e '.job.wm_state == "pending" and .ahead == 1 and (.job.pend_reason | length) > 0'
  mine "$API" | jq -e "[.notebooks[].id] | index(\"$job\") != null and index(\"$next\") != null"
  [ "$(code_of -u "$(id -un):$WM_API_KEY" -X DELETE "$API/$next")" = 204 ]
  wait_for 20 in_state "$next" killed
  [ "$(code_of -u "$(id -un):$WM_API_KEY" "$API/$holder")" = 404 ]
  [ "$(code_of -u "$(id -un):$WM_API_KEY" "$API/9999")" = 404 ]
  enter "$job"
  answers "/$job/" 503
  bkill "$job" "$holder"
  wait_for 20 in_state "$job" killed
  wait_for 20 answers "/$job/" 410
}

@test "an idle one is warned and ended; one that is used or extended is not" {
  need_jupyter
  job=$(start '{"profile": "quick"}')
  kept=$(start '{"profile": "quick"}')
  extended() { mine -d '{"minutes": 5}' "$API/$kept/extend" | jq -e .until; } # as soon as it runs
  wait_for 30 extended
  wait_for 30 in_state "$job" finished
  web_is "$job" state idle
  grep -q "not used since .* it ends at" "$(result_dir "$job")/log/1/stdout"
  in_state "$kept" running
  [ "$(code_of -u "$(id -un):$WM_API_KEY" -X POST "$API/$kept/stop")" = 204 ]
  wait_for 30 in_state "$kept" killed
  [ ! -e "$(web "$kept" token_file)" ] # gone with what it was for
  [ "$(mine -o /dev/null -w '%{http_code}' -d '{}' "$API/$kept/extend")" = 409 ]
}

@test "curves of what trainings report, run by run" {
  train=$(submit -app training -J fit "$PYTHON" -c 'import os
os.makedirs(os.environ["LOG_DIR"], exist_ok=True)
from emetrics import EMetrics
with EMetrics.open() as e:
    for i in range(9): e.record("train", i, {"loss": 1 / (i + 1)})')
  ran_out "$train"
  [ "$(state "$train")" = finished ] || { cat "$(result_dir "$train")"/log/*/stderr; return 1; }
  job=$(start '{"profile": "curves"}')
  open_notebook "$job"
  apps "/$job/?run=$train" >page
  grep -q '<figcaption>train/loss: 0.1111<' page
  [ "$(apps "/$job/../$train" -o /dev/null -w '%{http_code}')" = 404 ]
}

@test "a cell of its own GPU: bound while it runs, and free before and after" {
  need_jupyter
  job=$(start '{"name": "thinks"}')
  open_notebook "$job"
  answers "/$job/tree"
  $PYTHON "$BATS_TEST_DIRNAME/notebook_client.py" "$WM_APPS_URL/$job/" "$JAR" 'import os; os.environ.get("CUDA_VISIBLE_DEVICES", "")' \
    'get_ipython().run_line_magic("load_ext", "wm_gpu_cell"); x = 20' $'%%gpu num=1 -W 0:10\nimport os\ny = x + 1\nlen(os.environ["CUDA_VISIBLE_DEVICES"])' \
    'y * 2' >said
  grep -qx 42 said || { cat said; bjobs -a -l; return 1; }
  grep -qxE '[1-9][0-9]*' said
  [ "$(bjobs -a -noheader -o stat -J gpu-cell)" = DONE ]
  [ "$(bhosts -gpu -noheader -o njobs 2>/dev/null | head -1 | tr -d ' ')" = 0 ] || bhosts -gpu
}

@test "a profile whose cells have a GPU while they run, without a word in the notebook" {
  need_jupyter
  job=$(start '{"profile": "while-busy"}')
  open_notebook "$job"
  answers "/$job/tree"
  $PYTHON "$BATS_TEST_DIRNAME/notebook_client.py" "$WM_APPS_URL/$job/" "$JAR" $'import os' \
    $'y = "in " + os.environ["LSB_JOBNAME"] + " with " + os.environ["CUDA_VISIBLE_DEVICES"]' '%pwd' 'y' >said
  grep -q 'in gpu-cell with [0-9G]' said || { cat said; bjobs -a -l; return 1; }
  [ "$(bjobs -a -noheader -o stat -J gpu-cell | sort -u)" = DONE ]
}

@test "any application by profile, through restarts of the master, the gateway and wuserd" {
  echo hello >file.txt
  job=$(start "{\"profile\": \"files\", \"folder\": \"$PWD\"}")
  open_notebook "$job"
  [ "$(apps "/$job/file.txt")" = hello ]
  mine "$API" | jq -e '.profiles | map(.name) | index("files") != null'
  "$MINICLUSTER" kill wmasterd
  "$MINICLUSTER" start wmasterd
  "$MINICLUSTER" kill wgatewayd
  "$MINICLUSTER" start wgatewayd
  "$MINICLUSTER" kill wuserd
  still_there() { [ "$(apps "/$job/file.txt")" = hello ]; }
  wait_for 20 still_there
  in_state "$job" running
  head -c 3000000 /dev/urandom >large
  apps "/$job/large" -o got
  cmp large got
  # log-off closes it
  token=$(mine "$WM_GATEWAY_URL/auth/v1/logon" | jq -r .accessToken)
  ticket=$(door -H "X-Auth-Token: $token" -d "{\"job\": \"$job\"}" "$WM_GATEWAY_URL/auth/v1/app" | jq -r .ticket)
  door -b none -c none -H "Origin: $WM_GATEWAY_URL" --data-urlencode "ticket=$ticket" "$WM_APPS_URL/_open"
  [ "$(code_of -b none "$WM_APPS_URL/$job/file.txt")" = 200 ]
  door -H "X-Auth-Token: $token" -X POST "$WM_GATEWAY_URL/auth/v1/logoff"
  [ "$(code_of -b none "$WM_APPS_URL/$job/file.txt")" = 404 ]
}

@test "an application's headers send the door nowhere: its owner's token stays inside" {
  cat >redirects.py <<'P'
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        for name, value in (('X-Accel-Redirect', '/_visit'), ('Content-Length', '4')):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(b'own\n')
http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
P
  job=$(submit -app notebook wm-notebook --strip python3 redirects.py %p)
  open_notebook "$job"
  apps "/$job/" -i >said
  ! grep -qi '^x-token\|^x-agent' said
  [ "$(tail -n 1 said)" = own ] || { cat said; return 1; }
  bkill "$job"
}

@test "wrong requests are refused with the reason" {
  refused() { [[ $(mine -d "$1" "$API") == *"$2"* ]] || { mine -d "$1" "$API"; return 1; }; }
  refused '{"profile": "nothing"}' "No such application profile"
  refused '{"gpus": -1}' "gpus: a number up to 1024 is wanted"
  refused '{"name": 7}' "name: a text is wanted"
  refused 'x' "a JSON object is wanted"
  refused '{"profile": "batch"}' "Empty job"
  [[ $(mine -d '{"job": "../1"}' "$WM_GATEWAY_URL/auth/v1/app") == *"the number of a job is wanted"* ]]
  run wm-notebook
  [ "$status" -eq 2 ]
  [[ $output == *"bsub -app notebook"* ]]
}
