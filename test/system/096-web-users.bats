#!/usr/bin/env bats
# Role: two accounts at the web door (root only): who they are is told by wlogind, by PAM or by keys of
# their own; what runs is theirs, and nobody sees or reaches the other's.

load lib
why_not() {
  why_no_accounts
  [ -x "$B/sbin/wlogind" ] && [ -x "$B/bin/wmkey" ] || echo "the web door is not built"
}
account() { # a|b HOME
  make_account "$1" "$2"
  mkdir -p "$2" && chown "$ACCOUNT-$1" "$2" && chmod 700 "$2"
}
setup_file() {
  [ -z "$(why_not)" ] || return 0
  open_place
  reachable_build "$PLACE/build"
  account a "$PLACE/a"
  account b "$PLACE/b"
  # Passwords as PAM's test modules have them; wlogind is started with the wrapper before it.
  mkdir -p "$PLACE/pam.d"
  printf "%s:secret of %s:wm\n" "$ACCOUNT-a" a "$ACCOUNT-b" b >"$PLACE/passdb"
  local matrix=/usr/lib/x86_64-linux-gnu/pam_wrapper/pam_matrix.so
  printf '%s required %s passdb=%s\n' auth "$matrix" "$PLACE/passdb" account "$matrix" "$PLACE/passdb" >"$PLACE/pam.d/wm"
  export PAM_WRAPPER=1 PAM_WRAPPER_SERVICE_DIR=$PLACE/pam.d
  export WM_APPS_HOST='*.apps.test'  # each job has an origin of its own
  # Programs that start in one moment can choose one folder /tmp/pam.?: the wrapper ends the second.
  local tries
  for tries in 1 2 3; do
    ! LD_PRELOAD=libpam_wrapper.so "$MINICLUSTER" up --dir "$PLACE/c" --nodes 2 --cpus 2 --multiuser --web || return 0
    echo "try $tries: no cluster"
    LD_PRELOAD='' "$MINICLUSTER" down --dir "$PLACE/c" || true
    rm -rf "$PLACE/c"
  done
  return 1
}
teardown_file() {
  [ -n "${PLACE-}" ] || return 0
  LD_PRELOAD='' "$MINICLUSTER" down --dir "$PLACE/c"
  remove_accounts
  # The wrapper's folders, of daemons that were killed: it knows no TMPDIR.
  grep -l "$PLACE/passdb" /tmp/pam.?/wm 2>/dev/null | xargs -r dirname | xargs -r rm -r
  rm -rf "$PLACE"
}
setup() {
  [ -n "${PLACE-}" ] || skip "$(why_not | head -n 1)"
  CLUSTER=$PLACE/c
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  EXECS=$WM_GATEWAY_URL/platform/rest/deeplearning/v1/execs
  stopped=
  mkdir code && cp "$BATS_TEST_DIRNAME/web_code.py" code/main.py && tar -czf code.modelDir.tar code
}

after_each() {
  [ -z "${stopped-}" ] || kill -CONT "$stopped" 2>/dev/null || true
  [ -z "${DOCUMENTS-}" ] || kill "$DOCUMENTS" 2>/dev/null || true
  end_all_jobs
}
as() { # a|b COMMAND…
  local who=$ACCOUNT-$1
  shift
  setpriv --reuid "$who" --regid "$(id -g "$who")" --init-groups -- env HOME=/nonexistent USER="$who" LOGNAME="$who" "$@"
}
door() { curl -sS --cacert "$WM_GATEWAY_CA" "$@"; }
code_of() { door -o /dev/null -w '%{http_code}' "$@"; }
key() { # a|b [options of create]: a key of its own for this test
  as "$1" wmkey create "t$BATS_TEST_NUMBER-$RANDOM" "${@:2}" 2>/dev/null
}
exec_is() { [ "$(door -u "$ACCOUNT-$1:$2" "$EXECS/$3" | jq -r .state)" = "$4" ]; }

@test "a results folder that another account has planted is refused by the door, and nothing comes into it" {
  planted=$CLUSTER/results/$ACCOUNT-b
  as a mkdir -m 777 "$planted"
  own=$(key b)
  [ "$(code_of -u "$ACCOUNT-b:$own" "$EXECS")" -ge 400 ]
  [ -z "$(find "$planted" -mindepth 1)" ]
  rmdir "$planted"
  wait_for 30 eval '[ "$(code_of -u "$ACCOUNT-b:$own" "$EXECS")" = 200 ]'
  [ "$(stat -c '%U %a' "$planted")" = "$ACCOUNT-b 700" ]
}

@test "a password is PAM's to judge, and a wrong one is told from a wrong name by nothing" {
  token=$(door -u "$ACCOUNT-a:secret of a" "$WM_GATEWAY_URL/auth/v1/logon" | jq -r .accessToken)
  [ "$(code_of -H "X-Auth-Token: $token" "$EXECS")" = 200 ]
  wrong=$(door -u "$ACCOUNT-a:secret of b" "$WM_GATEWAY_URL/auth/v1/logon")
  [ "$wrong" = "$(door -u "nobody-of-that-name:secret of b" "$WM_GATEWAY_URL/auth/v1/logon")" ]
  [[ $wrong == "Error 401: "* ]]
  [ "$(code_of -u "root:anything" "$WM_GATEWAY_URL/auth/v1/logon")" = 401 ]
}

@test "keys are made, listed and revoked by their owner, and end" {
  secret=$(key a)
  [ "$(code_of -u "$ACCOUNT-a:$secret" "$EXECS")" = 200 ]
  [ "$(code_of -u "$ACCOUNT-b:$secret" "$EXECS")" = 401 ]
  ! grep -q "$secret" "$PLACE/a/.config/wm/keys"
  [ "$(stat -c '%a %U' "$PLACE/a/.config/wm/keys")" = "600 $ACCOUNT-a" ]
  as a wmkey create once -for 1 >once 2>/dev/null
  as a wmkey list | grep -q '^once '
  as a wmkey revoke once
  [ "$(code_of -u "$ACCOUNT-a:$(cat once)" "$EXECS")" = 401 ]
  run as a wmkey revoke once
  [ "$status" -eq 255 ]
}

@test "a key with the scope to read starts and stops nothing" {
  secret=$(key a -scope read)
  [ "$(code_of -u "$ACCOUNT-a:$secret" "$EXECS")" = 200 ]
  [ "$(code_of -u "$ACCOUNT-a:$secret" -X DELETE "$EXECS")" = 403 ]
  [ "$(code_of -u "$ACCOUNT-a:$secret" -F file=@code.modelDir.tar "$EXECS?args=--exec-start%20PyTorch%20--model-main%20main.py")" = 403 ]
}

@test "what a started runs as a, and to b it does not exist" {
  a=$(key a) b=$(key b)
  id=$(door -u "$ACCOUNT-a:$a" -F file=@code.modelDir.tar "$EXECS?args=--exec-start%20PyTorch%20--model-main%20main.py%20--sleep%20100" | jq -r .id)
  wait_for 30 exec_is a "$a" "$id" RUNNING
  is "${id##*-}" user $ACCOUNT-a
  [ "$(stat -c %U "$CLUSTER/results/$ACCOUNT-a/batchworkdir/${id##*-}")" = $ACCOUNT-a ]
  none="Error 400: execution $id does not exist"
  for path in "$id" "$id/log" "$id/result"; do [ "$(door -u "$ACCOUNT-b:$b" "$EXECS/$path")" = "$none" ]; done
  [ "$(door -u "$ACCOUNT-b:$b" -X POST "$EXECS/$id/stop")" = "$none" ]
  [ "$(door -u "$ACCOUNT-b:$b" -X DELETE "$EXECS/$id")" = "$none" ]
  [ "$(door -u "$ACCOUNT-b:$b" "$EXECS")" = "[]" ]
  [ "$(code_of -u "$ACCOUNT-b:$b" -X POST "$WM_GATEWAY_URL/api/v1/jobs/${id##*-}/stop")" = 404 ]
  [ "$(code_of -u "$ACCOUNT-a:$a" -X POST "$EXECS/$id/stop")" = 204 ]
  wait_for 30 exec_is a "$a" "$id" KILLED
}

@test "nobody but nginx reaches a wuserd, and it believes no other's token" {
  a=$(key a) b=$(key b)
  token=$(door -u "$ACCOUNT-b:$b" "$WM_GATEWAY_URL/auth/v1/logon" | jq -r .accessToken)
  [ "$(code_of -u "$ACCOUNT-a:$a" "$EXECS")" = 200 ]
  login=$(dirname "$WM_GATEWAY_CA")/login socket=$login/$(id -u $ACCOUNT-a).sock
  run as b curl -sS --unix-socket "$socket" http://x/api/v1/session
  [ "$status" -ne 0 ]
  web=$(stat -c %U "$socket")
  [ "$web" != root ]
  run setpriv --reuid "$web" --clear-groups -- curl -sS -H "X-WM-Token: $token" --unix-socket "$socket" http://x/api/v1/session
  [[ $output == *'"status":401'* ]]
  uid=$(ps -o uid= -p "$(pgrep -f "wuserd --listen-fd.*$login" | head -1)")
  [[ " $(id -u "$ACCOUNT-a") $(id -u "$ACCOUNT-b") " == *" ${uid// /} "* ]]
  [ "$(ps -o user= -p "$(cut -d' ' -f1 "$CLUSTER/run/wgatewayd.pid")")" = "$web" ]
}

@test "what is killed comes again: wuserd, wlogind" {
  a=$(key a)
  [ "$(code_of -u "$ACCOUNT-a:$a" "$EXECS")" = 200 ]
  "$MINICLUSTER" kill wuserd
  wait_for 10 test "$(code_of -u "$ACCOUNT-a:$a" "$EXECS")" = 200
  "$MINICLUSTER" kill wlogind
  LD_PRELOAD=libpam_wrapper.so "$MINICLUSTER" start wlogind
  [ "$(code_of -u "$ACCOUNT-a:$a" "$EXECS")" = 200 ]
}

# of_wuserd a|b: the process of that account's wuserd
of_wuserd() { pgrep -u "$(id -u "$ACCOUNT-$1")" -f "wuserd --listen-fd"; }

@test "one user's stopped wuserd stops nobody else: log-ons, requests, log-offs" {
  token_of() { door -m 20 -u "$ACCOUNT-$1:secret of $1" "$WM_GATEWAY_URL/auth/v1/logon" | jq -r .accessToken; }
  a=$(token_of a) a2=$(token_of a) b=$(token_of b)
  [ "$(code_of -H "X-Auth-Token: $a" "$EXECS")" = 200 ]
  [ "$(code_of -H "X-Auth-Token: $b" "$EXECS")" = 200 ]
  stopped=$(of_wuserd a)
  kill -STOP "$stopped"
  socket=$(dirname "$WM_GATEWAY_CA")/login/$(id -u "$ACCOUNT-a").sock
  # Its queue is full: another connect would wait until it goes on.
  python3 - "$socket" <<'PY'
import socket, sys
kept = []
while True:
    one = socket.socket(socket.AF_UNIX)
    one.setblocking(False)
    if one.connect_ex(sys.argv[1]) != 0:
        break
    kept.append(one)
print(len(kept), 'connections wait')
PY
  for _ in 1 2 3 4; do door -m 30 -o /dev/null -H "X-Auth-Token: $a2" "$EXECS" 2>/dev/null & done
  [ "$(code_of -m 20 -H "X-Auth-Token: $a" -X POST "$WM_GATEWAY_URL/auth/v1/logoff")" = 200 ]
  [ "$(code_of -m 20 -H "X-Auth-Token: $b" "$EXECS")" = 200 ]
  other=$(token_of b)
  [ "$(code_of -m 20 -H "X-Auth-Token: $other" "$EXECS")" = 200 ]
  [ "$(code_of -m 20 -H "X-Auth-Token: $other" -X POST "$WM_GATEWAY_URL/auth/v1/logoff")" = 200 ]
  id=$(cut -d. -f2 <<<"$other" | tr '_-' '/+' | sed 's/$/==/' | base64 -d 2>/dev/null | jq -r .jti)
  recorded() { badmin doorhist | grep -q "logoff <$1> <token $2> by $1"; }
  wait_for 10 recorded "$ACCOUNT-b" "$id" # a's, which cannot be told, is not before it
  kill -CONT "$stopped"
  id=$(cut -d. -f2 <<<"$a" | tr '_-' '/+' | sed 's/$/==/' | base64 -d 2>/dev/null | jq -r .jti)
  wait_for 75 recorded "$ACCOUNT-a" "$id"
  wait
}

@test "a log-off ends what was opened with the token" {
  token=$(door -u "$ACCOUNT-a:secret of a" "$WM_GATEWAY_URL/auth/v1/logon" | jq -r .accessToken)
  door -N -H "X-Auth-Token: $token" "$WM_GATEWAY_URL/api/v1/stream" >streamed 2>/dev/null &
  stream=$!
  wait_for 10 test -s streamed
  kill -0 "$stream"
  door -H "X-Auth-Token: $token" -X POST "$WM_GATEWAY_URL/auth/v1/logoff"
  ended() { ! kill -0 "$stream" 2>/dev/null; }
  wait_for 10 ended
}

@test "a hundred wrong passwords at once: five are tried, the rest is told when to come again" {
  before=$(grep -c "log_on_refused.*$ACCOUNT-b" "$CLUSTER"/log/wlogind.out || true)
  for i in $(seq 100); do
    echo "$WM_GATEWAY_URL/auth/v1/logon"
  done | xargs -P 50 -I@ curl -sS -m 30 --cacert "$WM_GATEWAY_CA" -o /dev/null -w '%{http_code}\n' -u "$ACCOUNT-b:wrong" @ >codes 2>/dev/null
  tried=$(($(grep -c "log_on_refused.*$ACCOUNT-b" "$CLUSTER"/log/wlogind.out) - before))
  [ "$tried" -le 5 ] || { echo "tried: $tried"; return 1; }
  [ "$(sort -u codes | tr '\n' ' ')" = "401 429 " ] || { sort codes | uniq -c; return 1; }
  # The door is open to others; of the same address it takes ten log-ons a second, so one of these may wait for its turn.
  opens() { [ "$(code_of -m 20 -u "$ACCOUNT-a:secret of a" "$WM_GATEWAY_URL/auth/v1/logon")" = 200 ]; }
  wait_for 10 opens
}

@test "what a request with Basic is refused for arrives as it is" {
  run door -D - -o /dev/null -H "Authorization: Basic !" "$EXECS"
  [[ $output == *" 400"* ]] || { echo "$output"; return 1; }
  # Five wrong ones of a pair are tried; earlier tests may have had some of them.
  for _ in 1 2 3 4 5; do
    code=$(code_of -u "$ACCOUNT-a:wrong" "$EXECS")
    [ "$code" = 429 ] && break
    [ "$code" = 401 ]
  done
  run door -D - -o /dev/null -u "$ACCOUNT-a:wrong" "$EXECS"
  [[ $output == *" 429"* && ${output,,} == *"retry-after: 60"* ]] || { echo "$output"; return 1; }
  "$MINICLUSTER" kill wgatewayd
  run door -D - -o /dev/null "$EXECS"
  [[ $output == *" 503"* && ${output,,} == *"retry-after:"* ]] || { echo "$output"; return 1; }
  "$MINICLUSTER" start wgatewayd
}

@test "a key that ends soon gives tokens that end no later, and a log-on's name is no line of a log" {
  secret=$(key a -for 1h)
  life=$(door -u "$ACCOUNT-a:$secret" "$WM_GATEWAY_URL/auth/v1/logon" | jq .expiresIn)
  [ "$life" -le 3600 ] && [ "$life" -gt 0 ]
  forged=$'x\e[2J\r\n> <token 1> by root'
  [ "$(code_of -u "$forged:y" "$WM_GATEWAY_URL/auth/v1/logon")" = 401 ]
  recorded() { badmin doorhist | grep -q 'x.x1b'; }
  wait_for 10 recorded
  ! badmin doorhist | grep -q $'\e'
  ! grep -q $'\e' "$CLUSTER"/log/wlogind.out "$CLUSTER"/log/wgatewayd.out
  ! badmin doorhist | grep -q '<token 1>'
}

@test "what is the web account's is its own folder, and nothing of root's lies in it" {
  web=$(dirname "$WM_GATEWAY_CA")
  [ "$(stat -c '%U' "$web") $(stat -c '%U' "$web/login")" = "root root" ]
  account=$(ps -o user= -p "$(cut -d' ' -f1 "$CLUSTER/run/wgatewayd.pid")")
  [ "$(stat -c '%U' "$web/gate")" = "$account" ]
  [ -z "$(find "$web/gate" -user root)" ]
  ! setpriv --reuid "$account" --clear-groups -- mv "$web/login" "$web/gone"
  # and a wuserd inherits neither its log nor its environment
  pid=$(of_wuserd a || of_wuserd b)
  pid=${pid%%$'\n'*}
  [[ $(readlink "/proc/$pid/fd/2") == *"/$(ps -o uid= -p "$pid" | tr -d ' ').log" ]]
  grep -q NoNewPrivs:.1 "/proc/$pid/status"
  ! tr '\0' '\n' <"/proc/$pid/environ" | grep -q '^PAM_WRAPPER'
}

@test "a notebook is its owner's, and theirs whom he shares it with" {
  a=$(key a) b=$(key b)
  echo "of a" >"$PLACE/a/file"
  said=$(as a bsub -app notebook -cwd "$PLACE/a" wm-notebook --strip python3 -m http.server --bind 127.0.0.1 %p)
  [[ $said =~ \<([0-9]+)\> ]]
  job=${BASH_REMATCH[1]}
  api=$WM_GATEWAY_URL/api/v1/notebooks
  ready() { [ "$(door -u "$ACCOUNT-a:$a" "$api/$job" | jq -r .web.state)" = ready ]; }
  wait_for 30 ready
  [ "$(code_of -u "$ACCOUNT-b:$b" "$api/$job")" = 404 ]
  # Its port on the host answers its account and no other.
  port=$(ss -Hltn | grep -oP '127\.0\.0\.1:\K[0-9]+' | while read -r p; do
    [ "$(as a curl -s --max-time 5 "http://127.0.0.1:$p/file")" != "of a" ] || echo "$p"
  done | head -1)
  [ -n "$port" ]
  run as b curl -s --max-time 5 "http://127.0.0.1:$port/file"
  [ "$status" -ne 0 ] && [ "$output" != "of a" ]
  [ "$(door -u "$ACCOUNT-b:$b" "$api" | jq '.notebooks | length')" = 0 ]
  origin=${WM_APPS_URL/\*/$job}
  address=${WM_GATEWAY_URL#https://}
  address=${address%:*}
  there=(--resolve "${origin#https://}:${address%.253}.252")
  enter() { # USER:KEY JAR [OWNER]
    local ticket
    ticket=$(door -u "$1" -d "{\"job\": \"$job\"${3:+, \"owner\": \"$3\"}}" "$WM_GATEWAY_URL/auth/v1/app" | jq -r .ticket)
    door "${there[@]}" -c "$2" -H "Origin: $WM_GATEWAY_URL" --data-urlencode "ticket=$ticket" -o /dev/null "$origin/_open"
  }
  sees() { [ "$(door "${there[@]}" -b "$1" "$origin/$job/file")" = "of a" ]; }
  code() { code_of "${there[@]}" -b "$1" "$origin/$job/file"; }
  enter "$ACCOUNT-a:$a" jar-a
  sees jar-a
  enter "$ACCOUNT-b:$b" jar-b
  [ "$(code jar-b)" = 404 ]
  enter "$ACCOUNT-b:$b" jar-guest $ACCOUNT-a
  [ "$(code jar-guest)" = 404 ]
  [ "$(code_of -u "$ACCOUNT-a:$a" -d "{\"users\": [\"$ACCOUNT-b\"]}" "$api/$job/share")" = 204 ]
  sees jar-guest
  [ "$(code jar-b)" = 404 ]
  [ "$(code_of -u "$ACCOUNT-a:$a" -d '{"users": []}' "$api/$job/share")" = 204 ]
  [ "$(code jar-guest)" = 404 ]
  as a bkill "$job"
}

@test "a search is its owner's alone: another sees, stops and deletes none of it, and may call his own so" {
  hpo=${EXECS%execs}hypersearch
  mine=$(key a) theirs=$(key b)
  body='{"hpoName": "same", "modelSpec": {"args": "--exec-start PyTorch --model-main main.py -- --sleep 100"},
    "algoDef": {"algorithm": "Random", "maxJobNum": 2, "objectiveMetric": "loss"},
    "hyperParams": [{"name": "x", "type": "Range", "dataType": "double", "minDbVal": 0, "maxDbVal": 1}]}'
  [ "$(door -u "$ACCOUNT-a:$mine" -F "data=$body" -F file=@code.modelDir.tar "$hpo" | jq -r .uid)" = same ]
  [ "$(door -u "$ACCOUNT-b:$theirs" "$hpo")" = "[]" ]
  [ "$(code_of -u "$ACCOUNT-b:$theirs" "$hpo/same")" = 400 ]
  [ "$(code_of -u "$ACCOUNT-b:$theirs" -X PUT "$hpo/same")" = 400 ]
  [ "$(code_of -u "$ACCOUNT-b:$theirs" -X DELETE "$hpo/same")" = 400 ]
  [ "$(door -u "$ACCOUNT-b:$theirs" -F "data=$body" -F file=@code.modelDir.tar "$hpo" | jq -r .uid)" = same ]
  [ "$(door -u "$ACCOUNT-a:$mine" "$hpo" | jq length)" = 1 ]
  for who in "$ACCOUNT-a:$mine" "$ACCOUNT-b:$theirs"; do [ "$(code_of -u "$who" -X PUT "$hpo/same")" = 204 ]; done
}

@test "a space is shared with whom its owner names, as far as the role goes; to others it does not exist" {
  a=$(key a) b=$(key b) api=$WM_GATEWAY_URL/api/v1
  printf '%s\n' 'import os' 'd = os.environ["RESULT_DIR"] + "/model"' 'os.makedirs(d, exist_ok=True)' \
    'open(d + "/model.pt", "w").write("weights of " + os.environ["USER"])' >code/main.py
  tar -czf code.modelDir.tar code
  asks() { door -u "$ACCOUNT-$1:${!1}" -X "$2" -H 'Content-Type: application/json' -d "${4-}" "$api/$3"; }
  code() { code_of -u "$ACCOUNT-$1:${!1}" -X "$2" -H 'Content-Type: application/json' -d "${4-}" "$api/$3"; }
  shared() { [ "$(code a PUT spaces/team/members "{\"members\":[$1]}")" = 204 ]; }
  member() { shared "{\"name\":\"$ACCOUNT-b\",\"role\":\"$1\"}"; }
  there=spaces/$ACCOUNT-a~team promote=projects/default/models/mine/promote to="{\"space\":\"$ACCOUNT-a~team\"}"
  id=$(door -u "$ACCOUNT-b:$b" -F file=@code.modelDir.tar "$EXECS?args=--exec-start%20PyTorch%20--workerDeviceType%20cpu%20--model-main%20main.py" | jq -r .id)
  wait_for 40 exec_is b "$b" "$id" FINISHED
  [ "$(code b POST projects/default/models "{\"name\":\"mine\",\"run\":\"$id\"}")" = 201 ]
  [ "$(code a POST spaces '{"name":"team","description":"ours"}')" = 201 ]

  nothing() { # to b: the same as of what never was
    for path in "$there" spaces/$ACCOUNT-a~none; do [ "$(code b GET "$path")" = 404 ]; done
    [ "$(code b POST "$promote" "$to")" = 404 ]
    [ "$(code b PUT "$there/members" '{"members":[]}')" = 404 ]
    [ "$(code b POST "$there/models/mine/deploy" '{"start":false}')" = 404 ]
    [ "$(code b DELETE "$there/models/mine")" = 404 ]
    [ "$(asks b GET spaces | jq --arg a "$ACCOUNT-a" '[.spaces[] | select(.owner == $a)] | length')" = 0 ]
  }
  nothing
  member viewer
  found() { asks b GET spaces | jq -e --arg a "$ACCOUNT-a" '.spaces[] | select(.name == $a + "~team" and .role == "viewer" and .owner == $a)'; }
  wait_for 5 found # he was told
  [ "$(asks b GET "$there" | jq -r '.description + .members[0].name')" = "ours$ACCOUNT-b" ]
  [ "$(code b POST "$promote" "$to")" = 403 ]
  [ "$(code b PUT "$there/members" '{"members":[]}')" = 403 ]

  member editor
  [ "$(asks b POST "$promote" "$to" | jq -r .promoted_by)" = $ACCOUNT-b ]
  [ "$(code b POST "$promote" "$to")" = 409 ]
  [ "$(asks b PUT "$promote" "$to" | jq -r .made_by)" = $ACCOUNT-b ] # the next version there
  weights=$(echo "$CLUSTER"/results/$ACCOUNT-a/spaces/team/models/mine/*/package/model/model.pt | cut -d' ' -f2)
  [ "$(cat "$weights") $(stat -c %U "$weights")" = "weights of $ACCOUNT-b $ACCOUNT-a" ]
  [ "$(asks b POST "$there/models/mine/deploy" '{"name":"b-serves","start":false}' | jq -r .name)" = b-serves ]
  own=$(echo "$CLUSTER"/results/$ACCOUNT-b/services/b-serves/b-serves-*/model/model.pt)
  [ "$(cat "$own") $(stat -c %U "$own")" = "weights of $ACCOUNT-b $ACCOUNT-b" ] # runs as b, whoever owns the space
  [ "$(asks b GET "$there" | jq -r '.deployments[] | .name + " " + .user')" = "b-serves $ACCOUNT-b" ]
  [ "$(asks b GET services/b-serves | jq -r .space)" = $ACCOUNT-a~team ]
  [ "$(code b PUT "$there/members" '{"members":[]}')" = 403 ]
  [ "$(code b DELETE "$there/models/mine")" = 204 ]
  [ "$(asks a GET spaces/team | jq '.models | length')" = 0 ]

  member admin
  [ "$(code b DELETE "$there")" = 403 ]
  [ "$(code b PUT "$there/members" '{"members":[]}')" = 204 ] # himself too
  nothing
  shared "{\"name\":\"@$ACCOUNT-b\",\"role\":\"viewer\"}" # its group
  [ "$(code b GET "$there")" = 200 ]
  [[ $(asks a PUT spaces/team/members '{"members":[{"name":"nobody-of-that-name","role":"viewer"}]}') == *"no account 'nobody-of-that-name'"* ]]
  [ "$(code a POST spaces '{"name":"team","description":"other"}')" = 409 ] # it is changed by PUT alone
  [ "$(code a PUT spaces/team '{"description":"other"}')" = 200 ]
  [ "$(asks b GET "$there" | jq -r .description)" = other ] # its members stay

  # At the socket where b's wuserd asks, the kernel says who asks, and there is nothing else.
  guests=$(dirname "$WM_GATEWAY_CA")/login/$(id -u $ACCOUNT-a).guests.sock
  at() { setpriv --reuid "$1" --regid "$(id -g "$1")" --clear-groups -- curl -sS -o /dev/null -w '%{http_code}' --unix-socket "$guests" -H "X-WM-Guest: $ACCOUNT-b" "http://x$2"; }
  [ "$(at $ACCOUNT-b /spaces/team) $(at nobody /spaces/team) $(at $ACCOUNT-b /api/v1/session)" = "200 404 404" ]
  shared ''
  [ "$(code a DELETE spaces/team)" = 204 ]
  env HOME=/nonexistent LOGNAME=$ACCOUNT-b USER=$ACCOUNT-b WM_API_KEY="secret of b" dlim model undeploy b-serves -f
}

@test "a project is shared: a member runs the owner's definition, nobody has to be logged on, to others it does not exist" {
  a=$(key a) b=$(key b) api=$WM_GATEWAY_URL/api/v1 owner=$ACCOUNT-a
  asks() { door -u "$ACCOUNT-$1:${!1}" -X "$2" -H 'Content-Type: application/json' -d "${4-}" "$api/$3"; }
  code() { code_of -u "$ACCOUNT-$1:${!1}" -X "$2" -H 'Content-Type: application/json' -d "${4-}" "$api/$3"; }
  sends() { door -u "$ACCOUNT-$1:${!1}" -X "$2" -F "data=$4" -F file=@code.modelDir.tar "$api/$3"; }
  member() { [ "$(code a PUT projects/digits/members "{\"members\":[{\"name\":\"$ACCOUNT-b\",\"role\":\"$1\"}]}")" = 204 ]; }
  there=projects/$owner~digits
  data='{"name":"one","framework":"PyTorch","command":"main.py --lr 1","device":"cpu"}'
  [ "$(code a POST projects '{"name":"digits"}')" = 201 ]
  first=$(sends a POST projects/digits/definitions "$data" | jq -r .version)
  [ "$(code a POST projects/digits/experiments '{"name":"exp","definitions":["one"]}')" = 201 ]
  for path in "$there" "$there/definitions" "$there/experiments" "projects/$owner~none"; do [ "$(code b GET "$path")" = 404 ]; done
  [ "$(code b POST "$there/experiments/exp/run")" = 404 ]

  member viewer
  listed() { asks b GET projects | jq -e --arg n "$owner~digits" '.projects[] | select(.name == $n and .role == "viewer")'; }
  wait_for 5 listed
  [ "$(asks b GET "$there/definitions" | jq -r '.definitions[0].name')" = one ]
  [ "$(code b POST "$there/experiments/exp/run")" = 403 ]
  [ "$(sends b PUT "$there/definitions/one" "$data" | jq -r .status)" = 403 ]

  # An editor chooses the definition that the owner made; the run is the editor's own, also while the owner is away.
  member editor
  agent=$(of_wuserd a)
  kill "$agent"
  gone() { ! kill -0 "$agent" 2>/dev/null; }
  wait_for 10 gone
  id=$(asks b POST "$there/experiments/exp/run" | jq -r '.runs[0]')
  wait_for 40 exec_is b "$b" "$id" FINISHED
  [ "$(of_wuserd a)" != "$agent" ] # it was started for b
  [[ $(door -u "$ACCOUNT-b:$b" "$EXECS/$id/log?logType=outlog") == *"lr 1"* ]]
  asks b GET "runs/$id" | jq -e --arg p "$owner~digits" --arg v "$first" --arg u "$ACCOUNT-b" '.run.user == $u and .run.made_of.project == $p and .run.made_of.definition_version == $v'
  [ "$(asks a GET projects/digits/experiments/exp | jq -r '.runs | join(" ")')" = "$id" ]

  # Versions say who made them; two editors at once.
  second=$(sends b PUT "$there/definitions/one" "${data/lr 1/lr 2}" | jq -r .version)
  [ "$(asks a GET projects/digits/definitions/one/versions | jq -r '[.versions[].made_by] | join(" ")')" = "$ACCOUNT-b $ACCOUNT-a" ]
  [[ $(sends b POST "$there/definitions" "$data") == *"exists (version $second): PUT /api/v1/$there/definitions/one"* ]]
  [ "$(code_of -u "$ACCOUNT-b:$b" -X PUT -H "If-Match: \"$first\"" -d '{"definitions":["one"]}' "$api/$there/experiments/exp")" = 412 ]
  for path in "$there" "$there/definitions/one/versions/$first"; do [ "$(code b GET "$path")" = 200 ]; done
  [ "$(code b PUT "$there" '{"plan":"/"}') $(code b PUT "$there/members" '{"members":[]}')" = "403 403" ]
  [ "$(code b POST "$there/models" "{\"name\":\"m\",\"run\":\"c-999\"}")" = 404 ] # no run of its own

  # What another asks wlogind for is started for members alone.
  [ "$(code a PUT projects/digits/members '{"members":[]}')" = 204 ]
  [ "$(code b GET "$there")" = 404 ]
  agent=$(of_wuserd a)
  kill "$agent"
  wait_for 10 gone
  [ "$(code b GET "$there")" = 503 ]
  [ -z "$(of_wuserd a)" ]
}

# documents PORT FILE: a database that gives two documents to who knows the password; what it is asked becomes lines of FILE.
documents() {
  python3 - "$1" "$2" <<'PY' 3>&- &
import base64, http.server, json, sys
WANTED = 'Basic ' + base64.b64encode(b'reader:deep secret').decode()
class Server(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_): pass
    def do_POST(self):
        asked = self.rfile.read(int(self.headers['Content-Length'])).decode()
        known = self.headers.get('Authorization') == WANTED
        print(self.path, known, asked, file=open(sys.argv[2], 'a'), flush=True)
        body = json.dumps({'docs': [{'n': 1}, {'n': 2}]} if known else {'reason': 'who are you?'}).encode()
        self.send_response(200 if known else 401)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Server).serve_forever()
PY
  DOCUMENTS=$!
}

@test "a member uses the data and the connection of a shared project, reads neither the secret nor what is not shared, and saves a model there" {
  a=$(key a) b=$(key b) api=$WM_GATEWAY_URL/api/v1 owner=$ACCOUNT-a
  asks() { door -u "$ACCOUNT-$1:${!1}" -X "$2" -H 'Content-Type: application/json' -d "${4-}" "$api/$3"; }
  code() { code_of -u "$ACCOUNT-$1:${!1}" -X "$2" -H 'Content-Type: application/json' -d "${4-}" "$api/$3"; }
  sends() { door -u "$ACCOUNT-$1:${!1}" -X "$2" "${@:4}" "$api/$3"; }
  member() { [ "$(code a PUT projects/team/members "{\"members\":[{\"name\":\"$ACCOUNT-b\",\"role\":\"$1\"}]}")" = 204 ]; }
  there=projects/$owner~team open=$CLUSTER/results/.projects/$owner/team
  printf '%s\n' 'import os' 'd = os.environ["DATA_DIR"]' 'for n in sorted(os.listdir(d)):' '    print(n, open(os.path.join(d, n)).read().strip())' \
    'm = os.environ["RESULT_DIR"] + "/model"' 'os.makedirs(m, exist_ok=True)' 'open(m + "/model.pt", "w").write("of " + os.environ["USER"])' >code/main.py
  tar -czf code.modelDir.tar code
  port=$((20000 + RANDOM % 8000))
  documents $port "$BATS_TEST_TMPDIR/asked"
  secret="{\"name\":\"docs\",\"type\":\"cloudant\",\"url\":\"http://127.0.0.1:$port\",\"database\":\"digits\",\"user\":\"reader\",\"password\":\"deep secret\"}"
  [ "$(code a POST connections "$secret") $(code a POST connections "${secret/docs/private}")" = "201 201" ]
  [ "$(code a POST projects '{"name":"team"}')" = 201 ]
  echo 1,2 >part.csv
  sends a POST projects/team/data -F 'data={"name":"part"}' -F file=@part.csv | jq -e '.version == 1'
  sends a POST projects/team/definitions -F 'data={"name":"one","framework":"PyTorch","command":"main.py","device":"cpu"}' -F file=@code.modelDir.tar | jq -e .version
  query='{"type":"connection_asset","connection":{"name":"CONN"},"location":{"query":"{\"selector\":{}}","name":"rows"}}'
  part='{"type":"data_asset","asset":{"name":"part"}}'
  [ "$(code a POST projects/team/experiments "{\"name\":\"both\",\"definitions\":[\"one\"],\"sources\":[$part,${query/CONN/docs}]}")" = 201 ]
  [ "$(code a POST projects/team/experiments "{\"name\":\"hers\",\"definitions\":[\"one\"],\"sources\":[${query/CONN/private}]}")" = 201 ]

  # Nothing is for members before its owner says so.
  member editor
  [[ $(asks b POST "$there/experiments/both/run") == *"connection docs is not for members of project $owner~team"* ]]
  [ "$(code b PUT "$there/connections" '{"connections":["private"]}')" = 403 ]
  [ "$(code a PUT projects/team/connections '{"connections":["docs"]}') $(code a PUT projects/team/connections '{"connections":["none"]}')" = "204 404" ]
  said=$(asks b GET "$there/connections")
  jq -e '.connections == [{"name":"docs","type":"cloudant"}]' <<<"$said"
  [ "$(code b GET "$there/experiments/hers") $(code b POST "$there/experiments/hers/run")" = "200 403" ]

  # An editor's run reads both; the job that asked was the owner's, and what it brought only editors read.
  id=$(asks b POST "$there/experiments/both/run" | jq -r '.runs[0]')
  wait_for 60 exec_is b "$b" "$id" FINISHED
  log=$(door -u "$ACCOUNT-b:$b" "$EXECS/$id/log?logType=outlog")
  [[ $log == *"part.csv 1,2"* && $log == *'rows.jsonl {"n": 1}'* ]]
  grep -q '^/digits/_find True' asked
  data=$(asks b GET "jobs/$id/data")
  jq -e '.data.progress.state == "done"' <<<"$data"
  [ "$(bjobs -a -noheader -o user "$(jq -r .data.job <<<"$data")")" = "$owner" ]
  as a test -r "$PLACE/a/.config/wm/connections.conf"
  as b test ! -r "$PLACE/a/.config/wm/connections.conf"
  as b test -r "$open/cache"
  ! setpriv --reuid nobody --regid nogroup --clear-groups -- ls "$open" 2>/dev/null
  # Named by an execution of its own; other data beside it has no place.
  own="{\"dataSource\":[{\"type\":\"data_asset\",\"asset\":{\"project\":\"$owner~team\",\"name\":\"part\"}}]}"
  id2=$(door -u "$ACCOUNT-b:$b" -F file=@code.modelDir.tar -F "data=$own" "$EXECS?args=--exec-start%20PyTorch%20--workerDeviceType%20cpu%20--model-main%20main.py" | jq -r .id)
  wait_for 60 exec_is b "$b" "$id2" FINISHED
  [[ $(door -u "$ACCOUNT-b:$b" "$EXECS/$id2/log?logType=outlog") == *"part.csv 1,2"* ]]

  # What the server refuses is why the editor's run never began.
  [ "$(code a PUT connections/docs "{\"type\":\"cloudant\",\"url\":\"http://127.0.0.1:$port\",\"database\":\"digits\",\"user\":\"reader\",\"password\":\"old\"}")" = 201 ]
  bad=$(asks b POST "$there/experiments/both/run" | jq -r '.runs[0]')
  wait_for 60 exec_is b "$b" "$bad" ERROR
  [[ $(door -u "$ACCOUNT-b:$b" "$EXECS/$bad") == *"its data could not be fetched"* ]]

  # Editors add data, of shared connections alone; who made a model is said.
  [ "$(code_of -u "$ACCOUNT-b:$b" -F 'data={"name":"mine"}' -F file=@part.csv "$api/$there/data")" = 201 ]
  [ "$(code_of -u "$ACCOUNT-b:$b" -F 'data={"name":"rows","connection":"docs","query":"{}"}' "$api/$there/data")" = 201 ]
  [ "$(code_of -u "$ACCOUNT-b:$b" -F 'data={"name":"more","connection":"private","query":"{}"}' "$api/$there/data")" = 403 ]
  asks b POST "$there/models" "{\"name\":\"net\",\"run\":\"$id\"}" | jq -e --arg b "$ACCOUNT-b" '.user == $b and .made_by == $b and .project == "team"'
  [ "$(code b POST "$there/models" "{\"name\":\"net\",\"run\":\"$id\"}") $(code b PUT "$there/models/net" "{\"run\":\"$id\"}")" = "409 201" ]
  weights=$(echo "$CLUSTER"/results/$owner/projects/team/models/net/*/package/model/model.pt | cut -d' ' -f2)
  [ "$(cat "$weights") $(stat -c %U "$weights")" = "of $ACCOUNT-b $owner" ]
  [ "$(code a DELETE connections/docs)" = 409 ]

  # Deleted, the run's way to it goes; to who is no editor any more it is closed, whatever was fetched.
  way=$(cd "$open" && find . -maxdepth 1 -type l | wc -l)
  door -u "$ACCOUNT-b:$b" -X DELETE "$EXECS/$id"
  [ "$(cd "$open" && find . -maxdepth 1 -type l | wc -l)" = $((way - 1)) ]
  as b ls "$open" >/dev/null
  member viewer
  ! as b ls "$open" 2>/dev/null
  [ "$(code b POST "$there/experiments/both/run") $(code_of -u "$ACCOUNT-b:$b" -F 'data={"name":"x"}' -F file=@part.csv "$api/$there/data")" = "403 403" ]
  kill "$DOCUMENTS"
}

@test "a service's name is one in the cluster; another's can neither be asked nor stopped" {
  dlim_as() { env HOME=/nonexistent LOGNAME="$ACCOUNT-$1" USER="$ACCOUNT-$1" WM_API_KEY="secret of $1" dlim "${@:2}"; }
  cp -r "$TOP/libwm/kernel/examples/ping" .
  dlim_as a model deploy -p ping
  dlim_as a model start ping
  [ "$(dlim_as a model infer ping hello)" = "pong hello" ]
  run dlim_as b model infer ping hello
  [[ $output == "user $ACCOUNT-b may not call service ping of $ACCOUNT-a: "* ]] || { echo "said: $output"; return 1; }
  run dlim_as b model stop -f ping
  [ "$output" = "model ping does not exist" ] || { echo "said: $output"; return 1; }
  dlim_as b model deploy -p ping
  run dlim_as b model start ping
  [[ $output == *"service ping is there already: Job <"* ]] || { echo "$output"; return 1; }
  dlim_as a model stop -f ping # a name stays with its job, also while that is held
  held() { dlim_as a model view ping -s | grep -q "^State:.Stopped"; }
  wait_for 20 held
  run dlim_as b model start ping
  [[ $output == *"service ping is there already"* ]]
  dlim_as a model start ping
  [ "$(dlim_as a model infer ping again)" = "pong again" ]
  dlim_as a model stop -f ping
  wait_for 20 held
  dlim_as a model undeploy -f ping
  dlim_as b model start ping
  [ "$(dlim_as b model infer ping mine)" = "pong mine" ]
  dlim_as b model stop -f ping
  stopped() { dlim_as b model view ping -s | grep -q "^State:.Stopped"; }
  wait_for 20 stopped
  dlim_as b model undeploy -f ping
}

@test "who logs on is recorded by wlogind, keys by their owner; nobody revokes another's tokens" {
  recorded() { badmin doorhist $ACCOUNT-a | grep -q -- "$1" || badmin doorhist | grep -q -- "$1"; }
  token_of() { door -u "$ACCOUNT-$1:secret of $1" "$WM_GATEWAY_URL/auth/v1/logon" | jq -r .accessToken; }
  token=$(token_of a) other=$(token_of b)
  wait_for 10 recorded "logon <$ACCOUNT-a> <from 127[^>]*> <token [0-9a-f]*> by $ACCOUNT-a$"
  door -u "$ACCOUNT-a:wrong" "$WM_GATEWAY_URL/auth/v1/logon"
  wait_for 10 recorded "by $ACCOUNT-a (refused: user name and password do not fit)"
  as a wmkey create recorded >/dev/null 2>&1
  as a wmkey revoke recorded
  recorded "key-create <key recorded> by $ACCOUNT-a"
  recorded "key-revoke <key recorded> by $ACCOUNT-a"
  [ "$(code_of -H "X-Auth-Token: $token" "$EXECS")" = 200 ]
  run as b badmin token-revoke $ACCOUNT-a
  [ "$status" -eq 255 ]
  run as b badmin doorhist
  [ "$status" -eq 255 ]
  [ "$(code_of -H "X-Auth-Token: $other" "$WM_GATEWAY_URL/api/v1/audit")" = 403 ]
  [ "$(code_of -H "X-Auth-Token: $token" "$EXECS")" = 200 ]
  as a wmkey logoff
  gone() { [ "$(code_of -H "X-Auth-Token: $token" "$EXECS")" = 401 ]; }
  wait_for 5 gone
  [ "$(code_of -H "X-Auth-Token: $other" "$EXECS")" = 200 ]
  door -H "X-Auth-Token: $other" -X POST "$WM_GATEWAY_URL/auth/v1/logoff"
  wait_for 10 recorded "logoff <$ACCOUNT-b> <token [0-9a-f]*> by $ACCOUNT-b"
  narrow=$(door -u "$ACCOUNT-b:secret of b" -X POST "$WM_GATEWAY_URL/dlim/v1/auth/token" | jq -r .service_token)
  [ "$(code_of -H "X-Auth-Token: $narrow" "$EXECS")" = 403 ]
}

@test "the key of tokens is changed while users are logged on" {
  logged_on() { old=$(door -u "$ACCOUNT-a:secret of a" "$WM_GATEWAY_URL/auth/v1/logon" | jq -r .accessToken) && [ "$(code_of -H "X-Auth-Token: $old" "$EXECS")" = 200 ]; }
  wait_for 5 logged_on # not in the second in which all tokens of a were revoked
  login=$(dirname "$WM_GATEWAY_CA")/login
  badmin token-key "$login"
  new=$(door -u "$ACCOUNT-a:secret of a" "$WM_GATEWAY_URL/auth/v1/logon" | jq -r .accessToken)
  for token in "$old" "$new"; do [ "$(code_of -H "X-Auth-Token: $token" "$EXECS")" = 200 ]; done
  [ "$(stat -c '%a %U' "$login/token.seed")" = "600 root" ]
  badmin token-key --now "$login"
  for token in "$old" "$new"; do [ "$(code_of -H "X-Auth-Token: $token" "$EXECS")" = 401 ]; done
}

@test "a service is called, listed and viewed by whom its profile names, and refused to others in words" {
  [ -x "$B/sbin/wrouter" ] || skip "services are not built"
  a=$(key a) b=$(key b) dlim=$WM_GATEWAY_URL/dlim/v1
  cp -r "$TOP/libwm/kernel/examples/ping" "$PLACE/a/" && chown -R "$ACCOUNT-a" "$PLACE/a/ping"
  owner() { as a env HOME="$PLACE/a" WM_API_KEY="$a" dlim "$@"; }
  callers() { echo "{\"callers\": $1}" >"$PLACE/a/profile.json" && owner model updateprofile ping -f "$PLACE/a/profile.json"; }
  by_b() { door -u "$ACCOUNT-b:$b" "$@"; }
  code_to_b() { by_b -o /dev/null -w '%{http_code}' "$@"; }
  owner config -t -u "$ACCOUNT-a" -k "$a"
  owner model deploy -p "$PLACE/a/ping" && owner model start ping
  answers() { [ "$(door -u "$ACCOUNT-a:$a" -d 1 "$dlim/inference/ping")" = "pong 1" ]; }
  wait_for 60 answers
  [ "$(code_to_b -d 1 "$dlim/inference/ping")" = 403 ]
  by_b -d 1 "$dlim/inference/ping" | grep "user $ACCOUNT-b may not call service ping of $ACCOUNT-a"
  [ "$(code_to_b "$dlim/model/ping")" = 403 ]
  [ "$(by_b "$dlim/model")" = "[]" ]
  for named in "[\"$ACCOUNT-b\"]" "[\"nobody\", \"@$(id -gn "$ACCOUNT-b")\"]" '["*"]'; do
    callers "$named"
    [ "$(by_b -d 2 "$dlim/inference/ping")" = "pong 2" ]
    [ "$(by_b "$dlim/model/ping" | jq -r .creator)" = "$ACCOUNT-a" ]
    [ "$(by_b "$dlim/model" | jq -r '.[] | .name + " of " + .creator')" = "ping of $ACCOUNT-a" ]
    [ "$(by_b "$dlim/model/ping/instance" | jq -r .state)" = Started ]
    # To ask is not to own.
    for path in appprofile readme; do [ "$(code_to_b "$dlim/model/ping/$path")" = 404 ]; done
    [ "$(code_to_b -X DELETE "$dlim/model/ping")" = 404 ]
    callers '[]'
    [ "$(code_to_b -d 3 "$dlim/inference/ping")" = 403 ]
  done
  ! callers '["no such account"]'
  ! callers "[\"$ACCOUNT-c\"]"
  owner model stop ping -f
  wait_for 20 owner model undeploy -f ping # it stops in its own time
}
