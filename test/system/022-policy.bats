#!/usr/bin/env bats
# Role: the site's policy of submissions on real daemons: every way in meets it, its words and options reach the user,
# and what is wrong with it refuses.

load lib
setup_file() {
  programs_built || return 0
  open_place
  set_policy accept
  local door=()
  [ ! -x "$B/sbin/wuserd" ] || door=(--web)
  cluster_up "${door[@]}" --nodes 1 --cpus 2
  eval "$("$MINICLUSTER" env --dir "$CLUSTER")"
  mkdir -p "$WM_CONF_DIR/wm.conf.d" "$WM_CONF_DIR/queues.conf.d"
  printf '[night]\npriority = 60\n' >"$WM_CONF_DIR/queues.conf.d/night.conf"
  configure
}
teardown_file() {
  cluster_down
  rm -rf "${PLACE-}"
}
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; }
after_each() { set_policy accept; configure; end_all_jobs; }

# configure [line]…: submit_policy, with these lines beside it
configure() {
  printf 'submit_policy = %s/policy\n' "$PLACE" >"$WM_CONF_DIR/wm.conf.d/policy.conf"
  [ $# -eq 0 ] || printf '%s\n' "$@" >>"$WM_CONF_DIR/wm.conf.d/policy.conf"
  PATH=$B/bin:$PATH badmin reconfig >/dev/null
}
# set_policy TEXT: what the command does from now on; a run under way goes on as it was
set_policy() {
  case $1 in
    accept) set_policy 'while read -r job; do echo "{\"accept\": true}"; done' ;;
    *) printf '#!/bin/sh\n%s\n' "$1" >"$PLACE/next" && chmod 755 "$PLACE/next" && mv "$PLACE/next" "$PLACE/policy" ;;
  esac
}
# Sends what is not in the queue night there, and refuses jobs that are called forbidden.
to_night() {
  set_policy 'while read -r job; do
  case $job in
    *\"J\":\"forbidden\"*) echo "{\"refuse\": \"not this one\"}" ;;
    *\"queue\":\"night\"*) echo "{\"accept\": true}" ;;
    *) echo "{\"options\": {\"q\": \"night\", \"W\": 5}}" ;;
  esac
done'
}

@test "the words of a refusal are shown, and no job is made" {
  set_policy 'echo "{\"refuse\": \"no project, no job\"}"'
  run bsub -J refused true
  [ "$status" -eq 255 ]
  [[ $output == "submit_policy: no project, no job. Job not submitted." ]] || { echo "$output"; return 1; }
  run bjobs -a -noheader -J refused
  [ -z "$(bjobs -a -noheader -o jobid -J refused 2>/dev/null)" ]
}

@test "other options are signed anew, told, and what the job has" {
  to_night
  run bsub -J moved -o out.txt 'echo in $LSB_QUEUE'
  [ "$status" -eq 0 ]
  [[ $output == *"bsub: submit_policy of this cluster has it with -q night -W 5"* ]] || { echo "$output"; return 1; }
  [[ $output == *"is submitted to queue <night>."* ]]
  job=$(grep -o 'Job <[0-9]*>' <<<"$output" | tr -dc 0-9)
  bjobs -l "$job" | tr -d '\n ' | grep -q 'Queue<night>'
  ran_out "$job" # its host checks the signature of what runs there
  is "$job" stat DONE
  grep -q '^in night$' out.txt
}

@test "of a pack each job has its own answer" {
  to_night
  printf '%s\n' '-J forbidden true' '-J p1 -H true' '-q night -J p2 -H true' >jobs
  run bsub -pack jobs
  [ "$status" -eq 255 ]
  [[ $output == *"line 1: submit_policy: not this one"* ]] || { echo "$output"; return 1; }
  [ "$(bjobs -noheader -o 'queue name' -J 'p*' | sort | tr -s ' ')" = $'night p1\nnight p2' ] || { bjobs -J 'p*'; return 1; }
}

@test "bmod and bswitch meet it too" {
  job=$(submit -H -q night -J kept true)
  set_policy 'echo "{\"refuse\": \"stay as you are\"}"'
  run bmod -n 2 "$job"
  [ "$status" -eq 255 ]
  [[ $output == *"submit_policy: stay as you are"* ]]
  run bswitch normal "$job"
  [ "$status" -eq 255 ]
  [[ $output == *"submit_policy: stay as you are"* ]]
  run bmod -W 100 "$job"
  [ "$status" -eq 255 ]
  is "$job" queue night
  set_policy 'case $(cat) in *\"W\":\"5\"*) echo "{\"accept\": true}" ;; *) echo "{\"options\": {\"W\": 5}}" ;; esac'
  run bmod -n 2 "$job"
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  [[ $output == *"has it with -W 5"* ]]
}

@test "the web door meets it too" {
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  execs=$WM_GATEWAY_URL/platform/rest/deeplearning/v1/execs
  mkdir code && echo 'print(1)' >code/main.py && tar -czf code.modelDir.tar code
  start() {
    curl -sS --cacert "$WM_GATEWAY_CA" -u "$(id -un):$WM_API_KEY" -w '\n%{http_code}\n' -F file=@code.modelDir.tar \
      "$execs/?args=--exec-start%20PyTorch%20--model-main%20main.py%20--cs-rmq-policy%20x"
  }
  set_policy 'echo "{\"refuse\": \"not by the door\"}"'
  run start
  [[ $output == *"submit_policy: not by the door"*403* ]] || { echo "$output"; return 1; }
  to_night
  run start
  id=$(grep -o '[a-z]*-[0-9]*' <<<"$output" | head -1)
  [ "$(bjobs -a -noheader -o queue | sort -u | tr -d ' ')" = night ] || { echo "$output"; bjobs -a; return 1; }
}

@test "a policy that crashes, prints rubbish, hangs or floods refuses, and is in the log" {
  for text in 'kill -SEGV $$' 'echo yes' 'printf "{\"acc"' 'exec yes' 'exit 3' 'true'; do
    set_policy "$text"
    run bsub -J broken true
    [ "$status" -eq 255 ] || { echo "$text: $output"; return 1; }
    [[ $output == "submit_policy did not answer: "*"Job not submitted." ]] || { echo "$text: $output"; return 1; }
  done
  configure 'submit_policy_limit = 300ms'
  set_policy 'exec sleep 31624'
  run bsub -J broken true
  [[ $output == *"killed after 300ms"* ]] || { echo "$output"; return 1; }
  ! pgrep -f 'sleep 31624'
  [ -z "$(bjobs -a -noheader -o jobid -J broken 2>/dev/null)" ]
  grep -q 'submit_policy_failed' "$CLUSTER"/log/wmasterd.out
  configure 'submit_policy_failure = accept'
  set_policy 'exit 3'
  submit -H -J taken true
}

@test "a policy that others can change is not run, and ckconfig says so" {
  chmod 777 "$PLACE/policy"
  run bsub true
  [ "$status" -eq 255 ]
  [[ $output == *"$PLACE/policy may be written by others"* ]] || { echo "$output"; return 1; }
  run badmin ckconfig
  [ "$status" -eq 255 ]
  [[ $output == *"Error: wm.conf: submit_policy: $PLACE/policy may be written by others"* ]] || { echo "$output"; return 1; }
}

@test "it is not root, and cannot read the store" {
  [ "$(id -u)" -eq 0 ] || skip "needs root"
  chmod 700 "$CLUSTER/state"
  set_policy "cat '$CLUSTER'/state/master/core.db >/dev/null 2>&1 && echo '{\"refuse\": \"read\"}' || echo '{\"refuse\": \"uid '\$(id -u)'\"}'"
  run bsub true
  [[ $output == "submit_policy: uid "* && $output != "submit_policy: uid 0."* ]] || { echo "$output"; return 1; }
}
