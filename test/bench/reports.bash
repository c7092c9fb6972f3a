#!/usr/bin/env bash
# Role: what reports cost submissions: how fast jobs become durable by `bsub -pack` while wmreport rolls the day again and
# again (at nice 10, as its service does) and bacct asks for everybody's sums, against without. On a machine of two processors
# they share these with the master, which is the worst case.
#   reports_submit_ratio     with / without; each is the median of several packs
set -euo pipefail
cd "$(dirname "$0")/../.."
B=$(realpath -m "${B:-build}")
export B
work=$(mktemp -d)
trap 'scripts/minicluster down --dir "$work/cluster" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
scripts/minicluster up --dir "$work/cluster" --nodes 1 >/dev/null
eval "$(scripts/minicluster env --dir "$work/cluster")"
for n in $(seq 4000); do echo "-H -J job-$n -o out-$n.txt sleep $n"; done >"$work/jobs"
badmin qinact normal >/dev/null

pack() { # prints its seconds
  local begun ended
  begun=$(date +%s.%N)
  bsub -pack "$work/jobs" >/dev/null
  ended=$(date +%s.%N)
  echo "$ended $begun" | awk '{ printf "%.3f\n", $1 - $2 }'
}
packs() { # the median of five
  for _ in 1 2 3 4 5; do pack; done | sort -n | sed -n 3p
}
reading() {
  while [ -e "$work/reading" ]; do
    nice wmreport roll -q --since "$(date +%F)" || true
    bacct -u all -by user >/dev/null 2>&1 || true
    sleep 0.5
  done
}
pack >/dev/null
without=$(packs)
touch "$work/reading"
reading & reader=$!
with=$(packs)
rm "$work/reading"
wait "$reader" || true
echo "$with $without" | awk '{ printf "reports_submit_with_s %.3f s\nreports_submit_without_s %.3f s\nreports_submit_ratio %.3f 1\n", $1, $2, $2 / $1 }'
