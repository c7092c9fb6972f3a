#!/usr/bin/env bats
# Role: jobs whose streams are the user's own (bsub -I, -Ip, -Is), and sessions in jobs (battach).

load lib
setup_file() { cluster_up --nodes 2 --cpus 4; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

none_like() { ! pgrep -f "$1"; }
person() { timeout 100 "$PYTHON" "$BATS_TEST_DIRNAME/on_terminal.py" "$@"; }

@test "-I: pipes carry bytes unchanged both ways, stderr apart, and the exit code" {
  head -c 2000000 /dev/urandom >in.bin
  run bash -c "BSUB_STDERR=y timeout 60 bsub -I 'cat; echo oops >&2; exit 5' <in.bin >back.bin 2>err.txt"
  [ "$status" -eq 5 ]
  cmp in.bin back.bin
  grep -qx oops err.txt
}

@test "-I: a job that ends at once loses no output" {
  for word in one two three; do
    run bash -c "BSUB_QUIET=y timeout 60 bsub -I echo $word 2>/dev/null </dev/null"
    [ "$status" -eq 0 ]
    [ "$output" = "$word" ]
  done
}

@test "-I: a job that is queued again is followed again" {
  run bash -c "timeout 60 bsub -I -Q 7 'test -e once && { echo second; exit 3; }; touch once; echo first; exit 7' 2>err.txt </dev/null"
  [ "$status" -eq 3 ]
  [[ $output == *first*second* ]]
  [ "$(grep -c Starting err.txt)" -eq 2 ]
}

@test "-Ip: a terminal with the size of the user's, and what changes of it" {
  run person size:31x101 expect:Starting 'expect:31 101' size:40x120 'expect:40 120' -- \
    bsub -Ip 'trap "stty size; exit 4" WINCH; stty size; while :; do sleep 0.1; done'
  [ "$status" -eq 4 ]
}

@test "-Is: keys are signals, job control works, the shell's code is the command's" {
  # typed only when it can be meant for whom it is: go comes from what has the terminal by then
  run person expect:Starting expect:bash- "send:PS1='P'%\\n" expect:P% \
    "send:sh -c 'echo g\"\"o; exec sleep 31621'\\n" expect:go 'send:\x03' \
    expect:P% 'send:echo c=$?.\n' expect:c=130. expect:P% 'send:tty >/dev/tty; exit 6\n' expect:/dev/pts -- bsub -Is /bin/bash --norc
  [ "$status" -eq 6 ]
}

@test "a signal to bsub reaches the job, which ends with it" {
  BSUB_QUIET=y bsub -I 'trap "echo caught; exit 9" TERM; echo up; while :; do sleep 0.1; done' >out.txt 2>&1 3>&- &
  pid=$!
  wait_for 30 grep -qx up out.txt
  kill -TERM $pid
  code=0; wait $pid || code=$?
  [ "$code" -eq 9 ]
  grep -qx caught out.txt
}

@test "the session goes on while the master is away" {
  mkfifo keys
  BSUB_QUIET=y timeout 100 bsub -I 'while read line; do echo "said $line"; done; exit 8' <keys >out.txt 2>/dev/null 3>&- &
  pid=$!
  exec 7>keys
  echo before >&7
  wait_for 30 grep -qx 'said before' out.txt
  "$MINICLUSTER" kill wmasterd
  echo meanwhile >&7
  wait_for 20 grep -qx 'said meanwhile' out.txt
  "$MINICLUSTER" start wmasterd
  echo after >&7
  wait_for 20 grep -qx 'said after' out.txt
  exec 7>&-
  code=0; wait $pid || code=$?
  [ "$code" -eq 8 ]
}

@test "battach: a shell in the job, with its environment; only for its owner" {
  job=$(MINE=yes submit -n 1 'sleep 31622')
  wait_for 20 in_state "$job" running
  run person 'send:echo "in=$LSB_JOBID mine=$MINE"; exit 3\n' "expect:in=$job mine=yes" -- battach "$job"
  [ "$status" -eq 3 ]
  bkill "$job"
}

@test "battach runs a command in the job over pipes; what it leaves ends with the job" {
  job=$(submit -n 1 'sleep 31623')
  wait_for 20 in_state "$job" running
  run timeout 60 battach "$job" sh -c 'echo a; echo b >&2; (sleep 31624 >/dev/null 2>&1 &) ; exit 2' </dev/null
  [ "$status" -eq 2 ]
  [[ $output == *a* && $output == *b* ]]
  bkill "$job"
  ran_out "$job"
  wait_for 15 none_like 'sleep 31624'
}

@test "battach to a task on another host is there, also where the job has only room" {
  job=$(submit -n 4 -R 'span[ptile=2]' 'sleep 31625')
  wait_for 20 in_state "$job" running
  there=$(field "$job" exec_host | tr : '\n' | sed -n 3p)
  run timeout 60 battach "$job.3" sh -c 'echo at=$WM_HOST job=$WM_ATTEMPT' </dev/null
  [ "$status" -eq 0 ]
  [[ $output == "at=$there job="*"@$there:$job."* ]]
  run battach "$job.9" true
  [ "$status" -eq 255 ]
  bkill "$job"
}

@test "battach -m: a login on another host of the job, on no other" {
  job=$(submit -n 2 -R 'span[ptile=1]' 'sleep 31626')
  wait_for 20 in_state "$job" running
  there=$(field "$job" exec_host | tr : '\n' | sed -n 2p)
  run timeout 60 battach -m "$there" -l -L /bin/bash "$job" -c 'echo at=$WM_HOST; shopt login_shell' </dev/null
  [ "$status" -eq 0 ]
  [[ $output == *"at=$there"* ]]
  [[ $output == *login_shell*on* ]]
  run timeout 60 battach -m nowhere "$job" true </dev/null
  [ "$status" -eq 255 ]
  bkill "$job"
}

@test "battach to a job that does not run is refused" {
  job=$(submit -H true)
  run battach "$job"
  [ "$status" -eq 255 ]
  [[ $output == *"not started"* ]]
}

@test "arrays and rerunnable jobs cannot be interactive" {
  run bsub -I -J 'a[1-3]' true
  [ "$status" -eq 255 ]
  run bsub -I -r true
  [ "$status" -eq 255 ]
  [[ $output == *"Interactive job cannot be rerunnable"* ]]
}
