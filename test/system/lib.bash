# Role: what every system test is written with. Load with `load lib`.
#
#   cluster_up [flags of minicluster up]   a cluster of this file's own, its environment set
#   cluster_down                           ends it; on a failed test shows the daemons' last words
#   wait_for SECONDS COMMAND…              polls until the command succeeds; no test sleeps. SECONDS: on a quiet
#                                          machine; below half a minute they are no limit of anything
#   submit bsub-arguments…                 prints the job number
#   field JOBID NAME                       one field of bjobs -json;  state JOBID: wm_state
#   events JOBID EVENT                     that job's events of a kind, one JSON object a line
#   train MIN,MAX STEPS [MS]               an elastic job of small_train.py; result_dir, world, at_world,
#                                          last_step, past_step JOBID …: what its step records say
#   proven JOBID STEPS [KILLED_TASK]       it finished, every step and sample once, without a restart
# Invariant: no fixed ports or paths; everything lives below BATS_FILE_TMPDIR.

TOP=$(cd "${BATS_TEST_DIRNAME:-.}/../.." && pwd)
export B=${B:-$TOP/build}
MINICLUSTER=$TOP/scripts/minicluster
PYTHON=/usr/bin/python3

# A deadline finds what hangs, and a busy machine is not a hang: they are long, since only a
# failing test ever waits for one. A sanitizer build gets longer ones still.
DEADLINE_FACTOR=4
[[ $B == *-* ]] && DEADLINE_FACTOR=8

cluster_up() {
  export CLUSTER=$BATS_FILE_TMPDIR/cluster
  programs_built || return 0
  "$MINICLUSTER" up --dir "$CLUSTER" "$@" || return 1
  eval "$("$MINICLUSTER" env --dir "$CLUSTER")"
}

# In setup() of each test: bats runs setup_file in another shell, only exports arrive.
cluster_env() {
  programs_built || skip "daemons or commands are not built"
  eval "$("$MINICLUSTER" env --dir "$CLUSTER")"
}
programs_built() { [ -x "$B/sbin/wmasterd" ] && [ -x "$B/sbin/wnoded" ] && [ -x "$B/bin/bsub" ]; }

cluster_down() { ! programs_built || LD_PRELOAD='' "$MINICLUSTER" down --dir "$CLUSTER"; }

# Printed by bats only when the test failed.
cluster_words() {
  local log
  for log in "$CLUSTER"/log/*; do
    echo "---- $(basename "$log")"
    tail -n "${1:-15}" "$log"
  done
}

wait_for() {
  local limit=$((($1 > 30 ? $1 : 30) * DEADLINE_FACTOR)) end
  shift
  end=$((SECONDS + limit))
  until "$@" >/dev/null 2>&1; do
    if [ "$SECONDS" -ge "$end" ]; then
      echo "not within $limit s: $*"
      "$@" || true
      return 1
    fi
    command sleep 0.05
  done
}

submit() {
  local said
  said=$(bsub "$@") || return 1
  [[ $said =~ Job\ \<([0-9]+)\> ]] || { echo "bsub said: $said" >&2; return 1; }
  echo "${BASH_REMATCH[1]}"
}

field() { bjobs -json -o "$2" "$1" | jq -r --arg key "${2^^}" '.RECORDS[0][$key]'; }
state() { field "$1" wm_state; }
is() { [ "$(field "$1" "$2")" = "$3" ]; }
in_state() { [ "$(state "$1")" = "$2" ]; }
ended() { [[ $(state "$1") =~ ^(finished|failed|killed|error)$ ]]; }
ran_out() { wait_for "${2:-30}" ended "$1"; }

# A failed test may have left the master dead: commands would wait for it for ever.
end_all_jobs() {
  programs_built || return 0
  "$MINICLUSTER" start wmasterd 2>/dev/null || true
  timeout 20 bkill 0 >/dev/null 2>&1 || true
}

events() { bhist -json "$1" | jq -c --arg kind "$2" '.RECORDS[0].EVENTS[] | select(.EVENT == $kind)'; }
events_of() { [ "$(events "$1" "$2" | wc -l)" -ge "$3" ]; }

# no_process_of NODE…: nothing that belongs to those hosts is left
processes_of() {
  local node=$1 env
  for env in /proc/[0-9]*/environ; do
    tr '\0' '\n' 2>/dev/null <"$env" | grep -qx "WM_CLUSTER_DIR=$(realpath "$CLUSTER")" || continue
    tr '\0' '\n' 2>/dev/null <"$env" | grep -qx "WM_NODE=$node" && basename "$(dirname "$env")"
  done
  return 0
}

# ---- elastic training -------------------------------------------------------------------

result_dir() { echo "$CLUSTER/results/$(id -un)/batchworkdir/$1"; }
# Slow until `hurry` or proven() says otherwise: nothing that a test does comes too late.
train() { submit -app training -ar -n "$1" -gpu num=1 $PYTHON small_train.py "$2" "${3-25}"; }
# world of the newest applied step, over all tasks
world() { tail -qn 1 "$(result_dir "$1")"/log/*/steps.csv 2>/dev/null | grep -v step | sort -t, -k1n | tail -1 | cut -d, -f3; }
at_world() { [ "$(world "$1")" = "$2" ]; }
last_step() { tail -qn 1 "$(result_dir "$1")"/log/*/steps.csv 2>/dev/null | grep -v step | cut -d, -f1 | sort -n | tail -1; }
past_step() { [ "$(last_step "$1")" -ge "$2" ]; }
proven() { # JOBID STEPS [KILLED_TASK]: finished, in order, not restarted
  touch hurry
  ran_out "$1" 90
  [ "$(state "$1")" = finished ] || { bhist -l "$1"; cat "$(result_dir "$1")"/log/*/stderr; return 1; }
  is "$1" attempt 1
  run $PYTHON "$TOP/scripts/demo.d/evidence.py" "$(result_dir "$1")" "${@:3}"
  [[ $output == *"$2 steps, $(($2 * 16)) samples, all in order"* ]] || { echo "$output"; return 1; }
}

make_image() { # FOLDER: a root file system of busybox alone
  [ -x /bin/busybox ] || return 0
  local applet
  mkdir -p "$1"/{bin,etc,dev,proc,sys,tmp,home,usr,root}
  cp /bin/busybox "$1/bin/"
  for applet in sh cat ls echo id pwd test sleep true touch; do ln -sf busybox "$1/bin/$applet"; done
  echo 'root:x:0:0::/root:/bin/sh' >"$1/etc/passwd"
  touch "$1"/etc/{group,hosts,resolv.conf}
  echo inside >"$1/etc/where"
}

# image_for_podman FOLDER [COMMAND…]: made known to podman as localhost/wmtest:1, or the test is skipped; COMMAND runs
# podman as another account
image_for_podman() {
  local folder=$1 need
  shift
  for need in podman runc; do
    command -v $need >/dev/null || skip "no $need on this machine"
  done
  tar -C "$folder" --owner=0 --group=0 --numeric-owner -cf - . | "$@" podman import - localhost/wmtest:1 >/dev/null 2>&1 ||
    skip "podman cannot import an image here"
  "$@" podman run --rm --network=host --ulimit nofile=1024:1024 --ulimit nproc=1000:1000 localhost/wmtest:1 /bin/true \
    >/dev/null 2>&1 || skip "podman cannot start a container on this kernel"
}

# Open MPI between hosts of a private cluster. They share a kernel and a name: its shared memory would
# mix them up; and what other clusters do to the machine's network interfaces is not to reach its sockets.
mpi_on_loopback() {
  export OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
}
