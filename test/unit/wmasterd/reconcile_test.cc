// What a registration changes: the host's truth about what runs there wins.
#include "daemons/wmasterd/hosts/reconcile.h"

#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm::master {
namespace {

using test::ClusterBuilder;
using test::SpecBuilder;

class reconcile_with : public ::testing::Test {
 protected:
  /// A job of two tasks on the host, which has not told of them yet.
  JobId run() {
    auto id = c_.submit(SpecBuilder().tasks(2, 2));
    Task one, two;
    one.number = {1}, two.number = {2};
    one.host = two.host = h_;
    c_.step(JobDispatched{id, Attempt{1}, {one, two}, std::string(32, 'k')});
    return id;
  }
  void started(JobId id, std::uint32_t task) {
    c_.step(TaskStarted{id, Attempt{1}, TaskNumber{task}, 4711});
  }
  /// The host registers, with the same boot, and knows these.
  HostRegister words(std::vector<AttemptStatus> attempts) const {
    HostRegister words;
    const Host& host = *c_.state.hosts.find(h_.value);
    words.name = host.name;
    words.boot = host.boot;
    words.attempts = std::move(attempts);
    return words;
  }
  template <class T>
  std::vector<T> all(const HostRegister& words) const {
    std::vector<T> found;
    for (const auto& event : reconcile(c_.state, h_, words))
      if (auto* one = std::get_if<T>(&event)) found.push_back(*one);
    return found;
  }

  ClusterBuilder c_;
  HostId h_ = c_.host(4);
};

TEST_F(reconcile_with, what_is_as_the_state_says_changes_nothing) {
  auto id = run();
  started(id, 1);
  auto same = words({AttemptStatus{id, Attempt{1}, {{TaskNumber{1}, 4711}}, "", {}}});
  EXPECT_TRUE(reconcile(c_.state, h_, same).empty()) << "the other was only ordered: it may come";
}

TEST_F(reconcile_with, a_start_that_was_not_told_is_one_now) {
  auto id = run();
  auto events =
      all<TaskStarted>(words({AttemptStatus{id, Attempt{1}, {{TaskNumber{2}, 815}}, "", {}}}));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].task, TaskNumber{2});
  EXPECT_EQ(events[0].pid, 815);
}

TEST_F(reconcile_with, a_task_that_ran_and_is_not_known_has_lost_its_shepherd) {
  auto id = run();
  started(id, 1);
  auto events = all<TaskEnded>(words({}));
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].task, TaskNumber{1});
  EXPECT_EQ(events[0].term, Term::ShepherdLost);
}

TEST_F(reconcile_with, another_boot_ends_also_what_was_only_ordered) {
  run();
  auto rebooted = words({});
  rebooted.boot = "another";
  auto events = all<TaskEnded>(rebooted);
  ASSERT_EQ(events.size(), 2u);
  for (const auto& event : events) EXPECT_EQ(event.term, Term::HostLost);
}

TEST_F(reconcile_with, an_attempt_of_before_says_nothing_of_this_one) {
  auto id = run();
  started(id, 1);
  auto old = words({AttemptStatus{id, Attempt{9}, {{TaskNumber{1}, 4711}}, "10.0.0.1:5", {}}});
  EXPECT_EQ(all<TaskEnded>(old).size(), 1u);
  EXPECT_TRUE(all<AgentSeen>(old).empty());
}

TEST_F(reconcile_with, where_its_agent_is_is_told_again) {
  auto id = run();
  started(id, 1);
  auto known = words({AttemptStatus{id, Attempt{1}, {{TaskNumber{1}, 4711}}, "10.0.0.1:5", {}}});
  auto events = all<AgentSeen>(known);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].host, h_);
}

}  // namespace
}  // namespace wm::master
