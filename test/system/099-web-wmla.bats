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
teardown() { [ -n "${BATS_TEST_COMPLETED-}" ] || cluster_words; end_all_jobs; }
client() { $PYTHON "$BATS_TEST_DIRNAME/wmla_client.py" "$1"; }

@test "with a token: start, poll, log, result, applications, delete" { client token; }
@test "with Basic and a resource group, as the first generation" { client basic; }
@test "with arguments and hardwareSpec in a form" { client form; }
@test "a search of hyperparameters" { client search; }
@test "an inference service, by its own token" { client service; }
@test "the tree of resource plans" { client plans; }

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
