#!/usr/bin/env bats
# Role: what a request says decides on hosts, jobs of lower queues make way for higher ones by the
# ladder of queues.conf, and every wait is explained, also after the end.

load lib
setup_file() {
  cat >"$BATS_FILE_TMPDIR/queues.conf" <<'END'
[normal]
priority = 50
[near]
priority = 50
place = topology
[even]
priority = 50
place = spread
[first]
priority = 90
preempts = lower
[giving]
priority = 10
preempt_by = requeue
preempt_grace = 20s
[lost]
priority = 5
preempt_by = kill
preempt_grace = 20s
END
  for k in 1 2 3 4; do
    printf '[node%d]\nswitches = core/rack%d\nresources = kind=k%d\n' $k $(((k + 1) / 2)) $((k % 2))
  done >"$BATS_FILE_TMPDIR/hosts.conf"
  cluster_up --nodes 4 --cpus 2 --conf "$BATS_FILE_TMPDIR/queues.conf" --conf "$BATS_FILE_TMPDIR/hosts.conf"
}
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

hosts_of() { field "$1" exec_host | tr ':' '\n' | sed 's/.*\*//' | sort | uniq -c | awk '{print $2 "=" $1}' | xargs; }
running() { wait_for 20 in_state "$1" running; }
# Runs until `go` is there: what is to be seen meanwhile takes the time that it takes.
till_go() { submit "$@" 'while [ ! -e go ]; do sleep 0.1; done'; }
waits_for() { [ "$(bwhy -json "$1" | jq -r '.RECORDS[0].CODE')" = "$2" ]; }

@test "a gang of a topology queue stays in one rack, one of a spread queue goes everywhere" {
  busy=$(submit -m node1 -n 2 sleep 100)
  running "$busy"
  gang=$(submit -q near -n 4 sleep 100)
  running "$gang"
  [ "$(hosts_of "$gang")" = 'node3=2 node4=2' ]
  bkill "$busy" "$gang"
  ran_out "$busy"
  ran_out "$gang"
  even=$(submit -q even -n 4 sleep 100)
  running "$even"
  [ "$(hosts_of "$even")" = 'node1=1 node2=1 node3=1 node4=1' ]
}

@test "preferred hosts, hosts that must not be used, hosts that are alike, alternatives" {
  job=$(submit -m 'node3+5 others' sleep 100)
  running "$job"
  [ "$(hosts_of "$job")" = 'node3=1' ]
  job=$(submit -m '~node1 ~node2 ~node3' sleep 100)
  running "$job"
  [ "$(hosts_of "$job")" = 'node4=1' ]
  job=$(submit -n 2 -R 'same[kind] span[ptile=1]' sleep 100)
  running "$job"
  [[ "$(hosts_of "$job")" =~ ^(node1=1\ node3=1|node2=1\ node4=1)$ ]]
  job=$(submit -R '{select[hname==nowhere]} || {select[hname==node2]}' sleep 100)
  running "$job"
  [ "$(hosts_of "$job")" = 'node2=1' ]
}

@test "what no host can ever run is refused with the nearest miss" {
  run bsub -R 'select[maxslots>64]' true
  [ "$status" -eq 255 ]
  [[ $output == *"nearest is host <node"*"select maxslots>64 (maxslots=2)"* ]]
  run bsub -n 4 -R 'cu[maxcus=1] span[ptile=1]' true
  [ "$status" -eq 255 ]
  [[ $output == *"cu[]"* ]]
  run bsub -R "select[$(printf '(%.0s' {1..20000})]" true
  [ "$status" -eq 255 ]
  [[ $output == *"nested too deep"* ]]
}

@test "a running job makes way, saves its work, and runs again after the one it made way for" {
  # the job's own shell saves: a shell around it would end first, and the rest with it
  low=$(submit -q giving -n 8 'trap "echo saved >>saved.txt; exit 3" TERM; echo started >>saved.txt; sleep 100 & wait')
  running "$low"
  wait_for 10 grep -q started saved.txt
  high=$(till_go -q first -n 8)
  wait_for 30 in_state "$high" running
  [ "$(cat saved.txt)" = $'started\nsaved' ]
  [ "$(state "$low")" = pending ]
  touch go
  ran_out "$high"
  [ "$(state "$high")" = finished ]
  wait_for 30 in_state "$low" running
  is "$low" attempt 2
  [[ $(events "$low" PREEMPT | jq -r .REASON) == *"preempted by job <$high>"* ]]
}

@test "running jobs make way for elements of an array, which say so" {
  first=$(submit -q giving -n 4 sleep 100)
  second=$(submit -q giving -n 4 sleep 100)
  running "$first"
  running "$second"
  array=$(till_go -q first -J 'urgent[1-2]' -n 4)
  wait_for 30 in_state "$array[1]" running
  wait_for 30 in_state "$array[2]" running
  [[ $(events "$first" PREEMPT | jq -r .REASON) == *"preempted by job <$array["?"]>"* ]]
  touch go
  for low in "$first" "$second"; do
    wait_for 30 in_state "$low" running
    is "$low" attempt 2
  done
}

@test "a job that cannot run twice is ended, with the reason" {
  low=$(submit -q lost -n 8 sleep 100)
  running "$low"
  high=$(till_go -q first -n 8)
  wait_for 30 in_state "$high" running
  [ "$(state "$low")" = failed ]
  [[ $(field "$low" exit_reason) == *TERM_PREEMPT* ]]
}

@test "nobody is touched when the job would not fit all the same" {
  safe=$(submit -n 2 -m node1 sleep 100)
  low=$(submit -q giving -n 6 sleep 100)
  running "$safe"
  running "$low"
  high=$(till_go -q first -n 8)
  wait_for 10 waits_for "$high" slots
  is "$low" attempt 1
  in_state "$low" running
}

@test "why a job waited is told while it waits, and kept after its end" {
  full=$(submit -n 8 sleep 100)
  running "$full"
  job=$(submit sleep 0)
  wait_for 10 waits_for "$job" slots
  bwhy -json "$job" | jq -e '.RECORDS[] | select(.HOSTS_REMOVED == "4" and .FIX != "" and .TEXT != "")'
  wait_for 20 events_of "$job" PEND_REASON 1
  bkill "$full"
  ran_out "$job"
  [ "$(state "$job")" = finished ]
  run bhist -l "$job"
  [[ $output == *"PEND REASONS:"*"Not enough job slot(s)"* ]]
}
