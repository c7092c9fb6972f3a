#!/usr/bin/env bats
# Role: kernels of an inference service in a container image that its profile names; the image is made here from busybox,
# with the machine's own Python bound into it.

load lib
setup_file() {
  local conf=$BATS_FILE_TMPDIR
  make_image "$conf/image"
  mkdir -p "$conf/image"/{lib,lib64,etc/alternatives}
  printf '[inference]\ntype = inference\ncontainer = charliecloud\ncontainer_binds = /usr, /lib, /lib64, /etc/alternatives\n' >"$conf/apps.conf"
  cluster_up --web --nodes 2 --cpus 2 --conf "$conf/apps.conf"
}
teardown_file() { cluster_down; }
setup() {
  command -v ch-run >/dev/null || skip "no ch-run: run scripts/bootstrap"
  cluster_env
  [ -x "$B/sbin/wrouter" ] || skip "services are not built"
  export HOME=$BATS_TEST_TMPDIR DLIM=$WM_GATEWAY_URL/dlim/v1
  cd "$BATS_TEST_TMPDIR" || return
  cp -r "$TOP/libwm/kernel/examples/ping" .
}
last_words() { cat "$CLUSTER"/results/*/services/ping/log/*; }
after_each() {
  end_all_jobs
  for model in $(dlim model list | tail -n +2 | cut -d' ' -f1); do dlim model undeploy -f "$model" || true; done
}

door() { curl -sS --cacert "$WM_GATEWAY_CA" -H "Authorization: Bearer $(dlim config -s)" "$@"; }
ask() { door --data-binary "$2" "$DLIM/inference/$1"; }
stopped() { dlim model view "$1" -s | grep -q "^State:.Stopped"; }
image_is() { # IMAGE
  jq -n --arg image "$1" '{policy: {kernel_min: 1, kernel_max: 2, schedule_interval: 1}, resource_allocation: {kernel: {image_name: $image}}}' >profile.json
  dlim model updateprofile ping -f profile.json
}

@test "kernels run in the image that the profile names, write to their package, and end with the service" {
  cat >ping/kernel.py <<'K'
import os
import redhareapiversion
from redhareapi import Kernel

class Where(Kernel):
    def on_task_invoke(self, task_context):
        where = open('/etc/where').read().strip() if os.path.exists('/etc/where') else 'outside'
        with open(os.path.join(os.environ['REDHARE_MODEL_PATH'], 'left'), 'a') as file:
            file.write('x')
        task_context.set_output_data(f"{where} {os.environ.get('WM_CONTAINER')} {os.getcwd() == os.environ['REDHARE_MODEL_PATH']}")

if __name__ == '__main__':
    Where().run()
K
  dlim model deploy -p ping
  dlim model start ping
  [ "$(ask ping x)" = "outside None True" ]
  run image_is "$BATS_FILE_TMPDIR/image"
  [ "$output" = "profile: resource_allocation/kernel/image_name: kernels that run have it already: stop it first" ] || { echo "$output"; return 1; }
  dlim model stop -f ping && wait_for 20 stopped ping
  image_is "$BATS_FILE_TMPDIR/image"
  dlim model start ping
  [ "$(ask ping x)" = "inside charliecloud True" ]
  [ "$(cat "$CLUSTER"/results/*/services/ping/ping-*/left)" = xx ]
  dlim model stop -f ping && wait_for 20 stopped ping
  none() { ! pgrep -f "$CLUSTER/results/.*/services/ping/.*kernel.py"; }
  wait_for 20 none
}

@test "a kernel in a container that is killed comes again, and why an image cannot be used is told" {
  dlim model deploy -p ping
  image_is "$BATS_FILE_TMPDIR/image"
  dlim model start ping
  [ "$(ask ping one)" = "pong one" ]
  kill -KILL "$(pgrep -f "^python3 $CLUSTER/results/.*/services/ping/.*kernel.py" | head -1)"
  wait_for 20 bash -c "[ \"\$(curl -sS --cacert '$WM_GATEWAY_CA' -H 'Authorization: Bearer $(dlim config -s)' -d two '$DLIM/inference/ping')\" = 'pong two' ]"
  dlim model stop -f ping && wait_for 20 stopped ping
  image_is "$BATS_FILE_TMPDIR/none"
  dlim model start ping
  wait_for 30 bash -c "dlim model view ping -s | grep -q \"^Kernels wait:.*image.*none\"" || { dlim model view ping -s; return 1; }
}
