// Role: where workers of this host connect: who is heard, under which number, and that last words
// come before the end.
#include "daemons/wagent/elastic/worker_port.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "libwm/codec/codec.h"
#include "libwm/frames/blocking.h"
#include "libwm/model/node/worker_key.h"
#include "libwm/proc/channel.h"
#include "test/support/loop.h"
#include "test/support/store_files.h"

namespace wm::wagent {
namespace {

FromWorker hello_of(std::uint32_t task) {
  WorkerHello hello;
  hello.task = TaskNumber{task};
  return hello;
}

class worker_port : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(port_.listen(path_)); }
  Fd connect() {
    auto fd = proc::connect_unix(path_);
    EXPECT_TRUE(fd);
    return fd ? std::move(*fd) : Fd();
  }
  static void say(const Fd& fd, const FromWorker& words) {
    EXPECT_TRUE(frames::write_frame(fd.get(), codec::encode(words)));
  }
  std::size_t hellos() const {
    return static_cast<std::size_t>(std::count_if(
        heard_.begin(), heard_.end(),
        [](const auto& said) { return std::holds_alternative<WorkerHello>(said.words); }));
  }
  Fd worker(std::uint32_t task) {
    auto fd = connect();
    auto before = hellos();
    say(fd, hello_of(task));
    EXPECT_TRUE(loop_.until([&] { return hellos() > before; }));
    auto key = frames::read_frame(fd.get());
    EXPECT_TRUE(key && *key);
    auto told = key && *key ? codec::decode<WorkerKey>(**key)->key : "none";
    EXPECT_EQ(told, "secret");
    return fd;
  }

  test::Loop loop_;
  test::ScratchDir dir_;
  std::string path_ = dir_.path() + "/elastic";
  std::vector<WorkerSaid> heard_;
  std::vector<TaskGone> gone_;
  WorkerPort port_{loop_.context, "secret",
                   [this](const WorkerSaid& said) { heard_.push_back(said); },
                   [this](const TaskGone& gone) { gone_.push_back(gone); }};
};

TEST_F(worker_port, a_worker_that_says_hello_is_told_the_key_and_heard_by_its_number) {
  auto fd = worker(3);
  say(fd, WorkerLeft{});
  ASSERT_TRUE(loop_.until([&] { return heard_.size() == 2; }));
  EXPECT_EQ(heard_[0].task, TaskNumber{3});
  EXPECT_EQ(heard_[1].task, TaskNumber{3});
  EXPECT_TRUE(std::holds_alternative<WorkerLeft>(heard_[1].words));
}

TEST_F(worker_port, words_for_a_task_reach_its_worker_and_no_other) {
  auto three = worker(3), four = worker(4);
  port_.send(TaskNumber{4}, WorkerLeave{"reclaimed"});
  port_.send(TaskNumber{9}, WorkerLeave{"nobody"});
  loop_.context.restart();
  loop_.context.poll();
  auto frame = frames::read_frame(four.get());
  ASSERT_TRUE(frame && *frame);
  auto words = codec::decode<ToWorker>(**frame);
  ASSERT_TRUE(words);
  EXPECT_EQ(std::get<WorkerLeave>(*words).reason, "reclaimed");
  char byte = 0;
  EXPECT_LT(::recv(three.get(), &byte, 1, MSG_DONTWAIT), 0);
}

TEST_F(worker_port, who_says_no_hello_first_is_closed_but_a_reporters_progress_is_taken) {
  auto reporter = connect(), rude = connect(), nonsense = connect();
  say(reporter, WorkerProgress{});
  ASSERT_TRUE(loop_.until([&] { return heard_.size() == 1; }));
  EXPECT_FALSE(heard_[0].task) << "it has no task";
  say(rude, WorkerLeft{});
  EXPECT_TRUE(frames::write_frame(nonsense.get(), "no words at all"));
  auto closed = [&](const Fd& fd) {
    char byte = 0;
    return ::recv(fd.get(), &byte, 1, MSG_DONTWAIT) == 0;
  };
  EXPECT_TRUE(loop_.until([&] { return closed(rude); }));
  EXPECT_TRUE(loop_.until([&] { return closed(nonsense); }));
  EXPECT_EQ(heard_.size(), 1u);
}

TEST_F(worker_port, a_task_that_connects_again_takes_its_older_connections_place) {
  auto old = worker(3);
  say(old, WorkerLeft{});  // its last words count
  auto fresh = worker(3);
  ASSERT_TRUE(loop_.until([&] { return heard_.size() == 3; }));
  port_.send(TaskNumber{3}, WorkerLeave{"reclaimed"});
  loop_.context.restart();
  loop_.context.poll();
  auto frame = frames::read_frame(fresh.get());
  ASSERT_TRUE(frame && *frame);
  EXPECT_TRUE(codec::decode<ToWorker>(**frame));
}

// A process of its own, which says its last words and is killed.
TEST_F(worker_port, last_words_come_before_the_end_of_the_process) {
  auto pid = ::fork();
  if (pid == 0) {
    auto fd = proc::connect_unix(path_);
    if (!fd) ::_exit(1);
    (void)frames::write_frame(fd->get(), codec::encode(hello_of(5)));
    (void)frames::read_frame(fd->get());  // the key: it is known now
    (void)frames::write_frame(fd->get(), codec::encode(FromWorker{WorkerDone{}}));
    ::raise(SIGKILL);
  }
  std::size_t words_at_end = 0;
  ASSERT_TRUE(loop_.until([&] {
    if (words_at_end == 0 && !gone_.empty()) words_at_end = heard_.size();
    return !gone_.empty();
  }));
  EXPECT_EQ(gone_[0].task, TaskNumber{5});
  EXPECT_EQ(words_at_end, 2u);
  EXPECT_EQ(::waitpid(pid, nullptr, 0), pid);
}

}  // namespace
}  // namespace wm::wagent
