#!/usr/bin/env bats
# Role: one table per command: what `--wm-options` tells of it is what -h shows, what the manual page's OPTIONS has, and
# what the shells complete; and no value of any option, however bad, does more than be refused.

load lib
setup_file() { cluster_up --nodes 2 --cpus 2 --gpus 1; }
teardown_file() { cluster_down; }
setup() {
  cluster_env
  cd "$BATS_TEST_TMPDIR" || return
  export HOME=$BATS_TEST_TMPDIR
}

tables() { for command in "$TOP"/commands/*.cc; do "$B/bin/$(basename "$command" .cc)" --wm-options; done; }

@test "each command tells its table, and -h shows every option of it" {
  tables >all
  [ "$(cut -f1 all | sort -u | tr '\n' ' ')" = "option synopsis " ]
  [ "$(grep -c ^option all)" -gt 350 ]
  [ -z "$(awk -F'\t' '$1 == "option" && NF != 6' all)" ]
  bsub --wm-options | grep -qP '^option\t-q\ttext\t"queue ..."\t[^\t]+\tQueue'
  for command in dlicmd dlim; do "$B/bin/$command" --wm-options; done >python
  [ "$(grep -c ^option python)" -gt 100 ]
  [ -z "$(awk -F'\t' '$1 == "option" && NF != 6' python)" ]
  bsub -h | grep -q '^Limits:$'
  bsub -h >said
  bsub --wm-options | awk -F'\t' '$1 == "option" && $3 ~ /^(flag|text|number)$/ && $6 != "" { print $2 }' | while read -r option; do
    grep -qE -- "^  $option( |$)" said || { echo "bsub -h: no $option"; return 1; }
  done
}

@test "the manual pages' OPTIONS and the tables agree" {
  $PYTHON "$BATS_TEST_DIRNAME/options_check.py" pages "$TOP" "$B"
}

@test "no value of an option crashes a command, is obeyed by a terminal, or is half submitted" {
  timeout 300 $PYTHON "$BATS_TEST_DIRNAME/options_check.py" values "$TOP" "$B" >said || { tail -n 40 said; return 1; }
  cat said
  [ ! -e hacked ]
}

@test "conflicting and repeated options are refused whole, or the first counts" {
  before=$(bjobs -a -noheader -o jobid | wc -l)
  refused() { run bsub "$@"; [ "$status" -eq 255 ] && [[ $output == *"Job not submitted."* ]] || { echo "$*: $status $output"; return 1; }; }
  refused -ar -n 1,2 -mpi pmix true
  refused -n 3,2 true
  refused -I -J 'a[1-3]' true
  refused -I -r true
  refused -open true
  refused -x -R 'span[hosts=1] span[ptile=1]' true
  refused -K -pack /dev/null
  [ "$(bjobs -a -noheader -o jobid | wc -l)" = "$before" ]
  job=$(submit -J first -J second true)
  is "$job" job_name first
}

@test "values of a megabyte, in a script and in a file, are refused with a short reason" {
  large=$(head -c 1000000 /dev/zero | tr '\0' a)
  bsub --wm-options | awk -F'\t' '$1 == "option" && $3 ~ /^(text|number|ignored)$/ { print $2 }' | grep -vx -e -pack -e -spec >options
  [ "$(wc -l <options)" -gt 50 ]
  while read -r option; do
    printf '#!/bin/sh\n#BSUB %s "%s"\ntrue\n' "$option" "$large" >script
    run bash -c 'timeout 20 bsub -H <script'
    [ "$status" -eq 255 ] || [ "$status" -eq 0 ] || { echo "$option: $status ${output:0:300}"; return 1; }
    [ "${#output}" -lt 3000 ] || { echo "$option: says ${#output} bytes"; return 1; }
    [ "$status" -eq 255 ] || echo "$option"
  done <options >taken
  for option in -i -is -o -oo -e -eo -cwd -L -E -Ep -wa -rnc -n -R -W -M -gpu -w -b -t -q -plan -app; do
    ! grep -qx -- "$option" taken || { echo "$option takes a megabyte"; return 1; }
  done
}

# ---- completion, as three shells do it, on a cluster that lives ---------------------------------

in_bash() { # WORD…: what bash offers for the last one
  bash -c 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _wm; printf "%s\n" "${COMPREPLY[@]}"' "$BATS_FILE_TMPDIR/shells/wm.bash" "$@"
}
in_zsh() {
  zsh -fc 'compadd() { shift; print -l -- "$@"; }; _describe() { print -l -- "${(@P)2}"; }; _files() { :; }; _command_names() { :; }
    words=("${@:2}"); CURRENT=${#words}; service=$2; source "$1"' zsh "$BATS_FILE_TMPDIR/shells/_wm" "$@"
}
in_fish() {
  fish --no-config -c "source $BATS_FILE_TMPDIR/shells/fish/$1.fish; complete -C '$*'"
}
shells() {
  [ -d "$BATS_FILE_TMPDIR/shells" ] || "$TOP/scripts/completions" "$BATS_FILE_TMPDIR/shells"
  job=$(submit -H -J waits true)
}

@test "bash completes options, job ids, queues, plans, hosts and verbs" {
  shells
  [ "$(in_bash bsub -nn)" = -nnodes ]
  [ "$(in_bash bjobs "")" = "$job" ]
  [ "$(in_bash bsub -q nor)" = normal ]
  [ "$(in_bash bsub -m node)" = $'node1\nnode2' ]
  [ "$(in_bash bplans /)" = / ]
  [ "$(in_bash badmin hcl)" = hclose ]
  [ "$(in_bash badmin hclose -C why node2)" = node2 ]
  [ "$(in_bash bsub -sizes p)" = pow2 ]
  touch afile
  [ "$(in_bash bsub -i af)" = afile ]
  [ "$(in_bash dlicmd --exec-st)" = $'--exec-start\n--exec-stop' ]
  [ "$(in_bash dlicmd --exec-start x --workerDeviceType g)" = gpu ]
  [ "$(in_bash dlim model und)" = undeploy ]
}

@test "zsh completes the same, with what options are for" {
  command -v zsh >/dev/null || skip "no zsh"
  shells
  in_zsh bsub - | grep -qx -- '-nnodes:Spread the tasks over n hosts'
  [ "$(in_zsh bjobs '')" = "$job" ]
  in_zsh bsub -q '' | grep -qx normal
  [ "$(in_zsh badmin hclose '')" = $'node1\nnode2' ]
}

@test "fish completes the same" {
  command -v fish >/dev/null || skip "no fish"
  shells
  in_fish bsub -nn | grep -q '^-nnodes.Spread the tasks'
  [ "$(in_fish bjobs "$job" | cut -f1)" = "$job" ]
  [ "$(in_fish bsub -q nor | cut -f1)" = normal ]
  in_fish badmin hclose node | cut -f1 | grep -qx node2
}

@test "a cluster that does not answer is not waited for" {
  shells
  "$MINICLUSTER" kill wmasterd
  timeout 10 bash -c "$(declare -f in_bash); in_bash bjobs ''"
}
