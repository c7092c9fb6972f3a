#!/usr/bin/env bats
# Role: how it is built: groups of files and edited ones, one make at a time, the program that is most
# commands. A tree of three files stands for WM's; no compiler runs.

load lib
after_each() { :; }

# tree: a library of three files, with our Makefile, configured
tree() {
  mkdir -p libwm/x daemons commands test scripts/common
  cp "$TOP/Makefile" .
  cp "$TOP/scripts/common/one_make" scripts/common/
  touch configure.ac config.mk.in libwm/x/{a,b,c}.cc
  touch configure
  printf 'CXX := false\nVERSION := 0\n' >config.mk
}
# planned ARGUMENTS…: what make would compile for the library
planned() {
  make -n "$@" B=build PRECOMPILED= build/lib/libwm_x.a | sed -n 's/^echo "  CXX   \(.*\)"$/\1/p'
}
# held: what the group holds
held() { make -n B=build PRECOMPILED= build/group/libwm/x/group-1.cc | grep -o 'libwm/x/[a-z/]*.cc' | tr '\n' ' '; }

setup() { cd "$BATS_TEST_TMPDIR" && unset MAKEFLAGS MAKELEVEL MFLAGS; }

@test "the files of a folder are compiled together, and with EACH=1 alone" {
  tree
  [ "$(planned)" = "build/group/libwm/x/group-1.cc" ]
  [ "$(held)" = "libwm/x/a.cc libwm/x/b.cc libwm/x/c.cc " ]
  [ "$(planned EACH=1 | sort | tr '\n' ' ')" = "libwm/x/a.cc libwm/x/b.cc libwm/x/c.cc " ]
}

@test "rooms of a library share its groups" {
  tree
  mkdir libwm/x/room
  touch libwm/x/room/d.cc
  [ "$(planned)" = "build/group/libwm/x/group-1.cc" ]
  [ "$(held)" = "libwm/x/a.cc libwm/x/b.cc libwm/x/c.cc libwm/x/room/d.cc " ]
  [ "$(planned EACH=1 | sort | tail -n 1)" = libwm/x/room/d.cc ]
}

@test "a file that is edited is compiled alone from then on" {
  tree
  planned >/dev/null
  touch -d '1 minute' libwm/x/b.cc
  [ "$(planned | sort | tr '\n' ' ')" = "build/group/libwm/x/group-1.cc libwm/x/b.cc " ]
  [ "$(held)" = "libwm/x/a.cc libwm/x/c.cc " ]
  touch -d '1 hour ago' libwm/x/b.cc
  [ "$(planned | sort | tr '\n' ' ')" = "build/group/libwm/x/group-1.cc libwm/x/b.cc " ]
}

@test "many files that are new at once stay in their groups" {
  tree
  touch libwm/x/{d,e,f,g,h,i}.cc
  planned GROUP=8 >/dev/null
  touch -d '1 minute' libwm/x/*.cc
  [ "$(planned GROUP=8 | sort | tr '\n' ' ')" = "build/group/libwm/x/group-1.cc libwm/x/i.cc " ]
  [ -z "$(tr -d "\n " <build/alone)" ]
}

@test "a second make waits for the first, and says so" {
  printf 'all:\n\t@touch begun; until [ -e go ]; do command sleep 0.05; done\n' >Makefile
  make 3>&- &
  first=$!
  wait_for 10 test -e begun
  "$TOP/scripts/common/one_make" build "$first"
  "$TOP/scripts/common/one_make" build $$ 2>said 3>&- &
  second=$!
  wait_for 10 grep -q "process $first builds into build already; waiting for it" said
  kill -0 "$second"
  touch go
  wait "$first" "$second"
  [ "$(cat build/making)" = $$ ]
}

@test "a command goes by the name under which it is started" {
  programs_built || skip "daemons or commands are not built"
  ! sanitized || skip "programs with sanitizers take seconds to start"
  ln -s "$B/bin/wm-commands" bkill.real
  ln -s "$B/bin/wm-commands" nothing
  ./bkill.real -l >real
  "$B/bin/wm-commands" bkill -l >named
  "$B/bin/bkill" -l | diff - real
  diff real named
  run ./nothing
  [ "$status" -eq 2 ]
  [[ $output == "./nothing: no command of this name; there are: bacct badmin "* ]]
}
