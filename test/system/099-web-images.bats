#!/usr/bin/env bats
# Role: executions in containers through the web door: the image comes from a registry on this machine that wants
# a name and a password; how and when it is fetched; the site's default image; what cannot be is refused with the reason.

load lib
setup_file() {
  local conf=$BATS_FILE_TMPDIR
  printf '[training]\ntype = training\ncontainer = podman\ncontainer_options = --ulimit=nofile=1024:1024 --ulimit=nproc=1000:1000\n' >"$conf/apps.conf"
  printf '[limits]\nmax_user_requeue = 1\n' >"$conf/wm.conf" # pauses between more tries grow long
  cluster_up --web --nodes 1 --cpus 2 --conf "$conf/apps.conf" --conf "$conf/wm.conf"
  command -v docker-registry >/dev/null || return 0
  export PORT
  PORT=$($PYTHON -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  # later Pythons have no crypt
  perl -e 'print "ann:", crypt("of the registry", q($2b$05$abcdefghijklmnopqrstuu)), "\n"' >"$conf/htpasswd"
  cat >"$conf/registry.yml" <<Y
version: 0.1
log: {level: error}
storage: {filesystem: {rootdirectory: $conf/registry}}
http: {addr: "127.0.0.1:$PORT"}
auth: {htpasswd: {realm: test, path: $conf/htpasswd}}
Y
  docker-registry serve "$conf/registry.yml" >"$conf/registry.log" 2>&1 3>&- &
  echo $! >"$conf/registry.pid"
}
teardown_file() {
  cluster_down
  [ ! -f "$BATS_FILE_TMPDIR/registry.pid" ] || kill "$(cat "$BATS_FILE_TMPDIR/registry.pid")" 2>/dev/null || true
  podman rmi -f "127.0.0.1:${PORT-0}/wm/test:1" localhost/wmtest:1 >/dev/null 2>&1 || true
  find /sys/fs/cgroup -depth -type d -path '*libpod_parent*' -exec rmdir {} + 2>/dev/null || true
}
setup() {
  cluster_env
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  cd "$BATS_TEST_TMPDIR" || return
  EXECS=$WM_GATEWAY_URL/platform/rest/deeplearning/v1/execs
  SECRETS=$(dirname "$WM_GATEWAY_CA")/user/registries
  mkdir -p "$SECRETS"
}
last_words() { cat "$BATS_FILE_TMPDIR/registry.log"; }

mine() { curl -sS --cacert "$WM_GATEWAY_CA" -u "$(id -un):$WM_API_KEY" "$@"; }
start() { mine -X POST "$EXECS?args=$(jq -rn --arg a "--exec-start PyTorch $1 --user-cmd -- ${2-cat /etc/where}" '$a | @uri')"; }
exec_is() { [ "$(mine "$EXECS/$1" | jq -r .state)" = "$2" ]; }

# a registry that has the image, which this machine has not; its secret is a file as podman writes it
need_registry() {
  command -v docker-registry >/dev/null || skip "no docker-registry: run scripts/bootstrap"
  make_image "$PWD/root"
  [ -d root ] || skip "no busybox"
  printf '[engine]\nruntime = "runc"\n' >containers.conf
  printf '[[registry]]\nlocation = "127.0.0.1:%s"\ninsecure = true\n' "$PORT" >registries.conf
  export CONTAINERS_CONF=$PWD/containers.conf CONTAINERS_REGISTRIES_CONF=$PWD/registries.conf
  image_for_podman "$PWD/root"
  IMAGE=127.0.0.1:$PORT/wm/test:1
  answers() { curl -s "http://127.0.0.1:$PORT/v2/" >/dev/null; }
  wait_for 10 answers
  podman login --authfile "$SECRETS/lab.json" -u ann -p 'of the registry' "127.0.0.1:$PORT"
  chmod 600 "$SECRETS/lab.json"
  podman tag localhost/wmtest:1 "$IMAGE"
  podman push -q --authfile "$SECRETS/lab.json" "$IMAGE"
  podman rmi "$IMAGE" >/dev/null
  MORE="--msd-env CONTAINERS_CONF=$CONTAINERS_CONF --msd-env CONTAINERS_REGISTRIES_CONF=$CONTAINERS_REGISTRIES_CONF"
}
log_of() { mine "$EXECS/$1/log"; bhist -l "${1##*-}"; }

@test "an image is fetched with the secret's name and password, and the execution runs inside" {
  need_registry
  id=$(start "$MORE --msd-image-name $IMAGE --msd-image-pull-secret lab" | jq -r .id)
  over() { exec_is "$id" FINISHED || exec_is "$id" ERROR; }
  wait_for 60 over
  exec_is "$id" FINISHED || { log_of "$id"; false; }
  [[ $(mine "$EXECS/$id/log") == *inside* ]]
  podman rmi -f "$IMAGE" >/dev/null
  id=$(start "$MORE --msd-image-name $IMAGE" | jq -r .id)
  wait_for 60 exec_is "$id" ERROR
  id=$(start "$MORE --msd-image-name $IMAGE --msd-image-pull-policy Never --msd-image-pull-secret lab" | jq -r .id)
  wait_for 60 exec_is "$id" ERROR
  id=$(start "$MORE --msd-image-name $IMAGE --msd-image-pull-policy Always --msd-image-pull-secret lab" | jq -r .id)
  wait_for 60 exec_is "$id" FINISHED
}

@test "the script of the upload is where the container starts" {
  make_image "$PWD/root"
  [ -d root ] || skip "no busybox"
  printf '[engine]\nruntime = "runc"\n' >containers.conf
  export CONTAINERS_CONF=$PWD/containers.conf
  image_for_podman "$PWD/root"
  mkdir mnist
  printf 'cat /etc/where data.txt; pwd\n' >mnist/train.sh
  echo 'came along' >mnist/data.txt
  id=$(dlicmd --exec-start PyTorch --msd-env "CONTAINERS_CONF=$CONTAINERS_CONF" --msd-image-name localhost/wmtest:1 --model-dir mnist \
    --user-cmd -- sh train.sh | tail -n +3 | jq -r .execId)
  over() { exec_is "$id" FINISHED || exec_is "$id" ERROR; }
  wait_for 60 over
  exec_is "$id" FINISHED || { log_of "$id"; false; }
  [[ $(mine "$EXECS/$id/log") == *inside*"came along"*/_submitted_code/mnist* ]]
}

# Where this machine has no such runtime a program of its name stands in, which does what its words say: starts the
# command in the folder that it is told, with the variables, of an image that is there.
fake() { # NAME
  mkdir -p fakes
  cat >"fakes/$1" <<'S'
#!/bin/sh
[ "$1" = exec ] && shift
while :; do
  case $1 in
    --env) export "$2"; shift 2 ;;
    --set-env=*) export "${1#--set-env=}"; shift ;;
    --pwd | --cd) folder=$2; shift 2 ;;
    --bind | -b) shift 2 ;;
    -*) shift ;;
    *) break ;;
  esac
done
[ -e "$1" ] || { echo "no image $1"; exit 255; }
cat "$1/etc/where" 2>/dev/null || cat "$1"
shift
[ "$1" = -- ] && shift
cd "$folder" && exec "$@"
S
  chmod +x "fakes/$1"
}
# runs_upload RUNTIME IMAGE: a training whose script lies in the upload, in a container of that kind
runs_upload() {
  cp "$WM_CONF_DIR/apps.conf" apps.before
  sed -i "s/^container = .*/container = $1/; /^container_options/d" "$WM_CONF_DIR/apps.conf"
  badmin reconfig
  mkdir -p mnist
  printf '[ ! -e /etc/where ] || cat /etc/where\ncat data.txt; pwd; echo by $WM_CONTAINER\n' >mnist/train.sh
  echo 'came along' >mnist/data.txt
  id=$(dlicmd --exec-start PyTorch --msd-env "PATH=$PWD/fakes:$PATH" --msd-image-name "$2" --model-dir mnist \
    --user-cmd -- sh train.sh | tail -n +3 | jq -r .execId)
  over() { exec_is "$id" FINISHED || exec_is "$id" ERROR; }
  wait_for 60 over
  cp apps.before "$WM_CONF_DIR/apps.conf"
  badmin reconfig
  exec_is "$id" FINISHED || { log_of "$id"; false; }
  [[ $(mine "$EXECS/$id/log") == *inside*"came along"*/_submitted_code/mnist*"by $1"* ]]
}

@test "the script of the upload is where the container starts: apptainer" {
  echo inside >image.sif
  fake apptainer
  runs_upload apptainer "$PWD/image.sif"
}

@test "the script of the upload is where the container starts: charliecloud" {
  make_image "$PWD/root"
  [ -d root ] || skip "no busybox"
  command -v ch-run >/dev/null || fake ch-run
  runs_upload charliecloud "$PWD/root"
}

@test "without an image an execution runs as ever where the site has no default one" {
  id=$(start "" "cat /etc/os-release" | jq -r .id)
  wait_for 30 exec_is "$id" FINISHED
  [[ $(mine "$EXECS/$id/log") == *Debian* ]]
}

@test "what cannot be fetched is refused where it is asked for, by name" {
  [[ $(start "--msd-image-name i --msd-image-pull-secret none") == "Error 400: --msd-image-pull-secret none: "*"none.json is not there"* ]]
  echo '{}' >"$SECRETS/open.json" && chmod 644 "$SECRETS/open.json"
  [[ $(start "--msd-image-name i --msd-image-pull-secret open") == "Error 400: "*"has to be yours, with mode 600" ]]
  [[ $(start "--msd-image-name i --msd-image-pull-secret ../../../etc/passwd") == "Error 400: "*"a name of letters"* ]]
  [[ $(start "--msd-image-name i --msd-image-pull-policy Sometimes") == "Error 400: --msd-image-pull-policy: 'Sometimes': Always"* ]]
}
