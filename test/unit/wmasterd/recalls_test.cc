// Jobs that run and that a restored state does not know: they are jobs again, or are ended with
// words.
#include <gtest/gtest.h>

#include "test/unit/wmasterd/hosts_desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;
using namespace std::chrono_literals;

constexpr JobId kLost{7, 0};

/// A state that was chosen over one which had given job numbers up to 12; itself it had given 1.
struct RecallDesk : HostsDesk {
  explicit RecallDesk(const char* unknown_jobs = "adopt") {
    past.config.cluster.unknown_jobs = unknown_jobs;
    past.reconfigure();
    past.submit(SpecBuilder().hold());
    past.step(TakenOver{1, 12, "root", "the disk is lost"});
  }
  /// What hosts of these names were ordered of the lost job: a task each, 2 of the first.
  static HostOrder order(const std::string& host, std::vector<std::string> hosts = {"n1"}) {
    HostOrder made;
    made.job = kLost;
    made.attempt = {1};
    made.generation = 40;
    made.resolved = SpecBuilder().spec;
    made.sealed = {"what was signed", std::to_string(made.resolved.owner.uid), "key"};
    made.key = std::string(32, 'k');
    made.submitted = test::at(3);
    std::vector<PlacedTask> placed;
    for (std::uint32_t i = 0; i < hosts.size(); ++i) {
      placed.push_back({TaskNumber{i + 1}, hosts[i], "127.0.0.1"});
      if (hosts[i] == host) made.tasks.push_back({.task = TaskNumber{i + 1}});
    }
    made.hosts = job_hosts_of(std::move(placed), host);
    return made;
  }
  HostRegister with_lost(const std::string& name, std::uint32_t task = 1, JobId job = kLost) {
    auto r = words(name);
    r.recalls = true;
    r.attempts = {{job, Attempt{1}, {{TaskNumber{task}, 4711}}, ""}};
    return r;
  }
  void answer(Peer& peer, const HostOrder& said) {
    say(peer, NodeVerb::Recalled, HostRecalled{kLost, said});
    pass(100ms);
  }
  std::vector<HostForget> forgotten(const Peer& peer) {
    return peer.all<HostForget>(NodeVerb::Forget);
  }
  static bool welcomed(const Peer& peer) {
    return !peer.all<HostWelcome>(NodeVerb::Welcome).empty();
  }
};

TEST(recalls, what_runs_is_a_job_again_under_its_number_and_attempt) {
  RecallDesk desk;
  desk.start();
  auto& peer = desk.enrol(desk.with_lost("n1"));
  ASSERT_EQ(peer.all<HostRecall>(NodeVerb::Recall).size(), 1u);
  EXPECT_FALSE(desk.welcomed(peer)) << "its slots are nobody's yet";
  desk.answer(peer, desk.order("n1"));
  EXPECT_TRUE(desk.welcomed(peer));
  const Job* job = find_job(desk.state(), kLost);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->state, JobState::Running);
  EXPECT_EQ(job->attempt, Attempt{1});
  EXPECT_EQ(job->times.submitted, test::at(3));
  EXPECT_EQ(job->tasks[0].pid, 4711);
  EXPECT_EQ(job->key, std::string(32, 'k'));
  EXPECT_EQ(job->sealed->bytes, "what was signed");
  EXPECT_GT(job->generation, 40u) << "the host takes nothing older than it has";
  EXPECT_FALSE(job->spec().rerunnable);
  EXPECT_TRUE(desk.forgotten(peer).empty());
  EXPECT_EQ(find_host(desk.state(), "n1")->used_slots, 1u);
}

TEST(recalls, what_a_host_says_meanwhile_is_heard_afterwards) {
  RecallDesk desk;
  desk.start();
  auto& peer = desk.enrol(desk.with_lost("n1"));
  FactEnded end{kLost, Attempt{1}, TaskNumber{1}, 3 << 8, Term::None, {}, ""};
  desk.say(peer, NodeVerb::Fact, HostFact{5, end});
  desk.say(peer, NodeVerb::Heartbeat, HostHeartbeat{});
  desk.pass(100ms);
  EXPECT_FALSE(peer.closed);
  desk.answer(peer, desk.order("n1"));
  EXPECT_EQ(find_job(desk.state(), kLost)->state, JobState::Failed);
  EXPECT_EQ(peer.all<HostAck>(NodeVerb::Ack).size(), 1u);
}

TEST(recalls, where_the_site_ends_them_they_are_ended_with_words) {
  RecallDesk desk("end");
  desk.start();
  auto& peer = desk.enrol(desk.with_lost("n1"));
  EXPECT_TRUE(desk.welcomed(peer));
  ASSERT_EQ(desk.forgotten(peer).size(), 1u);
  EXPECT_EQ(desk.forgotten(peer)[0].why,
            "the cluster's state was brought back from a copy that does not have this job");
  EXPECT_FALSE(find_job(desk.state(), kLost));
}

TEST(recalls, all_hosts_of_a_job_are_waited_for) {
  RecallDesk desk;
  desk.start();
  auto& one = desk.enrol(desk.with_lost("n1"));
  desk.answer(one, desk.order("n1", {"n1", "n2"}));
  EXPECT_FALSE(desk.welcomed(one));
  auto& two = desk.enrol(desk.with_lost("n2", 2));
  desk.answer(two, desk.order("n2", {"n1", "n2"}));
  EXPECT_TRUE(desk.welcomed(one) && desk.welcomed(two));
  const Job* job = find_job(desk.state(), kLost);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->state, JobState::Running);
  ASSERT_EQ(job->tasks.size(), 2u);
  EXPECT_EQ(job->tasks[1].host, find_host(desk.state(), "n2")->id);
  EXPECT_TRUE(desk.forgotten(one).empty() && desk.forgotten(two).empty());
}

TEST(recalls, a_job_with_a_host_that_does_not_come_is_ended_in_the_end) {
  RecallDesk desk;
  desk.start();
  auto& one = desk.enrol(desk.with_lost("n1"));
  desk.answer(one, desk.order("n1", {"n1", "n2"}));
  desk.listen(kRecallPatience / 2);
  EXPECT_FALSE(desk.welcomed(one));
  desk.listen(kRecallPatience);
  EXPECT_TRUE(desk.welcomed(one));
  ASSERT_EQ(desk.forgotten(one).size(), 1u);
  EXPECT_NE(desk.forgotten(one)[0].why, "");
}

TEST(recalls, one_that_does_not_answer_joins_all_the_same) {
  RecallDesk desk;
  desk.start();
  auto& peer = desk.enrol(desk.with_lost("n1"));
  desk.listen(kRecallPatience + 1s);
  EXPECT_TRUE(desk.welcomed(peer));
  EXPECT_EQ(desk.forgotten(peer).size(), 1u);
}

// What a host says that its owner has not signed, or of which it cannot know all.
TEST(recalls, what_cannot_be_known_is_ended_with_words) {
  auto refused = [](auto change) {
    RecallDesk desk;
    desk.start();
    auto& peer = desk.enrol(desk.with_lost("n1"));
    auto said = desk.order("n1");
    change(said);
    desk.answer(peer, said);
    EXPECT_FALSE(find_job(desk.state(), kLost) && !is_over(desk.job(kLost).state));
    return desk.forgotten(peer).size() == 1;
  };
  EXPECT_TRUE(refused([](HostOrder& o) { o.sealed.credential = "4242"; }));
  EXPECT_TRUE(refused([](HostOrder& o) { o.resolved.elastic = true; }));
  EXPECT_TRUE(refused([](HostOrder& o) { o.resolved.array = {{1, 9, 1}}; }));
  EXPECT_TRUE(refused([](HostOrder& o) { o.control.end = true; }));
  EXPECT_TRUE(refused([](HostOrder& o) { o.attempt = {}; }));
  EXPECT_TRUE(refused([](HostOrder& o) { o.tasks.clear(); }));
}

TEST(recalls, one_for_which_its_host_has_no_room_any_more_ends_as_a_job_with_words) {
  RecallDesk desk;
  desk.start();
  auto r = desk.with_lost("n1");
  r.capacity.slots = 0;
  auto& peer = desk.enrol(r);
  desk.answer(peer, desk.order("n1"));
  ASSERT_TRUE(find_job(desk.state(), kLost));
  EXPECT_EQ(desk.job(kLost).state, JobState::Killed);
  ASSERT_TRUE(desk.job(kLost).kill);
  EXPECT_NE(desk.job(kLost).kill->text.find("does not have this job: "), std::string::npos)
      << desk.job(kLost).kill->text;
  EXPECT_EQ(desk.forgotten(peer).size(), 1u);
}

TEST(recalls, what_this_state_has_known_and_forgotten_is_not_asked_for) {
  RecallDesk desk;
  desk.start();
  for (JobId id : {JobId{1, 0}, JobId{13, 0}}) {
    auto& peer = desk.enrol(desk.with_lost("n" + std::to_string(id.job), 1, id));
    EXPECT_TRUE(desk.welcomed(peer));
    EXPECT_TRUE(peer.all<HostRecall>(NodeVerb::Recall).empty());
    ASSERT_EQ(desk.forgotten(peer).size(), 1u);
    EXPECT_EQ(desk.forgotten(peer)[0].why, "");
  }
  auto older = desk.with_lost("n2");
  older.recalls = false;
  EXPECT_TRUE(desk.welcomed(desk.enrol(older))) << "of an earlier version";
}

TEST(recalls, one_that_leaves_while_it_is_held_is_not_waited_for) {
  RecallDesk desk;
  desk.start();
  auto& one = desk.enrol(desk.with_lost("n1"));
  desk.hosts->on_left(one.id);
  auto& again = desk.enrol(desk.with_lost("n1"));
  desk.answer(again, desk.order("n1"));
  EXPECT_TRUE(desk.welcomed(again));
  EXPECT_EQ(desk.job(kLost).state, JobState::Running);
}

}  // namespace
}  // namespace wm::master
