#!/usr/bin/env bats
# Role: tokens of the web door that are revoked: by log-off, by an administrator, by a change of keys. It holds at
# every gateway within seconds, after the death of anything; what happened is in the record of acts.

load lib
setup_file() { cluster_up --web --nodes 1 --cpus 2; }
teardown_file() { cluster_down; }
setup() {
  cluster_env
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  cd "$BATS_TEST_TMPDIR" || return
  DOOR=$(dirname "$WM_GATEWAY_CA")
  SESSION=$WM_GATEWAY_URL/api/v1/session ME=$(id -un)
}
after_each() {
  [ -z "${second-}" ] || kill "$second" $(pgrep -f "wuserd .*$BATS_TEST_TMPDIR/second") 2>/dev/null || true
  end_all_jobs
  "$MINICLUSTER" start wgatewayd 2>/dev/null || true
}

door() { curl -sS --cacert "$WM_GATEWAY_CA" "$@"; }
code_of() { door -o /dev/null -w '%{http_code}' "$@"; }
log_on() { door -u "$ME:$WM_API_KEY" "$WM_GATEWAY_URL/auth/v1/logon" | jq -r .accessToken; }
log_off() { door -H "X-Auth-Token: $1" -X POST "$WM_GATEWAY_URL/auth/v1/logoff"; }
opens() { [ "$(code_of -H "X-Auth-Token: $1" "$SESSION")" = 200 ]; }
refused() { [ "$(code_of -H "X-Auth-Token: $1" "$SESSION")" = 401 ]; }
id_of() { cut -d. -f2 <<<"$1" | tr '_-' '/+' | $PYTHON -c 'import base64, json, sys; t = sys.stdin.read().strip(); print(json.loads(base64.b64decode(t + "=" * (-len(t) % 4)))["jti"])'; }
# wuserd itself, as a gateway that somebody has taken over would ask it
at_wuserd() { curl -sS -o /dev/null -w '%{http_code}' --unix-socket "$DOOR/$(id -u).sock" -H "X-WM-Token: $1" "http://x${2-/api/v1/session}" "${@:3}"; }
refused_at_wuserd() { [ "$(at_wuserd "$1")" = 401 ]; }
in_record() { badmin doorhist | grep -q -- "$1"; }
# a gateway beside the first, with keys of the same cluster
second_gateway() {
  mkdir -p second && cp "$DOOR"/{api.key,token.seed,token.pub} second/
  "$B/sbin/wgatewayd" --folder "$PWD/second" --origin "$WM_GATEWAY_URL" 3>&- >second.log 2>&1 &
  second=$!
  wait_for 10 test -S second/gateway.sock
}
at_second() { curl -sS -o /dev/null -w '%{http_code}' --unix-socket second/gateway.sock -H "X-Auth-Token: $1" -H 'X-WM-Method: GET' http://x/_auth; }
second_refuses() { [ "$(at_second "$1")" = 401 ]; }

@test "a log-off is an event of the master: another gateway and wuserd hear of it, a restart of all forgets nothing" {
  token=$(log_on) other=$(log_on)
  opens "$token"
  second_gateway
  [ "$(at_second "$token")" = 200 ]
  log_off "$token"
  refused "$token"
  wait_for 5 second_refuses "$token"
  wait_for 5 refused_at_wuserd "$token"
  opens "$other"
  in_record "logoff <$ME> <token $(id_of "$token")> by $ME"
  rm "$DOOR/revoked"
  for daemon in wmasterd wgatewayd wuserd; do "$MINICLUSTER" kill "$daemon"; done
  "$MINICLUSTER" start wmasterd
  "$MINICLUSTER" start wgatewayd
  wait_for 5 refused "$token"
  wait_for 5 opens "$other" # and its wuserd is started
  wait_for 5 refused_at_wuserd "$token"
}

@test "an administrator revokes one token, or all of a user; who logs on after that is let in" {
  one=$(log_on) two=$(log_on)
  badmin token-revoke -C "found in a log" "$(id_of "$one")"
  wait_for 5 refused "$one"
  opens "$two"
  badmin token-revoke "$ME"
  wait_for 5 refused "$two"
  in_again() { opens "$(log_on)"; }
  wait_for 5 in_again # not in the same second
  in_record "token-revoke <token $(id_of "$one")> by $ME: found in a log"
  in_record "token-revoke <$ME> by $ME"
  badmin hist | grep -q token-revoke
  ! badmin hist | grep -q logon
}

@test "with the master away what is revoked stays so, and a log-off is told when it is back" {
  kept=$(log_on) late=$(log_on)
  badmin token-revoke "$(id_of "$kept")"
  wait_for 5 refused "$kept"
  "$MINICLUSTER" kill wmasterd
  log_off "$late"
  refused "$late"
  "$MINICLUSTER" kill wgatewayd
  "$MINICLUSTER" start wgatewayd
  refused "$kept"
  refused "$late"
  "$MINICLUSTER" start wmasterd
  in=$(log_on)
  log_off "$in"
  wait_for 10 in_record "token $(id_of "$in")> by $ME"
}

@test "a log-off that found no master reaches it later" {
  late=$(log_on)
  opens "$late"
  "$MINICLUSTER" kill wmasterd
  log_off "$late"
  "$MINICLUSTER" start wmasterd
  wait_for 15 in_record "logoff <$ME> <token $(id_of "$late")> by $ME"
}

@test "a service answers nobody whose log-on is over: its service token is refused from then on" {
  [ -x "$B/sbin/wrouter" ] || skip "services are not built"
  dlim model deploy -p "$TOP/libwm/kernel/examples/ping"
  dlim model start ping
  [ "$(dlim model infer ping hello)" = "pong hello" ]
  narrow() { door -H "X-Auth-Token: $1" -X POST "$WM_GATEWAY_URL/dlim/v1/auth/token/inference" | jq -r .service_token; }
  asks() { code_of -H "X-Auth-Token: $1" -d hello "$WM_GATEWAY_URL/dlim/v1/inference/ping"; }
  shut() { [ "$(asks "$1")" = 401 ]; }
  first=$(log_on) second=$(log_on)
  a=$(narrow "$first") again=$(narrow "$(narrow "$first")") b=$(narrow "$second") c=$(narrow "$second")
  for token in "$a" "$again" "$b" "$c"; do [ "$(asks "$token")" = 200 ]; done
  log_off "$first"
  wait_for 1 shut "$a"
  wait_for 1 shut "$again"
  [ "$(asks "$b")" = 200 ]
  log_off "$b" # alone: not the one that it was made of
  wait_for 1 shut "$b"
  [ "$(asks "$c")" = 200 ]
  badmin token-revoke "$(id_of "$second")"
  wait_for 1 shut "$c"
  dlim model stop -f ping
}

@test "a new key signs what comes, the old one is good for a while, or ends at once" {
  old=$(log_on)
  badmin token-key "$DOOR" | grep -q '8 hours more'
  fresh=$(log_on)
  opens "$old"
  opens "$fresh"
  [ "$(wc -l <"$DOOR/token.pub")" -eq 2 ]
  [ "$(stat -c %a "$DOOR/token.seed")" = 600 ]
  badmin token-key --now "$DOOR"
  refused "$old"
  refused "$fresh"
  opens "$(log_on)"
  refused_at_wuserd "$fresh"
  wait_for 5 in_record "token-key <$DOOR> <--now> by $ME"
  run badmin token-key /nonexistent
  [ "$status" -eq 255 ]
}

@test "log-ons, refusals and keys are lines of the record, whose chain holds; passwords with each request are one" {
  token=$(log_on)
  wait_for 5 in_record "logon <$ME> <from .*> <token $(id_of "$token")> by $ME"
  for _ in 1 2 3; do [ "$(code_of -u "$ME:$WM_API_KEY" "$SESSION")" = 200 ]; done
  lines() { badmin doorhist | grep -c ': logon'; }
  before=$(lines)
  for _ in 1 2 3 4; do [ "$(code_of -u "$ME:$WM_API_KEY" "$SESSION")" = 200 ]; done
  door -u "nobody:wrong" "$WM_GATEWAY_URL/auth/v1/logon"
  wait_for 5 in_record "by nobody (refused: user name and password do not fit)"
  [ "$(lines)" -le $((before + 2)) ]
  for _ in 1 2 3 4 5 6; do door -u "nobody:wrong" "$WM_GATEWAY_URL/auth/v1/logon"; done | grep -q 'wait a minute'
  wait_for 5 in_record "limited <nobody> <from .*> by nobody"
  badmin audit | tail -1 | grep -q 'as they were written'
}

@test "with the gateway taken over, nothing is submitted without a token that lives" {
  printf 'print(1)\n' >main.py && tar -czf code.modelDir.tar main.py
  execs="/platform/rest/deeplearning/v1/execs?args=--exec-start%20PyTorch%20--model-main%20main.py"
  token=$(log_on)
  opens "$token" # its wuserd runs
  count() { bjobs -a -u all -json -o jobid | jq '.RECORDS | length'; }
  before=$(count)
  header=$(cut -d. -f1 <<<"$token") body=$(cut -d. -f2 <<<"$token")
  none=$(printf '{"alg":"none","typ":"JWT"}' | base64 | tr -d '=')
  for forged in "" x "$header.$body." "$none.$body." "${token%?????}AAAAA"; do
    [ "$(at_wuserd "$forged" "$execs" -F file=@code.modelDir.tar)" = 401 ]
  done
  log_off "$token"
  wait_for 5 refused_at_wuserd "$token"
  [ "$(at_wuserd "$token" "$execs" -F file=@code.modelDir.tar)" = 401 ]
  [ "$(at_wuserd "$token" / -H 'X-WM-App: 1')" = 403 ]
  [ "$(count)" -eq "$before" ]
}
