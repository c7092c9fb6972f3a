// What a kernel does with batches: all tasks given out, their answers sent once, the last one or
// the first that was sent ahead; and what its service is told of it.
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "libwm/base/clock.h"
#include "libwm/files/fd.h"
#include "test/unit/kernel/kernel_rig.h"

namespace wm::kernel {
namespace {

using serve::Word;

class kernel_work : public Rig {
 protected:
  kernel_work() { tell_place(at("s")); }
  PlayedRouter router{at("s")};
};

TEST_F(kernel_work, tasks_are_given_out_and_their_answers_come_back) {
  auto kernel = open();
  ASSERT_TRUE(kernel) << error;
  auto began = steady_now();
  router.hand({7, {{1, "a"}, {2, "bb"}}});
  OwnBatch batch;
  ASSERT_EQ(next(kernel, batch), 1);
  ASSERT_EQ(wm_batch_size(batch.get()), 2u);
  EXPECT_EQ(wm_batch_task(batch.get(), 0), 1u);
  EXPECT_EQ(wm_batch_task(batch.get(), 1), 2u);
  EXPECT_EQ(data(batch, 0), "a");
  EXPECT_EQ(data(batch, 1), "bb");
  answer(batch, 0, "A");
  answer(batch, 1, "cannot", false);
  batch.reset();
  auto told = router.answers();
  auto passed = static_cast<std::uint64_t>(Duration(steady_now() - began).count());
  EXPECT_LE(told.busy_us, passed);
  told.busy_us = 0;
  EXPECT_EQ(told, (serve::Answers{7, true, 0, {{1, true, "A"}, {2, false, "cannot"}}}));
}

TEST_F(kernel_work, what_is_sent_ahead_is_final_and_of_other_answers_the_last_counts) {
  auto kernel = open();
  ASSERT_TRUE(kernel) << error;
  router.hand({8, {{1, ""}, {2, ""}}});
  OwnBatch batch;
  ASSERT_EQ(next(kernel, batch), 1);
  answer(batch, 0, "a first thought", false);
  ready(batch, 0, "early");
  EXPECT_EQ(router.answers(), (serve::Answers{8, false, 0, {{1, true, "early"}}}));
  ready(batch, 0, "again");
  answer(batch, 0, "late");
  answer(batch, 1, "x");
  answer(batch, 1, "y", false);
  batch.reset();
  auto told = router.answers();
  EXPECT_TRUE(told.last);
  EXPECT_EQ(told.tasks, (std::vector<serve::TaskAnswer>{{2, false, "y"}}));
}

TEST_F(kernel_work, batches_wait_for_a_worker_in_their_order) {
  auto kernel = open();
  ASSERT_TRUE(kernel) << error;
  for (std::uint64_t n = 1; n <= 3; ++n) router.hand({n, {{n, std::to_string(n)}}});
  OwnBatch first, second, third;
  ASSERT_EQ(next(kernel, first), 1);
  ASSERT_EQ(next(kernel, second), 1);
  ASSERT_EQ(next(kernel, third), 1);
  EXPECT_EQ(data(first) + data(second) + data(third), "123");
  second.reset();
  EXPECT_EQ(router.answers().batch, 2u) << "whichever is done first";
}

TEST_F(kernel_work, words_that_are_none_change_nothing) {
  auto kernel = open();
  ASSERT_TRUE(kernel) << error;
  router.say(Word::Batch, "rubbish");
  router.say(Word::Answers, serve::to_bytes(serve::Batch{5, {{5, "not handed"}}}));
  router.say(static_cast<Word>(999), "");
  router.hand({6, {{6, "handed"}}});
  OwnBatch batch;
  ASSERT_EQ(next(kernel, batch), 1);
  EXPECT_EQ(data(batch), "handed");
}

TEST_F(kernel_work, it_says_who_it_is_and_hears_how_many_may_work_in_it) {
  PlayedRouter busy(at("b"), 3);
  tell_place(at("b"));
  ::setenv("WM_TASK", "4", 1);
  auto kernel = open(60, "k-1");
  ASSERT_TRUE(kernel) << error;
  EXPECT_EQ(wm_kernel_workers(kernel.get()), 3u);
  ASSERT_EQ(busy.hellos().size(), 1u);
  EXPECT_EQ(busy.hellos()[0].instance, serve::instance_of("k-1", "4"));
  EXPECT_EQ(busy.hellos()[0].pid, ::getpid());
  EXPECT_NE(busy.hellos()[0].host, "");
}

/// A pipe with its writing end at 3, as a runner gives it to a kernel, wherever 3 was taken before.
class Three {
 public:
  Three() : before_(::fcntl(3, F_DUPFD_CLOEXEC, 10)) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    read_ = Fd(::fcntl(ends[0], F_DUPFD_CLOEXEC, 10));
    Fd written(::fcntl(ends[1], F_DUPFD_CLOEXEC, 10));
    for (int end : ends)
      if (end != 3) ::close(end);
    EXPECT_EQ(::dup2(written.get(), 3), 3);
  }
  Three(const Three&) = delete;
  ~Three() {
    ::close(3);
    if (before_) ::dup2(before_.get(), 3);
  }
  /// What was written into it, and "." once it is closed.
  std::string told() const {
    std::string text;
    char byte = 0;
    for (;;) {
      auto n = ::read(read_.get(), &byte, 1);
      if (n <= 0) return n == 0 ? text + "." : text;
      text += byte;
    }
  }

 private:
  Fd before_, read_;
};

class kernel_report : public Rig {};

// What runs a kernel ends it where it never comes so far.
TEST_F(kernel_report, a_kernel_that_is_connected_tells_what_runs_it_once) {
  Three pipe;
  ::setenv("WM_KERNEL_REPORTS", "3", 1);
  EXPECT_FALSE(open(0)) << "no router yet";
  EXPECT_EQ(pipe.told(), "");
  tell_place(at("s"));
  PlayedRouter router(at("s"));
  auto kernel = open();
  ASSERT_TRUE(kernel) << error;
  EXPECT_EQ(pipe.told(), "1.");
  EXPECT_EQ(::getenv("WM_KERNEL_REPORTS"), nullptr) << "not for what it starts itself";
}

}  // namespace
}  // namespace wm::kernel
