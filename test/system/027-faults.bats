#!/usr/bin/env bats
# Role: what jobs do to a host, and what happens to a host under them: each has its named end, and
# a neighbour on the same hosts is not disturbed.

load lib
setup_file() { cluster_up --nodes 2 --cpus 60; }
teardown_file() { cluster_down; }
setup() {
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  neighbour=$(submit -m node1 'while [ ! -e enough ]; do echo x >>beat; sleep 0.05; done; exit 7')
  wait_for 20 test -s beat
}

beats() { stat -c %s beat; }
past_beat() { [ "$(beats)" -gt "$1" ]; }
undisturbed() { # it goes on, and its exit code is its own
  wait_for 10 past_beat "$(beats)"
  touch enough
  ran_out "$neighbour"
  is "$neighbour" exit_code 7
  is "$neighbour" attempt 1
}
reason() { field "$1" exit_reason; }

@test "a fork bomb is ended at its limit of processes" {
  cat >bomb.py <<PY
import os, time
for _ in range(400):  # a bounded one: it may run where no cgroup holds it
    if os.fork() == 0:
        time.sleep(1000)
    time.sleep(0.01)
PY
  job=$(submit -m node1 -p 40 "$PYTHON bomb.py")
  ran_out "$job" 60
  [[ $(reason "$job") == *TERM_PROCESSLIMIT* ]] || { bjobs -l "$job"; return 1; }
  [ "$(pgrep -fc "^$PYTHON bomb.py" || true)" -eq 0 ]
  undisturbed
}

@test "a memory bomb is ended at its memory limit" {
  cat >bomb.py <<PY
import time
held = []
for _ in range(40):
    held.append(bytearray(20 << 20))
    time.sleep(0.05)
time.sleep(60)
PY
  job=$(submit -m node1 -M 200M "$PYTHON bomb.py")
  ran_out "$job" 60
  [[ $(reason "$job") == *TERM_MEMLIMIT* ]] || { bjobs -l "$job"; return 1; }
  undisturbed
}

@test "a program of another format fails and says so" {
  printf '\177ELF\377garbage' >program
  chmod +x program
  job=$(submit -m node1 -o out.txt -e err.txt "exec $PYTHON -c 'import os; os.execv(\"./program\", [\"p\"])'")
  ran_out "$job"
  [ "$(state "$job")" = failed ]
  grep -q 'Exec format error' err.txt
  undisturbed
}

@test "a folder that is gone when the job starts is named" {
  mkdir gone
  job=$(submit -m node1 -H -cwd "$PWD/gone" 'echo never')
  rmdir gone
  bresume "$job"
  ran_out "$job"
  [ "$(state "$job")" = failed ]
  [[ $(bhist -l "$job" | tr -d '\n ') == *"workingdirectory$PWD/gone"* ]] || { bhist -l "$job"; return 1; }
  undisturbed
}

@test "an environment larger than the kernel takes ends the job with the reason, and nothing else" {
  block=$(printf '%0130000d' 0)
  job=$(
    ulimit -s unlimited # or the shell could not start bsub
    for i in {1..38}; do export "BIG$i=$block"; done
    submit -m node1 -o out.txt 'env | wc -c'
  )
  ran_out "$job" 60
  # either the host's kernel took it (its own stack limit decides) or the job says why it did not start
  if [ "$(state "$job")" = finished ]; then
    [ "$(head -1 out.txt)" -gt 4900000 ]
  else
    [[ $(bhist -l "$job" | tr -d '\n ') == *Argumentlisttoolong* ]] || { bhist -l "$job"; return 1; }
  fi
  undisturbed
}

@test "a full disk under the output: the job goes on to its own end" {
  [ "$(id -u)" -eq 0 ] || skip "needs root to mount a small file system"
  mkdir small
  mount -t tmpfs -o size=64k none small || skip "no tmpfs can be mounted here"
  job=$(submit -m node1 -o small/out.txt "head -c 300000 /dev/zero | tr '\\0' x; touch written; exit 5")
  ran_out "$job" || { umount small; return 1; }
  size=$(stat -c %s small/out.txt)
  umount small
  [ -e written ]
  is "$job" exit_code 5
  [ "$size" -gt 0 ]
  mount -t tmpfs -o size=64k none small
  job=$(submit -m node1 -o small/out.txt "head -c 300000 /dev/zero | tr '\\0' x")
  ran_out "$job" || { umount small; return 1; }
  umount small
  [ "$(state "$job")" = failed ]
  [[ $(bjobs -l "$job" | tr -d '\n ') == *TERM_OUTPUT_LOST*Nospaceleft* ]] || { bjobs -l "$job"; return 1; }
  undisturbed
}

@test "a job that fills its folder on the host is ended with folder, size and limit, and others run on" {
  other=$(submit -m node1 -o other.txt 'while [ ! -e over ]; do sleep 0.2; done; echo well')
  printf '#!/bin/sh\ncd "$(dirname "$LSB_JOBFILENAME")"\nhead -c 400000000 /dev/zero >much\nsleep 600\n' >fills.sh
  sed -i '/^\[cluster\]/a folder_limit = 1M' "$WM_CONF_DIR/wm.conf"
  job=$(submit -m node1 -o out.txt <fills.sh)
  ran_out "$job"
  sed -i '/^folder_limit/d' "$WM_CONF_DIR/wm.conf"
  [ "$(state "$job")" = failed ]
  [[ $(field "$job" exit_reason) == *TERM_FOLDERLIMIT* ]] || { bjobs -l "$job"; return 1; }
  bhist -l "$job" | tr -d '\n ' | grep -q "TERM_FOLDERLIMIT:.*/$job-0.1.dhas[0-9.]*Mof[0-9.]*M" || { bhist -l "$job"; return 1; }
  [ -z "$(find "$CLUSTER/run/" -path "*/$job-0.1.d*")" ]
  touch over
  ran_out "$other"
  grep -qx well other.txt
  undisturbed
}

@test "wnoded is killed again and again while jobs run: every exit code is right" {
  jobs=20 kills=8
  [ -z "${WM_SOAK-}" ] || jobs=50 kills=100
  for ((i = 1; i <= jobs; i++)); do
    numbers[i]=$(submit -m node1 "while [ ! -e over ]; do sleep 0.2; done; exit $((i + 100))")
  done
  for ((i = 1; i <= jobs; i++)); do wait_for 30 in_state "${numbers[i]}" running; done
  for ((k = 1; k <= kills; k++)); do
    "$MINICLUSTER" kill wnoded node1
    [ "$k" -ne $((kills / 2)) ] || touch over # half of the kills meet jobs that end
    "$MINICLUSTER" start node1
  done
  for ((i = 1; i <= jobs; i++)); do
    ran_out "${numbers[i]}" 60
    is "${numbers[i]}" exit_code $((i + 100)) || { bjobs -l "${numbers[i]}"; return 1; }
    is "${numbers[i]}" attempt 1
  done
  undisturbed
}
