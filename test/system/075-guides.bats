#!/usr/bin/env bats
# Role: what the guides tell people to type does what it should: the lines behind `$` of each, in their order, in one
# shell on a private cluster; and each line of the tables for those who come from elsewhere.

load lib
setup_file() {
  printf '[normal]\nexclusive = yes\n[long]\npriority = 40\nexclusive = yes\n' >"$BATS_FILE_TMPDIR/queues.conf"
  printf '[training]\nresize = auto\n' >"$BATS_FILE_TMPDIR/apps.conf"
  printf '[/class]\nshares = 1\n' >"$BATS_FILE_TMPDIR/plans.conf"
  cluster_up --web --nodes 2 --cpus 8 --gpus 2 --conf "$BATS_FILE_TMPDIR/queues.conf" --conf "$BATS_FILE_TMPDIR/plans.conf" --conf "$BATS_FILE_TMPDIR/apps.conf"
}
teardown_file() { cluster_down; }
setup() {
  cluster_env
  export HOME=$BATS_TEST_TMPDIR GUIDES=$TOP/commands/guides USER=$(id -un)
  cd "$BATS_TEST_TMPDIR" || return
}

# lines_of GUIDE: its typed lines, with what stands in << 'END'
lines_of() {
  sed -n 's/^    //p' "$1" | awk '
    inside { print; if ($0 == "END") inside = 0; next }
    /^\$ / { print substr($0, 3); if (/<<.END./) inside = 1 }'
}

# play GUIDE: each of them has to succeed; how long they take together is the machine's
play() {
  lines_of "$1" >typed.sh
  [ -s typed.sh ]
  timeout $((120 * DEADLINE_FACTOR)) bash -xe typed.sh </dev/null >said 2>&1 || { tail -n 25 said; return 1; }
}

@test "concepts" { play "$GUIDES/wm-concepts.7.md"; }
@test "the user's guide" { play "$GUIDES/wm-user.7.md"; }
@test "the administrator's guide" { play "$GUIDES/wm-admin.8.md"; }
@test "the developer's guide" { play "$GUIDES/wm-develop.7.md"; }
@test "notebooks" {
  command -v jupyter-notebook >/dev/null || skip "no jupyter-notebook (scripts/bootstrap)"
  play "$GUIDES/notebooks.md"
}
@test "where are my runs?" {
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  play "$GUIDES/your-runs.md"
}
@test "name your data" {
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  play "$GUIDES/data-assets.md"
}
@test "share a project" {
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  play "$GUIDES/share-a-project.md"
}
@test "keep a service up" {
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  play "$GUIDES/keep-a-service-up.md"
}
@test "tune a model" {
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  play "$GUIDES/tune-a-model.md"
}
@test "serve a model" {
  [ -x "$B/sbin/wuserd" ] || skip "the web door is not built"
  $PYTHON -c 'import torch' || skip "no torch"
  play "$GUIDES/serve-a-model.md"
}

@test "parameter servers" {
  $PYTHON -c 'import torch' || skip "no torch"
  play "$GUIDES/parameter-servers.md"
}

@test "TensorFlow and JAX jobs" {
  [ -n "${WM_SOAK-}" ] || skip "long: make soak"
  needs_venv tf_keras
  play "$GUIDES/tensorflow-and-jax.md"
}

# type_cell COMMAND…: one command of a table, on a job that it can be done to
type_cell() {
  local line=$1 job
  case $line in
    bswitch*)
      job=$(submit -H true)
      line=${line//12/$job}
      ;;
    *\ 12 | *\ 12\ * | *\(12\)*)
      job=$(submit -n 1,4 -ar -app training sleep 100)
      wait_for 20 in_state "$job" running
      [[ $line != bresize* ]] || wait_for 20 is "$job" nalloc_slot 4
      [[ $line != bresume* ]] || bstop "$job"
      line=${line//12/$job}
      ;;
    bsub*job.sh | bsub\ *cmd* | bsub*bash) ;;
    bsub*) line="$line true" ;;
  esac
  line=${line//h1/node2}
  timeout $((30 * DEADLINE_FACTOR)) bash -ec "$line" < <(echo exit) >cell 2>&1 || { echo "$line: $(cat cell)"; return 1; }
  bkill 0 >/dev/null 2>&1 || true
}

@test "each command of the tables for those who come from sbatch, qsub and LSF" {
  printf '#!/bin/sh\ntrue\n' >job.sh
  mkdir bin && printf '#!/bin/sh\ntrue\n' >bin/cmd && chmod +x bin/cmd
  export PATH=$PWD/bin:$PATH
  sed -n 's/^| `.* | \(.*\) |$/\1/p' "$GUIDES/wm-user.7.md" | grep -oE '`(b[a-z]+|badmin)( [^`]*)?`' | tr -d '`' | sort -u >cells
  [ "$(wc -l <cells)" -gt 40 ]
  bsub -K true
  wait_for 20 bacct
  while IFS= read -r -u 3 cell; do
    type_cell "$cell" || return 1
    case $cell in *hclose*) badmin hopen node2 ;; esac
  done 3<cells
}
