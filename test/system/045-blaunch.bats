#!/usr/bin/env bats
# Role: commands that a job starts on its other hosts: rsh's manners, and nothing outlives the job.

load lib
setup_file() { cluster_up --nodes 2 --cpus 4; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

# A job of two tasks on each of both hosts; $other is the host that it does not start on.
pair() { submit -n 4 -R 'span[ptile=2]' -o out.txt 'set -- $LSB_MCPU_HOSTS; first=$1 other=$3; '"$1"; }
done_well() { ran_out "$1" 60 && [ "$(state "$1")" = finished ]; }
said() { wait_for 10 grep -qx "$1" out.txt; }
none_like() { ! pgrep -xf "$1"; }

@test "a command runs on the job's other host, in its part of the job" {
  job=$(pair 'cd /tmp; export MINE=yes; blaunch $other "echo there=\$WM_HOST mine=\$MINE pwd=\$PWD uid=\$(id -u); echo marker=\$WM_ATTEMPT"; echo other=$other')
  done_well "$job"
  other=$(sed -n 's/^other=//p' out.txt)
  grep -qx "there=$other mine=yes pwd=/tmp uid=$(id -u)" out.txt
  grep -q "^marker=.*@$other:$job" out.txt
}

@test "its exit code comes back; 128 and the signal when it was killed" {
  job=$(pair 'blaunch $other exit 7; echo code=$?; blaunch $other "kill -9 \$\$"; echo code=$?; blaunch $other no-such-program-$$; echo code=$?')
  done_well "$job"
  said code=7
  said code=137
  said code=127
}

@test "bytes pass unchanged, and stderr stays apart" {
  head -c 3000000 /dev/urandom >in.bin
  job=$(pair "blaunch \$other cat <$PWD/in.bin >$PWD/back.bin; blaunch -n \$other 'cat; echo out; echo err >&2' 2>$PWD/err.txt")
  done_well "$job"
  cmp in.bin back.bin
  said out
  [ "$(cat err.txt)" = err ]
}

@test "words are one line for a shell, as launchers rely on" {
  job=$(pair 'blaunch -n $other "\"/bin/echo\"" "a  b" "\"c  d\""; blaunch -no-shell $other /bin/echo "e  f"')
  done_well "$job"
  said 'a b c  d'
  said 'e  f'
}

@test "without a host once a slot, with -z and -u once a host" {
  job=$(pair 'blaunch "echo task=\$LSF_PM_TASKID@\$WM_HOST"; blaunch -z "$first $other" "echo z=\$WM_HOST"; echo "$other" >hosts; blaunch -u hosts "echo u=\$WM_HOST"')
  done_well "$job"
  [ "$(grep -c '^task=[1-4]@node[12]$' out.txt)" -eq 4 ]
  [ "$(grep '^task=' out.txt | sort -u | wc -l)" -eq 4 ]
  [ "$(grep -c '^z=node[12]$' out.txt)" -eq 2 ]
  [ "$(grep -c '^u=node[12]$' out.txt)" -eq 1 ]
}

@test "of many hosts each starts a share, and nothing is different" {
  job=$(pair 'export WM_LAUNCH_WIDTH=2; blaunch "echo task=\$LSF_PM_TASKID@\$WM_HOST under \$WM_LAUNCH_FIRST."; blaunch -z "$first $other $first $other $other" "cat; test \$LSF_PM_TASKID -ne 4 || exit 9" </etc/hostname; echo code=$?')
  done_well "$job"
  [ "$(grep -c '^task=[1-4]@node[12] under \.$' out.txt)" -eq 4 ]
  [ "$(grep '^task=' out.txt | sort -u | wc -l)" -eq 4 ]
  [ "$(grep -cxF "$(cat /etc/hostname)" out.txt)" -eq 1 ]
  said code=9
}

@test "several write whole lines, and who stays behind holds nobody up" {
  job=$(pair "blaunch 'printf lo; sleep 0.2; printf ng; sleep 0.2; echo \" line\"; printf e >&2; sleep 0.2; echo rr >&2' 2>$PWD/err.txt; blaunch -z \"\$first \$other\" 'sleep 600 & echo gone'; echo over")
  done_well "$job"
  [ "$(grep -cx 'long line' out.txt)" -eq 4 ]
  [ "$(grep -cx err err.txt)" -eq 4 ]
  [ "$(grep -cx gone out.txt)" -eq 2 ]
  said over
}

@test "several get their launcher's signals, and are heard to their ends" {
  job=$(pair "blaunch -z \"\$first \$other\" 'trap \"sleep 0.3; echo saved; exit 3\" TERM; touch up.\$WM_HOST; while :; do sleep 0.05; done' & while [ ! -e up.\$first ] || [ ! -e up.\$other ]; do sleep 0.1; done; kill -TERM \$!; wait \$!; echo code=\$?")
  done_well "$job"
  [ "$(grep -cx saved out.txt)" -eq 2 ]
  said code=3
}

@test "a host that is not the job's is refused with 255" {
  job=$(submit -n 1 -o out.txt 'blaunch -z "nosuch" true; echo code=$?')
  done_well "$job"
  said code=255
  grep -q 'host <nosuch> is not one of this job' out.txt
}

@test "outside of a job it says so" {
  run env -u LSB_JOBID blaunch node1 true
  [ "$status" -eq 255 ]
  [[ $output == *"inside a job"* ]]
}

@test "what was launched ends with the job" {
  job=$(pair 'blaunch $other "echo up; setsid sleep 31611 & sleep 31612"')
  wait_for 20 bash -c "bpeek $job | grep -qx up"
  wait_for 10 pgrep -xf 'sleep 31611'
  bkill "$job"
  ran_out "$job" 40
  wait_for 15 none_like 'sleep 3161[12]'
}

@test "a launched command gets its launcher's signals, and ends when that is killed" {
  job=$(pair 'blaunch $other "trap \"echo got; exit 3\" USR1; echo up; while :; do sleep 0.1; done" & sleep 0.1; pid=$!
    until grep -qx up '"$PWD"'/live.txt; do sleep 0.1; done; kill -USR1 $pid; wait $pid; echo code=$?
    blaunch $other sleep 31613 & until pgrep -xf "sleep 31613"; do sleep 0.1; done; kill -9 $!; sleep 31614')
  : >live.txt
  wait_for 20 bash -c "bpeek $job | tee $PWD/live.txt | grep -qx up"
  wait_for 20 bash -c "bpeek $job | grep -qx code=3"
  bpeek "$job" | grep -qx got
  wait_for 20 pgrep -xf 'sleep 31614'
  wait_for 20 none_like 'sleep 31613'
  bkill "$job"
}

@test "an agent that is killed takes its commands along and is replaced" {
  job=$(pair 'blaunch $other "echo pid=\$PPID; sleep 31615"; echo code=$?; blaunch $other echo again; echo code=$?')
  wait_for 20 bash -c "bpeek $job | grep -q ^pid="
  kill -9 "$(bpeek "$job" | sed -n 's/^pid=//p')"
  done_well "$job"
  said code=255
  said again
  said code=0
  none_like 'sleep 31615'
}

@test "wnoded and the master may die while commands run elsewhere" {
  mkfifo go
  job=$(pair 'blaunch $other "echo up; read line <\$PWD/go; echo line \$line; exit 4"; echo code=$?')
  wait_for 20 bash -c "bpeek $job | grep -qx up"
  for node in node1 node2; do "$MINICLUSTER" kill wnoded $node; done
  "$MINICLUSTER" kill wmasterd
  echo x >go
  "$MINICLUSTER" start wmasterd
  for node in node1 node2; do "$MINICLUSTER" start $node; done
  done_well "$job"
  said 'line x'
  said code=4
}

@test "a part whose shepherd is killed ends the job, and nothing of it is left" {
  job=$(pair 'echo other=$other; blaunch $other "echo up; sleep 31616"; sleep 31617')
  wait_for 20 bash -c "bpeek $job | grep -qx up"
  other=$(bpeek "$job" | sed -n 's/^other=//p')
  "$MINICLUSTER" kill shepherd "$job@$other"
  ran_out "$job" 40
  [ "$(state "$job")" = failed ]
  none_like 'sleep 3161[67]'
}
