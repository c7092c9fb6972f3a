#!/usr/bin/env bats
# Role: the check scripts refuse what they are there to refuse, and the runner counts
# truthfully. Each case plants one fault in an otherwise good small tree.

setup() {
  TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
  export WM_CHECK_ROOT=$BATS_TEST_TMPDIR/tree
  mkdir -p "$WM_CHECK_ROOT"/libwm/{base,model,sched} "$WM_CHECK_ROOT"/daemons/wnoded "$WM_CHECK_ROOT"/commands
  good_header >"$WM_CHECK_ROOT/libwm/model/job.h"
}

good_header() {
  cat <<'CC'
// Role: a small value.
// Invariant: none.
// Callers: this test.
#pragma once
namespace wm {
/// One job.
struct Job {
  int slots = 0;
};
/// Finds it. @errors NotFound: no such job   @thread any
Result<Job> find_job(int id);
}  // namespace wm
CC
}

put() { cat >"$WM_CHECK_ROOT/$1"; }
statements() { for ((i = 0; i < $1; i++)); do echo "  x += $i;"; done; }

@test "a good tree passes every check" {
  for check in layers sizes docs paths mechanisms; do
    run "$TOP/scripts/check_$check"
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  done
}

@test "an empty tree is a failure, not a pass" {
  rm -rf "${WM_CHECK_ROOT:?}"/*
  for check in layers sizes docs paths mechanisms; do
    run "$TOP/scripts/check_$check"
    [ "$status" -eq 1 ]
  done
}

@test "check_layers refuses an edge that has no line" {
  put libwm/model/bad.cc <<<$'// Role: bad.\n#include "libwm/sched/plan/plan.h"'
  run "$TOP/scripts/check_layers"
  [ "$status" -eq 1 ]
  [[ $output == *"libwm/model/bad.cc:2"*"model -> sched"* ]]
}

@test "check_layers refuses an include against the order of rooms, and a file in no room" {
  mkdir -p "$WM_CHECK_ROOT"/libwm/sched/{plan,amounts,capacity,shares} "$WM_CHECK_ROOT"/daemons/wuserd/site
  put libwm/sched/plan/bad.cc <<<$'// Role: bad.\n#include "libwm/sched/amounts/targets.h"'
  put libwm/sched/shares/bad.cc <<<$'// Role: bad.\n#include "libwm/sched/capacity/host_capacity.h"'
  put libwm/sched/capacity/bad.cc <<<$'// Role: bad.\n#include "libwm/sched/schedule.h"'
  put libwm/sched/amounts/good.cc <<<$'// Role: good.\n#include "libwm/sched/capacity/host_capacity.h"'
  put daemons/wuserd/stray.cc <<<$'// Role: bad.\n#include "daemons/wuserd/site/site.h"'
  run "$TOP/scripts/check_layers"
  [ "$status" -eq 1 ]
  [[ $output == *"libwm/sched/plan/bad.cc:2"*"plan -> amounts"* ]]
  [[ $output == *"libwm/sched/shares/bad.cc:2"*"shares -> capacity"* ]]
  [[ $output == *"libwm/sched/capacity/bad.cc:2"*"capacity -> own"* ]]
  [[ $output == *"daemons/wuserd/stray.cc:1"*"no room of daemons/wuserd"* ]]
  [[ $output != *good.cc* ]]
}

@test "check_layers refuses a clock and a mutex in a pure folder" {
  put libwm/sched/bad.cc <<<$'// Role: bad.\n#include <mutex>\nint f() { return std::chrono::steady_clock::now(); }'
  run "$TOP/scripts/check_layers"
  [ "$status" -eq 1 ]
  [[ $output == *"bad.cc:2: includes <mutex>"* ]]
  [[ $output == *"bad.cc:3: uses _clock::now"* ]]
  put libwm/sched/bad.cc <<<$'// Role: bad.\n#include "libwm/base/clock.h"\nauto f() { return wall_now(); }'
  run "$TOP/scripts/check_layers"
  [ "$status" -eq 1 ]
  [[ $output == *'bad.cc:2: includes "libwm/base/clock.h"'* ]]
  [[ $output == *"bad.cc:3: uses wall_now"* ]]
}

@test "check_layers refuses another daemon's folder, a test header, a heavy header" {
  put commands/bad.cc <<<$'// Role: bad.\n#include "daemons/wnoded/core.h"\n#include "test/support/fake.h"'
  put libwm/base/bad.h <<<$'// Role: bad.\n#include <nlohmann/json.hpp>'
  run "$TOP/scripts/check_layers"
  [ "$status" -eq 1 ]
  [[ $output == *"commands/bad.cc:2"*"not for others"* ]]
  [[ $output == *"commands/bad.cc:3"*"nothing but tests"* ]]
  [[ $output == *"libwm/base/bad.h:2"*"too costly"* ]]
}

# refused_call LINE WORDS: check_mechanisms refuses the line in a file of the product, with these words, and only there.
refused_call() {
  put libwm/model/bad.cc <<<"// Role: bad."$'\n'"void f() { $1 }"
  mkdir -p "$WM_CHECK_ROOT/test"
  put test/bad.cc <<<"void f() { $1 }"
  run "$TOP/scripts/check_mechanisms"
  [ "$status" -eq 1 ] && [[ $output == *"libwm/model/bad.cc:2: "*"$2"* && $output == *", 1 problems"* ]] ||
    { echo "$1: $output"; return 1; }
}

@test "check_mechanisms refuses what has one place elsewhere" {
  refused_call 'crypto_generichash(out, 32, in, n, nullptr, 0);' base/hash.h
  refused_call 'sodium_bin2hex(text, 33, bytes, 16);' base/hash.h
  refused_call 'if (sodium_memcmp(a, b, 32)) return;' base/hash.h
  refused_call 'randombytes_buf(key, 32);' base/hash.h
  refused_call 'auto json = nlohmann::json::parse(text, nullptr, false);' base/json.h
  refused_call 'auto json = SortedJson::parse(text);' base/json.h
  refused_call 'return json.dump(-1);' base/json.h
  refused_call 'auto now = std::chrono::system_clock::now();' base/clock.h
  refused_call 'clock_gettime(CLOCK_BOOTTIME, &now);' base/clock.h
  refused_call 'return std::time(nullptr);' base/clock.h
  refused_call '::localtime_r(&seconds, &parts);' base/local_time.h
  refused_call 'std::this_thread::sleep_for(kRetry);' base/backoff.h
  refused_call '::usleep(2000);' base/backoff.h
}

@test "check_mechanisms reads code only, and lets the place itself call" {
  put libwm/base/hash.cc <<<'void f() { crypto_generichash(out, 32, in, n, nullptr, 0); }'
  mkdir -p "$WM_CHECK_ROOT/libwm/wire"
  put libwm/wire/hello.cc <<<'void f() { crypto_generichash(out, 32, in, n, nullptr, 0); }'
  put libwm/wire/cipher.cc <<<'void f() { crypto_generichash(out, 32, in, n, nullptr, 0); }'
  put libwm/wire/entropy.cc <<<'void f() { randombytes_buf(key, 32); }'
  put libwm/model/words.cc <<<$'// crypto_generichash(\nconst char* f() { return "crypto_generichash("; }'
  run "$TOP/scripts/check_mechanisms"
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  put libwm/wire/entropy.cc <<<'void f() {}'
  run "$TOP/scripts/check_mechanisms"
  [ "$status" -eq 1 ]
  [[ $output == *"libwm/wire/entropy.cc needs no exception"* ]]
}

@test "check_sizes refuses a long function, many parameters, deep nesting, a long file" {
  {
    echo '// Role: bad.'
    echo 'int long_one(int x) {'
    statements 101
    echo '  return x; }'
    echo 'int wide(int a, int b, std::map<int, int> c, int d, int e, int f, int g, int h) { return a; }'
    echo 'int deep(int a) { if (a) { for (;;) { while (a) { if (a) { do { a--; } while (a); } } } } return 0; }'
  } | put libwm/base/bad.cc
  { echo '// Role: bad.'; yes '// line' | head -801; } | put libwm/base/long.cc
  run "$TOP/scripts/check_sizes"
  [ "$status" -eq 1 ]
  [[ $output == *"long_one: function 103"* ]]
  [[ $output == *"wide: parameters 8"* ]]
  [[ $output == *"deep: nesting 5"* ]]
  [[ $output == *"long.cc:1: (file): file 802"* ]]
}

@test "check_sizes only warns between the two numbers" {
  { echo '// Role: middling.'; echo 'int f(int x) {'; statements 60; echo '  return x; }'; } | put libwm/base/mid.cc
  run "$TOP/scripts/check_sizes" --warn
  [ "$status" -eq 0 ]
  [[ $output == *"f: function 62, warns above 50"* ]]
}

@test "check_sizes refuses a class of more than 25 member functions; special members do not count" {
  methods() { for ((i = 0; i < $1; i++)); do echo "  void f$i();"; done; }
  { printf '// Role: x.\nclass Big final : public Y {\n public:\n  Big();\n  ~Big();\n  Big& operator=(Big&&);\n'
    methods 26; echo '};'; } | put libwm/base/big.h
  { printf '// Role: x.\nclass Fits {\n public:\n  Fits();\n'; methods 25; echo '};'; } | put libwm/base/fits.h
  run "$TOP/scripts/check_sizes"
  [ "$status" -eq 1 ]
  [[ $output == *"libwm/base/big.h:2: Big: 26 member functions, fails above 25"* ]]
  [[ $output != *Fits* ]]
}

@test "check_sizes lets a large class that it knows be no larger, and wants its number to fall with it" {
  mkdir -p "$WM_CHECK_ROOT/libwm/elastic"
  methods() { for ((i = 0; i < $1; i++)); do echo "  void f$i();"; done; }
  known=$(sed -n "s/.*lead.h:Lead': \([0-9]*\),/\1/p" "$TOP/scripts/check_sizes")
  for more in 0 1 -1; do
    { printf '// Role: x.\nclass Lead {\n'; methods $((known + more)); echo '};'; } | put libwm/elastic/lead.h
    run "$TOP/scripts/check_sizes"
    [ "$status" -eq $((more != 0)) ] || { echo "$more: $output"; return 1; }
  done
  [[ $output == *"write $((known - 1))"* ]]
}

@test "check_sizes measures Python too" {
  { echo '"""Role: bad."""'; echo 'def f(x):'; statements 101; } | put libwm/base/bad.py
  run "$TOP/scripts/check_sizes"
  [ "$status" -eq 1 ]
  [[ $output == *"bad.py:2: f: function 102"* ]]
}

@test "check_walks counts climbs back, and refuses more than the walk's limit, or a step that is none" {
  mkdir -p "$WM_CHECK_ROOT/test/walks"
  put libwm/base/a.cc <<<$'#include "libwm/base/b.h"\n#include "libwm/base/c.h"'
  touch "$WM_CHECK_ROOT"/libwm/base/{b,c,d}.{h,cc}
  walk() { { printf 'limit %s\n' "$1"; printf 'libwm/base/%s.cc  does it\n' "${@:2}"; } | put test/walks/x.walk; }
  walk 1 a b c  # back to a, which alone sees c
  run "$TOP/scripts/check_walks"
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  walk 0 a b c
  run "$TOP/scripts/check_walks"
  [ "$status" -eq 1 ]
  [[ $output == *"1 climbs back, at most 0"* ]]
  walk 2 a b c
  run "$TOP/scripts/check_walks"
  [[ $output == *"write limit 1"* ]]
  walk 1 a b d
  run "$TOP/scripts/check_walks"
  [[ $output == *"no file before it sees libwm/base/d.h"* ]]
  walk 0 a gone
  run "$TOP/scripts/check_walks"
  [[ $output == *"libwm/base/gone.cc: no such file"* ]]
}

@test "check_docs refuses a file that the page of the architecture names and that is gone" {
  { echo '# How'; echo 'a flow: libwm/base/{good,gone}.h → libwm/base/good.h, "libwm/base/lost.cc"'; } | put libwm/README.md
  { echo '// Role: good.'; echo '// And short.'; } | put libwm/base/good.h
  run "$TOP/scripts/check_docs"
  [ "$status" -eq 1 ]
  [[ $output == *"README.md:2: there is no libwm/base/gone.h"* ]]
  [[ $output == *"README.md:2: there is no libwm/base/lost.cc"* ]]
  [[ $output != *"no libwm/base/good.h"* ]]
}

@test "check_docs refuses a bare function, a bare type, a missing @errors, a missing role" {
  put libwm/model/bad.h <<'CC'
#pragma once
namespace wm {
struct Bare {};

/// Documented, but says no errors. @thread any
Result<int> half_said(int id);

int bare_function();
}  // namespace wm
CC
  run "$TOP/scripts/check_docs"
  [ "$status" -eq 1 ]
  [[ $output == *"bad.h:1: role comment"* ]]
  [[ $output == *"bad.h:3: Bare: no /// comment"* ]]
  [[ $output == *"bad.h:6: half_said: returns Result, states no @errors"* ]]
  [[ $output == *"bad.h:8: bare_function: no /// comment"* ]]
}

@test "check_docs wants a class's public functions documented, not its private ones" {
  put libwm/model/bad.h <<'CC'
// Role: a class.
// Invariant: none.
// Callers: this test.
#pragma once
/// A queue. @thread one
class Queue {
 public:
  explicit Queue(int size);
  ~Queue();
  int size() const { return 1; }

  void push(int value);

 private:
  void grow();
};
CC
  run "$TOP/scripts/check_docs"
  [ "$status" -eq 1 ]
  [[ $output == *"bad.h:12: push: no /// comment"* ]]
  [[ $output != *grow* && $output != *"bad.h:10"* ]]
}

@test "check_docs refuses a comment that does not name the thing, and reads comments alone" {
  put commands/good.cc <<<$'// Role: good: this is the history of the heap.\nauto whose = "he // his";\nauto whoever = 1;'
  run "$TOP/scripts/check_docs"
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  put commands/bad.cc <<<$'// Role: bad.\nint f();  // Whoever calls\n/* a job\n   and his host */\nint g();'
  run "$TOP/scripts/check_docs"
  [ "$status" -eq 1 ]
  [[ $output == *'bad.cc:2: "Whoever" in a comment'*'bad.cc:4: "his" in a comment'*"2 such lines"* ]]
  [[ $output != *good.cc* ]]
}

@test "check_paths refuses a home directory and a denied word" {
  put commands/bad.cc <<<'// see /home/someone/notes'
  put commands/worse.cc <<<'// runs on zebra17'
  echo 'zebra[0-9]+' >"$BATS_TEST_TMPDIR/deny"
  CHECK_PATHS_DENY=$BATS_TEST_TMPDIR/deny run "$TOP/scripts/check_paths"
  [ "$status" -eq 1 ]
  [[ $output == *"bad.cc:1: absolute machine path: /home/someone"* ]]
  [[ $output == *"worse.cc:1: refused by CHECK_PATHS_DENY: zebra17"* ]]
}

# ---- the runner, on a build folder of pretended test programs --------------------------

pretend() {
  mkdir -p "$BATS_TEST_TMPDIR/b/test"
  { echo '#!/bin/sh'; cat; } >"$BATS_TEST_TMPDIR/b/test/unit_$1"
  chmod +x "$BATS_TEST_TMPDIR/b/test/unit_$1"
}
gtest_skip() { printf 'echo "[ RUN      ] %s\nx.cc:1: Skipped\n%s\n\n[  SKIPPED ] %s (0 ms)"\n' "$1" "$2" "$1"; }
gtest_case() { printf 'echo "[ RUN      ] %s"\necho "[%s] %s (1 ms)"\n' "$2" "$1" "$2"; }
runner() { B=$BATS_TEST_TMPDIR/b run "$TOP/scripts/check" pretended; }

@test "the runner counts cases and its last line is the sum" {
  { gtest_case '       OK ' a.b; gtest_skip a.c 'no cat here'; } | pretend pretended_good
  gtest_case '       OK ' d.e | pretend pretended_also
  runner
  [ "$status" -eq 0 ]
  [ "${lines[-1]}" = "2 passed, 0 failed, 1 skipped" ]
  [[ $output == *"slowest: "*" s  unit_pretended_"*"kind: "*" s  unit, 2 groups"* ]]
}

@test "the runner fails on a failed case and shows the output" {
  { gtest_case '  FAILED  ' a.b; echo 'echo why it failed; exit 1'; } | pretend pretended_bad
  runner
  [ "$status" -eq 1 ]
  [[ $output == *"why it failed"* ]]
  [ "${lines[-1]}" = "0 passed, 1 failed, 0 skipped" ]
}

@test "the runner counts a crash inside a case as a failure" {
  { gtest_case '       OK ' a.b; echo 'echo "[ RUN      ] a.fatal"; kill -SEGV $$'; } | pretend pretended_crash
  runner
  [ "$status" -eq 1 ]
  [[ $output == *"died in a.fatal"* ]]
  [ "${lines[-1]}" = "1 passed, 1 failed, 0 skipped" ]
}

@test "the runner counts a program without tests, and no program at all, as failures" {
  echo 'exit 0' | pretend pretended_empty
  runner
  [ "$status" -eq 1 ]
  rm -r "$BATS_TEST_TMPDIR/b/test"
  runner
  [ "$status" -eq 1 ]
  [[ $output == *"no test ran"* ]]
}

@test "the runner tells each reason of skips with its count, and takes none without a reason" {
  { gtest_skip a.b 'no dog'; gtest_skip a.c 'no cat'; gtest_skip a.d 'no dog'; } | pretend pretended_skips
  runner
  [ "$status" -eq 0 ]
  [[ $output == *"skipped:       2    no dog (unit_pretended_skips)"$'\n'"skipped:       1    no cat (unit_pretended_skips)"* ]]
  gtest_case '  SKIPPED ' a.c | pretend pretended_silent
  runner
  [ "$status" -eq 1 ]
  [[ $output == *"FAIL unit_pretended_silent"*"skipped without a reason"* ]]
}

@test "each group has a home, folders and configuration of its own, which are gone afterwards" {
  { gtest_case '       OK ' a.b; echo 'for f in "$HOME" "$TMPDIR" "$XDG_RUNTIME_DIR"; do echo "own $f"; touch "$f/file"; done; rm "$TMPDIR/file"
    echo "config ${XDG_CONFIG_HOME-none}"; echo "tag $WM_TEST_TAG"; exit 1'; } | pretend pretended_places
  # a socket's path would be too long below such a folder
  mkdir "$BATS_TEST_TMPDIR/a-very-long-name-of-a-folder"
  TMPDIR=$BATS_TEST_TMPDIR/a-very-long-name-of-a-folder XDG_CONFIG_HOME=/elsewhere runner
  [ "$(grep -c '^own ' <<<"$output")" -eq 3 ]
  while read -r _ folder; do [[ $folder != "$HOME" && ${#folder} -le 30 && ! -e $folder ]]; done < <(grep '^own ' <<<"$output")
  [[ $output == *"config none"* ]]
  grep -qE '^tag [a-z0-9_]{8}g[0-9]+$' <<<"$output"
}

@test "what a group leaves behind is its failure, is named, and is taken away" {
  { gtest_case '       OK ' a.b; echo 'sleep 1234 >/dev/null 2>&1 & touch "$TMPDIR/notices.mark" "/dev/shm/wm.$WM_TEST_TAG-x"'; } | pretend pretended_careless
  # a library's own, whose process was killed
  { gtest_case '       OK ' c.d; echo 'mkdir "$TMPDIR/pymp-a1b2_3c4" "$TMPDIR/torchinductor_root"'; } | pretend pretended_tidy
  runner
  [ "$status" -eq 1 ]
  [[ $output == *"FAIL unit_pretended_careless"*"left something behind"* && $output == *"ok   unit_pretended_tidy"* ]]
  [[ $output == *"temporary folder: notices.mark"*"in memory: /dev/shm/wm."* ]]
  pid=$(sed -n 's/^ *process \([0-9]*\): sleep 1234$/\1/p' <<<"$output")
  [ -n "$pid" ] && [ ! -e "/proc/$pid" ] || ! grep -qa 'sleep' "/proc/$pid/cmdline"
  [ -z "$(find /dev/shm -maxdepth 1 -name "$(grep -oE 'wm\.[a-z0-9_]+g[0-9]+-x' <<<"$output")")" ]
}

@test "a check that is told to end ends its groups, takes its folders along, and begins no other" {
  for k in 1 2 3 4 5 6 7 8 9; do echo "echo \$HOME >>'$BATS_TEST_TMPDIR/begun'; sleep 1000" | pretend "pretended_slow$k"; done
  B=$BATS_TEST_TMPDIR/b "$TOP/scripts/check" pretended >"$BATS_TEST_TMPDIR/said" 2>&1 3>&- &
  until [ -s "$BATS_TEST_TMPDIR/begun" ]; do command sleep 0.05; done
  status=0
  kill $! && kill $!
  wait $! || status=$?
  [ "$status" -eq 143 ]
  [ "$(wc -l <"$BATS_TEST_TMPDIR/begun")" -lt 9 ]
  [ ! -e "$(head -n 1 "$BATS_TEST_TMPDIR/begun")" ]
  [[ $(cat "$BATS_TEST_TMPDIR/said") != *Traceback* ]]
}

@test "where nobody else uses the machine, whatever is new on it is a failure" {
  { gtest_case '       OK ' a.b; echo "touch $BATS_TEST_TMPDIR/shared/ways"; } | pretend pretended_shared
  mkdir "$BATS_TEST_TMPDIR/shared"
  TMPDIR=$BATS_TEST_TMPDIR/shared WM_CHECK_ALONE=1 runner
  [ "$status" -eq 1 ]
  [[ $output == *"new on this machine: temporary folder: "*"ways"* ]]
}

@test "check_paths refuses the interpreter's path in tests and scripts alone" {
  mkdir -p "$WM_CHECK_ROOT/scripts/common"
  put commands/good.py <<<$'#!/usr/bin/python3\n"""Role: installed."""'
  put scripts/good <<<$'#!/usr/bin/env python3\n"""Role: good: $root/usr/bin/python3 is none."""'
  put scripts/common/python <<<'system=/usr/bin/python3'
  run "$TOP/scripts/check_paths"
  [ "$status" -eq 0 ] || { echo "$output"; return 1; }
  put scripts/bad <<<$'#!/usr/bin/python3\n"""Role: bad."""'
  run "$TOP/scripts/check_paths"
  [ "$status" -eq 1 ]
  [[ $output == *"scripts/bad:1: names the interpreter: /usr/bin/python3"* ]]
}

# interpreter NAME yes|no: a stand-in that has torch, or has not
interpreter() {
  mkdir -p "$(dirname "$BATS_TEST_TMPDIR/$1")"
  printf '#!/bin/sh\ncase $2 in *find_spec*) %s ;; *) echo "$0" ;; esac\n' "$([ "$2" = yes ] || echo exit 1)" >"$BATS_TEST_TMPDIR/$1"
  chmod +x "$BATS_TEST_TMPDIR/$1"
}
@test "the interpreter: the system's, but that of PATH where it alone has torch; PYTHON before both" {
  which_one() { PATH=$BATS_TEST_TMPDIR/bin:$PATH "$TOP/scripts/common/python" "$BATS_TEST_TMPDIR/system"; }
  unset PYTHON
  local system path
  while read -r system path name; do
    interpreter system "$system"
    interpreter bin/python3 "$path"
    [ "$(which_one)" = "$BATS_TEST_TMPDIR/$name" ] || { echo "$system $path: $(which_one)"; return 1; }
  done <<<$'yes yes system\nyes no system\nno no system\nno yes bin/python3'
  rm "$BATS_TEST_TMPDIR/system"
  interpreter bin/python3 no
  [ "$(which_one)" = "$BATS_TEST_TMPDIR/bin/python3" ]
  [ "$(PYTHON=/some/python which_one)" = /some/python ]
}
