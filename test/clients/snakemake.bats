#!/usr/bin/env bats
# Role: Debian's snakemake, unmodified, submits with bsub and asks bjobs how its jobs stand.

load lib
setup_file() { cluster_up --nodes 2 --cpus 2 --mem 4G; }
teardown_file() { cluster_down; }
setup() { client snakemake; cluster_env; cd "$BATS_TEST_TMPDIR" || return; write_workflow; }

write_workflow() {
  cat >Snakefile <<'RULES'
rule all:
    input: "sum.txt"
rule part:
    output: "part{n}.txt"
    threads: 1
    resources: mem_mb=100
    shell: "test ! -e break{wildcards.n} && echo {wildcards.n} >{output}"
rule sum:
    input: expand("part{n}.txt", n=[1, 2, 3])
    output: "sum.txt"
    resources: mem_mb=100
    shell: "cat {input} | paste -sd+ | bc >{output} || cat {input} | awk '{{ n += $1 }} END {{ print n }}' >{output}"
RULES
  # As the LSF profile of its users does: success, failed or running, by the number in bsub's answer.
  cat >status.sh <<'STATUS'
#!/bin/sh
number=$(echo "$*" | grep -o '<[0-9]*>' | head -n 1 | tr -d '<>')
case $(bjobs -noheader -o 'stat' "$number" 2>/dev/null) in
  DONE) echo success ;;
  EXIT | '') echo failed ;;
  *) echo running ;;
esac
STATUS
  chmod +x status.sh
}

run_it() {
  HOME=$BATS_TEST_TMPDIR timeout 300 snakemake --jobs 3 --latency-wait 10 --max-status-checks-per-second 5 \
    --cluster 'bsub -q normal -n {threads} -M {resources.mem_mb}M -R "rusage[mem={resources.mem_mb}]" -J {rule} -o log.%J' \
    --cluster-status ./status.sh "$@"
}

@test "a workflow of four jobs is driven to its end" {
  run run_it
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(cat sum.txt)" = 6 ]
  [ "$(bjobs -d -noheader -o stat | grep -c DONE)" -ge 4 ]
}

@test "a job that fails is told, and is done when it is tried again" {
  touch break2
  run run_it --keep-going
  [ "$status" -ne 0 ]
  [ ! -e sum.txt ]
  rm break2
  run run_it
  echo "$output"
  [ "$status" -eq 0 ]
  [ "$(cat sum.txt)" = 6 ]
}
