#!/usr/bin/env bats
# Role: the pages in a real browser: no serious finding of axe-core on any of them, in light and dark, wide and
# narrow; the list of applications stays quick with many jobs.

load lib
setup_file() { cluster_up --web --nodes 2 --cpus 4; }
teardown_file() { cluster_down; }
setup() {
  cluster_env
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  command -v chromium >/dev/null || skip "no chromium (scripts/bootstrap web)"
  [ -f "$B/pages/index.html" ] || skip "the pages are not built (scripts/bootstrap web)"
  cd "$BATS_TEST_TMPDIR" || return
  export HOME=$BATS_TEST_TMPDIR
}
mine() { curl -sS --cacert "$WM_GATEWAY_CA" -u "$(id -un):$WM_API_KEY" "$@"; }

@test "no page has a serious finding of axe-core" {
  axe=${WM_AXE:-$TOP/build/axe/node_modules/axe-core/axe.min.js}
  [ -f "$axe" ] || skip "no axe-core (scripts/bootstrap web)"
  execs=$WM_GATEWAY_URL/platform/rest/deeplearning/v1/execs api=$WM_GATEWAY_URL/api/v1/projects
  mkdir code && cp "$BATS_TEST_DIRNAME/web_code.py" code/main.py && tar -czf code.modelDir.tar code
  id=$(mine -F file=@code.modelDir.tar "$execs?args=--exec-start%20PyTorch%20--model-main%20main.py" | jq -r .id)
  mine -d '{"name":"digits","plan":"/"}' "$api"
  mine -F 'data={"name":"one","framework":"PyTorch","command":"main.py --lr 0.5","device":"cpu"}' -F file=@code.modelDir.tar "$api/digits/definitions"
  mine -d '{"name":"exp","definitions":["one"]}' "$api/digits/experiments"
  body='{"hpoName": "tune", "modelSpec": {"args": "--exec-start PyTorch --model-main main.py"}, "hyperParams": [{"name": "x", "type": "Range",
    "dataType": "double", "minDbVal": 0, "maxDbVal": 1}], "algoDef": {"algorithm": "Random", "maxJobNum": 2, "objectiveMetric": "loss"}}'
  mine -F "data=$body" -F file=@code.modelDir.tar "${execs%execs}hypersearch"
  cp -r "$TOP/libwm/kernel/examples/ping" . && dlim model deploy -p ping && dlim model start ping
  held=$(submit -J pending -H sleep 5)
  submit -app notebook -cwd "$PWD" wm-notebook --strip python3 -m http.server --bind 127.0.0.1 %p
  finished() { [ "$(mine "$execs/$id" | jq -r .state)" = FINISHED ]; }
  wait_for 30 finished
  run $PYTHON "$BATS_TEST_DIRNAME/pages_check.py" axe "$axe" / /apps "/apps/${id##*-}" /compare "/compare?runs=${id##*-},$held" /runs '/runs?whose=all&cols=s:lr,m:train%20loss' /new/experiment "/new/experiment?from=${id##*-}" /new/search /searches /searches/tune /services \
    /services/ping '/services/ping?tab=traffic' /notebooks /projects /projects/digits /models /spaces /frameworks /connections /account /help '/help?q=elastic' /plans /queues /cluster '/cluster?by=owner' '/cluster?as=table' "/cluster/$(bhosts -o host_name -noheader | head -n 1)" /cluster/none /usage '/usage?by=plan&days=7' /audit /config /config/plans.conf /nowhere
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "a page that a job serves calls the interface with the user's cookie in vain" {
  mkdir served && echo '<h1>served</h1>' >served/index.html
  victim=$(submit -J victim sleep 300)
  job=$(submit -app notebook -cwd "$PWD/served" wm-notebook --strip python3 -m http.server --bind 127.0.0.1 %p)
  run $PYTHON "$BATS_TEST_DIRNAME/pages_check.py" apps "$job" "$victim"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ $(state "$victim") =~ ^(running|pending)$ ]]
}

@test "applications are chosen, compared by their curves and settings, and stopped together" {
  mkdir code && cp "$BATS_TEST_DIRNAME/web_curves.py" code/main.py && tar -czf code.modelDir.tar code
  for lr in 0.1 0.5; do
    mine -F file=@code.modelDir.tar "$WM_GATEWAY_URL/platform/rest/deeplearning/v1/execs?args=--exec-start%20PyTorch%20--model-main%20main.py%20--%20--lr%20$lr%20--steps%20100000" |
      jq -r .id >>ids
  done
  mapfile -t jobs < <(sed 's/.*-//' ids)
  reports() { [ "$(mine "$WM_GATEWAY_URL/api/v1/runs/series?ids=${jobs[0]},${jobs[1]}&names=train%20loss&points=100" | jq '[.runs[].series[0].points | length] | min')" -ge 3 ]; }
  wait_for 60 reports
  [ "$(mine "$WM_GATEWAY_URL/api/v1/runs/series?ids=${jobs[0]}&names=&points=0" -o /dev/null -w '%{http_code}')" = 400 ]
  [ "$(mine "$WM_GATEWAY_URL/api/v1/runs/compare?ids=${jobs[0]}" | jq '.runs[0].extremes["train loss"] | length')" = 2 ]
  run $PYTHON "$BATS_TEST_DIRNAME/pages_check.py" compare "${jobs[@]}"
  echo "$output"
  [ "$status" -eq 0 ]
  for job in "${jobs[@]}"; do
    stopped() { [ "$(state "$job")" = killed ]; }
    wait_for 30 stopped
  done
}

@test "names that are scripts, that turn round or that are long are text on the pages" {
  script=$(submit -J '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>' -H true)
  round=$(submit -J "$(printf 'a\u202egnp.exe\u2066')" -H true)
  long=$(submit -J "$(head -c 3000 /dev/zero | tr '\0' x)" -H true || submit -J "$(head -c 200 /dev/zero | tr '\0' x)" -H true)
  said=$(submit sh -c 'printf "<script>window.hacked=1</script>\n\033[31m\u202e"')
  ran_out "$said"
  mine -d '{"name":"digits","plan":"/"}' "$WM_GATEWAY_URL/api/v1/projects"
  mine -d "{\"name\":\"exp\",\"description\":\"<img src=x onerror=window.hacked=1>$(head -c 20000 /dev/zero | tr '\0' y)\",\"definitions\":[]}" "$WM_GATEWAY_URL/api/v1/projects/digits/experiments"
  run $PYTHON "$BATS_TEST_DIRNAME/pages_check.py" hostile "$script" "$round" "$long" "$said"
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "pages that are renewed under an open one go on" {
  conf=$(dirname "$WM_GATEWAY_CA")/nginx.conf
  cp -r "$B/pages" pages
  reads() { sed -i "s|^    root .*;|    root $1;|" "$conf" && kill -HUP "$(cat "${conf%conf}pid")"; }
  reads "$PWD/pages"
  touch pages/marked && marked() { [ "$(mine "$WM_GATEWAY_URL/marked" -o said -w '%{http_code}')" = 200 ] && [ ! -s said ]; }
  wait_for 30 marked
  run $PYTHON "$BATS_TEST_DIRNAME/pages_check.py" renewed "$PWD/pages"
  reads "$B/pages"
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "with 10,000 jobs a keystroke in the filter is drawn at once, and so is what becomes of a job" {
  [ -n "${WM_SOAK-}" ] || skip "10,000 jobs: make soak"
  seq -f '-J many%.0f -H true' 10000 >pack && bsub -pack pack >/dev/null
  run $PYTHON "$BATS_TEST_DIRNAME/pages_check.py" many 10000
  echo "$output"
  [ "$(sed -n 's/^keystroke_painted_ms \([0-9]*\).*/\1/p' <<<"$output")" -le 100 ]
  [ "$(sed -n 's/^change_painted_ms \([0-9]*\).*/\1/p' <<<"$output")" -le 1500 ] # another's stream comes every second or two
}
