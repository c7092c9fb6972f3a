#!/usr/bin/env bats
# Role: what happens to jobs while they run: suspended, limited, restarted at another size,
# notified, with commands around them.

load lib
setup_file() { cluster_up --nodes 2 --cpus 4; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

lines_of() { [ "$(wc -l <"$1")" -ge "$2" ]; }
holds() { [ "$(field "$1" exec_host | tr ':' '\n' | awk -F'*' '{n += NF > 1 ? $1 : 1} END {print n}')" -eq "$2" ]; }
refused_change() { events "$1" NOTIFY | grep -vq accepted; }
# A launcher as torchrun is one, that only says how it was started.
fake_torchrun() {
  cat >torchrun <<'END'
#!/bin/sh
echo "$PET_NNODES hosts, rank $PET_NODE_RANK, $PET_NPROC_PER_NODE here, restart $TORCHELASTIC_RESTART_COUNT, port $MASTER_PORT" >>starts
trap 'echo stopped >>starts; exit 0' TERM
while :; do sleep 0.05; done
END
  chmod +x torchrun
}

@test "bstop stops every process of a running job, bresume lets it go on" {
  job=$(submit '(setsid sh -c "while :; do echo x >>beat; sleep 0.02; done" &) ; sleep 31701')
  wait_for 10 lines_of beat 3
  run bstop "$job"
  [ "$status" -eq 0 ] && [[ $output == "Job <$job> is being stopped" ]]
  wait_for 10 is "$job" stat USUSP
  stands() { before=$(wc -l <beat); command sleep 0.3; [ "$(wc -l <beat)" -eq "$before" ]; }
  wait_for 10 stands
  run bstop "$job"
  [ "$status" -eq 255 ]
  bresume "$job"
  wait_for 10 is "$job" stat RUN
  wait_for 10 lines_of beat $(($(wc -l <beat) + 3))
  [ "$(events "$job" SUSPEND | wc -l)" -eq 1 ] && [ "$(events "$job" RESUME | wc -l)" -eq 1 ]
}

@test "a suspended job can be killed" {
  job=$(submit sleep 31702)
  wait_for 10 in_state "$job" running
  bstop "$job"
  wait_for 10 in_state "$job" suspended
  bkill "$job"
  ran_out "$job"
  [ "$(state "$job")" = killed ]
}

@test "a job that exceeds its memory limit ends with that reason and its peak" {
  job=$(submit -M 60M "$PYTHON -c 'import signal; x = bytearray(200 << 20); signal.pause()'")
  ran_out "$job"
  [[ $(field "$job" exit_reason) == *TERM_MEMLIMIT* ]]
  bjobs -l "$job" | grep -qE 'MAX MEM: ([6-9][0-9]|[12][0-9][0-9]) Mbytes'
  bhist -l -w "$job" | grep -q 'peak memory'
}

@test "limits on CPU time, processes and threads have their reasons" {
  cpu=$(submit -c 0:0:1 'while :; do :; done')
  processes=$(submit -p 4 'for i in 1 2 3 4 5 6; do sleep 31703 & done; wait')
  threads=$(submit -T 6 "$PYTHON -c '
import threading, time
for i in range(9): threading.Thread(target=time.sleep, args=(1000,)).start()'")
  for pair in "$cpu CPULIMIT" "$processes PROCESSLIMIT" "$threads THREADLIMIT"; do
    set -- $pair
    ran_out "$1"
    [[ $(field "$1" exit_reason) == *TERM_$2* ]] || { echo "$pair: $(field "$1" exit_reason)"; return 1; }
  done
}

@test "a job is warned before its run limit" {
  job=$(submit -W 0:0:4 -wa USR1 -wt 0:0:2 'trap "echo warned >>said" USR1; trap "echo limit >>said" USR2; while :; do sleep 0.05; done')
  ran_out "$job" 60
  [ "$(cat said)" = $'warned\nlimit' ]
  [[ $(field "$job" exit_reason) == *TERM_RUNLIMIT* ]]
}

@test "a launcher starts once a host and is restarted at every new size" {
  fake_torchrun
  job=$(submit -app training -ar -n 1,4 -R 'span[ptile=2]' ./torchrun)
  wait_for 30 in_state "$job" running
  wait_for 30 holds "$job" 4
  wait_for 30 grep -q '2 hosts, rank 1, 2 here' starts
  bresize release 2 "$job"
  wait_for 30 holds "$job" 2
  wait_for 30 in_state "$job" running
  wait_for 30 grep -qE '(2 hosts, rank 0, 1 here|1 hosts, rank 0, 2 here), restart 1' starts
  [ "$(bhist -json "$job" | jq '[.RECORDS[0].EVENTS[] | select(.EVENT == "DISPATCH")] | length')" -eq 1 ]
  [ "$(sed -n 's/.*port //p' starts | sort -u | wc -l)" -ge 2 ]
  bkill "$job"
  ran_out "$job"
}

@test "a real torchrun runs an unmodified DDP script over two hosts" {
  torchrun_works
  cp "$BATS_TEST_DIRNAME"/ddp_train.py .
  # -r 1 -t 1: without them this torch's torchrun trips over Python 3.11's enum; its logs stay in TMPDIR
  job=$(TMPDIR=$PWD submit -app training -n 4 -R 'span[ptile=2]' $PYTHON -m torch.distributed.run -r 1 -t 1 ddp_train.py)
  ran_out "$job" 120
  out=$CLUSTER/results/$(id -un)/batchworkdir/$job/log
  [ "$(state "$job")" = finished ] || { cat "$out"/*/*; return 1; }
  [ "$(cat "$out"/*/stdout | grep -c 'of 4 .*agreed')" -ge 4 ]
}

@test "a program that never says hello grows by tasks and shrinks by a signal" {
  job=$(submit -app training -ar -n 1,3 'echo "start $WM_TASK" >>log; trap "echo stop $WM_TASK >>log; exit 0" TERM
    while :; do sleep 0.05; done')
  wait_for 30 holds "$job" 3
  wait_for 30 lines_of log 3
  bresize release 1 "$job"
  wait_for 30 holds "$job" 2
  grep -q 'stop' log
  in_state "$job" running
}

@test "a notification command is asked about every change and may refuse" {
  job=$(submit -ar -n 1,3 -rnc 'echo "$LSB_RESIZE_EVENT $LSB_RESIZE_HOSTS" >>notes; ! test -e refuse' sleep 31704)
  wait_for 30 in_state "$job" running
  wait_for 30 holds "$job" 3
  bresize release 1 "$job"
  wait_for 30 holds "$job" 2
  grep -qE '^shrink node[12] 1$' notes
  touch refuse
  bresize release 1 "$job"
  wait_for 30 refused_change "$job" # not any answer: it may have grown to 3 by several changes
  wait_for 10 holds "$job" 2
  bresize -rnc 'echo "other $LSB_RESIZE_EVENT" >>notes' release 1 "$job"
  wait_for 30 holds "$job" 1
  grep -q '^other shrink$' notes
}

@test "pre- and post-execution commands run around the job, a failed one queues it again" {
  job=$(submit -E 'echo pre >>log; test -e tried || { touch tried; exit 1; }' -Ep 'echo "post $LSB_JOBEXIT_STAT" >>log' \
    'echo job >>log; exit 3')
  ran_out "$job" 60
  is "$job" exit_code 3
  wait_for 20 grep -q post log
  [ "$(tr '\n' ' ' <log)" = "pre pre job post 768 " ]
  never=$(submit -E 'exit 99' 'echo never >>log')
  ran_out "$never"
  [[ $(field "$never" exit_reason) == *PRE_EXEC_FAIL* ]]
}

@test "exit codes named by -Q queue the job again" {
  job=$(submit -Q 7 'test -e once && exit 0; touch once; exit 7')
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
}

@test "a code in EXCLUDE sends the job to other hosts, for good" {
  job=$(submit -Q '1 EXCLUDE(3)' 'echo "$LSB_HOSTS" >>hosts; [ "$(wc -l <hosts)" -ge 2 ] || exit 3')
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(sort -u hosts | tr '\n' ' ')" = "node1 node2 " ]
  bhist -l -w "$job" | grep -q "REQUEUE.*not again on <$(head -1 hosts)>"
}

@test "a job whose hosts are all excluded says so, also after a restart of the master" {
  job=$(submit -Q 'EXCLUDE(3)' 'echo "$LSB_HOSTS" >>hosts; exit 3')
  excluded() { bwhy -json "$job" | jq -e '.RECORDS[0] | .CODE == "hosts_excluded" and .HOSTS_REMOVED == "2"'; }
  wait_for 60 excluded
  "$MINICLUSTER" kill wmasterd
  "$MINICLUSTER" start wmasterd
  wait_for 60 excluded
  [ "$(wc -l <hosts)" -eq 2 ]
  is "$job" pend_reason 'Excluded by an exit code of an earlier run: 2 hosts'
  bjobs -l "$job" | grep -qx ' <node1> <node2> by exit codes of earlier runs'
  bwhy "$job" | grep -q 'bkill it and submit it again'
  other=$(submit true)
  ran_out "$other"
  [ "$(state "$other")" = finished ]
  bkill "$job"
  ran_out "$job"
}

@test "codes of a queue exclude, too, and bad ones are named" {
  printf '[normal]\n[picky]\nrequeue_exits = EXCLUDE(4)\n' >"$CLUSTER/conf/queues.conf"
  badmin reconfig
  job=$(submit -q picky 'echo "$LSB_HOSTS" >>hosts; [ "$(wc -l <hosts)" -ge 2 ] || exit 4')
  ran_out "$job" 60
  [ "$(state "$job")" = finished ] && [ "$(sort -u hosts | wc -l)" -eq 2 ]
  printf '[bad]\nrequeue_exits = 1 EXCLUDE(4\n' >>"$CLUSTER/conf/queues.conf"
  run badmin ckconfig
  [ "$status" -ne 0 ]
  [[ $output == *"queues.conf:5"*"'1 EXCLUDE(4': EXCLUDE wants exit codes in parentheses"* ]] || { echo "$output"; return 1; }
  sed -i '/^.bad/,$d' "$CLUSTER/conf/queues.conf"
  run bsub -Q '300' true
  [ "$status" -ne 0 ]
  [[ $output == *"'300': exit codes from 0 to 255, all, ~code or EXCLUDE(code ...) are wanted"* ]]
}

@test "a prolog that fails closes its host and queues the job again" {
  cat >prolog <<END
#!/bin/sh
[ "\$HOSTNAME" = node2 ] || exit 1
END
  chmod +x prolog
  echo "prolog = $PWD/prolog" >>"$CLUSTER/conf/wm.conf"
  heard() { [ "$(grep -c ' registered ' "$CLUSTER"/log/*"$1"*)" -gt "$2" ]; }
  before=$(grep -c ' registered ' "$CLUSTER"/log/*node1*)
  badmin reconfig
  wait_for 10 heard node1 "$before"
  job=$(submit -m node1 sleep 1)
  closed() { bhosts -json | jq -e '.RECORDS[] | select(.HOST_NAME == "node1") | .STATUS != "ok"'; }
  wait_for 30 closed
  wait_for 10 in_state "$job" pending
  bhosts -l node1 | grep -q 'prolog exited with 1'
  other=$(submit sleep 1)
  ran_out "$other" 60
  [ "$(state "$other")" = finished ]
}
