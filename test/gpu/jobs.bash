# Role: checks of jobs on the real GPU, in one private cluster of one host; sourced by scripts/gpu_acceptance, whose check() runs
# each of JOB_CHECKS in a shell of its own. A check's last line is what is shown; exit 0 right, 77 skipped, else wrong.
# Environment: B, TMP, PYTHON; WM_STUB_NVML as of gpu_acceptance.
export MINI=$PWD/scripts/minicluster SCRIPTS=$PWD/test/gpu

export JOB_CHECKS="inventory idle_gpu_uses_nothing two_ranks_on_one_gpu cells all_lightning all_accelerate stranger_is_named
  metrics model_by_any_name job_sees_its_gpu own_plain own_torchrun all_plain all_torchrun own_accelerate own_lightning"

skip() { echo "x: skipped: $*"; exit 77; }
has_gpu() { [ -n "${WM_STUB_NVML-}" ] || command -v nvidia-smi >/dev/null || skip "no nvidia-smi"; }
# has MODULE…: of Python
has() {
  has_gpu
  local module
  for module in "$@"; do
    "$PYTHON" -c "import importlib.util as u, sys; sys.exit(u.find_spec('$module') is None)" || skip "no $module"
  done
}
in_cluster() { [ -e "$TMP/env" ] || skip "no cluster"; . "$TMP/env"; }

cluster_up() {
  has_gpu
  printf '[node1]\ngpus = none\n' >"$TMP/hosts.conf"
  printf '[cluster]\nnode_metrics_address = 127.0.0.1:0\n[times]\ngpu_check = 1s\nkill_grace = 2s\n' >"$TMP/wm.conf"
  [ -z "${WM_STUB_NVML-}" ] || printf '[paths]\nnvml_library = %s\n' "$B/stub/libnvidia-ml-stub.so" >>"$TMP/wm.conf"
  "$MINI" up --dir "$TMP/c" --nodes 1 --cpus 16 --conf "$TMP/hosts.conf" --conf "$TMP/wm.conf" ||
    { tail -n 5 "$TMP"/c/log/*; return 1; }
  "$MINI" env --dir "$TMP/c" >"$TMP/env"
  . "$TMP/env"
  bhosts -gpu -noheader | head -n 1
}
cluster_down() {
  [ -e "$TMP/env" ] || return 0
  rm -f "$TMP/env"
  timeout 30 "$MINI" down --dir "$TMP/c" >/dev/null 2>&1
}
# For a check that failed: the jobs that it left, why they wait, and their end. The next check finds the cluster empty.
state_of_jobs() {
  [ -e "$TMP/env" ] || return 0
  (
    . "$TMP/env"
    bhosts -gpu
    for job in $(bjobs -noheader -o jobid 2>/dev/null); do bjobs -l "$job" | tail -n 12; bwhy "$job" | tail -n 6; done
    bkill 0 >/dev/null 2>&1
  )
}

# job WORDS…: submits them as a training and waits; its line that begins with "agreed". @errors what it said, its reason last
job() {
  local out=$TMP/out.$$
  bsub -K -app training -o "$out" "$@" >"$out.said" 2>&1 && grep -h -m 1 '^agreed' "$out" && return 0
  sed '/^Sender: LSF/,$d' "$out" | tail -n 40
  cat "$out.said"
  bhist -l "$(sed -n 's/^Job <\([0-9]*\)>.*/\1/p' "$out.said")" | tail -n 40
  return 1
}

# NVML as wnoded reads it, against nvidia-smi: names, memory and uuids must agree.
inventory() {
  in_cluster
  command -v nvidia-smi >/dev/null || skip "no nvidia-smi"
  local theirs ours
  theirs=$(nvidia-smi --query-gpu=uuid,name,pci.bus_id --format=csv,noheader | sed 's/, /,/g; s/ //g' | sort) # WM writes a model as one word
  ours=$(bhosts -gpu -json | jq -r '.RECORDS[] | [.UUID, .GPU_MODEL, .PCI] | join(",")' | sort)
  [ "$theirs" = "$ours" ] || { echo "nvidia-smi: $theirs; wm: $ours"; return 1; }
  echo "$(wc -l <<<"$ours") GPUs as nvidia-smi names them"
}

# A job sees exactly the GPU that it was given, by uuid.
job_sees_its_gpu() {
  in_cluster
  command -v nvidia-smi >/dev/null || skip "no nvidia-smi"
  # shellcheck disable=SC2016
  bsub -K -gpu num=1 -o "$TMP/seen" 'wm-gpucheck && echo $CUDA_VISIBLE_DEVICES' || { cat "$TMP/seen"; return 1; }
  grep -q "^GPU-" "$TMP/seen" && grep -q "float64 ok" "$TMP/seen" && echo "given by uuid, arithmetic right"
}

# gmodel= takes the short name, the whole one without blanks, and the short one with the memory.
model_by_any_name() {
  in_cluster
  local name short asked
  name=$(bhosts -gpu -json | jq -r '.RECORDS[0].GPU_MODEL')
  short=$(grep -oE '\b[A-Z]+[0-9]+[A-Z0-9]*\b' <<<"$name" | head -n 1)
  for asked in "$short" "${name// /}" "${short,,}-$(bhosts -gpu -json | jq -r '.RECORDS[0].MTOTAL' | awk '{printf "%d", $1 + 0.999}')G"; do
    timeout 10 bsub -K -gpu "num=1:gmodel=$asked" true || { echo "$name is no $asked"; return 1; }
  done
  echo "$name is $short, ${name// /}, $asked"
}

# What the driver keeps for itself is nobody's use.
idle_gpu_uses_nothing() {
  in_cluster
  command -v nvidia-smi >/dev/null || skip "no nvidia-smi"
  local ours theirs
  theirs=$(nvidia-smi --query-gpu=memory.used --format=csv,noheader,nounits | head -n 1)
  ours=$(bhosts -gpu -json | jq -r '.RECORDS[0].MUSED')
  [ "$theirs" -lt 100 ] || skip "${theirs} MiB in use"
  case $ours in '' | 0 | [0-9]M | [0-9][0-9]M | [0-9.]*K) echo "$ours, nvidia-smi $theirs MiB" ;; *) echo "MUSED $ours, nvidia-smi $theirs MiB"; return 1 ;; esac
}

# Temperature, power, energy and ECC errors of the device, for monitoring.
metrics() {
  in_cluster
  local at page name
  at=$(grep -h -o 'metrics at="\?[0-9.]*:[0-9]*' "$TMP"/c/log/* | tail -n 1 | grep -o '[0-9.]*:[0-9]*$') || skip "no address of node metrics in the log"
  page=$("$PYTHON" -c 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=5).read().decode())' "http://$at/metrics")
  for name in temperature_celsius power_watts energy_joules_total ecc_uncorrected_errors_total; do
    grep "^wm_node_gpu_$name{" <<<"$page" || { grep gpu <<<"$page"; echo "no $name"; return 1; }
  done | awk '{print $1, $2}' | sed 's/wm_node_gpu_//; s/{.*}//' | tr '\n' ' '
}

# A process of nobody's job holds the GPU: who waits is told that.
stranger_is_named() {
  has torch && in_cluster
  local job holder why
  "$PYTHON" -c 'import torch, time; x = torch.ones(1 << 28, device="cuda"); print(1, flush=True); time.sleep(30)' >"$TMP/holds" &
  holder=$!
  until [ -s "$TMP/holds" ]; do kill -0 "$holder" || return 1; sleep 0.2; done
  sleep 4
  bsub -gpu num=1 true >"$TMP/waits"
  job=$(sed -n 's/^Job <\([0-9]*\)>.*/\1/p' "$TMP/waits")
  sleep 2
  why=$(bwhy "$job" 2>&1)
  kill "$holder"
  timeout 20 bwait -w "ended($job)"
  grep -q "$holder" <<<"$why" && tr -s ' \n' ' ' <<<"$why" | cut -c1-200 || { echo "$why"; return 1; }
}

# LOCAL_RANK is a device that the task sees, however the training is started.
own_plain() { has torch && in_cluster && job -gpu num=1 "$PYTHON" "$SCRIPTS/local_rank.py"; }
own_torchrun() { has torch && in_cluster && job -gpu num=1 torchrun "$SCRIPTS/local_rank.py" torchrun; }
own_accelerate() { has accelerate transformers && in_cluster && job -gpu num=1 accelerate launch "$SCRIPTS/accelerate_train.py"; }
own_lightning() { has lightning && in_cluster && job -gpu num=1 "$PYTHON" "$SCRIPTS/light_train.py"; }
all_plain() { has torch && in_cluster && job -gpu num=1:see=all "$PYTHON" "$SCRIPTS/local_rank.py"; }
all_torchrun() { has torch && in_cluster && job -gpu num=1:see=all torchrun "$SCRIPTS/local_rank.py" torchrun; }
all_accelerate() { has accelerate transformers && in_cluster && job -gpu num=1:see=all accelerate launch "$SCRIPTS/accelerate_train.py"; }
all_lightning() { has lightning && in_cluster && job -gpu num=1:see=all "$PYTHON" "$SCRIPTS/light_train.py"; }

# NCCL takes no two ranks on one device: the job's end says so.
two_ranks_on_one_gpu() {
  has torch && in_cluster
  job -n 2 -R 'span[hosts=1]' -gpu num=1:mode=shared:gmem=5G "$PYTHON" "$SCRIPTS/local_rank.py" >"$TMP/two" 2>&1
  tr -d '\n' <"$TMP/two" | sed 's/ \{22\}//g' | grep -o 'share one GPU, which NCCL refuses.*gloo' || { cat "$TMP/two"; return 1; }
}

# Tensors, a model and its optimizer that a %%gpu cell leaves on the GPU; the notebook's kernel sees none.
cells() {
  has torch && in_cluster
  mkdir -p "$TMP/cells"
  CUDA_VISIBLE_DEVICES='' RESULT_DIR=$TMP/cells PYTHONPATH=$B/lib/python "$PYTHON" "$SCRIPTS/cells.py"
}

# The main job, in a cluster of its own.
story() { has torch && "$PYTHON" "$SCRIPTS/story.py" --model 100m; }

# shellcheck disable=SC2046,SC2086
export -f skip has_gpu has in_cluster cluster_up cluster_down state_of_jobs job story $JOB_CHECKS
