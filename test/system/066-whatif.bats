#!/usr/bin/env bats
# Role: bwhatif says of a live cluster what a change would do, and changes nothing.

load lib
setup_file() {
  cat >"$BATS_FILE_TMPDIR/queues.conf" <<'END'
[normal]
priority = 50
[first]
priority = 90
END
  cluster_up --nodes 2 --cpus 1 --conf "$BATS_FILE_TMPDIR/queues.conf"
}
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

# FIELD of the job's record in what bwhatif -json printed.
told() { jq -r --arg id "$1" --arg key "$2" '.RECORDS[] | select(.JOBID == $id) | .[$key]' <<<"$output"; }

# A job has both hosts, two wait for them.
line_up() {
  running=$(submit -n 2 -W 60 sleep 300)
  wait_for 20 in_state "$running" running
  wide=$(submit -n 2 -W 30 true)
  next=$(submit -n 2 -W 30 true)
}

@test "hosts and queues that are not there yet: who would start earlier, who later" {
  line_up
  run bwhatif --hosts +2 -json
  [ "$status" -eq 0 ]
  [ "$(jq -r .COMMAND <<<"$output")" = bwhatif ]
  [[ $(told "$wide" START_THEN) < $(told "$wide" START_NOW) ]]
  [ "$(told "$wide" DISPLACED)" = no ]

  run bwhatif --queue first "$next" -json
  [ "$status" -eq 0 ]
  [[ $(told "$next" START_THEN) < $(told "$next" START_NOW) ]]
  [ "$(told "$wide" DISPLACED)" = yes ]

  run bwhatif --hosts -1
  [ "$status" -eq 0 ]
  [[ ${lines[0]} =~ ^JOBID\ +START_NOW\ +START_THEN\ +DISPLACED ]]
  [[ ${lines[1]} =~ ^$wide\ +[0-9/:-]+\ +-\ +yes ]]
  before=${lines[0]%%START_NOW*} # columns stand below each other
  [[ ${lines[1]:${#before}} =~ ^[0-9] ]]

  in_state "$wide" pending
  is "$next" queue normal
  [ "$(bhosts -json | jq '.RECORDS | length')" -eq 2 ]
}

@test "with other files in force: who would start earlier, who later; what is wrong with them is refused" {
  line_up
  cp -r "$WM_CONF_DIR" next
  printf '[first]\npriority = 90\n[normal]\npriority = 50\nuser_slots = 1\n' >next/queues.conf
  run bwhatif --conf next -json
  [ "$status" -eq 0 ]
  [ "$(told "$wide" START_THEN)" = - ]
  [ "$(told "$wide" DISPLACED)" = yes ]
  echo 'nonsense = 1' >>next/queues.conf
  run bwhatif --conf next
  [ "$status" -eq 255 ]
  [[ $output == *"queues.conf:6: unknown key 'nonsense'"* ]]
  run bwhatif --conf next "$wide"
  [ "$status" -eq 255 ]
  run bwhatif --conf nowhere
  [ "$status" -eq 255 ]
  is "$wide" queue normal
}

@test "bswitch does what was foretold: the job is in that queue, and starts before those it passed" {
  line_up
  run bswitch first "$next"
  [ "$status" -eq 0 ]
  [ "$output" = "Job <$next> is switched to queue <first>" ]
  is "$next" queue first
  is "$wide" queue normal
  run bhist -l -w "$next"
  [[ $output == *"MODIFY, by "*": queue normal -> first;"* ]]
  run bswitch first "$running" "$wide" 4711
  [ "$status" -eq 255 ]
  [[ $output == *"Job <$running>: Job has already started"* ]]
  [[ $output == *"Job <$wide> is switched to queue <first>"* ]]
  [[ $output == *"Job <4711>: No matching job found"* ]]
  run bswitch normal "$wide"
  bkill "$running"
  wait_for 20 in_state "$next" finished
}

@test "what makes no sense is refused" {
  run bwhatif --hosts 0
  [ "$status" -eq 255 ]
  [[ $output == *"--hosts '0': give a number such as +2 or -1"* ]]
  run bwhatif --queue first 4711
  [ "$status" -eq 255 ]
  [[ $output == *"Job <4711> is not found"* ]]
  run bwhatif
  [ "$status" -eq 255 ]
  [[ $output == *"give one of --hosts, --queue, --plan and --conf"* ]]
}
