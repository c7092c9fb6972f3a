#!/usr/bin/env bats
# Role: what has run is kept beyond clean_period, on real daemons: a training and a search end, the
# master forgets their jobs, every daemon is started again; REST and dlicmd show them as before, a model is saved of
# the run; bjobs knows none of them, bhist and bacct do. Then they are described and deleted, and stay deleted.

load lib
setup_file() {
  printf '[times]\nclean_period = 10s\n' >"$BATS_FILE_TMPDIR/wm.conf"
  cluster_up --web --nodes 2 --cpus 2 --conf "$BATS_FILE_TMPDIR/wm.conf"
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  cd "$BATS_TEST_TMPDIR" || return
  DL=$WM_GATEWAY_URL/platform/rest/deeplearning/v1
  API=$WM_GATEWAY_URL/api/v1
  STORY=$BATS_FILE_TMPDIR/story
  mkdir -p "$STORY"
}

mine() { curl -sS --cacert "$WM_GATEWAY_CA" -u "$(id -un):$WM_API_KEY" "$@"; }
code_of() { mine -o /dev/null -w '%{http_code}' "$@"; }
forgotten() { run bjobs "$1"; [ "$status" -eq 255 ] && [[ $output == *"is not found"* ]]; }
exec_is() { [ "$(mine "$DL/execs/$1" | jq -r .state)" = "$2" ]; }
search_is() { [ "$(mine "$DL/hypersearch/fit" | jq -r .state)" = "$1" ]; }
answers() { [ "$(code_of "$API/session")" = 200 ]; }

# A training that writes a log, metrics and a model; a search of three trials.
run_all() {
  mkdir -p code
  cat >code/main.py <<'P'
import json, os
x = json.load(open("config.json"))["x"] if os.path.exists("config.json") else 0.5
print("the log of it")
out = os.environ["RESULT_DIR"]
os.makedirs(out + "/model", exist_ok=True)
open(out + "/model/digits.pt", "w").write("w")
json.dump([{"step": s, "loss": 1 / s + float(x)} for s in (1, 2, 3)], open(out + "/val_dict_list.json", "w"))
P
  tar -czf code.modelDir.tar code
  mine -F 'args=' -F file=@code.modelDir.tar "$DL/execs?args=--exec-start%20PyTorch%20--model-main%20main.py%20--lr%200.1" |
    jq -r .id >"$STORY/exec"
  jq -n '{hpoName: "fit", modelSpec: {args: "--exec-start PyTorch --model-main main.py"},
    algoDef: {algorithm: "Random", maxRunTime: -1, maxJobNum: 3, maxParalleJobNum: 2, objectiveMetric: "loss",
              objective: "minimize", algoParams: [{name: "RandomSeed", value: "2"}]},
    hyperParams: [{name: "x", type: "Range", dataType: "DOUBLE", minDbVal: 0, maxDbVal: 1}], experiments: []}' >search.json
  mine -F "data=<search.json" -F file=@code.modelDir.tar "$DL/hypersearch"
  wait_for 40 exec_is "$(cat "$STORY/exec")" FINISHED
  wait_for 40 search_is FINISHED
}

@test "a training and a search are found after the master has forgotten them and every daemon was started again" {
  run_all
  exec=$(cat "$STORY/exec") job=${exec##*-}
  mine "$DL/execs/$exec" >before
  mine "$DL/hypersearch/fit" >search_before
  search=$(mine "$API/searches/fit" | jq .search.job)
  echo "$job $search" >"$STORY/jobs"
  wait_for 60 forgotten "$job"
  wait_for 60 forgotten "$search"
  for daemon in wmasterd wuserd wgatewayd node1 node2; do "$MINICLUSTER" kill $daemon || true; done
  for daemon in wmasterd wgatewayd node1 node2; do "$MINICLUSTER" start $daemon; done
  wait_for 30 answers

  [ "$(mine "$DL/execs/$exec" | jq -S .)" = "$(jq -S . before)" ]
  [ "$(mine "$DL/hypersearch/fit" | jq -S .)" = "$(jq -S . search_before)" ]
  mine "$DL/execs?limit=100" | jq -r '.[].id' | grep -qx "$exec"
  mine "$DL/execs/$exec/log?logType=outlog" | grep -qx 'the log of it'
  [ "$(code_of "$DL/execs/$exec/result")" = 200 ]
  mine "$API/jobs/$job/metrics" | grep -q loss
  [ "$(mine "$API/searches/fit" | jq '.search.trials | length')" = 3 ]
  [ "$(mine "$API/searches/fit" | jq '.search.best.value == ([.search.trials[].value] | min)')" = true ]
  best=$(jq -r .best.appId search_before)
  exec_is "$best" FINISHED

  [ "$(bacct -l "$job" | grep -c "Job <$job>")" -ge 1 ]
  bhist -l "$job" | grep -q 'Done successfully'
  run bjobs "$job"
  [ "$status" -eq 255 ]
  badmin archive | grep -qE '^Records of runs +[2-9]'
}

@test "dlicmd lists it, shows it and takes its log" {
  exec=$(cat "$STORY/exec")
  export HOME=$BATS_TEST_TMPDIR
  dlicmd --exec-get-all | grep -q "$exec"
  dlicmd --exec-get "$exec" | grep -q FINISHED
  dlicmd --exec-trainoutlogs "$exec" | grep -qx 'the log of it'
}

@test "a model is saved of it" {
  job=$(cut -d' ' -f1 "$STORY/jobs")
  mine -X POST -d '{"name": "kept"}' "$API/projects" >/dev/null
  said=$(mine -X POST -d "{\"name\": \"digits\", \"run\": \"$job\"}" "$API/projects/kept/models")
  [ "$(jq -r .name <<<"$said")" = digits ] || { echo "$said"; return 1; }
}

@test "its owner names it, finds it by that, and two who edit at once do not overwrite each other" {
  read -r job search <"$STORY/jobs"
  [ "$(mine "$API/runs?count=1&limit=1" | jq .count)" -ge 2 ]
  tag=$(mine "$API/runs/$job" | jq -r .run.etag)
  said=$(mine -X PATCH -H "If-Match: \"$tag\"" -d '{"name": "the good one", "tags": ["paper", "best"], "starred": true, "note": "Überblick"}' "$API/runs/$job")
  [ "$(jq -c '.run | [.name, .tags, .starred]' <<<"$said")" = '["the good one",["best","paper"],true]' ] || { echo "$said"; return 1; }
  [ "$(code_of -X PATCH -H "If-Match: \"$tag\"" -d '{"note": "late"}' "$API/runs/$job")" = 412 ]
  for filter in name=the* tag=paper starred=true text=berbl 'text=--lr%200.1' "type=training&state=finished&name=*good*"; do
    mine "$API/runs?$filter" | jq -r '.runs[].id' | grep -qx "$job" || { echo "$filter"; mine "$API/runs?$filter"; return 1; }
  done
  [ "$(mine "$API/runs?search=true" | jq -c '[.runs[] | [.id, .elements, .counts.finished]]')" = "[[\"$search\",3,3]]" ]
  [ "$(code_of "$API/runs?colour=red")" = 400 ]
  mine "$API/runs/compare?ids=$job" | jq -e '.runs[0].settings.lr == "0.1" and (.runs[0].metrics | length) > 0'
  page=$(mine "$API/runs?limit=1")
  [ "$(mine "$API/runs?limit=1&cursor=$(jq -r .next <<<"$page")" | jq -r '.runs[0].id')" != "$(jq -r '.runs[0].id' <<<"$page")" ]
}

@test "deleted by its owner it is gone with its files, in the books it stays, and made again it does not come back" {
  read -r job search <"$STORY/jobs"
  exec=$(cat "$STORY/exec")
  dir=$(mine "$API/runs/$job" | jq -r .run.result_dir)
  [ -d "$dir" ]
  [ "$(code_of -X DELETE "$DL/execs/$exec")" = 204 ]
  [ ! -e "$dir" ]
  gone() { [ "$(code_of "$API/runs/$job")" = 404 ] && ! mine "$API/runs" | jq -r '.runs[].id' | grep -qx "$job"; }
  gone
  [ "$(code_of -X DELETE "$API/runs/$search")" = 204 ]
  [ "$(code_of "$API/searches/fit")" = 404 ]
  [ "$(mine "$DL/execs" | jq length)" = 0 ]
  bacct -l "$job" | grep -q "Job <$job>"
  badmin archive rebuild
  made_again() { ! badmin archive | grep -q 'made again'; }
  wait_for 30 made_again
  gone
  "$MINICLUSTER" kill wmasterd
  "$MINICLUSTER" start wmasterd
  wait_for 30 answers
  gone
}

@test "what runs cannot be deleted; of what has just ended the job goes with the record" {
  job=$(submit -app training -J now sleep 1000)
  wait_for 20 bash -c "[ \"\$(bjobs -noheader -o stat $job)\" = RUN ]"
  [ "$(code_of -X DELETE "$API/runs/$job")" = 409 ]
  bkill "$job"
  wait_for 20 bash -c "[ \"\$(bjobs -noheader -o stat $job)\" = EXIT ]"
  wait_for 20 bash -c "[ \"\$(curl -sS --cacert '$WM_GATEWAY_CA' -u '$(id -un):$WM_API_KEY' -o /dev/null -w '%{http_code}' -X DELETE '$API/runs/$job')\" = 204 ]"
  forgotten "$job"
  [ "$(code_of "$API/runs/$job")" = 404 ]
}

@test "of a run with a folder that was removed by hand the record says so; it can be read and deleted" {
  mkdir code && echo 'print("hello")' >code/main.py
  tar -czf code.modelDir.tar code
  id=$(mine -F file=@code.modelDir.tar "$DL/execs?args=--exec-start%20PyTorch%20--workerDeviceType%20cpu%20--model-main%20main.py" | jq -r .id)
  run=${id##*-}
  over() { [ "$(mine "$API/runs/$run" | jq -r .run.state)" = finished ]; }
  wait_for 40 over
  [ "$(mine "$API/runs/$run" | jq -r .files)" = there ]
  rm -r "$(mine "$API/runs/$run" | jq -r .run.result_dir)"
  [ "$(mine "$API/runs/$run" | jq -r .files)" = gone ]
  [ "$(code_of "$API/jobs/$run/metrics") $(code_of "$API/jobs/$run/logs") $(code_of "$API/runs/compare?ids=$run")" = "200 200 200" ]
  [ "$(code_of -X DELETE "$API/runs/$run") $(code_of "$API/runs/$run")" = "204 404" ]
}

@test "names of any kind are kept and found as they are; very many tags are too many" {
  job=$(submit -app training -J named true)
  over() { [ "$(bjobs -noheader -o stat "$job")" = DONE ]; }
  wait_for 20 over
  for name in "ä b/../c" '$(id) `x` "q"' "%_*[]" "$(printf 'n%.0s' {1..200})" "名前 🙂"; do
    [ "$(mine -X PATCH -d "$(jq -n --arg n "$name" '{name: $n}')" "$API/runs/$job" | jq -r .run.name)" = "$name" ]
    [ "$(mine -G --data-urlencode "text=$name" "$API/runs" | jq -r '.runs[0].id')" = "$job" ]
  done
  [ "$(code_of -X PATCH -d '{"name":"two\nlines"}' "$API/runs/$job")" = 400 ]
  jq -n '{tags: [range(1000000) | tostring]}' >tags
  said=$(mine -X PATCH -d @tags "$API/runs/$job")
  [ "$(jq .status <<<"$said")" = 413 ]
  jq -n '{tags: [range(1000) | tostring]}' >tags
  said=$(mine -X PATCH -d @tags "$API/runs/$job")
  [[ "$(jq -r .title <<<"$said")" == *"1000 tags; at most "* ]]
  [ "$(mine "$API/runs/$job" | jq -c .run.tags)" = "[]" ]
}

@test "the list of jobs goes through what runs and what is kept, page by page, by the filters of runs" {
  for n in 1 2 3 4 5; do submit -app training -J "page-$n" true >/dev/null; done
  ended() { [ "$(mine "$API/runs?name=page-*&state=finished&count=1" | jq .count)" = 5 ]; }
  wait_for 30 ended
  array=$(submit -app training -J "page-a[1-4]" true)
  all() { [ "$(mine "$API/jobs?name=page-*&state=finished" | jq '.jobs | length')" = 9 ]; }
  wait_for 30 all
  wait_for 40 forgotten "$array"
  seen='' cursor=''
  for page in 1 2 3 4 5 6; do
    said=$(mine "$API/jobs?name=page-*&limit=2&cursor=$cursor")
    [ "$(jq '.jobs | length' <<<"$said")" -le 2 ]
    seen+=$(jq -r '.jobs[] | .jobid + " "' <<<"$said" | tr -d '\n')
    cursor=$(jq -rn --arg c "$(jq -r '.next // ""' <<<"$said")" '$c | @uri')
    [ -n "$cursor" ] || break
  done
  [ "$(wc -w <<<"$seen")" = 9 ]
  [ "$(tr ' ' '\n' <<<"$seen" | grep . | sort -u | wc -l)" = 9 ]
  [ "$(code_of "$API/jobs?nonsense=1") $(code_of "$API/jobs?limit=0") $(code_of "$API/jobs?limit=1001")" = "400 400 400" ]
  [ "$(mine "$WM_GATEWAY_URL/platform/rest/deeplearning/v1/scheduler/applications?applicationname=page-1" | jq length)" = 1 ]
}

@test "all that answer to a filter are deleted when their number was said" {
  for n in 1 2 3; do submit -app training -J "many-$n" true >/dev/null; done
  ended() { [ "$(mine "$API/runs?name=many-*&state=finished&count=1" | jq .count)" = 3 ]; }
  wait_for 30 ended
  [ "$(code_of -X DELETE "$API/runs?name=many-*")" = 409 ]
  [ "$(code_of -X DELETE "$API/runs?name=many-*&count=2")" = 409 ]
  [ "$(mine -X DELETE "$API/runs?name=many-*&count=3" | jq .deleted)" = 3 ]
  [ "$(mine "$API/runs?name=many-*&count=1" | jq .count)" = 0 ]
}

@test "a search that the master has forgotten is continued with what it found, by its name and by its number" {
  export HOME=$BATS_TEST_TMPDIR
  mkdir code && printf '%s\n' 'import json, os' 'x = json.load(open("config.json"))["x"]' \
    'json.dump([{"step": 1, "loss": (x - 0.5) ** 2}], open(os.environ["RESULT_DIR"] + "/val_dict_list.json", "w"))' >code/main.py
  jq -n '{hpoName: "old", modelSpec: {args: "--exec-start PyTorch --workerDeviceType cpu --model-main main.py"},
    algoDef: {algorithm: "TPE", maxRunTime: -1, maxJobNum: 3, maxParalleJobNum: 2, objectiveMetric: "loss", objective: "minimize"},
    hyperParams: [{name: "x", type: "Range", dataType: "DOUBLE", minDbVal: 0, maxDbVal: 1}]}' >search.json
  job=$(bsearch start --model-dir code search.json | sed -n 's/^Job <\([0-9]*\)>.*/\1/p')
  over() { bsearch list | grep -q "^$job *FINISHED"; }
  wait_for 40 over
  wait_for 60 forgotten "$job"
  rm -r code
  for word in old "$job"; do
    next=$(bsearch extend -n 2 $word | sed -n 's/^Job <\([0-9]*\)>.*/\1/p')
    next_over() { bsearch list | grep -q "^$next *FINISHED *2/2"; }
    wait_for 40 next_over
    bsearch -json show "$next" | jq -e '(.search.known | length) == 3'
  done
  bsearch list | grep -q ' old-3$'
}
