#!/usr/bin/env bats
# Role: the thin thread through the web door on real daemons: log on, start, follow, fetch, stop, by
# curl and dlicmd; who has no token, or a hostile archive, gets nothing.

load lib
setup_file() {
  local conf=$BATS_FILE_TMPDIR
  mkdir -p "$conf/volume/below" "$conf/venv/bin" "$conf/conda/etc/profile.d" "$conf/conda/envs/e/bin" "$conf/modules/init"
  printf '[own]\nlike = PyTorch\nvenv = %s/venv\n[gone]\nlike = PyTorch\nvenv = %s/none\n[roles]\nlike = disttensorflow\nmodule =\n' \
    "$conf" "$conf" >"$conf/frameworks.conf"
  printf '[stub]\nlike = PyTorch\nconda_home = %s/conda\nconda_env = e\nmodule =\nenv_modules = cuda\n' "$conf" >>"$conf/frameworks.conf"
  printf '[digits]\npath = %s/volume\n[others]\npath = /\ngroups = nosuchgroup\n' "$conf" >"$conf/volumes.conf"
  printf '[two]\ncpus = 2\n' >"$conf/hwspecs.conf"
  # What takes a second to make for real stands for itself: the interpreter says where it was begun.
  printf '#!/bin/sh\nexec %s "$@"\n' "$PYTHON" >"$conf/conda/envs/e/bin/python3" && chmod +x "$conf/conda/envs/e/bin/python3"
  printf 'conda() { [ "$1 $2" = "activate e" ] && PATH=%s/conda/envs/e/bin:$PATH && export WORD=$WORD-conda; }\n' "$conf" >"$conf/conda/etc/profile.d/conda.sh"
  printf 'module() { export WORD=$1-$2; }\n' >"$conf/modules/init/sh"
  cluster_up --web --nodes 2 --cpus 2 --conf "$conf/frameworks.conf" --conf "$conf/volumes.conf" --conf "$conf/hwspecs.conf"
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  cd "$BATS_TEST_TMPDIR" || return
  EXECS=$WM_GATEWAY_URL/platform/rest/deeplearning/v1/execs
  mkdir code && cp "$BATS_TEST_DIRNAME/web_code.py" code/main.py
}

door() { curl -sS --cacert "$WM_GATEWAY_CA" "$@"; }
mine() { door -u "$(id -un):$WM_API_KEY" "$@"; }
code_of() { door -o /dev/null -w '%{http_code}' "$@"; }
exec_state() { mine "$EXECS/$1" | jq -r .state; }
exec_is() { [ "$(exec_state "$1")" = "$2" ]; }
pack() { tar -czf code.modelDir.tar code; }
start() { # ARGS [curl options]
  mine "${@:2}" -F file=@code.modelDir.tar "$EXECS/?args=${1// /%20}"
}

@test "a token is given for the API key alone, and opens the door in three ways" {
  run door -u "$(id -un):wrong" "$WM_GATEWAY_URL/auth/v1/logon"
  [[ $output == "Error 401: "* ]]
  token=$(mine "$WM_GATEWAY_URL/auth/v1/logon" | jq -r .accessToken)
  [ "$(code_of "$EXECS/")" = 401 ]
  [ "$(code_of -H "Authorization: Bearer $token" "$EXECS/")" = 200 ]
  [ "$(code_of -H "X-Auth-Token: $token" "$EXECS")" = 200 ]
  [ "$(code_of -H "Cookie: __Host-wm=$token" "$EXECS")" = 200 ]
  [ "$(code_of -H "Cookie: __Host-wm=$token" -X DELETE "$EXECS")" = 401 ]
  [ "$(code_of -H "X-Auth-Token: ${token%?}x" "$EXECS")" = 401 ]
  none=$(printf '{"alg":"none","typ":"JWT"}' | base64 | tr -d =)
  [ "$(code_of -H "X-Auth-Token: $none.${token#*.}" "$EXECS")" = 401 ]
}

@test "Cloud Pak's own log-on gives a token, too" {
  body=$(jq -n --arg u "$(id -un)" --arg k "$WM_API_KEY" '{username: $u, api_key: $k}')
  token=$(door -X POST -H 'Content-Type: application/json' -d "$body" "$WM_GATEWAY_URL/icp4d-api/v1/authorize" | jq -r .token)
  [ "$(code_of -H "Authorization: Bearer $token" "$EXECS")" = 200 ]
}

@test "a token that is logged off opens nothing, not even after a restart" {
  token=$(mine "$WM_GATEWAY_URL/auth/v1/logon" | jq -r .accessToken)
  other=$(mine "$WM_GATEWAY_URL/auth/v1/logon" | jq -r .accessToken)
  [ "$(code_of -H "X-Auth-Token: $token" -X POST "$WM_GATEWAY_URL/auth/v1/logoff")" = 200 ]
  [ "$(code_of -H "X-Auth-Token: $token" "$EXECS")" = 401 ]
  "$MINICLUSTER" kill wgatewayd
  "$MINICLUSTER" start wgatewayd
  [ "$(code_of -H "X-Auth-Token: $token" "$EXECS")" = 401 ]
  [ "$(code_of -H "X-Auth-Token: $other" "$EXECS")" = 200 ]
}

@test "an execution runs, is a job like any other, and gives its log and results" {
  pack
  run start "--exec-start PyTorch --model-main main.py --model-dir code --msd-env WORD=well --lr 0.1"
  id=$(jq -r .id <<<"$output")
  [ "$(jq -r .appId <<<"$output")" = "$id" ] || { echo "$output"; return 1; }
  wait_for 30 exec_is "$id" FINISHED
  is "${id##*-}" wm_state finished
  run mine "$EXECS/$id/log?logType=outlog"
  [[ $output == *"lr 0.1 well"* ]] || { echo "$output"; return 1; }
  mine -D head -o result.zip "$EXECS/$id/result"
  grep -qi "^content-disposition: attachment;filename=dlpd-model-1-1$id-result.zip;size=$(stat -c %s result.zip)" head
  $PYTHON -m zipfile -l result.zip | grep -q model/answer.txt
  [ -f "$CLUSTER/results/$(id -un)/batchworkdir/${id##*-}/_submitted_code/code/main.py" ]
  [ "$(field "${id##*-}" exec_id)" = "$id" ]
  [ "$(code_of -u "$(id -un):$WM_API_KEY" -X DELETE "$EXECS/$id")" = 204 ]
  [ ! -e "$CLUSTER/results/$(id -un)/batchworkdir/${id##*-}" ]
  run mine "$EXECS/$id"
  [ "$output" = "Error 400: execution $id does not exist" ]
}

@test "a large upload passes, whole" {
  head -c 8000000 /dev/urandom >code/large.bin && pack
  id=$(start "--exec-start PyTorch --model-main main.py" | jq -r .id)
  wait_for 30 exec_is "$id" FINISHED
  cmp code/large.bin "$CLUSTER/results/$(id -un)/batchworkdir/${id##*-}/_submitted_code/code/large.bin"
}

@test "one Idempotency-Key makes one execution, however often it comes" {
  pack
  before=$(mine "$EXECS" | jq length)
  for _ in 1 2 3; do start "--exec-start PyTorch --model-main main.py" -H "Idempotency-Key: once" >>answers & done
  wait
  [ "$(jq -r .id answers | sort -u | wc -l)" -eq 1 ]
  [ "$(mine "$EXECS" | jq length)" -eq $((before + 1)) ]
}

@test "an execution that waits longer than it wants to is ended" {
  pack
  holder=$(submit -n 4 sleep 100)
  id=$(start "--exec-start distPyTorch --numWorker 4 --model-main main.py --msd-pending-timeout 1" | jq -r .id)
  over() { [[ $(exec_state "$id") =~ ^(KILLED|ERROR)$ ]]; }
  wait_for 20 over
  bkill "$holder"
}

@test "dlicmd starts, stops and lists; bkill reaches the same job" {
  export HOME=$BATS_TEST_TMPDIR DLICMD_POLL_S=0.1
  dlicmd --exec-start PyTorch --appName sleepy --model-main main.py --model-dir code -- --sleep 100 >said
  id=$(tail -n +3 said | jq -r .execId)
  wait_for 30 exec_is "$id" RUNNING
  dlicmd --exec-get-all | grep -q sleepy
  [ "$(dlicmd --exec-stop "$id")" = "Stop exec $id succeed. HTTP:204 " ]
  dlicmd --app-wait "$id" | grep -qx KILLED
  id=$(dlicmd --exec-start PyTorch --model-main main.py --model-dir code -- --sleep 100 | tail -n +3 | jq -r .execId)
  bkill "${id##*-}"
  wait_for 30 exec_is "$id" KILLED
}

@test "hostile archives and requests are refused whole, with the reason" {
  before=$(ls "$CLUSTER/results/$(id -un)/incoming" | wc -l)
  ln -s /etc code/out && pack
  run start "--exec-start PyTorch --model-main main.py"
  [[ $output == "Error 400: archive: "*"leads out of its folder" ]] || { echo "$output"; return 1; }
  rm code/out && pack
  run start "--exec-start PyTorch --model-main ../../x.py"
  [[ $output == "Error 400: "* ]]
  run start "--exec-start tensorflow --model-main main.py"
  [ "$output" = "Error 400: framework tensorflow: the Python module tensorflow is not installed" ]
  run start "--exec-start nothing --model-main main.py"
  [[ $output == "Error 400: framework 'nothing' is not known"* ]]
  [ "$(ls "$CLUSTER/results/$(id -un)/incoming" | wc -l)" -eq "$before" ]
}

@test "what is killed comes again: wuserd, wgatewayd, nginx" {
  [ "$(code_of -u "$(id -un):$WM_API_KEY" "$EXECS")" = 200 ]
  "$MINICLUSTER" kill wuserd
  wait_for 10 test "$(code_of -u "$(id -un):$WM_API_KEY" "$EXECS")" = 200
  "$MINICLUSTER" kill wgatewayd
  "$MINICLUSTER" start wgatewayd
  [ "$(code_of -u "$(id -un):$WM_API_KEY" "$EXECS")" = 200 ]
  "$MINICLUSTER" kill nginx
  "$MINICLUSTER" start nginx
  [ "$(code_of -u "$(id -un):$WM_API_KEY" "$EXECS")" = 200 ]
}

@test "the scheduler's rows: applications, their logs, the tree of plans" {
  pack
  id=$(start "--exec-start PyTorch --appName seen --model-main main.py --consumer /$(lsid | sed -n 's/My cluster name is //p')" | jq -r .id)
  wait_for 30 exec_is "$id" FINISHED
  deep=$WM_GATEWAY_URL/platform/rest/deeplearning/v1
  app=$(mine "$deep/scheduler/engine/applications/$id")
  [ "$(jq -r '.[0].name' <<<"$app")" = seen ]
  [ "$(jq -r '.[0].submit_time' <<<"$app")" -gt 1600000000 ]
  root=$(mine "$deep/resplans/resplantree" | jq -r .id)
  [ "$(jq -r '.[0].consumer' <<<"$app")" = "/$root" ]
  mine "$deep/scheduler/engine/applications?sort=-submit_time&length=1&state=FINISHED" | jq -e "length == 1 and .[0].id == \"$id\""
  [[ $(mine "$deep/scheduler/applications/$id/executor/1/logs/stdout") == "lr - "* ]]
  [ "$(code_of -u "$(id -un):$WM_API_KEY" "$deep/scheduler/applications/$id/executor/0/logs/stdout")" = 400 ]
  old=$WM_GATEWAY_URL/platform/rest/conductor/v1
  [ "$(code_of -u "$(id -un):$WM_API_KEY" "$old/auth/logon")" = 200 ]
  mine "$old/instances/any/applications?state=FINISHED" | jq -e "any(.[]; .driver.id == \"$id\")"
  [[ $(mine "$old/instances/any/applications/$id/1/logs/stdout/download") == "lr - "* ]]
  run mine -X DELETE "$deep/resplans/resplan/research"
  [[ $output == "Error 403: "*plans.conf* ]]
}

@test "pages: the files are there, the interface is typed, a stream tells what happens" {
  [ "$(code_of "$WM_GATEWAY_URL/apps/12")" = "$(page_code)" ]
  if [ -f "$B/pages/index.html" ]; then # built where node is
    script=$(door "$WM_GATEWAY_URL/" | sed -n 's/.*type="module" src="\([^"]*\)".*/\1/p')
    door "$WM_GATEWAY_URL$script" -o /dev/null -w '%{content_type}' | grep -q javascript
    door -I "$WM_GATEWAY_URL$script" | grep -qi '^cache-control: .*max-age=31'
    [ "$(code_of "$WM_GATEWAY_URL/s/gone-00000000.js")" = 404 ]
  fi
  door -I "$WM_GATEWAY_URL/" | grep -qi "content-security-policy: default-src 'none'"
  door "$WM_GATEWAY_URL/ui/tools/dlicmd.py" | cmp - "$TOP/commands/dlicmd.py"
  api=$WM_GATEWAY_URL/api/v1
  [ "$(code_of "$api/jobs")" = 401 ]
  [ "$(mine "$api/session" | jq -r .user)" = "$(id -un)" ]
  mine -N "$api/stream" >stream &
  reader=$!
  wait_for 10 grep -q '^event: tick' stream
  job=$(submit -J streamed sleep 100)
  wait_for 10 grep -q '"job_name":"streamed"' stream
  wait_for 10 grep -q '"wm_state":"running"' stream
  mine "$api/jobs/$job" | jq -e '.own and .job.job_name == "streamed" and (.job.reasons | type) == "array"'
  mine "$api/jobs/$job/timeline" | jq -e '.events[0].event == "SUBMIT"'
  [ "$(code_of -u "$(id -un):$WM_API_KEY" -X POST "$api/jobs/$job/stop")" = 204 ]
  wait_for 10 grep -q '"wm_state":"killed"' stream
  kill "$reader"
  mine "$api/jobs/999999" | jq -e '.status == 404'
}

@test "projects: a definition is kept with its code, an experiment runs it, and names what uses it" {
  pack
  api=$WM_GATEWAY_URL/api/v1/projects
  mine -H 'Content-Type: application/json' -d '{"name":"digits","plan":"/"}' "$api" | jq -e '.plan == "/"'
  data='{"name":"one","framework":"PyTorch","command":"main.py --lr 0.5","device":"cpu","env":["WORD=kept"]}'
  mine -F "data=$data" -F file=@code.modelDir.tar "$api/digits/definitions" | jq -e '.code_name == "code.modelDir.tar"'
  mine -d '{"name":"exp","definitions":["one"]}' "$api/digits/experiments" | jq -e '.runs == []'
  id=$(mine -X POST "$api/digits/experiments/exp/run" | jq -r '.runs[0]')
  wait_for 30 exec_is "$id" FINISHED
  [[ $(mine "$EXECS/$id/log?logType=outlog") == *"lr 0.5 kept"* ]]
  mine "$api/digits/experiments" | jq -e ".experiments[0].runs == [\"$id\"]"
  mine -X DELETE "$api/digits/definitions/one" | jq -e '.status == 409 and (.title | contains("exp"))'
  mine -d '{"name":"../x"}' "$api" | jq -e '.status == 400'
  mine -d '{"name":"e2","definitions":["none"]}' "$api/digits/experiments" | jq -e '.status == 404'
}

@test "versions: nothing of a project is written over, and a run names what it ran" {
  pack
  api=$WM_GATEWAY_URL/api/v1/projects/default
  data='{"name":"v","framework":"PyTorch","command":"main.py --lr 1","device":"cpu"}'
  first=$(mine -F "data=$data" -F file=@code.modelDir.tar "$api/definitions" | jq -r .version)
  mine -F "data=$data" -F file=@code.modelDir.tar "$api/definitions" |
    jq -e '.status == 409 and (.title | contains("PUT /api/v1/projects/default/definitions/v"))'
  mine -d '{"name":"x","definitions":["v"]}' "$api/experiments" | jq -e --arg v "$first" '.definition_versions == [$v]'

  # Two editors at once: the second is told. What is sent without a file has the code of before.
  tag=$(mine -D - -o body "$api/definitions/v" | tr -d '\r' | sed -n 's/^[Ee][Tt][Aa][Gg]: //p')
  [ "$tag" = "\"$first\"" ]
  second=$(mine -X PUT -H "If-Match: $tag" -F "data=${data/lr 1/lr 2}" "$api/definitions/v" | jq -r .version)
  [ "$second" != "$first" ]
  mine -X PUT -H "If-Match: $tag" -F "data=$data" "$api/definitions/v" | jq -e '.status == 412'
  mine "$api/definitions/v/versions" | jq -e --arg a "$first" --arg b "$second" \
    '[.versions[] | .version + " " + .state] == [$b + " present", $a + " earlier"] and ([.versions[].hash] | unique | length == 1)'
  mine -o sent "$api/definitions/v/versions/$first/code"
  cmp sent code.modelDir.tar

  # The experiment still runs the version that it names; its next version runs the newer one.
  id=$(mine -X POST "$api/experiments/x/run" | jq -r '.runs[0]')
  next=$(mine -X PUT -d '{"definitions":["v"]}' "$api/experiments/x" | jq -r .version)
  newer=$(mine -X POST "$api/experiments/x/run" | jq -r '.runs[0]')
  wait_for 30 exec_is "$id" FINISHED
  wait_for 30 exec_is "$newer" FINISHED
  [[ $(mine "$EXECS/$id/log?logType=outlog") == *"lr 1"* && $(mine "$EXECS/$newer/log?logType=outlog") == *"lr 2"* ]]
  mine "$WM_GATEWAY_URL/api/v1/runs/$id" | jq -e --arg v "$first" \
    '.run.made_of | .definition == "v" and .definition_version == $v and .experiment == "x" and (.package | length) == 64'
  mine "$WM_GATEWAY_URL/api/v1/runs?label=wm-definition-version=$second" | jq -e --arg e "$newer" '[.runs[].exec_id] == [$e]'
  mine "$api/experiments/x" | jq -e --arg a "$id" --arg b "$newer" --arg v "$next" '.runs == [$a, $b] and .version == $v'
  mine -X DELETE "$api/definitions/v/versions/$second" | jq -e '.status == 409 and (.title | contains("experiment x"))'
  mine -X POST "$api/experiments/x/rollback" | jq -e --arg v "$first" '.definition_versions == [$v]'
  mine -X POST "$api/experiments/x/rollback" | jq -e '.status == 404'
  [ "$(code_of -u "$(id -un):$WM_API_KEY" -X DELETE "$api/definitions/v/versions/$second")" = 204 ]
  start "--exec-start PyTorch --msd-label wm-definition=v --model-main main.py" | grep -q 'names that begin with wm- are not for labels'
}

@test "frameworks: the site's and one's own, each in its environment; what cannot be started says why" {
  $PYTHON -m venv --without-pip --system-site-packages "$BATS_FILE_TMPDIR/venv"
  mine "$EXECS/frameworks" | jq -e 'map(.name) | index("edtPyTorch") and index("own") and index("stub")'
  mine "$EXECS/frameworks" | jq -e 'any(.[]; .name == "gone" and (.available | not) and (.reason | contains("its environment is not there")))'
  export HOME=$BATS_TEST_TMPDIR
  dlicmd --dl-runtime | grep -Eq '^PyTorch +[0-9]'
  dlicmd --dl-runtime | grep -Eq '^TensorFlow +not available'
  printf '{"name":"mine","like":"PyTorch","exports":{"WORD":"exported"}}' >own.json
  [ "$(dlicmd --framework-install own.json)" = "Framework mine is installed" ]
  printf 'import os, sys\nprint(sys.prefix, os.environ.get("WORD"))\n' >code/main.py && pack
  own=$(start "--exec-start own --model-main main.py" | jq -r .id)
  stub=$(start "--exec-start stub --model-main main.py --msd-env MODULESHOME=$BATS_FILE_TMPDIR/modules" | jq -r .id)
  named=$(start "--exec-start mine --model-main main.py" | jq -r .id)
  old=$(start "--exec-start pytorch-onnx 1.1-py 3.6 --model-main main.py" | jq -r .id)
  for id in $own $stub $named $old; do wait_for 40 exec_is "$id" FINISHED; done
  [[ $(mine "$EXECS/$own/log") == *"$BATS_FILE_TMPDIR/venv "* ]]
  [[ $(mine "$EXECS/$stub/log") == *" load-cuda-conda"* ]] || { mine "$EXECS/$stub/log"; return 1; }
  [[ $(mine "$EXECS/$named/log") == *" exported"* ]]
  [ "$(mine "$EXECS/$old" | jq -r .framework)" = PyTorch ]
  [ "$(dlicmd --framework-uninstall mine)" = "Framework mine is uninstalled" ]
  [[ $(start "--exec-start mine --model-main main.py") == "Error 400: framework 'mine' is not known"* ]]
}

@test "a refused execution is a record in state ERROR, with its reason" {
  printf 'import tensorflow\n' >code/main.py && pack
  before=$(mine "$EXECS?state=ERROR" | jq length)
  [[ $(start "--exec-start PyTorch --model-main main.py --appName odd") == "Error 400: framework PyTorch does not fit the code"* ]]
  [ "$(mine "$EXECS?state=ERROR" | jq length)" -eq $((before + 1)) ]
  id=$(mine "$EXECS" | jq -r 'map(select(.appName == "odd"))[0].id')
  mine "$EXECS/$id" | jq -e '.state == "ERROR" and (.error | contains("does not fit the code"))'
  [[ $(mine "$EXECS/$id/log") == "framework PyTorch does not fit the code"* ]]
  [ "$(code_of -u "$(id -un):$WM_API_KEY" -X DELETE "$EXECS/$id")" = 204 ]
  [ "$(code_of -u "$(id -un):$WM_API_KEY" "$EXECS/$id")" = 400 ]
}

@test "volumes and hardware specifications are chosen by name" {
  mine "$WM_GATEWAY_URL/api/v1/volumes" | jq -e '(.volumes | map(.name)) == ["digits"] and .volumes[0].available'
  mine "$WM_GATEWAY_URL/api/v1/hwspecs" | jq -e '.hwspecs[0].name == "two" and .hwspecs[0].cpus == 2'
  printf 'import os\nprint(os.environ["DATA_DIR"])\n' >code/main.py && pack
  data='{"dataSource":[{"type":"fs","location":{"volume":"cpd::digits","paths":"below"}}],"hardwareSpec":{"name":"two"}}'
  id=$(start "--exec-start PyTorch --model-main main.py" -F "data=$data" | jq -r .id)
  wait_for 30 exec_is "$id" FINISHED
  [[ $(mine "$EXECS/$id/log") == *"$BATS_FILE_TMPDIR/volume/below"* ]]
  mine "$WM_GATEWAY_URL/api/v1/jobs/$id" | jq -e '.exec.bsub | contains("DATA_DIR=") and contains("core(2)") and (contains("-gpu") | not)'
  [[ $(start "--exec-start PyTorch --model-main main.py" -F 'data={"dataSource":[{"location":{"volume":"others"}}]}') == *"storage volume 'others' does not exist"* ]]
  [[ $(start "--exec-start PyTorch --model-main main.py" -F 'data={"hardwareSpec":{"name":"none"}}') == *"'none' does not exist"* ]]
}

@test "roles of TensorFlow's tasks are groups that find each other by TF_CONFIG; a prebuilt model trains" {
  # The parameter server serves on for ever: the workers' end is the execution's.
  cat >code/main.py <<'P'
import os, time
print(os.environ["TF_CONFIG"], flush=True)
if '"ps","index"' in os.environ["TF_CONFIG"]:
    open("serving", "w").close()
    time.sleep(1000)
while not os.path.exists("serving"):
    time.sleep(0.05)
P
  pack
  id=$(start "--exec-start roles --numPs 1 --numWorker 2 --model-main main.py" | jq -r .id)
  wait_for 40 exec_is "$id" FINISHED
  log=$(mine "$EXECS/$id/log?logType=outlog")
  [ "$(grep -o '{"cluster.*}' <<<"$log" | jq -rs 'map(.cluster | "\(.ps | length) \(.worker | length)") | unique[]')" = "1 2" ] || { echo "$log"; return 1; }
  mine "$EXECS" | jq -e --arg id "$id" 'map(select(.framework == "roles")) | length == 1 and .[0].id == $id and .[0].numWorker == 2'
  [ "$(grep -o '{"cluster.*}' <<<"$log" | jq -rs 'map(.task | "\(.type)\(.index)") | sort | join(" ")')" = "ps0 worker0 worker1" ] || { echo "$log"; return 1; }
  [ "$(code_of -u "$(id -un):$WM_API_KEY" -X DELETE "$EXECS/$id")" = 204 ]
  [ -z "$(ls -d "$CLUSTER/results/$(id -un)/batchworkdir/${id##*-}"{,.*} 2>/dev/null)" ]
  id=$(mine -X POST "$EXECS?args=--exec-start%20PyTorch%20--pbmodel-name%20MNIST%20--pbmodel-cmd%20train" | jq -r .id)
  wait_for 60 exec_is "$id" FINISHED
  [[ $(mine "$EXECS/$id/log") == *"trained MNIST"* ]]
}

@test "the OpenAPI document describes what is answered" {
  $PYTHON -c 'import jsonschema' || skip "python3-jsonschema is not installed"
  pack
  id=$(start "--exec-start PyTorch --model-main main.py" | jq -r .id)
  wait_for 30 exec_is "$id" FINISHED
  mine -d '{"name":"team"}' "$WM_GATEWAY_URL/api/v1/spaces"
  $PYTHON "$BATS_TEST_DIRNAME/openapi_check.py" "$WM_GATEWAY_URL" "$WM_GATEWAY_CA" "$(id -un):$WM_API_KEY" "id=$id" "app=$id" project=default space=team
}

@test "what a client has already is not sent again; lists come in pages; a stream goes on where it was" {
  api=$WM_GATEWAY_URL/api/v1
  tag=$(mine -D - -o /dev/null "$api/queues" | tr -d '\r' | sed -n 's/^etag: //Ip')
  [ -n "$tag" ]
  [ "$(code_of -u "$(id -un):$WM_API_KEY" -H "If-None-Match: $tag" "$api/queues")" = 304 ]
  [ "$(code_of -u "$(id -un):$WM_API_KEY" -H 'If-None-Match: W/"0"' "$api/queues")" = 200 ]
  for _ in 1 2 3; do submit true >/dev/null; done
  all=$(mine "$api/jobs" | jq -c '[.jobs[].jobid]')
  paged=$(page=$(mine "$api/jobs?limit=2"); while :; do jq -c '.jobs[].jobid' <<<"$page"; next=$(jq -r '.next // empty' <<<"$page"); [ -n "$next" ] || break; page=$(mine -G --data-urlencode "cursor=$next" "$api/jobs?limit=2"); done | jq -sc .)
  [ "$all" = "$paged" ] || { echo "$all"; echo "$paged"; return 1; }
  [ "$(code_of -u "$(id -un):$WM_API_KEY" "$api/jobs?limit=0")" = 400 ]
  mine -N "$api/stream" >stream &
  reader=$!
  job=$(submit -J first sleep 100)
  wait_for 10 grep -q '"job_name":"first"' stream
  kill "$reader"
  last=$(sed -n 's/^id: //p' stream | tail -1)
  job=$(submit -J between sleep 100)
  mine -N -H "Last-Event-ID: $last" "$api/stream" >again &
  reader=$!
  wait_for 10 grep -q '"job_name":"between"' again
  ! grep -q '^event: reset' again
  kill "$reader"
  mine -N -H "Last-Event-ID: 1-1" "$api/stream" >old &
  reader=$!
  wait_for 10 grep -q '^event: reset' old
  kill "$reader"
}
