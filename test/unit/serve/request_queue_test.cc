// Role: the router's state machine: who gets what, what a lost kernel means, and that over random
// deaths no task is lost or answered twice.
#include "libwm/serve/request_queue.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "test/support/moments.h"

namespace wm::serve {
namespace {

using std::chrono::seconds;

using test::mono::at;

Profile profile(std::uint32_t batch = 1, std::uint32_t pipe = 1) {
  Profile p;
  p.policy.batch_size = batch;
  p.policy.pipe_size = pipe;
  return p;
}

template <class T>
std::vector<T> all(const QueueActions& actions) {
  std::vector<T> found;
  for (const auto& action : actions)
    if (auto* one = std::get_if<T>(&action)) found.push_back(*one);
  return found;
}

Answers answer(const Hand& hand, bool fine = true) {
  Answers answers{hand.batch.id, true, 1000, {}};
  for (const auto& task : hand.batch.tasks) answers.tasks.push_back({task.id, fine, task.data});
  return answers;
}

TEST(queue, a_request_waits_for_a_kernel_and_is_answered_with_its_output) {
  RequestQueue queue("m", profile());
  EXPECT_TRUE(queue.request(1, "ping", at(0)).empty());
  EXPECT_EQ(queue.load(at(2)).oldest, seconds(2));
  auto hands = all<Hand>(queue.joined(7, {}, at(2)));
  ASSERT_EQ(hands.size(), 1u);
  EXPECT_EQ(hands[0].batch.tasks[0].data, "ping");
  auto replies = all<Reply>(queue.answered(7, answer(hands[0]), at(3)));
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].status, 200);
  EXPECT_EQ(replies[0].body, "ping");
  EXPECT_EQ(queue.load(at(3)).in_flight, 0u);
}

TEST(queue, batches_are_filled_and_the_least_loaded_is_first) {
  RequestQueue queue("m", profile(4, 2));
  queue.joined(1, {}, at(0));
  EXPECT_EQ(all<Hand>(queue.request(1, "", at(0)))[0].kernel, 1u);
  queue.joined(2, {}, at(0));
  EXPECT_EQ(all<Hand>(queue.request(2, "", at(0)))[0].kernel, 2u);
  Hand third = all<Hand>(queue.request(3, "", at(0)))[0];
  queue.request(4, "", at(0));  // now both have two, which is all that pipe_size lets them
  for (std::uint64_t task = 5; task <= 9; ++task)
    EXPECT_TRUE(queue.request(task, "", at(0)).empty());
  auto next = all<Hand>(queue.answered(third.kernel, answer(third), at(1)));
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].batch.tasks.size(), 4u);
  EXPECT_EQ(queue.load(at(1)).queued, 1u);
}

TEST(queue, tasks_of_a_lost_kernel_go_to_another_once) {
  RequestQueue queue("m", profile());
  queue.joined(1, {}, at(0));
  queue.request(1, "x", at(0));
  EXPECT_TRUE(queue.lost(1, at(1)).empty());
  EXPECT_EQ(all<Hand>(queue.joined(2, {}, at(1))).size(), 1u);
  auto replies = all<Reply>(queue.lost(2, at(2)));
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].status, 503);
}

TEST(queue, where_a_task_is_begun_once_what_a_lost_kernel_had_is_503) {
  auto once = profile();
  once.policy.once = true;
  RequestQueue queue("m", once);
  queue.joined(1, {}, at(0));
  queue.joined(2, {}, at(0));
  queue.request(1, "x", at(0));
  auto actions = queue.lost(1, at(1));
  EXPECT_TRUE(all<Hand>(actions).empty());
  auto replies = all<Reply>(actions);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].status, 503);
  EXPECT_GT(replies[0].retry_after, 0);
}

/// A kernel that takes a second for each task, and a limit of ten.
struct Busy {
  RequestQueue queue;
  Hand first;
  static Profile slow() {
    auto p = profile();
    p.policy.execution_timeout = seconds(10);
    p.policy.kernel_max = 1;
    return p;
  }
  Busy() : queue("m", slow()) {
    queue.joined(1, {}, at(0));
    auto hand = all<Hand>(queue.request(1, "", at(0)))[0];
    auto answers = answer(hand);
    answers.busy_us = 1000000;
    queue.answered(1, answers, at(1));
    first = all<Hand>(queue.request(2, "", at(1)))[0];
  }
};

TEST(queue, what_would_wait_longer_than_it_may_is_told_at_once_to_come_again) {
  Busy busy;
  for (std::uint64_t task = 3; task <= 10; ++task)
    EXPECT_TRUE(busy.queue.request(task, "", at(1)).empty()) << task;
  busy.queue.request(11, "", at(1));
  auto told = all<Reply>(busy.queue.request(12, "", at(1)));
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].status, 429);
  EXPECT_GT(told[0].retry_after, 0);
}

TEST(queue, what_no_kernel_could_answer_in_time_any_more_is_not_begun) {
  Busy busy;
  busy.queue.request(3, "", at(1));
  busy.queue.request(4, "", at(9));
  auto actions = busy.queue.answered(1, answer(busy.first), at(10.5));
  auto late = all<Reply>(actions);
  ASSERT_EQ(late.size(), 2u) << "the answered one, and 3";
  EXPECT_EQ(late[1].task, 3u);
  EXPECT_EQ(late[1].status, 504);
  auto hands = all<Hand>(actions);
  ASSERT_EQ(hands.size(), 1u);
  EXPECT_EQ(hands[0].batch.tasks[0].id, 4u);
}

TEST(queue, late_tasks_are_504_without_a_kernel_503_and_too_many_429) {
  RequestQueue queue("m", profile(), {2, 1000});
  queue.joined(1, {}, at(0));
  auto hand = all<Hand>(queue.request(1, "", at(0)))[0];
  auto late = all<Reply>(queue.tick(at(60)));
  ASSERT_EQ(late.size(), 1u);
  EXPECT_EQ(late[0].status, 504);
  EXPECT_TRUE(all<Reply>(queue.answered(1, answer(hand), at(61))).empty());
  queue.lost(1, at(61));
  Profile patient = profile();
  patient.policy.execution_timeout = {};
  RequestQueue alone("m", patient, {2, 1000});
  alone.request(1, "", at(0));
  alone.request(2, "", at(0));
  auto many = all<Reply>(alone.request(3, "", at(0)));
  ASSERT_EQ(many.size(), 1u);
  EXPECT_EQ(many[0].status, 429);
  EXPECT_GT(many[0].retry_after, 0);
  EXPECT_TRUE(alone.tick(at(89)).empty());
  auto none = all<Reply>(alone.tick(at(90)));
  ASSERT_EQ(none.size(), 2u);
  EXPECT_EQ(none[0].status, 503);
  EXPECT_EQ(none[0].body, "Inference service for model <m> is currently unavailable.");
  EXPECT_EQ(alone.load(at(90)).queued, 0u);
}

TEST(queue, once_closed_it_takes_nothing_and_finishes_what_it_has) {
  RequestQueue queue("m", profile());
  queue.joined(1, {}, at(0));
  auto hand = all<Hand>(queue.request(1, "", at(0)))[0];
  queue.request(2, "", at(0));
  queue.close(true);
  auto refused = all<Reply>(queue.request(3, "", at(0)));
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].status, 503);
  auto more = queue.answered(1, answer(hand), at(1));
  EXPECT_EQ(all<Reply>(more).size(), 1u);
  EXPECT_EQ(all<Hand>(more).size(), 1u) << "what waited has its turn";
  queue.close(false);
  EXPECT_TRUE(all<Reply>(queue.request(4, "", at(1))).empty());
}

TEST(queue, who_waits_for_kernels_that_fail_is_told_so_at_once) {
  RequestQueue queue("m", profile());
  queue.request(1, "", at(0));
  queue.request(2, "", at(0));
  auto told = all<Reply>(queue.kernels_fail("ModuleNotFoundError: No module named 'x'"));
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0].status, 503);
  EXPECT_EQ(told[0].body,
            "Inference service for model <m> is currently unavailable. Its kernel ended: "
            "ModuleNotFoundError: No module named 'x'");
  EXPECT_EQ(queue.load(at(0)).queued, 0u);
  queue.joined(1, {}, at(1));
  queue.request(3, "", at(1));
  queue.request(4, "", at(1));
  EXPECT_TRUE(queue.kernels_fail("another").empty()) << "one that serves is there";
}

TEST(queue, a_kernel_that_answers_what_it_was_not_asked_or_hangs_is_cut_off) {
  RequestQueue queue("m", profile());
  queue.joined(1, {}, at(0));
  queue.joined(2, {}, at(0));
  queue.request(1, "", at(0));
  EXPECT_EQ(all<Expel>(queue.answered(2, {99, true, 0, {}}, at(0))).size(), 1u);
  EXPECT_TRUE(all<Expel>(queue.tick(at(100))).empty());
  EXPECT_EQ(all<Expel>(queue.tick(at(120))).size(), 1u);
}

TEST(queue, a_task_without_output_is_an_error_and_one_that_leaves_gets_no_more) {
  RequestQueue queue("m", profile());
  queue.joined(1, {}, at(0));
  auto hand = all<Hand>(queue.request(1, "", at(0)))[0];
  queue.leaving(1);
  auto replies = all<Reply>(queue.answered(1, {hand.batch.id, true, 0, {}}, at(0)));
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].status, 500);
  EXPECT_EQ(replies[0].body, "a task without output");
  EXPECT_TRUE(queue.request(2, "", at(0)).empty());
  queue.forget(2);
  EXPECT_EQ(queue.load(at(0)).queued, 0u);
}

TEST(queue, groups_are_spread_and_what_is_of_one_waits_for_its_kernel_alone) {
  RequestQueue queue("m", profile(4));
  queue.joined(1, {}, at(0));
  queue.joined(2, {}, at(0));
  auto first = all<Hand>(queue.request(1, "", at(0), 10))[0];
  queue.answered(first.kernel, answer(first), at(0));
  auto second = all<Hand>(queue.request(2, "", at(0), 20))[0];
  EXPECT_NE(second.kernel, first.kernel);  // though nothing was at either
  queue.answered(second.kernel, answer(second), at(0));
  first = all<Hand>(queue.request(3, "", at(0), 10))[0];
  EXPECT_TRUE(queue.request(4, "", at(0), 10).empty());
  EXPECT_TRUE(queue.request(5, "", at(0), 10).empty());
  auto others = all<Hand>(queue.request(6, "", at(0)));  // of none: it does not wait behind them
  ASSERT_EQ(others.size(), 1u);
  EXPECT_EQ(others[0].kernel, second.kernel);
  auto next = all<Hand>(queue.answered(first.kernel, answer(first), at(1)));
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].kernel, first.kernel);
  EXPECT_EQ(next[0].batch.tasks.size(), 2u);
}

TEST(queue, a_group_goes_to_another_kernel_when_its_own_leaves_or_is_lost) {
  RequestQueue queue("m", profile());
  queue.joined(1, {}, at(0));
  auto first = all<Hand>(queue.request(1, "", at(0), 10))[0];
  queue.joined(2, {}, at(0));
  EXPECT_TRUE(queue.request(2, "", at(0), 10).empty());
  queue.leaving(1);
  auto moved = all<Hand>(queue.tick(at(0.1)));
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].kernel, 2u);
  queue.joined(3, {}, at(1));
  auto again = all<Hand>(queue.lost(2, at(1)));
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].kernel, 3u);
  EXPECT_EQ(again[0].batch.tasks[0].id, 2u);
}

/// Kernels that die and come at random around a desk.
class Storm {
 public:
  explicit Storm(unsigned seed)
      : seed_(seed), random_(seed), queue_("m", profile(1 + seed % 5, 1 + seed % 3)) {}

  void run() {
    for (int i = 0; i < 3000; ++i) {
      now_ += Duration(chance(20000));
      step(chance(10));
    }
    while (kernels_.empty() || queue_.load(now_).queued + queue_.load(now_).in_flight > 0) {
      if (kernels_.empty()) take(queue_.joined(join(), {}, now_));
      if (!work_.empty()) finish();
    }
    EXPECT_EQ(answered_.size(), asked_);
    EXPECT_GT(fine_, asked_ / 2);
  }

 private:
  std::uint64_t chance(std::uint64_t n) { return random_() % n; }
  // A part of the tasks is of some group; with an even seed none is.
  std::uint64_t group_of(std::uint64_t task) const { return seed_ % 2 ? task % 7 : 0; }
  std::uint64_t join() {
    kernels_.insert(++named_);
    return named_;
  }
  void step(std::uint64_t what) {
    if (what < 4) ++asked_;
    if (what < 4) take(queue_.request(asked_, std::to_string(asked_), now_, group_of(asked_)));
    else if (what < 8 && !work_.empty()) finish();
    else if (what == 8 && kernels_.size() < 6) take(queue_.joined(join(), {}, now_));
    else if (what == 9 && !kernels_.empty()) kill();
    take(queue_.tick(now_));
  }
  void finish() {
    auto at = work_.begin() + static_cast<std::ptrdiff_t>(chance(work_.size()));
    Hand hand = *at;
    work_.erase(at);
    take(queue_.answered(hand.kernel, answer(hand), now_));
  }
  void kill() {
    auto kernel =
        *std::next(kernels_.begin(), static_cast<std::ptrdiff_t>(chance(kernels_.size())));
    kernels_.erase(kernel);
    std::erase_if(work_, [&](const Hand& hand) { return hand.kernel == kernel; });
    take(queue_.lost(kernel, now_));
  }
  void take(const QueueActions& actions) {
    EXPECT_TRUE(all<Expel>(actions).empty());
    for (const auto& hand : all<Hand>(actions)) {
      EXPECT_TRUE(kernels_.contains(hand.kernel));
      EXPECT_FALSE(hand.batch.tasks.empty());
      for (const auto& task : hand.batch.tasks) expect_its_kernel(group_of(task.id), hand.kernel);
      work_.push_back(hand);
    }
    for (const auto& reply : all<Reply>(actions)) {
      EXPECT_TRUE(answered_.insert(reply.task).second) << "twice: " << reply.task;
      if (reply.status == 200) {
        EXPECT_EQ(reply.body, std::to_string(reply.task));
        ++fine_;
      }
    }
  }

  void expect_its_kernel(std::uint64_t group, std::uint64_t kernel) {
    auto& has = groups_[group];
    if (group != 0 && kernels_.contains(has)) {
      EXPECT_EQ(has, kernel) << "group " << group;
    }
    has = kernel;
  }

  unsigned seed_;
  std::mt19937 random_;
  RequestQueue queue_;
  TimePoint now_{};
  std::map<std::uint64_t, std::uint64_t> groups_;  // the kernel of each
  std::uint64_t asked_ = 0, named_ = 0, fine_ = 0;
  std::set<std::uint64_t> kernels_, answered_;
  std::vector<Hand> work_;
};

TEST(queue, over_random_deaths_no_task_is_lost_or_answered_twice) {
  for (unsigned seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Storm(seed).run();
  }
}

TEST(frames, come_back_as_they_were_and_damaged_ones_are_told) {
  Batch batch{3, {{1, "a"}, {2, std::string("\0b", 2)}}};
  EXPECT_EQ(*read_batch(to_bytes(batch)), batch);
  Answers answers{3, false, 12, {{1, true, "x"}, {2, false, ""}}};
  EXPECT_EQ(*read_answers(to_bytes(answers)), answers);
  KernelHello hello{"i", "h", 42};
  EXPECT_EQ(*read_hello(to_bytes(hello)), hello);
  auto bytes = to_bytes(answers);
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(read_answers(bytes.substr(0, size)));
  EXPECT_FALSE(read_answers(bytes + "x"));
  EXPECT_FALSE(read_batch(std::string(16, '\xff')));
}

TEST(queue, who_comes_first_to_no_kernel_begins_the_wait_and_who_follows_does_not) {
  auto patient = profile();
  patient.policy.execution_timeout = {};
  RequestQueue queue("m", patient);
  (void)queue.request(1, "", at(1000));
  EXPECT_TRUE(queue.tick(at(1001)).empty()) << "the wait begins with the first request";
  (void)queue.request(2, "", at(1060));
  auto none = all<Reply>(queue.tick(at(1090)));
  ASSERT_EQ(none.size(), 2u);
  EXPECT_EQ(none[0].status, 503);
  EXPECT_EQ(none[1].status, 503);
}

TEST(queue, what_waits_may_have_so_many_bytes_and_not_one_more) {
  RequestQueue queue("m", profile(), {10, 8});
  EXPECT_TRUE(queue.request(1, "12345", at(0)).empty());
  EXPECT_TRUE(queue.request(2, "678", at(0)).empty());
  auto more = all<Reply>(queue.request(3, "9", at(0)));
  ASSERT_EQ(more.size(), 1u);
  EXPECT_EQ(more[0].status, 429);
  queue.forget(1);
  EXPECT_TRUE(queue.request(4, "54321", at(0)).empty());
}

TEST(queue, another_profile_counts_for_what_is_there_as_well) {
  auto old = profile(1);
  old.policy.execution_timeout = seconds(60);
  RequestQueue queue("m", old);
  (void)queue.request(1, "a", at(0));
  (void)queue.request(2, "b", at(0));
  auto wide = profile(2);
  wide.policy.execution_timeout = seconds(5);
  queue.adopt(wide);
  EXPECT_EQ(all<Hand>(queue.joined(7, {}, at(1)))[0].batch.tasks.size(), 2u);
  auto late = all<Reply>(queue.tick(at(6)));
  ASSERT_EQ(late.size(), 2u);
  EXPECT_EQ(late[0].status, 504);
  EXPECT_EQ(late[0].arrived, at(0));
  EXPECT_EQ(late[0].handed, at(1));
  (void)queue.request(3, "c", at(7));
  auto endless = profile(1);
  endless.policy.execution_timeout = Duration::zero();
  queue.adopt(endless);
  EXPECT_TRUE(all<Reply>(queue.tick(at(1000))).empty());
}

}  // namespace
}  // namespace wm::serve
