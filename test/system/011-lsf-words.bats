#!/usr/bin/env bats
# Role: what scripts written for LSF say on the command line and in their #BSUB lines, and find in their jobs.

load lib
setup_file() { cluster_up --nodes 2 --cpus 2; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

@test "what was one argument of bsub stays one in the job" {
  touch keep b.txt
  bsub -K -o /dev/null touch "a b.txt"
  run bsub -K -o /dev/null rm "keep b.txt"
  [ "$status" -ne 0 ]
  bsub -K -o /dev/null bash -c 'V=7; echo $V >seven; cd / && pwd >"$OLDPWD"/where'
  bsub -K -o /dev/null "$PYTHON" -c "open('said', 'w').write('''it's \"x  y\" (\\\\)''')"
  bsub -K -o /dev/null echo a '|' tr a b '>' shells
  [ "$(ls)" = $'a b.txt\nb.txt\nkeep\nsaid\nseven\nshells\nwhere' ]
  [ "$(cat seven where said shells)" = $'7\n/\nit\'s "x  y" (\\)b' ]
}

@test "directives: no blank, continued, a remark; errors name their line" {
  printf '%s\n' '#!/bin/sh' '#BSUB-J words' '#BSUB -n 2 \' '    -R "span[hosts=1]" \' '    -oo out' \
    '#BSUB options of the site end here' 'echo "$LSB_JOBNAME $LSB_DJOB_NUMPROC"' >job.sh
  run bsub -K <job.sh
  [ "$status" -eq 0 ]
  [[ $output == *"line 6 of the script: no option behind #BSUB"* ]]
  [ "$(head -1 out)" = 'words 2' ]
  ! grep -q 'not found' out
  run bsub < <(printf '#!/bin/sh\n#BSUB -q \n#BSUB -J x\ntrue\n')
  [ "$status" -eq 255 ]
  [ "$output" = 'line 2 of the script: option -q needs a value. Job not submitted.' ]
}

@test "a job submitted from inside another one inherits nothing that WM set for that one" {
  cat >outer.sh <<'S'
env | sort >outer
MASTER_PORT=1234 bsub -K -oo inner env
S
  bsub -K -app training -n 2 -env "all, MINE=1" -o /dev/null 'if [ $RANK = 0 ]; then sh '"$PWD"'/outer.sh; fi'
  grep -q ^RANK=0 "$(find . "$CLUSTER"/results -name outer -print -quit)" || find . "$CLUSTER/results" -name outer
  inner=$(find . "$CLUSTER"/results -name inner -print -quit)
  [ "$(grep -E '^(RANK|WORLD_SIZE|LOCAL_RANK|MASTER_ADDR|MASTER_PORT|NODE_RANK|RESULT_DIR|LOG_DIR|WMLA_.*|WM_JOB|MINE)=' "$inner" | sort)" = $'MASTER_PORT=1234\nMINE=1' ]
}

@test "an index that is named twice is one element, and elements know the range" {
  job=$(submit -J 'twice[1-3,2-5]' -oo '%I' 'echo $LSB_JOBINDEX_END $LSB_JOBINDEX_STEP')
  bwait -w "done($job)" -t 60
  [ "$(bjobs -A -noheader "$job" | awk '{print $4, $6}')" = '5 5' ]
  [ "$(head -1 5)" = '5 1' ]
  bsub -K -J 'step[1-7:3]' -oo 's%I' 'echo $LSB_JOBINDEX_END $LSB_JOBINDEX_STEP' || bwait -w 'done(step)' -t 60
  [ "$(head -1 s4)" = '7 3' ]
}

@test "every job has a file with a host for each task, the first host first" {
  bsub -K -n 2 -R 'span[ptile=1]' -oo out 'cat $LSB_DJOB_RANKFILE; echo $LSB_HOSTS'
  [ "$(head -2 out | tr '\n' ' ')" = "$(sed -n 3p out) " ]
  bsub -K -oo one 'wc -l <$LSB_DJOB_HOSTFILE'
  [ "$(head -1 one)" = 1 ]
}

@test "files copied back have the job's number; the folder is the one that the user has come through" {
  mkdir real
  ln -s real link
  cd link
  bsub -K -oo out -f "$PWD/got_%J < $PWD/made_%J" 'pwd; echo $PWD; echo x >made_$LSB_JOBID'
  [ "$(sed -n 2p out)" = "$PWD" ]
  wait_for 10 eval 'ls got_[0-9]*'
}

@test "options of states add up, hosts are shortened, and no field of LSF's is unknown" {
  bsub -K -n 2 -R 'span[hosts=1]' -J st true
  job=$(submit -J st sleep 600)
  bsub -H -J st true
  wait_for 10 in_state "$job" running
  count() { bjobs "$@" -noheader -o stat -J st | wc -l; }
  [ "$(count -p -r) $(count -s -r) $(count -d -r) $(count -p3) $(count -a)" = '2 2 2 1 3' ]
  [[ $(LSB_SHORT_HOSTLIST=1 bjobs -d -noheader -o exec_host -J st) == '2*node'[12] ]]
  LSB_SHORT_HOSTLIST=1 bjobs -d -json -o exec_host -J st | jq -e '.RECORDS[0].EXEC_HOST | startswith("2*")'
  for field in runtimelimit avg_mem pendstate swaplimit hrusage nthreads alloc_slot gpu_alloc ertime plimit esub; do
    bjobs -o "$field" "$job"
  done
}

@test "a date that is years away says its year, and limits per host are taken" {
  run bsub -hl -M 100K -b 2:29:10:00 -J far true
  [ "$status" -eq 0 ]
  [[ $output =~ 'Job will be scheduled after '...' Feb 29 10:00:00 20'[2-9][0-9] ]]
  [[ $(bjobs -UF -J far) == *'Specified Start Time <'*' Feb 29 10:00:00 20'* ]]
  [ "$(bjobs -noheader -o memlimit -J far)" = '100.0 Kbytes' ]
  run bsub -XF true
  [[ $output == *'-XF: X11 is not forwarded'* ]]
}
