#!/usr/bin/env bats
# Role: jobs of several groups, open arrays and bundles, all from the command line.

load lib
setup_file() {
  printf '[normal]\npriority = 50\n[low]\npriority = 10\n[high]\npriority = 90\n' >"$BATS_FILE_TMPDIR/queues.conf"
  cluster_up --nodes 2 --cpus 4 --gpus 2 --conf "$BATS_FILE_TMPDIR/queues.conf"
}
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

# The state of element n of a job.
element() { bjobs -a -noheader -o wm_state "$1[$2]"; }
spec() { bsub -spec - | grep -o '<[0-9]*>' | head -1 | tr -d '<>'; }

@test "parameter servers and workers start together, and TF_CONFIG tells each its place" {
  job=$(spec <<'J'
{"name": "tf", "output": "out.%I", "groups": [
  {"name": "boss", "role": "chief", "command": "echo $TF_CONFIG; while [ ! -e stop ]; do sleep 0.05; done"},
  {"name": "ps", "command": "echo $TF_CONFIG; sleep 60"},
  {"name": "worker", "command": "echo $WM_GROUP_RANK $TF_CONFIG >>workers; sleep 60", "tasks": 2}]}
J
)
  wait_for 20 bash -c '[ "$(cat workers | wc -l)" = 2 ] && [ -s out.1 ] && [ -s out.2 ]'
  [ "$(head -1 out.1 | jq -c .task)" = '{"type":"chief","index":0}' ]
  [ "$(head -1 out.2 | jq -c .task)" = '{"type":"ps","index":0}' ]
  [ "$(cut -d' ' -f2 workers | jq -r .task.index | sort | tr -d '\n')" = 01 ]
  [ "$(head -1 out.1 | jq -r '.cluster.worker | length')" = 2 ]
  ports=$(head -1 out.1 | jq -r '.cluster | to_entries[].value[]')
  [ "$(sort -u <<<"$ports" | wc -l)" = 4 ]
  touch stop   # the first group decides: the others are done with it
  ran_out "$job" 20
  for n in 1 2 3; do [ "$(element "$job" $n)" = finished ]; done
}

@test "a driver and elastic workers: the workers shrink and grow alone" {
  job=$(spec <<'J'
{"name": "fit", "app": "training", "groups": [
  {"name": "driver", "command": "while [ ! -e stop ]; do sleep 0.05; done"},
  {"name": "worker", "elastic": true, "min": 1, "max": 3,
   "command": "trap 'exit 0' TERM; while :; do sleep 0.05; done"}]}
J
)
  size() { bjobs -noheader -o nalloc_slot "$job[2]"; }
  wait_for 20 bash -c "[ \"\$(bjobs -noheader -o nalloc_slot '$job[2]')\" = 3 ]"
  bresize worker=1 "$job"
  wait_for 20 bash -c "[ \"\$(bjobs -noheader -o nalloc_slot '$job[2]')\" = 1 ]"
  bresize worker=3 "$job"
  wait_for 20 bash -c "[ \"\$(bjobs -noheader -o nalloc_slot '$job[2]')\" = 3 ]"
  [ "$(element "$job" 1)" = running ]
  run bresize worker=4 "$job"
  [ "$status" -eq 255 ]
  [[ $output == *"it may have 1 to 3"* ]]
  touch stop
  ran_out "$job" 20
}

@test "a router with independent kernels: they crash and come back, down to none and up again" {
  job=$(spec <<'J'
{"name": "serve", "groups": [
  {"name": "router", "command": "sleep 100"},
  {"name": "kernel", "min": 0, "max": 2, "restart": "independent",
   "command": "echo $$ >>started; [ $(cat started | wc -l) -gt 2 ] && sleep 100; exit 3"}]}
J
)
  wait_for 20 bash -c '[ "$(cat started | wc -l)" -ge 4 ]'
  [ "$(element "$job" 1)" = running ]
  bresize kernel=0 "$job"
  wait_for 20 bash -c "bjobs -p '$job[2]' | grep -q 'no task for now'"
  bwhy "$job[2]" | grep -q 'bresize kernel=1'
  bresize kernel=1 "$job"
  wait_for 20 bash -c "[ \"\$(bjobs -noheader -o wm_state '$job[2]')\" = running ]"
  run bresize other=1 "$job"
  [[ $output == *"no group <other>; it has <router> <kernel>"* ]]
}

@test "blaunch reaches the hosts of another group, as its other groups see it" {
  job=$(spec <<'J'
{"name": "fit", "groups": [
  {"name": "driver", "command": "until [ $(cat here.* 2>/dev/null | wc -l) = 3 ]; do sleep 0.05; done; blaunch -group worker 'echo $WM_GROUP ${WM_GROUP_RANK-none} $LSF_PM_TASKID on $WM_HOST of $LSB_MCPU_HOSTS' >said; blaunch -group worker -z \"$(head -1 here.0)\" 'exit 7'; echo $? >>said; blaunch -group boss true 2>why; echo $? >>said; : >stop"},
  {"name": "worker", "tasks": 3, "command": "echo $WM_HOST >here.$WM_GROUP_RANK; until [ -e stop ]; do sleep 0.05; done"}]}
J
)
  ran_out "$job" 40
  cat said
  [ "$(grep -c '^worker none [123] on node[12] of node' said)" = 3 ]
  diff <(sed -n 's/.* on \(node.\) .*/\1/p' said | sort) <(cat here.* | sort)
  tail -2 said | head -1 | grep -qx 7
  tail -1 said | grep -qx 255
  grep -q 'no group <boss>; the job has <driver> <worker>' why
}

@test "a group that may have no task gives back its last one, and has it again" {
  job=$(spec <<'J'
{"name": "serve", "queue": "low", "groups": [
  {"name": "kernel", "min": 0, "max": 9, "restart": "independent", "command": "sleep 100"}]}
J
)
  size() { bjobs -noheader -o nalloc_slot "$job[1]"; }
  wait_for 20 bash -c "[ \"\$(bjobs -noheader -o nalloc_slot '$job[1]')\" = 8 ]"
  all=$(submit -q high -n 8 'until [ -e go ]; do sleep 0.05; done')
  wait_for 30 bash -c "[ \"\$(bjobs -noheader -o wm_state '$all')\" = running ]"
  [ "$(element "$job" 1)" = pending ]
  touch go
  wait_for 30 bash -c "[ \"\$(bjobs -noheader -o wm_state '$job[1]')\" = running ]"
}

@test "a group that fails ends the others, which say why" {
  job=$(spec <<'J'
{"name": "f", "groups": [{"name": "a", "command": "sleep 60"},
                         {"name": "b", "command": "sleep 0.3; exit 7"}]}
J
)
  ran_out "$job" 20
  [ "$(element "$job" 1)" = killed ]
  [ "$(element "$job" 2)" = failed ]
  bjobs -a -l "$job[1]" | tr -d '\n ' | grep -q 'TERM_GROUP_ENDED'
}

@test "a file that does not read is refused, and nothing is submitted" {
  echo '{"groups": [{"name": "a"}]}' >bad.json
  run bsub -spec bad.json
  [ "$status" -eq 255 ]
  [[ $output == *"group 'a': no command. Job not submitted."* ]]
  run bsub -spec nowhere.json
  [[ $output == *"nowhere.json: No such file"* ]]
}

@test "an open array runs what it is given, in its own rate, and ends when it is closed" {
  job=$(submit -open -J 'try[1-100]%2' -o 'o.%I' 'cat $WM_ELEMENT_DATA')
  [ "$(bjobs -a -noheader -o 'jobid stat' "$job")" = "$job PEND" ]   # nothing yet but the array itself
  printf '{"x":1}\n{"x":2}\n' | bgive -lines "$job"
  wait_for 20 bash -c '[ "$(head -qn1 o.1 o.2)" = "$(printf "{\"x\":1}\n{\"x\":2}")" ]'
  run bwait -w "ended($job)" -t 0
  [ "$status" -eq 2 ]
  bgive -close "$job" /etc/hostname | grep -q 'has 3 element(s) and is closed'
  bwait -w "done($job)" -t $DEADLINE_FACTOR
  run bgive "$job" /etc/hostname
  [ "$status" -eq 255 ]
  [[ $output == *"is closed"* ]]
}

@test "an open array is ended as a whole, whether it was given something or not" {
  none=$(submit -open -J 'none[1-9]' true)
  bkill "$none" | grep -q "Job <$none> is being terminated"
  bwait -w "ended($none)" -t $DEADLINE_FACTOR
  some=$(submit -open -J 'some[1-9]' true)
  echo '{}' | bgive -lines "$some"
  wait_for 20 bash -c "[ \"\$(bjobs -a -noheader -o wm_state '$some[1]')\" = finished ]"
  run bkill "$some"
  [ "$output" = "Job <$some> is being terminated" ]
  run bgive "$some" /etc/hostname
  [[ $output == *"is being terminated"* ]]
}

@test "a search that cannot be is refused where it is typed" {
  echo '{"name": "t[1-9]", "command": "true", "search": {"algorithm": "Magic", "metric": "m", "space": []}}' >bad.json
  run bsub -spec bad.json
  [ "$status" -eq 255 ]
  [[ $output == *"Job not submitted."* ]]
}

@test "a trial finds its config.json in its own copy of the bundle, and what it writes is reported" {
  mkdir code && echo 'import json, os
c = json.load(open("config.json"))
json.dump([{"step": 1, "loss": c["x"] * 2}], open(os.environ["RESULT_DIR"] + "/val_dict_list.json", "w"))
open("mine", "x")' >code/trial.py
  job=$(submit -app training -open -J 'try[1-9]' -bundle code 'python3 trial.py')
  rm -r code   # it took what it needs with it
  printf '{"x":1}\n{"x":2}\n' | bgive -lines -close "$job"
  bwait -w "done($job)" -t $DEADLINE_FACTOR
  wait_for 10 bash -c "[ \"\$(bjobs -a -noheader -o report '$job[2]')\" = '{\"loss\":{\"latest\":4.0,\"max\":4.0,\"min\":4.0},\"step\":{\"latest\":1.0,\"max\":1.0,\"min\":1.0}}' ]"
}

@test "a bundle is what the folder was, and exec_id is what executions are called" {
  mkdir -p code/sub && echo 'pwd; cat there' >code/sub/run.sh && echo hello >code/sub/there
  job=$(submit -bundle code -o out 'sh sub/run.sh; cd sub; sh run.sh')
  echo changed >code/sub/there
  ran_out "$job"
  grep -q '_submitted_code/sub$' out
  grep -q hello out
  [[ $(bjobs -a -noheader -o exec_id "$job") == *-"$job" ]]
  run bsub -bundle nowhere true
  [[ $output == *"nowhere: no such folder"* ]]
}

@test "a search tries what its suggester brings, and shows the best" {
  mkdir code && echo 'import json, os
c = json.load(open("config.json"))
json.dump([{"loss": (c["x"] - 0.5) ** 2}], open(os.environ["RESULT_DIR"] + "/val_dict_list.json", "w"))' >code/trial.py
  cat >tune.json <<'J'
{"name": "tune[1-12]%4", "app": "training", "command": "python3 trial.py",
 "search": {"algorithm": "Random", "metric": "loss", "goal": "minimize", "max_trials": 12, "seed": 3,
            "space": [{"name": "x", "type": "Range", "dataType": "double", "minDbVal": 0, "maxDbVal": 1}]}}
J
  job=$(submit -spec tune.json -bundle code)
  bwait -w "done($job)" -t $DEADLINE_FACTOR
  wait_for 10 bash -c "[ \"\$(bsearch -json $job | jq '[.trials[].value | numbers] | length')\" = 12 ]"
  bsearch -json "$job" >told
  [ "$(jq '.trials | map(.value) == (map(.value) | sort)' told)" = true ]
  [ "$(jq '[.trials[] | ((.config.x - 0.5) * (.config.x - 0.5) - .value) | fabs < 1e-9] | all' told)" = true ]
  [ "$(jq '[.trials[].config.x] | unique | length' told)" = 12 ]
  bsearch -n 3 "$job" | grep -q 'and 9 more'
  [ "$(bsearch best "$job" | jq .metricVal)" = "$(jq '.trials[0].value' told)" ]
  wait_for 10 bash -c "bsearch list | grep -q '^$job .*FINISHED *12/12 .* tune$'"   # last words are waited for
  [ "$(bsearch -json list | jq -r ".[] | select(.hpoName == \"tune\") | .complete")" = 12 ]
}
