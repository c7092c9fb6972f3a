#!/usr/bin/env bash
# Role: WM beside Slurm as Debian packages it, in one run on this machine: both have one host of 16 slots, the same munged
# and the same jobs, and Slurm is told to schedule at once and to account nothing. Medians of 5 rounds that alternate.
#
#   slurm_submit_loop_ratio       200 jobs, one after another: Slurm's time over WM's
#   slurm_submit_parallel_ratio   the same by 4 at a time
#   slurm_end_to_end_ratio        1,000 different jobs of /bin/true by 4 at a time, until all have ended
#   submit_over_true_ratio        a bsub over a /bin/true, one after another
#
# Needs root, and scripts/bootstrap slurm; without them it says so and prints nothing.
set -euo pipefail
top=$(realpath "$(dirname "$0")/../..")
cd "$top"
B=$(realpath -m "${B:-build}")
export B
if [ "$(id -u)" -ne 0 ] || ! command -v slurmctld >/dev/null; then
  echo "slurm.bash: needs root and scripts/bootstrap slurm" >&2
  exit 0
fi
work=$(mktemp -d)
children=()
finish() {
  kill "${children[@]}" 2>/dev/null || true
  wait
  cd "$top" # not found from where the jobs were submitted
  scripts/minicluster down --dir "$work/cluster" >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap finish EXIT

scripts/minicluster up --dir "$work/cluster" --nodes 1 --cpus 16 >/dev/null
eval "$(scripts/minicluster env --dir "$work/cluster")"
unset LD_PRELOAD # host names' wrapper would be measured too
socket=$(awk '$1 == "munge_socket" { print $3 }' "$WM_CONF_DIR/wm.conf")

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
host=$(hostname -s)
mkdir "$work/state" "$work/spool"
cat >"$work/slurm.conf" <<CONF
ClusterName=beside
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$socket
CredType=cred/munge
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/ctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/ctld.log
SlurmdLogFile=$work/slurmd.log
SlurmctldDebug=error
SlurmdDebug=error
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,default_queue_depth=2000
MaxJobCount=100000
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$work/slurm.conf
slurmctld -D -f "$SLURM_CONF" >"$work/ctld.out" 2>&1 &
children+=($!)
slurmd -D -f "$SLURM_CONF" -N "$host" >"$work/slurmd.out" 2>&1 &
children+=($!)
for _ in $(seq 100); do
  [ "$(sinfo -h -o %t 2>/dev/null)" = idle ] && break
  sleep 0.1
done
[ "$(sinfo -h -o %t)" = idle ] || { cat "$work"/*.log "$work"/*.out >&2; exit 1; }

cd "$work"
printf '#!/bin/sh\n/bin/true\n' >true.sh
wm_job() { bsub -J "j$1" -o /dev/null /bin/true >/dev/null; }
slurm_job() { sbatch -Q -J "j$1" -o /dev/null true.sh; }
plain_job() { /bin/true; }
wm_left() { bjobs -noheader 2>/dev/null | wc -l; }
slurm_left() { squeue -h | wc -l; }
submit() { # SYSTEM JOBS AT-A-TIME
  local part pids=()
  for part in $(seq "$3"); do
    (for n in $(seq "$part" "$3" "$2"); do "$1_job" "$n"; done) &
    pids+=($!)
  done
  wait "${pids[@]}"
}
drain() { while [ "$("$1_left")" -gt 0 ]; do sleep 0.05; done; }
timed() { # COMMAND…: seconds
  local begun ended
  begun=$(date +%s.%N)
  "$@"
  ended=$(date +%s.%N)
  awk -v a="$begun" -v b="$ended" 'BEGIN { print b - a }'
}
whole() { submit "$1" 1000 4; drain "$1"; }

for _ in 1 2 3 4 5; do
  for system in wm slurm; do
    timed submit $system 200 1 >>loop.$system; drain $system
    timed submit $system 200 4 >>four.$system; drain $system
    timed whole $system >>whole.$system
  done
  timed submit plain 200 1 >>loop.plain
done
median() { sort -g "$1" | sed -n 3p; }
ratio() { # NAME FILE-ABOVE FILE-BELOW
  awk -v n="$1" -v a="$(median "$2")" -v b="$(median "$3")" -v fa="$2" -v fb="$3" 'BEGIN {
    printf "# %s: %s %.3f s, %s %.3f s\n", n, fa, a, fb, b >"/dev/stderr"; printf "%s %.2f ratio\n", n, a / b }'
}
ratio slurm_submit_loop_ratio loop.slurm loop.wm
ratio slurm_submit_parallel_ratio four.slurm four.wm
ratio slurm_end_to_end_ratio whole.slurm whole.wm
ratio submit_over_true_ratio loop.wm loop.plain
