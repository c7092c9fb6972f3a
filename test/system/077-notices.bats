#!/usr/bin/env bats
# Role: what owners and the site are told of jobs (bsub -notify): by mail, by POST, by notify_command; over a restart
# of the master; what is refused.

load lib
setup_file() {
  export SAID=$BATS_FILE_TMPDIR
  mkdir "$SAID/mails" "$SAID/posts"
  cat >"$SAID/sendmail" <<END
#!/bin/sh
cat >"$SAID/mails/\$\$"
END
  cat >"$SAID/server.py" <<END
import http.server, itertools, os
N = itertools.count()
class Taker(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        with open(f'$SAID/posts/{next(N)}', 'wb') as post:
            post.write(f'{self.path} {self.headers["Content-Type"]} '.encode() + body + b'\n')
        self.send_response({'/away': 302, '/refused': 500}.get(self.path, 200))
        self.send_header('Location', '/elsewhere')
        self.end_headers()
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Taker)
open('$SAID/port.new', 'w').write(str(server.server_port))
os.rename('$SAID/port.new', '$SAID/port')
server.serve_forever()
END
  chmod +x "$SAID/sendmail"
  LD_PRELOAD='' $PYTHON "$SAID/server.py" >/dev/null 2>&1 3>&- &
  echo $! >"$SAID/server.pid"
  wait_for 10 test -s "$SAID/port"
  cat >"$SAID/wm.conf" <<END
[paths]
sendmail = $SAID/sendmail
[cluster]
notify_command = cat >>$SAID/told; echo >>$SAID/told
notify_urls = http://127.0.0.1:$(<"$SAID/port")
END
  cluster_up --nodes 1 --cpus 2 --conf "$SAID/wm.conf"
}
teardown_file() {
  kill "$(<"$SAID/server.pid")"
  cluster_down
}
setup() {
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  URL=http://127.0.0.1:$(<"$SAID/port")
  rm -f "$SAID"/mails/* "$SAID"/posts/* "$SAID/told"
}
last_words() { tail "$SAID"/mails/* "$SAID"/posts/* "$SAID/told"; }

posted() { grep -h -c "" "$SAID"/posts/* 2>/dev/null | wc -l; }
has_posts() { [ "$(posted)" -ge "$1" ]; }
told() { [ -f "$SAID/told" ] && [ "$(grep -c . "$SAID/told")" -ge "$1" ]; }
mailed() { [ "$(ls "$SAID/mails" | wc -l)" -ge "$1" ]; }

@test "the owner is mailed, a URL is posted to, the site's command is run" {
  job=$(submit -J noted -notify "start exit" -u "jo@example.org,$URL/room?a=b" 'exit 3')
  ran_out "$job"
  wait_for 20 told 2
  wait_for 20 has_posts 2
  wait_for 20 mailed 2
  cat "$SAID"/posts/* >posts
  [ "$(cut -d' ' -f1,2 posts | sort -u)" = "/room?a=b application/json" ]
  cut -d' ' -f3- posts | jq -s -c 'sort_by(.event) | .[] | [.event, .job, .name, .state, .exit_code, .hosts[0]]' >events
  [ "$(cat events)" = "[\"exit\",\"$job\",\"noted\",\"EXIT\",3,\"node1\"]"$'\n'"[\"start\",\"$job\",\"noted\",\"RUN\",null,\"node1\"]" ]
  grep -qx 'To: jo@example.org' "$SAID"/mails/*
  grep -qx "Subject: Job <$job> <noted> has exited" "$SAID"/mails/*
  grep -q 'Exit code: *3' "$SAID"/mails/*
  jq -r .event "$SAID/told" | sort | tr '\n' ' ' | grep -qx 'exit start '
  [[ $(bjobs -l "$job" | tr -d '\n ') == *'Notifyon<startexit>'* ]]
}

@test "suspend and done; without -u the owner; a job that asks for nothing is not told of" {
  job=$(submit -notify "suspend,done" 'while [ ! -e go ]; do sleep 0.1; done') other=$(submit true)
  wait_for 20 in_state "$job" running
  bstop "$job"
  wait_for 20 mailed 1
  bresume "$job"
  touch go
  ran_out "$job" && ran_out "$other"
  wait_for 20 mailed 2
  grep -hx "To: $(id -un)" "$SAID"/mails/* | wc -l | grep -qx 2
  grep -qx "Subject: Job <$job> <.*> is suspended" "$SAID"/mails/*
  grep -qx "Subject: Job <$job> <.*> is done" "$SAID"/mails/*
  [ "$(jq -r .job "$SAID/told" | sort -u)" = "$job" ]
  [ "$(posted)" -eq 0 ]
}

@test "what a master that died had not sent is sent by the next, once" {
  job=$(submit -notify start -u "$URL/before" sleep 600)
  wait_for 20 has_posts 1
  kill -STOP "$(<"$SAID/server.pid")"
  for i in 1 2 3; do last=$(submit -notify done -u "$URL/$i" true); done
  ran_out "$last"
  "$MINICLUSTER" kill wmasterd
  kill -CONT "$(<"$SAID/server.pid")"
  "$MINICLUSTER" start wmasterd
  sent() { grep -qh "^/$1 " "$SAID"/posts/*; }
  for i in 1 2 3; do wait_for 30 sent $i; done
  wait_for 20 sh -c "jq -r .job '$SAID/told' | grep -qx $last"
  [ "$(grep -h '^/before ' "$SAID"/posts/* | wc -l)" -eq 1 ]
  "$MINICLUSTER" kill wmasterd
  "$MINICLUSTER" start wmasterd
  next=$(submit -notify done -u "$URL/next" true)
  wait_for 20 sent next
  [ "$(grep -h '^/3 ' "$SAID"/posts/* | jq -Rr 'split(" ")[2:] | join(" ") | fromjson | .id' | sort -u | wc -l)" -eq 1 ]
}

@test "what is refused is logged and given up, a redirect is not followed; hostile URLs are refused" {
  job=$(submit -notify done -u "$URL/refused" true)
  wait_for 30 grep -q "notice_not_sent job=$job .*curl.*500" "$CLUSTER/log/wmasterd.out"
  submit -notify done -u "$URL/away" true
  submit -notify done -u "$URL/next" true
  sent() { grep -qh "^/$1 " "$SAID"/posts/*; }
  wait_for 20 sent next
  wait_for 20 sent away
  ! grep -qh '^/elsewhere' "$SAID"/posts/*
  for url in file:///etc/passwd "http://ann:x@127.0.0.1/" "$URL/a b://" 'http://h/"' "$URL.evil/" "http://elsewhere.example.org/"; do
    run bsub -notify done -u "$url" true
    [ "$status" -eq 255 ] || { echo "$url"; return 1; }
    [[ $output == *'Job not submitted.' ]]
  done
  [[ $output == *'begins with none of notify_urls (wm.conf), nothing is posted'* ]]
  run bsub -notify ended true
  [ "$status" -eq 255 ]
  [[ $output == *'-notify ended: Bad argument, of start, done, exit and suspend some are wanted. Job not submitted.' ]]
}
