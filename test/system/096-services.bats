#!/usr/bin/env bats
# Role: inference services on real daemons: deployed and started by dlim, asked by curl; load makes
# more kernels, a killed one loses nothing, none is left when idle, and the next request brings one back.

load lib
setup_file() { cluster_up --web --nodes 2 --cpus 4 --gpus 2; }
teardown_file() { cluster_down; }
setup() {
  cluster_env
  [ -x "$B/sbin/wrouter" ] || skip "services are not built"
  export HOME=$BATS_TEST_TMPDIR DLIM=$WM_GATEWAY_URL/dlim/v1
  cd "$BATS_TEST_TMPDIR" || return
  cp -r "$TOP/libwm/kernel/examples/ping" .
}
after_each() {
  end_all_jobs
  wait_for 20 bash -c '[ "$(bjobs 2>&1)" = "No unfinished job found" ]'
  for model in $(dlim model list | tail -n +2 | cut -d' ' -f1); do dlim model undeploy -f "$model"; done
}

door() { curl -sS --cacert "$WM_GATEWAY_CA" -H "Authorization: Bearer $(dlim config -s)" "$@"; }
ask() { door --data-binary "$2" "$DLIM/inference/$1"; }
code_of() { door -o /dev/null -w '%{http_code}' "$@"; }
kernels() { door "$DLIM/model/$1/instance" | jq '.instances[0].isd_container | length'; }
has_kernels() { [ "$(kernels "$1")" = "$2" ]; }
stopped() { dlim model view "$1" -s | grep -q "^State:.Stopped"; }
# profile of quick changes: MIN MAX [MORE]
quick() {
  echo "{\"policy\": {\"kernel_min\": $1, \"kernel_max\": $2, \"schedule_interval\": 1, \"kernel_delay_release_time\": 2 ${3:-}}}" >profile.json
  dlim model updateprofile ping -f profile.json
}

@test "deploy, start, ask, view, stop, undeploy: with the words that people know" {
  run dlim model deploy -p ping
  [ "${lines[0]}" = Uploading... ]
  [ "${lines[1]}" = "<ping/README.md> uploaded to server." ]
  [ "${lines[-2]}" = Registering... ]
  [ "${lines[-1]}" = "Model <ping> is deployed successfully" ]
  dlim model list | grep -qx 'ping *-'
  [[ $(ask ping x) == "Inference service for model <ping> is currently unavailable." ]]
  [ "$(code_of -d x "$DLIM/inference/ping")" = 503 ]
  [ "$(dlim model start ping)" = 'Starting model "ping", run "dlim model view ping -s" to ensure startup.' ]
  [ "$(ask ping hello)" = "pong hello" ]
  dlim model list | grep -qx "ping *$DLIM/inference/ping"
  run dlim model view ping -s -a
  [[ $output == *"State:"*Started*"Serving service ID:"*"Kernel started:"*1*"Status:"*IDLE* ]]
  run dlim model undeploy ping -f
  [ "$status" -eq 1 ]
  [ "$output" = "The model cannot be removed if it's started." ]
  [ "$(dlim model stop ping -f)" = 'Stopping model "ping", run "dlim model view ping -s" to ensure stop.' ]
  wait_for 20 stopped ping
  dlim model undeploy ping -f
  run dlim model view ping
  [ "$output" = "model ping does not exist" ]
}

@test "a runtime of one's own gives kernels its variables and what is run before them" {
  own() { door -X "$1" --data-binary "$3" "$DLIM/deployment/runtime$2"; }
  [[ $(own POST "" '{"type": "mine", "pre_exec": "export WORD=before", "envs": [{"name": "OTHER", "value": "named"}]}') == *created* ]]
  [[ $(own POST "" '{"type": "mine"}') == "Error 409: "* ]]
  [ "$(door "$DLIM/deployment/runtime" | jq -c '[.runtimes[].type]')" = '["python","dlipy3","mine"]' ]
  [ "$(door "$DLIM/deployment/runtime/mine" | jq -r .pre_exec)" = "export WORD=before" ]
  [ "$(code_of "$DLIM/deployment/runtime/yours")" = 404 ]
  jq '.runtime = "yours"' ping/model.json >m && mv m ping/model.json
  run dlim model deploy -p ping
  [[ $status -eq 1 && ${lines[-1]} == "model.json: runtime: there is no yours; there are python, dlipy3, mine, "* ]] || { echo "$output"; return 1; }
  jq '.runtime = "mine"' ping/model.json >m && mv m ping/model.json
  sed -i "s/'pong ' + data/os.environ['WORD'] + os.environ['OTHER']/; s/^import redhareapiversion/import os\n&/" ping/kernel.py
  dlim model deploy -p ping && dlim model start ping
  [ "$(ask ping x)" = beforenamed ]
  dlim model stop -f ping && wait_for 20 stopped ping
  dlim model undeploy -f ping
  [[ $(own DELETE /mine '') == *deleted* ]]
  # A folder that is on this host already.
  jq --arg p "$PWD/ping" '.runtime = "python" | .name = "here" | .model_path = $p' ping/model.json >m
  [[ $(door -X POST --data-binary @m "$DLIM/model") == *"Model <here> is deployed successfully"* ]]
  dlim model undeploy -f here
}

@test "what a kernel cannot import is told at once, output that is no text is an error, a stop lets tasks end" {
  printf '{"policy": {"kernel_min": 1, "kernel_max": 1}}' >profile.json
  echo 'import nowhere_at_all' >ping/kernel.py
  dlim model deploy -p ping && dlim model updateprofile ping -f profile.json
  dlim model start ping
  began=$SECONDS
  [[ $(ask ping x) == *"Its kernel ended: ModuleNotFoundError: No module named 'nowhere_at_all'" ]]
  [ $((SECONDS - began)) -lt 50 ]
  dlim model stop -f ping && wait_for 20 stopped ping
  cat >ping/kernel.py <<'K'
import time
import redhareapiversion
from redhareapi import Kernel
class K(Kernel):
    def on_task_invoke(self, t):
        while t is not None:
            said = t.get_input_data()
            if said == 'slow':
                time.sleep(6)
            t.set_output_data(None if said == 'none' else {'a': 1} if said == 'dict' else said)
            t = t.next()
if __name__ == '__main__':
    K().run()
K
  dlim model deploy -p ping -f && dlim model start ping
  [ "$(ask ping text)" = text ]
  [ "$(ask ping none)" = "a task without output" ]
  [ "$(code_of -d none "$DLIM/inference/ping")" = 500 ]
  [ "$(code_of -d dict "$DLIM/inference/ping")" = 500 ]
  ask ping slow >slow.out &
  asked=$!
  busy() { [ "$(door "$DLIM/model/ping/instance" | jq '.instances[0].isd_container[0].running_task')" = 1 ]; }
  wait_for 10 busy
  dlim model stop -f ping
  wait $asked
  [ "$(cat slow.out)" = slow ]
  wait_for 20 stopped ping
  run dlim model deploy -p ping
  [ "$output" = "model ping is deployed already: undeploy it first" ]
  dlim model undeploy -f ping
}

@test "errors of a kernel are that request's; what is wrong with a package or a profile is told" {
  dlim model deploy -p ping && quick 1 1
  dlim model start ping
  [ "$(ask ping fail)" = "ValueError: asked to fail" ]
  [ "$(code_of -d fail "$DLIM/inference/ping")" = 500 ]
  [ "$(ask ping after)" = "pong after" ]
  run quick 1 1 ', "task_parallel_size": 2'
  [ "$output" = "profile: policy/task_parallel_size: kernels that run have it already: stop it first" ] || { echo "$output"; return 1; }
  run quick 1 2
  [ "$output" = "profile: policy/kernel_max: it was started with 1: stop it first" ]
  rm ping/README.md
  run dlim model deploy -p ping -f
  [ "$output" = "model ping is started: stop it first" ] || [ "$output" = "Uploading...
the package has no README.md" ] || { echo "$output"; return 1; }
  [ "$(code_of "$DLIM/model/other")" = 404 ]
  [ "$(code_of -d x "$DLIM/inference/other")" = 404 ]
  run quick 1 1 ', "task_timeout": 2'
  [[ $output == "profile: policy/task_timeout: no such key; there are name, "* ]] || { echo "$output"; return 1; }
  echo '{"resource_allocation": {"kernel": {"resource_plan": "nowhere/at-all"}}}' >profile.json
  run dlim model updateprofile ping -f profile.json
  [[ $output == "profile: resource_allocation/kernel/resource_plan: there is no /nowhere/at-all; there are /"* ]] || { echo "$output"; return 1; }
  [ "$(curl -sk -o /dev/null -w '%{http_code}' -d x "$DLIM/inference/ping")" = 401 ]
}

@test "at zero kernels the next request is answered, and then there is none again" {
  dlim model deploy -p ping && quick 0 2
  dlim model start ping
  job=$(door "$DLIM/model/ping/instance" | jq -r '.instances[0].job_id')
  wait_for 20 has_kernels ping 0
  [ "$(ask ping one)" = "pong one" ]
  wait_for 20 has_kernels ping 0
  [ "$(ask ping two)" = "pong two" ]
  [ "$(bjobs -noheader -o wm_state "$job[1]")" = running ]
}

@test "load makes more kernels, one that is killed loses nothing, and idle ones leave" {
  dlim model deploy -p ping && quick 1 3
  dlim model start ping
  ask ping first
  token=$(dlim config -s)
  ask_many() { # WHO: one request after another until `enough` is there
    while [ ! -e enough ]; do
      curl -sS --cacert "$WM_GATEWAY_CA" -H "Authorization: Bearer $token" -d "sleep 0.2 $1" -w ' %{http_code}\n' "$DLIM/inference/ping"
    done >>"answers.$1"
  }
  for who in 1 2 3 4 5 6; do ask_many $who & done
  wait_for 20 has_kernels ping 3
  before=$(cat answers.* | wc -l)
  uid=$(door "$DLIM/model/ping/instance" | jq -r '.instances[0].isd_container[0].container_uid')
  uid=${uid%-*}
  kill -KILL "${uid##*-}"
  wait_for 20 bash -c "[ \"\$(cat answers.* | wc -l)\" -gt $((before + 12)) ]"
  touch enough
  wait
  [ "$(cat answers.* | grep -cv '^pong sleep 0.2 [1-6] 200$')" = 0 ]
  wait_for 30 has_kernels ping 1
}

@test "a router that is killed comes again, and its kernels find it" {
  dlim model deploy -p ping && quick 1 1
  dlim model start ping
  [ "$(ask ping before)" = "pong before" ]
  kill -KILL "$(pgrep -f "sbin/wrouter $CLUSTER/results/")"
  wait_for 20 bash -c "[ \"\$(curl -sS --cacert '$WM_GATEWAY_CA' -H 'Authorization: Bearer $(dlim config -s)' -d after '$DLIM/inference/ping')\" = 'pong after' ]"
  wait_for 20 has_kernels ping 1
}

@test "a batch is a list; what a kernel leaves of it comes again; threads, early answers, contexts" {
  cat >ping/kernel.py <<'K'
import json, os, threading
import redhareapiversion
from redhareapi import Kernel

class First(Kernel):
    def __init__(self):
        self.lock = threading.Lock()

    def on_kernel_start(self, kernel_context):
        self.model = json.loads(kernel_context.get_model_description())
        self.sizes = set()

    def on_task_invoke(self, task_context):
        data = task_context.get_input_data()
        assert task_context.next() is None or task_context.next().prev() is task_context
        if data == 'early':
            return task_context.report_ready('early')
        if data == 'none':
            return None
        if data == 'where':
            return task_context.set_output_data(json.dumps([self.model['name'], self.model['model_path'],
                os.environ['REDHARE_MODEL_PATH'], os.getcwd(), len(os.environ['MSD_POD_NAME']) > 5,
                len(task_context.get_uuid()), threading.active_count()]))
        return task_context.set_output_data_extend(b'\xff' + task_context.get_input_data_extend())

if __name__ == '__main__':
    First().run()
K
  dlim model deploy -p ping && quick 1 1 ', "task_batch_size": 8, "task_parallel_size": 3, "task_pipe_size": 2'
  dlim model start ping
  [ "$(ask ping early)" = early ]
  [ "$(ask ping none)" = "a task without output" ]
  ask ping where | jq -e '.[0] == "ping" and .[1] == .[2] and .[2] == .[3] and .[4] and .[5] == 36 and .[6] >= 3'
  printf 'a\0b' >body
  printf '\xffa\0b' >expected
  door --data-binary @body "$DLIM/inference/ping" | cmp - expected
  token=$(dlim config -s)
  seq 40 | xargs -P 20 -I{} curl -sS --cacert "$WM_GATEWAY_CA" -H "Authorization: Bearer $token" -d early -o out.{} "$DLIM/inference/ping"
  [ "$(grep -lx early out.* | wc -l)" = 40 ]
}

@test "a kernel that hangs is ended and another takes its place; why there is none is told" {
  dlim model deploy -p ping && quick 1 1 ', "task_execution_timeout": 1'
  dlim model start ping
  [ "$(ask ping one)" = "pong one" ]
  [ "$(code_of -d 'sleep 1000' "$DLIM/inference/ping")" = 504 ]
  wait_for 20 bash -c "[ \"\$(curl -sS --cacert '$WM_GATEWAY_CA' -H 'Authorization: Bearer $(dlim config -s)' -d two '$DLIM/inference/ping')\" = 'pong two' ]"
  dlim model stop -f ping
  wait_for 20 stopped ping
  echo 'raise SystemExit(3)' >ping/kernel.py
  dlim model deploy -f -p ping
  dlim model start ping
  wait_for 20 bash -c 'dlim model view ping -s | grep -q "^Kernels wait:.*has ended (exit 3)"'
}

@test "a stop keeps the job, a live profile counts at once, a name is one in the cluster, versions go back" {
  dlim model deploy -p ping && quick 1 2 ', "task_execution_timeout": 60'
  dlim model start ping
  [ "$(ask ping one)" = "pong one" ]
  job=$(door "$DLIM/model/ping/instance" | jq -r '.instances[0].job_id')
  quick 1 2 ', "task_execution_timeout": 1'
  [ "$(code_of -d 'sleep 30' "$DLIM/inference/ping")" = 504 ]
  quick 1 2 ', "task_execution_timeout": 60'
  dlim model stop -f ping
  wait_for 20 stopped ping
  [ "$(bjobs -noheader -o wm_state "$job[1]")" = held ]
  dlim model start ping # the profile is another than it was signed with
  [ "$(ask ping two)" = "pong two" ]
  again=$(door "$DLIM/model/ping/instance" | jq -r '.instances[0].job_id')
  [ "$again" != "$job" ]
  dlim model stop -f ping
  wait_for 20 stopped ping
  dlim model start ping
  [ "$(ask ping three)" = "pong three" ]
  [ "$(door "$DLIM/model/ping/instance" | jq -r '.instances[0].job_id')" = "$again" ]
  door "$WM_GATEWAY_URL/api/v1/services/ping/metrics" | grep -q '^wm_service_finished_total{model="ping"} [1-9]'
  dlim model stop -f ping
  wait_for 20 stopped ping
  run dlim model rollback ping
  [ "$output" = "model ping has no version before this one" ]
  sed -i "s/'pong '/'peng '/" ping/kernel.py
  dlim model deploy -f -p ping
  dlim model start ping
  [ "$(ask ping four)" = "peng four" ]
  dlim model stop -f ping
  wait_for 20 stopped ping
  [ "$(dlim model rollback ping)" = "Model ping is rolled back" ]
  dlim model start ping
  [ "$(ask ping five)" = "pong five" ]
}

@test "two deploys in one second are two versions, and each roll-back goes back one more" {
  for word in one two three four; do
    sed -i "s/'.*' + data/'$word ' + data/" ping/kernel.py
    dlim model deploy $([ "$word" = one ] || echo -f) -p ping
  done
  record() { jq -r "$1" "$(find "$CLUSTER/results/" -path '*/services/ping/service.json')"; }
  [ "$(record '[.version, .earlier[]] | unique | length')" = 4 ]
  for word in three two one; do
    dlim model rollback ping
    grep -q "'$word ' + data" "$(dirname "$(find "$CLUSTER/results/" -path '*/services/ping/service.json')")/$(record .version)/kernel.py"
  done
  ! dlim model rollback ping
}

@test "while kernels and the router are killed at random every request is answered: 200, or told to come again" {
  dlim model deploy -p ping && quick 1 4 ', "task_batch_size": 4, "task_pipe_size": 2'
  dlim model start ping
  ask ping first
  token=$(dlim config -s)
  ask_many() {
    while [ ! -e enough ]; do
      curl -sS --cacert "$WM_GATEWAY_CA" -H "Authorization: Bearer $token" -d "sleep 0.02 $1" -w ' %{http_code}\n' "$DLIM/inference/ping"
    done >>"answers.$1"
  }
  for who in 1 2 3 4 5 6; do ask_many $who & done
  more_than() { [ "$(cat answers.* | wc -l)" -gt "$1" ]; }
  RANDOM=7
  for round in 1 2 3 4; do
    wait_for 30 more_than $(($(cat answers.* 2>/dev/null | wc -l) + 30))
    mapfile -t pids < <(pgrep -f "$CLUSTER/results/.*/services/ping/.*kernel.py")
    [ ${#pids[@]} -eq 0 ] || kill -KILL "${pids[RANDOM % ${#pids[@]}]}" || true
    [ $((round % 2)) = 0 ] || continue
    kill -KILL "$(pgrep -f "sbin/wrouter $CLUSTER/results/")" || true
    quick 1 $((round % 3 + 2)) ', "task_batch_size": 2, "task_pipe_size": 2'
  done
  wait_for 30 more_than $(($(cat answers.* | wc -l) + 30))
  touch enough
  wait
  [ "$(cat answers.* | grep -cv '^pong sleep 0.02 [1-6] 200$')" = "$(cat answers.* | grep -c ' 503$')" ] || { sort answers.* | uniq -c; return 1; }
}

@test "a canary gets its share of the requests, and none any more when it is taken back" {
  dlim model deploy -p ping && quick 1 1
  cp -r ping next && sed -i 's/"ping"/"ping-next"/' next/model.json && sed -i "s/'pong '/'peng '/" next/kernel.py
  dlim model deploy -p next
  dlim model start ping && dlim model start ping-next
  [ "$(ask ping x)" = "pong x" ] && [ "$(ask ping-next x)" = "peng x" ]
  run dlim model canary ping none 10
  [ "$output" = "model none does not exist" ]
  run dlim model canary ping ping 10
  [ "$status" -eq 1 ]
  [ "$(dlim model canary ping ping-next 100)" = "100 % of the requests of model ping go to ping-next" ]
  [ "$(ask ping x)" = "peng x" ]
  door -D - -d x "$DLIM/inference/ping" | grep -qi '^x-wm-service: ping-next'
  dlim model canary ping ping-next 50
  for _ in $(seq 40); do ask ping x; echo; done >mixed
  grep -q pong mixed && grep -q peng mixed
  dlim model canary ping ping-next 0
  [ "$(ask ping x)" = "pong x" ]
}

# A kernel that notes what it begins.
noting_kernel() {
  cat >ping/kernel.py <<K
import os, time
import redhareapiversion
from redhareapi import Kernel

class Noting(Kernel):
    def on_task_invoke(self, task_context):
        while task_context is not None:
            data = task_context.get_input_data()
            seen = os.open('$BATS_TEST_TMPDIR/seen', os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(seen, (data + '\n').encode())
            os.close(seen)
            time.sleep(float(data.split()[1]))
            task_context.set_output_data('pong ' + data)
            task_context = task_context.next()

if __name__ == '__main__':
    Noting().run()
K
}

@test "while kernels go from least to most, one is killed a second and the profile changes, every request is answered once" {
  noting_kernel
  dlim model deploy -p ping && quick 1 4 ', "task_once": true, "kernel_delay_release_time": 1'
  dlim model start ping
  [ "$(ask ping 'sleep 0 first')" = "pong sleep 0 first" ]
  TOKEN=$(dlim config -s) run python3 "$BATS_TEST_DIRNAME/serve_faults.py" ping "${WM_SERVE_REQUESTS-$([ -n "${WM_SOAK-}" ] && echo 20000 || echo 2000)}" once
  echo "# $output" >&3
  [ "$status" -eq 0 ]
}

@test "two routers share the requests of a service; when one is killed the other goes on, and it comes again" {
  echo '{"replica": 2, "policy": {"kernel_min": 1, "kernel_max": 2, "schedule_interval": 1}}' >profile.json
  dlim model deploy -p ping && dlim model updateprofile ping -f profile.json
  dlim model start ping
  [ "$(ask ping one)" = "pong one" ]
  folder=$(dirname "$(find "$CLUSTER/results/" -path '*/services/ping/service.json')")
  wait_for 20 test -S "$folder/router-1.sock"
  routers() { pgrep -f "^[^ ]*sbin/wrouter $CLUSTER/results/"; }
  two() { [ "$(routers | wc -l)" = 2 ]; }
  wait_for 20 two
  replicas() { [ "$(dlim model view ping -s | sed -n 's/^Serving replica:\t//p') $(kernels ping)" = "$1" ]; }
  wait_for 20 replicas "2 1"
  served() { curl -sS --unix-socket "$folder/$1.sock" http://localhost/state | jq .finished; }
  both_serve() { # the second has its share from when a kernel has come to it, too
    for n in 1 2 3 4 5 6; do [ "$(ask ping $n)" = "pong $n" ] || return; done
    [ "$(served router)" -ge 3 ] && [ "$(served router-1)" -ge 3 ]
  }
  wait_for 20 both_serve
  [ "$(door "$WM_GATEWAY_URL/api/v1/services/ping" | jq .router.finished)" -ge 7 ]
  has_kernels ping 1
  kill -KILL "$(routers | head -1)"
  for n in 1 2 3 4 5 6; do
    said=$(ask ping $n)
    [ "$said" = "pong $n" ] || [ "$said" = "Inference service for model <ping> is currently unavailable." ]
  done
  wait_for 20 two
  token=$(dlim config -s)
  wait_for 20 bash -c "for n in 1 2 3 4; do [ \"\$(curl -sS --cacert '$WM_GATEWAY_CA' -H 'Authorization: Bearer $token' -d \$n '$DLIM/inference/ping')\" = \"pong \$n\" ] || exit 1; done"
  run bash -c "echo '{\"replica\": 17}' >many.json; dlim model updateprofile ping -f many.json"
  [ "$output" = "profile: replica: at most 16" ]
}

@test "what is not to be had now says when to come again" {
  dlim model deploy -p ping
  door -D - -d x "$DLIM/inference/ping" | grep -qi '^retry-after: 1'
  quick 1 1
  dlim model start ping
  [ "$(ask ping one)" = "pong one" ]
  pid=$(pgrep -of "until .*wrouter.*$CLUSTER/results/")
  kill -STOP "$pid"
  kill -KILL "$(pgrep -f "sbin/wrouter $CLUSTER/results/")"
  echo '{"policy": {"kernel_min": 1, "kernel_max": 1, "schedule_interval": 2}}' >profile.json
  door -D headers -o /dev/null -X PUT --data-binary @profile.json "$DLIM/model/ping/appprofile"
  kill -CONT "$pid"
  head -1 headers | grep -q ' 503' || { cat headers; return 1; }
  grep -qi '^retry-after: 1' headers
  wait_for 20 bash -c "[ \"\$(curl -sS --cacert '$WM_GATEWAY_CA' -H 'Authorization: Bearer $(dlim config -s)' -d two '$DLIM/inference/ping')\" = 'pong two' ]"
  [ "$(door "$DLIM/model/ping/appprofile" | jq .policy.schedule_interval)" = 2 ]
}

@test "a kernel that prints without end, and one that leaks, harm their own service alone" {
  cat >ping/kernel.py <<'K'
import sys
import redhareapiversion
from redhareapi import Kernel

class Loud(Kernel):
    kept = []

    def on_task_invoke(self, task_context):
        data = task_context.get_input_data()
        if data.startswith('print '):
            for _ in range(int(data.split()[1])):
                sys.stdout.write('x' * (1 << 20))
            sys.stdout.flush()
        if data == 'leak':
            while True:
                self.kept.append(bytearray(16 << 20))
        task_context.set_output_data('pong ' + data)

if __name__ == '__main__':
    Loud().run()
K
  cat >profile.json <<'P'
{"policy": {"kernel_min": 1, "kernel_max": 1, "schedule_interval": 1}, "resource_allocation": {"kernel": {"resources": "ncpus=1,mem_limit=400"}}}
P
  dlim model deploy -p ping && dlim model updateprofile ping -f profile.json
  dlim model start ping
  much=$([ -n "${WM_SOAK-}" ] && echo 1024 || echo 200)
  [ "$(ask ping "print $much")" = "pong print $much" ]
  [ "$(ask ping after)" = "pong after" ]
  [ "$(code_of -d leak "$DLIM/inference/ping")" = 503 ]
  wait_for 40 bash -c "[ \"\$(curl -sS --cacert '$WM_GATEWAY_CA' -H 'Authorization: Bearer $(dlim config -s)' -d again '$DLIM/inference/ping')\" = 'pong again' ]"
}

@test "packages that are none, with links out of them, or larger than is said, are refused by name" {
  mkdir empty && echo x >empty/README.md
  run dlim model deploy -p empty
  [ "$status" -eq 1 ]
  [[ $output == *"model.json"* ]] || { echo "$output"; return 1; }
  cp -r ping linked && ln -s /etc/passwd linked/secret
  tar -C linked -czf linked.tar.gz .
  door -w '%{http_code}' --data-binary @linked.tar.gz -o said "$DLIM/deployment/model" >code
  [ "$(cat code)" = 400 ] || { cat said; return 1; }
  grep -q secret said
  door --data-binary 'no archive' "$DLIM/deployment/model" -o said -w '%{http_code}' >code
  [ "$(cat code)" = 400 ] || { cat code said; return 1; }
  dlim model list | grep -q ping && return 1
  # 2 GB of zeros, which are little to send.
  truncate -s 2G ping/weights.bin
  tar -C ping -czf big.tar.gz .
  [ "$(door --data-binary @big.tar.gz "$DLIM/deployment/model" -o said -w '%{http_code}')" = 400 ]
  grep -q 'unpacks to more than may be' said || { cat said; return 1; }
  [ -z "$(find "$CLUSTER/results/" -path '*/services/*' -size +1M)" ]
}

@test "a stranger who has not the service's key is no kernel, and no ticket of another service counts" {
  dlim model deploy -p ping && quick 1 1
  dlim model start ping
  [ "$(ask ping one)" = "pong one" ]
  folder=$(dirname "$(find "$CLUSTER/results/" -path '*/services/ping/service.json')")
  mkdir forged && cp "$folder/router" forged/ && head -c 32 /dev/urandom >forged/key && chmod 600 forged/key
  run env WM_SERVICE_DIR="$PWD/forged" WM_CONNECTION_TIMEOUT=1 REDHARE_MODEL_PATH="$PWD/ping" PYTHONPATH="$B/lib/python" timeout 20 python3 ping/kernel.py
  [ "$status" -eq 1 ] || { echo "$output"; return 1; }
  has_kernels ping 1
  [ "$(ask ping two)" = "pong two" ]
}

@test "a kernel that ends at its start is tried again ever more seldom, and what it said last is told" {
  echo 'raise SystemExit("no weights here")' >ping/kernel.py
  dlim model deploy -p ping && quick 1 1
  dlim model start ping
  wait_for 30 bash -c 'dlim model view ping -s | grep -qE "^Kernels wait:.*no weights here.*(3 in a row: the next starts after 4|4 in a row: the next starts after 8|5 in a row: the next starts after 16) s"' || { dlim model view ping -s; return 1; }
}

@test "at zero kernels the first is a fork of a warm parent, which outlives daemons and ends with the service" {
  $PYTHON -c 'import torch' 2>/dev/null || skip "no torch"
  sed -i 's/^import redhareapiversion/import torch\n&/' ping/kernel.py && sed -i "s/'pong ' + data/'pong ' + data + ' ' + torch.__name__/" ping/kernel.py
  python3 -m py_compile ping/kernel.py || { head -5 ping/kernel.py; return 1; }
  rm -rf ping/__pycache__
  dlim model deploy -p ping && quick 0 1 ', "kernel_delay_release_time": 1'
  [ "$(dlim model viewprofile ping -j | jq .policy.kernel_warm)" = 4 ]
  dlim model start ping
  parents() { pgrep -f "fabric_model/warm.py .*$CLUSTER/results/.*/services/ping/" | sort; }
  count() { [ "$(find "$CLUSTER/run/" -path "*-2.$1.d/warm.log" -exec cat {} + | grep -c "$2")" -ge "$3" ]; }
  wait_for 60 count 1 ready 2 # both hosts, before there was a kernel
  [ "$(ask ping one)" = "pong one torch" ]
  count 1 forked 1
  wait_for 20 has_kernels ping 0
  wait_for 60 count 2 ready 2
  before=$(parents)
  "$MINICLUSTER" kill wnoded node1 && "$MINICLUSTER" start node1
  "$MINICLUSTER" kill wnoded node2 && "$MINICLUSTER" start node2
  "$MINICLUSTER" kill wmasterd && "$MINICLUSTER" start wmasterd
  [ "$(ask ping two)" = "pong two torch" ]
  count 2 forked 1
  wait_for 20 has_kernels ping 0
  wait_for 60 count 3 ready 2
  kill -KILL $(parents) # then it starts as it did without
  [ "$(ask ping three)" = "pong three torch" ]
  dlim model stop -f ping
  wait_for 20 stopped ping
  none() { [ -z "$(parents)" ]; }
  wait_for 20 none
}

@test "what a profile says of a kernel is what the kernel has" {
  cat >ping/kernel.py <<'K'
import json, os, threading
import redhareapiversion
from redhareapi import Kernel

class Telling(Kernel):
    def on_task_invoke(self, task_context):
        data = task_context.get_input_data()
        if data.startswith('make '):
            open(data[5:], 'w').close()
        mask = os.umask(0o077)
        os.umask(mask)
        print('a line of the kernel', flush=True)
        Kernel.log_debug('a word of its own')
        task_context.set_output_data(json.dumps({'umask': oct(mask), 'cwd': os.getcwd(), 'A': os.environ.get('A'), 'B': os.environ.get('B'),
            'gpus': os.environ.get('CUDA_VISIBLE_DEVICES'), 'pod': os.environ['MSD_POD_NAME'], 'name': os.environ['REDHARE_MODEL_NAME'],
            'uid': os.getuid(), 'cpus': os.environ.get('LSB_BIND_CPU_LIST', '')}))

if __name__ == '__main__':
    Telling().run()
K
  mkdir "$PWD/work" "$PWD/logs"
  jq '. + {mk_environments: [{name: "B", value: "of the package"}]}' ping/model.json >with && mv with ping/model.json
  cat >profile.json <<P
{"policy": {"kernel_min": 1, "kernel_max": 1, "schedule_interval": 1, "task_execution_timeout": 60},
 "kernel": {"umask": "027", "envs": [{"name": "A", "value": "b  \$c"}, {"name": "DLIM_MK_LOG_LEVEL", "value": "DEBUG"}], "working_directory": "$PWD/work", "log_directory": "$PWD/logs",
            "run_as": "$(id -un)", "gpu": "exclusive"},
 "resource_allocation": {"kernel": {"resource_plan": "/"}}}
P
  dlim model deploy -p ping && dlim model updateprofile ping -f profile.json
  dlim model start ping
  ask ping "make $PWD/made" >said
  jq -e --arg wd "$PWD/work" '.umask == "0o27" and .cwd == $wd and .A == "b  $c" and .B == "of the package" and .name == "ping" and (.gpus | test("^[0-9]$")) and (.pod | startswith("edi-ping-"))' said || { cat said; return 1; }
  [ "$(stat -c %a made)" = 640 ]
  wait_for 10 grep -q 'a line of the kernel' logs/*.2
  wait_for 10 grep -q 'DEBUG a word of its own' logs/*.2
  job=$(door "$DLIM/model/ping/instance" | jq -r '.instances[0].job_id')
  [ "$(bjobs -noheader -o plan "$job[2]")" = / ]
  dlim model stop -f ping && wait_for 20 stopped ping
  for gpu in shared no; do
    jq --arg gpu $gpu '.kernel.gpu = $gpu' profile.json >other.json
    dlim model updateprofile ping -f other.json
    dlim model start ping
    ask ping x >said.$gpu
    dlim model stop -f ping && wait_for 20 stopped ping
  done
  jq -e '.gpus | test("^[0-9]$")' said.shared || { cat said.shared; return 1; }
  jq -e '.gpus == "" or .gpus == null' said.no || { cat said.no; return 1; }
  for wrong in '{"kernel": {"run_as": "nobody"}}' '{"kernel": {"umask": "9"}}' '{"kernel": {"gpu": "two"}}' '{"resource_allocation": {"kernel": {"image_name": "x"}}}'; do
    echo "$wrong" >wrong.json
    run dlim model updateprofile ping -f wrong.json
    [ "$status" -eq 1 ] && [[ $output == "profile: "* ]] || { echo "$wrong: $output"; return 1; }
  done
}
