# Role: checks of jobs on the real GPU, in one private cluster of one host; sourced by scripts/gpu_acceptance, whose check() runs
# each of JOB_CHECKS in a shell of its own. A check's last line is what is shown; exit 0 right, 77 skipped, else wrong.
# Environment: B, TMP, PYTHON; WM_STUB_NVML as of gpu_acceptance.
export MINI=$PWD/scripts/minicluster SCRIPTS=$PWD/test/gpu

export JOB_CHECKS="inventory job_sees_its_gpu own_plain two_ranks_on_one_gpu cells own_torchrun own_accelerate own_lightning
  all_plain all_torchrun all_accelerate all_lightning"

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
  printf '[times]\ngpu_check = 1s\nkill_grace = 2s\n' >"$TMP/wm.conf"
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
  sed '/^Sender: WM/,$d' "$out" | tail -n 40
  cat "$out.said"
  bhist -l "$(sed -n 's/^Job <\([0-9]*\)>.*/\1/p' "$out.said")" | tail -n 12
  return 1
}

# NVML as wnoded reads it, against nvidia-smi: names, memory and uuids must agree.
inventory() {
  in_cluster
  command -v nvidia-smi >/dev/null || skip "no nvidia-smi"
  local theirs ours
  theirs=$(nvidia-smi --query-gpu=uuid,name,pci.bus_id --format=csv,noheader | sed 's/, /,/g' | sort)
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
  tr -d '\n' <"$TMP/two" | sed 's/ \{21\}//g' | grep -o 'ranks . and . share one GPU.*gloo' || { cat "$TMP/two"; return 1; }
}

# Tensors, a model and its optimizer that a %%gpu cell leaves on the GPU; the notebook's kernel sees none.
cells() {
  has torch && in_cluster
  mkdir -p "$TMP/cells"
  CUDA_VISIBLE_DEVICES='' RESULT_DIR=$TMP/cells PYTHONPATH=$B/lib/python "$PYTHON" "$SCRIPTS/cells.py"
}

# shellcheck disable=SC2046,SC2086
export -f skip has_gpu has in_cluster cluster_up cluster_down state_of_jobs job $JOB_CHECKS
