#!/usr/bin/env bats
# Role: bsub of scripts written for sbatch: where they run, what they find in their environment, what is refused.

load lib
setup_file() { cluster_up --nodes 2 --cpus 4 --gpus 2 --mem 4G; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

# A script of these #SBATCH lines and the command that ends it.
script() {
  { echo '#!/bin/bash'; printf '#SBATCH %s\n' "${@:1:$#-1}"; echo "${@: -1}"; } >job.sh
}
number_of() { sed -n 's/^Job <\([0-9]*\)>.*/\1/p' <<<"$1"; }

@test "a script of sbatch runs where its lines say, and reads Slurm's variables" {
  script '--job-name=demo' '-N 2 --ntasks-per-node=2' '--mem=500M --time=10:00' '--output=%x-%j.out' '--gres=gpu:1' \
    'for v in JOB_ID JOB_NAME NTASKS JOB_NUM_NODES JOB_NODELIST TASKS_PER_NODE SUBMIT_DIR PROCID GPUS_ON_NODE; do n=SLURM_$v; echo "$v=${!n}"; done'
  job=$(number_of "$(bsub job.sh)")
  ran_out "$job"
  hosts=$(bjobs -noheader -o exec_host "$job")
  [ "$(tr : '\n' <<<"$hosts" | sort | paste -sd:)" = node1:node1:node2:node2 ]
  for line in "JOB_ID=$job" JOB_NAME=demo NTASKS=4 JOB_NUM_NODES=2 JOB_NODELIST="$(tr : '\n' <<<"$hosts" | uniq | paste -sd,)" 'TASKS_PER_NODE=2(x2)' "SUBMIT_DIR=$PWD" PROCID=0 \
    GPUS_ON_NODE=1; do
    grep -qxF "$line" "demo-$job.out"
  done
}

@test "an array from 0 keeps its numbers" {
  script '-a 0-2' '-o %A.%a' 'echo "$SLURM_ARRAY_TASK_ID of $SLURM_ARRAY_TASK_COUNT"'
  job=$(number_of "$(bsub <job.sh)")
  ran_out "${job}[3]"
  wait_for 20 test -s "$job.2"
  grep -qx '2 of 3' "$job.2"
  wait_for 20 test -s "$job.0"
  grep -qx '0 of 3' "$job.0"
  [ ! -e "$job.3" ]
}

@test "what is not translated refuses the job by name and line; #BSUB counts where both stand" {
  script '-n 1' '--ntasks-per-socket=1' true
  run bsub job.sh
  [ "$status" -eq 255 ]
  [[ $output == *"line 3 of the script: #SBATCH --ntasks-per-socket is not translated"*"Job not submitted." ]]
  script '--ntasks-per-socket=1' true
  sed -i '1a #BSUB -J both' job.sh
  run bsub job.sh
  [ "$status" -eq 0 ]
  job=$(number_of "$output")
  [ "$(bjobs -a -noheader -o job_name "$job")" = both ]
  # The command line goes before the script.
  script '-J mine' '-p nosuch' true
  job=$(number_of "$(bsub -q normal job.sh)")
  [ "$(bjobs -a -noheader -o 'job_name queue' "$job")" = "mine normal" ]
}

@test "a job that such a job submits has none of its variables" {
  script '-o out' 'bsub -K -o inner env; bsub -K -o again <again.sh'
  printf '#SBATCH -n 2\nenv\n' >again.sh
  job=$(number_of "$(bsub job.sh)")
  ran_out "$job" 60
  ! grep -q '^SLURM' inner
  grep -qx 'SLURM_NTASKS=2' again
  ! grep -qx "SLURM_JOB_ID=$job" again
}
