#!/usr/bin/env bats
# Role: rigid jobs on several hosts find the environment that LSF and torchrun give.

load lib
setup_file() { cluster_up --nodes 2 --cpus 4 --gpus 2; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; cp "$BATS_TEST_DIRNAME"/*_train.py .; }

result_dir() { echo "$CLUSTER/results/$(id -un)/batchworkdir/$1"; }
all_out() { cat "$(result_dir "$1")"/log/*/stdout; }

@test "an unmodified DDP script runs over two hosts with two tasks each" {
  job=$(submit -app training -n 4 -R 'span[ptile=2]' $PYTHON ddp_train.py)
  ran_out "$job" 60
  [ "$(state "$job")" = finished ] || { all_out "$job"; cat "$(result_dir "$job")"/log/*/stderr; return 1; }
  [ "$(all_out "$job" | grep -c 'of 4 .*agreed')" -eq 4 ]
  [ "$(all_out "$job" | grep -c 'group 1')" -eq 2 ]
}

@test "a FabricModel script without -ar trains in one group of all its tasks, over two hosts" {
  job=$(submit -app training -n 4 -R 'span[ptile=2]' $PYTHON small_train.py 40 1)
  ran_out "$job" 60
  [ "$(state "$job")" = finished ] || { all_out "$job"; cat "$(result_dir "$job")"/log/*/stderr; return 1; }
  [ "$(all_out "$job" | grep -c 'training is complete')" -eq 1 ]
  [ "$(cat "$(result_dir "$job")"/log/*/steps.csv | grep -v step | wc -l)" -eq 160 ]
  [ "$(cat "$(result_dir "$job")"/log/*/steps.csv | grep -v step | cut -d, -f3 | sort -u)" = 4 ]
}

@test "a job whose command is torchrun runs" {
  torchrun_works
  # -r 1 -t 1: without them this torch's torchrun trips over Python 3.11's enum (0 and 3 are no members); its logs stay in TMPDIR
  job=$(TMPDIR=$PWD submit -n 2 -R 'span[hosts=1]' -o out.txt $PYTHON -m torch.distributed.run -r 1 -t 1 \
    --rdzv_backend c10d --rdzv_endpoint 127.0.0.1:0 --nproc_per_node 2 ddp_train.py)
  ran_out "$job" 90
  [ "$(state "$job")" = finished ] || { cat out.txt; return 1; }
  [ "$(grep -c 'of 2 .*agreed' out.txt)" -ge 2 ]
}

@test "the LSF variables describe the allocation" {
  job=$(submit -n 4 -R 'span[ptile=2]' -o env.txt 'env; echo HOSTFILE; cat $LSB_DJOB_HOSTFILE')
  ran_out "$job"
  wait_for 5 grep -q HOSTFILE env.txt
  grep -qx "LSB_JOBID=$job" env.txt
  grep -qx 'LSB_JOBINDEX=0' env.txt
  grep -qx 'LSB_DJOB_NUMPROC=4' env.txt
  grep -qE '^LSB_MCPU_HOSTS=node[12] 2 node[12] 2' env.txt
  [ "$(sed -n '/^HOSTFILE/,$p' env.txt | grep -c '^node[12]$')" -eq 4 ]
}

@test "-env carries variables; job-private ones of the caller stay behind" {
  MINE=yes LSB_JOBNAME=stale job=$(MINE=yes LSB_JOBNAME=stale submit -o env.txt env)
  ran_out "$job"
  wait_for 5 grep -qx MINE=yes env.txt
  ! grep -qx LSB_JOBNAME=stale env.txt
}

@test "each task has its own GPUs" {
  job=$(submit -app training -n 2 -gpu num=1 -R 'span[hosts=1]' 'echo "gpu=$CUDA_VISIBLE_DEVICES"')
  ran_out "$job"
  [ "$(all_out "$job" | grep -c '^gpu=[0-9]')" -eq 2 ]
  [ "$(all_out "$job" | sort -u | grep -c '^gpu=')" -eq 2 ]
}

@test "GPUs are counted and come back" {
  job=$(submit -app training -n 4 -gpu num=1 sleep 31601)
  wait_for 10 in_state "$job" running
  [ "$(bhosts -json | jq '[.RECORDS[].NGPUS_ALLOC | tonumber] | add')" -eq 4 ]
  bkill "$job"
  ran_out "$job"
  [ "$(bhosts -json | jq '[.RECORDS[].NGPUS_ALLOC | tonumber] | add')" -eq 0 ]
}
