#!/usr/bin/env bats
# Role: what programs written for LSF ask and send, word for word, and what they read of the answers:
# version probes, settings, cancellation, memory of parallel jobs.

load lib
setup_file() { cluster_up --nodes 1 --cpus 2 --mem 4G; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

@test "lsid names a release of LSF, the cluster and its master" {
  [[ $(lsid | head -1) =~ IBM\ Spectrum\ LSF\ Standard\ (.*), ]]
  [ "${BASH_REMATCH[1]}" = 10.1.0.13 ]
  cluster=$(lsid | sed -n 's/^My cluster name is //p')
  [ -n "$cluster" ]
  lsid | grep -q '^My master name is .'
  [ "$(lsclusters -w | awk 'NR == 2 { print $1, $2, $5 }')" = "$cluster ok 1" ]
}

@test "settings have their LSF names, the unit of limits only where the site has one" {
  bparams -a | grep -qx 'RESOURCE_RESERVE_PER_TASK = N'
  bparams | grep -qx 'Default Queues:  normal'
  for daemon in 'badmin showconf mbd' 'lsadmin showconf lim'; do
    run $daemon
    [ "$status" -eq 0 ]
    [[ ${lines[1]} =~ ^\ \ [A-Z_]+\ =\ . ]]
    [[ $output != *LSF_UNIT_FOR_LIMITS* ]]
  done
  grep -qx 'RESOURCE_RESERVE_PER_TASK=N' "$LSF_ENVDIR/lsf.conf"
  grep -q '^LSB_SHAREDIR=/' "$LSF_ENVDIR/lsf.conf"
  job=$(submit 'grep -c . $LSF_ENVDIR/lsf.conf >seen')
  ran_out "$job"
  [ "$(cat seen)" -gt 5 ]
}

@test "lsb.params lies below the LSF_CONFDIR that is told, and stays where somebody wrote it" {
  params=$(badmin showconf mbd | sed -n 's/^ *LSF_CONFDIR = //p')/lsbatch/$(lsclusters | awk 'NR == 2 { print $1 }')/configdir/lsb.params
  grep -qx 'DEFAULT_QUEUE = normal' "$params"
  [ "$(grep -c '^Begin Parameters$\|^End Parameters$' "$params")" -eq 2 ]
  run badmin lsfconf made
  [ "${#lines[@]}" -eq 2 ]
  echo '# mine' >made/lsf.conf
  run badmin lsfconf made
  [[ $output == *"made/lsf.conf is somebody's own: it stays"* ]]
  [ "$(cat made/lsf.conf)" = '# mine' ]
}

@test "a mistake in wm.conf that is not in force stops no user, and is told" {
  cp -r "$WM_CONF_DIR" wrong
  printf '\n[typo]\nx = 1\n' >>wrong/wm.conf
  export WM_CONF_DIR=$PWD/wrong
  run bjobs
  [ "$status" -eq 0 ]
  [[ $output == *"Warning: wm.conf:"*"unknown section 'typo'"* ]]
  job=$(submit -H true 2>told)
  [ "$(grep -c typo told)" -eq 1 ]
  bkill "$job" 2>/dev/null
  run badmin ckconfig
  [ "$status" -eq 255 ]
  run badmin reconfig
  [ "$status" -eq 255 ]
}

@test "a waiting job that gets SIGTERM never starts" {
  busy=$(submit -n 2 sleep 600)
  wait_for 10 in_state "$busy" running
  job=$(submit touch started)
  run bkill -s TERM "$job"
  [ "$status" -eq 0 ]
  [ "$(state "$job")" = killed ]
  run bkill -s USR1 "$(submit true)"
  [ "$status" -eq 255 ]
  [[ $output == *"has not started yet" ]]
}

@test "an array whose first elements are over is killed with exit code 0" {
  array=$(submit -J 'a[1-3]' '[ $LSB_JOBINDEX = 1 ] || sleep 600')
  over() { bjobs -json -o stat "${array}[1]" | grep -q DONE; }
  wait_for 20 over
  run bkill "$array"
  [ "$status" -eq 0 ]
  [[ $output != *"already finished"* ]]
  ran_out "${array}[3]"
  run bkill "$array"
  [ "$status" -eq 255 ]
  [ "$output" = "Job <$array>: Job has already finished" ]
  [[ $(bjobs -W "${array}[2]" | tail -1) == "$array "* ]]
  bacct -l "${array}[1]" | grep -q ': Completed <done>\.$'
}

@test "memory of a parallel job counts once a host, or per task where it says so" {
  job=$(submit -n 2 -R 'rusage[mem=3072] span[hosts=1]' true)
  ran_out "$job"
  [ "$(state "$job")" = finished ]
  run bsub -n 2 -R 'rusage[mem=3072/task]' true
  [ "$status" -eq 255 ]
  [[ $output == *"of memory each"* ]]
  run bsub -n 9999 true
  [[ $output == *"Too many processors requested"* ]]
  run bsub -R 'rusage[lic=1]' true
  [[ $output == *"cannot be used in the resource requirement section"* ]]
}

@test "brequeue has a running job wait and start again under its number" {
  job=$(submit 'echo once >>starts; sleep 600')
  wait_for 20 test -s starts
  run brequeue "$job"
  [ "$status" -eq 0 ]
  [ "$output" = "Job <$job> is being requeued" ]
  twice() { [ "$(wc -l <starts)" -eq 2 ]; }
  wait_for 40 twice
  bkill "$job"
  ran_out "$job"
  run brequeue "$job"
  [ "$status" -eq 255 ]
}

@test "brequeue queues what is over again, and holds it where that is asked" {
  job=$(submit 'echo once >>again; exit 3')
  ran_out "$job"
  run brequeue "$job"
  [ "$status" -eq 255 ]
  run brequeue -d "$job"
  [ "$status" -eq 255 ]
  run brequeue -e -H "$job"
  [ "$status" -eq 0 ]
  [[ $(bjobs -noheader -o stat "$job") == PSUSP ]]
  bresume "$job"
  twice() { [ "$(wc -l <again)" -eq 2 ]; }
  wait_for 40 twice
  ran_out "$job"
  bhist -l "$job" | grep -q 'Job has been requeued by user or administrator'
  job=$(submit 'sleep 600')
  wait_for 20 in_state "$job" running
  run brequeue -H "$job"
  [ "$status" -eq 0 ]
  held() { [[ $(bjobs -noheader -o stat "$job") == PSUSP ]]; }
  wait_for 40 held
  bkill "$job"
}

@test "lsb.events tells of jobs once a key asks for it" {
  sed -i 's/^lsb_events.*//; $a lsb_events = yes' "$WM_CONF_DIR/wm.conf"
  badmin reconfig
  job=$(submit -J told true)
  ran_out "$job"
  file=$(sed -n 's/^LSB_SHAREDIR=//p' "$LSF_ENVDIR/lsf.conf")/$(lsid | sed -n 's/^My cluster name is //p')/logdir/lsb.events
  kinds() { awk -v job="$job" '$4 == job { print $1 }' "$file" | tr -d '\n"'; }
  all() { [ "$(kinds)" = JOB_NEWJOB_STARTJOB_STATUSJOB_FINISH ]; }
  wait_for 20 all
}

@test "a shell that is not there is refused, and an interpreter that is not there is told" {
  run bsub -L /no/shell true
  [ "$status" -eq 255 ]
  [[ $output == *"-L /no/shell: No such file"*"Job not submitted."* ]]
  printf '#!/no/interpreter\ntrue\n' >script
  job=$(submit -o /dev/null <script)
  ran_out "$job"
  bjobs -l "$job" | tr -d '\n' | tr -s ' ' | grep -q 'Exited with exit code 127. /no/interpreter: No such file or directory.'
}

@test "lsload tells what hosts measure" {
  told() { [[ $(lsload -noheader -o 'r15s r15m it tmp mem' | head -1) != *-* ]]; }
  wait_for 20 told
}

@test "bpeek without a number shows the newest job that runs" {
  job=$(submit -J talk 'echo from the old one; sleep 600')
  newer=$(submit 'echo from the new one; sleep 600')
  said() { [[ $(bpeek "${@:2}") == *"$1"* ]]; }
  wait_for 20 said 'the new one'
  wait_for 20 said 'the old one' -J talk
  bkill "$job" "$newer"
}
