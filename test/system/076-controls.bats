#!/usr/bin/env bats
# Role: how a site has jobs run, stopped and ended in its own way: starters, controls, load
# thresholds, what happens when a run window closes; and checkpoints, written and gone on from.

load lib
setup_file() {
  command cat >"$BATS_FILE_TMPDIR/queues.conf" <<'END'
[started]
job_starter = export STARTED="by <%USRCMD>"; %USRCMD
[controlled]
suspend_control = echo "stop $LSB_JOBID" >>acts; kill -STOP -$LSB_JOBPGIDS
resume_control = echo "go $LSB_JOBID" >>acts; kill -CONT -$LSB_JOBPGIDS
terminate_control = echo "end $LSB_JOBID" >>acts; kill -USR2 -$LSB_JOBPGIDS
[hanging]
terminate_control = sleep 1000
[loaded]
load = r1m=1000
END
  printf '[quick]\nkill_grace = 300ms\n' >"$BATS_FILE_TMPDIR/apps.conf"
  cluster_up --nodes 1 --cpus 8 --gpus 2 --conf "$BATS_FILE_TMPDIR/queues.conf" --conf "$BATS_FILE_TMPDIR/apps.conf"
}
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; cp "$TOP/test/system/small_train.py" .; }

queue() { # NAME KEY VALUE: that section has this from now on, instead of what it had
  command sed -i "/^\[$1\]/,/^\[/{/^$2 =/d}; s|^\[$1\]|&\n$2 = $3|" "$WM_CONF_DIR/queues.conf"
  badmin reconfig
}
waits_for() { field "$1" pend_reason | grep -qF "$2"; }
is_stat() { is "$1" stat "$2"; }
lines() { [ -f "$1" ] && [ "$(wc -l <"$1")" -ge "$2" ]; }

@test "a starter runs commands and scripts, and those at a terminal" {
  job=$(submit -q started -o out 'echo "$STARTED ran"')
  ran_out "$job"
  grep -qx 'by <echo "$STARTED ran"> ran' out
  printf '#!/bin/bash\necho "script $STARTED"\n' >script
  script=$(bsub -q started -o out2 <script | grep -oE '[0-9]+' | head -1)
  ran_out "$script"
  grep -q "^script by <'/bin/bash' '.*/script'>$" out2
  run bsub -q started -I 'echo "here $STARTED"'
  [ "$status" -eq 0 ]
  [[ "$output" == *'here by <echo "here $STARTED">'* ]]
  bqueues -l started | grep -q '^JOB_STARTER:  export STARTED='
}

@test "controls stop a job, let it go on and end it" {
  job=$(submit -q controlled 'trap "echo told >told; exit 7" USR2; while :; do echo >>ticks; sleep 0.05; done')
  wait_for 20 lines ticks 2
  bstop "$job"
  wait_for 20 grep -qx "stop $job" acts
  is_stat "$job" USUSP
  stands() { grep -q '^State:.*stopped' "/proc/$(field "$job" pids)/status"; }
  wait_for 20 stands
  bresume "$job"
  wait_for 20 grep -qx "go $job" acts
  bkill "$job"
  ran_out "$job"
  [ "$(cat told)" = told ]
  [ "$(cat acts)" = "$(printf '%s %s\n' stop "$job" go "$job" end "$job")" ]
  is "$job" exit_code 7
}

@test "a control that hangs does not hold up the end" {
  job=$(submit -q hanging -app quick 'trap "" INT TERM; while :; do sleep 0.1; done')
  wait_for 20 in_state "$job" running
  bkill "$job"
  wait_for 10 ended "$job"
  is "$job" exit_code 137
}

@test "beyond a load threshold none starts, what runs is stopped, and goes on below it" {
  job=$(submit -q loaded sleep 600)
  wait_for 20 in_state "$job" running
  queue loaded load mem=1000000T
  wait_for 20 bash -c 'bhosts -w | grep -q closed_Busy'
  waits=$(submit -q loaded sleep 600)
  wait_for 20 waits_for "$waits" "Load threshold reached, <node1> mem"
  lsload | grep -q busy
  bqueues -l loaded | grep -q loadSched
  is_stat "$job" RUN
  other=$(submit sleep 600)
  wait_for 20 in_state "$other" running
  queue loaded load mem=1000001T/1000000T
  wait_for 20 is_stat "$job" SSUSP
  events "$job" SUSPEND | grep -q "by load of host <node1>"
  queue loaded load mem=1K/1K
  wait_for 20 is_stat "$job" RUN
  wait_for 20 in_state "$waits" running
  queue loaded terminate_when load
  queue loaded load mem=-/1000000T
  ran_out "$job"
  bhist -l "$job" | grep -q TERM_LOAD
  is "$other" stat RUN
}

@test "when a run window closes jobs get the signal that they asked for, others are stopped" {
  asks=$(submit -s USR1 -q started 'trap "echo told >>told" USR1; while :; do echo >>ticks; sleep 0.05; done')
  job=$(submit -q started sleep 600)
  wait_for 20 lines ticks 2
  wait_for 20 in_state "$job" running
  hour=$((10#$(date +%H)))
  queue started run_window "$(((hour + 8) % 24)):00-$(((hour + 9) % 24)):00"
  wait_for 20 is_stat "$job" SSUSP
  wait_for 20 lines told 1
  is_stat "$asks" RUN
  queue started run_window ''
  wait_for 20 is_stat "$job" RUN
  [ "$(wc -l <told)" -eq 1 ]
}

@test "a site's checkpoints are written each period, and brestart goes on from the last" {
  mkdir bin
  printf '#!/bin/sh\ni=${1:-0}\necho "from $i" >>begins\nwhile :; do i=$((i+1)); echo $i >count.new; mv count.new count; sleep 0.02; done\n' >bin/counter
  printf '#!/bin/sh\n[ "$1 $2" = "-c -d" ] && kill -0 "$4" && cp count "$3/state.new" && mv "$3/state.new" "$3/state" && echo >>written\n' >bin/echkpnt.count
  printf '#!/bin/sh\necho "LSB_RESTART_CMD=counter $(cat "$1/state")" >"$1/.restart_cmd"\n' >bin/erestart.count
  chmod +x bin/*
  job=$(PATH=$PWD/bin:$PATH submit -k "ckpt 300ms method=count" counter)
  wait_for 20 lines written 3
  bkill -s KILL "$job"
  ran_out "$job"
  saved=$(cat "ckpt/$job/state")
  brestart "$job"
  wait_for 20 lines begins 2
  [ "$(tail -1 begins)" = "from $saved" ]
  [ "$saved" -gt 0 ]
}

@test "the trainer writes checkpoints each period, and goes on from the last after a kill" {
  [ -x "$PYTHON" ] && $PYTHON -c 'import torch' || skip "no torch"
  job=$(submit -app training -ar -n 1 -gpu num=1 -k "ckpt 500ms" $PYTHON small_train.py 4000 20)
  file=$(result_dir "$job")/checkpoint/checkpoint.pt
  wait_for 60 test -s "$file"
  first=$(stat -c %Y.%i "$file")
  again() { [ "$(stat -c %Y.%i "$file")" != "$first" ]; }
  wait_for 20 again
  bkill -s KILL "$job"
  resumed() { [ "$(cat "$(result_dir "$job")"/log/*/stdout | grep -cE 'resumed from checkpoint at step [1-9]')" -ge "$1" ]; }
  wait_for 60 resumed 1
  touch hurry
  ran_out "$job"
  brestart "$job"
  wait_for 60 resumed 2
}
