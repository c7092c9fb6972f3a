#!/usr/bin/env bats
# Role: the morning after: two users' jobs of all kinds ran on the last day of a month that was a Sunday (the place's
# clock is moved there), cron's own lines run, and everybody finds in the mail what is theirs. Root only: two accounts.

load lib
setup_file() {
  [ -z "$(why_no_accounts)" ] || return 0
  open_place
  reachable_build "$PLACE/build"
  make_account a && make_account b
  export SINK=$PLACE/sink TZDIR=$PLACE/zones
  mkdir -p "$SINK" "$TZDIR" "$PLACE/a" "$PLACE/b" && chmod 1777 "$SINK"
  cp "$BATS_TEST_DIRNAME/small_train.py" "$PLACE/a/"
  chown $ACCOUNT-a "$PLACE/a" && chown $ACCOUNT-b "$PLACE/b"
  cat >"$PLACE/sendmail" <<END
#!/bin/sh
n=\$(mktemp "$SINK/XXXXXX.eml") && echo "\$*" >"\$n.to" && chmod a+r "\$n" "\$n.to" && exec cat >"\$n"
END
  chmod 755 "$PLACE/sendmail"
  printf "[paths]\nsendmail = $PLACE/sendmail\n" >"$PLACE/wm.conf"
  printf '[/]\n[/a]\nowns = 2\n[/b]\nowns = 2\n' >"$PLACE/plans.conf"
  "$MINICLUSTER" up --dir "$PLACE/c" --nodes 2 --cpus 2 --gpus 1 --multiuser --conf "$PLACE/wm.conf" --conf "$PLACE/plans.conf"
  eval "$("$MINICLUSTER" env --dir "$PLACE/c")"
  printf '%s\n' 'report_timezone = Moved' 'report_admins = jo' 'report_management = boss' 'mail_domain = example.org' \
    'advice_trial = 0' 'advice_fails = 3' '[/a]' 'owners = carol' >"$WM_CONF_DIR/report.conf"
  day_of_jobs && move_clock
}
teardown_file() {
  [ -n "${PLACE-}" ] || return 0
  "$MINICLUSTER" down --dir "$PLACE/c"
  remove_accounts
  rm -rf "$PLACE"
}
setup() {
  [ -n "${PLACE-}" ] || skip "$(why_no_accounts)"
  CLUSTER=$PLACE/c
  cluster_env
  cd "$PLACE" || return
}

submit_as() { # a|b bsub's words…: prints the job's number
  local who=$1 said
  shift
  said=$(cd "$PLACE/$who" && setpriv --reuid "$ACCOUNT-$who" --regid "$(id -g "$ACCOUNT-$who")" --clear-groups -- \
    env HOME="$PLACE/$who" USER="$ACCOUNT-$who" LOGNAME="$ACCOUNT-$who" bsub "$@")
  [[ $said =~ \<([0-9]+)\> ]] && echo "${BASH_REMATCH[1]}"
}

day_of_jobs() {
  submit_as a -plan /a -J '<b>"x"`id`' -o /dev/null -n 2 sleep 2 >/dev/null
  submit_as b -plan /b -J '=arr[1-4]%2' -o /dev/null sleep 0.3 >/dev/null
  submit_as b -plan /b -o /dev/null false >/dev/null
  submit_as b -plan /b -o /dev/null false >/dev/null
  submit_as b -plan /b -o /dev/null false >/dev/null
  job=$(submit_as a -plan /a -app training -ar -n 1,2 -gpu num=1 $PYTHON small_train.py 40 10)
  wait_for 60 ended "$job"
  wait_for 60 all_ended 9
}
all_ended() {
  local done exited
  read -r done exited < <(bacct -u all -C , | sed -n 's/.*done jobs: *\([0-9]*\).*exited jobs: *\([0-9]*\).*/\1 \2/p')
  [ "$((done + exited))" -eq "$1" ]
}

# A place where Monday 1 February 2027 begins now: the jobs ran before. Returns when accounting says
# that all of the day is in.
move_clock() {
  $PYTHON - "$TZDIR/Moved" <<'END'
import struct, sys, time
offset = 1801440000 - int(time.time()) - 1  # 2027-02-01 00:00 there
head = lambda: b"TZif2" + bytes(15) + struct.pack(">6I", 0, 0, 0, 0, 1, 4)
part = struct.pack(">iBB", offset, 0, 0) + b"MOV\0"
open(sys.argv[1], "wb").write(head() + part + head() + part + b"\n\n")
END
  chmod -R a+rX "$TZDIR"
  wait_for 60 is_final
}
is_final() { # what it says where it fails is shown
  wmreport show day --format json | jq -c '.period, .counts'
  wmreport show day --format json | jq -e '.period.final and .counts.ended == 9 and .period.name == "2027-01-31"'
}

# The lines as they stand in the file that is installed.
cron_lines() { grep wmreport "$TOP/etc/cron.d/wm" | grep '^[0-9]' | sed 's/^[^&]*&& //'; }
mails_to() { grep -l -- "-- $1" "$SINK"/*.to | sed 's/\.to$//'; }
decoded() { $PYTHON -c '
import email, email.policy, sys
m = email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)
print(m["Subject"]); print(m.get_body(("plain",)).get_content())
for a in m.iter_attachments():
    text = a.get_content(); print("ATTACHED", a.get_filename(), text.count("<svg"), "default-src" in text)' "$1"; }

@test "cron's lines say nothing, and each of five finds one mail" {
  [ "$(cron_lines | wc -l)" -eq 4 ]
  while read -r line; do
    run bash -c "$line"
    [ "$status" -eq 0 ] && [ -z "$output" ] || { echo "$line: $status $output"; return 1; }
  done < <(cron_lines)
  ls "$SINK"
  for who in jo $ACCOUNT-a $ACCOUNT-b carol boss; do [ "$(mails_to "$who@example.org" | wc -l)" -eq 1 ] || { echo "$who"; return 1; }; done
  [ "$(ls "$SINK"/*.eml | wc -l)" -eq 5 ]
}

@test "the administrator has the day with its page: how full, who waited, what failed" {
  run decoded "$(mails_to jo@example.org)"
  [[ $output == *"day 2027-01-31"* && $output == *"Sunday 31 January 2027"* && $output == *"9 ended, 3 failed"* ]]
  [[ $output == *"$ACCOUNT-a"* && $output == *"/b"* && $output == *"final"* ]]
  [[ $output =~ "ATTACHED day-2027-01-31.html "[3-9]" True" ]]
}

@test "each user has the week and only what is theirs; who fails again and again is told" {
  run decoded "$(mails_to $ACCOUNT-a@example.org)"
  [[ $output == *"your week"* && $output == *"2 done, 0 failed"* && $output != *$ACCOUNT-b* ]]
  [[ $output == *ATTACHED*week-2027-W04* ]]
  run decoded "$(mails_to $ACCOUNT-b@example.org)"
  [[ $output == *"4 done, 3 failed"* && $output == *"failed 3 times in a row"* && $output != *$ACCOUNT-a* ]]
}

@test "a plan's owner has the month of the plan, management that of all without names" {
  run decoded "$(mails_to carol@example.org)"
  [[ $output == *"/a in January 2027"* && $output == *$ACCOUNT-a* && $output != *$ACCOUNT-b* ]]
  [[ $output == *ATTACHED*month-2027-01* ]]
  file=$(mails_to boss@example.org)
  run decoded "$file"
  [[ $output == *"January 2027"* && $output == */b* ]]
  ! $PYTHON -c '
import email, email.policy, sys
m = email.message_from_binary_file(open(sys.argv[1], "rb"), policy=email.policy.default)
print(*[p.get_content() for p in m.walk() if p.get_content_maintype() == "text"])' "$file" | grep wmtest
}

@test "run again, and by three crons at once, nothing is mailed twice and nothing is half written" {
  while read -r line; do bash -c "$line"; done < <(cron_lines)
  reports=$(find "$CLUSTER" -path '*reports/2027/01' -type d)
  md5sum "$reports"/*.csv >before
  for i in 1 2 3; do
    while read -r line; do bash -c "$line" & done < <(cron_lines)
  done
  wait
  [ "$(ls "$SINK"/*.eml | wc -l)" -eq 5 ]
  md5sum -c --quiet before
  ! find "$reports" -name '*.new*' | grep .
}

@test "pages: others may not read a user's, the group may read the cluster's" {
  reports=$(find "$CLUSTER" -path '*reports/2027/01' -type d)
  [ "$(stat -c %a "$reports/day-2027-01-31.html")" = 640 ]
  [ "$(stat -c %a "$reports/week-2027-W04-$ACCOUNT-a.html")" = 600 ]
  [ -s "$reports/month-2027-01-_a-entitlement.csv" ]
  [ -z "${KEEP_PAGES-}" ] || cp -r "$reports" "$KEEP_PAGES"
}
