#!/usr/bin/env bats
# Role: searches under what goes wrong: metrics that are none, optimizers of users that hang, die or talk nonsense, and
# the deaths of master, hosts and trials: nothing is lost, doubled or in another order, and the reason is said.

load lib
setup_file() { cluster_up --web --nodes 2 --cpus 3; }
teardown_file() { cluster_down; }
setup() {
  cluster_env
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  export HOME=$BATS_TEST_TMPDIR
  cd "$BATS_TEST_TMPDIR" || return
  HPO=$WM_GATEWAY_URL/platform/rest/deeplearning/v1/hypersearch
  mkdir -p code
}

mine() { curl -sS --cacert "$WM_GATEWAY_CA" -u "$(id -un):$WM_API_KEY" "$@"; }
# request NAME ALGORITHM MOST AT-ONCE [jq filter]
request() {
  jq -n --arg name "$1" --arg algorithm "$2" --argjson most "$3" --argjson at_once "$4" '{
    hpoName: $name, modelSpec: {args: "--exec-start PyTorch --model-main main.py"},
    algoDef: {algorithm: $algorithm, maxJobNum: $most, maxParalleJobNum: $at_once, objectiveMetric: "loss", objective: "minimize"},
    hyperParams: [{name: "x", type: "Range", dataType: "DOUBLE", minDbVal: 0, maxDbVal: 1}]} '"| ${5-.}" >request.json
}
create() { mine -F "data=<request.json" -F file=@code.modelDir.tar "$HPO"; }
task() { mine "$HPO/$1" | jq -r "$2"; }
task_is() { [ "$(task "$1" "$2")" = "$3" ]; }

@test "metrics that are missing, texts, infinite or torn count as none, and the best is a number" {
  cat >code/main.py <<'P'
import json, os
x = json.load(open("config.json"))["x"]
said = ['[]', '[{"step": 1}]', '[{"step": 1, "loss": "low"}]', '[{"step": 1, "loss": Infinity}, {"step": 2, "loss": -1e999}]', '[{"loss": ',
        '[{"step": 1, "loss": NaN}]', '[{"step": 1, "loss": [1]}]', '3'][int(os.environ["LSB_JOBINDEX"]) % 9 - 1]
if int(os.environ["LSB_JOBINDEX"]) % 9 == 0:
    said = json.dumps([{"step": 1, "loss": x + 1}])
open(os.environ["RESULT_DIR"] + "/val_dict_list.json", "w").write(said)
P
  request odd TPE 18 4
  bsearch start --model-dir code request.json
  wait_for 60 task_is odd .state FINISHED
  [ "$(task odd .complete)" -ge 2 ]
  task odd .best | jq -e '.metricVal >= 1 and .metricVal <= 2'
  bsearch -json show odd | jq -e '[.trials[] | select(.value != null)] | length == 2'
}

@test "a search of nothing but trials that fail says so" {
  echo 'raise SystemExit(3)' >code/main.py
  request fails auto 4 2
  bsearch start --model-dir code request.json
  wait_for 60 task_is fails .state FAILED
  [ "$(task fails .failed)" = 4 ]
  [ "$(task fails .best)" = null ]
}

@test "an optimizer that hangs, dies or returns what is no setting ends its search with the reason" {
  cat >code/main.py <<'P'
import json, os
json.dump([{"step": 1, "loss": 1}], open(os.environ["RESULT_DIR"] + "/val_dict_list.json", "w"))
P
  tar -czf code.modelDir.tar code
  mkdir plugin && cat >plugin/optimizer.py <<'P'
import os, signal, time
from plugins.core.base_plugin_opt import BasePluginOptimizer
class PluginOptimizer(BasePluginOptimizer):
    def search(self, number_samples, last_exp_results):
        how = self.kwargs["how"]
        if how == "hang":
            time.sleep(1000)
        if how == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if how == "exit":
            os._exit(0)
        return {"number": 7, "text": "odd", "inside": [3], "deep": [{"x": {"y": 1}}], "object": [object()], "nan": [{"x": float("nan")}]}[how]
P
  mine -F "data={\"name\": \"wild\", \"path\": \"$PWD/plugin\", \"limitSeconds\": 2}" "$HPO/algorithm"
  for how in hang die exit number text inside deep object nan; do
    request "p-$how" wild 4 1 '.algoDef.algoParams = [{name: "how", value: "'$how'"}]'
    create
  done
  for how in hang die exit number text inside deep object nan; do
    wait_for 60 task_is "p-$how" .state FAILED || { echo "$how: $(task "p-$how" .)"; return 1; }
    [ "$(task "p-$how" '.reason | length > 10')" = true ] || { echo "$how: $(task "p-$how" .reason)"; return 1; }
  done
  [ "$(task p-hang .reason)" != "$(task p-number .reason)" ]
}

# one_seed SEED: a search while things die
one_seed() {
  local name=storm-$1 n victim job
  request "$name" TPE 16 4
  job=$(bsearch start --model-dir code request.json 2>/dev/null | grep -oE '[0-9]+' | head -1)
  RANDOM=$1
  for n in 1 2 3 4; do
    wait_for 30 past "$job" $((n * 3))
    victim=$((RANDOM % 4))
    case $victim in
      0) "$MINICLUSTER" kill wmasterd; "$MINICLUSTER" start wmasterd ;;
      1) "$MINICLUSTER" kill wnoded node2; "$MINICLUSTER" start node2 ;;
      2) "$MINICLUSTER" kill node2; "$MINICLUSTER" start node2 ;;
      3) "$MINICLUSTER" kill wuserd || true ;;
    esac
  done
  wait_for 90 task_is "$name" .state FINISHED || { mine "$HPO/$name"; return 1; }
  mine "$HPO/$name" >told
  jq -e '[.experiments[].id] == [range(16)]' told
  jq -e '[.experiments[].hyperParams[0].fixedVal] | unique | length == 16' told
  jq -e '.complete == 16 and .failed == 0' told
  # what was decided is what ran, each for its own number
  for n in $(seq 16); do
    jq -e --slurpfile ran "seen/$job.$n" '.experiments['$((n - 1))'].hyperParams[0].fixedVal | tonumber - $ran[0].x | fabs < 1e-9' told
  done
}
past() { [ "$(bjobs -a -noheader -o 'jobindex stat' "$1" 2>/dev/null | grep -cE 'DONE|EXIT')" -ge "$2" ]; }

@test "master, hosts and the door are killed at random: no trial is lost, doubled or in another's place" {
  mkdir seen
  cat >code/main.py <<P
import json, os, time
c = json.load(open("config.json"))
time.sleep(0.1)
name = "$PWD/seen/" + os.environ["LSB_JOBID"] + "." + os.environ["LSB_JOBINDEX"]
if os.path.exists(name) and json.load(open(name)) != c:
    raise SystemExit("another setting for the same number")
json.dump(c, open(name, "w"))
json.dump([{"step": 1, "loss": (c["x"] - 0.5) ** 2}], open(os.environ["RESULT_DIR"] + "/val_dict_list.json", "w"))
P
  seeds=${SEEDS-1 2 3} # SEEDS="7": one that failed, again
  [ -z "${WM_SOAK-}" ] || seeds=$(seq 50)
  for seed in $seeds; do
    one_seed "$seed" >said 2>&1 || { echo "seed $seed"; tail -n 20 said; return 1; }
  done
}
