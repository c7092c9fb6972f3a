#!/usr/bin/env bash
# Role: what reports cost submissions: how fast jobs become durable by `bsub -pack` while wmreport rolls the day (at
# nice 10, as its service does) and bacct asks for everybody's sums, every second of them, against without. Packs of both
# kinds take turns, so that what else the machine does counts for both.
#   reports_submit_ratio     with / without; each is the median of nine packs
set -euo pipefail
cd "$(dirname "$0")/../.."
B=$(realpath -m "${B:-build}")
export B
work=$(mktemp -d)
trap 'scripts/minicluster down --dir "$work/cluster" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
scripts/minicluster up --dir "$work/cluster" --nodes 1 >/dev/null
eval "$(scripts/minicluster env --dir "$work/cluster")"
for n in $(seq 8000); do echo "-H -J job-$n -o out-$n.txt sleep $n"; done >"$work/jobs"
badmin qinact normal >/dev/null

pack() { # prints its seconds
  local begun ended
  begun=$(date +%s.%N)
  bsub -pack "$work/jobs" >/dev/null
  ended=$(date +%s.%N)
  echo "$ended $begun" | awk '{ printf "%.3f\n", $1 - $2 }'
}
reading() {
  while [ -e "$work/reading" ]; do
    nice wmreport roll -q --since "$(date +%F)" || true
    bacct -u all -by user >/dev/null 2>&1 || true
    sleep 1
  done
}
median() { sort -n "$1" | sed -n 5p; }
pack >/dev/null
for _ in 1 2 3 4 5 6 7 8 9; do
  pack >>"$work/without"
  touch "$work/reading"
  reading & reader=$!
  sleep 0.2
  pack >>"$work/with"
  rm "$work/reading"
  wait "$reader" || true
done
without=$(median "$work/without")
with=$(median "$work/with")
echo "$with $without" | awk '{ printf "reports_submit_with_s %.3f s\nreports_submit_without_s %.3f s\nreports_submit_ratio %.3f 1\n", $1, $2, $2 / $1 }'
