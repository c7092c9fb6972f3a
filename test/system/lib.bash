# Role: what every system test is written with. Load with `load lib`.
#
#   cluster_up [flags of minicluster up]   a cluster of this file's own, its environment set
#   cluster_down                           ends it
#   after_each, last_words                 a file's own, for the end of each test and of a failed one (see teardown)
#   wait_for SECONDS COMMAND…              polls until the command succeeds; no test sleeps. SECONDS: on a quiet
#                                          machine; below half a minute they are no limit of anything
#   submit bsub-arguments…                 prints the job number
#   field JOBID NAME                       one field of bjobs -json;  state JOBID: wm_state
#   events JOBID EVENT                     that job's events of a kind, one JSON object a line
#   train MIN,MAX STEPS [MS]               an elastic job of small_train.py; result_dir, world, at_world,
#                                          last_step, past_step JOBID …: what its step records say
#   proven JOBID STEPS [KILLED_TASK]       it finished, every step and sample once, without a restart
#   needs_venv MODULE                      Python's own packages, with python3 in PATH theirs; else the test is skipped
#   mpi_cluster_up, need_mpi               for MPI programs over its hosts, with whichever Open MPI is here
#   make_account, remove_accounts, reachable_build  for tests of several accounts (root only)
# Invariant: no fixed ports or paths; everything lives below BATS_FILE_TMPDIR.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export B=${B:-$TOP/build}
MINICLUSTER=$TOP/scripts/minicluster
export PYTHON; PYTHON=$("$TOP/scripts/common/python")

# Skips where torch's own store wants libuv and was built without, as Debian 13's: its torchrun makes no other.
torchrun_works() {
  "$PYTHON" -c 'import torch.distributed as d
if "use_libuv" in (d.TCPStore.__init__.__doc__ or ""):  # an older one has no such word, and no store at port 0
    d.TCPStore("127.0.0.1", 0, is_master=True, wait_for_workers=False)' 2>"$BATS_TEST_TMPDIR/store" ||
    ! grep -q libuv "$BATS_TEST_TMPDIR/store" || skip "this torch has a torchrun that wants libuv, and was built without"
}

# Whether the programs were built with sanitizers: make writes it into the build folder.
sanitized() { [ -s "$B/sanitizers" ]; }
# A deadline finds what hangs, and a busy machine is not a hang: they are long, since only a
# failing test ever waits for one. A sanitizer build gets longer ones still.
DEADLINE_FACTOR=4
! sanitized || DEADLINE_FACTOR=8

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
  # Jobs, notebooks and services run with the python3 of PATH: that is this one, whatever else the machine has.
  PATH=$B/bin:$B/sbin:$(dirname "$(command -v "$PYTHON")"):$PATH
}
# What a page's address answers: the pages are built where node and its modules are.
page_code() { if [ -f "$B/pages/index.html" ]; then echo 200; else echo 404; fi; }
programs_built() { [ -x "$B/sbin/wmasterd" ] && [ -x "$B/sbin/wnoded" ] && [ -x "$B/bin/bsub" ]; }

# Where there is one: files skip all their tests where it cannot be.
cluster_down() { [ ! -e "${CLUSTER-}/cluster.json" ] || LD_PRELOAD='' "$MINICLUSTER" down --dir "$CLUSTER"; }

# Of each test. What a failed one says here is all that is known of it afterwards: bats prints it then alone.
teardown() {
  [ -n "${BATS_TEST_COMPLETED-}" ] || failed_words
  after_each
}
after_each() { end_all_jobs; } # a file with more to do has its own
last_words() { :; }            # as has one with more to show
failed_words() {
  last_words || true
  words_of "$BATS_TEST_TMPDIR"/*.txt
  [ -e "${CLUSTER-}/cluster.json" ] || return 0
  jobs_words
  words_of "$CLUSTER"/log/*
}
words_of() { # FILE…
  local file
  for file in "$@"; do
    [ ! -f "$file" ] || { echo "---- $(basename "$file")" && tail -n 15 "$file"; }
  done
}
# Every job that has not ended DONE, the newest first. A dead master is started, else the commands wait for it.
jobs_words() {
  local job
  "$MINICLUSTER" start wmasterd 2>/dev/null || true
  for job in $(timeout 20 bjobs -u all -a -noheader -o 'jobid stat' | awk '$2 != "DONE" { print $1 }' | sort -run | head -n 20); do
    echo "---- job $job"
    timeout 20 bjobs -l "$job" || true
    timeout 20 bhist -l "$job" || true
  done 2>&1
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
  [ -e "${CLUSTER-}/cluster.json" ] || return 0
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

# ---- Python's own packages --------------------------------------------------------------

# What `scripts/bootstrap python` has made, or WM_TEST_VENV names. Its python3 is that of PATH afterwards, as after activate.
needs_venv() { # MODULE
  local venv=${WM_TEST_VENV-} python
  if [ -z "$venv" ]; then
    python=$("$TOP/scripts/common/python" --venv 2>/dev/null) || python=
    venv=${python%/bin/python3}
    [ -e "$venv/made" ] || skip "Python's own packages are not there: scripts/bootstrap python says why"
  fi
  [ -x "$venv/bin/python3" ] || skip "no virtual environment in $venv"
  "$venv/bin/python3" -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)' "$1" ||
    skip "no $1 in $venv"
  export PATH=$venv/bin:$PATH
}

# ---- several accounts -------------------------------------------------------------------

# Names that no other file nor run has: they are the machine's. make_account SUFFIX [HOME]: $ACCOUNT-SUFFIX
export ACCOUNT=${ACCOUNT:-wm${WM_TEST_TAG:-$$}}
make_account() {
  # /etc is locked since two at once are refused
  flock /etc useradd -r -M -d "${2:-/nonexistent}" -s /bin/bash "$ACCOUNT-$1" && echo "$ACCOUNT-$1" >>"$BATS_FILE_TMPDIR/accounts"
}
remove_accounts() {
  [ ! -e "$BATS_FILE_TMPDIR/accounts" ] || xargs -n 1 flock /etc userdel -f <"$BATS_FILE_TMPDIR/accounts"
}
# why_no_accounts: a cluster of several accounts cannot be here; empty when it can
why_no_accounts() {
  if [ "$(id -u)" -ne 0 ]; then
    echo "needs root"
  elif ! programs_built; then
    echo "daemons or commands are not built"
  elif sanitized; then
    echo "programs with sanitizers do not take a name service put before them"
  elif ! runuser -u nobody -- "$PYTHON" -c '' 2>/dev/null; then
    echo "other accounts cannot start this Python"
  fi
}
# The build may lie where other accounts cannot go: a copy is B from here on.
reachable_build() { # FOLDER
  mkdir -p "$1/lib" && cp -r "$B"/{bin,sbin,sanitizers} "$1/"
  cp -r "$B"/lib/*.so "$B/lib/python" "$1/lib/" 2>/dev/null || true
  export B=$1
}
# A folder of this file's own that every account reaches, in PLACE.
open_place() { PLACE=$(mktemp -d) && export PLACE && chmod 755 "$PLACE"; }

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

# ---- MPI --------------------------------------------------------------------------------

# Open MPI's: 4, 5 …; 0: there is none
mpi_version() {
  local said
  said=$(mpirun --version 2>/dev/null) || true
  [[ $said =~ \(Open\ MPI\)\ ([0-9]+) ]] && echo "${BASH_REMATCH[1]}" || echo 0
}
# As cluster_up, for MPI programs over its hosts: since its version 5 Open MPI leaves the loopback interface out, so
# these hosts have a network each (mpi_network: the flag of minicluster).
mpi_cluster_up() { cluster_up $(mpi_network) "$@"; }
mpi_network() { [ -n "$(why_no_mpi)" ] || [ "$(mpi_version)" -lt 5 ] || echo --netns; }
# Why there are none; empty when there are
why_no_mpi() {
  if ! command -v mpicc mpirun >/dev/null || [ "$(mpi_version)" -eq 0 ]; then
    echo "no Open MPI: run scripts/bootstrap"
  elif [ "$(mpi_version)" -ge 5 ] && [ "$(id -u)" -ne 0 ]; then
    echo "Open MPI 5 between hosts of one machine needs network namespaces, and they root"
  elif [ "$(mpi_version)" -ge 5 ] && ! command -v ip nsenter >/dev/null; then
    echo "no ip or nsenter: run scripts/bootstrap"
  fi
}
need_mpi() {
  local why
  why=$(why_no_mpi)
  [ -z "$why" ] || skip "$why"
  mpi_between_hosts
}
# Hosts of a private cluster without networks share a name, too: Open MPI's shared memory would mix them up; and
# what other clusters do to the machine's network interfaces is not to reach its sockets.
mpi_between_hosts() {
  [ "$(mpi_version)" -lt 5 ] || return 0
  export OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
}
