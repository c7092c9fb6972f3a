#!/usr/bin/env bats
# Role: many jobs from one file, the site's submit filter, and what administrators did as it is kept.

load lib
setup_file() { cluster_up --nodes 1 --cpus 2; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

@test "each line of a pack is a job that runs, or says why it is none" {
  for n in 1 2 3 4 5; do echo "-J part-$n -o out-$n.txt echo part $n \$LSB_JOBNAME"; done >jobs
  echo '-q nowhere sleep 1' >>jobs
  run bsub -pack jobs
  [ "$status" -eq 255 ]
  [ "$(grep -c '^Job <[0-9]*> is submitted to default queue <normal>.$' <<<"$output")" -eq 5 ]
  [[ $output == *"bsub: line 6: "*"nowhere"*"Job not submitted."* ]]
  last=$(grep -o 'Job <[0-9]*>' <<<"$output" | tail -1 | tr -dc 0-9)
  ran_out "$last"
  for n in 1 2 3 4 5; do
    wait_for 20 grep -q "part $n part-$n" "out-$n.txt"
  done
  [ "$(bjobs -a -noheader -o stat -J 'part-*' | sort | uniq -c | tr -s ' ')" = " 5 DONE" ]
}

@test "a pack of 2,000 is one step" {
  for n in $(seq 2000); do echo "-H -J many-$n true"; done | bsub -pack - >said
  [ "$(wc -l <said)" -eq 2000 ]
  [ "$(bjobs -noheader -o jobid -J 'many-*' | wc -l)" -eq 2000 ]
  bkill -J 'many-*' 0 >/dev/null
}

@test "the submit filter changes, refuses, and is given up in time" {
  cat >esub <<'FILTER'
#!/bin/sh
. "$LSB_SUB_PARM_FILE"
[ "$LSB_SUB_JOB_NAME" != forbidden ] || { echo "not this one" >&2; exit $LSB_SUB_ABORT_VALUE; }
[ "$LSB_SUB_JOB_NAME" != slow ] || sleep 600
echo "LSB_SUB_PROJECT_NAME=filtered" >"$LSB_SUB_MODIFY_FILE"
FILTER
  chmod +x esub
  cp -r "$WM_CONF_DIR" conf
  mkdir -p conf/wm.conf.d
  printf 'submit_filter = %s/esub\nsubmit_filter_time = 500ms\n' "$PWD" >conf/wm.conf.d/filter.conf
  job=$(WM_CONF_DIR=$PWD/conf submit -J fine true)
  [ "$(field "$job" proj_name)" = filtered ]
  WM_CONF_DIR=$PWD/conf run bsub -J forbidden true
  [ "$status" -eq 255 ]
  [[ $output == *"not this one"*"Job not submitted."* ]]
  WM_CONF_DIR=$PWD/conf run bsub -J slow true
  [ "$status" -eq 255 ]
  [[ $output == *"not done within"* ]]
}

@test "what would change is told, what was done is kept and shown to be whole" {
  mkdir -p "$WM_CONF_DIR/queues.conf.d"
  printf '[extra]\npriority = 7\n' >"$WM_CONF_DIR/queues.conf.d/extra.conf"
  [ "$(badmin reconfig --diff)" = "queues.conf: [extra] is new" ]
  run bqueues extra
  [ "$status" -eq 255 ]
  badmin reconfig
  bqueues extra
  [ "$(badmin reconfig --diff)" = "Nothing would change" ]
  badmin hclose -C fan node1
  badmin hopen node1
  run badmin qclose no-such-queue
  [ "$status" -eq 255 ]
  badmin hhist node1 | grep -q "hclose <node1> by $(id -un): fan"
  [ "$(badmin hhist | wc -l)" -eq 2 ]
  badmin qhist | grep -q 'qclose <no-such-queue> .*refused: '
  badmin mbdhist | grep -q ': reconfig by '
  run badmin audit
  [ "$status" -eq 0 ]
  [[ $output == *"4 acts, as they were written, the newest hash "* ]]
  log=$(find "$CLUSTER/state" -name audit.log)
  sed -i '2s/node1/node9/' "$log"
  run badmin audit
  [ "$status" -eq 255 ]
  [[ $output == *"line 2 "*"is not what was written"* ]]
  rm "$WM_CONF_DIR/queues.conf.d/extra.conf"
}

@test "showstatus counts; diagnose tells and leaves secrets out" {
  job=$(submit sleep 600)
  wait_for 20 in_state "$job" running
  badmin showstatus | grep -qE '^ +Running: +1$'
  cp -r "$WM_CONF_DIR" conf
  mkdir -p conf/wm.conf.d
  printf 'fence_command = /sbin/off --password hunter2\n' >conf/wm.conf.d/fence.conf
  WM_CONF_DIR=$PWD/conf badmin diagnose >said
  grep -q '^---- why jobs wait' said
  grep -q 'fence_command = (left out)' said
  ! grep -q hunter2 said
}

@test "USR2 has the master open its log anew, and go on" {
  "$MINICLUSTER" kill wmasterd -USR2
  wait_for 20 grep -rq log_reopened "$CLUSTER/log"
  bqueues normal
}
