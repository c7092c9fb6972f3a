#!/usr/bin/env bats
# Role: what people do on the pages, in a real browser: administrators with hosts, queues and jobs, owners with their
# runs and keys; each act is what the command does, and the master's record tells it.

load lib
setup_file() { cluster_up --web --nodes 2 --cpus 4; }
teardown_file() { cluster_down; }
setup() {
  cluster_env
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  command -v chromium >/dev/null || skip "no chromium (scripts/bootstrap web)"
  [ -f "$B/pages/index.html" ] || skip "the pages are not built (scripts/bootstrap web)"
  cd "$BATS_TEST_TMPDIR" || return
  API=$WM_GATEWAY_URL/api/v1 EXECS=$WM_GATEWAY_URL/platform/rest/deeplearning/v1/execs
}
after_each() { end_all_jobs; }
mine() { curl -sS --cacert "$WM_GATEWAY_CA" -u "$(id -un):$WM_API_KEY" "$@"; }
code_of() { mine -o /dev/null -w '%{http_code}' "$@"; }
scene() {
  run $PYTHON "$BATS_TEST_DIRNAME/pages_acts.py" "$@"
  echo "$output"
  [ "$status" -eq 0 ]
}
exec_of() { # LR STEPS: its number
  mkdir -p code && cp "$BATS_TEST_DIRNAME/web_curves.py" code/main.py && tar -czf code.modelDir.tar code
  mine -F file=@code.modelDir.tar "$EXECS?args=--exec-start%20PyTorch%20--model-main%20main.py%20--%20--lr%20$1%20--steps%20$2" | jq -r .id | sed 's/.*-//'
}

@test "an administrator closes a host with a reason and opens it, and moves a job" {
  host=$(bhosts -o host_name -noheader | head -n 1 | tr -d ' ')
  job=$(submit -J waits -H sleep 5)
  scene admin "$host" "$job"
  [ "$(bjobs -noheader -o queue "$job" | tr -d ' ')" = urgent ]
  [ "$(bhosts -o status -noheader "$host" | tr -d ' ')" = ok ]
  badmin hhist | grep -q "hclose <$host> by $(id -un): drained: fan, until 23:59"
  badmin hhist | grep -q "hopen <$host>"
}

@test "an administrator edits queues: what is wrong, what changes, who gains and waits; nothing is written" {
  submit -J base -n 8 -W 30 sleep 300
  gains=$(submit -J wide -n 8 -W 20 sleep 100) waits=$(submit -J hasty -q urgent -n 8 -W 10 sleep 100)
  before=$(sha256sum "$WM_CONF_DIR/queues.conf")
  scene config "$gains" "$waits"
  [ "$(sha256sum "$WM_CONF_DIR/queues.conf")" = "$before" ]
  [ "$(mine "$API/queues" | jq '.queues[] | select(.queue_name == "urgent") | .priority')" = 90 ]
}

@test "what is no file of a page, no text and no configuration is refused; a preview is for administrators' eyes" {
  [ "$(code_of "$API/config/wm.conf")" = 404 ]
  [ "$(code_of "$API/config/..%2Fwm.conf")" != 200 ]
  [ "$(code_of -d '{}' "$API/config/queues.conf/check")" = 400 ]
  [ "$(code_of -d '{"text": 5}' "$API/config/queues.conf/check")" = 400 ]
  [ "$(code_of -d '{"text": "[x]\nplan = /none\n"}' "$API/config/queues.conf/preview")" = 400 ]
  mine -d '{"text": "include = /etc/none.conf\n"}' "$API/config/queues.conf/check" | grep -q 'no such file'
  sed '/^.normal/a max_slots = 31' "$WM_CONF_DIR/queues.conf" | jq -Rs '{text: .}' | mine -d @- "$API/config/queues.conf/check" >checked
  jq -e '.wrong == [] and (.changes | any(test("\\[normal\\] max_slots: .* -> 31")))' checked
}

@test "what is no act, no host and no reason of an administrator is refused by its name" {
  host=$(bhosts -o host_name -noheader | head -n 1 | tr -d ' ')
  [ "$(code_of -d '{}' "$API/hosts/$host/explode")" = 400 ]
  [ "$(code_of -d '{}' "$API/hosts/none/close")" = 404 ]
  [ "$(code_of -d 'x' "$API/hosts/$host/close")" = 400 ]
  [ "$(code_of -d '{"why": 5}' "$API/hosts/$host/close")" = 400 ]
  [ "$(code_of -d '{"drain": 1}' "$API/hosts/$host/close")" = 400 ]
  [ "$(code_of -d '{"drain": true}' "$API/hosts/$host/open")" = 400 ]
  job=$(submit -J waits -H sleep 5)
  mine -d '{}' "$API/jobs/$job/explode" | grep -q 'stop, hold, release, top, bottom, switch, requeue, resize'
  mine -d '{"tasks": 0}' "$API/jobs/$job/resize" | grep -q 'tasks: a whole number from 1'
  mine -d '{}' "$API/jobs/$job/switch" | grep -q 'queue: to which one'
  [ "$(code_of -X POST "$API/jobs/$job/release")" = 204 ] # without a body, as ever
  mine "$API/usage?days=0" | grep -q 'days: a number from 1 to 366'
}

@test "what jobs used is told by user and by day, in the sums that bacct has" {
  for _ in 1 2; do ran_out "$(submit sleep 1)"; done
  wait_for 30 bash -c "[ \"\$(curl -sS --cacert '$WM_GATEWAY_CA' -u '$(id -un):$WM_API_KEY' '$API/usage' | jq '[.rows[].jobs] | add // 0')\" -ge 2 ]"
  mine "$API/usage?by=queue&days=7" >usage
  [ "$(jq -r .by usage)" = queue ]
  [ "$(jq '[.rows[].jobs] | add' usage)" = "$(jq '[.days[].jobs] | add' usage)" ]
  jq -e '.rows[0].slot_s > 0 and (.now - .from) > 6 * 86400' usage
}

@test "output of all workers is one log, searched to its end; a run goes on from its checkpoint with the same code" {
  mkdir -p code && cp "$BATS_TEST_DIRNAME/web_output.py" code/main.py && tar -czf code.modelDir.tar code
  run=$(mine -F file=@code.modelDir.tar "$EXECS?args=--exec-start%20distPyTorch%20--numWorker%202%20--workerDeviceType%20cpu%20--model-main%20main.py%20--%20--fails" | jq -r .id | sed 's/.*-//')
  failed() { [ "$(state "$run")" = failed ]; }
  wait_for 60 failed
  mine "$API/jobs/$run/logs/search?q=NEEDLE" | jq -e '.count == 1 and .complete and .matches[0].line == 12'
  mine "$API/jobs/$run/logs/merged?tail=100" | jq -e '.left_out == 0 and (.parts | length) == 4'
  mine "$API/jobs/$run/checkpoints" | jq -e '.resumable and .checkpoints[0].name == "checkpoint.pt"'
  file=$(find "$WM_CLUSTER_DIR/results" -path "*/batchworkdir/$run/log/1/stderr")
  mv "$file" away # it is made at the first byte
  [ "$(code_of "$API/jobs/$run/logs/1/stderr?tail=100")" = 200 ] && [ -z "$(mine "$API/jobs/$run/logs/1/stderr")" ]
  [ "$(code_of "$API/jobs/$run/logs/99/stderr")" = 404 ]
  mv away "$file"
  for bad in 'logs/search' 'logs/search?q=a&errors=yes' 'logs/merged?tail=x' 'logs/merged?have=1,x'; do
    [ "$(code_of "$API/jobs/$run/$bad")" = 400 ]
  done
  scene output "$run"
  next=$(sed -n 's/^began //p' <<<"$output")
  over() { [ "$(state "$next")" = finished ]; }
  wait_for 60 over
  mine "$API/jobs/$next/logs/search?q=goes%20on%20from" | jq -e --arg run "$run" '.matches[0].text | test("/" + $run + " with --works")'
  mine "$API/jobs/$next" | jq -e --arg run "$run" '.exec.args | contains("WM_RESUME_FROM=" + $run)'
  # Twice with one key is once; what has no checkpoint is not gone on from.
  again() { mine -d "$1" -H 'Idempotency-Key: k1' "$API/jobs/$next/again"; }
  one=$(again '{"args": "--exec-start PyTorch --workerDeviceType cpu --model-main main.py"}' | jq -r .id)
  [ "$(again '{"args": "--exec-start PyTorch --workerDeviceType cpu --model-main main.py"}' | jq -r .id)" = "$one" ]
  job=$(submit -J batch true)
  ran_out "$job"
  [ "$(code_of -d '{}' "$API/jobs/$job/again")" = 409 ]
  [ "$(code_of -d '{"resume": 5}' "$API/jobs/$next/again")" = 400 ]
}

@test "runs are starred, tagged and found again; of several deleted each has its result" {
  over=$(exec_of 0.25 10) runs=$(exec_of 0.5 100000)
  finished() { [ "$(state "$over")" = finished ] && [ "$(state "$runs")" = running ]; }
  wait_for 60 finished
  scene runs "$over" "$runs"
  [ "$(code_of "$API/runs/$over")" = 404 ]
  [ "$(mine "$API/runs/$runs" | jq -r '.run.tags[0]')" = paper ]
}

@test "a view of runs is kept on the server, and in a project for its members" {
  mine -d '{"name":"digits","plan":"/"}' "$API/projects"
  scene views digits
  mine "$API/views" | jq -e '.views[0] | .name == "my failures" and .page == "/runs" and (.search | test("state"))'
  mine "$API/projects/digits/views" | jq -e --arg me "$(id -un)" '.views[0] | .name == "ours" and .by == $me'
  [ "$(code_of -X PUT -d '{"page": "//evil.example"}' "$API/views/x")" = 400 ]
  [ "$(code_of -X PUT -d '{"page": "/runs"}' "$API/projects/none/views/x")" = 404 ]
  [ "$(code_of -X DELETE "$API/views/none")" = 404 ]
}

@test "a run's settings become a search, by form" {
  over=$(exec_of 0.25 10)
  finished() { [ "$(state "$over")" = finished ]; }
  wait_for 60 finished
  scene search "$over" "$PWD/code.modelDir.tar"
  mine "$API/searches/around" >around
  [ "$(jq -r '.search.search.metric, .search.total' around)" = "$(printf 'loss\n2')" ]
  jq -e '.search.search.space[0] | .name == "lr" and .log' around
}

@test "an API key is made, shown once and revoked; all sessions end at once" {
  export HOME=$BATS_TEST_TMPDIR
  [ "$(code_of -d '{"name": "../x"}' "$API/keys")" = 400 ]
  [ "$(code_of -d '{"name": "a", "days": 0}' "$API/keys")" = 400 ]
  [ "$(code_of -d '{"name": "a", "scopes": "all"}' "$API/keys")" = 400 ]
  [ "$(code_of -X DELETE "$API/keys/none")" = 404 ]
  scene account
  badmin doorhist | grep -q 'key-create <key laptop>'
  badmin doorhist | grep -q 'key-revoke <key laptop>'
}

@test "whatever page one goes to, its heading has the focus" {
  job=$(submit -J named -H true)
  scene focus "$job"
}
