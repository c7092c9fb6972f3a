#!/usr/bin/env bats
# Role: what monitors written for LSF ask, and how they read the answers: words by their place, fields by
# their names, tables by their columns; and what running jobs use.

load lib
setup_file() { cluster_up --nodes 1 --cpus 2 --gpus 2 --mem 4G; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

@test "lsid has six lines, the cluster and the master last" {
  [ "$(lsid | wc -l)" -eq 6 ]
  [[ $(lsid | tail -2 | head -1) == 'My cluster name is '* ]]
  [ -z "$(lsid | sed -n 4p)" ]
}

@test "words of showstatus stand where programs count them" {
  read -r -a word <<<"0 $(badmin showstatus | tr -s ' \n' ' ')"
  for i in 10 12 14 16 18; do [[ ${word[i]} == */* ]]; done
  for i in 22 34 51 56; do [[ ${word[i]} =~ ^[0-9]+$ ]]; done
  [ "${word[22]}" = 1 ]
}

@test "perfmon as JSON, its period with a fraction, and LSF's words while it is off" {
  [[ $(badmin perfmon view -json) == 'Performance metric sampling has not been started.' ]]
  badmin perfmon start 1.0
  bjobs
  counted() { badmin perfmon view -json | jq -e '.record[] | select(.name == "Job information queries") | .total > 0'; }
  wait_for 10 counted
  badmin perfmon view -json | jq -e '.period == 1 and .fd.used > 0 and (.record[0] | has("current") and has("max"))'
  badmin perfmon stop
}

@test "an unknown field is named, a pattern that nothing has is no error" {
  for command in bqueues bhosts lsload lshosts; do
    run $command -o nonsense
    [ "$status" -eq 255 ]
    [[ $output == *"nonsense: unknown output field"* ]]
  done
  lsload -o 'nothing*'
  lsload -o 'HOST_NAME gpu_mode*' | head -1 | grep -qx 'HOST_NAME gpu_mode0 gpu_mode1 gpu_model0 gpu_model1'
}

@test "sizes of a column have one unit, as the column, the environment or the default has it" {
  told() { [[ $(lsload -noheader -o mem) == *M ]]; }
  wait_for 20 told
  [[ $(lsload -noheader -o mem::G) =~ ^[0-9.]+G$ ]]
  [[ $(lshosts -noheader -o maxmem) =~ ^4096M$ ]]
  [ "$(bhosts -noheader -o total_mem)" = 4G ]
  [ "$(LSB_UNIT_FOR_JOBS_DISPLAY=M bhosts -noheader -o total_mem)" = 4096.0M ]
  [ "$(LSB_UNIT_FOR_JOBS_DISPLAY=M bhosts -noheader -o total_mem::G)" = 4.0G ]
  [ "$(LSB_BHOSTS_FORMAT='host_name max' bhosts | tail -1)" = 'node1 2' ]
}

@test "each GPU has a line of load, a model is one word everywhere" {
  [ "$(lsload -gpuload -w | awk '{ print NF }' | sort -u)" = 14 ]
  [ "$(lsload -gpuload | wc -l)" -eq 3 ]
  lshosts -o 'HOST_NAME type model ncpus maxmem' | awk 'NF != 5 { exit 1 }'
  type=$(lshosts -noheader -o type) model=$(lshosts -noheader -o model)
  for select in "type==$type" "type==$(uname -m)" "model==$model" gpu; do
    bsub -H -R "select[$select]" true
  done
  bkill 0
}

@test "indices, hosts and resources are chosen" {
  [ "$(lsload -I r1m:ut -noheader | awk '{ print NF }')" = 4 ]
  lsload -I r1m:mem | head -1 | grep -qE '^HOST_NAME +status +r1m +mem *$'
  [ "$(lsload -n 1 -noheader | wc -l)" -eq 1 ]
  lsload -N
  lsload -E
  run lsload -N -E
  [ "$status" -eq 255 ]
  lshosts -T | grep -q '^Host\['
  lshosts -l | grep -q '^HOST_NAME:  node1$'
  lshosts -l | grep -q 'nprocs'
}

@test "what a running job uses is shown a second after its start" {
  job=$(submit 'python3 -c "b = b\"x\" * 80000000; import time; time.sleep(600)"')
  uses() { [[ $(bjobs -noheader -o mem "$job") =~ ^[0-9]+\.[0-9]\ Mbytes$ ]]; }
  wait_for 20 uses
  bjobs -UF "$job" | grep -qE 'Resource usage collected.*MEM: [0-9]+ Mbytes;  SWAP: [0-9]+ Mbytes;  NTHREAD: [0-9]+;  PIDs: [0-9]+'
  [[ $(bjobs -noheader -o nthreads "$job") =~ ^[0-9]+$ ]]
  "$MINICLUSTER" kill wmasterd --dir "$CLUSTER"
  "$MINICLUSTER" start --dir "$CLUSTER" wmasterd
  wait_for 40 uses
  bkill "$job"
  ran_out "$job"
  bjobs -UF -a "$job" | grep -q ': Exited'
  bjobs -UF -a "$job" | grep -q ': Completed <exit>; TERM_OWNER: job killed by owner.$'
  bhist -UF "$job" | grep -q 'MAX MEM: [0-9]* Mbytes;  AVG MEM: [0-9]* Mbytes'
}

@test "bhist speaks LSF's words" {
  job=$(submit -o /dev/null 'sleep 1')
  ran_out "$job"
  text=$(bhist -l "$job" | sed 's/^  *//' | tr -d '\n')
  for words in 'Submitted from host <' 'to Queue <normal>' 'Dispatched 1 Task(s) on Host(s) <node1>' \
    'Starting (Pid ' 'Done successfully. The CPU time used is '; do
    [[ $text == *"$words"* ]] || { echo "$words: $text"; return 1; }
  done
  bacct -UF "$job" | grep -q "Job <$job>"
}

@test "a report begins with what readers of output files look for, or as the site says" {
  job=$(submit -o out.txt true)
  ran_out "$job"
  wait_for 10 grep -q '^Sender: LSF System <' out.txt
}

@test "options that change nothing are silent where something is shown" {
  for command in 'lsload -w' 'lshosts -w' 'bjobs -X -u all -a' 'bhosts -w -X -a -alloc -cname' 'bqueues -alloc'; do
    [ -z "$($command 2>&1 >/dev/null)" ] || { $command; return 1; }
  done
  bparams -json | jq -e '.RECORDS[] | select(.PARAMETER == "DEFAULT_QUEUE")'
}
