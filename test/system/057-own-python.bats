#!/usr/bin/env bats
# Role: a user's own Python on real daemons: whatever leads to it at submission, its jobs, workers, notebooks and services
# run with it, and WM's own programs do not; what the trainer cannot work with is named, and so are mixed versions.
# Environments are made here of $PYTHON: a venv, a prefix with a program of its own, a stand-in as pyenv has them, a module.

load lib
setup_file() {
  export OWN=$BATS_FILE_TMPDIR/own
  make_env "$OWN/venv"
  make_env "$OWN/prefix" --copies
  mkdir -p "$OWN/shims" "$OWN/app/bin"
  printf '#!/bin/sh\nexec "%s/venv/bin/python3" "$@"\n' "$OWN" >"$OWN/shims/python3"
  # A module's program finds its parts by the environment alone.
  cp "$OWN/prefix/bin/python3" "$OWN/app/bin/python3"
  chmod +x "$OWN/shims/python3"
  cluster_up --web --nodes 2 --cpus 4 --gpus 2
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  export HOME=$BATS_TEST_TMPDIR
  cd "$BATS_TEST_TMPDIR" || return
  cp "$BATS_TEST_DIRNAME/small_train.py" .
}

# make_env FOLDER [OPTION]: with the packages of $PYTHON, whether that is an environment itself or not
make_env() {
  "$PYTHON" -m venv --without-pip "${@:2}" "$1"
  # As site itself adds them: what lies there as .pth counts, too, as distutils of a Python that has none.
  "$PYTHON" -c 'import sys; print(*(f"import site; site.addsitedir({p!r})" for p in sys.path if p.endswith("-packages")), sep="\n")' >"$("$1/bin/python3" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/parent.pth"
}
# with FOLDER COMMAND…: that folder's programs come first
with() { PATH=$OWN/$1:$PATH "${@:2}"; }
said() { head -n 1 "$1" 2>/dev/null; }
fake_torch() { # VERSION [MORE]
  mkdir -p fake/torch/distributed
  printf '__version__ = "%s"\n%s\n' "$1" "${2-}" >fake/torch/__init__.py
  : >fake/torch/distributed/__init__.py
}

@test "a job runs with the Python that was first in PATH, and finds WM's modules there" {
  cat >where.py <<'P'
import sys
import fabric_model, redhareapi, edtcallback
print(sys.prefix, sys.argv[1])
P
  for kind in venv/bin prefix/bin shims; do
    with $kind submit -app training -o "said.${kind%/*}" python3 where.py own >job."${kind%/*}"
  done
  echo 'import sys; print(sys.executable)' >which.py
  with app/bin submit -app training -o said.app python3 which.py >job.app
  for job in job.*; do ran_out "$(cat "$job")" 60; done
  [ "$(said said.venv)" = "$OWN/venv own" ] || { cat said.*; return 1; }
  [ "$(said said.prefix)" = "$OWN/prefix own" ]
  [ "$(said said.shims)" = "$OWN/venv own" ]
  [ "$(said said.app)" = "$OWN/app/bin/python3" ]
}

log() { find "$CLUSTER/run/" -path "*/$1-0.1.d/warm.log" -exec cat {} +; }
is_warm() { log "$1" | grep -q ': ready, '; }
programs_of() { for pid in $(field "$1" pids | tr , ' '); do readlink "/proc/$pid/exe"; done | sort -u; }

@test "workers and newcomers run with it, by whichever name it is called" {
  job=$(with prefix/bin submit -app training -ar -n 1,2 -R 'span[hosts=1]' -gpu num=1 exec python small_train.py 100000 25)
  wait_for 60 at_world "$job" 2
  bresize release 1 "$job"
  wait_for 30 at_world "$job" 1
  wait_for 60 is_warm "$job"
  bresize request 1 "$job"
  wait_for 60 at_world "$job" 2
  log "$job" | grep -q forked
  [ "$(programs_of "$job")" = "$(realpath "$OWN/prefix/bin/python")" ] || { programs_of "$job"; return 1; }
}

door() { curl -sS --cacert "$WM_GATEWAY_CA" "$@"; }
web() { door -u "$(id -un):$WM_API_KEY" "$WM_GATEWAY_URL/api/v1/notebooks/$1" | jq -r .web.state; }
web_is() { [ "$(web "$1")" = "$2" ]; }
reached() { [ "$(door -b jar -c jar -o /dev/null -w '%{http_code}' "$WM_APPS_URL/$1/")" -lt 400 ]; }

@test "kernels of a notebook run with it, and so do cells that are jobs" {
  command -v jupyter-notebook >/dev/null || skip "no jupyter-notebook (scripts/bootstrap)"
  "$PYTHON" -c 'import ipykernel, tornado' 2>/dev/null || skip "$PYTHON has no ipykernel"
  job=$(with venv/bin submit -app notebook </dev/null)
  wait_for 60 web_is "$job" ready
  ticket=$(door -u "$(id -un):$WM_API_KEY" -d "{\"job\": \"$job\"}" "$WM_GATEWAY_URL/auth/v1/app" | jq -r .ticket)
  door -b jar -c jar -H "Origin: $WM_GATEWAY_URL" --data-urlencode "ticket=$ticket" -o /dev/null "$WM_APPS_URL/_open"
  wait_for 30 reached "$job"
  door -b jar -c jar -o /dev/null "$WM_APPS_URL/$job/tree" # brings the cookie against forged requests
  $PYTHON "$BATS_TEST_DIRNAME/notebook_client.py" "$WM_APPS_URL/$job/" jar 'import sys, wm_gpu_cell; sys.prefix' \
    'wm_gpu_cell.gpu("", "import sys; sys.prefix", globals())' >prefixes
  diff prefixes - <<<"'$OWN/venv'"$'\n'"'$OWN/venv'"
}

@test "a service's kernels run with that of the shell that deployed it" {
  [ -x "$B/sbin/wrouter" ] || skip "services are not built"
  cp -r "$TOP/libwm/kernel/examples/ping" .
  sed -i "s/'pong '/__import__('sys').prefix + ' '/" ping/kernel.py
  with shims dlim model deploy -p ping | grep -qx "Kernels run with $OWN/venv/bin/python3, on hosts that have it"
  dlim model start ping
  [ "$(dlim model infer ping hello)" = "$OWN/venv hello" ]
  dlim model stop ping -f
  undeployed() { dlim model undeploy ping -f; }
  wait_for 30 undeployed
}

@test "what the trainer cannot work with is the first line of the output, and bjobs tells it" {
  fake_torch 1.12.1
  echo 'import fabric_model' >script.py
  for n in '-n 1' '-ar -n 2,2'; do # of fixed size, elastic
    job=$(PYTHONPATH=$PWD/fake submit -app training $n -o "said.${n##* }" python3 script.py)
    ran_out "$job" 60
    [ "$(state "$job")" = failed ]
    # where another task fails first, its words stand under a heading
    head -n 3 "said.${n##* }" | grep -qxF "fabric_model: torch 1.12.1 of $PWD/fake/torch is too old: 1.13 or newer is wanted" || { cat said.*; return 1; }
    [ "$n" != '-n 1' ] || [[ $(said said.1) == fabric_model:* ]]
    bjobs -l "$job" | tr -d '\n ' | grep -qF "torch1.12.1of$PWD/fake/torchistooold"
  done
}

# On node2 torch is another version.
mixed_train() {
  printf '%s\n' 'import os, torch' 'if os.environ["HOSTNAME"] == "node2": torch.__version__ = "9.9.0"' | cat - small_train.py >mixed.py
}
tells_both() { bhist -l "$1" | tr -d '\n ' | grep -qE 'mixedversionsinonejob:task[0-9]+onnode[12]hasPython[0-9.]+,torch[0-9.a]+;task[0-9]+onnode[12]has'; }

@test "mixed versions on the hosts of a job are refused where its workers meet, with both" {
  mixed_train
  fixed=$(submit -app training -n 2 -R 'span[ptile=1]' -o said "$PYTHON" mixed.py 100)
  elastic=$(submit -app training -ar -n 2 -R 'span[ptile=1]' "$PYTHON" mixed.py 100)
  ran_out "$fixed" 60
  [ "$(state "$fixed")" = failed ]
  grep -q '^fabric_model: mixed versions in one job: .*torch 9.9.0' said || { cat said; return 1; }
  bjobs -l "$fixed" | tr -d '\n ' | grep -qF mixedversionsinonejob
  tells_both "$fixed" || { bhist -l "$fixed"; return 1; }
  # An elastic job goes on with those who may be together.
  ran_out "$elastic" 60
  tells_both "$elastic" || { bhist -l "$elastic"; return 1; }
  [ "$(events "$elastic" EPOCH | jq .TO)" = 1 ]
}

@test "a newcomer of other versions is refused; the others train on" {
  mixed_train
  holder=$(submit -m node2 -n 4 sleep 1000)
  wait_for 30 in_state "$holder" running
  job=$(submit -app training -ar -n 1,2 -R 'span[ptile=1]' "$PYTHON" mixed.py 100000 25)
  wait_for 60 at_world "$job" 1
  bkill "$holder"
  wait_for 60 tells_both "$job"
  step=$(last_step "$job")
  wait_for 30 past_step "$job" $((step + 20))
  is "$job" attempt 1
  at_world "$job" 1
}

@test "WM's own programs run with the system's Python alone, whatever the user's environment says" {
  mkdir -p hostile/bin hostile/lib
  printf '#!/bin/sh\nexit 9\n' | tee hostile/bin/python3 >hostile/bin/python
  chmod +x hostile/bin/*
  echo 'raise SystemExit("not this one")' | tee hostile/lib/{json,argparse,re,os}.py
  count=0
  for program in "$B"/bin/*; do
    line=$(head -c 64 "$program" | tr -d '\0' | head -n 1)
    [[ $line == '#!'*python* ]] || continue
    [[ $line == '#!/usr/bin/'python3' -I' ]] || { echo "$program: $line"; return 1; }
    PATH=$PWD/hostile/bin:$PATH PYTHONPATH=$PWD/hostile/lib PYTHONHOME=/nowhere PYTHONSTARTUP=/nowhere "$program" -h >/dev/null || { echo "$program"; return 1; }
    count=$((count + 1))
  done
  [ "$count" -ge 6 ]
}
