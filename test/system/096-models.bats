#!/usr/bin/env bats
# Role: from a run to a service on real daemons: POST /execs/ID/deploy and dlicmd --exec-deploy, then saved as a
# model, promoted to a space, deployed there; the ready-made kernel answers, without a line of kernel code.

load lib
setup_file() { cluster_up --web --nodes 1 --cpus 4; }
teardown_file() { cluster_down; }
setup() {
  cluster_env
  [ -x "$B/sbin/wrouter" ] || skip "services are not built"
  $PYTHON -c 'import torch' 2>/dev/null || skip "no torch"
  export HOME=$BATS_TEST_TMPDIR API=$WM_GATEWAY_URL/api/v1 DLIM=$WM_GATEWAY_URL/dlim/v1
  cd "$BATS_TEST_TMPDIR" || return
  mkdir code
  cat >code/main.py <<'K'
import json
import os

import torch


class Scale(torch.nn.Module):
    def __init__(self, factor=0.0):
        super().__init__()
        self.factor = torch.nn.Parameter(torch.tensor(factor))

    def forward(self, x):
        return x * self.factor


if __name__ == '__main__':
    where = os.path.join(os.environ['RESULT_DIR'], 'model')
    os.makedirs(where, exist_ok=True)
    torch.save(Scale(3.0).state_dict(), os.path.join(where, 'model.pth'))
    with open(os.path.join(where, 'signature.json'), 'w', encoding='utf-8') as out:
        json.dump({'input_shape': [2], 'labels': ['left', 'right']}, out)
    with open(os.path.join(os.environ['RESULT_DIR'], 'val_dict_list.json'), 'w', encoding='utf-8') as out:
        json.dump([{'steps': 1, 'accuracy': 0.75}], out)
K
}
after_each() {
  end_all_jobs
  wait_for 20 bash -c '[ "$(bjobs 2>&1)" = "No unfinished job found" ]'
  for model in $(dlim model list | tail -n +2 | cut -d' ' -f1); do dlim model undeploy -f "$model"; done
}

door() { curl -sS --cacert "$WM_GATEWAY_CA" -H "Authorization: Bearer $(dlim config -s)" "$@"; }
post() { door -H 'Content-Type: application/json' -d "$2" "$API/$1"; }
trained() { # prints the id of an execution that has finished
  local id
  id=$(dlicmd --exec-start PyTorch --model-main main.py --model-dir code --workerDeviceType cpu | sed -n 's/.*"execId": "\(.*\)".*/\1/p')
  DLICMD_POLL_S=0.2 dlicmd --app-wait "$id" | tail -n 1 | grep -qx FINISHED || return 1
  echo "$id"
}
answers() { door -d '{"instances": [[1, 2]]}' "$DLIM/inference/$1"; }

@test "the model of an execution becomes a service by dlicmd, and is served without a kernel of one's own" {
  id=$(trained)
  run dlicmd --exec-deploy "$id" --name scale
  [ "$output" = "Model <scale> is deployed successfully" ] || { echo "$output"; return 1; }
  run dlicmd --exec-deploy "$id" --name scale
  [[ $output == *"model scale is deployed already: undeploy it first"* ]]
  dlim model undeploy scale -f
  dlicmd --exec-deploy "$id" --name scale --tag v1 --attributes factory=main:Scale --envs A=b
  dlim model view scale | grep -qx 'Tag:.v1'
  dlim model start scale
  [ "$(answers scale)" = '{"predictions": [[3.0, 6.0]], "labels": ["right"]}' ] || { answers scale; return 1; }
  v2=$WM_GATEWAY_URL/dlim/v2
  door "$v2/models/scale" | jq -e '.inputs[0].shape == [-1, 2] and .platform == "pytorch"'
  door "$v2/models/scale/ready" | jq -e .ready
  door -d '{"id":"7","inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","data":[1,2]}]}' "$v2/models/scale/infer" | jq -e '.id == "7" and .outputs[0].data == [3, 6]'
  [ "$(door -o /dev/null -w '%{http_code}' -d '{"inputs":[]}' "$v2/models/scale/infer")" = 400 ]
  [ "$(door -o /dev/null -w '%{http_code}' "$v2/models/none")" = 404 ]
  [[ $(door -d '{"instances": [[1]]}' "$DLIM/inference/scale") == *"samples of shape [1]: [2] is wanted"* ]]
  run dlicmd --exec-deploy "$id" --name other --weight none.pt
  [[ $output == *"weight 'none.pt': not among the run's model files"* ]]
  run dlicmd --exec-deploy "$id" --name other --kernel ../../etc/passwd
  [[ $output == *"neither in the run's code nor its model"* ]]
  run dlicmd --exec-deploy "$id"
  [[ $output == *"--name is missing"* ]]
}

@test "a model is saved, promoted to a space, deployed there twice, and knows where it comes from" {
  id=$(trained)
  save="{\"name\":\"scale\",\"run\":\"$id\",\"attributes\":{\"factory\":\"main:Scale\"},\"description\":\"by three\"}"
  post projects/default/models "$save" | jq -e --arg id "$id" '.run == $id and .metrics.accuracy == 0.75 and .weight == "model/model.pth" and (.code_hash | length) == 32'
  post projects/default/models "$save" | jq -e '.status == 409'
  post projects/default/models/scale/promote '{"space":"shop"}' | jq -e '.status == 404'
  post spaces '{"name":"shop","description":"what customers ask"}' | jq -e '.name == "shop"'
  post projects/default/models/scale/promote '{"space":"shop"}' | jq -e '.signature.input_shape == [2]'
  door -X DELETE "$API/projects/default/models/scale" # the space has its own copy
  door "$API/models" | jq -e '.models == []'
  post spaces/shop/models/scale/deploy '{"name":"scale-a","profile":{"policy":{"kernel_min":0,"kernel_max":2}}}' | jq -e '.name == "scale-a"'
  post spaces/shop/models/scale/deploy '{"name":"scale-b","start":false}' | jq -e '.name == "scale-b"'
  [ "$(answers scale-a)" = '{"predictions": [[3.0, 6.0]], "labels": ["right"]}' ]
  door "$API/spaces/shop" | jq -e '[.deployments[] | .name + .state] == ["scale-aStarted", "scale-bStopped"]'
  door "$API/services/scale-a" | jq -e '.space == "shop" and .kernel_min == 0 and .kernel_max == 2 and .router.finished == 1 and .signature.labels[0] == "left"'
  door -X DELETE "$API/spaces/shop" | jq -e '.status == 409 and (.title | contains("scale"))'
  post spaces/shop/models/scale/deploy '{"name":"x","profile":{"policy":{"kernel_max":0}}}' | jq -e '.status == 400 and (.title | contains("kernel_max"))'
  sampled() { door "$API/services/scale-a/series?seconds=60" | jq -e '[.samples[] | select(.total_ms)] | length > 0'; }
  wait_for 10 sampled
}
