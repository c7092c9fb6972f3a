#!/usr/bin/env bats
# Role: searches of hyperparameters through the web door on real daemons, as WMLA's clients begin and follow
# them: create, follow, stop and go on, delete; what is refused, by its field; the same by dlicmd and bsearch.

load lib
setup_file() { cluster_up --web --nodes 2 --cpus 2; }
teardown_file() { cluster_down; }
setup() {
  cluster_env
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  cd "$BATS_TEST_TMPDIR" || return
  HPO=$WM_GATEWAY_URL/platform/rest/deeplearning/v1/hypersearch
  mkdir -p code
  cat >code/main.py <<'P'
import json, os, sys, time
c = json.load(open("config.json"))
while "--wait" in sys.argv and not os.path.exists(sys.argv[sys.argv.index("--wait") + 1]):
    time.sleep(0.02)
json.dump([{"step": 1, "loss": 1.0}, {"step": 2, "loss": (float(c["x"]) - 0.5) ** 2, "acc": 0.5}],
          open(os.environ["RESULT_DIR"] + "/val_dict_list.json", "w"))
P
  tar -czf code.modelDir.tar code
}

door() { curl -sS --cacert "$WM_GATEWAY_CA" "$@"; }
mine() { door -u "$(id -un):$WM_API_KEY" "$@"; }
code_of() { mine -o /dev/null -w '%{http_code}' "$@"; }
# NAME MOST [main's words] [jq filter]
body() {
  jq -n --arg name "$1" --argjson most "$2" --arg args "--exec-start PyTorch --model-main main.py $3" '{
    hpoName: $name, modelSpec: {args: $args},
    algoDef: {algorithm: "Random", maxRunTime: -1, maxJobNum: $most, maxParalleJobNum: 2, objectiveMetric: "loss",
              objective: "minimize", algoParams: [{name: "RandomSeed", value: "2"}]},
    hyperParams: [{name: "x", type: "Range", dataType: "DOUBLE", minDbVal: 0, maxDbVal: 1}], experiments: []} '"| ${4-.}"
}
create() { mine -F "data=$1" -F file=@code.modelDir.tar "${@:2}" "$HPO"; }
task() { mine "$HPO/$1" | jq -r "$2"; }
task_is() { [ "$(task "$1" "$2")" = "$3" ]; }

@test "a search is begun, followed to its end, and each experiment is an execution" {
  [ "$(create "$(body fit 5)" | jq -r .uid)" = fit ]
  wait_for 40 task_is fit .state FINISHED
  mine "$HPO/fit" >told
  [ "$(jq -r '[.progress, .complete, .failed, .running] | map(tostring) | join(" ")' told)" = "5/5 5 0 0" ]
  [ "$(jq '[.experiments[].id] | tostring' told)" = '"[0,1,2,3,4]"' ]
  [ "$(jq '[.experiments[] | ((.hyperParams[0].fixedVal | tonumber) - 0.5) as $d | ($d * $d - .metricVal) | fabs < 1e-6] | all' told)" = true ]
  [ "$(jq '.best.metricVal == ([.experiments[].metricVal] | min)' told)" = true ]
  [ "$(jq -c '.best.metrics | map(.name)' told)" = '["acc","loss"]' ]
  app=$(jq -r '.best.appId' told)
  [ "$(mine "${HPO%hypersearch}execs/$app" | jq -r .state)" = FINISHED ]
  [ "$(mine "$HPO" | jq -r '.[0].hpoName')" = fit ]
  bsearch "$(jq -r '.experiments[0].appId' told | sed 's/-[0-9]*$//; s/.*-//')" | grep -q '5 of 5 trials over'
  [ "$(code_of -X PUT "$HPO/fit")" = 400 ]
  [[ $(mine -X PUT "$HPO/fit") == "Error 400: Model tuning fit is already stopped." ]]
  [ "$(code_of -X DELETE "$HPO/fit")" = 204 ]
  [ "$(code_of "$HPO/fit")" = 400 ]
  [ "$(code_of "${HPO%hypersearch}execs/$app")" = 200 ]   # experiments' executions stay
}

@test "a metric that no trial reports is named with those that there were, in REST, bsearch and bwhy" {
  create "$(body typo 2 "" '.algoDef.objectiveMetric = "los"')"
  wait_for 40 task_is typo .state FAILED
  why="no trial reported the metric 'los'; the metrics that were reported: acc, loss"
  [ "$(task typo .reason)" = "$why" ]
  search=$(task typo '.experiments[0].appId' | sed 's/-[0-9]*$//; s/.*-//')
  bsearch "$search" | grep -qF "$why" || { bsearch "$search"; return 1; }
  bwhy "$search" | tr -s ' \n' ' ' | grep -qF "Search <$search>: $why" || { bwhy "$search"; return 1; }
}

@test "a search that is stopped keeps what it has found, and goes on where it was" {
  create "$(body pause 6 "--wait $PWD/go")"
  wait_for 30 task_is pause .running 2
  [ "$(code_of -X DELETE "$HPO/pause")" = 409 ]
  [ "$(code_of -X PUT "$HPO/pause/resume")" = 400 ]
  [ "$(code_of -X PUT "$HPO/pause/pause")" = 204 ]
  [ "$(task pause '[.paused, .state, .running] | map(tostring) | join(" ")')" = "true RUNNING 2" ]
  [ "$(code_of -X PUT "$HPO/pause/resume")" = 200 ]
  [ "$(code_of -X PUT "$HPO/pause")" = 204 ]
  wait_for 30 task_is pause .state STOPPED
  [ "$(task pause '[.experiments[].state] | unique | join(",")')" = KILLED ]
  touch go
  [ "$(mine -X PUT "$HPO/pause/restart")" = '"pause"' ]
  wait_for 40 task_is pause .state FINISHED
  [ "$(task pause .complete)" = 6 ]   # those that the stop ended, too: with what they had been given
  [ "$(task pause '[.experiments[].hyperParams[0].fixedVal] | unique | length')" = 6 ]   # none twice
}

@test "a trial that waits for its turn is NOTRUN, one that waits for a slot is SUBMITTED" {
  create "$(body turns 6 "--wait $PWD/go" '.algoDef.maxParalleJobNum = 1')"
  wait_for 30 task_is turns .running 1
  states() { task turns '[.experiments[].state] | unique | join(",")'; }
  waits() { [[ $(states) == *NOTRUN* ]]; }
  wait_for 20 waits
  [ "$(states)" = NOTRUN,RUNNING ]
  touch go
  wait_for 60 task_is turns .state FINISHED
  [ "$(states)" = FINISHED ]
}

@test "trials may be elastic: a search of edtPyTorch runs each on as many workers as there is room for" {
  needs_venv torch
  cat >code/elastic-main.py <<'P'
import json, os, sys
import torch
from torch import nn
from fabric_model import FabricModel
x = float(json.load(open("config.json"))["x"])
class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 64
    def __getitem__(self, index):
        return torch.tensor([index / 64]), torch.tensor([x])
model = nn.Linear(1, 1)
fabric = FabricModel(model, lambda: (Numbers(), Numbers()), nn.functional.mse_loss, torch.optim.SGD(model.parameters(), lr=0.1))
fabric.train(10, 16, effective_batch_size=16, validation_freq=0)
out = os.environ["RESULT_DIR"] + "/val_dict_list.json"
with open(f"{out}.{os.getpid()}", "w") as text: # every worker comes here
    json.dump([{"step": 40, "loss": (x - 0.5) ** 2}], text)
os.replace(f"{out}.{os.getpid()}", out)
P
  tar -czf code.modelDir.tar code
  args='--exec-start edtPyTorch --cs-datastore-meta type=fs --numWorker 2 --workerDeviceType cpu --model-main elastic-main.py'
  create "$(body elastic 3 "" ".modelSpec.args = \"$args\"")"
  wait_for 30 task_is elastic .running 2
  job=$(task elastic '.experiments[0].appId' | sed 's/-[0-9]*$//; s/.*-//')
  [ "$(bjobs -a -json -o 'min_req_proc max_req_proc' "$job" | jq -r '.RECORDS[0] | [.MIN_REQ_PROC, .MAX_REQ_PROC] | join(" ")')" = "1 2" ]
  wait_for 90 task_is elastic .state FINISHED
  [ "$(task elastic .complete)" = 3 ]
  [ "$(task elastic '[.experiments[] | ((.hyperParams[0].fixedVal | tonumber) - 0.5) as $d | ($d * $d - .metricVal) | fabs < 1e-6] | all')" = true ]
  # At least one had both workers: the third had the cluster for itself in the end.
  [ "$(mine "${HPO%hypersearch}execs/$(task elastic .best.appId)" | jq .elastic)" = true ]
  grep -h . "$(dirname "$(result_dir "$job.1")")/$job".?/log/2/steps.csv | head -n 1 | grep -q .
}

@test "a search that is stopped before its trials began decides them again when it is restarted" {
  create "$(body early 4 "--wait $PWD/go" '.algoDef.maxParalleJobNum = 1')"
  wait_for 30 task_is early .running 1
  waits() { [[ $(task early '[.experiments[].state] | join(",")') == *NOTRUN* ]]; }
  wait_for 20 waits
  [ "$(code_of -X PUT "$HPO/early")" = 204 ]
  wait_for 30 task_is early .state STOPPED
  touch go
  mine -X PUT "$HPO/early/restart" >/dev/null
  wait_for 60 task_is early .state FINISHED
  [ "$(task early '[.experiments[] | select(.metricVal != null)] | length')" = 4 ]
  [ "$(task early '[.experiments[].hyperParams[0].fixedVal] | unique | length')" = 4 ]
}

@test "what cannot be searched is refused by its field, and leaves nothing" {
  refused() { run create "$(body "${2-odd}" 4 "" "$1")"; [[ $output == "Error ${4-400}: "*"$3"* ]] || { echo "$output"; return 1; }; }
  refused '.hyperParams = []' odd "hyperParams: no parameter"
  refused '.hyperParams[0].minDbVal = 3' odd "'x'"
  refused '.algoDef.objectiveMetric = ""' odd "algoDef.objectiveMetric"
  refused '.algoDef.algorithm = "Magic"' odd "algorithm Magic does not exist"
  refused '.modelSpec.args = "--exec-start PyTorch --model-main none.py"' odd "none.py"
  refused '.algoDef.maxJobNum = 999999' odd "algoDef.maxJobNum"
  refused . 'a/b' "hpoName"
  [ "$(mine "$HPO" | jq '[.[] | select(.hpoName == "odd")] | length')" = 0 ]
  create "$(body twice 2)"
  refused . twice "there is a search twice" 409
  for _ in 1 2 3; do create "$(body "" 2 "" 'del(.hpoName)')" -H "Idempotency-Key: one" >>names & done
  wait
  [ "$(sed 's/""/"\n"/g' names | sort -u | wc -l)" = 1 ]
}

@test "dlicmd begins and follows one; the algorithms are listed" {
  export HOME=$BATS_TEST_TMPDIR
  body cmd 3 >search.json
  [ "$(dlicmd --hpo-start search.json --model-dir code | tail -1 | jq -r .uid)" = cmd ]
  done_is() { [ "$(dlicmd --hpo-get cmd | jq -r .state)" = FINISHED ]; }
  wait_for 40 done_is
  dlicmd --hpo-get-all | grep -q '^cmd .*FINISHED *3/3'
  [ "$(dlicmd --hpo-delete cmd)" = "Delete hpo cmd succeed. HTTP:204 " ]
  [ "$(dlicmd --hpo-algorithm-get-all -o json | jq -r '[.[].name] | join(" ")')" = "auto Random TPE Bayesian Hyperband ASHA ExperimentGridSearch" ]
}

@test "bsearch begins one without the door, which shows it as well; stops, goes on, extends, draws and deletes it" {
  export HOME=$BATS_TEST_TMPDIR
  body shell 6 "--wait $PWD/go" >search.json
  said=$(bsearch start --model-dir code search.json)
  [[ $said =~ ^Job\ \<([0-9]+)\>\ is\ submitted\ to\ default\ queue\ \<normal\>\.$ ]]
  job=${BASH_REMATCH[1]}
  wait_for 30 task_is shell .running 2
  run bsearch start --model-dir code search.json
  [ "$status" -eq 255 ] && [[ $output == *"there is a search shell"* ]]
  run bsearch delete shell
  [ "$status" -eq 255 ] && [[ $output == *"stop it first"* ]]
  bsearch stop shell
  wait_for 30 task_is shell .state STOPPED
  run bsearch stop shell
  [ "$status" -eq 255 ] && [[ $output == *"is already stopped"* ]]
  touch go
  bsearch restart "$job"
  wait_for 40 task_is shell .state FINISHED
  [ "$(task shell .complete)" = 6 ]
  [ "$(bsearch list | awk '$NF == "shell" { print $2 }')" = FINISHED ]
  diff <(bsearch best shell | jq -S .) <(task shell .best | jq -S .)
  diff <(bsearch -json list | jq -S '.[] | select(.hpoName == "shell") | del(.duration)') <(mine "$HPO/shell" | jq -S 'del(.duration)')
  run bsearch extend shell
  [ "$status" -eq 255 ] && [[ $output == *"only searches by auto, TPE or Bayesian"* ]]
  if command -v gnuplot >/dev/null; then
    bsearch plot shell | grep -q 'best so far'
    bsearch plot -o own.png shell
    head -c 4 own.png | grep -q PNG
  fi
  bsearch delete shell
  ! bsearch list | grep -q ' shell$'
  [ "$(code_of "$HPO/shell")" = 400 ]
  run bsearch show shell
  [ "$status" -eq 255 ] && [[ $output == *"search shell does not exist"* ]]
}

@test "a search that is extended knows what was found, and has the code still" {
  export HOME=$BATS_TEST_TMPDIR
  body tpe 5 "" '.algoDef.algorithm = "TPE"' | bsearch start --model-dir code -
  wait_for 40 task_is tpe .state FINISHED
  rm -r code
  bsearch extend -n 3 tpe
  wait_for 40 task_is tpe-2 .state FINISHED
  [ "$(task tpe-2 .complete)" = 3 ]
  bsearch -json show tpe-2 | jq -e '(.search.known | length) == 5 and .search.max_trials == 3'
  run bsearch extend -n 0 tpe
  [ "$status" -eq 255 ]
}

@test "bsearch refuses what cannot be, and submits nothing" {
  export HOME=$BATS_TEST_TMPDIR
  refused() { body odd 4 "" "$1" >odd.json; run bsearch start --model-dir "${3-code}" odd.json; [ "$status" -eq 255 ] && [[ $output == *"$2"* ]] || { echo "$output"; return 1; }; }
  bsearch list >before
  refused '.hyperParams = []' "hyperParams: no parameter"
  refused '.hyperParams[0].minDbVal = 3' "'x'"
  refused '.algoDef.algorithm = "Mine"' "algoDef.algorithm: algorithm Mine does not exist"
  refused '.modelSpec.args = "--exec-start PyTorch --model-main none.py"' "none.py"
  refused '.modelSpec.args = "--exec-start Nothing --model-main main.py"' Nothing
  refused '.algoDef.maxJobNum = 999999' max_array_size
  refused . "nowhere" nowhere
  refused '.hpoName = "a/b"' hpoName
  run bsearch start none.json
  [ "$status" -eq 255 ] && [[ $output == *"none.json"* ]]
  for words in "" "stop" "stop nothing" "extend 9999" "what 1" "list 1" "show a b"; do
    run bsearch $words
    [ "$status" -eq 255 ] || { echo "$words: $output"; return 1; }
  done
  diff before <(bsearch list)
}

@test "experiments that are listed run as they are, with their own ids" {
  create "$(body list 2 "" '.algoDef.algorithm = "ExperimentGridSearch" | .hyperParams = []
    | .experiments = [{id: 7, hyperParams: [{name: "x", dataType: "DOUBLE", fixedVal: "0.5"}]},
                      {id: 9, hyperParams: [{name: "x", dataType: "DOUBLE", fixedVal: "0.75"}]}]')"
  wait_for 40 task_is list .state FINISHED
  [ "$(task list .best.id)" = 7 ]
  [ "$(task list '.experiments[1].hyperParams[0].fixedVal')" = 0.75 ]
}

@test "a plugin decides what is tried, in a job of its owner's; one that fails is a clear state" {
  mkdir plugin && cat >plugin/optimizer.py <<'P'
from plugins.core.logger import logger
from plugins.core.base_plugin_opt import BasePluginOptimizer
class PluginOptimizer(BasePluginOptimizer):
    n = 0
    def search(self, number_samples, last_exp_results):
        logger.info(f"asked for {number_samples}: {last_exp_results}")
        if self.kwargs.get("fail") == "yes":
            raise ValueError("it is odd")
        self.n += 1
        return [{"x": self.n / 8 + i / 64} for i in range(number_samples)]
    def get_state(self):
        return {"n": self.n}
    def set_state(self, state):
        self.n = state["n"]
P
  tar -czf plugin.tar -C plugin optimizer.py
  ALG=$HPO/algorithm
  [ "$(mine -F 'data={"name": "mine", "logLevel": "DEBUG"}' -F file=@plugin.tar "$ALG/install" | jq -r .type)" = USER_PLUGIN ]
  [ "$(code_of -F 'data={"name": "mine"}' -F file=@plugin.tar "$ALG")" = 409 ]
  [ "$(code_of -F 'data={"name": "TPE"}' -F file=@plugin.tar "$ALG")" = 409 ]
  [[ $(mine -F "data={\"name\": \"bad\", \"path\": \"$PWD/code\"}" "$ALG") == *"optimizer.py is not at the top"* ]]
  [ "$(mine -F "data={\"name\": \"here\", \"path\": \"$PWD/plugin\"}" "$ALG" | jq -r .path)" = "$PWD/plugin" ]
  [ "$(mine "$ALG?type=USER_PLUGIN" | jq -r '[.[].name] | join(" ")')" = "here mine" ]
  [ "$(code_of -X DELETE "$ALG/here")" = 204 ]
  [ "$(code_of "$ALG/here")" = 400 ]

  create "$(body own 5 "" '.algoDef.algorithm = "mine"')"
  wait_for 60 task_is own .state FINISHED
  [ "$(task own .progress)" = 5/5 ]
  [ "$(task own '[.experiments[].hyperParams[0].fixedVal] | unique | length')" = 5 ]

  export HOME=$BATS_TEST_TMPDIR # and from a shell: one that is installed, and one that is not
  body shell 4 "" '.algoDef.algorithm = "mine"' | bsearch start --model-dir code -
  body bare 3 "" '.algoDef.algorithm = "bare"' | bsearch start --model-dir code -plugin plugin -
  for name in shell bare; do wait_for 60 task_is $name .state FINISHED; done
  [ "$(task shell .progress) $(task bare .progress)" = "4/4 3/3" ]
  body no 3 "" '.algoDef.algorithm = "TPE"' >no.json
  run bsearch start --model-dir code -plugin plugin no.json
  [[ $output == *"-plugin: algoDef.algorithm is one that comes with WM"* ]]
  body no 3 "" '.algoDef.algorithm = "bare"' >no.json
  run bsearch start --model-dir code -plugin code no.json
  [[ $output == *"code: there is no optimizer.py"* ]]

  create "$(body worse 5 "" '.algoDef.algorithm = "mine" | .algoDef.algoParams = [{name: "fail", value: "yes"}]')"
  wait_for 60 task_is worse .state FAILED
  [[ $(task worse .reason) == *"has failed: search() failed: ValueError: it is odd" ]]
  [ "$(code_of -X DELETE "$HPO/worse")" = 204 ]
}

@test "a plugin's search that is stopped goes on where its optimizer was" {
  mkdir plugin && cat >plugin/optimizer.py <<'P'
from plugins.core.base_plugin_opt import BasePluginOptimizer
class PluginOptimizer(BasePluginOptimizer):
    n = 0
    def search(self, number_samples, last_exp_results):
        self.n += number_samples
        return [{"x": (self.n - i) / 16} for i in range(number_samples)]
    def get_state(self):
        return {"n": self.n}
    def set_state(self, state):
        self.n = state["n"]
P
  mine -F "data={\"name\": \"counts\", \"path\": \"$PWD/plugin\"}" "$HPO/algorithm"
  create "$(body held 6 "--wait $PWD/go" '.algoDef.algorithm = "counts"')"
  wait_for 30 task_is held .running 2
  [ "$(code_of -X PUT "$HPO/held")" = 204 ]
  wait_for 30 task_is held .state STOPPED
  touch go
  mine -X PUT "$HPO/held/restart"
  wait_for 40 task_is held .state FINISHED
  [ "$(task held '[.experiments[].hyperParams[0].fixedVal] | unique | length')" = 6 ]
}
