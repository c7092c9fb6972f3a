#include <gtest/gtest.h>

#include "test/support/builders.h"

namespace wm {
namespace {

using test::ClusterBuilder;
using test::ended;
using test::kExit3;
using test::kSigkill;
using test::SpecBuilder;

TEST(job_fsm, a_submitted_job_is_pending_and_asks_for_a_pass) {
  ClusterBuilder c;
  auto actions = c.step(JobSubmitted{{1, 0}, SpecBuilder().sealed()});
  EXPECT_EQ(actions, (Actions{RunScheduler{}}));  // and nothing else
  EXPECT_EQ(c.job({1, 0}).state, JobState::Pending);
}

TEST(job_fsm, a_held_job_waits_until_it_is_released) {
  ClusterBuilder c;
  auto h = c.host(1);
  auto id = c.submit(SpecBuilder().hold());
  EXPECT_EQ(c.job(id).state, JobState::Held);
  EXPECT_FALSE(c.check(JobDispatched{id, Attempt{1}, {}, ""}));
  c.step(JobReleased{id, "u1"});
  c.dispatch(id, {h});
  EXPECT_EQ(c.job(id).state, JobState::Launching);
}

TEST(job_fsm, dispatch_takes_slots_and_orders_each_host_once) {
  ClusterBuilder c;
  auto h1 = c.host(2, 2), h2 = c.host(2, 2);
  auto id = c.submit(SpecBuilder().app("training").tasks(4, 4).gpus(1));
  c.dispatch(id, {h1, h1, h2, h2});
  EXPECT_EQ(c.host_of(h1).used_slots, 2u);
  EXPECT_EQ(c.host_of(h2).gpu_owners[1], (GpuOwner{id, TaskNumber{4}}));
  auto actions = fsm::react(c.state, {{id}, {}, {}, {}, false});
  EXPECT_EQ(actions, (Actions{OrderHost{h1, id}, OrderHost{h2, id}}));
}

TEST(job_fsm, runs_when_every_task_has_started) {
  ClusterBuilder c;
  auto h = c.host(2);
  auto id = c.submit(SpecBuilder().app("training").tasks(2, 2));
  c.dispatch(id, {h, h});
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 11});
  EXPECT_EQ(c.job(id).state, JobState::Launching);
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{2}, 12});
  EXPECT_EQ(c.job(id).state, JobState::Running);
}

TEST(job_fsm, a_batch_job_ends_with_its_command_and_frees_bare_slots) {
  ClusterBuilder c;
  auto h = c.host(4);
  auto id = c.submit(SpecBuilder().tasks(3, 3));
  c.run(id, {h, h, h});
  c.step(ended(c, id, 1, kExit3));
  EXPECT_EQ(c.job(id).state, JobState::Failed);
  EXPECT_EQ(c.job(id).outcome.status, kExit3);
  EXPECT_EQ(c.host_of(h).used_slots, 0u);
}

TEST(job_fsm, one_failing_task_ends_a_rigid_job_with_its_status) {
  ClusterBuilder c;
  auto h1 = c.host(1), h2 = c.host(1);
  auto id = c.submit(SpecBuilder().app("training").tasks(2, 2));
  c.run(id, {h1, h2});
  auto actions = c.step(ended(c, id, 2, kExit3));
  EXPECT_TRUE(c.job(id).ending);
  EXPECT_EQ(actions, (Actions{OrderHost{h1, id}, OrderHost{h2, id}, RunScheduler{}}));
  c.step(ended(c, id, 1, kSigkill, Term::TaskFailed));
  EXPECT_EQ(c.job(id).state, JobState::Failed);
  EXPECT_EQ(c.job(id).outcome.status, kExit3);  // the first failure, not its consequence
}

TEST(job_fsm, killing_a_pending_job_ends_it_at_once) {
  ClusterBuilder c;
  auto id = c.submit(SpecBuilder());
  c.step(KillRequested{id, {Term::Owner, "u1", "", {}}});
  EXPECT_EQ(c.job(id).state, JobState::Killed);
  EXPECT_EQ(c.job(id).outcome.term, Term::Owner);
}

TEST(job_fsm, killing_a_running_job_waits_until_its_tasks_are_gone) {
  ClusterBuilder c;
  auto h = c.host(1);
  auto id = c.submit(SpecBuilder());
  c.run(id, {h});
  auto actions = c.step(KillRequested{id, {Term::Owner, "u1", "", {}}});
  EXPECT_EQ(actions, (Actions{OrderHost{h, id}, RunScheduler{}}));
  EXPECT_EQ(c.job(id).state, JobState::Running);
  c.step(ended(c, id, 1, kSigkill));
  EXPECT_EQ(c.job(id).state, JobState::Killed);
}

TEST(job_fsm, a_lost_host_requeues_a_rerunnable_job_and_keeps_its_submit_time) {
  ClusterBuilder c;
  auto h = c.host(1);
  auto id = c.submit(SpecBuilder().rerunnable());
  c.run(id, {h});
  auto submitted = c.job(id).times.submitted;
  c.step(ended(c, id, 1, kSigkill, Term::HostLost), 30);
  EXPECT_EQ(c.job(id).state, JobState::Pending);
  EXPECT_EQ(c.job(id).times.submitted, submitted);
  EXPECT_EQ(c.job(id).returns.requeues, 1u);
  c.dispatch(id, {h});
  EXPECT_EQ(c.job(id).attempt, Attempt{2});
}

TEST(job_fsm, a_queue_may_make_its_jobs_rerunnable) {
  ClusterBuilder c;
  auto h = c.host(1);
  c.config.queues[0].rerunnable = true;
  c.reconfigure();
  auto id = c.submit(SpecBuilder().queue(c.config.queues[0].name));
  c.run(id, {h});
  c.step(ended(c, id, 1, kSigkill, Term::HostLost));
  EXPECT_EQ(c.job(id).state, JobState::Pending);
}

// An elastic training of two members, both at work.
JobId trained(ClusterBuilder& c, HostId a, HostId b) {
  auto id = c.submit(SpecBuilder().tasks(1, 4).app("training").elastic());
  c.run(id, {a, b});
  c.enter_epoch(id, 7);
  return id;
}

TEST(job_fsm, an_elastic_job_that_lost_all_members_goes_on_as_a_new_attempt) {
  ClusterBuilder c;
  auto a = c.host(2), b = c.host(2);
  auto id = trained(c, a, b);
  c.step(ended(c, id, 2, kSigkill));
  EXPECT_EQ(c.job(id).state, JobState::Running);
  auto actions = c.step(ended(c, id, 1, kSigkill));
  EXPECT_EQ(c.job(id).state, JobState::Pending);
  EXPECT_EQ(c.job(id).returns.requeues, 1u);
  for (auto host : {a, b})  // its shepherds live on until they are told to forget it
    EXPECT_NE(std::find(actions.begin(), actions.end(), Action(OrderHost{host, id})),
              actions.end());
  auto lead = c.job(id).membership.lead;
  c.run(id, {a, b});
  EXPECT_EQ(c.job(id).attempt, Attempt{2});
  EXPECT_GT(c.job(id).membership.lead, lead) << "its epochs are numbered above the old ones";
}

TEST(job_fsm, members_that_fail_by_themselves_are_no_reason_to_try_again) {
  ClusterBuilder c;
  auto h = c.host(2);
  auto id = trained(c, h, h);
  c.step(ended(c, id, 1, kExit3));
  c.step(ended(c, id, 2, kExit3));
  EXPECT_EQ(c.job(id).state, JobState::Failed);
  EXPECT_EQ(c.job(id).outcome.status, kExit3);
}

TEST(job_fsm, a_job_killed_before_its_first_epoch_has_nothing_to_go_on_from) {
  ClusterBuilder c;
  auto h = c.host(2);
  auto id = c.submit(SpecBuilder().tasks(1, 4).app("training").elastic());
  c.run(id, {h});
  c.step(ended(c, id, 1, kSigkill));
  EXPECT_EQ(c.job(id).state, JobState::Failed);
}

TEST(job_fsm, newcomers_that_began_from_a_checkpoint_are_ended_for_the_new_attempt) {
  ClusterBuilder c;
  auto h = c.host(4);
  auto id = trained(c, h, h);
  Task more;
  more.number = TaskNumber{3};
  more.host = h;
  c.step(TasksAdded{id, Attempt{1}, {more}, ""});
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{3}, 1003});
  c.step(ended(c, id, 1, kSigkill));
  c.step(ended(c, id, 2, kSigkill));
  EXPECT_EQ(c.job(id).state, JobState::Running) << "task 3 may be a member already";
  EpochFormed anew;
  anew.epoch = EpochNumber{8};
  anew.members = {TaskNumber{3}};
  anew.cause = EpochCause::Start;
  c.step(EpochEntered{id, Attempt{1}, anew});
  EXPECT_TRUE(c.job(id).ending);
  c.step(ended(c, id, 3, 15));
  EXPECT_EQ(c.job(id).state, JobState::Pending);
}

// The configuration with these exits of the profile "batch".
void set_exits(ClusterBuilder& c, std::vector<std::uint32_t> success,
               std::vector<std::uint32_t> requeue) {
  for (auto& app : c.config.apps) {
    if (app.name != "batch") continue;
    app.success_exits = success;
    app.requeue_exits.codes = requeue;
  }
  c.reconfigure();
}

TEST(job_fsm, a_profile_may_call_other_exit_codes_success) {
  ClusterBuilder c;
  auto h = c.host(1);
  set_exits(c, {3}, {});
  auto id = c.submit(SpecBuilder());
  c.run(id, {h});
  c.step(ended(c, id, 1, kExit3));
  EXPECT_EQ(c.job(id).state, JobState::Finished);
  EXPECT_EQ(c.job(id).outcome.status, kExit3);
}

TEST(job_fsm, a_profile_may_queue_jobs_again_by_exit_code) {
  ClusterBuilder c;
  auto h = c.host(1);
  set_exits(c, {}, {3});
  auto id = c.submit(SpecBuilder());
  c.run(id, {h});
  c.step(ended(c, id, 1, kExit3));
  EXPECT_EQ(c.job(id).state, JobState::Pending);
  EXPECT_EQ(c.job(id).returns.requeues, 1u);
  c.run(id, {h});
  c.step(ended(c, id, 1, 4 << 8));
  EXPECT_EQ(c.job(id).state, JobState::Failed);
}

TEST(job_fsm, facts_of_an_older_attempt_are_stale) {
  ClusterBuilder c;
  auto h = c.host(1);
  auto id = c.submit(SpecBuilder().rerunnable());
  c.run(id, {h});
  c.step(ended(c, id, 1, kSigkill, Term::HostLost));
  c.run(id, {h});
  auto old = c.check(TaskEnded{id, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""});
  EXPECT_EQ(old.error().code, Code::Stale);
  EXPECT_EQ(c.job(id).state, JobState::Running);
}

TEST(job_fsm, a_repeated_end_is_stale_and_frees_nothing_twice) {
  ClusterBuilder c;
  auto h = c.host(1);
  auto id = c.submit(SpecBuilder());
  c.run(id, {h});
  c.step(ended(c, id, 1));
  EXPECT_EQ(c.check(ended(c, id, 1)).error().code, Code::Stale);
  EXPECT_EQ(c.host_of(h).used_slots, 0u);
}

TEST(job_fsm, a_stuck_task_lets_the_job_end_but_keeps_its_slot) {
  ClusterBuilder c;
  auto h = c.host(1);
  auto id = c.submit(SpecBuilder());
  c.run(id, {h});
  c.step(KillRequested{id, {Term::Owner, "u1", "", {}}});
  c.step(TaskStuck{id, Attempt{1}, TaskNumber{1}, "in D state"});
  EXPECT_EQ(c.job(id).state, JobState::Killed);
  EXPECT_EQ(c.host_of(h).used_slots, 1u);
  EXPECT_EQ(c.host_of(h).stuck_slots, 1u);
  c.step(ended(c, id, 1, kSigkill));
  EXPECT_EQ(c.host_of(h).used_slots, 0u);
  EXPECT_EQ(c.host_of(h).stuck_slots, 0u);
}

TEST(job_fsm, a_job_on_a_silent_host_is_unknown_and_never_started_elsewhere) {
  ClusterBuilder c;
  auto h1 = c.host(1), h2 = c.host(1);
  auto id = c.submit(SpecBuilder().rerunnable());
  c.run(id, {h1});
  c.step(HostSilent{h1});
  EXPECT_EQ(c.job(id).state, JobState::Unknown);
  EXPECT_FALSE(c.check(JobDispatched{id, Attempt{2}, {Task{.number = {1}, .host = h2}}, ""}));
  c.step(HostHeard{h1});
  EXPECT_EQ(c.job(id).state, JobState::Running);
}

// ---- arrays ----

TEST(job_array, elements_stay_a_range_until_they_are_dispatched) {
  ClusterBuilder c;
  auto h = c.host(4);
  auto id = c.submit(SpecBuilder().array(1, 1000));
  EXPECT_EQ(find_job(c.state, {id.job, 3}), nullptr);
  c.run({id.job, 3}, {h});
  EXPECT_EQ(c.job({id.job, 3}).state, JobState::Running);
  EXPECT_EQ(c.job(id).elements.active, 1u);
  c.step(TaskEnded{{id.job, 3}, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""});
  EXPECT_EQ(c.job({id.job, 3}).state, JobState::Finished);
  EXPECT_EQ(c.job(id).elements.active, 0u);
}

TEST(job_array, the_first_pending_position_moves_past_made_elements) {
  ClusterBuilder c;
  auto h = c.host(4);
  auto id = c.submit(SpecBuilder().array(5, 9));
  c.run({id.job, 6}, {h});
  EXPECT_EQ(c.job(id).elements.next_position, 0u);
  c.run({id.job, 5}, {h});
  EXPECT_EQ(c.job(id).elements.next_position, 2u);
}

TEST(job_array, an_index_outside_the_range_is_not_found) {
  ClusterBuilder c;
  auto id = c.submit(SpecBuilder().array(5, 9));
  EXPECT_EQ(c.check(KillRequested{{id.job, 4}, {}}).error().code, Code::NotFound);
}

TEST(job_array, killing_one_pending_element_leaves_the_others) {
  ClusterBuilder c;
  auto h = c.host(4);
  auto id = c.submit(SpecBuilder().array(1, 3));
  c.step(KillRequested{{id.job, 1}, {Term::Owner, "u1", "", {}}});
  EXPECT_EQ(c.job({id.job, 1}).state, JobState::Killed);
  c.run({id.job, 2}, {h});
  EXPECT_EQ(c.job({id.job, 2}).state, JobState::Running);
}

// ---- elastic ----

struct Elastic : ::testing::Test {
  ClusterBuilder c;
  HostId h1 = c.host(1, 1), h2 = c.host(1, 1), h3 = c.host(1, 1);
  JobId id = c.submit(SpecBuilder().elastic().tasks(1, 3).gpus(1));
};

TEST_F(Elastic, a_leaver_ends_without_ending_the_job) {
  c.run(id, {h1, h2});
  c.enter_epoch(id, 1);
  c.step(TasksLeaving{id, Attempt{1}, {TaskNumber{2}}, test::at(10), "reclaim"});
  EXPECT_EQ(tasks_wanted(c.job(id)), 1u);
  EXPECT_EQ(slots_held(c.job(id)), 2u);  // not free before it is gone
  c.step(ended(c, id, 2));
  EXPECT_EQ(c.job(id).state, JobState::Running);
  EXPECT_EQ(c.host_of(h2).used_slots, 0u);
}

TEST_F(Elastic, a_killed_leaver_does_not_fail_the_job) {
  c.run(id, {h1, h2});
  c.enter_epoch(id, 1);
  c.step(TasksLeaving{id, Attempt{1}, {TaskNumber{2}}, test::at(10), "reclaim"});
  c.step(TaskCondemned{id, Attempt{1}, TaskNumber{2}, Term::ReclaimGrace, "too slow"});
  c.step(ended(c, id, 2, kSigkill, Term::ReclaimGrace));
  c.enter_epoch(id, 2);
  c.step(ended(c, id, 1));
  EXPECT_EQ(c.job(id).state, JobState::Finished);
}

TEST_F(Elastic, a_dead_member_does_not_end_the_others) {
  c.run(id, {h1, h2});
  c.enter_epoch(id, 1);
  c.step(ended(c, id, 2, kSigkill));
  EXPECT_EQ(c.job(id).state, JobState::Running);
  EXPECT_FALSE(c.job(id).ending);
}

TEST_F(Elastic, the_lead_moves_when_its_host_falls_silent) {
  c.run(id, {h1, h2});
  c.enter_epoch(id, 1);
  EXPECT_EQ(c.job(id).membership.lead_host, h1);
  c.step(HostSilent{h1});
  EXPECT_EQ(c.job(id).membership.lead_host, h2);
  EXPECT_EQ(c.job(id).membership.lead, LeadNumber{2});
  EXPECT_EQ(c.job(id).state, JobState::Running);  // it goes on without the host
}

TEST_F(Elastic, the_lead_moves_when_its_last_task_there_has_left) {
  c.run(id, {h1, h2});
  c.enter_epoch(id, 1);
  c.step(TasksLeaving{id, Attempt{1}, {TaskNumber{1}}, test::at(10), "drain"});
  EXPECT_EQ(c.job(id).membership.lead_host, h1);
  c.step(ended(c, id, 1));
  EXPECT_EQ(c.job(id).membership.lead_host, h2);
}

TEST_F(Elastic, rank_0_decides_how_the_job_ended) {
  c.run(id, {h1, h2});
  c.enter_epoch(id, 1);
  c.step(ended(c, id, 2));
  EXPECT_TRUE(c.job(id).finishing);
  EXPECT_FALSE(fsm::is_resizable(c.state, c.job(id)));
  c.step(ended(c, id, 1, kExit3));
  EXPECT_EQ(c.job(id).state, JobState::Failed);
}

TEST_F(Elastic, the_writer_of_its_output_follows_rank_0) {
  c.run(id, {h1, h2, h3});
  EXPECT_EQ(writer_of(c.job(id)), TaskNumber{1});
  c.enter_epoch(id, 1);
  auto actions = c.step(ended(c, id, 1, kSigkill));
  EXPECT_EQ(writer_of(c.job(id)), TaskNumber{2}) << "the next survivor takes rank 0";
  EXPECT_EQ(std::count(actions.begin(), actions.end(), Action(OrderHost{h2, id})), 1);
  EpochFormed shrunk{EpochNumber{2}, LeadNumber{1}, {TaskNumber{3}}};
  actions = c.step(EpochEntered{id, Attempt{1}, shrunk});
  EXPECT_EQ(writer_of(c.job(id)), TaskNumber{3}) << "though task 2 is there to leave";
  EXPECT_EQ(std::count(actions.begin(), actions.end(), Action(OrderHost{h3, id})), 1);
}

TEST_F(Elastic, those_who_end_after_rank_0_write_nothing_more) {
  c.run(id, {h1, h2});
  c.enter_epoch(id, 1);
  c.step(ended(c, id, 1));
  EXPECT_EQ(writer_of(c.job(id)), TaskNumber{1});
}

TEST_F(Elastic, replay_gives_the_same_state) {
  c.run(id, {h1, h2});
  c.enter_epoch(id, 1);
  c.step(HostSilent{h1});
  c.step(ended(c, id, 2));
  Cluster again;
  again.config = std::make_shared<const Config>(c.config);
  for (const auto& event : c.history) {
    ASSERT_TRUE(fsm::check(again, event.body)) << event_name(event.body);
    fsm::apply(again, event);
  }
  EXPECT_EQ(*find_job(again, id), c.job(id));
  EXPECT_EQ(*again.hosts.find(1), c.host_of(h1));
}

TEST(job_fsm, a_job_that_is_ended_to_count_as_done_is_done_whatever_its_exit_code) {
  ClusterBuilder c;
  auto host = c.host(1);
  auto id = c.submit({});
  c.run(id, {host});
  c.step(KillRequested{id, {Term::Owner, "u1", "", test::at(1), true}});
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 9, Term::Owner, {}, ""});
  EXPECT_EQ(c.job(id).state, JobState::Finished);
  EXPECT_EQ(c.job(id).outcome.status, 0);
}

}  // namespace
}  // namespace wm
