#!/usr/bin/env bats
# Role: GPUs with the stub driver: inventory, who gets which, faults that set one aside alone.

load lib
setup_file() {
  export WM_STUB_NVML=$BATS_FILE_TMPDIR/gpus
  machine
  printf '[paths]\nnvml_library = %s\nmps_program = %s\n[times]\ngpu_check = 200ms\nkill_grace = 1s\n' \
    "$B/stub/libnvidia-ml-stub.so" "$TOP/test/support/stub/mps-control" >"$BATS_FILE_TMPDIR/wm.conf"
  printf '[node1]\ngpus = none\n' >"$BATS_FILE_TMPDIR/hosts.conf"
  [ -e "$B/stub/libnvidia-ml-stub.so" ] || return 0
  cluster_up --nodes 1 --cpus 8 --conf "$BATS_FILE_TMPDIR/wm.conf" --conf "$BATS_FILE_TMPDIR/hosts.conf"
}
teardown_file() { cluster_down; }
setup() {
  [ -e "$B/stub/libnvidia-ml-stub.so" ] || skip "the stub driver is not built"
  cluster_env
  machine
  cd "$BATS_TEST_TMPDIR" || return
}

# machine [more words of GPU 0 [further lines]]: what the driver shows from now on
machine() {
  cat >"$WM_STUB_NVML.new" <<WORDS
driver 580.65
gpu GPU-a name=NVIDIA_H200 mem=80G used=4M pci=00000000:17:00.0 numa=0 cc=9.0 temp=40 ${1-}
gpu GPU-b name=NVIDIA_H200 mem=80G used=4M pci=00000000:18:00.0 numa=0 cc=9.0 temp=41
gpu GPU-c name=NVIDIA_H200 mem=80G used=4M pci=00000000:19:00.0 numa=1 cc=9.0 mig=1
slice 2 MIG-x profile=1g.10gb mem=10G used=0
slice 2 MIG-y profile=1g.10gb mem=10G used=0
link 0 1 18
link 1 0 18
${2-}
WORDS
  mv "$WM_STUB_NVML.new" "$WM_STUB_NVML"
}
gpu() { bhosts -gpu -json | jq -r --arg u "$1" --arg k "$2" '.RECORDS[] | select(.UUID == $u) | .[$k]'; }
gpu_is() { [ "$(gpu "$1" "$2")" = "$3" ]; }
seen() { cat out* 2>/dev/null; }
shows() { seen | grep -qx "$1"; }

@test "the host's GPUs are those of the driver, slices in place of a GPU in MIG mode" {
  [ "$(bhosts -gpu -json | jq -r '[.RECORDS[].UUID] | join(" ")')" = "GPU-a GPU-b MIG-x MIG-y" ]
  [ "$(gpu GPU-a NVLINK)" = "1x18" ]
  [ "$(gpu MIG-x PARENT)" = GPU-c ]
  run bhosts -gpu
  [[ ${lines[0]} == HOST_NAME*ID*MODEL*MUSED*MRSV*NJOBS* ]]
  [[ $output == *H200:1g.10gb* ]]
}

@test "a task sees its GPU by uuid, and has it alone" {
  submit -gpu num=1 -o out1 'echo $CUDA_VISIBLE_DEVICES; sleep 60'
  submit -gpu num=1 -o out2 'echo $CUDA_VISIBLE_DEVICES; sleep 60'
  third=$(submit -gpu num=1 'true')
  wait_for 20 shows GPU-a
  wait_for 20 shows GPU-b
  in_state "$third" pending
}

@test "jobs that say how much memory they need share a GPU" {
  for k in 1 2 3; do submit -gpu num=1:mode=shared:gmem=30G:gpack=yes -o out$k 'echo $CUDA_VISIBLE_DEVICES; sleep 60'; done
  wait_for 20 shows GPU-b
  wait_for 20 gpu_is GPU-a MRSV 60G
  [ "$(seen | grep -cx GPU-a)" -eq 2 ]
}

@test "a slice is given to who asks for its profile" {
  submit -gpu num=1:mig=1g.10gb -o out1 'echo $CUDA_VISIBLE_DEVICES; sleep 60'
  wait_for 20 shows MIG-x
  run bsub -gpu num=1:mig=7g.80gb true
  [ "$status" -ne 0 ]
}

@test "a GPU with ECC errors is set aside alone, with the reason, and comes back" {
  machine ecc=3
  wait_for 20 gpu_is GPU-a GPU_STATUS sick
  [[ $(gpu GPU-a GPU_REASON) == "3 uncorrected ECC errors"* ]]
  gpu_is GPU-b GPU_STATUS ok
  [ "$(bhosts -json -o "status" | jq -r '.RECORDS[0].STATUS')" = ok ]
  submit -gpu num=1 -o out1 'echo $CUDA_VISIBLE_DEVICES; sleep 60'
  wait_for 20 shows GPU-b
  waiting=$(submit -gpu num=1 -o out2 'echo $CUDA_VISIBLE_DEVICES')
  in_state "$waiting" pending
  machine
  ran_out "$waiting"
  shows GPU-a
}

@test "an XID of the hardware stays until an administrator opens the GPU" {
  machine "" "xid 0 79 $RANDOM"
  wait_for 20 gpu_is GPU-a GPU_STATUS sick
  [[ $(gpu GPU-a GPU_REASON) == "XID 79: "* ]]
  machine
  run badmin gopen node1 0
  [[ $output == "Open GPU <0> of <node1> ...... done" ]]
  wait_for 20 gpu_is GPU-a GPU_STATUS ok
}

@test "an administrator takes a GPU out and gives it back" {
  badmin gclose -C fan node1 GPU-b
  gpu_is GPU-b GPU_STATUS closed_Adm
  [[ $(gpu GPU-b GPU_REASON) == *": fan" ]]
  [[ $(bhosts -l node1) == *"set aside: "*": fan"* ]]
  badmin gopen node1 1
  gpu_is GPU-b GPU_STATUS ok
  run badmin gclose node1 9
  [ "$status" -eq 255 ]
  [[ $output == *"no such GPU"* ]]
}

@test "a task's end waits for its GPU; memory that stays sets the GPU aside, not the host" {
  job=$(submit -gpu num=1 -o out1 'echo $CUDA_VISIBLE_DEVICES; sleep 60')
  wait_for 20 shows GPU-a
  machine "used=9G"
  bkill "$job"
  ran_out "$job"
  wait_for 20 gpu_is GPU-a GPU_STATUS sick
  [[ $(gpu GPU-a GPU_REASON) == *"9G of its memory in use by no process"* ]]
  machine
  wait_for 20 gpu_is GPU-a GPU_STATUS ok
}

@test "a process that no job owns sets a free GPU aside until it is gone" {
  machine "used=2G" "proc 0 99999 2G"
  wait_for 20 gpu_is GPU-a GPU_REASON "held by process 99999, no job of ours"
  machine
  wait_for 20 gpu_is GPU-a GPU_STATUS ok
}

@test "a task that uses more than its gmem is named beside its GPU and its job, and ended where the site says so" {
  job=$(submit -gpu num=1:gmem=4G -o out1 'echo $CUDA_VISIBLE_DEVICES; sleep 60')
  wait_for 20 shows GPU-a
  pid=$(field "$job" pids)
  machine "used=9G" "proc 0 $pid 3G"
  sleep 1
  [[ $(gpu GPU-a OVER_GMEM) != *uses* ]]
  machine "used=9G" "proc 0 $pid 5G"
  wait_for 20 gpu_is GPU-a OVER_GMEM "task 1 of job $job uses 5G, its gmem is 4G"
  bhosts -gpu | grep -q 'ok,over_gmem'
  bhosts -l | grep -q "over gmem: task 1 of job $job uses 5G"
  told() { bjobs -l "$job" | grep -q 'task 1 uses 5G of GPU-a, its gmem is 4G'; }
  wait_for 10 told
  in_state "$job" running
  sed -i '/^\[limits\]/a gpu_memory_overuse = end' "$WM_CONF_DIR/wm.conf"
  badmin reconfig
  ran_out "$job"
  machine
  [[ $(field "$job" exit_reason) == *TERM_GPU_MEMLIMIT* ]]
  bhist -l "$job" | tr -d '\n' | tr -s ' ' | grep -q 'used 5G of a GPU, its gmem is 4G'
  sed -i '/^gpu_memory_overuse/d' "$WM_CONF_DIR/wm.conf"
  badmin reconfig
  wait_for 20 gpu_is GPU-a GPU_STATUS ok
}

@test "jobs of one owner share a GPU through one MPS daemon, which ends after the last" {
  for k in 1 2; do
    submit -gpu num=1:mode=shared:gmem=8G:gpack=yes:mps=yes -o out$k 'echo $CUDA_MPS_PIPE_DIRECTORY; sleep 60'
  done
  wait_for 20 both_have_a_pipe
  [ "$(seen | grep '^/' | sort -u | wc -l)" -eq 1 ]
  pipe=$(seen | grep -m 1 '^/')
  [ -e "$pipe/control" ]
  bkill 0
  wait_for 20 test ! -e "$pipe/control"
}
both_have_a_pipe() { [ "$(seen | grep -c '^/')" -eq 2 ]; }

@test "lshosts and lsload tell of GPUs" {
  run lshosts -gpu
  [[ ${lines[0]} == HOST_NAME*gpu_id*gpu_model*gpu_driver* ]]
  [[ ${lines[1]} == node1*H200*580.65*9.0*nvidia*00000000:17:00.0 ]]
  [ "$(lshosts -json | jq -r '.RECORDS[0].ngpus')" = 4 ]
  run lsload -gpu
  [[ ${lines[1]} == node1*ok*4* ]]
}

@test "the energy that a job's GPU used is told while it runs, over a restart of its host, and at its end" {
  machine "energy=1000000"
  job=$(submit -gpu num=1 -o out1 'echo $CUDA_VISIBLE_DEVICES; sleep 600')
  wait_for 20 shows GPU-a
  machine "energy=1000000 power=100000"
  wait_for 20 power_is_seen # so it was looked at since the job began
  machine "energy=5000000 power=100000"
  wait_for 20 energy_is "4000.0 J"
  bjobs -l "$job" | grep -q 'GPU Energy Consumed: 4000.0 Joules'
  "$MINICLUSTER" kill wnoded node1 --dir "$CLUSTER"
  machine "energy=9000000 power=100000"
  "$MINICLUSTER" start node1 --dir "$CLUSTER"
  wait_for 30 energy_is "8000.0 J"
  bkill "$job"
  ran_out "$job"
  energy_is "8000.0 J"
  bacct -l "$job" | grep -q 'GPU Energy Consumed: 8000.0 Joules'
  bacct "$job" | grep -q 'Total GPU energy (J): *8000 '
  bhist -l "$job" | tr -d '\n' | tr -s ' ' | grep -q 'GPU energy 8000 J'
  machine
  other=$(submit -gpu num=1 true)
  ran_out "$other"
  [ "$(bjobs -noheader -o energy "$other")" = - ]
}
energy_is() { [ "$(field "$job" energy)" = "$1" ]; }
power_is_seen() { lsload -gpuload -w | grep -Eq " 100(\.0)? "; }

@test "a host that starts again knows which GPU is taken, and finds a lost one missing" {
  job=$(submit -gpu num=1 -o out1 'echo $CUDA_VISIBLE_DEVICES; sleep 60')
  wait_for 20 shows GPU-a
  "$MINICLUSTER" kill wnoded node1 --dir "$CLUSTER"
  sed -i '/GPU-b/d; /^link/d; s/^slice 2/slice 1/' "$WM_STUB_NVML"
  "$MINICLUSTER" start node1 --dir "$CLUSTER"
  wait_for 30 gpu_is GPU-b GPU_REASON "the driver does not name it any more"
  gpu_is GPU-a JOBIDS "$job"
  gpu_is GPU-a GPU_STATUS ok
  machine
  "$MINICLUSTER" kill wnoded node1 --dir "$CLUSTER"
  "$MINICLUSTER" start node1 --dir "$CLUSTER"
  wait_for 30 gpu_is GPU-b GPU_STATUS ok
}
