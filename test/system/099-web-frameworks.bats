#!/usr/bin/env bats
# Role: frameworks through the web door, each with a run of its own: DDP by two workers on real digits, FSDP where
# torch has it, the prebuilt models, and every package that the default runtime says it includes.

load lib
setup_file() {
  local conf=$BATS_FILE_TMPDIR
  # What makes an environment stands for itself: it writes one whose interpreter says whence it is.
  mkdir -p "$conf/conda/etc/profile.d"
  cat >"$conf/conda/etc/profile.d/conda.sh" <<'P'
conda() {
  case "$1 ${2-}" in
  "env create") echo "made of $(cat "$7")" >&2; mkdir -p "$5/bin" && printf '#!/bin/sh\nexec @PYTHON@ "$@"\n' >"$5/bin/python3" && chmod +x "$5/bin/python3" && echo once >>"$5/times" ;;
  "activate "*) PATH=$2/bin:$PATH && export WORD="in $2" ;;
  esac
}
P
  sed -i "s|@PYTHON@|$PYTHON|" "$conf/conda/etc/profile.d/conda.sh"
  cluster_up --web --nodes 1 --cpus 4
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  cd "$BATS_TEST_TMPDIR" || return
  EXECS=$WM_GATEWAY_URL/platform/rest/deeplearning/v1/execs
  mkdir code
}

mine() { curl -sS --cacert "$WM_GATEWAY_CA" -u "$(id -un):$WM_API_KEY" "$@"; }
start() { # ARGS [curl options]
  tar -czf code.modelDir.tar code
  mine "${@:2}" -F file=@code.modelDir.tar "$EXECS/?args=${1// /%20}"
}
exec_is() { [ "$(mine "$EXECS/$1" | jq -r .state)" = "$2" ]; }
over() { [[ $(mine "$EXECS/$1" | jq -r .state) =~ ^(FINISHED|ERROR|KILLED)$ ]]; }
finished() { # ID SECONDS
  wait_for "$2" over "$1"
  exec_is "$1" FINISHED || { mine "$EXECS/$1/log"; return 1; }
}

@test "distPyTorch: two workers train the digits by DDP" {
  $PYTHON -c 'import sklearn, torch' 2>/dev/null || skip "no torch or no digits"
  cp "$BATS_TEST_DIRNAME/ddp_digits.py" code/
  id=$(start "--exec-start distPyTorch --numWorker 2 --workerDeviceType cpu --model-main ddp_digits.py --model-dir code -- --epochs 12" | jq -r .id)
  finished "$id" 90
  log=$(mine "$EXECS/$id/log?logType=outlog")
  echo "$log"
  [ "$(grep -c 'rank [01] of 2 Test accuracy: 0\.9' <<<"$log")" -eq 2 ]
  mine -o result.zip "$EXECS/$id/result"
  $PYTHON -m zipfile -l result.zip | grep -q trained_model.pt
}

roles_of() { # JOBID: of its tasks, the workers' and those of its other group
  local id ids
  ids=$(mine "$WM_GATEWAY_URL/api/v1/jobs/$1" | jq -r '.groups[].jobid')
  for id in $ids; do mine "$WM_GATEWAY_URL/api/v1/jobs/$(jq -rn --arg id "$id" '$id | @uri')" | jq -r '.job.tasks[] | select(.state == "running").role'; done | sort | uniq -c | xargs
}
has_roles() { [ "$(roles_of "$1")" = "$2" ]; }

@test "edtPyTorch --numPs 2: two servers are tasks of their own beside two workers, and rows of tasks have a role" {
  $PYTHON -c 'import sklearn, torch' 2>/dev/null || skip "no torch or no digits"
  cp "$BATS_TEST_DIRNAME/digits_served.py" code/
  id=$(start "--exec-start edtPyTorch --numPs 2 --numWorker 2 --workerDeviceType cpu --msd-env STEP_MS=40 --model-main digits_served.py --model-dir code -- 8" | jq -r .id)
  wait_for 60 has_roles "${id##*-}" "2 ps 2 worker"
  finished "$id" 120
  log=$(mine "$EXECS/$id/log?logType=outlog")
  [[ $log == *"parameter servers, epoch "*": 0 at ps"*"training is complete"* ]] || { echo "$log"; return 1; }
}

@test "distPyTorch: two workers train the digits by FSDP" {
  why=$($PYTHON -c 'from torch.distributed.fsdp import FullyShardedDataParallel' 2>&1 | tail -1)
  [ -z "$why" ] || skip "torch $($PYTHON -c 'import torch; print(torch.__version__)') has no FSDP under this Python: $why"
  cp "$BATS_TEST_DIRNAME/ddp_digits.py" code/
  id=$(start "--exec-start distPyTorch --numWorker 2 --model-main ddp_digits.py --model-dir code -- --fsdp" | jq -r .id)
  finished "$id" 120
  [ "$(mine "$EXECS/$id/log" | grep -c 'Test accuracy: 0\.9')" -eq 2 ]
}

@test "prebuilt models train on data that is made up" {
  $PYTHON -c 'import torchvision' 2>/dev/null || skip "no torchvision"
  models=ResNet18
  [ -z "${WM_SOAK-}" ] || models="AlexNet VGG16 ResNet18"
  for model in $models; do
    id=$(mine -X POST "$EXECS?args=--exec-start%20PyTorch%20--pbmodel-name%20$model%20--pbmodel-cmd%20train" | jq -r .id)
    finished "$id" 120
    [[ $(mine "$EXECS/$id/log") == *"trained $model"* ]]
  done
}

@test "WMLA's six frameworks are listed; what lacks its package says so, and a start is refused with the reason" {
  listed=$(mine "$EXECS/frameworks")
  jq -e 'map(.name) | contains(["PyTorch", "distPyTorch", "tensorflow", "disttensorflow", "edtPyTorch", "edtTensorflow"])' <<<"$listed"
  for name in tensorflow disttensorflow edtTensorflow; do
    $PYTHON -c 'import tensorflow' 2>/dev/null && continue
    jq -e --arg n "$name" 'any(.[]; .name == $n and (.available | not) and (.reason | contains("tensorflow is not installed")))' <<<"$listed"
    echo 'print(1)' >code/main.py
    [[ $(start "--exec-start $name --model-main main.py") == "Error 400: framework $name: the Python module tensorflow is not installed" ]]
  done
}

@test "what the default runtime includes is there with its version, and runs" {
  export HOME=$BATS_TEST_TMPDIR
  list=$(mine "$WM_GATEWAY_URL/api/v1/runtime")
  dlicmd --dl-runtime
  jq -e '.packages | map(.name) | contains(["PyTorch", "torchvision", "OpenCV", "scikit-learn", "XGBoost", "ONNX", "TensorFlow", "TensorBoard", "PyArrow"])' <<<"$list"
  cat >code/main.py <<'P'
def PyTorch():
    import torch
    assert torch.linalg.solve(torch.eye(2), torch.ones(2)).sum() == 2
def torchvision():
    from torchvision.transforms.functional import resize
    import torch
    assert resize(torch.zeros(3, 8, 8), [4, 4]).shape == (3, 4, 4)
def OpenCV():
    import cv2, numpy
    assert cv2.GaussianBlur(numpy.ones((8, 8), 'uint8'), (3, 3), 0).shape == (8, 8)
def scikit_learn():
    from sklearn.datasets import load_iris
    from sklearn.linear_model import LogisticRegression
    x, y = load_iris(return_X_y=True)
    assert LogisticRegression(max_iter=500).fit(x, y).score(x, y) > 0.9
def XGBoost():
    import numpy, xgboost
    x = numpy.arange(40.0).reshape(40, 1)
    assert xgboost.train({'max_depth': 2}, xgboost.DMatrix(x, x[:, 0] > 20), 3).predict(xgboost.DMatrix(x)).shape == (40,)
def ONNX():
    import onnx
    from onnx import helper
    onnx.checker.check_model(helper.make_model(helper.make_graph([helper.make_node('Identity', ['a'], ['b'])], 'g',
        [helper.make_tensor_value_info('a', 1, [1])], [helper.make_tensor_value_info('b', 1, [1])])))
import sys
globals()[sys.argv[1].replace('-', '_')]()
print('ran', sys.argv[1])
P
  ids=()
  for name in PyTorch torchvision OpenCV scikit-learn XGBoost ONNX; do
    there=$(jq -r --arg n "$name" '.packages[] | select(.name == $n) | .available' <<<"$list")
    [ "$there" = true ] || { echo "$name is not installed here"; continue; }
    ids+=("$name:$(start "--exec-start PyTorch --workerDeviceType cpu --model-main main.py -- $name" | jq -r .id)")
  done
  for one in "${ids[@]}"; do
    finished "${one#*:}" 90
    [[ $(mine "$EXECS/${one#*:}/log") == *"ran ${one%%:*}"* ]]
  done
  [ "${#ids[@]}" -ge 3 ]
}

@test "an environment that a file describes is made once, by conda where there is one" {
  echo 'name: mine' >env.yml
  printf 'import os\nprint(os.environ.get("WORD", "outside"))\n' >code/main.py
  id=$(start "--exec-start distPyTorch --numWorker 2 --workerDeviceType cpu --model-main main.py --model-dir code --conda-env-yaml env.yml --conda-home $BATS_FILE_TMPDIR/conda" -F file=@env.yml | jq -r .id)
  finished "$id" 60
  [ "$(mine "$EXECS/$id/log?logType=outlog" | grep -c '^in /.*/conda$')" -eq 2 ]
  [[ $(mine "$EXECS/$id/log?logType=errlog") == *"made of name: mine"* ]]
  [ "$(wc -l <"$CLUSTER/results/$(id -un)/batchworkdir/${id##*-}/conda/times")" -eq 1 ]
  [[ $(start "--exec-start PyTorch --model-main main.py --conda-env-yaml env.yml --conda-home /nowhere" -F file=@env.yml) == "Error 400: --conda-env-yaml env.yml: there is no conda at /nowhere" ]]
  [[ $(start "--exec-start PyTorch --model-main main.py --conda-env-yaml env.yml --conda-home $BATS_FILE_TMPDIR/conda") == *"the file did not come along" ]]
  command -v conda >/dev/null || [[ $(start "--exec-start PyTorch --model-main main.py --conda-env-yaml env.yml" -F file=@env.yml) == *"there is no conda here (in PATH or /opt)"* ]]
}

@test "an environment that is packed is unpacked once for all workers, and needs no conda" {
  mkdir -p env/bin
  printf '#!/bin/sh\nWORD="packed" exec %s "$@"\n' "$PYTHON" >env/bin/python3
  printf '#!/bin/sh\necho once >>"$CONDA_PREFIX/times"\n' >env/bin/conda-unpack
  chmod +x env/bin/*
  tar -czf env.tar.gz -C env .
  printf 'import os\nprint(os.environ.get("WORD", "outside"), os.environ["CONDA_PREFIX"])\n' >code/main.py
  args="--exec-start distPyTorch --numWorker 2 --workerDeviceType cpu --model-main main.py --model-dir code --conda-package env.tar.gz"
  id=$(start "$args" -F file=@env.tar.gz | jq -r .id)
  finished "$id" 60
  [ "$(mine "$EXECS/$id/log?logType=outlog" | grep -c '^packed /.*/conda$')" -eq 2 ]
  [ "$(wc -l <"$CLUSTER/results/$(id -un)/batchworkdir/${id##*-}/conda/times")" -eq 1 ]
  [ ! -e "$CLUSTER/results/$(id -un)/batchworkdir/${id##*-}/_submitted_code/bin" ] # no part of the code
  [[ $(start "$args") == *"--conda-package env.tar.gz: the file did not come along" ]]
}

@test "edtTensorflow, called edtKeras by older clients: a model of Keras trains elastically" {
  needs_venv tensorflow
  cp "$BATS_TEST_DIRNAME/keras_elastic.py" code/
  venv=$(dirname "$(dirname "$(command -v python3)")")
  mine -X POST "$EXECS/frameworks" -d "{\"name\": \"stack\", \"like\": \"edtKeras\", \"venv\": \"$venv\"}"
  id=$(start "--exec-start stack --numWorker 2 --workerDeviceType cpu --model-main keras_elastic.py --model-dir code -- 40 25" | jq -r .id)
  finished "$id" 180
  log=$(mine "$EXECS/$id/log?logType=outlog")
  [[ $log == *"train returned, world 2 torch False"* ]] || { echo "$log"; return 1; }
  mine -o result.zip "$EXECS/$id/result"
  $PYTHON -m zipfile -l result.zip | grep -q model.keras
  [[ $(start "--exec-start stack --numWorker 2 --numPs 1 --model-main keras_elastic.py --model-dir code") == *"--numPs is for disttensorflow and edtPyTorch" ]]
}
