#!/usr/bin/env bats
# Role: a launcher that runs once a host, in the batch profile: what it says on every host is in the job's files, whole
# lines, before the end of the job is told; and a failed one's reason is told. The launcher is a script as torchrun is one,
# of one process a host: it runs the shell commands in `work`.

load lib
setup_file() { cluster_up --nodes 2 --cpus 1; }
teardown_file() { cluster_down; }
setup() {
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  printf '#!/bin/sh\nnode=$PET_NODE_RANK\n. ./work\n' >torchrun
  chmod +x torchrun
}

launched() { submit -n 2 -R 'span[ptile=1]' "$@" ./torchrun train.py; }
# bhist breaks lines anywhere.
tells() { bhist -a -l "$1" | tr -d ' \n' | grep -qF "$(printf %s "$2" | tr -d ' ')"; }

@test "lines of all hosts are in the file of -o when the job has ended, whole, and before the report" {
  cat >work <<'E2'
i=0
while [ $i -lt 1000 ]; do i=$((i + 1)); printf "line $i "; printf "of node $node\n"; done
printf "no end $node"
E2
  job=$(launched -o out.txt)
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  for node in 0 1; do
    [ "$(grep -cE "^line [0-9]+ of node $node\$" out.txt)" -eq 1000 ]
    [ "$(grep -cx "no end $node" out.txt)" -eq 1 ]
  done
  [ "$(grep -n 'Sender: LSF System' out.txt | cut -d: -f1)" -gt 2002 ]
}

@test "errors of all hosts are in the file of -e, and only the first host writes it" {
  echo 'echo "out $node"; echo "oops $node" >&2' >work
  job=$(launched -o 'out.%H' -e 'err.%H')
  ran_out "$job" 60
  [ "$(ls out.* err.* | wc -l)" -eq 2 ]
  [ "$(grep -c '^out [01]$' out.*)" -eq 2 ]
  [ "$(sort err.*)" = "$(printf 'oops 0\noops 1')" ]
}

@test "what another host says is shown by bpeek, and without -o goes where the first one's goes" {
  echo 'echo "here $node"; while [ ! -e go ]; do sleep 0.1; done' >work
  job=$(launched)
  shows() { [ "$(bpeek "$job" | grep -c '^here [01]$')" -eq 2 ]; }
  wait_for 20 shows
  touch go
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
}

@test "the traceback of another host's rank is in the file, and its last line is the reason" {
  cat >work <<'E2'
[ "$node" = 0 ] && exec sleep 31605
echo "Traceback (most recent call last):" >&2
echo "RuntimeError: the label 17 is out of range" >&2
exit 7
E2
  job=$(launched -o out.txt)
  ran_out "$job" 60
  is "$job" exit_code 7
  grep -qx 'RuntimeError: the label 17 is out of range' out.txt
  tells "$job" 'its stderr ended: RuntimeError: the label 17 is out of range'
}

@test "before torchrun's summary the exception is the reason, also of one that asked for a device it does not see" {
  cat >work <<'E2'
[ "$node" = 0 ] || exec sleep 31606
cat >&2 <<'END'
[rank0]: Traceback (most recent call last):
[rank0]:   File "train.py", line 5, in <module>
[rank0]: RuntimeError: CUDA error: invalid device ordinal
Traceback (most recent call last):
  File "/usr/bin/torchrun", line 8, in <module>
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  rank      : 0 (local_rank: 0)
  exitcode  : 1 (pid: 99)
============================================================
END
exit 1
E2
  job=$(launched -o out.txt)
  ran_out "$job" 60
  is "$job" exit_code 1
  tells "$job" 'its output ended: RuntimeError: CUDA error: invalid device ordinal'
}

@test "the error file of a launcher goes before what stands on stderr" {
  cat >work <<'E2'
[ "$node" = 0 ] && exec sleep 31607
printf '%s\n' '{"message": {"message": "ValueError: no such column\nmore", "extraInfo": {}}}' >"$TORCHELASTIC_ERROR_FILE"
echo "=========" >&2
exit 1
E2
  job=$(launched -o out.txt)
  ran_out "$job" 60
  tells "$job" 'its error file says: ValueError: no such column'
}

@test "an attempt after a requeue appends with -o and begins anew with -oo, for all hosts" {
  cat >work <<'E2'
echo "try of node $node"
[ "$node" = 0 ] && [ ! -e "tried.$LSB_JOBID" ] || exit 0
touch "tried.$LSB_JOBID"
exit 99
E2
  for option in -o -oo; do
    job=$(launched -Q 99 "$option" "out$option")
    ran_out "$job" 90
    [ "$(state "$job")" = finished ]
    is "$job" attempt 2
  done
  [ "$(grep -cx 'try of node 0' out-o)" -eq 2 ]
  [ "$(grep -cx 'try of node 1' out-o)" -ge 1 ]
  [ "$(grep -cx 'try of node 0' out-oo)" -eq 1 ]
  [ "$(grep -cx 'try of node 1' out-oo)" -eq 1 ]
}

@test "a host that talks without end loses nothing, and the master may be away meanwhile" {
  cat >work <<'E2'
echo "begun $node"
while [ ! -e go ]; do sleep 0.1; done
[ "$node" = 0 ] || yes "a line that is said again and again" | head -n 500000
echo "done $node"
E2
  job=$(launched -o out.txt)
  wait_for 20 grep -qx 'begun 1' out.txt
  "$MINICLUSTER" kill wmasterd
  touch go
  wait_for 60 grep -qx 'done 1' out.txt
  "$MINICLUSTER" start wmasterd
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(grep -cx 'a line that is said again and again' out.txt)" -eq 500000 ]
}

@test "of a host whose part dies what was said stays, and the job ends" {
  echo 'echo "begun $node"; exec sleep 31608' >work
  job=$(launched -o out.txt)
  wait_for 20 grep -qx 'begun 1' out.txt
  second=$(field "$job" exec_host | tr ':' '\n' | sed 's/.*\*//' | sed -n 2p)
  "$MINICLUSTER" kill shepherd "$job@$second" -KILL
  ran_out "$job" 60
  grep -qx 'begun 1' out.txt
  reported() { grep -q 'Sender: LSF System' out.txt; }
  wait_for 40 reported
}

@test "when the agent that writes dies another takes its place, and lines come again" {
  cat >work <<'E2'
[ "$node" = 0 ] || blaunch "${LSB_HOSTS%% *}" 'echo pid=$PPID'
while [ ! -e go ]; do echo "here $node"; sleep 0.05; done
echo "last of $node"
E2
  job=$(launched -o out.txt)
  begun() { grep -q '^pid=' out.txt && grep -qx 'here 1' out.txt; }
  wait_for 20 begun
  kill -9 "$(sed -n 's/^pid=//p' out.txt)"
  before=$(grep -cx 'here 1' out.txt)
  goes_on() { [ "$(grep -cx 'here 1' out.txt)" -gt $((before + 5)) ]; }
  wait_for 25 goes_on
  touch go
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  grep -qx 'last of 1' out.txt
}

@test "when a job is killed the last words of every host are there" {
  cat >work <<'E2'
trap 'echo "ended $node"; exit 1' INT TERM
echo "begun $node"
while :; do sleep 0.1; done
E2
  job=$(launched -o out.txt)
  wait_for 20 grep -qx 'begun 1' out.txt
  bkill "$job"
  ran_out "$job" 60
  grep -qx 'ended 0' out.txt
  grep -qx 'ended 1' out.txt
}

@test "one that is started again at another size says at each size what its hosts say" {
  cat >work <<'E2'
trap 'exit 0' TERM
echo "node $node of $PET_NNODES"
while [ ! -e go ]; do sleep 0.1; done
E2
  job=$(submit -ar -n 1,2 -R 'span[ptile=1]' -o out.txt ./torchrun train.py)
  wait_for 40 grep -qx 'node 1 of 2' out.txt
  bresize release 1 "$job"
  wait_for 40 grep -qx 'node 0 of 1' out.txt
  touch go
  ran_out "$job" 60
  [ "$(state "$job")" = finished ]
  [ "$(grep -cx 'node 1 of 2' out.txt)" -ge 1 ]
}

@test "options that contradict the size are warned of with both numbers, by bsub and in the job's output" {
  echo 'echo "ran $node"' >work
  bsub -n 2 -R 'span[ptile=1]' -o out.txt ./torchrun --nnodes=3 train.py 2>said.txt | sed 's/.*<\([0-9]*\)> is.*/\1/' >job.txt
  grep -qx 'bsub: the command says --nnodes 3, but the job has 2 hosts' said.txt
  job=$(cat job.txt)
  ran_out "$job" 60
  [ "$(grep -cx 'WM: the command says --nnodes 3, but the job has 2 hosts' out.txt)" -eq 1 ]
  [ "$(grep -c '^ran [01]$' out.txt)" -eq 2 ]
  bsub -n 2 -R 'span[ptile=1]' -o out.txt ./torchrun --nproc-per-node 8 train.py 2>said.txt >/dev/null
  grep -q -- '--nproc_per_node 8, but the job has room for 1 on a host' said.txt
  bsub -n 2 -R 'span[ptile=1]' -o out.txt ./torchrun '--nnodes=$NNODES' --nproc_per_node gpu train.py 2>said.txt >/dev/null
  [ ! -s said.txt ]
}

@test "the exception of a task that WM starts itself is the reason, of a fixed size and elastic" {
  local how job
  for how in '-n 2' '-ar -n 1,2'; do
    job=$(submit -app training $how "$PYTHON" -c 'raise RuntimeError("CUDA error: invalid device ordinal")')
    ran_out "$job" 60
    [ "$(state "$job")" = failed ]
    tells "$job" 'ended: RuntimeError: CUDA error: invalid device ordinal'
    bjobs -l "$job" | tr -d ' \n' | grep -qF 'RuntimeError:CUDAerror:invaliddeviceordinal'
  done
}
