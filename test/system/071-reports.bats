#!/usr/bin/env bats
# Role: what cron's lines make of a day of jobs: the administrator's page by mail, users' weeks, a
# plan owner's month; each once, whole, and right.

load lib
setup_file() {
  export SINK=$BATS_FILE_TMPDIR/sink
  mkdir -p "$SINK"
  cat >"$BATS_FILE_TMPDIR/sendmail" <<END
#!/bin/sh
[ -f "$SINK/fails" ] && exit 75
echo "\$*" >>"$SINK/words"
exec cat >"$SINK/\$\$.eml"
END
  chmod +x "$BATS_FILE_TMPDIR/sendmail"
  printf "[paths]\nsendmail = $BATS_FILE_TMPDIR/sendmail\n" >"$BATS_FILE_TMPDIR/wm.conf"
  printf '[/]\n[/a]\nowns = 2\n[/b]\nowns = 2\n' >"$BATS_FILE_TMPDIR/plans.conf"
  cluster_up --nodes 2 --cpus 2 --gpus 1 --conf "$BATS_FILE_TMPDIR/wm.conf" --conf "$BATS_FILE_TMPDIR/plans.conf"
  programs_built || return 0
  cat >"$WM_CONF_DIR/report.conf" <<END
report_timezone = Europe/Berlin
report_admins = jo
mail_domain = example.org
[/a]
owners = carol
END
  day_of_jobs
}
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; rm -f "$SINK"/*; }

# Rigid, array, failing, elastic; one with a name that would be something else elsewhere.
day_of_jobs() {
  cd "$BATS_FILE_TMPDIR" || return
  cp "$BATS_TEST_DIRNAME/small_train.py" .
  submit -plan /a -J '<b>"x"`id`' -o /dev/null sleep 1 >/dev/null
  submit -plan /b -J '=arr[1-4]%2' -o /dev/null sleep 0.2 >/dev/null
  submit -plan /b -o /dev/null false >/dev/null
  job=$(submit -plan /a -app training -ar -n 1,2 -gpu num=1 $PYTHON small_train.py 40 10)
  wait_for 60 ended "$job"
  wait_for 60 counted 7
}
# Accounting says that all before has come: at the latest 20 s after the last event.
counted() { wmreport show day this --format json | jq -e ".counts.ended == $1"; }

today() { TZ=Europe/Berlin date +%F; }
decoded() { python3 -c '
import email, email.policy, sys
m = email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)
body = m.get_body(("plain",)).get_content()
print(m["Subject"]); print(m["To"]); print(m["Message-ID"]); print(body)
for a in m.iter_attachments(): print("ATTACHED", a.get_filename(), len(a.get_content()))' "$1"; }

@test "the administrator's mailbox has the day, its page attached" {
  run wmreport day this --mail
  [[ $output == *"wmreport day $(today) "*"jobs=7 failed=1 "*"mails=1/1"* ]]
  [ "$(ls "$SINK"/*.eml | wc -l)" -eq 1 ]
  run decoded "$SINK"/*.eml
  [[ $output == *jo@example.org* && $output == *"7 ended, 1 failed"* && $output == *ATTACHED*day-$(today).html* ]]
  grep -q -- '-oi -- jo@example.org' "$SINK/words"
}

@test "the page has no part from elsewhere and no name runs in it" {
  wmreport day this --out out || [ $? -eq 1 ]
  page=out/day-$(today).html
  grep -q "default-src 'none'" "$page"
  ! grep -qiE '<script|src=|href="?http|<b>' "$page"
  grep -q '<svg' "$page"
  [ -s "out/day-$(today)-util.csv" ]
  jq -e '.totals.slots.allocated_s > 0 and .counts.failed == 1 and .schema == "wm.report/1"' "out/day-$(today).json"
  ls out/mail-jo-*.eml
}

@test "slots add up: allocated, down, drained, idle are what there was" {
  wmreport day this --out out || [ $? -eq 1 ]
  jq -e '.totals.slots | (.classes | add) - .over_s - .capacity_s | fabs < 0.001' "out/day-$(today).json"
  jq -e '.totals.slots.allocated_s as $all | [.users[].allocated.slot_s] | add - $all | fabs < 0.001' "out/day-$(today).json"
}

@test "users get their week, owners of a plan their month" {
  run wmreport week this --mail
  [ "$status" -le 1 ]
  run decoded "$(grep -l "$(id -un)@example.org" "$SINK"/*.eml)"
  [[ $output == *"your week"* && $output == *"6 done, 1 failed"* ]]
  rm "$SINK"/*.eml
  run wmreport month this --mail
  [ "$status" -le 1 ]
  run decoded "$(grep -l carol@example.org "$SINK"/*.eml)"
  [[ $output == */a* && $output == *"owned slot hours"* ]]
}

@test "rolled twice, rebuilt or after a restart of the master it is the same" {
  wmreport show day this --format json | jq 'del(.made_at, .period, .notes, .totals, .hosts, .plans, .troubles)' >before
  wmreport roll --since "$(today)"
  "$MINICLUSTER" kill wmasterd
  run wmreport show day this --format json  # the master need not be up
  "$MINICLUSTER" start wmasterd
  wait_for 30 bhosts
  badmin rebuild-acct
  wait_for 60 counted 7
  wmreport roll --since "$(today)" -q || [ $? -eq 1 ]
  wmreport show day this --format json | jq 'del(.made_at, .period, .notes, .totals, .hosts, .plans, .troubles)' >after
  diff before after
}

@test "two at once: one waits or leaves, nothing is half written" {
  for i in 1 2 3 4 5 6; do
    wmreport roll -q & pids[i]=$!
  done
  for i in 1 2 3 4 5 6; do wait "${pids[i]}"; done
  run wmreport roll
  [[ $status -eq 0 && $output == *"wmreport roll ok"* ]]
  ! ls "$WM_CONF_DIR"/../state/master/reports 2>/dev/null | grep new
}

@test "killed in the middle, the next one makes it whole" {
  wmreport show day this --format json | jq '.users, .refunds, .counts, .queues' >before
  for delay in 0 0.01 0.02 0.03 0.05 0.08; do
    wmreport roll --since "$(today)" -q & pid=$!
    command sleep "$delay"
    kill -9 "$pid" 2>/dev/null || true
    wait "$pid" || true
  done
  wmreport show day this --format json | jq '.users, .refunds, .counts, .queues' >after
  diff before after
}

@test "for the first weeks administrators alone get advice" {
  cp "$WM_CONF_DIR/report.conf" kept
  { echo 'advice_fails = 1'; cat kept; } >"$WM_CONF_DIR/report.conf"
  wmreport week this --out out || [ $? -eq 1 ]
  grep -q 'what users would be told' out/mail-jo-advice-trial-*.eml
  ! grep -q 'thing to change' out/week-*-"$(id -un)".html
  { echo 'advice_trial = 0'; echo 'advice_fails = 1'; cat kept; } >"$WM_CONF_DIR/report.conf"
  wmreport week this --out out2 || [ $? -eq 1 ]
  grep -q 'thing to change' out2/week-*-"$(id -un)".html
  ! ls out2/mail-jo-advice-trial-*.eml
  cp kept "$WM_CONF_DIR/report.conf"
}

@test "mail that is not taken is a warning" {
  touch "$SINK/fails"
  run wmreport day this --mail
  [[ $status -eq 1 && $output == *"sendmail ended with 75"* ]]
}

@test "mail that bounces at once is a warning too, and the next run sends it" {
  printf '#!/bin/sh\n[ -f "%s/fails" ] && exit 67\nexec cat >"%s/$$.eml"\n' "$SINK" "$SINK" >"$BATS_FILE_TMPDIR/sendmail"
  touch "$SINK/fails"
  run wmreport day yesterday --mail
  [[ $status -eq 1 && $output == *"no mail to jo@example.org: sendmail ended with 67"* ]]
  rm "$SINK/fails"
  run wmreport day yesterday --mail
  [[ $output == *"mails=1/1"* ]]
}

# small SIZE FOLDER: a file system of its own, gone with the test
small() {
  mkdir -p "$2"
  mount -t tmpfs -o "size=$1" none "$2" 2>/dev/null || skip "nothing can be mounted here"
}
after_each() {
  umount "$BATS_TEST_TMPDIR/full" 2>/dev/null || true
}

@test "a full disk for pages: it is said, nothing is half written, the next run makes it whole" {
  small 24k full
  run wmreport day this --out full
  [ "$status" -eq 3 ]
  [[ $output == *"wmreport: "*"/day-$(today)"*"No space left on device"* ]] || { echo "$output"; return 1; }
  ! find full -name '*.new*' | grep .
  ! ls full/*.html
  mount -o remount,size=4m full
  wmreport day this --out full || [ $? -eq 1 ]
  ls full/*.html
}

@test "a full disk for sums: it is said, and the next run makes them whole" {
  wmreport show day this --format json | jq '.users, .refunds, .counts, .queues' >before
  state=$(badmin showconf 2>/dev/null | sed -n 's/^state_dir *= *//p')
  [ -d "$state/master" ] || state=$CLUSTER/state
  small 8m full
  mkdir -p full/master conf5
  cp "$WM_CONF_DIR"/*.conf conf5/
  sed -i "s|^state_dir.*|state_dir = $PWD/full|" conf5/wm.conf
  cp "$state"/master/acct.db* full/master/
  wmreport_here() { WM_CONF_DIR=$PWD/conf5 wmreport "$@"; }
  dd if=/dev/zero of=full/fill bs=1k 2>/dev/null || true
  run wmreport_here roll
  [ "$status" -eq 3 ]
  [[ $output == *full* || $output == *"No space"* || $output == *"disk I/O"* ]] || { echo "$output"; return 1; }
  rm full/fill
  run wmreport_here roll
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  wmreport_here show day this --format json | jq '.users, .refunds, .counts, .queues' >after
  diff before after
}

@test "empty and partial databases are named with the remedy" {
  state=$(badmin showconf 2>/dev/null | sed -n 's/^state_dir *= *//p')
  [ -d "$state/master" ] || state=$CLUSTER/state
  mkdir -p other/master conf4
  cp "$WM_CONF_DIR"/*.conf conf4/
  sed -i "s|^state_dir.*|state_dir = $PWD/other|" conf4/wm.conf
  : >other/master/acct.db
  WM_CONF_DIR=$PWD/conf4 run wmreport roll
  [[ $status -eq 3 && $output == *"acct.db"*"start the master"* ]]
  cp "$state"/master/acct.db* other/master/
  : >other/master/report.db # what a crash may leave
  WM_CONF_DIR=$PWD/conf4 run wmreport roll
  [ "$status" -eq 0 ]
  head -c 20000 other/master/report.db >cut && cp cut other/master/report.db && rm -f other/master/report.db-*
  WM_CONF_DIR=$PWD/conf4 run wmreport roll
  [[ $status -eq 3 && $output == *"report.db"* ]]
  rm other/master/report.db
  WM_CONF_DIR=$PWD/conf4 run wmreport roll
  [ "$status" -eq 0 ]
  echo "no database at all, whatever it may be" >other/master/meter.db
  WM_CONF_DIR=$PWD/conf4 run wmreport show day this
  [[ $status -eq 0 && $output == *"meter.db"*"reports go without it"* && $output == *"7 ended"* ]]
}

@test "budgets are on the page, and whoever they concern is told once at each level" {
  printf '[user:%s]\ncpu_hours = 1000\n' "$(id -un)" >"$WM_CONF_DIR/budgets.conf"
  wmreport show month this --format json >month
  jq -e '.budgets[0] | .budget == "user:'"$(id -un)"'" and .cpu.used_s > 0 and .cpu.granted_s == 3600000' month
  run wmreport roll --mail
  ! ls "$SINK"/*.eml
  printf '[user:%s]\ncpu_hours = 0\nat_end = lowest\n' "$(id -un)" >"$WM_CONF_DIR/budgets.conf"
  wmreport roll -q --mail
  [ "$(ls "$SINK"/*.eml | wc -l)" -eq 2 ] # theirs and the administrator's
  run decoded "$(ls "$SINK"/*.eml | head -1)"
  [[ $output == *"budget user:$(id -un): 100 % of "*" used"* && $output == *"start after all others. Nothing that runs is ended"* ]]
  wmreport roll -q --mail
  [ "$(ls "$SINK"/*.eml | wc -l)" -eq 2 ]
  rm "$WM_CONF_DIR/budgets.conf"
}

@test "an export adds up and is safe for spreadsheets" {
  wmreport export this --by plan,user >table
  head -1 table | grep -q '^from,to,plan,project,user,queue,app,resource,allocated_s'
  printf 'id = p1\nslot = 3600\n' >prices
  run wmreport export this --by plan --price prices
  [[ $output == *",p1,"* ]]
  ! grep -qE '(^|,)[=+@]' table
}

@test "bad input is refused with what to do" {
  run wmreport
  [[ $status -eq 2 && $output == *"roll, day, week"* ]]
  run wmreport day 2026-02-30
  [[ $status -eq 2 && $output == *"2026-02-30"* ]]
  run wmreport day --timezone Mars/Olympus
  [[ $status -eq 3 && $output == *"no time zone 'Mars/Olympus'"* ]]
  mkdir conf2
  cp "$WM_CONF_DIR"/* conf2/ 2>/dev/null || true
  echo "report_admin = x" >conf2/report.conf
  WM_CONF_DIR=$PWD/conf2 run wmreport roll
  [[ $status -eq 3 && $output == *"report.conf:1"*"nearest: report_admins"* ]]
}

@test "a database that is damaged or not ours is named, and left alone" {
  state=$(badmin showconf 2>/dev/null | sed -n 's/^state_dir *= *//p')
  [ -d "$state/master" ] || state=$CLUSTER/state
  mkdir -p other/master
  sed "s|^state_dir.*|state_dir = $PWD/other|" "$WM_CONF_DIR/wm.conf" >wm.conf
  mkdir conf3 && cp "$WM_CONF_DIR"/*.conf conf3/ && cp wm.conf conf3/
  WM_CONF_DIR=$PWD/conf3 run wmreport roll
  [[ $status -eq 3 && $output == *"no accounting database"* ]]
  sqlite3 other/master/acct.db 'CREATE TABLE t (x)'
  WM_CONF_DIR=$PWD/conf3 run wmreport roll
  [[ $status -eq 3 && $output == *"not a WM accounting database"* ]]
  head -c 5000 "$state/master/acct.db" >other/master/acct.db
  WM_CONF_DIR=$PWD/conf3 run wmreport roll
  [ "$status" -eq 3 ]
  sqlite3 other/master/report.db 'PRAGMA user_version=99; PRAGMA application_id=1464693360; CREATE TABLE t (x)'
  cp "$state"/master/acct.db* other/master/
  WM_CONF_DIR=$PWD/conf3 run wmreport roll
  [[ $status -eq 3 && $output == *"version 99"* ]]
}
