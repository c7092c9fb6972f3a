// Role: what pending jobs are told, word for word.
#include "libwm/sched/reasons.h"

#include "libwm/sched/schedule.h"
#include "test/support/sched_cluster.h"

namespace wm::sched {
namespace {

using test::elastic;
using test::rigid;
using test::slots;

class Told : public test::SchedCluster {
 protected:
  PendReason first(JobId id) const {
    auto plan = run.plan();
    auto* reasons = plan.why(id);
    return reasons ? reasons->front() : PendReason{};
  }
};

TEST_F(Told, slots_are_short) {
  run.host(1);
  submit_and_settle(slots("ann", 1));
  auto b = run.submit(slots("bob", 1));
  EXPECT_EQ(first(b).code, PendCode::Slots);
  EXPECT_EQ(first(b).text,
            "Not enough job slot(s): 1 slot asked; plan </> uses 1 slot, user <bob> 0");
}

TEST_F(Told, slots_that_jobs_with_gpus_hold_are_no_riddle) {
  run.host(2, 1);
  submit_and_settle(rigid("ann", 1));
  submit_and_settle(slots("bob", 1));
  auto c = run.submit(slots("cat", 1));
  EXPECT_EQ(first(c).text,
            "Not enough job slot(s): 1 slot asked; plan </> uses 1 slot, user <cat> 0, jobs with "
            "GPUs 1 more");
}

TEST_F(Told, gpus_are_short) {
  gpu_hosts(1);
  submit_and_settle(rigid("ann", 1));
  auto b = run.submit(rigid("bob", 1));
  EXPECT_EQ(first(b).code, PendCode::Resources);
  EXPECT_EQ(first(b).text, "Not enough GPUs: 1 GPU asked; plan </> uses 1 GPU, user <bob> 0");
}

TEST_F(Told, a_gpu_that_is_set_aside_says_why_and_no_plan_is_blamed) {
  auto host = run.host(2, 1);
  GpuMark mark;
  mark.sick = true, mark.sick_why = "held by process 4711, no job of ours";
  run.step(GpuMarked{host, run.state.hosts.find(host.value)->capacity.gpus[0].uuid, mark});
  auto a = run.submit(rigid("ann", 1));
  EXPECT_EQ(first(a).code, PendCode::Resources);
  EXPECT_EQ(first(a).text,
            "Not enough GPUs: 1 GPU asked; GPU 0 of host <h1> is set aside: held by process 4711, "
            "no job of ours");
}

TEST_F(Told, who_wants_a_gpu_alone_hears_who_shares_it) {
  run.host(2, 1);
  auto shares = rigid("ann", 1);
  shares.spec.task.gpu_shared = true, shares.spec.task.milli_gpus = 500;
  submit_and_settle(shares);
  auto b = run.submit(rigid("bob", 1));
  EXPECT_EQ(first(b).text, "Not enough GPUs: 1 GPU asked; GPU 0 of host <h1> is shared by <1>");
}

TEST_F(Told, a_held_job_says_how_to_release_it) {
  run.host(1);
  auto id = run.submit(slots("ann", 1).hold());
  EXPECT_EQ(first(id).fix, "bresume 1");
}

TEST_F(Told, an_inactive_queue_is_named_with_the_remedy) {
  run.host(1);
  run.step(QueueChanged{"low", QueueStandingChange::Inactivate, "admin", ""});
  auto id = run.submit(slots("ann", 1).queue("low"));
  EXPECT_EQ(first(id).text, "The queue is inactivated by its administrator: queue <low>");
  EXPECT_EQ(first(id).fix, "badmin qact low");
}

TEST_F(Told, hosts_that_are_not_asked_for_are_counted_with_a_remedy_that_there_is) {
  run.host(1);
  run.host(1);
  auto spec = slots("ann", 1);
  spec.spec.asked.hosts = {"~h1", "~h2"};
  auto id = run.submit(spec);
  EXPECT_EQ(first(id).text, "Not specified in job submission: 2 hosts");
  EXPECT_EQ(first(id).fix, "bkill it and submit it again without -m, or with other hosts after it");
}

TEST_F(Told, a_full_array_says_its_limit) {
  run.host(4);
  auto base = run.submit(slots("ann", 1).array(1, 4, 2));
  run.pass();
  EXPECT_EQ(first({base.job, 4}).text, "Job array has reached its running element limit: 2");
}

TEST_F(Told, who_releases_is_named) {
  gpu_hosts(4);
  run.submit(elastic("ann", 1, 2));
  submit_and_settle(elastic("bob", 1, 2));
  auto r = run.submit(rigid("eve", 2).queue("high"));
  EXPECT_EQ(first(r).text, "Waiting for 2 slots being released by jobs <2>, <1>");
}

TEST_F(Told, stuck_slots_are_blamed_when_a_job_finds_no_place) {
  run.host(2);
  run.host(1);
  auto a = run.submit(slots("ann", 2));
  run.pass();
  run.step(KillRequested{a, {}});
  run.step(TaskStuck{a, Attempt{1}, TaskNumber{1}, "zombie"});
  auto spec = slots("bob", 2);
  spec.spec.span.one_host = true;
  auto b = run.submit(spec);
  EXPECT_EQ(first(b).code, PendCode::Stuck);
  EXPECT_EQ(first(b).text, "Not enough job slot(s): 1 slot not proven free after a kill");
}

TEST_F(Told, other_hosts_that_are_out_follow_the_reason_that_decides) {
  run.host(1);
  auto closed = run.host(1);
  run.step(HostClosed{closed, "admin", ""});
  submit_and_settle(slots("ann", 1));
  auto b = run.submit(slots("bob", 1));
  auto plan = run.plan();
  auto* reasons = plan.why(b);
  ASSERT_EQ(reasons->size(), 2u);
  EXPECT_EQ((*reasons)[0].code, PendCode::Slots);
  EXPECT_EQ((*reasons)[0].hosts_removed, 1u);
  EXPECT_EQ((*reasons)[1].text, "Closed by LSF administrator: 1 host");
  EXPECT_EQ((*reasons)[1].hosts_removed, 1u);
}

TEST_F(Told, hosts_that_its_own_exit_excluded_are_counted_and_decide_when_none_is_left) {
  auto h1 = run.host(1), h2 = run.host(1);
  auto spec = slots("ann", 1);
  spec.spec.requeue_exits = {{3}, {3}};
  auto id = run.submit(spec);
  auto fails = [&] {
    run.pass();
    HostId on = run.job(id).tasks.front().host;
    run.step(TaskEnded{id, run.job(id).attempt, TaskNumber{1}, 3 << 8, Term::None, {}, ""});
    return on;
  };
  HostId first_on = fails();
  run.step(HostClosed{first_on == h1 ? h2 : h1, "admin", ""});
  EXPECT_EQ(first(id).code, PendCode::HostsClosed) << "to open it helps";
  auto plan = run.plan();
  ASSERT_EQ(plan.why(id)->size(), 2u);
  EXPECT_EQ((*plan.why(id))[1].text, "Excluded by an exit code of an earlier run: 1 host");
  run.step(HostOpened{first_on == h1 ? h2 : h1, "admin"});
  EXPECT_NE(fails(), first_on);
  run.pass();
  EXPECT_EQ(run.job(id).state, JobState::Pending);
  EXPECT_EQ(first(id).code, PendCode::Excluded);
  EXPECT_EQ(first(id).hosts_removed, 2u);
  EXPECT_EQ(pend_code_name(first(id).code), "hosts_excluded");
  EXPECT_NE(first(id).fix.find("bkill"), std::string::npos);
}

TEST_F(Told, all_constraints_that_bind_are_told_each_with_hosts_and_remedy) {
  queue("low", [](QueueConf& q) { q.max_slots = 1; });
  user_limit("ann", 1);
  run.host(1);
  run.host(2, 1);
  auto closed = run.host(1);
  run.step(HostClosed{closed, "admin", ""});
  submit_and_settle(slots("ann", 1).queue("low"));
  auto spec = slots("ann", 1).queue("low"), filler = slots("zoe", 1);
  spec.spec.task.mem = filler.spec.task.mem = Bytes{std::int64_t{10} << 30};
  submit_and_settle(filler);
  auto id = run.submit(spec);
  auto plan = run.plan();
  auto* reasons = plan.why(id);
  ASSERT_TRUE(reasons);
  std::vector<PendCode> codes;
  for (auto& reason : *reasons) {
    codes.push_back(reason.code);
    EXPECT_NE(reason.fix, "") << reason.text;
    EXPECT_NE(reason.text, "");
  }
  EXPECT_EQ(codes.front(), PendCode::QueueLimit);
  for (auto code :
       {PendCode::UserLimit, PendCode::Slots, PendCode::Resources, PendCode::HostsClosed})
    EXPECT_EQ(std::count(codes.begin(), codes.end(), code), 1) << pend_code_name(code);
  for (std::size_t i = 2; i < reasons->size(); ++i)
    EXPECT_GE((*reasons)[i - 1].hosts_removed, (*reasons)[i].hosts_removed);
}

TEST_F(Told, no_host_at_all_is_said_too) {
  auto id = run.submit(slots("ann", 1));
  EXPECT_NE(first(id).text, "");
  EXPECT_EQ(first(id).code, PendCode::Requirement);
}

TEST_F(Told, a_removed_queue_keeps_its_jobs_waiting) {
  run.host(1);
  auto id = run.submit(slots("ann", 1).queue("low"));
  std::erase_if(run.config.queues, [](auto& q) { return q.name == "low"; });
  run.reconfigure();
  EXPECT_TRUE(run.pass().starts.empty());
  EXPECT_EQ(first(id).code, PendCode::QueueClosed);
  EXPECT_EQ(first(id).text, "queue <low> is no longer configured");
  EXPECT_EQ(first(id).fix, "bswitch it to a queue that bqueues shows");
}

TEST_F(Told, a_job_unknown_to_the_plan_has_no_reason) {
  EXPECT_EQ(run.plan().why(JobId{99, 0}), nullptr);
  EXPECT_EQ(new_job_reason()->front().code, PendCode::New);
}

}  // namespace
}  // namespace wm::sched
