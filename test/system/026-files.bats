#!/usr/bin/env bats
# Role: files that travel with a job (-f, -is), and its budgets of being queued again.

load lib
setup_file() {
  cat >"$BATS_FILE_TMPDIR/wm.conf" <<CONF
[limits]
max_user_requeue = 2
CONF
  cluster_up --nodes 2 --conf "$BATS_FILE_TMPDIR/wm.conf"
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
}

@test "files go there before the job and come back after it" {
  mkdir there
  echo input >in
  echo first >log
  job=$(submit -cwd "$PWD/there" -f "$PWD/in > in" -f "$PWD/out < out" -f "$PWD/log << out" 'cat in >out; echo more >>out')
  ran_out "$job"
  [ "$(state "$job")" = finished ]
  wait_for 10 grep -q more log
  [ "$(cat out)" = $'input\nmore' ]
  [ "$(cat log)" = $'first\ninput\nmore' ]
}

@test "who waits for the end finds copies and report, and no trace of what comes after" {
  job=$(submit -o "$PWD/x.out" -f "$PWD/back < made" -Ep 'sleep 30' 'echo said; echo made >made; exit 3')
  bwait -w "ended($job)" -t $DEADLINE_FACTOR
  grep -q 'Exited with exit code 3' x.out
  grep -q said x.out
  [ "$(cat back)" = made ]
}

@test "a copy back that fails is named in the report and by bjobs -l, and the job ends as it ended" {
  job=$(submit -o "$PWD/x.out" -f "$PWD/back < never" true)
  bwait -w "ended($job)" -t $DEADLINE_FACTOR
  grep -q "the copy of 'never' exited with 1" x.out
  [ "$(state "$job")" = finished ]
  [[ $(bjobs -l "$job" | tr -d '\n ') == *"thecopyof'never'exitedwith1"* ]] || { bjobs -l "$job"; return 1; }
}

@test "a file that is not there keeps the job from running, and is named" {
  job=$(submit -f "$PWD/nothing > in" 'touch ran')
  ran_out "$job" 60
  [ "$(state "$job")" = failed ]
  [[ $(bhist -l "$job" | tr -d '\n ') == *"thecopyof'$PWD/nothing'exitedwith1"* ]] || { bhist -l "$job"; return 1; }
  [ ! -e ran ]
}

@test "a spooled input is the file as it was, and is gone afterwards" {
  export HOME=$PWD
  echo then >in
  job=$(submit -H -is in -o out.txt cat)
  echo now >in
  [ "$(ls .lsbatch | wc -l)" -eq 1 ]
  bresume "$job"
  ran_out "$job"
  [ "$(head -1 out.txt)" = then ]
  none_spooled() { [ "$(ls .lsbatch | wc -l)" -eq 0 ]; }
  wait_for 10 none_spooled
}

@test "a job that always asks to be queued again ends when its budget is used up" {
  job=$(submit -Q 7 'echo x >>runs; exit 7')
  ran_out "$job" 60
  [ "$(state "$job")" = failed ]
  is "$job" exit_code 7
  [ "$(wc -l <runs)" -eq 3 ]
}

@test "an output file that cannot be made keeps the job from running, and its end says why" {
  job=$(submit -o out/sub/x.%J 'touch ran')
  ran_out "$job"
  [ "$(state "$job")" = failed ]
  [ ! -e ran ]
  why="output file out/sub/x.$job: No such file or directory"
  for command in 'bjobs -l' 'bhist -l'; do
    [[ $($command "$job" | tr -d '\n ') == *"${why// /}"* ]] || { $command "$job"; return 1; }
  done
  [[ $(bwhy "$job" | tr -d '\n ') == *"${why// /}"* ]] || { bwhy "$job"; return 1; }
}

@test "files of -o and -e exist though nothing is written, and replace old ones when asked to" {
  echo old | tee out.txt >err.txt
  job=$(submit -o new.txt -e new.err true)
  ran_out "$job"
  [ -s new.txt ] && [ -e new.err ] && [ ! -s new.err ]
  job=$(submit -oo out.txt -eo err.txt true)
  ran_out "$job"
  grep -q 'Successfully completed' out.txt
  ! grep -q old out.txt
  [ ! -s err.txt ]
}

@test "what a job writes to at its end gets to write it" {
  job=$(submit "bash -c 'exec > >(sleep 0.3; tee log) 2>&1; echo line'")
  ran_out "$job"
  [ "$(state "$job")" = finished ]
  [ "$(cat log)" = line ]
}

@test "output of a job that names no file is in one where it ran, and a silent job makes none" {
  mkdir here && cd here
  silent=$(submit true)
  job=$(submit 'echo out; echo err >&2')
  ran_out "$silent"
  ran_out "$job"
  [ "$(ls)" = "wm-$job.out" ]
  [ "$(sort "wm-$job.out")" = $'err\nout' ]
}

@test "an output directory is made before the tasks, and relative output lies there" {
  job=$(submit -J 'each[3]' -P risk -outdir 'out/%P/%J.%I' -o log.%J -e err.txt \
    'pwd; echo "$LSB_OUTDIR $LSB_OUTPUTFILE $LSB_ERRORFILE $LSB_BATCH_JID"; echo oops >&2; touch "$LSB_OUTDIR/mine"')
  ran_out "$job[3]"
  [ "$(state "$job[3]")" = finished ] || { bhist -l "$job"; return 1; }
  dir=$PWD/out/risk/$job.3
  [ -e "$dir/mine" ]
  grep -qx "$PWD" "$dir/log.$job"
  grep -qxF "$dir $dir/log.$job $dir/err.txt $job[3]" "$dir/log.$job"
  grep -qx oops "$dir/err.txt"
  is "$job[3]" output_dir 'out/%P/%J.%I'
  [[ $(bjobs -l "$job" | tr -d '\n ') == *'OutputDirectory<out/%P/%J.%I>'* ]]
}

@test "an output directory that cannot be made keeps the job from running, and its end says why" {
  touch taken
  job=$(submit -outdir taken/out 'touch ran')
  ran_out "$job"
  [ "$(state "$job")" = failed ]
  [ ! -e ran ]
  [[ $(bjobs -l "$job" | tr -d '\n ') == *"mkdir$PWD/taken/out:Notadirectory"* ]] || { bjobs -l "$job"; return 1; }
}

@test "-Zs runs the script as it was when it was submitted, with its arguments" {
  printf '#!/bin/bash\necho then "$#" "$@"\n' >script
  chmod +x script
  job=$(submit -H -Zs -o out.txt './script a "b c" $((1 + 1))')
  printf '#!/bin/bash\necho now\n' >script
  bresume "$job"
  ran_out "$job"
  wait_for 5 grep -q Successfully out.txt
  [ "$(grep -E '^(then|now)' out.txt)" = 'then 3 a b c 2' ] || { cat out.txt; return 1; }
  run bsub -Zs /bin/true x
  [ "$status" -eq 255 ]
  [[ $output == *'only scripts are kept, this is a program. Job not submitted.' ]]
}

@test "a job knows what its requirements came to" {
  job=$(submit -R 'rusage[mem=10]' -R 'span[hosts=1]' -n 2 -o out.txt 'echo "is $LSB_EFFECTIVE_RSRCREQ"; echo "$LSB_BATCH_JID"')
  ran_out "$job"
  wait_for 5 grep -q Successfully out.txt
  grep -qx 'is .*rusage\[mem=10[^]]*\].*span\[hosts=1\].*' out.txt || { cat out.txt; return 1; }
  grep -qx "$job" out.txt
}
