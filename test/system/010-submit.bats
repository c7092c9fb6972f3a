#!/usr/bin/env bats
# Role: from bsub to a finished task and back through bjobs, bhist and bpeek.

load lib
setup_file() { cluster_up --nodes 2 --cpus 4; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }

@test "bsub prints the job number first and the command runs as its owner in its folder" {
  run bsub -o out.txt 'id -un; pwd; echo $LSB_JOBID'
  [ "$status" -eq 0 ]
  [[ $output =~ ^"Job <"([0-9]+)"> is submitted to default queue <normal>."$ ]]
  job=${BASH_REMATCH[1]}
  ran_out "$job"
  [ "$(state "$job")" = finished ]
  wait_for 5 grep -qx "$job" out.txt
  grep -qx "$(id -un)" out.txt
  grep -qx "$(pwd -P)" out.txt
}

@test "a failing command ends in EXIT with its exit code" {
  job=$(submit 'exit 3')
  ran_out "$job"
  is "$job" stat EXIT
  is "$job" exit_code 3
  [ "$(state "$job")" = failed ]
}

@test "a named queue is named in the answer" {
  run bsub -q urgent true
  [[ $output == *"is submitted to queue <urgent>." ]]
}

@test "#BSUB lines of a script on stdin are options; the command line goes first" {
  run bsub -J outer <<'SH'
#!/bin/bash
#BSUB -J inner
#BSUB -n 2 -o script.txt   # two tasks' room
echo "$LSB_JOBNAME $LSB_DJOB_NUMPROC"
SH
  [ "$status" -eq 0 ]
  [[ $output =~ \<([0-9]+)\> ]]
  ran_out "${BASH_REMATCH[1]}"
  wait_for 5 grep -qx 'outer 2' script.txt
}

@test "a script file is read the same way" {
  printf '#!/bin/bash\n#BSUB -J filed -o filed.txt\necho "$LSB_JOBNAME"\n' >job.sh
  chmod +x job.sh
  job=$(submit ./job.sh)
  ran_out "$job"
  wait_for 5 grep -qx filed filed.txt
}

@test "a script with arguments is a command, and bsub says that its #BSUB lines are not read" {
  printf '#!/bin/bash\n#BSUB -J filed\necho "$LSB_JOBNAME $1" >args.txt\n' >args.sh
  chmod +x args.sh
  run bsub ./args.sh word
  [ "$status" -eq 0 ]
  [[ $output == *"the #BSUB lines of ./args.sh are not read"* ]]
  wait_for 20 grep -q 'args.sh word word' args.txt
  run bsub /bin/echo word
  [[ $output != *"not read"* ]]
}

@test "-K waits and passes the exit code on" {
  run bsub -K 'exit 7'
  [ "$status" -eq 7 ]
}

@test "-H holds, bresume is not needed for bkill" {
  job=$(submit -H true)
  is "$job" stat PSUSP
  [ "$(state "$job")" = held ]
  run bkill "$job"
  [ "$status" -eq 0 ]
  ran_out "$job"
}

@test "an array runs every element with its index" {
  job=$(submit -J 'many[1-4]%2' -o 'part.%I' 'echo $LSB_JOBINDEX')
  for i in 1 2 3 4; do ran_out "$job[$i]"; done
  for i in 1 2 3 4; do wait_for 5 grep -qx $i "part.$i"; done
  run bjobs -a -json -o jobid "$job"
  [ "$(jq .JOBS <<<"$output")" -eq 4 ]
}

@test "every pending job says why" {
  job=$(submit -n 8 sleep 1000)
  other=$(submit -n 2 sleep 1000)
  wait_for 5 in_state "$job" running
  [ "$(state "$other")" = pending ]
  [ -n "$(field "$other" pend_reason)" ]
  bkill "$job" "$other"
  ran_out "$job" && ran_out "$other"
}

@test "bhist tells submission, start and end" {
  job=$(submit true)
  ran_out "$job"
  for event in SUBMIT DISPATCH START END; do
    [ "$(events "$job" $event | wc -l)" -ge 1 ] || { bhist -json "$job"; return 1; }
  done
}

@test "bpeek shows what a running job has printed" {
  job=$(submit 'echo early words; sleep 1000')
  wait_for 10 in_state "$job" running
  wait_for 10 bash -c "bpeek $job | grep -q 'early words'"
  bkill "$job"
  ran_out "$job"
  run bpeek "$job"
  [ "$status" -eq 255 ]
  [[ $output == "Job <$job> : Already finished." ]]
}
