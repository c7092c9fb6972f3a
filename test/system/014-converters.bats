#!/usr/bin/env bats
# Role: what lsf2wm and slurm2wm make is judged by badmin ckconfig, over configurations of different kinds, and by
# jobs: a cluster runs with what was made.

load lib
setup() {
  cluster_env_of_programs
  cd "$BATS_TEST_TMPDIR" || return
}
cluster_env_of_programs() {
  programs_built || skip "daemons or commands are not built"
  PATH=$B/bin:$B/sbin:$PATH
}
teardown() {
  [ ! -e "$BATS_TEST_TMPDIR/cluster/cluster.json" ] || "$MINICLUSTER" down --dir "$BATS_TEST_TMPDIR/cluster"
}

# What ckconfig says of the files; of this machine's accounts and munged it may say what it likes.
refused() { WM_CONF_DIR=$1 badmin ckconfig 2>&1 | grep -E '(^|[ :])[a-z]+\.conf:[0-9]+:|default_queue:' || true; }

# Converts every configuration of a kind: exit code 0 or 1, files that are not refused, a report that ends in its count.
all_of() {
  local converter=$1 folder name
  for folder in "$TOP/test/system/converted/$2"/*; do
    name=$(basename "$folder")
    [ ! -d "$folder/conf" ] || folder=$folder/conf
    run "$converter" -o "$name" "$folder"
    [ "$status" -le 1 ] || { echo "$name: $output"; return 1; }
    [ "${lines[-1]##*; }" = "$((${#lines[@]} - 1)) not carried over" ] || { echo "$name: ${lines[-1]}"; return 1; }
    [ -z "$(refused "$name")" ] || { echo "$name: $(refused "$name")"; return 1; }
    [[ $output != *Traceback* ]]
    echo "$output" >"$name.report"
  done
}

# A private cluster whose hosts are those of the converted configuration that it has; its own accounts and ports.
cluster_of() {
  local folder=$1
  shift
  grep -vE '^(cluster_name|master_host|admins|sendmail|prolog|epilog) ' "$folder/wm.conf" >"$folder/own-wm.conf"
  "$MINICLUSTER" up --dir "$BATS_TEST_TMPDIR/cluster" "$@" --conf "$folder/own-wm.conf" --conf "$folder/queues.conf" \
    --conf "$folder/hosts.conf" --conf "$folder/users.conf" --conf "$folder/plans.conf" --conf "$folder/apps.conf" \
    --conf "$folder/limits.conf" --conf "$folder/slas.conf" || return 1
  eval "$("$MINICLUSTER" env --dir "$BATS_TEST_TMPDIR/cluster")"
}
# The first job is suspended for the second, and goes on once that has gone.
makes_way() {
  wait_for 20 in_state "$2" running
  [ "$(bjobs -noheader -o stat "$1")" = SSUSP ]
  on_host "$2" node2:node2
  bkill "$2"
  wait_for 20 in_state "$1" running
}
on_host() { [ "$(bjobs -noheader -o exec_host "$1")" = "$2" ]; }

@test "what lsf2wm makes of LSF's configurations is never refused, and what it leaves out is told" {
  all_of lsf2wm lsf
  for line in 'NICE=20: 19 is' 'CHKPNT=' 'LSF_LICENSE_FILE' 'LSF_PAM_' 'LSF_XFORWARD' 'PG=4/15' 'JOB_ACCEPT_INTERVAL'; do
    grep -qF "$line" flat.report
  done
  for line in 'GROUP_ADMIN' 'no failover' 'FAIRSHARE' 'verilog' 'ngpus' 'hostpartition' 'hostexport' 'nosuch' 'CONTAINER' 'EXIT_RATE'; do
    grep -qF "$line" classic.report
  done
  for line in 'LOAN_POLICIES' 'silver 10%' 'APPS[md]' 'health programs' 'no EGO' 'draining' '#if time' 'nowhere.queues'; do
    grep -qF "$line" goals.report
  done
  grep -qx 'dispatch_window = 5:19:00-1:8:30 20:00-8:30' classic/hosts.conf
  ! grep -q '^\[lost\]' classic/queues.conf
  grep -A3 '^\[/gold\]' goals/plans.conf | grep -qx 'users = ops'
  grep -A9 '^\[prod\]' goals/queues.conf | grep -qx 'plan = /gold'
  grep -A9 '^\[reports\]' goals/slas.conf | grep -qx 'deadline = 17:00-23:00'
}

@test "jobs meet in the converted cluster what they met in LSF's" {
  lsf2wm -o flat "$TOP/test/system/converted/lsf/flat" >report || true
  cluster_of flat --nodes 2 --cpus 2 --mem 4G
  run bsub true
  [[ $output == *"default queue <batch>"* ]]
  [ "$(bjobs -a -noheader -o nreq_slot 1)" = 2 ]
  bqueues -l batch | grep -A1 '^ TASKLIMIT' | grep -qx ' 1 2 3'
  run bsub -q talk true
  [[ $output == *"Queue only accepts interactive jobs"* ]]
  run bsub -q silent -I true
  [[ $output == *"Queue does not accept interactive jobs"* ]]
  run bsub -q batch -n 4 true
  [[ $output == *"Too many processors requested"* ]]
  run bsub -q batch -M 3000000 true
  [ "$status" -eq 255 ]
  run bsub -q batch -W 2:00 true
  [[ $output == *"RUNLIMIT"* ]]
  job=$(submit -q owners sleep 600)
  wait_for 20 in_state "$job" running
  on_host "$job" node2
  bkill "$job"
  job=$(submit -q silent sleep 600)
  wait_for 20 in_state "$job" running
  bkill "$job"
  low=$(submit -q batch -n 2 -m node2 sleep 600)
  wait_for 20 in_state "$low" running
  bjobs -l "$low" | grep -qF 'RUNLIMIT'
  makes_way "$low" "$(submit -q owners -n 2 sleep 600)"
}

@test "what slurm2wm makes of Slurm's configurations is never refused, and what it leaves out is told" {
  all_of slurm2wm slurm
  for line in HealthCheckProgram 'licences' 'X11' 'State=DOWN' 'whole nodes' weight=10; do
    grep -qF "$line" plain.report
  done
  slurm2wm -a "$TOP/test/system/converted/slurm/accounts/dump" -q "$TOP/test/system/converted/slurm/accounts/qos" -o all \
    "$TOP/test/system/converted/slurm/accounts" >report || true
  [ -z "$(refused all)" ]
  grep -A9 '^\[/science/chem\]' all/plans.conf | grep -qx 'shares = 60'
  grep -A9 '^\[gpuq_of_each_user\]' all/limits.conf | grep -qx 'slots = 64'
  for line in 'missing.conf' 'AdminLevel=Operator' 'no failover' 'gres/gpu=8' 'TaskProlog'; do
    grep -qF "$line" report
  done
}

@test "jobs meet in the converted cluster what they met in Slurm's" {
  slurm2wm -o plain "$TOP/test/system/converted/slurm/plain" >report || true
  cluster_of plain --nodes 2 --cpus 2 --mem 4G
  run bsub -q quick -W 1:00 true
  [[ $output == *"RUNLIMIT"* ]]
  run bsub -q quick -M 900M true
  [ "$status" -eq 0 ] || [[ $output == *"Cannot exceed"* ]]
  low=$(submit -n 2 -m node2 sleep 600)
  wait_for 20 in_state "$low" running
  [ "$(bjobs -noheader -o queue "$low")" = batch ]
  makes_way "$low" "$(submit -q quick -n 2 sleep 600)"
}
