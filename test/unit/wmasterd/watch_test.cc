// Who watches misses nothing and is told nothing twice; who has fallen behind is told so. What a
// condition comes to. The ring of changes alone, and the verbs on a simulated env.
#include <gtest/gtest.h>

#include "daemons/wmasterd/verbs/changes.h"
#include "libwm/model/verbs/watch_verbs.h"
#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::SpecBuilder;

bool any(const JobChange&) { return true; }

// A state at a sequence number, with jobs 1 to n.
Cluster state_at(std::uint64_t seq, std::uint32_t n = 4) {
  test::ClusterBuilder builder;
  for (std::uint32_t i = 0; i < n; ++i) builder.submit(SpecBuilder());
  Cluster state = builder.state;
  state.seq = Seq{seq};
  return state;
}

TEST(changes, who_asks_with_what_he_has_seen_gets_what_came_after) {
  Changes changes;
  changes.add(state_at(5), {{1, 0}});
  changes.add(state_at(7), {{1, 0}, {2, 0}});
  auto first = changes.since(Seq{4}, any);
  EXPECT_EQ(first.changes.size(), 3u);
  EXPECT_EQ(first.seen, Seq{7});
  auto rest = changes.since(Seq{5}, any);
  ASSERT_EQ(rest.changes.size(), 2u);
  EXPECT_EQ(rest.changes[0].seq, Seq{7});
  EXPECT_TRUE(changes.since(Seq{7}, any).changes.empty());
  EXPECT_FALSE(changes.since(Seq{7}, any).missed);
}

TEST(changes, what_is_forgotten_is_said_and_a_commit_is_forgotten_as_a_whole) {
  Changes changes(3);
  changes.add(state_at(5), {{1, 0}, {2, 0}});
  changes.add(state_at(6), {{3, 0}, {4, 0}});
  EXPECT_TRUE(changes.since(Seq{4}, any).missed);
  EXPECT_EQ(changes.since(Seq{4}, any).seen, Seq{6});
  auto later = changes.since(Seq{5}, any);
  EXPECT_FALSE(later.missed);
  EXPECT_EQ(later.changes.size(), 2u);
}

TEST(changes, a_number_of_another_life_is_missed_not_believed) {
  Changes changes;
  changes.forget(Seq{9});
  EXPECT_TRUE(changes.since(Seq{8}, any).missed);
  EXPECT_FALSE(changes.since(Seq{9}, any).missed);
  EXPECT_TRUE(changes.since(Seq{10}, any).missed) << "the master has gone back";
}

TEST(changes, an_answer_ends_between_two_commits) {
  Changes changes;
  const std::set<JobId> jobs = {{1, 0}, {2, 0}, {3, 0}};
  for (std::uint64_t seq = 1; seq <= 400; ++seq) {
    static const Cluster state = state_at(0);
    Cluster at = state;
    at.seq = Seq{seq};
    changes.add(at, jobs);
  }
  auto first = changes.since(Seq{0}, any);
  EXPECT_EQ(first.changes.size(), 1002u);
  EXPECT_EQ(first.seen, Seq{334});
  EXPECT_EQ(changes.since(first.seen, any).changes.size(), 198u);
}

TEST(changes, a_filter_means_named_jobs_or_those_of_a_user) {
  JobChange change;
  change.id = {7, 3};
  change.user = "u1";
  change.queue = "normal";
  EXPECT_TRUE(is_meant({{{7, 0}}, "", ""}, "u2", change)) << "of the array";
  EXPECT_TRUE(is_meant({{{7, 3}}, "", ""}, "u2", change));
  EXPECT_FALSE(is_meant({{{7, 4}}, "", ""}, "u1", change));
  EXPECT_TRUE(is_meant({{}, "", ""}, "u1", change));
  EXPECT_FALSE(is_meant({{}, "", ""}, "u2", change));
  EXPECT_TRUE(is_meant({{}, "all", ""}, "u2", change));
  EXPECT_FALSE(is_meant({{}, "all", "night"}, "u2", change));
}

// A master with a second client that watches.
struct WatchDesk : Desk {
  Seq seen;
  WatchDesk() {
    start();
    send(second, Verb::Watch, codec::encode(WatchRequest{}));
    settle();
    seen = second.last<WatchReply>().seen;
    second.frames.clear();
  }
  void watch(WatchFilter filter = {}, const Identity& who = kUser,
             Duration patience = seconds(30)) {
    send(second, Verb::Watch, codec::encode(WatchRequest{std::move(filter), seen, patience}), who);
  }
  void wait_a_round() { sim.run(sim.now() + milliseconds(400)); }
};

TEST(watch, a_change_is_told_within_a_round_and_none_twice) {
  WatchDesk desk;
  desk.watch();
  auto id = desk.submit("one");
  desk.wait_a_round();
  ASSERT_EQ(desk.second.frames.size(), 1u);
  auto reply = desk.second.last<WatchReply>();
  ASSERT_EQ(reply.changes.size(), 1u);
  EXPECT_EQ(reply.changes[0].id, id);
  EXPECT_EQ(reply.changes[0].state, JobState::Pending);
  desk.seen = reply.seen;
  desk.watch();
  desk.wait_a_round();
  EXPECT_EQ(desk.second.frames.size(), 1u);
  desk.ask(Verb::Kill, desk.kill(id));
  desk.wait_a_round();
  ASSERT_EQ(desk.second.frames.size(), 2u);
  EXPECT_EQ(desk.second.last<WatchReply>().changes.back().state, JobState::Killed);
}

TEST(watch, what_happened_between_two_questions_is_told_at_once) {
  WatchDesk desk;
  desk.submit("one");
  desk.watch();
  desk.settle();
  ASSERT_EQ(desk.second.frames.size(), 1u);
  EXPECT_EQ(desk.second.last<WatchReply>().changes.size(), 1u);
}

TEST(watch, patience_ends_with_an_answer_without_changes) {
  WatchDesk desk;
  desk.watch({}, kUser, seconds(2));
  desk.sim.run(desk.sim.now() + seconds(3));
  ASSERT_EQ(desk.second.frames.size(), 1u);
  EXPECT_TRUE(desk.second.last<WatchReply>().changes.empty());
  EXPECT_FALSE(desk.second.last<WatchReply>().missed);
}

TEST(watch, after_a_restart_of_the_master_nothing_is_missed_unsaid) {
  WatchDesk desk;
  desk.submit("one");
  desk.restart();
  desk.watch();
  desk.settle();
  ASSERT_EQ(desk.second.frames.size(), 1u);
  EXPECT_TRUE(desk.second.last<WatchReply>().missed);
}

TEST(watch, of_others_jobs_it_tells_what_bjobs_tells) {
  WatchDesk desk;
  desk.past.config.cluster.job_info = JobInfo::Summary;
  desk.ask(Verb::Admin, AdminRequest{key("reconfig"), AdminRequest::Act::Reconfig, {}, "", {}},
           kBoss);
  WatchFilter all{{}, "all", ""};
  SpecBuilder named;
  named.spec.name = "secret";
  desk.submit("one", named);
  desk.watch(all, kOther);
  desk.settle();
  bool summary = desk.state().config->cluster.job_info == JobInfo::Summary;
  EXPECT_EQ(desk.second.last<WatchReply>().changes.at(0).name, summary ? "" : "secret");
  desk.watch(all, kUser);
  desk.settle();
  EXPECT_EQ(desk.second.last<WatchReply>().changes.at(0).name, "secret");
}

TEST(watch, an_array_that_is_ended_before_it_began_is_over) {
  WatchDesk desk;
  auto id = desk.submit("one", SpecBuilder().array(1, 3));
  desk.ask(Verb::Kill, desk.kill(id));
  desk.watch();
  desk.settle();
  auto changes = desk.second.last<WatchReply>().changes;
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].state, JobState::Array);
  EXPECT_EQ(changes[1].state, JobState::Killed);
}

TEST(watch, one_session_has_a_bounded_number_under_way) {
  WatchDesk desk;
  for (int i = 0; i < 65; ++i) desk.watch();
  desk.settle();
  ASSERT_EQ(desk.second.frames.size(), 1u);
  EXPECT_EQ(desk.second.refusal().code, number(Code::Limit));
  desk.core->clients().on_left(desk.second.id);
  desk.second.frames.clear();
  desk.watch();
  desk.settle();
  EXPECT_TRUE(desk.second.frames.empty());
}

TEST(await, a_condition_is_met_when_the_job_is_done_and_never_when_it_cannot_be) {
  Desk desk;
  auto host = desk.past.host(1);
  auto id = desk.past.submit(SpecBuilder());
  desk.past.run(id, {host});
  desk.start();
  auto ask = [&](const std::string& condition) {
    desk.ask(Verb::Await, AwaitRequest{condition, {}});
    return desk.first.last<AwaitReply>();
  };
  EXPECT_EQ(ask("started(1)").outcome, AwaitReply::Outcome::Met);
  EXPECT_EQ(ask("done(1)").outcome, AwaitReply::Outcome::NotYet);
  EXPECT_EQ(ask("done(1)").unmet, "done(1)");
  auto waiting = desk.submit("two");
  desk.send(desk.second, Verb::Await,
            codec::encode(AwaitRequest{"done(" + to_string(waiting) + ")", seconds(30)}));
  desk.settle();
  EXPECT_TRUE(desk.second.frames.empty());
  desk.ask(Verb::Kill, desk.kill(waiting));
  desk.sim.run(desk.sim.now() + milliseconds(400));
  EXPECT_EQ(desk.second.last<AwaitReply>().outcome, AwaitReply::Outcome::Never);
}

TEST(await, what_does_not_read_or_is_not_known_is_refused) {
  Desk desk;
  desk.start();
  auto refused = [&](const std::string& condition) {
    desk.ask(Verb::Await, AwaitRequest{condition, {}});
    return desk.first.refusal().code;
  };
  EXPECT_EQ(refused("done("), number(Code::BadArgument));
  EXPECT_EQ(refused(""), number(Code::BadArgument));
  EXPECT_EQ(refused("done(99)"), number(Code::NotFound));
  EXPECT_EQ(refused("done(nobody)"), number(Code::NotFound));
}

}  // namespace
}  // namespace wm::master
