#!/usr/bin/env bats
# Role: data from elsewhere: real servers of objects, files and rows are read before an execution begins;
# what is wrong with them is said in their own words, and leaves nothing half.
# Servers: PostgreSQL and MariaDB as Debian has them, rclone's own WebDAV, s3rver where npm has brought it.

load lib
# Five ports in a row that are free now; said once, in setup_file: bats reads this file anew for every test.
free_ports() {
  local from
  while from=$((20000 + RANDOM % 8000)); do
    for port in $from $((from + 1)) $((from + 2)) $((from + 3)) $((from + 4)); do ! answers "$port" || continue 2; done
    echo "$from"
    return
  done
}
setup_file() {
  PORTS=$(free_ports)
  export PORTS HERE=$BATS_FILE_TMPDIR
  mkdir "$HERE/volume"
  printf '[scratch]\npath = %s/volume\n' "$HERE" >"$HERE/volumes.conf"
  cluster_up --web --nodes 2 --cpus 2 --conf "$HERE/volumes.conf"
  command -v rclone >/dev/null || return 0
  mkdir -p "$HERE/files/digits" && head -c 3000000 /dev/urandom >"$HERE/files/digits/a.bin" && echo two >"$HERE/files/digits/b.txt"
  serve "$PORTS" rclone serve webdav "$HERE/files" --addr "127.0.0.1:$PORTS" --user alice --pass right --config /dev/null
}
teardown_file() {
  [ ! -e "$HERE/pids" ] || xargs kill <"$HERE/pids" 2>/dev/null || true
  cluster_down
}
setup() {
  cluster_env
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  cd "$BATS_TEST_TMPDIR" || return
  EXECS=$WM_GATEWAY_URL/platform/rest/deeplearning/v1/execs API=$WM_GATEWAY_URL/api/v1
  mkdir code
  printf 'import os\nd = os.environ["DATA_DIR"]\nfor n in sorted(os.listdir(d)):\n    print(n, os.path.getsize(os.path.join(d, n)))\nprint("from", d)\n' >code/main.py
  tar -czf code.modelDir.tar code
}

mine() { curl -sS --cacert "$WM_GATEWAY_CA" -u "$(id -un):$WM_API_KEY" "$@"; }
code_of() { mine -o /dev/null -w '%{http_code}' "$@"; }
exec_is() { [ "$(mine "$EXECS/$1" | jq -r .state)" = "$2" ]; }
connect() { # the first, or the next version of one
  local name
  name=$(jq -r .name <<<"$1")
  mine -d "$1" "$API/connections" | jq -e .name >/dev/null ||
    mine -X PUT -d "$1" "$API/connections/$name" | jq -e .name >/dev/null
}
start() { # dataSource
  mine -F file=@code.modelDir.tar -F "data={\"dataSource\":[$1]}" "$EXECS/?args=--exec-start%20PyTorch%20--model-main%20main.py" | jq -r .id
}
answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }
# serve PORT COMMAND…: a server until the file's end; returns when it answers, or with its words as soon as it has died
serve() {
  local log=$HERE/server.$1 pid
  "${@:2}" >"$log" 2>&1 3>&- &
  pid=$!
  echo $pid >>"$HERE/pids"
  settled() { answers "$1" || ! kill -0 "$2"; }
  if ! wait_for 10 settled "$1" $pid || ! answers "$1"; then
    cat "$log"
    return 1
  fi
}
as_postgres() { setpriv --reuid postgres --regid "$(id -g postgres)" --clear-groups -- "$@"; }
dav() { # NAME PASSWORD [PORT]
  connect "{\"name\":\"$1\",\"type\":\"webdav\",\"url\":\"http://127.0.0.1:${3-$PORTS}\",\"user\":\"alice\",\"pass\":\"$2\"}"
}
want_rclone() {
  command -v rclone >/dev/null || skip "rclone is not installed (scripts/bootstrap data)"
}

@test "connections: a name that is taken is refused, the next version keeps its secret, and the one before comes back" {
  first='{"name":"turn","type":"webdav","url":"http://127.0.0.1:1","user":"alice","pass":"deep"}'
  mine -d "$first" "$API/connections" | jq -e '.pass == "***"'
  mine -d "$first" "$API/connections" | jq -e '.status == 409 and (.title | contains("PUT /api/v1/connections/turn"))'
  version=$(mine "$API/connections/turn" | jq -r .version)
  [ "$(code_of -X PUT -H "If-Match: \"other\"" -d "$first" "$API/connections/turn")" = 412 ]
  mine -X PUT -H "If-Match: \"$version\"" -d '{"type":"webdav","url":"http://127.0.0.1:2","user":"bob","pass":"***"}' "$API/connections/turn" |
    jq -e '.user == "bob"'
  grep -A4 "^.turn.$" "$(dirname "$WM_GATEWAY_CA")/user/connections.conf" | grep -q "pass = deep"
  mine "$API/connections/turn/versions" | jq -e '[.versions[] | .user + " " + .state] == ["bob present", "alice earlier"]'
  [[ $(mine "$API/connections/turn/versions") != *deep* ]]
  mine -X POST "$API/connections/turn/rollback" | jq -e '.user == "alice"'
  [ "$(code_of -X DELETE "$API/connections/turn")" = 204 ]
  [ "$(code_of "$API/connections/turn/versions")" = 404 ]
}

@test "files of a server are there when the execution begins, once fetched they are kept, secrets are not shown" {
  want_rclone
  dav files right
  mine "$API/connections" | jq -e '.connections[] | select(.name == "files") | .pass == "***" and .user == "alice"'
  [ "$(code_of -X POST "$API/connections/files/test")" = 204 ]
  id=$(start '{"type":"connection_asset","connection":{"name":"files"},"location":{"path":"digits"}}')
  wait_for 60 exec_is "$id" FINISHED
  log=$(mine "$EXECS/$id/log?logType=outlog")
  [[ $log == *"a.bin 3000000"*"b.txt 4"* ]] || { echo "$log"; return 1; }
  mine "$API/jobs/$id/data" | jq -e '.data.state == "finished" and .data.progress.state == "done" and .data.progress.bytes == 3000004'
  again=$(start '{"type":"connection_asset","connection":{"name":"files"},"location":{"path":"digits"}}')
  wait_for 60 exec_is "$again" FINISHED
  mine "$API/jobs/$again/data" | jq -e '.data.progress.cached'
  [ "$(stat -c %a "$CLUSTER/results/$(id -un)/data/cache")" = 700 ]
  local=$(start '{"type":"connection_asset","staging":"local","connection":{"name":"files"},"location":{"path":"digits"}}')
  wait_for 60 exec_is "$local" FINISHED
  log=$(mine "$EXECS/$local/log?logType=outlog")
  [[ $log == *"a.bin 3000000"*/wm-data-*-$(id -u)-* ]] || { echo "$log"; return 1; }
  where=$(sed -n 's/^from //p' <<<"$log")
  [ -n "$where" ] && [ ! -e "$(dirname "$where")" ]
}

@test "a data asset: files that were uploaded are data of executions, where they lie, on a worker or on a volume" {
  printf 'one\n' >a.csv
  data=$API/projects/default/data
  mine -F 'data={"name":"digits","description":"of hands"}' -F file=@a.csv "$data" |
    jq -e '.kind == "upload" and .version == 1 and .files == 1 and .size == 4 and (has("stored") | not)'
  mine -F 'data={"name":"digits"}' -F file=@a.csv "$data" | jq -e '.status == 409 and (.title | contains("PUT /api/v1/projects/default/data/digits makes the next version"))'
  mine -F 'data={"name":"none"}' "$data" | jq -e '.status == 400 and (.title | contains("a connection or files are wanted"))'
  mine "$data" | jq -e '.data | map(.name + " " + .description) == ["digits of hands"]'
  id=$(start '{"type":"data_asset","asset":{"name":"digits"}}')
  wait_for 60 exec_is "$id" FINISHED
  [[ $(mine "$EXECS/$id/log?logType=outlog") == *"a.csv 4"*"from $CLUSTER/results/$(id -un)/projects/default/data/digits/v1/files"* ]]
  mine "$EXECS/$id" | jq -e '.dataSource[0].asset == {"project":"default","name":"digits","version":1}'
  mine "$API/jobs/$id/data" | jq -e '.data == null'   # nothing had to be fetched
  # A folder as the next version; what runs with the first keeps it.
  mkdir -p set/deep && echo deep >set/deep/b.txt && tar -cf set.tar -C set .
  mine -X PUT -F 'data={"description":"more"}' -F unpack=yes -F file=@set.tar "$data/digits" | jq -e '.version == 2 and .files == 1'
  mine "$data/digits" | jq -e '.content == [{"path":"deep/b.txt","size":5}] and .description == "more"'
  mine "$data/digits?version=1" | jq -e '.content == [{"path":"a.csv","size":4}]'
  mine "$data/digits?version=3" | jq -e '.status == 404'
  local=$(start '{"type":"data_asset","asset":{"name":"digits","version":1},"staging":"local"}')
  volume=$(start '{"type":"data_asset","asset":{"name":"digits"},"staging":"volume","volume":"scratch"}')
  wait_for 60 exec_is "$local" FINISHED
  [[ $(mine "$EXECS/$local/log?logType=outlog") == *"a.csv 4"*/wm-data-*-$(id -u)-* ]]
  wait_for 60 exec_is "$volume" FINISHED
  [[ $(mine "$EXECS/$volume/log?logType=outlog") == *"deep "* ]]
  mine "$API/jobs/$volume/data" | jq -e '.data.progress.state == "done" and .data.progress.bytes == 5'
  [ "$(cat "$HERE"/volume/wm-data-*/*/deep/b.txt)" = deep ]
  [[ $(mine -F file=@code.modelDir.tar -F 'data={"dataSource":[{"type":"data_asset","asset":{"name":"nowhere"}}]}' \
    "$EXECS/?args=--exec-start%20PyTorch%20--model-main%20main.py") == *"dataSource: data asset nowhere does not exist"* ]]
  mine -X DELETE "$data/none" | jq -e '.status == 404'
  [ "$(code_of -X DELETE "$data/digits")" = 204 ]
  mine "$data" | jq -e '.data == []'
  [ -z "$(ls -A "$CLUSTER/results/$(id -un)/projects/default/data")" ]
}

@test "an experiment's folder of data has to be there: on a volume, or in the cluster's data" {
  experiments=$API/projects/default/experiments
  mkdir -p "$HERE/volume/digits" && echo two >"$HERE/volume/digits/b.txt"
  mine -F 'data={"name":"reads","framework":"PyTorch","command":"main.py","device":"cpu"}' -F file=@code.modelDir.tar \
    "$API/projects/default/definitions" | jq -e .name
  kept() { mine -d "{\"name\":\"on\",\"definitions\":[\"reads\"],$1}" "$experiments"; }
  kept '"volume":"scratch","data":"nowhere"' | jq -e '.status == 404 and (.title | contains("there is no nowhere on storage volume '"'scratch'"'"))'
  kept '"volume":"none"' | jq -e '.status == 404 and (.title | contains("storage volume '"'none'"' does not exist"))'
  kept '"data":"not/there"' | jq -e '.status == 404 and (.title | contains("not/there"))'
  mine "$experiments" | jq -e '[.experiments[] | select(.name == "on")] == []' # nothing half
  kept '"volume":"scratch","data":"digits"' | jq -e '.volume == "scratch"'
  id=$(mine -X POST "$experiments/on/run" | jq -r '.runs[0]')
  wait_for 60 exec_is "$id" FINISHED
  [[ $(mine "$EXECS/$id/log?logType=outlog") == *"b.txt 4"* ]]
  mv "$HERE/volume" "$HERE/away"
  [[ $(mine -X POST "$experiments/on/run") == *"its folder $HERE/volume is not there"* ]]
  mv "$HERE/away" "$HERE/volume"
  mine -X DELETE "$experiments/on"
}

@test "a data asset is in use: by an experiment, by what waits; dlicmd names one" {
  echo two >b.txt
  data=$API/projects/default/data
  mine -F 'data={"name":"held"}' -F file=@b.txt "$data" | jq -e .version
  mine -F 'data={"name":"read","framework":"PyTorch","command":"main.py","device":"cpu"}' -F file=@code.modelDir.tar \
    "$API/projects/default/definitions" | jq -e .name
  mine -d '{"name":"with","definitions":["read"],"sources":[{"type":"data_asset","asset":{"name":"nowhere"}}]}' \
    "$API/projects/default/experiments" | jq -e '.status == 404'
  mine -d '{"name":"with","definitions":["read"],"sources":[{"type":"data_asset","asset":{"name":"held"}}]}' \
    "$API/projects/default/experiments" | jq -e '.sources | length == 1'
  id=$(mine -X POST "$API/projects/default/experiments/with/run" | jq -r '.runs[0]')
  wait_for 60 exec_is "$id" FINISHED
  [[ $(mine "$EXECS/$id/log?logType=outlog") == *"b.txt 4"* ]]
  mine -X DELETE "$data/held" | jq -e '.status == 409 and (.title | contains("experiment with"))'
  mine -X DELETE "$API/projects/default/experiments/with"
  badmin hclose node1 node2
  id=$(dlicmd --exec-start PyTorch --workerDeviceType cpu --cs-datastore-meta type=data_asset,name=held --model-main code/main.py | tail -n +3 | jq -r .execId)
  mine -X DELETE "$data/held" | jq -e --arg id "$id" '.status == 409 and (.title | contains("execution " + $id))'
  badmin hopen node1 node2
  wait_for 60 exec_is "$id" FINISHED
  [[ $(mine "$EXECS/$id/log?logType=outlog") == *"b.txt 4"* ]]
  [ "$(code_of -X DELETE "$data/held")" = 204 ]
}

@test "a data asset of a connection is what the connection leads to, and keeps it from being deleted" {
  dav store right
  data=$API/projects/default/data
  mine -F 'data={"name":"far","connection":"nowhere","path":"digits"}' "$data" | jq -e '.status == 404'
  mine -F 'data={"name":"far","connection":"store","query":"select 1"}' "$data" | jq -e '.status == 400 and (.title | contains("a path is wanted"))'
  mine -F 'data={"name":"far","connection":"store","path":"digits"}' "$data" | jq -e '.kind == "connection" and .files == 0'
  mine -X DELETE "$API/connections/store" | jq -e '.status == 409 and (.title | contains("default/far"))'
  if command -v rclone >/dev/null; then
    id=$(start '{"type":"data_asset","asset":{"name":"far"}}')
    wait_for 60 exec_is "$id" FINISHED
    [[ $(mine "$EXECS/$id/log?logType=outlog") == *"a.bin 3000000"*"b.txt 4"* ]]
    mine "$EXECS/$id" | jq -e '.dataSource[0].connection.name == "store" and .dataSource[0].asset.version == 1'
  fi
  [ "$(code_of -X DELETE "$data/far")" = 204 ]
  [ "$(code_of -X DELETE "$API/connections/store")" = 204 ]
}

@test "a wrong password, a server that is not there, nothing at the place: the reason, and the execution does not begin" {
  want_rclone
  dav wrong wrong
  dav nowhere right 1
  dav files right
  [[ $(mine -X POST "$API/connections/wrong/test") == *"401"* ]]
  [[ $(mine -X POST "$API/connections/nowhere/test") == *"connection refused"* ]]
  [ "$(code_of -X POST "$API/connections/none/test")" = 404 ]
  id=$(start '{"connection":{"name":"wrong"},"location":{"path":"digits"}}')
  none=$(start '{"connection":{"name":"files"},"location":{"path":"none"}}')
  for each in "$id" "$none"; do
    wait_for 60 exec_is "$each" ERROR
    mine "$API/jobs/$each/data" | jq -e '.data.progress.state == "failed" and .data.progress.error != ""'
  done
  [ -z "$(compgen -G "$CLUSTER/results/$(id -un)/data/cache/.draft*")" ]
  [[ $(mine -F file=@code.modelDir.tar -F 'data={"dataSource":[{"connection":{"name":"unknown"},"location":{"path":"x"}}]}' \
    "$EXECS/?args=--exec-start%20PyTorch%20--model-main%20main.py") == "Error 400: dataSource: no such connection"* ]]
}

@test "keys that run programs are refused by name, and a test is a job of the owner's" {
  said=$(mine -d "{\"name\":\"bad\",\"type\":\"webdav\",\"url\":\"http://127.0.0.1:1\",\"bearer_token_command\":\"touch $PWD/ran\"}" "$API/connections")
  [[ $said == *"bearer_token_command: not a key of webdav"* ]]
  [ ! -e ran ]
  dav tested right
  said=$(mine -X POST "$API/connections/tested/test")
  [ -z "$said" ] || { ! command -v rclone >/dev/null && [[ $said == *"rclone is not installed on this host"* ]]; }
  [ "$(bjobs -a -noheader -o jobid -J test-tested | wc -l)" -eq 1 ]
  [ -z "$(compgen -G "$CLUSTER/results/$(id -un)/data/.test-*")" ]
}

@test "an execution that is stopped takes its download with it" {
  want_rclone
  serve $((PORTS + 1)) rclone serve webdav "$HERE/files" --addr "127.0.0.1:$((PORTS + 1))" --bwlimit 20k --config /dev/null
  connect "{\"name\":\"slow\",\"type\":\"webdav\",\"url\":\"http://127.0.0.1:$((PORTS + 1))\"}"
  id=$(start '{"connection":{"name":"slow"},"location":{"path":"digits"}}')
  fetches() { mine "$API/jobs/$id/data" | jq -e '.data.state == "running" and .data.progress.total > 0'; }
  wait_for 30 fetches
  [ "$(code_of -X POST "$EXECS/$id/stop")" = 204 ]
  gone() { mine "$API/jobs/$id/data" | jq -e '.data.state == "killed"'; }
  wait_for 30 gone
  wait_for 30 exec_is "$id" KILLED
}

@test "a disk without room is said, and nothing half stays" {
  want_rclone
  [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || skip "needs root, to mount a small disk"
  printf '[files]\ntype = webdav\nurl = http://127.0.0.1:%s\nuser = alice\npass = right\n' "$PORTS" >own.conf
  mkdir small
  run unshare -m sh -c "mount -t tmpfs -o size=1m none small && wmfetch --connections own.conf --cache small/cache '[{\"connection\":\"files\",\"path\":\"digits\"}]'; s=\$?; ls -A small/cache; exit \$s"
  [ "$status" -eq 1 ]
  [[ $output == *"bytes are wanted and"*"are free"* ]] || { echo "$output"; return 1; }
  [ "${#lines[@]}" -eq 1 ]
}

@test "objects of an S3 server" {
  want_rclone
  server=${WM_S3RVER:-$(command -v s3rver || echo "$TOP/build/s3/node_modules/.bin/s3rver")}
  [ -x "$server" ] || skip "no S3 server (npm install --prefix build/s3 s3rver)"
  mkdir -p "$HERE/s3"
  serve $((PORTS + 2)) "$server" -d "$HERE/s3" -a 127.0.0.1 -p $((PORTS + 2)) --configure-bucket digits
  env -u AWS_CA_BUNDLE RCLONE_CONFIG_S_TYPE=s3 RCLONE_CONFIG_S_PROVIDER=Other "RCLONE_CONFIG_S_ENDPOINT=http://127.0.0.1:$((PORTS + 2))" \
    RCLONE_CONFIG_S_ACCESS_KEY_ID=S3RVER RCLONE_CONFIG_S_SECRET_ACCESS_KEY=S3RVER rclone --config /dev/null copy "$HERE/files/digits" s:digits/train
  s3() { connect "{\"name\":\"$1\",\"type\":\"s3\",\"endpoint\":\"http://127.0.0.1:$((PORTS + 2))\",\"access_key_id\":\"$2\",\"secret_access_key\":\"S3RVER\",\"bucket\":\"digits\"}"; }
  s3 store S3RVER
  s3 stranger SOMEBODY
  id=$(start '{"type":"connection_asset","connection":{"name":"store"},"location":{"bucket":"digits","path":"train"}}')
  wait_for 60 exec_is "$id" FINISHED
  [[ $(mine "$EXECS/$id/log?logType=outlog") == *"a.bin 3000000"* ]]
  [ "$(code_of -X POST "$API/connections/store/test")" = 204 ]
  [[ $(mine -X POST "$API/connections/stranger/test") == *InvalidAccessKeyId* ]]
}

@test "rows of PostgreSQL through ODBC: a query is a table of CSV" {
  bin=/usr/lib/postgresql/15/bin
  [ -x "$bin/initdb" ] && [ "$(id -u)" -eq 0 ] || skip "needs root and postgresql (scripts/bootstrap data)"
  $PYTHON -c 'import pyodbc, sys; sys.exit("PostgreSQL Unicode" not in pyodbc.drivers())' 2>/dev/null || skip "needs python3-pyodbc and odbc-postgresql"
  server=$(mktemp -d) && chown postgres "$server" && cp "$BATS_TEST_DIRNAME/lib.bash" "$server/" && echo right >"$server/word"
  as_postgres "$bin/initdb" -D "$server/db" -A scram-sha-256 --pwfile "$server/word" >/dev/null
  (cd "$server" && as_postgres "$bin/pg_ctl" -D "$server/db" -o "-p $((PORTS + 3)) -k $server -c listen_addresses=127.0.0.1" -l "$server/log" -w start 3>&- >/dev/null)
  pg() { connect "{\"name\":\"$1\",\"type\":\"postgresql\",\"host\":\"127.0.0.1\",\"port\":$((PORTS + 3)),\"database\":\"postgres\",\"user\":\"postgres\",\"password\":\"$2\"}"; }
  pg rows right
  pg rowsbad wrong
  [ "$(code_of -X POST "$API/connections/rows/test")" = 204 ]
  said=$(mine -X POST "$API/connections/rowsbad/test")
  printf 'import os\nprint(open(os.path.join(os.environ["DATA_DIR"], "squares.csv")).read())\n' >code/main.py && tar -czf code.modelDir.tar code
  id=$(start '{"connection":{"name":"rows"},"location":{"query":"select i, i*i as square from generate_series(1,3) i","name":"squares"}}')
  wait_for 60 exec_is "$id" FINISHED
  log=$(mine "$EXECS/$id/log?logType=outlog")
  (cd "$server" && as_postgres "$bin/pg_ctl" -D "$server/db" -m immediate stop >/dev/null)
  rm -rf "$server"
  [[ $said == *"password authentication failed"* ]] || { echo "$said"; return 1; }
  [[ $log == *"i,square"*"3,9"* ]] || { echo "$log"; return 1; }
}

@test "rows of MariaDB through ODBC" {
  server=$(command -v mariadbd || echo /usr/sbin/mariadbd)
  [ -x "$server" ] || skip "mariadb-server is not installed (scripts/bootstrap data)"
  $PYTHON -c 'import pyodbc, sys; sys.exit("MariaDB Unicode" not in pyodbc.drivers())' 2>/dev/null || skip "needs python3-pyodbc and odbc-mariadb"
  mkdir "$HERE/maria" && mariadb-install-db --no-defaults --datadir="$HERE/maria" --auth-root-authentication-method=normal --user="$(id -un)" >/dev/null 2>&1
  serve $((PORTS + 4)) "$server" --no-defaults --user="$(id -un)" --datadir="$HERE/maria" --socket="$HERE/maria.sock" --bind-address=127.0.0.1 --port=$((PORTS + 4))
  mariadb --no-defaults -S "$HERE/maria.sock" -u root -e "CREATE USER reader@'127.0.0.1' IDENTIFIED BY 'right'; CREATE DATABASE d; CREATE TABLE d.t (a INT); INSERT INTO d.t VALUES (7),(8); GRANT SELECT ON d.* TO reader@'127.0.0.1'"
  connect "{\"name\":\"maria\",\"type\":\"mariadb\",\"host\":\"127.0.0.1\",\"port\":$((PORTS + 4)),\"database\":\"d\",\"user\":\"reader\",\"password\":\"right\"}"
  connect "{\"name\":\"mariabad\",\"type\":\"mariadb\",\"host\":\"127.0.0.1\",\"port\":$((PORTS + 4)),\"database\":\"d\",\"user\":\"reader\",\"password\":\"wrong\"}"
  said=$(mine -X POST "$API/connections/mariabad/test")
  printf 'import os\nprint(open(os.path.join(os.environ["DATA_DIR"], "t.csv")).read())\n' >code/main.py && tar -czf code.modelDir.tar code
  id=$(start '{"connection":{"name":"maria"},"location":{"query":"select a from t order by a","name":"t"}}')
  wait_for 60 exec_is "$id" FINISHED
  [[ $said == *"Access denied"* ]] || { echo "$said"; return 1; }
  [[ $(mine "$EXECS/$id/log?logType=outlog") == *"7"*"8"* ]]
}
