#!/usr/bin/env bats
# Role: where the tasks of an elastic training meet, on real daemons: all are told of one port, whatever host they are on,
# those that have met there are told of a new size by starting again, and who does not come is told.

load lib
setup_file() {
  printf '[times]\nhang_limit = 3s\n' >"$BATS_FILE_TMPDIR/wm.conf"
  cluster_up --nodes 2 --cpus 2 --conf "$BATS_FILE_TMPDIR/wm.conf"
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
}
logs() { cat "$CLUSTER"/results/*/batchworkdir/"$1"/log/*/stdout 2>/dev/null; }
lines_of() { [ "$(grep -c "$2" "$1" 2>/dev/null)" -ge "$3" ]; }
reached() { [ "$(cat step 2>/dev/null || echo 0)" -ge "$1" ]; }
holds() { [ "$(field "$1" nalloc_slot)" = "$2" ]; }

@test "tasks of an elastic job have one port to meet at, on every host, and none waits for another" {
  # Where another cluster of this machine has the port that was chosen, all are started again with another.
  last_of_each() { awk '{ last[$1] = $2 " " $4 } END { for (task in last) print last[task] }' said; }
  agree() { [ "$(last_of_each | cut -d' ' -f1 | sort -u | wc -l)" -eq 2 ] && [ "$(last_of_each | wc -l)" -eq 4 ] && [ "$(last_of_each | cut -d' ' -f2 | sort -u | wc -l)" -eq 1 ]; }
  job=$(submit -app training -ar -n 4 'echo "$WM_TASK $WM_NODE at $MASTER_ADDR:$MASTER_PORT" >>said; trap "exit 0" TERM; while :; do sleep 0.05; done')
  wait_for 30 agree || { cat said; return 1; }
  [[ $(tail -n 1 said) =~ at\ [0-9.]+:2[0-4][0-9]{3}$ ]] || { cat said; return 1; }
  bkill "$job"
  ran_out "$job"
}

@test "two elastic jobs that begin on one host do not meet each other" {
  one=$(submit -app training -ar -n 1 'echo $MASTER_PORT >one; sleep 1000')
  two=$(submit -app training -ar -n 1 'echo $MASTER_PORT >two; sleep 1000')
  wait_for 30 test -s one
  wait_for 30 test -s two
  [ "$(cat one)" != "$(cat two)" ]
  bkill "$one" "$two"
}

@test "a plain torch.distributed script goes on at every size: it shrinks, grows and ends well" {
  "$PYTHON" -c 'import torch.distributed' || skip "no torch (scripts/bootstrap)"
  cat >train.py <<'P'
import os, time, torch, torch.distributed as dist
dist.init_process_group('gloo')
step = int(open('step').read()) if os.path.exists('step') else 0
one = torch.ones(1)
while True:
    dist.all_reduce(one)
    step += 1
    stop = torch.tensor([float(os.path.exists('enough'))])
    dist.all_reduce(stop, op=dist.ReduceOp.MAX)
    if dist.get_rank() == 0:
        with open('step.new', 'w') as file:
            file.write(str(step))
        os.rename('step.new', 'step')
        with open('worlds', 'a') as file:
            file.write(f'{dist.get_world_size()}\n')
    if stop.item():
        break
    time.sleep(0.02)
print('trained', dist.get_rank(), flush=True)
P
  job=$(submit -app training -ar -n 1,2 -R 'span[hosts=1]' "$PYTHON" train.py)
  wait_for 60 lines_of worlds '^2$' 3
  bresize release 1 "$job"
  wait_for 60 lines_of worlds '^1$' 3
  bresize request 1 "$job"
  two=$(grep -c '^2$' worlds)
  wait_for 60 lines_of worlds '^2$' $((two + 3))
  [ "$(bhist -json "$job" | jq '[.RECORDS[0].EVENTS[] | select(.EVENT == "DISPATCH")] | length')" -eq 1 ]
  touch enough
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
}

# What waits for others says so after hang_limit, which is short here (setup_file).
says() { bjobs -l "$1" | tr -s ' \n' ' ' | grep -qF "$2" && bwhy "$1" | tr -s ' \n' ' ' | grep -qF "$2"; }
silent() { ! bjobs -l "$1" | grep -q RENDEZVOUS && ! bwhy "$1" | grep -q 'others to come'; }

# A script whose first task listens, and which connects once a file of the given name is there.
meeting_script() {
  cat >meet.py <<'P'
import os, socket, sys, time
where, first = (os.environ['MASTER_ADDR'], int(os.environ['MASTER_PORT'])), os.environ['RANK'] == '0'
if first:
    listener = socket.create_server(('', where[1]))
def wait_for(name):
    while not os.path.exists(name):
        time.sleep(0.1)
while True:
    if not first:
        wait_for(sys.argv[1])
    try:
        caller = socket.create_connection(where)
        break
    except OSError:
        time.sleep(0.1)
wait_for('enough')
P
}

@test "a rendezvous that one task does not join is told, and no more when it has; where nobody listens nothing is" {
  meeting_script
  job=$(submit -app training -n 2 -R 'span[ptile=1]' "$PYTHON" meet.py come)
  other=$(submit -app training -n 2 -R 'span[ptile=1]' 'while [ ! -e enough ]; do sleep 0.1; done')
  wait_for 40 says "$job" '1 of 2 tasks have met at node'
  silent "$other"
  touch come
  wait_for 40 silent "$job"
  touch enough
  ran_out "$job"
  ran_out "$other"
  [ "$(state "$job")" = finished ]
}

@test "a launcher that hangs before it listens is told of" {
  mkdir -p bin
  printf '#!/bin/sh\nwhile [ ! -e enough ]; do sleep 0.1; done\n' >bin/torchrun
  chmod +x bin/torchrun
  job=$(PATH=$PWD/bin:$PATH submit -app training -n 2 -R 'span[ptile=1]' torchrun train.py)
  wait_for 40 says "$job" '0 of 2 hosts have met at node'
  touch enough
  ran_out "$job"
}

@test "tasks that have come are not told of, while those of another job are missed" {
  meeting_script
  touch come
  one=$(submit -app training -n 2 -R 'span[ptile=1]' "$PYTHON" meet.py come)
  two=$(submit -app training -n 2 -R 'span[ptile=1]' "$PYTHON" meet.py never)
  wait_for 60 says "$two" '1 of 2 tasks have met at node'
  silent "$one"
  touch never
  wait_for 40 silent "$two" # else the first one ends before the other has come
  touch enough
  ran_out "$one"
  ran_out "$two"
}
