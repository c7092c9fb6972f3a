// Role: what a task says in a file that keeps the newest: nothing is lost at its end, and it is
// bounded. What launchers on several hosts say: whole lines, and passed on.
#include "daemons/wshepherd/user/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "daemons/wshepherd/user/passage.h"
#include "libwm/proc/rank_call.h"
#include "test/support/folder.h"

namespace wm::shepherd {
namespace {

namespace fs = std::filesystem;

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

launch::TaskSpec into(const std::string& path, std::uint64_t limit, bool newest) {
  launch::TaskSpec task;
  task.out.push_back({.path = path, .name = {}, .limit_bytes = limit, .newest = newest});
  return task;
}

// What copy_output returns for a task that says so many lines.
int say(const launch::TaskSpec& task, int from, int to) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  std::thread speaker([&] {
    for (int n = from; n < to; ++n) {
      auto line = std::to_string(n) + "\n";
      EXPECT_EQ(::write(ends[1], line.data(), line.size()), static_cast<ssize_t>(line.size()));
    }
    ::close(ends[1]);
  });
  int code = copy_output(task, ends[0], -1, -1);
  speaker.join();
  ::close(ends[0]);
  return code;
}

TEST(output, a_file_that_keeps_the_newest_is_turned_over_and_never_larger_than_it_may_be) {
  test::OwnFolder dir;
  auto path = dir.path() + "/log";
  constexpr int kLines = 200000;  // 1.3 MB
  EXPECT_EQ(say(into(path, 256 << 10, true), 0, kLines), 0);
  auto now = contents(path), before = contents(path + ".1");
  EXPECT_LE(now.size(), 256u << 10);
  EXPECT_LE(before.size(), 256u << 10);
  auto kept = before + now;
  EXPECT_GT(kept.size(), 192u << 10);
  auto last = std::to_string(kLines - 1) + "\n";
  ASSERT_GE(kept.size(), last.size());
  EXPECT_EQ(kept.substr(kept.size() - last.size()), last);
  auto newest_lines = kept.substr(kept.find('\n') + 1);
  int next = std::stoi(newest_lines);
  std::string expected;
  for (; next < kLines; ++next) expected += std::to_string(next) + "\n";
  EXPECT_TRUE(newest_lines == expected) << "a line is missing in the middle";
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 2);
}

TEST(output, tasks_that_share_a_file_turn_it_over_once) {
  test::OwnFolder dir;
  auto path = dir.path() + "/log";
  auto task = into(path, 64 << 10, true);
  std::thread other([&] { EXPECT_EQ(say(task, 100000, 200000), 0); });
  EXPECT_EQ(say(task, 200000, 300000), 0);
  other.join();
  EXPECT_LE(fs::file_size(path), (64u << 10) + (64u << 10));  // a write of each at the same time
  EXPECT_GT(fs::file_size(path + ".1"), 0u);
  EXPECT_EQ(std::distance(fs::directory_iterator(dir.path()), {}), 2);
}

TEST(output, a_file_that_does_not_keeps_the_oldest_as_was_asked_for) {
  test::OwnFolder dir;
  auto path = dir.path() + "/log";
  EXPECT_EQ(say(into(path, 1000, false), 0, 10000), 0);
  EXPECT_EQ(fs::file_size(path), 1000u);
  EXPECT_FALSE(fs::exists(path + ".1"));
}

// What it says is given to copy_output in these pieces, each when the one before has been read.
int say_pieces(const launch::TaskSpec& task, const std::vector<std::string>& pieces,
               const std::string& agent = {}) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  std::thread speaker([&] {
    for (const auto& piece : pieces) {
      EXPECT_EQ(::write(ends[1], piece.data(), piece.size()), std::ssize(piece));
      int waits = 1;
      while (waits > 0) EXPECT_EQ(::ioctl(ends[0], FIONREAD, &waits), 0);
    }
    ::close(ends[1]);
  });
  int code = copy_output(task, ends[0], -1, -1, agent);
  speaker.join();
  ::close(ends[0]);
  return code;
}

TEST(output, a_launcher_of_several_hosts_writes_whole_lines_alone) {
  test::OwnFolder dir;
  auto task = into(dir.path() + "/log", 0, false);
  task.tag = task.writer = true;
  EXPECT_EQ(say_pieces(task, {"on", "e\ntw", "o\nthr", "ee"}), 0);
  EXPECT_EQ(contents(dir.path() + "/log"), "one\ntwo\nthree\n") << "others may write behind it";
}

// An agent that takes one task's output.
struct FakeAgent {
  explicit FakeAgent(const std::string& path) {
    auto listener = proc::listen_unix(path);
    EXPECT_TRUE(listener);
    door = *std::move(listener);
    ::fcntl(door.get(), F_SETFL, 0);  // waits
  }
  proc::RankArrival answer() {
    Fd caller(::accept(door.get(), nullptr, nullptr));
    auto arrival = proc::receive_rank_call(caller.get());
    EXPECT_TRUE(arrival && proc::answer_rank_call(caller.get(), {}));
    ::fcntl(arrival->out.get(), F_SETFL, 0);  // waits
    return *std::move(arrival);
  }
  static std::string all_of(const Fd& from) {
    std::string text;
    char part[4096];
    for (ssize_t n = 0; (n = ::read(from.get(), part, sizeof part)) > 0;)
      text.append(part, static_cast<std::size_t>(n));
    return text;
  }
  Fd door;
};

launch::TaskSpec shared_elsewhere(const std::string& path) {
  auto task = into(path, 1 << 20, true);
  task.task = TaskNumber{7};
  task.tag = true;
  return task;
}

TEST(output, a_launcher_on_another_host_is_passed_on_and_ends_when_that_is_written) {
  test::OwnFolder dir;
  FakeAgent agent(dir.path() + "/agent");
  std::string got;
  std::thread serves([&] {
    auto arrival = agent.answer();
    EXPECT_EQ(arrival.call.task, TaskNumber{7});
    got = FakeAgent::all_of(arrival.out);
  });
  auto task = shared_elsewhere(dir.path() + "/log");
  EXPECT_EQ(say_pieces(task, {"on", "e\ntwo"}, dir.path() + "/agent"), 0);
  serves.join();
  EXPECT_EQ(got, "one\ntwo");
  EXPECT_EQ(contents(dir.path() + "/log"), "one\ntwo") << "its own file has it, too";
}

TEST(output, an_agent_that_goes_keeps_nobody_and_is_a_loss) {
  test::OwnFolder dir;
  FakeAgent agent(dir.path() + "/agent");
  std::thread serves([&] { (void)agent.answer(); });
  auto task = shared_elsewhere(dir.path() + "/log");
  auto old = ::signal(SIGPIPE, SIG_IGN);
  std::vector<std::string> pieces(100, std::string(4096, 'x'));
  EXPECT_EQ(say_pieces(task, pieces, dir.path() + "/agent"), EPIPE);
  ::signal(SIGPIPE, old);
  serves.join();
  EXPECT_EQ(contents(dir.path() + "/log").size(), 100u * 4096);
}

TEST(output, an_agent_that_takes_the_place_of_one_that_went_is_told_what_comes_then) {
  test::OwnFolder dir;
  FakeAgent agent(dir.path() + "/agent");
  std::string got;
  std::thread serves([&] {
    (void)agent.answer();  // and is gone
    got = FakeAgent::all_of(agent.answer().out);
  });
  auto old = ::signal(SIGPIPE, SIG_IGN);
  Passage passage(dir.path() + "/agent", TaskNumber{7}, Duration{});
  while (!passage.has_lost()) passage.write(1, "lost\n");
  passage.write(1, "after\n");
  EXPECT_FALSE(passage.finish());
  ::signal(SIGPIPE, old);
  serves.join();
  EXPECT_EQ(got, "after\n");
}

}  // namespace
}  // namespace wm::shepherd
