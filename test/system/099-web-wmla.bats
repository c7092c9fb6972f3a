#!/usr/bin/env bats
# Role: clients as users of WMLA have them: a client that was written from the description of its surface alone,
# and every line of the guide "Coming from WMLA" (daemons/wgatewayd/README.md) as it is written there.

load lib
setup_file() { cluster_up --web --nodes 1 --cpus 4; }
teardown_file() { cluster_down; }
setup() {
  cluster_env
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  cd "$BATS_TEST_TMPDIR" || return
  export HOME=$BATS_TEST_TMPDIR
}
client() { $PYTHON "$BATS_TEST_DIRNAME/wmla_client.py" "$1"; }

@test "with a token: start, poll, log, result, applications, delete" { client token; }
@test "with Basic and a resource group, as the first generation" { client basic; }
@test "with arguments and hardwareSpec in a form" { client form; }
@test "a search of hyperparameters" { client search; }
@test "an inference service, by its own token" { client service; }
@test "the tree of resource plans" { client plans; }

@test "dlicmd has every command of WMLA's" {
  mkdir code && echo 'print("well")' >code/main.py
  export DLICMD_POLL_S=0.2
  id=$(dlicmd --exec-start PyTorch --appName all --model-main main.py --model-dir code | tail -n +3 | jq -r .execId)
  dlicmd --app-wait "$id" | tail -1 | grep -qx FINISHED
  for words in --status --dl-frameworks --exec-get-all --app-get-all "--app-history-get-all --app-search-start 0 --app-search-length 5" "--app-analyze 1" \
    --rp-get-all --pj-get-all "--k8s-obj-get-all pod" "--k8s-obj-get pod x" "--exec-get $id" "--exec-outlogs $id" "--exec-errlogs $id" "--exec-launcherlogs $id" \
    "--exec-trainlogs $id" "--exec-trainoutlogs $id" "--exec-trainerrlogs $id" "--app-get $id" "--app-outlogs $id" "--app-errlogs $id" "--app-launcherlogs $id" \
    "--app-stop-all" "--hpo-get-all" "--hpo-algorithm-get-all" "--hpo-algorithm-get Random" "--exec-trainresult $id" "--exec-delete $id" "--exec-delete-all" "--hpo-delete-all"; do
    run dlicmd $words
    [ "$status" -eq 0 ] || { echo "$words: $output"; return 1; }
  done
  run dlicmd --rp-delete "$(dlicmd --rp-get-all -o json | jq -r .id)"
  [[ $status -eq 1 && $output == "Error 403: "*plans.conf* ]]
}

@test "what pods would be told are requirements of the job, and what has no effect is named" {
  printf 'import os; print("root", os.environ["DLI_DATA_FS"], "id", os.environ["APP_ID"], os.environ["DLI_EXECID"])\n' >x.py
  dlicmd --exec-start PyTorch --workerDeviceType cpu --msd-task12n-node-selector kubernetes.io/hostname=node1 --workerMemoryLimit 300m \
    --sc-runasuser 7 --model-main ./x.py >out 2>err
  grep -qx 'warning: --sc-runasuser: a job runs as its owner' err
  id=$(tail -n +3 out | jq -r .execId)
  DLICMD_POLL_S=0.2 dlicmd --app-wait "$id" | tail -1 | grep -qx FINISHED
  dlicmd --exec-trainlogs "$id" | grep -q "^root .* id $id $id$"
  dlicmd --exec-get "$id" | jq -e '.warnings == ["--sc-runasuser: a job runs as its owner"] and has("error") == false'
  bjobs -l "${id##*-}" | tr -d ' \n' | grep -q "select\[(hname=='node1')\]"
  # A script elsewhere, which is sent alone; one that does not come in time says so.
  badmin hclose node1
  id=$(dlicmd --exec-start distPyTorch --numWorker 2 --workerDeviceType cpu --msd-pending-timeout 1 --model-main "$PWD/x.py" | tail -n +3 | jq -r .execId)
  dlicmd --exec-get "$id" >waits
  DLICMD_POLL_S=0.2 dlicmd --app-wait "$id" 2>why | tail -1 | grep -qx ERROR
  grep -q 'waited longer' why
  badmin hopen node1
  jq -e '.parallelJobInfo.spec[0].spec.replica == 2' waits
}

@test "a driver that asks for something else than the workers has that, and is the first of them" {
  cat >x.py <<'P'
import os
print(*(os.environ[n] for n in ("RANK", "WORLD_SIZE", "WMLA_NWORKER", "MASTER_PORT", "RESULT_DIR", "WM_HOST")), flush=True)
P
  dlicmd --exec-start distPyTorch --numWorker 3 --workerDeviceType cpu --workerMemory 100m --driverMemory 300m \
    --msd-task0-node-selector kubernetes.io/hostname=node1 --model-main ./x.py >out 2>err
  [ ! -s err ]
  id=$(tail -n +3 out | jq -r .execId)
  DLICMD_POLL_S=0.2 dlicmd --app-wait "$id" | tail -1 | grep -qx FINISHED
  log=$(dlicmd --exec-trainlogs "$id" | grep '^[012] 3 3 ')
  [ "$(cut -d' ' -f1 <<<"$log" | sort | tr -d '\n')" = 012 ] || { echo "$log"; return 1; }
  [ "$(cut -d' ' -f4,5 <<<"$log" | sort -u | wc -l)" -eq 1 ]   # they meet at one place, and write to one
  grep -q '^0 .* node1$' <<<"$log"
  job=${id##*-}
  bjobs -a -l "$job[1]" | tr -d ' \n' | grep -q 'mem=300'
  bjobs -a -l "$job[2]" | tr -d ' \n' | grep -q 'mem=100'
  dlicmd --exec-get "$id" >seen
  jq -e '.numWorker == 3 and has("warnings") == false' seen
  curl -sS --cacert "$WM_GATEWAY_CA" -u "$(id -un):$WM_API_KEY" \
    "$WM_GATEWAY_URL/platform/rest/deeplearning/v1/scheduler/kubernetesobjects?type=paralleljob&name=$id" |
    jq -e '[.spec.taskGroups[] | [.metadata.name, .spec.replica]] == [["task0", 1], ["task12n", 2]]'
  # Workers of an elastic training are alike, which is said.
  dlicmd --exec-start edtPyTorch --numWorker 2 --workerDeviceType cpu --driverMemory 300m --model-main ./x.py 2>err | tail -n +3 | jq -r .execId
  grep -q '^warning: --driver' err
}

@test "lists of applications have jobs of bsub, too" {
  job=$(submit -J by-hand sleep 60)
  apps() { door "$BASE/scheduler/engine/applications?search=by-hand"; }
  door() { curl -sS --cacert "$WM_GATEWAY_CA" -u "$(id -un):$WM_API_KEY" "$@"; }
  BASE=$WM_GATEWAY_URL/platform/rest/deeplearning/v1
  apps | jq -e --arg id "-$job" 'length == 1 and (.[0].id | endswith($id)) and .[0].type == "Batch"'
  door -X PUT "$BASE/scheduler/applications/$(apps | jq -r '.[0].id')/stop" >/dev/null
  ran_out "$job"
  door "$BASE/execs/" | jq -e 'all(.[]; .appName != "by-hand")'
}

@test "the guide for those who come from WMLA is right, line by line" {
  mkdir mnist && printf 'print("Test loss: 0.1")\nimport os\nopen(os.environ["SAVED_MODEL_DIR"] + "/m", "w")\n' >mnist/train.py
  guide=$(sed -n '/^## Coming from WMLA/,/^| WMLA/p' "$TOP/daemons/wgatewayd/README.md" | sed -n 's/^    //p')
  [ "$(grep -c . <<<"$guide")" -ge 7 ]
  ln -s "$WM_GATEWAY_CA" ca.pem
  sed -e "s|^export .*|export WM_GATEWAY_URL=$WM_GATEWAY_URL WM_GATEWAY_CA=$PWD/ca.pem|" -e "s/ann/$(id -un)/" -e 's/mycluster-12/$(cat id)/' \
    -e '/--exec-start/ s/$/ | tee said; tail -n +3 said | jq -r .execId >id/' -e 's/edtPyTorch --numWorker 4/PyTorch/' -e 's/ -- --epochs 20//' -e "s/^python3/${PYTHON//\//\\/}/" <<<"$guide" >typed
  export DLICMD_POLL_S=0.2
  run bash -euxo pipefail typed
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $output == *FINISHED* && $output == *"Test loss: 0.1"* ]]
  ls dlpd-model-*-result.zip
}

@test "the guide for administrators is right: its template is nginx's, its commands do what it says" {
  door=$(dirname "$WM_GATEWAY_CA") run=$PWD/run
  mkdir -p run pages tools
  section=$(sed -n '/^## For administrators/,$p' "$TOP/daemons/wgatewayd/README.md")
  # Step 2: the words that it says are to be filled in are all that there are.
  words=$(grep -o '@[a-z_]*@' "$TOP/etc/nginx/wm.conf" | sort -u)
  for word in $words; do [[ $section == *"$word"* ]] || { echo "$word is not in the guide"; return 1; }; done
  sed -e "s|@run@|$run|" -e "s|@gateway@|$run/gateway.sock|" -e "s|@grpc@|$run/grpc.sock|" -e "s|@pages@|$PWD/pages|" -e "s|@tools@|$PWD/tools|" -e 's|@listen@|127.0.0.1:9243|' \
    -e 's|@apps_listen@|127.0.0.2:9243|' -e 's|@origin@|https://wm.example.org|g' -e 's|@apps_origin@|https://apps.example.org|g' -e 's|@accounts@||' \
    -e "s|@log@|$PWD|" -e "s|@certificate@|$door/web.crt|" -e "s|@certificate_key@|$door/web.key|" "$TOP/etc/nginx/wm.conf" >wm.conf
  PATH=$PATH:/usr/sbin nginx -t -e "$PWD/nginx.err" -c "$PWD/wm.conf"
  # What it types to look and to revoke.
  token=$(mine_token)
  typed=$(sed -n 's/^    \(badmin[^#]*\).*/\1/p' <<<"$section")
  [ "$(wc -l <<<"$typed")" -ge 5 ]
  while read -r line; do
    line=${line/ ann/ $(id -un)}
    [[ $line != *token-key* ]] || line="$line $door"
    bash -euc "$line" || { echo "$line"; return 1; }
  done <<<"$typed"
  gone() { [ "$(curl -s -o /dev/null -w '%{http_code}' --cacert "$WM_GATEWAY_CA" -H "X-Auth-Token: $token" "$WM_GATEWAY_URL/api/v1/session")" = 401 ]; }
  wait_for 5 gone
}
mine_token() { curl -sS --cacert "$WM_GATEWAY_CA" -u "$(id -un):$WM_API_KEY" "$WM_GATEWAY_URL/auth/v1/logon" | jq -r .accessToken; }
