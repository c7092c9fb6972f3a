#!/usr/bin/env bats
# Role: the table "ways to start a training" of wm-user(7), row by row, by the real packages of $PYTHON's stack over two
# hosts that have a network of their own each. Each row says which processes there are, what each is told and where its
# output goes. Root only, and long: an import of torch takes seconds of every process. What is not installed in a stack is
# skipped by its name; notebooks are in 097-notebooks.bats, services in 096-services.bats.

load lib
setup_file() {
  [ "$(id -u)" -eq 0 ] || return 0
  command -v ip nsenter >/dev/null || return 0
  [ -n "${WM_SOAK-}" ] || return 0
  cluster_up --nodes 2 --cpus 2 --netns
}
teardown_file() { cluster_down; }
setup() {
  [ -n "${WM_SOAK-}" ] || skip "long: make soak"
  [ "$(id -u)" -eq 0 ] || skip "network namespaces need root"
  command -v ip nsenter >/dev/null || skip "no ip or nsenter: run scripts/bootstrap"
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  export TMPDIR=$PWD HF_HUB_OFFLINE=1 # what launchers leave stays here
  cat >meet.py <<'P'
import os
import torch
import torch.distributed as dist
dist.init_process_group('gloo')
total = torch.tensor([float(dist.get_rank() + 1)])
dist.all_reduce(total)
print(f'rank {dist.get_rank()} of {dist.get_world_size()} total {total.item():.0f} on {os.uname().nodename}'
      f' local {os.environ["LOCAL_RANK"]}', flush=True)
dist.barrier()
dist.destroy_process_group()
P
}

has() { "$PYTHON" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)' "$1" || skip "no $1 for $PYTHON"; }
# Torch of Debian 12 trips over Python 3.11's enum without these.
torchrun="$PYTHON -m torch.distributed.run -r 1 -t 1"
logs() { cat "$CLUSTER"/results/*/batchworkdir/"$1"/log/*/stdout; }
# way FROM COMMAND…: a job of two tasks on each of two hosts. Prints what its ranks have said in FROM, log or -o, sorted.
way() {
  local from=$1 job
  shift
  rm -f out.txt # -o appends
  case $from in
    log) job=$(submit -app training -n 4 -R 'span[ptile=2]' "$@") ;;
    out) job=$(submit -app batch -n 4 -R 'span[ptile=2]' -o out.txt "$@") ;;
  esac
  ran_out "$job" 300
  [ "$(state "$job")" = finished ] || { bhist -a -l "$job"; tail -n 30 out.txt "$CLUSTER"/results/*/batchworkdir/"$job"/log/*/std* 2>/dev/null; return 1; }
  case $from in
    log) logs "$job" ;;
    out) cat out.txt ;;
  esac >said.txt
}
# All four have met, two on each host, with those LOCAL_RANKs.
four_met() { # LOCAL_RANK LOCAL_RANK, of the two on a host
  grep -o 'rank [0-3] of 4 total 10 on node[12] local [0-9]*' said.txt | sort -u >met.txt
  [ "$(wc -l <met.txt)" -eq 4 ] || { cat said.txt; return 1; }
  local node
  for node in node1 node2; do
    [ "$(grep -c "on $node local" met.txt)" -eq 2 ]
    [ "$(grep "on $node local" met.txt | sed 's/.*local //' | sort | tr '\n' ' ')" = "$1 $2 " ]
  done
}
stand_in() { # NAME, of a program that only runs another one; its own words before that end with the given word
  mkdir -p bin
  printf '#!/bin/sh\nwhile [ "$1" != "%s" ]; do shift; done\nshift\nexec "$@"\n' "$2" >"bin/$1"
  chmod +x "bin/$1"
  PATH=$PWD/bin:$PATH
}

@test "a task a slot: each is told its rank, and where they meet" {
  has torch
  way log "$PYTHON" meet.py
  four_met 0 1
}

@test "torchrun: one a host, what its ranks say is in the log folder of each host" {
  has torch
  torchrun_works
  way log $torchrun meet.py
  four_met 0 1
}

@test "torchrun in the batch profile: what its ranks say on both hosts is in the file of -o" {
  has torch
  torchrun_works
  way out $torchrun meet.py
  four_met 0 1
}

@test "torchrun that is told by its options what WM tells it: rdzv-endpoint, master_addr, nnodes" {
  has torch
  torchrun_works
  way out "$torchrun "'--nnodes=$NNODES --nproc_per_node=$NPROC_PER_NODE --rdzv_backend=c10d --rdzv_id=$LSB_JOBID --rdzv_endpoint=$MASTER_ADDR:$MASTER_PORT meet.py'
  four_met 0 1
  way out "$torchrun "'--nnodes 2 --nproc_per_node 2 --node_rank $NODE_RANK --master_addr $MASTER_ADDR --master_port $MASTER_PORT meet.py'
  four_met 0 1
}

@test "torch.distributed.launch, which people still have in their scripts" {
  has torch
  torchrun_works
  way out "$PYTHON" -m torch.distributed.launch -r 1 -t 1 --use_env meet.py
  four_met 0 1
}

@test "accelerate launch --cpu: one a task, with its rank" {
  has accelerate
  has torch
  way log "$(dirname "$PYTHON")/accelerate" launch --cpu meet.py
  four_met 0 1
}

@test "accelerate launch with the options that bsub(1) names" {
  has accelerate
  way log "$(dirname "$PYTHON")/accelerate launch --cpu "'--num_machines $NNODES --machine_rank $NODE_RANK --num_processes $WORLD_SIZE --main_process_ip $MASTER_ADDR --main_process_port $MASTER_PORT meet.py'
  four_met 0 1
}

@test "Hugging Face's Accelerator in tasks that WM starts" {
  has accelerate
  cat >acc.py <<'P'
from accelerate import Accelerator
a = Accelerator(cpu=True)
print(f'process {a.process_index} of {a.num_processes}', flush=True)
a.wait_for_everyone()
a.end_training()
P
  way log "$PYTHON" acc.py
  [ "$(grep -o 'process [0-3] of 4' said.txt | sort -u | wc -l)" -eq 4 ]
}

@test "Lightning in tasks that WM starts" {
  has lightning
  cat >fit.py <<'P'
import lightning as L
import torch
class Small(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
    def training_step(self, batch, _):
        return self.layer(batch[0]).square().mean()
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.ones(16, 4)), batch_size=2)
trainer = L.Trainer(max_epochs=1, accelerator='cpu', devices=2, num_nodes=2, strategy='ddp', logger=False,
                    enable_checkpointing=False, enable_progress_bar=False)
trainer.fit(Small(), data)
print(f'fitted {trainer.global_rank} of {trainer.world_size}', flush=True)
P
  way log "$PYTHON" fit.py
  [ "$(grep -o 'fitted [0-3] of 4' said.txt | sort -u | wc -l)" -eq 4 ]
}

@test "Hugging Face's Trainer behind torchrun" {
  has transformers
  cat >hf.py <<'P'
import torch
from transformers import Trainer, TrainingArguments
class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 1)
    def forward(self, x):
        return {'loss': self.layer(x).square().mean()}
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 16
    def __getitem__(self, i):
        return {'x': torch.ones(4)}
trainer = Trainer(Small(), TrainingArguments('hf-out', max_steps=2, use_cpu=True, report_to=[], save_strategy='no'), train_dataset=Data())
trainer.train()
print(f'trained {trainer.args.process_index} of {trainer.args.world_size}', flush=True)
P
  way out $torchrun hf.py
  [ "$(grep -o 'trained [0-3] of 4' said.txt | sort -u | wc -l)" -eq 4 ]
}

@test "deepspeed --no_ssh: one launcher a host" {
  has deepspeed
  way out "$(dirname "$PYTHON")/deepspeed --no_ssh "'--hostfile $WM_HOSTFILE --node_rank $NODE_RANK --master_addr $MASTER_ADDR --master_port $MASTER_PORT meet.py'
  four_met 0 1
}

@test "Ray: a head and a worker by blaunch, and a driver that uses both" {
  has ray
  cat >driver.py <<'P'
import os, time, ray
ray.init(address='auto', log_to_driver=False)
end = time.monotonic() + 120
while len([n for n in ray.nodes() if n['Alive']]) < 2 and time.monotonic() < end:
    time.sleep(0.5)
@ray.remote(num_cpus=1, scheduling_strategy='SPREAD')
def where():
    time.sleep(1)
    return os.uname().nodename
print('ran on', sorted(set(ray.get([where.remote() for _ in range(4)]))), flush=True)
P
  cat >run.sh <<'R'
ray=$(dirname "$1")/ray
head=$(hostname -I | cut -d' ' -f1)
"$ray" start --head --node-ip-address "$head" --port 6399 --num-cpus 2 --include-dashboard false --temp-dir "$TMPDIR/r" >&2
for host in $(tail -n +2 "$WM_HOSTFILE" | cut -d' ' -f1 | sort -u); do
  [ "$host" = "$(hostname)" ] || blaunch "$host" "$ray" start --address "$head:6399" --num-cpus 2 --block >&2 &
done
"$1" driver.py
"$ray" stop --force >&2
R
  TMPDIR=/tmp/wr.$$ way out sh run.sh "$PYTHON"
  grep -q "ran on \['node1', 'node2'\]" said.txt
}

@test "mpirun starts a rank a slot over both hosts" {
  command -v mpirun >/dev/null || skip "no mpirun"
  printf '%s\n' 'echo "mpi $OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE on $(hostname)"' >rank.sh
  way out mpirun sh rank.sh
  [ "$(grep -c '^mpi [0-3] of 4 on node[12]' said.txt)" -eq 4 ]
}

@test "launchers behind programs that only run another one: conda, poetry, nsys, uv" {
  has torch
  torchrun_works
  local run="torchrun -r 1 -t 1 meet.py"
  mkdir -p bin
  printf '#!/bin/sh\nexec "%s" -m torch.distributed.run "$@"\n' "$PYTHON" >bin/torchrun
  chmod +x bin/torchrun
  stand_in conda X
  stand_in poetry run
  stand_in nsys t
  stand_in uv run
  for command in "conda run -n X $run" "poetry run $run" "nsys profile -o t $run" "uv run $run"; do
    rm -f out.txt
    way out "$command"
    four_met 0 1
  done
}
