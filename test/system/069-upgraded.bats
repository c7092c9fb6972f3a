#!/usr/bin/env bats
# Role: a master of today on what a master of the version before left on disk (test/upgrade): its jobs, budgets and
# reservations are shown as that version's own commands showed them, and the archive has what it had forgotten.

load lib
BEFORE=$TOP/test/upgrade/before.tar.gz
setup_file() {
  local confs=() file
  printf '[times]\nclean_period = 8000h\nkeep_batch_runs = 800000h\nkeep_accounting = 0s\nkeep_history = 0s\n' >"$BATS_FILE_TMPDIR/wm.conf"
  for file in "$BATS_FILE_TMPDIR/wm.conf" "$TOP"/test/upgrade/conf/{apps,budgets,plans,queues}.conf; do confs+=(--conf "$file"); done
  cluster_up --nodes 1 --cpus 4 "${confs[@]}"
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  OLD=$BATS_FILE_TMPDIR/old
}
after_each() { :; } # its jobs stay for the next test

list() { bjobs -u all -a -noheader -o "jobid jobindex stat job_name user queue app plan attempt delimiter='|'"; }

@test "jobs, arrays, budgets and reservations are as they were" {
  mkdir "$OLD" && tar -xzf "$BEFORE" -C "$OLD"
  for daemon in node1 wmasterd; do "$MINICLUSTER" kill $daemon; done
  state=$(sed -n 's/^state_dir *= *//p' "$WM_CONF_DIR/wm.conf")/master
  [ -e "$state/core.db" ]
  rm -r "$state" && cp -a "$OLD/state" "$state"
  "$MINICLUSTER" start wmasterd
  # Its hosts do not come back; an element is named with its index; what had ended then may be forgotten by now.
  open() { awk -F'|' -v OFS='|' '$3 !~ /DONE|EXIT/ { sub(/\[.*/, "", $1); sub("UNKWN", "RUN", $3); print }' | sort; }
  diff <(awk -F'|' -v OFS='|' '$2 { $4 = $4 "[" $2 "]" } { print }' "$OLD/jobs" | open) <(list | open)
  bplans -b /research | grep -q '^/research'
  brsvs | grep -q '^course '
  bhosts -noheader h3 | grep -q '^h3 '
  bqueues -noheader night | grep -qi closed
}

@test "the archive has what had ended and what the master had forgotten, once" {
  filled() { ! badmin archive | grep -q 'made again' && badmin archive | grep -qE '^Jobs on their way +0$'; }
  wait_for 30 filled
  count=$(badmin archive | sed -n 's/^Records of runs *//p')
  ended=$(grep -E '\|(DONE|EXIT)\|' "$OLD/jobs" | cut -d'|' -f1 | sort -u | wc -l)
  [ "$count" = $(($(wc -l <"$OLD/forgotten") + ended)) ]
  badmin archive | grep -qE '^Size of archive.db +[0-9.]+[KM]$'
  while read -r job; do
    bacct -u all -l "$job" | grep -q "Job <$job"
    bhist -l "$job" | grep -q "Job <$job"
  done < <(cat "$OLD/forgotten"; grep -E '\|(DONE|EXIT)\|' "$OLD/jobs" | cut -d'|' -f1 | sort -u)
  "$MINICLUSTER" kill wmasterd
  "$MINICLUSTER" start wmasterd
  wait_for 30 filled
  [ "$(badmin archive | sed -n 's/^Records of runs *//p')" = "$count" ]
  [ "$(grep -h 'archive_filled of=events' "$CLUSTER"/log/wmasterd.out | grep -vc 'steps=0$')" = 1 ]
}

@test "new work goes on above the old numbers" {
  job=$(submit true)
  [ "$job" -gt "$(cut -d'|' -f1 "$OLD/jobs" | sort -n | tail -n 1)" ]
}
