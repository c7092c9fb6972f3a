// Who waits for a job's end (bsub -K) is told of it: of a job, of an element, of a whole array.
#include <gtest/gtest.h>

#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;

// An array of two of u1, with elements that run.
struct ArrayDesk : Desk {
  JobId base;
  ArrayDesk() {
    auto host = past.host(2);
    base = past.submit(SpecBuilder().array(1, 2));
    for (std::uint32_t i : {1u, 2u}) past.run({base.job, i}, {host});
  }
  void end(std::uint32_t index, std::int32_t status) {
    past.step(TaskEnded{{base.job, index}, Attempt{1}, TaskNumber{1}, status, Term::None, {}, ""});
  }
};

TEST(wait, an_array_has_ended_when_all_its_elements_have) {
  ArrayDesk desk;
  desk.end(1, 3 << 8);
  desk.start();
  desk.send(desk.second, Verb::Wait, codec::encode(WaitRequest{desk.base, JobState::Array}));
  desk.submit("other");
  EXPECT_TRUE(desk.second.frames.empty()) << "one runs";
  desk.ask(Verb::Kill, desk.kill({desk.base.job, 2}));
  desk.sim.run(desk.sim.now() + std::chrono::hours(1));
  EXPECT_TRUE(desk.second.frames.empty()) << "its host has not said that it ended";
}

TEST(wait, an_array_ends_as_the_first_element_that_did_not_end_well) {
  ArrayDesk desk;
  desk.end(1, 0);
  desk.end(2, 3 << 8);
  desk.start();
  desk.ask(Verb::Wait, WaitRequest{desk.base, JobState::Array});
  auto reply = desk.first.last<WaitReply>();
  EXPECT_EQ(reply.state, JobState::Failed);
  EXPECT_EQ(reply.exit_status, 3 << 8);
}

TEST(wait, an_array_that_is_killed_before_it_started_has_ended) {
  Desk desk;
  desk.start();
  auto id = desk.submit("one", SpecBuilder().array(1, 3));
  desk.send(desk.second, Verb::Wait, codec::encode(WaitRequest{id, JobState::Array}));
  KillRequest request = desk.kill({id.job, 2}, "k1");
  desk.ask(Verb::Kill, request);
  EXPECT_TRUE(desk.second.frames.empty());
  desk.ask(Verb::Kill, desk.kill(id, "k2"));
  ASSERT_EQ(desk.second.frames.size(), 1u);
  EXPECT_EQ(desk.second.last<WaitReply>().state, JobState::Killed);
}

TEST(wait, another_attempt_of_the_same_state_is_news) {
  Desk desk;
  auto host = desk.past.host(1);
  auto id = desk.past.submit({});
  desk.past.run(id, {host});
  desk.start();
  auto state = desk.state_of(id);
  desk.send(desk.second, Verb::Wait, codec::encode(WaitRequest{id, state, Attempt{1}}));
  EXPECT_TRUE(desk.second.frames.empty());
  desk.ask(Verb::Wait, WaitRequest{id, state, {}});
  EXPECT_EQ(desk.first.last<WaitReply>().attempt, Attempt{1});
}

TEST(wait, who_is_ended_to_count_as_done_is_done) {
  Desk desk;
  desk.start();
  auto plain = desk.submit("one"), array = desk.submit("two", SpecBuilder().array(1, 3));
  KillRequest request = desk.kill(plain);
  request.jobs.ids = {plain, array};
  request.mark_done = true;
  desk.ask(Verb::Kill, request);
  EXPECT_EQ(desk.state_of(plain), JobState::Finished);
  desk.ask(Verb::Wait, WaitRequest{array, JobState::Array});
  EXPECT_EQ(desk.first.last<WaitReply>().state, JobState::Finished);
}

}  // namespace
}  // namespace wm::master
