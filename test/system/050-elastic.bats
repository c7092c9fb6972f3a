#!/usr/bin/env bats
# Role: elastic training on real processes: resized by bresize, by a second job, by deaths;
# the step records prove that nothing was lost.

load lib
setup_file() { cluster_up --nodes 4 --cpus 1 --gpus 1; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; cp "$BATS_TEST_DIRNAME/small_train.py" .; }

# newcomers that were started and failed, beside the first task
has_tried() { [ "$(ls "$(result_dir "$1")/log" | wc -l)" -gt "$2" ]; }
explained() { bjobs -l "$1" | tr -d "\n" | grep -q "stays at its size"; }

@test "bresize release and request resize a running job without a restart" {
  job=$(train 1,2 2000)
  wait_for 40 at_world "$job" 2
  run bresize release 1 "$job"
  [ "$status" -eq 0 ]
  wait_for 10 at_world "$job" 1
  run bresize request 1 "$job"
  [ "$status" -eq 0 ]
  wait_for 20 at_world "$job" 2
  proven "$job" 2000
}

@test "elements of an elastic array share what there is, give way and grow again, each by itself" {
  job=$(submit -app training -ar -n 1,4 -gpu num=1 -J 'trial[1-2]' $PYTHON small_train.py 2000 20)
  at_worlds() { at_world "$job.1" "$1" && at_world "$job.2" "$2"; }
  wait_for 60 at_worlds 2 2
  rigid=$(submit -app training -gpu num=1 -n 2 -J rigid sleep 1000)
  wait_for 20 at_worlds 1 1
  bkill "$rigid"
  wait_for 30 at_worlds 2 2
  bkill "$job[1]"
  wait_for 30 at_world "$job.2" 4
  touch hurry
  wait_for 90 ended "$job[2]"
  [ "$(bjobs -noheader -o stat "$job" | sort | tr '\n' ' ')" = "DONE EXIT " ]
  run $PYTHON "$TOP/scripts/demo.d/evidence.py" "$(result_dir "$job.2")"
  [[ $output == *"2000 steps, 32000 samples, all in order"* ]] || { echo "$output"; return 1; }
}

@test "a second train() in the script keeps the workers of the first, and is resized like it" {
  cat >twice.py <<PY
exec(open('small_train.py').read())
print('between the two', flush=True)
fabric.train(500, BATCH, effective_batch_size=BATCH, validation_freq=0)
PY
  job=$(submit -app training -ar -n 1,2 -gpu num=1 -o out $PYTHON twice.py 100 25)
  wait_for 60 grep -q 'between the two' out
  wait_for 40 past_step "$job" 120
  at_world "$job" 2
  bresize release 1 "$job"
  wait_for 10 at_world "$job" 1
  bresize request 1 "$job"
  wait_for 30 at_world "$job" 2
  touch hurry
  ran_out "$job" 90
  is "$job" attempt 1
  [ "$(state "$job")" = finished ] && [ "$(last_step "$job")" -eq 2000 ]
}

@test "a second job takes half, and gives it back when it ends" {
  ann=$(train 1,4 3000)
  wait_for 40 at_world "$ann" 4
  mkdir bob && cp small_train.py bob
  bob=$(cd bob && train 1,4 2000)
  wait_for 20 at_world "$ann" 2
  wait_for 40 at_world "$bob" 2
  touch bob/hurry
  ran_out "$bob" 90
  wait_for 20 at_world "$ann" 4
  proven "$bob" 2000
  proven "$ann" 3000
}

@test "a worker killed at work: the survivors go on, nothing is lost" {
  job=$(train 1,3 2000)
  wait_for 40 at_world "$job" 3
  step=$(last_step "$job")
  "$MINICLUSTER" kill task "$job.3"
  wait_for 20 past_step "$job" $((step + 50))
  proven "$job" 2000 3
}

@test "rank 0's worker killed: the next one takes over, and what it says is the job's output" {
  job=$(submit -o job.out -app training -ar -n 1,3 -gpu num=1 $PYTHON small_train.py 2000 25)
  wait_for 40 at_world "$job" 3
  step=$(last_step "$job")
  "$MINICLUSTER" kill task "$job.1"
  wait_for 20 past_step "$job" $((step + 50))
  proven "$job" 2000 1
  wait_for 10 grep -q "Resource usage summary" job.out
  grep -q "training is complete" job.out
  grep -q "Successfully completed" job.out
}

@test "the shepherd of a host that is not the lead's killed: the others go on at once" {
  job=$(train 1,3 2000)
  wait_for 40 at_world "$job" 3
  other=$(field "$job" exec_host | sed 's/.*[: ]//; s/^[0-9]*\*//')
  step=$(last_step "$job")
  "$MINICLUSTER" kill shepherd "$job@$other"
  wait_for 10 past_step "$job" $((step + 50))
  proven "$job" 2000 3
}

said_why() { bhist -json "$1" | grep -F "$2"; }

@test "a host where the task fails at once does not keep the others from starting" {
  cat >picky.py <<PY
import os, sys
if os.environ['WM_TASK'] == '2': sys.exit('no such module: nonsense')
exec(open('small_train.py').read())
PY
  job=$(submit -app training -ar -n 1,3 -gpu num=1 -o out $PYTHON picky.py 1000 25)
  wait_for 40 past_step "$job" 20
  grep -A1 -- '---- task 2 on host .* failed with exit code 1; the end of its stderr' out | grep 'no such module: nonsense'
  wait_for 10 said_why "$job" 'its stderr ended: no such module: nonsense'
  proven "$job" 1000
}

@test "training goes on while wmasterd is dead, a worker's death then included" {
  job=$(train 1,3 2000)
  wait_for 40 at_world "$job" 3
  "$MINICLUSTER" kill wmasterd
  step=$(last_step "$job")
  wait_for 10 past_step "$job" $((step + 50))
  "$MINICLUSTER" kill task "$job.2"
  wait_for 10 at_world "$job" 2
  step=$(last_step "$job")
  wait_for 10 past_step "$job" $((step + 50))
  "$MINICLUSTER" start wmasterd
  proven "$job" 2000 2
}

@test "rank 0's whole host dies while wmasterd is dead: the others wait, then go on under a new lead" {
  job=$(train 1,3 2000)
  wait_for 40 at_world "$job" 3
  first=$(field "$job" exec_host | sed 's/[0-9]*\*//g; s/[: ].*//')
  "$MINICLUSTER" kill wmasterd
  "$MINICLUSTER" kill "$first"
  "$MINICLUSTER" start wmasterd
  wait_for 60 at_world "$job" 2
  "$MINICLUSTER" start "$first"
  proven "$job" 2000 1
}

@test "a worker that ignores the shrink request is killed after the grace; the others go on" {
  job=$(train 1,3 2000)
  wait_for 40 at_world "$job" 3
  "$MINICLUSTER" kill task "$job.3" -STOP
  bresize release 1 "$job"
  wait_for 60 at_world "$job" 2
  proven "$job" 2000 3
}

@test "a newcomer that crashes while importing disturbs nobody; the job says why it stays" {
  cat >picky.py <<PY
import os, sys
if int(os.environ.get('WM_TASK', '1')) > 1: sys.exit('no such module: nonsense')
exec(open('small_train.py').read())
PY
  blocker=$(submit -app training -n 3 -gpu num=1 sleep 1000)
  wait_for 10 in_state "$blocker" running
  job=$(submit -app training -ar -n 1,2 -gpu num=1 $PYTHON picky.py 2000 25)
  wait_for 40 past_step "$job" 20
  bkill "$blocker"
  wait_for 40 has_tried "$job" 3
  wait_for 20 explained "$job" || { bwhy "$job"; bjobs -l "$job"; return 1; }
  proven "$job" 2000
}

@test "all members lost at once: a new attempt goes on from the newest checkpoint" {
  export CHECKPOINT_FREQ=5
  job=$(train 2,2 800)
  wait_for 60 past_step "$job" 100
  "$MINICLUSTER" kill task "$job.1" & "$MINICLUSTER" kill task "$job.2"
  wait
  wait_for 30 events_of "$job" REQUEUE 1
  touch hurry
  [[ $(events "$job" REQUEUE) == *"goes on from the newest checkpoint"* ]]
  ran_out "$job" 120
  [ "$(state "$job")" = finished ] || { bhist -l "$job"; cat "$(result_dir "$job")"/log/*/stderr; return 1; }
  is "$job" attempt 2
  grep -q 'resumed from checkpoint' "$(result_dir "$job")"/log/*/stdout
  [ "$(last_step "$job")" -eq 800 ]
  # what was done after the checkpoint is done again, and nothing else is wrong
  run $PYTHON "$TOP/scripts/demo.d/evidence.py" "$(result_dir "$job")"
  ! grep -v -e '^Resize' -e 'all in order' -e 'were lost and done again' <<<"$output"
}
