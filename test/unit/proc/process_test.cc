#include "libwm/proc/process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "libwm/base/exit_status.h"

namespace wm::proc {
namespace {

using namespace std::chrono_literals;

constexpr Bytes kMost{1 << 20};

Start shell(const std::string& text) { return {{"sh", "-c", text}}; }

Result<std::string> verdict(const std::string& text, Duration limit = 20s) {
  return run_command({"sh", "-c", text}, limit);
}

/// A pipe. A program that was given its writing end holds it as long as it or its children live.
struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    read.reset(ends[0]);
    write.reset(ends[1]);
  }
  // What comes next; "": nobody holds the other end any more.
  std::string next() {
    write.reset();
    std::array<char, 64> text{};
    auto n = ::read(read.get(), text.data(), text.size());
    return std::string(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  }
  Fd read, write;
};

/// Started, with the pipe's writing end as its descriptor 3.
Process started(const std::string& text, Pipe& held) {
  auto start = shell(text);
  start.descriptors = {{held.write.get(), 3}};
  auto process = Process::start(start);
  EXPECT_TRUE(process) << process.error().text;
  return std::move(*process);
}

TEST(process, is_waited_for) {
  Pipe pipe;
  auto process = started("exit 7", pipe);
  auto status = process.wait(20s);
  ASSERT_TRUE(status);
  EXPECT_EQ(shell_status(*status), 7);
  EXPECT_EQ(shell_status(*process.wait(0s)), 7);  // as often as asked
}

TEST(process, that_runs_on_is_told_and_ends_with_its_owner) {
  Pipe pipe;
  {
    auto process = started("sleep 1000 & exec sleep 1000", pipe);
    auto status = process.wait(1ms);
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, Code::Timeout);
    EXPECT_EQ(::getpgid(process.pid()), process.pid());
  }
  EXPECT_EQ(pipe.next(), "");  // its child as well
}

TEST(process, that_ignores_term_is_killed_after_a_while) {
  Pipe pipe;
  auto process = started("trap '' TERM; echo ready >&3; while :; do sleep 1000; done", pipe);
  EXPECT_EQ(pipe.next(), "ready\n");
  process.end(1ms);
  EXPECT_EQ(shell_status(*process.wait(0s)), 128 + SIGKILL);
}

TEST(process, that_obeys_term_ends_by_itself) {
  Pipe pipe;
  auto process = started("trap 'exit 3' TERM; sleep 1000 & echo ready >&3; wait", pipe);
  EXPECT_EQ(pipe.next(), "ready\n");
  process.end(20s);
  EXPECT_EQ(shell_status(*process.wait(0s)), 3);
}

TEST(process, that_is_taken_over_has_one_owner) {
  Pipe first, second;
  auto process = started("exec sleep 1000", first);
  process = started("exec sleep 1000", second);
  EXPECT_EQ(first.next(), "");
  auto other = std::move(process);
  process.end(0s);  // nothing: it is the other's
  EXPECT_FALSE(other.wait(1ms));
}

TEST(process, inherits_what_it_is_given_and_nothing_else) {
  Pipe given;
  int left_open = ::fcntl(given.read.get(), F_DUPFD, 20);  // not close-on-exec
  auto path = "/proc/$$/fd/" + std::to_string(left_open);
  auto start = shell("if [ -e " + path + " ]; then echo open; else echo closed; fi >&3");
  start.descriptors = {{given.write.get(), 3}};
  auto process = Process::start(start);
  ASSERT_TRUE(process);
  EXPECT_EQ(given.next(), "closed\n");
  ::close(left_open);
}

TEST(process, has_default_signals_whatever_ours_are) {
  auto before = ::signal(SIGPIPE, SIG_IGN);
  sigset_t term, old;
  ::sigemptyset(&term);
  ::sigaddset(&term, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &term, &old);
  auto by_pipe = run(shell("kill -PIPE $$"), 20s, kMost);
  auto by_term = run(shell("kill -TERM $$"), 20s, kMost);
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  ::signal(SIGPIPE, before);
  EXPECT_EQ(by_pipe->status, 128 + SIGPIPE);
  EXPECT_EQ(by_term->status, 128 + SIGTERM);
}

TEST(process, that_is_not_there_or_may_not_be_started_is_told) {
  EXPECT_EQ(Process::start({}).error().code, Code::BadArgument);
  auto missing = Process::start({{"no-such-program-here"}});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::NotFound);
  EXPECT_NE(missing.error().text.find("no-such-program-here: cannot be started"),
            std::string::npos);
  EXPECT_EQ(Process::start({{"/etc/passwd"}}).error().code, Code::System);
}

TEST(process, without_a_descriptor_left_is_refused_and_leaves_nothing) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  Fd next(::dup(STDIN_FILENO));
  rlimit none{static_cast<rlim_t>(next.get()), before.rlim_max};
  next.reset();
  ::setrlimit(RLIMIT_NOFILE, &none);
  auto piped = run(shell("exit 0"), 20s, kMost);
  auto start = shell("exec sleep 1000");
  start.descriptors = {{STDIN_FILENO, STDERR_FILENO}};  // no library can be opened: not to be shown
  auto bare = Process::start(start);
  ::setrlimit(RLIMIT_NOFILE, &before);
  ASSERT_FALSE(piped);
  EXPECT_EQ(piped.error().code, Code::System);
  ASSERT_FALSE(bare);
  EXPECT_EQ(bare.error().code, Code::System);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // no child runs, and none is unreaped
}

TEST(run, gives_both_streams_and_the_exit_code) {
  auto ended = run(shell("echo one; echo two >&2; exit 75"), 20s, kMost);
  ASSERT_TRUE(ended) << ended.error().text;
  EXPECT_EQ(ended->out, "one\n");
  EXPECT_EQ(ended->err, "two\n");
  EXPECT_EQ(ended->status, 75);
  EXPECT_EQ(run(shell("kill -9 $$"), 20s, kMost)->status, 137);
}

TEST(run, gives_input_which_need_not_be_read) {
  const std::string input(1 << 20, 'x');
  EXPECT_EQ(run({{"cat"}, input}, 20s, kMost)->out, input);
  EXPECT_EQ(run({{"true"}, input}, 20s, kMost)->status, 0);
  EXPECT_EQ(run({{"wc", "-c"}}, 20s, kMost)->out, "0\n");
}

TEST(run, words_and_environment_reach_the_program_as_they_are) {
  EXPECT_EQ(run({{"printf", "%s", "a b; $HOME"}}, 20s, kMost)->out, "a b; $HOME");
  Start start{{"env"}, "", {{"ONE=1"}}};
  EXPECT_EQ(run(start, 20s, kMost)->out, "ONE=1\n");
}

TEST(run, ends_what_closes_its_pipes_and_lives_on) {
  auto ended = run(shell("exec >&- 2>&-; exec sleep 1000"), 50ms, kMost);
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Code::Timeout);
  EXPECT_EQ(ended.error().text, "sh was killed after " + format_duration(50ms));
}

TEST(run, ends_what_writes_too_much) {
  auto ended = run({{"yes"}}, 20s, Bytes{4096});
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().code, Code::Limit);
  EXPECT_NE(ended.error().text.find("yes was killed: it wrote more than 4"), std::string::npos);
}

TEST(run, does_not_wait_for_what_is_left_behind_and_ends_it) {
  Pipe held;
  auto start = shell("sleep 1000 & echo started");
  start.descriptors = {{held.write.get(), 3}};
  auto ended = run(start, 20s, kMost);
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->out, "started\n");
  EXPECT_EQ(held.next(), "");
}

TEST(command, gives_the_output_of_a_program_that_ends_well) {
  auto said = verdict("echo one; echo two >&2");
  ASSERT_TRUE(said);
  EXPECT_EQ(*said, "one\ntwo\n");
  EXPECT_EQ(last_line(*said), "two");
  EXPECT_EQ(*verdict("true"), "");
}

TEST(command, tells_status_and_last_line_of_one_that_fails) {
  auto said = verdict("echo unplugged; exit 7");
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().code, Code::System);
  EXPECT_EQ(said.error().text, "sh ended with status 7: unplugged");
  EXPECT_EQ(verdict("kill -9 $$").error().text, "sh was ended by signal 9");
}

TEST(command, ends_at_its_limit_also_one_that_writes_without_a_pause) {
  EXPECT_EQ(verdict("sleep 1000 & exec sleep 1000", 50ms).error().code, Code::Timeout);
  EXPECT_EQ(verdict("exec yes", 50ms).error().code, Code::Timeout);
}

TEST(command, long_output_does_not_stop_the_program_and_its_end_is_kept) {
  auto said = verdict("head -c 2000000 /dev/zero | tr '\\0' 'x'; echo; echo end");
  ASSERT_TRUE(said);
  EXPECT_EQ(last_line(*said), "end");
  EXPECT_LE(said->size(), 64u << 10);
}

}  // namespace
}  // namespace wm::proc
