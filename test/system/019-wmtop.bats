#!/usr/bin/env bats
# Role: wmtop on a terminal: what is on it, that it follows what happens, its keys, and that the
# terminal is given back.

load lib
setup_file() { cluster_up --nodes 2 --cpus 2; }
teardown_file() { cluster_down; }
setup() { cluster_env; cd "$BATS_TEST_TMPDIR" || return; export TERM=xterm; }

on_terminal() { run $PYTHON "$BATS_TEST_DIRNAME/on_terminal.py" size:24x80 "$@"; }

@test "what happens comes up without a key; keys turn pages; q gives the terminal back" {
  # The job is submitted once the first screen is there, and what it names is not on that.
  mkfifo shown
  (read -r _ <shown; submit -J apparition sleep 600 >job) &
  on_terminal 'expect:0 run' 'expect:q leave' 'exec:echo >shown' 'expect:apparition' 'send:2' 'expect:node2' 'send:3' 'expect:OVER TIME' \
    'send:/x' 'expect:filter: x' 'send:\x1b' 'send:q' -- sh -c 'wmtop; echo left with $?'
  wait
  [ "$status" -eq 0 ] || { echo "$output" | cat -v; return 1; }
  [[ $output == *$'\e[?1049h'*$'\e[?1049l'*"left with 0"* ]]
}

@test "-b prints one screen; without a terminal it says so" {
  submit -J steady sleep 600
  wait_for 20 sh -c 'wmtop -b | grep -q "RUN .*steady"'
  [ "$(wmtop -b | wc -l)" -eq 24 ]
  wmtop -b -p plans | grep -q '^/ '
  [ "$(wmtop -b -f no-such-job | grep -c steady)" -eq 0 ]
  run wmtop </dev/null
  [ "$status" -eq 255 ]
  [[ $output == *"no terminal"* ]]
  run wmtop -p nonsense
  [ "$status" -eq 255 ]
}
