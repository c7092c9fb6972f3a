#include <gtest/gtest.h>

#include "libwm/codec/codec.h"
#include "test/support/builders.h"

namespace wm {
namespace {

using test::ClusterBuilder;
using test::SpecBuilder;

struct Running : testing::Test {
  ClusterBuilder c;
  HostId h1 = c.host(4), h2 = c.host(4);

  // A running elastic job with a profile that is resized in this way.
  JobId start(ResizeMode mode, const std::vector<HostId>& hosts, const std::string& command = "") {
    for (auto& app : c.config.apps) {
      if (app.name != "training") continue;
      app.resize = mode;
      app.resize_command = "tell";
    }
    c.reconfigure();
    auto spec = SpecBuilder().app("training").tasks(1, 8).elastic();
    if (!command.empty()) spec.spec.program.command = command;
    auto id = c.submit(spec);
    c.run(id, hosts);
    return id;
  }
  Task task(std::uint32_t number, HostId host, bool has_process) {
    Task made;
    made.number = TaskNumber{number};
    made.host = host;
    made.has_process = has_process;
    return made;
  }
  const Task& of(JobId id, std::uint32_t number) {
    return *find_task(c.job(id), TaskNumber{number});
  }
};

TEST_F(Running, a_stopped_job_is_suspended_keeps_its_slots_and_tells_its_hosts) {
  auto id = c.submit(SpecBuilder());
  c.run(id, {h1});
  auto actions = c.step(JobSuspended{id, "u1"}, 10);
  EXPECT_EQ(actions, (Actions{OrderHost{h1, id}}));
  EXPECT_EQ(c.job(id).state, JobState::Suspended);
  EXPECT_EQ(lsf_state(c.job(id).state), "USUSP");
  EXPECT_EQ(c.host_of(h1).used_slots, 1u);
  EXPECT_FALSE(c.check(JobSuspended{id, "u1"}));
}

TEST_F(Running, a_resumed_job_runs_and_remembers_how_long_it_stood) {
  auto id = c.submit(SpecBuilder());
  c.run(id, {h1});
  c.step(JobSuspended{id, "u1"}, 10);
  c.step(JobResumed{id, "u1"}, 25);
  EXPECT_EQ(c.job(id).state, JobState::Running);
  EXPECT_EQ(c.job(id).suspension.earlier, Duration(std::chrono::seconds(15)));
  EXPECT_FALSE(c.check(JobResumed{id, "u1"}));
}

TEST_F(Running, a_suspended_job_is_suspended_again_when_its_silent_host_returns) {
  auto id = c.submit(SpecBuilder());
  c.run(id, {h1});
  c.step(JobSuspended{id, "u1"});
  c.step(HostSilent{h1});
  EXPECT_EQ(c.job(id).state, JobState::Unknown);
  c.step(HostHeard{h1});
  EXPECT_EQ(c.job(id).state, JobState::Suspended);
}

TEST_F(Running, a_job_stopped_while_it_starts_is_suspended_once_it_runs) {
  auto id = c.submit(SpecBuilder());
  c.dispatch(id, {h1});
  c.step(JobSuspended{id, "u1"});
  EXPECT_EQ(c.job(id).state, JobState::Launching);
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 7});
  EXPECT_EQ(c.job(id).state, JobState::Suspended);
}

TEST_F(Running, an_elastic_job_is_not_resized_while_it_is_suspended) {
  auto id = start(ResizeMode::Tasks, {h1, h1});
  EXPECT_TRUE(is_resizable(c.state, c.job(id)));
  c.step(JobSuspended{id, "u1"});
  EXPECT_FALSE(is_resizable(c.state, c.job(id)));
}

TEST_F(Running, a_grow_by_restart_launches_every_process_again) {
  auto id = start(ResizeMode::Restart, {h1});
  c.step(TasksAdded{id, Attempt{1}, {task(2, h2, true)}, ""});
  EXPECT_EQ(c.job(id).state, JobState::Launching);
  EXPECT_EQ(c.job(id).size.relaunches, 1u);
  EXPECT_EQ(of(id, 1).pid, 0);
  EXPECT_FALSE(is_resizable(c.state, c.job(id)));
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 21});
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{2}, 22});
  EXPECT_EQ(c.job(id).state, JobState::Running);
  EXPECT_TRUE(is_resizable(c.state, c.job(id)));
}

TEST_F(Running, tasks_that_have_met_are_resized_by_restart) {
  auto id = start(ResizeMode::Auto, {h1, h1});
  EXPECT_EQ(resize_mode_of(c.config, c.job(id)), ResizeMode::Tasks);
  c.step(TasksMet{id, Attempt{1}});
  EXPECT_EQ(resize_mode_of(c.config, c.job(id)), ResizeMode::Restart);
  EXPECT_EQ(c.job(id).size.relaunches, 0u) << "they are as many as they were told";
  EXPECT_FALSE(c.check(TasksMet{id, Attempt{1}})) << "known";
  c.step(TasksLeaving{id, Attempt{1}, {TaskNumber{2}}, test::at(60), ""});
  EXPECT_EQ(c.job(id).size.relaunches, 1u);
  EXPECT_EQ(of(id, 1).pid, 0);
}

TEST_F(Running, tasks_that_meet_after_their_number_has_changed_all_start_again) {
  auto id = start(ResizeMode::Auto, {h1});
  c.step(TasksAdded{id, Attempt{1}, {task(2, h2, true)}, ""}, 10);
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{2}, 22}, 11);
  EXPECT_EQ(c.job(id).size.relaunches, 0u);
  auto actions = c.step(TasksMet{id, Attempt{1}}, 12);
  EXPECT_EQ(c.job(id).size.relaunches, 1u);
  EXPECT_EQ(c.job(id).state, JobState::Launching);
  EXPECT_EQ(std::count(actions.begin(), actions.end(), Action{OrderHost{h2, id}}), 1);
}

TEST_F(Running, a_worker_that_speaks_keeps_its_job_in_place_whoever_meets) {
  auto id = start(ResizeMode::Auto, {h1});
  c.step(TasksMet{id, Attempt{1}});
  c.step(InPlaceSeen{id, Attempt{1}});
  EXPECT_EQ(resize_mode_of(c.config, c.job(id)), ResizeMode::InPlace);
}

TEST_F(Running, a_job_that_is_queued_again_has_not_met) {
  auto id = start(ResizeMode::Auto, {h1});
  c.step(TasksMet{id, Attempt{1}});
  c.step(JobPreempted{id, Attempt{1}, {{}, test::at(70), true, "for others", false}});
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 0, Term::Preempt, {}, ""});
  c.run(id, {h1});
  EXPECT_EQ(resize_mode_of(c.config, c.job(id)), ResizeMode::Tasks);
}

TEST_F(Running, a_port_that_turns_out_to_be_taken_starts_all_tasks_again_with_another) {
  auto id = c.submit(SpecBuilder().app("training").tasks(1, 8).elastic());
  c.step(JobDispatched{
      id, Attempt{1}, {task(1, h1, true), task(2, h2, true)}, std::string(32, 'k'), 0, 20000});
  EXPECT_EQ(c.job(id).port, 20000u);
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{2}, 22});
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 21, 20004});
  EXPECT_EQ(c.job(id).port, 20004u);
  EXPECT_EQ(c.job(id).size.relaunches, 1u);
  EXPECT_EQ(of(id, 2).pid, 0);
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 31, 20004});
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{2}, 32});
  EXPECT_EQ(c.job(id).state, JobState::Running);
  EXPECT_EQ(c.job(id).size.relaunches, 1u);
}

TEST_F(Running, where_nobody_was_told_of_the_taken_port_nothing_starts_again) {
  auto id = c.submit(SpecBuilder().app("training").tasks(1, 8).elastic());
  c.step(JobDispatched{
      id, Attempt{1}, {task(1, h1, true), task(2, h1, true)}, std::string(32, 'k'), 0, 20000});
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 21, 20004});
  EXPECT_EQ(c.job(id).port, 20004u);
  EXPECT_EQ(c.job(id).size.relaunches, 0u) << "both are on the host that leased it";
}

TEST_F(Running, workers_that_speak_to_their_agent_need_no_port) {
  auto id = c.submit(SpecBuilder().app("training").tasks(1, 8).elastic());
  c.step(JobDispatched{
      id, Attempt{1}, {task(1, h1, true), task(2, h2, true)}, std::string(32, 'k'), 0, 20000});
  c.step(InPlaceSeen{id, Attempt{1}});
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 21, 20004});
  EXPECT_EQ(c.job(id).size.relaunches, 0u);
  EXPECT_EQ(of(id, 1).pid, 21);
}

TEST_F(Running, a_restart_of_a_command_that_is_started_once_makes_no_second_process) {
  auto id = start(ResizeMode::Restart, {h1}, "deepspeed train.py");
  c.step(TasksAdded{id, Attempt{1}, {task(2, h2, false)}, ""});
  EXPECT_TRUE(of(id, 1).has_process);
  EXPECT_EQ(of(id, 1).pid, 0);
  EXPECT_FALSE(of(id, 2).has_process);
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 21});
  EXPECT_EQ(c.job(id).state, JobState::Running);
}

TEST_F(Running, a_shrink_by_restart_leaves_the_process_to_a_slot_that_stays) {
  auto id = start(ResizeMode::Restart, {h1}, "torchrun train.py");
  c.step(TasksAdded{id, Attempt{1}, {task(2, h1, false)}, ""});
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{1}, 21});
  c.step(TasksLeaving{id, Attempt{1}, {TaskNumber{1}}, test::at(60), ""});
  EXPECT_FALSE(of(id, 1).has_process);
  EXPECT_TRUE(of(id, 2).has_process);
  EXPECT_EQ(of(id, 2).pid, 0);
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 0, Term::Left, {}, ""});
  c.step(TaskStarted{id, Attempt{1}, TaskNumber{2}, 22});
  EXPECT_EQ(c.job(id).state, JobState::Running);
  EXPECT_EQ(c.host_of(h1).used_slots, 1u);
}

TEST_F(Running, a_grow_that_the_notification_refuses_is_given_back) {
  auto id = start(ResizeMode::Notify, {h1});
  c.step(TasksAdded{id, Attempt{1}, {task(2, h2, false)}, ""});
  ASSERT_TRUE(c.job(id).size.notice);
  EXPECT_TRUE(c.job(id).size.notice->grow);
  EXPECT_FALSE(is_resizable(c.state, c.job(id)));
  c.step(ResizeAnswered{id, Attempt{1}, 1, false, "no room"});
  EXPECT_EQ(c.host_of(h2).used_slots, 0u);
  EXPECT_EQ(c.job(id).size.grow_blocked, "stays at its size: no room");
  EXPECT_FALSE(is_resizable(c.state, c.job(id)));
  c.step(CapChanged{id, 4, false, "u1", ""});
  EXPECT_TRUE(is_resizable(c.state, c.job(id)));
}

TEST_F(Running, a_shrink_frees_its_slots_once_the_notification_agrees) {
  auto id = start(ResizeMode::Notify, {h1});
  c.step(TasksAdded{id, Attempt{1}, {task(2, h2, false)}, ""});
  c.step(ResizeAnswered{id, Attempt{1}, 1, true, ""});
  EXPECT_EQ(c.host_of(h2).used_slots, 1u);
  c.step(TasksLeaving{id, Attempt{1}, {TaskNumber{2}}, test::at(60), ""});
  EXPECT_EQ(c.host_of(h2).used_slots, 1u);
  c.step(ResizeAnswered{id, Attempt{1}, 2, true, ""});
  EXPECT_EQ(c.host_of(h2).used_slots, 0u);
  EXPECT_FALSE(c.check(ResizeAnswered{id, Attempt{1}, 2, true, ""}));
}

TEST_F(Running, a_refused_shrink_keeps_its_slots) {
  auto id = start(ResizeMode::Notify, {h1});
  c.step(TasksAdded{id, Attempt{1}, {task(2, h2, false)}, ""});
  c.step(ResizeAnswered{id, Attempt{1}, 1, true, ""});
  c.step(TasksLeaving{id, Attempt{1}, {TaskNumber{2}}, test::at(60), ""});
  c.step(ResizeAnswered{id, Attempt{1}, 2, false, "busy"});
  EXPECT_EQ(c.host_of(h2).used_slots, 1u);
  EXPECT_EQ(tasks_wanted(c.job(id)), 2u);
}

TEST_F(Running, a_release_that_the_notification_refuses_is_over) {
  auto id = start(ResizeMode::Notify, {h1});
  c.step(TasksAdded{id, Attempt{1}, {task(2, h2, false)}, ""});
  c.step(ResizeAnswered{id, Attempt{1}, 1, true, ""});
  c.step(CapChanged{id, 1, false, "u1", ""});
  c.step(TasksLeaving{id, Attempt{1}, {TaskNumber{2}}, test::at(60), ""});
  c.step(ResizeAnswered{id, Attempt{1}, 2, false, "busy"});
  EXPECT_EQ(task_cap(c.job(id)), 2u);
}

TEST_F(Running, a_member_that_exceeds_a_limit_ends_the_whole_elastic_job_with_that_reason) {
  auto id = start(ResizeMode::Auto, {h1, h2});
  c.enter_epoch(id, 1);
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{2}, 9, Term::MemLimit, {}, ""});
  EXPECT_TRUE(c.job(id).ending);
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 15, Term::TaskFailed, {}, ""});
  EXPECT_EQ(c.job(id).state, JobState::Failed);
  EXPECT_EQ(c.job(id).outcome.term, Term::MemLimit);
}

TEST_F(Running, a_job_whose_task_fails_says_why_that_did_not_that_others_were_ended_for_it) {
  auto id = c.submit(SpecBuilder().tasks(2, 2));
  c.run(id, {h1, h2});
  c.step(
      TaskEnded{id, Attempt{1}, TaskNumber{2}, 256, Term::None, {}, "its stderr ended: no torch"});
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 2, Term::TaskFailed, {}, "TERM_TASK_FAILED: x"});
  EXPECT_EQ(c.job(id).state, JobState::Failed);
  EXPECT_EQ(c.job(id).outcome.text, "its stderr ended: no torch");
}

TEST_F(Running, a_failed_prolog_queues_its_job_again_whatever_the_job_is) {
  auto id = c.submit(SpecBuilder());
  c.run(id, {h1});
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 9, Term::PrologFailed, {}, ""});
  EXPECT_EQ(c.job(id).state, JobState::Pending);
}

TEST_F(Running, a_job_whose_signature_is_not_proven_any_more_is_held_until_it_is_signed_anew) {
  auto id = c.submit(SpecBuilder());
  c.run(id, {h1});
  c.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 0, Term::NotSigned, {}, "another key"});
  EXPECT_EQ(c.job(id).state, JobState::Held);
  EXPECT_EQ(c.job(id).outcome.term, Term::NotSigned);
  EXPECT_EQ(c.job(id).outcome.text, "another key");
  EXPECT_EQ(c.job(id).returns.requeues, 0u) << "nor does it use up its tries";
  c.step(JobReleased{id});
  EXPECT_EQ(c.job(id).state, JobState::Pending);
  EXPECT_EQ(c.job(id).outcome, Outcome{});
}

TEST_F(Running, a_failed_pre_execution_command_queues_its_job_again_unless_it_says_abort) {
  auto again = c.submit(SpecBuilder());
  c.run(again, {h1});
  c.step(TaskEnded{again, Attempt{1}, TaskNumber{1}, 1 << 8, Term::PreExecFail, {}, ""});
  EXPECT_EQ(c.job(again).state, JobState::Pending);
  auto never = c.submit(SpecBuilder());
  c.run(never, {h1});
  c.step(TaskEnded{never, Attempt{1}, TaskNumber{1}, 99 << 8, Term::PreExecFail, {}, ""});
  EXPECT_EQ(c.job(never).state, JobState::Failed);
}

TEST_F(Running, exit_codes_of_the_job_or_its_queue_queue_it_again) {
  c.config.queues[0].requeue_exits.codes = {7};
  c.reconfigure();
  auto of_queue = c.submit(SpecBuilder().queue(c.config.queues[0].name));
  auto own = SpecBuilder();
  own.spec.requeue_exits.codes = {8};
  auto of_job = c.submit(own);
  c.run(of_queue, {h1});
  c.run(of_job, {h1});
  c.step(TaskEnded{of_queue, Attempt{1}, TaskNumber{1}, 7 << 8, Term::None, {}, ""});
  c.step(TaskEnded{of_job, Attempt{1}, TaskNumber{1}, 8 << 8, Term::None, {}, ""});
  EXPECT_EQ(c.job(of_queue).state, JobState::Pending);
  EXPECT_EQ(c.job(of_job).state, JobState::Pending);
  auto overrides = c.submit(own.queue(c.config.queues[0].name));
  c.run(overrides, {h1});
  c.step(TaskEnded{overrides, Attempt{1}, TaskNumber{1}, 7 << 8, Term::None, {}, ""});
  EXPECT_EQ(c.job(overrides).state, JobState::Failed);
}

struct Excluding : Running {
  // A running job on these hosts that is queued again by 7, elsewhere by 8.
  JobId start(const std::vector<HostId>& hosts, SpecBuilder spec = {}) {
    spec.spec.requeue_exits = {{7, 8}, {8}};
    auto id = c.submit(spec);
    c.run(id, hosts);
    return id;
  }
  void exit(JobId id, std::int32_t code) {
    for (const auto& task : Tasks(c.job(id).tasks))
      if (task.holds_slot() && find_task(c.job(id), task.number)->holds_slot())
        c.step(TaskEnded{id, c.job(id).attempt, task.number, code << 8, Term::None, {}, ""});
  }
  const std::vector<HostId>& excluded(JobId id) { return c.job(id).waits.excluded_hosts; }
};

TEST_F(Excluding, a_code_that_excludes_bars_the_host_for_good) {
  auto id = start({h1});
  exit(id, 7);
  EXPECT_EQ(excluded(id), std::vector<HostId>{});
  c.run(id, {h2});
  exit(id, 8);
  EXPECT_EQ(c.job(id).state, JobState::Pending);
  EXPECT_EQ(excluded(id), std::vector<HostId>{h2});
  EXPECT_THROW(c.dispatch(id, {h2}), std::runtime_error);
  c.run(id, {h1});
  exit(id, 8);
  EXPECT_EQ(excluded(id), (std::vector<HostId>{h1, h2}));
  EXPECT_EQ(c.job(id).state, JobState::Pending) << "it waits though no host is left";
}

TEST_F(Excluding, all_hosts_of_a_parallel_job_are_barred) {
  auto id = start({h2, h1, h2}, SpecBuilder().tasks(3, 3));
  exit(id, 8);
  EXPECT_EQ(c.job(id).state, JobState::Pending);
  EXPECT_EQ(excluded(id), (std::vector<HostId>{h1, h2}));
}

TEST_F(Excluding, a_job_that_is_not_queued_again_excludes_nothing) {
  c.config.cluster.limits.max_user_requeue = 0;
  c.reconfigure();
  auto id = start({h1});
  exit(id, 8);
  EXPECT_EQ(c.job(id).state, JobState::Failed);
  EXPECT_EQ(excluded(id), std::vector<HostId>{});
}

TEST_F(Excluding, a_queue_may_say_how_often_a_job_is_queued_again) {
  c.config.queues[0].max_requeue = 0;
  c.reconfigure();
  auto id = start({h1}, SpecBuilder().queue(c.config.queues[0].name));
  exit(id, 8);
  EXPECT_EQ(c.job(id).state, JobState::Failed);
}

TEST_F(Excluding, codes_of_the_queue_exclude_unless_the_job_names_its_own) {
  c.config.queues[0].requeue_exits = {{7}, {7}};
  c.reconfigure();
  auto queue = c.config.queues[0].name;
  auto of_queue = c.submit(SpecBuilder().queue(queue));
  c.run(of_queue, {h1});
  exit(of_queue, 7);
  EXPECT_EQ(excluded(of_queue), std::vector<HostId>{h1});
  auto own = start({h1}, SpecBuilder().queue(queue));
  exit(own, 7);
  EXPECT_EQ(c.job(own).state, JobState::Pending);
  EXPECT_EQ(excluded(own), std::vector<HostId>{});
}

// A snapshot and the events give the same hosts.
TEST_F(Excluding, excluded_hosts_are_durable) {
  auto id = start({h1});
  exit(id, 8);
  auto back = codec::decode<Cluster>(codec::encode(c.state));
  ASSERT_TRUE(back) << back.error().text;
  EXPECT_EQ(find_job(*back, id)->waits.excluded_hosts, std::vector<HostId>{h1});
  EXPECT_EQ(find_job(*back, id)->spec().requeue_exits, (RequeueExits{{7, 8}, {8}}));
  Cluster again;
  again.config = c.state.config;
  for (const auto& event : c.history) fsm::apply(again, event);
  EXPECT_EQ(c.job(id), *find_job(again, id));
}

struct Budgets : Running {
  Budgets() {
    c.config.cluster.limits.max_requeue = 2;
    c.config.cluster.limits.max_user_requeue = 1;
    c.reconfigure();
    auto spec = SpecBuilder().rerunnable();
    spec.spec.requeue_exits.codes = {8};
    id = c.submit(spec);
  }
  // Runs it once more to this end; where it stands then.
  JobState after(std::int32_t status, Term term) {
    c.run(id, {h1});
    c.step(TaskEnded{id, c.job(id).attempt, c.job(id).last_task, status, term, {}, ""});
    return c.job(id).state;
  }
  JobState exits() { return after(8 << 8, Term::None); }
  JobState loses_its_host() { return after(9, Term::HostLost); }
  JobId id;
};

TEST_F(Budgets, own_exits_use_up_their_own) {
  EXPECT_EQ(exits(), JobState::Pending);
  EXPECT_EQ(exits(), JobState::Failed);
  EXPECT_EQ(c.job(id).returns.user_requeues, 1u);
}

TEST_F(Budgets, lost_hosts_leave_the_jobs_own_alone_and_the_other_way_round) {
  EXPECT_EQ(loses_its_host(), JobState::Pending);
  EXPECT_EQ(exits(), JobState::Pending);
  EXPECT_EQ(loses_its_host(), JobState::Pending);
  EXPECT_EQ(c.job(id).returns.requeues, 3u);
  EXPECT_EQ(c.job(id).returns.user_requeues, 1u);
  EXPECT_EQ(loses_its_host(), JobState::Failed);
}

TEST_F(Budgets, a_failed_prolog_is_the_hosts_fault_a_failed_pre_execution_command_the_jobs) {
  EXPECT_EQ(after(1 << 8, Term::PrologFailed), JobState::Pending);
  EXPECT_EQ(c.job(id).returns.user_requeues, 0u);
  EXPECT_EQ(after(1 << 8, Term::PreExecFail), JobState::Pending);
  EXPECT_EQ(c.job(id).returns.user_requeues, 1u);
  EXPECT_EQ(after(1 << 8, Term::PreExecFail), JobState::Failed);
}

}  // namespace
}  // namespace wm
