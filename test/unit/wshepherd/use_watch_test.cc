// What all processes of an attempt use together: who is ended for it, what records say.
#include "daemons/wshepherd/use_watch.h"

#include <signal.h>

#include "daemons/wshepherd/suspension.h"
#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using launch::EndCause;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::StartsWith;

class use_watch : public BehaviourTest {
 protected:
  void look() {
    env_.pass(seconds(5));
    watch_.fire();
  }
  Strays strays_{attempt_};
  Enders enders_{attempt_, strays_};
  SideCommands sides_{attempt_};
  UseWatch watch_{attempt_, enders_, strays_, sides_};
};

TEST_F(use_watch, the_kernel_is_given_the_limits_that_it_can_keep) {
  attempt_.spec.limits.mem = 1 << 20;
  attempt_.spec.limits.processes = 10;
  attempt_.spec.cpus = {2, 3};
  attempt_.spec.guarded = {{195, 0}};
  env_.cgroup_trouble = "mkdir: no";
  watch_.begin();
  EXPECT_EQ(env_.caps.mem, 1U << 20);
  EXPECT_EQ(env_.caps.pids, 160U);  // threads: 16 a process
  EXPECT_THAT(env_.caps.cpus, ElementsAre(2, 3));
  EXPECT_TRUE(env_.caps.devices);
  EXPECT_THAT(env_.complaints, ElementsAre("cgroup: mkdir: no"));
}

TEST_F(use_watch, a_limit_on_threads_is_the_kernels_and_few_processes_have_a_wall_of_64) {
  attempt_.spec.limits.processes = 2;
  watch_.begin();
  EXPECT_EQ(env_.caps.pids, 64U);
  attempt_.spec.limits.threads = 5;
  watch_.begin();
  EXPECT_EQ(env_.caps.pids, 5U);
  attempt_.spec.limits = {};
  watch_.begin();
  EXPECT_EQ(env_.caps.pids, 0U);
}

TEST_F(use_watch, a_users_command_before_the_tasks_is_held_to_the_jobs_memory) {
  attempt_.spec.limits.mem = 100 << 20;
  launch::SideCommand pre{"pre", {"pre"}, {}, false, {}};
  ASSERT_EQ(sides_.start(pre, SideKind::Before), std::nullopt);
  auto pid = env_.spawned.back().pid;
  watch_.begin();
  env_.use_now.mem = env_.fair_mem = Bytes{600 << 20};
  look();
  EXPECT_EQ(sides_.next(), env_.now()) << "it is ended at once";
  auto end = sides_.take_end({pid, SIGKILL, {}});
  ASSERT_TRUE(end);
  EXPECT_EQ(end->excess, launch::EndCause::MemLimit);
  EXPECT_NE(end->text.find("600M of 100M"), std::string::npos) << end->text;
}

TEST_F(use_watch, the_sites_command_is_no_use_of_the_jobs) {
  attempt_.spec.limits.mem = 100 << 20;
  launch::SideCommand prolog{"prolog", {"prolog"}, {}, true, {}};
  ASSERT_EQ(sides_.start(prolog, SideKind::Before), std::nullopt);
  watch_.begin();
  EXPECT_EQ(watch_.next(), std::nullopt);
}

TEST_F(use_watch, limits_are_looked_at_five_times_a_second_a_mere_peak_seldom) {
  running(1);
  watch_.begin();
  EXPECT_EQ(watch_.next(), env_.now() + seconds(5));
  attempt_.spec.limits.swap = 1;
  watch_.begin();
  EXPECT_EQ(watch_.next(), env_.now() + milliseconds(200));
  set_suspended(attempt_, true);
  EXPECT_EQ(watch_.next(), std::nullopt);
}

TEST_F(use_watch, each_limit_ends_the_tasks_with_its_own_reason) {
  struct Case {
    EndCause cause;
    launch::UseLimits limits;
    proc::Use use;
    std::string text;
    int first_signal;
  };
  proc::Use much{seconds(61), Bytes{200 << 20}, Bytes{300 << 20}, 11, 21};
  const std::vector<Case> cases{
      {EndCause::CpuLimit, {.cpu = seconds(60)}, much, "TERM_CPULIMIT", SIGXCPU},
      {EndCause::MemLimit, {.mem = 100 << 20}, much, "TERM_MEMLIMIT", SIGKILL},
      {EndCause::SwapLimit, {.swap = 100 << 20}, much, "TERM_SWAP", SIGKILL},
      {EndCause::ProcessLimit, {.processes = 10}, much, "TERM_PROCESSLIMIT", SIGKILL},
      {EndCause::ThreadLimit, {.threads = 20}, much, "TERM_THREADLIMIT", SIGKILL},
  };
  env_.fair_mem = much.mem;
  std::uint32_t number = 0;
  for (const auto& c : cases) {
    attempt_.tasks.clear();
    auto& task = running(++number);
    attempt_.spec.limits = c.limits;
    env_.use_now = c.use;
    look();
    EXPECT_EQ(task.record.cause, c.cause);
    EXPECT_THAT(task.record.text, StartsWith(c.text));
    ASSERT_TRUE(task.ending);
    EXPECT_EQ(task.ending->signals.front(), c.first_signal);
  }
}

TEST_F(use_watch, pages_that_several_share_are_counted_once) {
  auto& task = running(1);
  attempt_.spec.limits.mem = 100 << 20;
  env_.use_now.mem = Bytes{200 << 20};
  env_.fair_mem = Bytes{90 << 20};
  look();
  EXPECT_FALSE(task.ending);
  EXPECT_EQ(watch_.peak_mem(), (Bytes{90 << 20}));
}

TEST_F(use_watch, memory_that_the_kernel_limits_is_the_kernels_to_judge) {
  auto& task = running(1);
  env_.kept = {"memory"};
  attempt_.spec.limits.mem = 100;
  env_.use_now.mem = env_.fair_mem = Bytes{200};
  look();
  EXPECT_FALSE(task.ending);
  env_.counted.oom_kills = 1;
  env_.counted.peak_mem = Bytes{100};
  look();
  EXPECT_EQ(task.record.cause, EndCause::MemLimit);
}

TEST_F(use_watch, cpu_time_of_the_reaped_counts_and_the_kernels_count_goes_first) {
  auto& task = running(1);
  attempt_.spec.limits.cpu = seconds(60);
  attempt_.usage.cpu = seconds(50);
  env_.use_now.cpu = seconds(11);
  env_.counted.cpu = seconds(59);
  look();
  EXPECT_FALSE(task.ending);
  env_.counted.cpu.reset();
  look();
  EXPECT_EQ(task.record.cause, EndCause::CpuLimit);
}

TEST_F(use_watch, a_fork_that_the_kernel_refused_is_one_process_too_many) {
  auto& task = running(1);
  attempt_.spec.limits.processes = 10;
  env_.counted.refused_forks = 1;
  look();
  EXPECT_EQ(task.record.cause, EndCause::ProcessLimit);
}

TEST_F(use_watch, who_died_of_the_memory_limit_says_so_who_ended_well_does_not) {
  auto& died = exited(1, SIGKILL);
  auto& well = exited(2);
  auto& other = running(3);
  env_.counted.oom_kills = 1;
  watch_.on_failure();
  EXPECT_EQ(died.record.cause, EndCause::MemLimit);
  EXPECT_EQ(well.record.cause, EndCause::Exited);
  EXPECT_EQ(other.record.cause, EndCause::MemLimit);
  env_.counted = {};
}

TEST_F(use_watch, a_failure_alone_is_not_the_memory_limits) {
  auto& task = exited(1, 256);
  watch_.on_failure();
  EXPECT_EQ(task.record.cause, EndCause::Exited);
}

TEST_F(use_watch, the_only_tasks_record_has_what_all_used_others_the_peak_alone) {
  running(1);
  env_.use_now.mem = Bytes{500};
  look();
  env_.use_now.mem = Bytes{300};
  look();
  EXPECT_EQ(watch_.mean_mem(), Bytes{400});
  launch::ExitRecord record;
  watch_.add_use(record);
  EXPECT_EQ(record.usage.max_mem, Bytes{500});
  EXPECT_FALSE(record.usage.by_cgroup);
  env_.counted = {seconds(3), Bytes{800}, Bytes{1}, Bytes{2}, 0, 0};
  watch_.add_use(record);
  EXPECT_EQ(record.usage.max_mem, Bytes{800});
  EXPECT_EQ(record.usage.cpu, seconds(3));
  EXPECT_EQ(record.usage.written, Bytes{2});
  running(2);
  launch::ExitRecord of_two;
  watch_.add_use(of_two);
  EXPECT_EQ(of_two.usage.cpu, Duration{});
  EXPECT_TRUE(of_two.usage.by_cgroup);
}

TEST_F(use_watch, the_host_is_told_after_a_second_and_then_at_every_interval) {
  attempt_.spec.usage_interval = seconds(30);
  watch_.begin();
  env_.pass(seconds(40));  // a prolog
  running(1);
  env_.use_now = {seconds(1), Bytes{500}, Bytes{7}, 2, 3};
  watch_.fire();
  EXPECT_TRUE(env_.words<launch::Used>().empty());
  env_.pass(seconds(1));
  EXPECT_EQ(watch_.next(), env_.now());
  watch_.fire();
  auto told = env_.words<launch::Used>();
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].cpu, seconds(1));
  EXPECT_TRUE(told[0].now);
  EXPECT_EQ(told[0].use.mem, Bytes{500});
  EXPECT_EQ(told[0].use.swap, Bytes{7});
  EXPECT_EQ(told[0].use.threads, 3u);
  EXPECT_EQ(told[0].use.pids.size(), 1u);
  env_.use_now = {seconds(40), Bytes{300}, Bytes{5}, 2, 3};
  for (int i = 0; i < 18; ++i) look();  // a minute and a half
  told = env_.words<launch::Used>();
  ASSERT_EQ(told.size(), 4u);
  EXPECT_EQ(told[1].cpu, seconds(39));
  EXPECT_EQ(told[1].use.cpu, seconds(40));
  EXPECT_EQ(told[1].use.mem, Bytes{300});
  EXPECT_EQ(told[1].use.max_mem, Bytes{500});
  EXPECT_EQ(told[1].use.max_swap, Bytes{7});
  EXPECT_EQ(told[3].seen, seconds(30));
}

TEST_F(use_watch, who_was_never_looked_at_has_no_mean) { EXPECT_LT(watch_.mean_mem().value, 0); }

}  // namespace
}  // namespace wm::shepherd
