#!/usr/bin/env bash
# Role: how fast `bsub -pack` has 10,000 different jobs durable, each with its result, from the start of the
# command to its end. The median of 5, each beside what waits already.
set -euo pipefail
cd "$(dirname "$0")/../.."
B=$(realpath -m "${B:-build}")
export B
work=$(mktemp -d)
trap 'scripts/minicluster down --dir "$work/cluster" >/dev/null 2>&1 || true; rm -rf "$work"' EXIT
scripts/minicluster up --dir "$work/cluster" --nodes 1 >/dev/null
eval "$(scripts/minicluster env --dir "$work/cluster")"
for n in $(seq 10000); do echo "-H -J job-$n -o out-$n.txt sleep $n"; done >"$work/jobs"
badmin qinact normal >/dev/null
for _ in 1 2 3 4 5; do
  begun=$(date +%s.%N)
  bsub -pack "$work/jobs" >"$work/said"
  ended=$(date +%s.%N)
  [ "$(wc -l <"$work/said")" -eq 10000 ]
  awk -v a="$begun" -v b="$ended" 'BEGIN { printf "%.0f\n", 10000 / (b - a) }'
done | sort -g >"$work/rates"
awk '{ r[NR] = $1 } END { printf "# n=5 least %d most %d\n", r[1], r[5] >"/dev/stderr"
  printf "pack_10000_per_s %d jobs/s\n", r[3] }' "$work/rates"
