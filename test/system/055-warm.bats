#!/usr/bin/env bats
# Role: warm parents of elastic jobs: a newcomer on a host that knows the job is a fork, with CPUs
# and memory of its own; without the warm parent it is started cold; nothing of it outlives the job.

load lib
setup_file() { cluster_up --nodes 1 --cpus 2 --gpus 2; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; cp "$BATS_TEST_DIRNAME/small_train.py" .; }

log() { find "$CLUSTER/run/" -path "*/$1-0.1.d/warm.log" -exec cat {} +; }
warm() { log "$1" | sed -n 's/: ready, .*//p'; }
is_warm() { [ -n "$(warm "$1")" ]; }
forks() { log "$1" | grep -c forked; }
is_gone() { ! kill -0 "$1"; }
shrink_and_grow() {
  bresize release 1 "$1"
  wait_for 30 at_world "$1" 1
  wait_for 60 is_warm "$1"
  [ -z "${2-}" ] || { kill -9 "$(warm "$1")"; wait_for 10 is_gone "$(warm "$1")"; }
  bresize request 1 "$1"
  wait_for 60 at_world "$1" 2
}

@test "a newcomer is a fork of the warm parent, which ends with the job" {
  job=$(train 1,2 100000)
  wait_for 60 at_world "$job" 2
  shrink_and_grow "$job"
  [ "$(forks "$job")" -eq 1 ]
  parent=$(warm "$job")
  bkill "$job"
  wait_for 30 is_gone "$parent"
}

# Of the process itself: libraries have mappings under a policy of their own.
policies() { awk '/ (heap|stack) / { print $2 }' "/proc/$1/numa_maps" | sort -u; }
variable() { tr '\0' '\n' <"/proc/$1/environ" | sed -n "s/^$2=//p"; }

@test "a fork has the CPUs and the memory of its own that a task started cold has" {
  [ -e /proc/self/numa_maps ] || skip "the kernel knows no memory nodes"
  bash -c 'cat /proc/self/numa_maps' | grep -q ' default ' || skip "tests run with a memory policy of their own"
  job=$(submit -app training -ar -n 1,2 -gpu num=1 -R 'affinity[thread(1):membind=localonly]' $PYTHON small_train.py 100000 25)
  wait_for 60 at_world "$job" 2
  shrink_and_grow "$job"
  [ "$(forks "$job")" -eq 1 ]
  pids=$(field "$job" pids | tr , ' ')
  [ "$(wc -w <<<"$pids")" -eq 2 ]
  for pid in $pids; do # the first was started cold, the second is the fork
    bound=$(variable "$pid" LSB_BIND_CPU_LIST)
    [ -n "$bound" ] && [ "$(sed -n 's/Cpus_allowed_list:\t//p' "/proc/$pid/status")" = "$bound" ]
    [ "$(policies "$pid")" = "bind:$(variable "$pid" LSB_BIND_MEM_LIST)" ] || { policies "$pid"; return 1; }
  done
  [ "$(policies "$(warm "$job")")" = default ]
}

@test "after the death of the warm parent a newcomer is started cold" {
  job=$(train 1,2 100000)
  wait_for 60 at_world "$job" 2
  shrink_and_grow "$job" kill
  [ "$(forks "$job")" -eq 0 ]
  is "$job" attempt 1
}
