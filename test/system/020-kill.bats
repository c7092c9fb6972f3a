#!/usr/bin/env bats
# Role: ends are ends: after bkill, a limit or a failure nothing of the job runs any more.

load lib
setup_file() { cluster_up --nodes 2 --cpus 4; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

# alive MARK: processes whose command line holds MARK (a number that is nobody else's)
alive() { pgrep -f "^sleep $1" >/dev/null; }
dead() { ! alive "$1"; }

@test "bkill ends a running job and says so" {
  job=$(submit sleep 31401)
  wait_for 10 in_state "$job" running
  wait_for 5 alive 31401
  run bkill "$job"
  [ "$status" -eq 0 ]
  [[ $output == "Job <$job> is being terminated" ]]
  ran_out "$job"
  [ "$(state "$job")" = killed ]
  wait_for 5 dead 31401
}

@test "children that left the session and process group die too" {
  job=$(submit 'setsid sleep 31402 & (trap "" TERM INT HUP; sleep 31403) & sleep 31404')
  for mark in 31402 31403 31404; do wait_for 10 alive $mark; done
  bkill "$job"
  ran_out "$job" 60
  for mark in 31402 31403 31404; do wait_for 5 dead $mark; done
}

@test "what a job leaves in the background does not outlive it" {
  job=$(submit 'setsid nohup sleep 31405 >/dev/null 2>&1 & true')
  ran_out "$job" 60
  wait_for 15 dead 31405
}

# saver MARK: a program that takes two seconds to save its work after SIGTERM
saver() {
  cat >"$1.py" <<END
import signal, time
def save(*_):
    time.sleep(2)
    open("$1.saved", "w").write("whole")
    raise SystemExit(0)
signal.signal(signal.SIGTERM, save)
signal.signal(signal.SIGINT, signal.SIG_IGN)
open("$1.ready", "w")
while True: time.sleep(60)
END
}

@test "what a shell wraps saves its work though the shell obeys at once" {
  saver ended; saver told
  ended=$(submit "true; $PYTHON ended.py; true")
  told=$(submit "true; $PYTHON told.py; true")
  wait_for 20 test -e ended.ready -a -e told.ready
  bkill "$ended"
  bkill -s TERM "$told"
  ran_out "$ended" 60
  ran_out "$told" 60
  [ -s ended.saved ]
  [ -s told.saved ]
}

@test "a signal can be sent without ending the job" {
  job=$(submit 'trap "echo got it >signalled; exit 4" USR1; sleep 31406 & wait')
  wait_for 10 alive 31406
  run bkill -s USR1 "$job"
  [ "$status" -eq 0 ]
  ran_out "$job"
  wait_for 5 test -s signalled
  is "$job" exit_code 4
}

@test "the run limit ends a job" {
  job=$(submit -W 0:00:02 sleep 31407)
  ran_out "$job" 60
  [[ $(field "$job" exit_reason) == *RUNLIMIT* ]]
  wait_for 5 dead 31407
}

@test "every task of a job on two hosts is ended" {
  job=$(submit -app training -n 4 -R 'span[ptile=2]' sleep 31408)
  wait_for 10 in_state "$job" running
  [ "$(field "$job" exec_host | tr ': ' '\n\n' | sed 's/.*\*//' | sort -u | grep -c node)" -eq 2 ]
  wait_for 10 bash -c '[ "$(pgrep -fc "^sleep 31408")" -ge 4 ]'
  bkill "$job"
  ran_out "$job"
  wait_for 5 dead 31408
}

@test "one task that fails ends a rigid job's others" {
  job=$(submit -app training -n 2 -R 'span[ptile=1]' 'if [ "$RANK" = 1 ]; then exit 5; fi; sleep 31409')
  ran_out "$job"
  [ "$(state "$job")" = failed ]
  is "$job" exit_code 5
  wait_for 5 dead 31409
}

@test "without a number only the newest job that fits is meant" {
  for k in 1 2 3; do jobs[k]=$(submit -H -J meant sleep 31411); done
  array=$(submit -H -J "meantarray[1-3]" sleep 31411)
  run bkill -J nosuchname
  [ "$status" -eq 255 ]
  [[ $output == "No matching job found" ]]
  run bkill -J 'meant*'
  [ "$status" -eq 0 ]
  [[ $output == "Job <$array> is being terminated" ]]
  run bkill -J meant
  [[ $output == "Job <${jobs[3]}> is being terminated" ]]
  run bresume -J meant
  [[ $output == "Job <${jobs[2]}> is being resumed" ]]
  run bkill -J meant 0
  [ "${#lines[@]}" -eq 2 ]
}

@test "an option that selects nothing here ends nothing" {
  job=$(submit -H sleep 31412)
  run bkill -stat running 0
  [ "$status" -eq 255 ]
  [[ $output == *-stat* ]]
  for option in "-sla gold" "-g /group"; do
    run bkill $option 0
    [ "$status" -eq 255 ]
  done
  [ "$(state "$job")" = held ]
  bkill -stat PEND 0
  ran_out "$job"
}

@test "thousands of jobs are listed and killed in portions" {
  for k in 1 2 3; do bsub -H -J "many$k[1-1000]" sleep 31499 >/dev/null; done
  [ "$(bjobs -J 'many*' -noheader -o 'jobid jobindex' | sort -u | wc -l)" -eq 3000 ]
  run bkill -J 'many*' 0
  [ "$status" -eq 0 ]
  [ "${#lines[@]}" -eq 3 ]   # an array by its name is ended as a whole
  run bjobs -J 'many*'
  [[ $output == "No unfinished job found" ]]
  [ "$(bhist -e -J 'many*' | tail -n +3 | wc -l)" -eq 3000 ]
}
