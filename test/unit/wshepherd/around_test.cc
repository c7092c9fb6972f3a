// What goes before the tasks and after them.
#include "daemons/wshepherd/around.h"

#include <signal.h>

#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using launch::EndCause;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class around : public BehaviourTest {
 protected:
  static launch::SideCommand command(const std::string& what, bool privileged) {
    launch::SideCommand command;
    command.what = what;
    command.argv = {what};
    command.privileged = privileged;
    return command;
  }
  void SetUp() override {
    attempt_.spec.before = {command("prolog", true), command("pre", false)};
    attempt_.spec.after = {command("post", false), command("epilog", true)};
    attempt_.spec.tasks = {a_task(1), a_task(2)};
  }
  /// The command that was started last ends.
  void ends(int status) {
    auto pid = env_.spawned.back().pid;
    if (auto end = sides_.take_end({pid, status, {}})) around_.on_end(*end);
  }
  std::string last() const { return env_.spawned.back().argv[0]; }

  Folder folder_{attempt_};
  Strays strays_{attempt_};
  Enders enders_{attempt_, strays_};
  SideCommands sides_{attempt_};
  UseWatch use_{attempt_, enders_, strays_, sides_};
  Reporter reporter_{attempt_, use_};
  Warm warm_{attempt_, folder_};
  Starter starter_{attempt_, warm_};
  RunLimit run_limit_;
  Around around_{attempt_, sides_, starter_, run_limit_, reporter_};
};

TEST_F(around, one_after_the_other_then_the_tasks) {
  around_.go_on();
  EXPECT_EQ(last(), "prolog");
  ends(0);
  EXPECT_EQ(last(), "pre");
  EXPECT_FALSE(attempt_.ready);
  EXPECT_THAT(attempt_.tasks, IsEmpty());
  ends(0);
  EXPECT_TRUE(attempt_.ready);
  EXPECT_THAT(env_.words<launch::TaskStarted>(), SizeIs(2));
  around_.go_on();
  EXPECT_THAT(env_.spawned, SizeIs(4));
}

TEST_F(around, the_run_limit_counts_from_the_tasks_on) {
  attempt_.spec.run_limit = seconds(60);
  around_.go_on();
  env_.pass(seconds(100));
  ends(0);
  EXPECT_EQ(run_limit_.next(), std::nullopt);
  ends(0);
  EXPECT_EQ(run_limit_.next(), attempt_.jobs_now() + seconds(60));
}

TEST_F(around, the_users_commands_before_the_tasks_share_one_time) {
  attempt_.spec.before_limit = seconds(60);
  attempt_.spec.before.push_back(attempt_.spec.before.back());
  around_.go_on();
  EXPECT_EQ(sides_.next(), std::nullopt) << "the site's has its own";
  ends(0);
  auto end = attempt_.now() + seconds(60);
  EXPECT_EQ(sides_.next(), end);
  env_.pass(seconds(45));
  ends(0);
  EXPECT_EQ(sides_.next(), end) << "the second has what the first left";
}

TEST_F(around, one_that_used_more_memory_than_the_job_may_ends_the_job_for_that) {
  around_.go_on();
  ends(0);
  sides_.end_users(EndCause::MemLimit, "TERM_MEMLIMIT: 600M of 100M");
  sides_.fire();
  ends(SIGKILL);
  ASSERT_THAT(attempt_.tasks, SizeIs(2));
  const auto& record = attempt_.tasks.begin()->second.record;
  EXPECT_EQ(record.cause, EndCause::MemLimit);
  EXPECT_EQ(record.text, "pre TERM_MEMLIMIT: 600M of 100M");
}

TEST_F(around, after_a_bad_prolog_no_task_runs_and_the_host_is_told_of) {
  around_.go_on();
  ends(1 << 8);
  EXPECT_THAT(env_.words<launch::ScriptFailed>(), SizeIs(1));
  ASSERT_THAT(attempt_.tasks, SizeIs(2));
  for (const auto& [number, task] : attempt_.tasks) {
    EXPECT_EQ(task.phase, Phase::Exited);
    EXPECT_EQ(task.record.cause, EndCause::PrologFailed);
    EXPECT_EQ(task.record.status, 1 << 8);
    EXPECT_EQ(task.record.text, "prolog exited with 1");
    EXPECT_EQ(task.pid, 0);
  }
  EXPECT_TRUE(around_.runs_after());
  EXPECT_EQ(last(), "epilog");  // only the site's own
}

TEST_F(around, a_bad_pre_execution_command_is_the_jobs_own_affair) {
  around_.go_on();
  ends(0);
  ends(SIGTERM);
  EXPECT_THAT(env_.words<launch::ScriptFailed>(), IsEmpty());
  EXPECT_EQ(attempt_.tasks.begin()->second.record.cause, EndCause::PreExecFailed);
  EXPECT_EQ(attempt_.tasks.begin()->second.record.status, SIGTERM);
}

TEST_F(around, one_that_was_late_has_failed_though_it_exits_with_0) {
  around_.go_on();
  around_.on_end({SideKind::Before, 0, true, true, 0, "prolog took longer than 5s"});
  EXPECT_EQ(attempt_.tasks.begin()->second.record.status, SIGKILL);
}

TEST_F(around, without_a_prolog_begun_no_epilog_comes) {
  around_.refuse(EndCause::Ordered, "bkill", SIGKILL);
  EXPECT_FALSE(around_.runs_after());
  EXPECT_THAT(env_.spawned, IsEmpty());
}

TEST_F(around, who_refuses_ends_the_command_that_runs) {
  around_.go_on();
  around_.refuse(EndCause::Ordered, "bkill", SIGKILL);
  sides_.fire();
  EXPECT_FALSE(env_.lives(env_.spawned[0].pid));
  EXPECT_EQ(attempt_.tasks.begin()->second.record.cause, EndCause::Ordered);
}

TEST_F(around, where_no_task_waits_a_bad_prolog_ends_the_attempt_with_its_reason) {
  attempt_.spec.tasks.clear();
  around_.go_on();
  ends(9 << 8);
  EXPECT_TRUE(attempt_.finishing);
  EXPECT_EQ(attempt_.end.cause, EndCause::PrologFailed);
  EXPECT_EQ(attempt_.end.status, 9 << 8);
}

TEST_F(around, nothing_begins_where_nothing_is_wanted_any_more) {
  attempt_.spec.tasks.clear();
  attempt_.finishing = true;
  around_.go_on();
  EXPECT_THAT(env_.spawned, IsEmpty());
}

TEST_F(around, commands_after_know_how_the_job_ended_the_sites_need_not) {
  attempt_.spec.before.clear();
  exited(5, SIGTERM);
  EXPECT_TRUE(around_.runs_after());
  EXPECT_THAT(env_.spawned[0].env, Contains("LSB_JOBEXIT_STAT=15"));
  EXPECT_THAT(env_.spawned[0].env, Contains("LSB_JOBEXIT_INFO=SIGNAL 15 SIGTERM"));
  ends(0);
  EXPECT_TRUE(around_.runs_after());
  EXPECT_THAT(env_.spawned[1].env, IsEmpty());
  EXPECT_TRUE(around_.runs_after());  // it still runs
  ends(0);
  EXPECT_FALSE(around_.runs_after());
}

TEST_F(around, a_job_that_exited_has_no_signal_to_name) {
  exited(5, 3 << 8);
  around_.runs_after();
  EXPECT_THAT(env_.spawned[0].env, ElementsAre("LSB_JOBEXIT_STAT=768"));
}

TEST_F(around, a_bad_epilog_is_told_and_nothing_else_comes_of_it) {
  around_.on_end({SideKind::After, 0, true, false, 256, "epilog exited with 1"});
  EXPECT_THAT(env_.words<launch::ScriptFailed>(), SizeIs(1));
  EXPECT_THAT(attempt_.tasks, IsEmpty());
}

TEST_F(around, the_end_of_a_notice_is_answered_with_its_number) {
  around_.on_end({SideKind::Notice, 3, false, false, 256, ""});
  around_.on_end({SideKind::Notice, 4, false, true, SIGKILL, ""});
  auto told = env_.words<launch::Noticed>();
  ASSERT_THAT(told, SizeIs(2));
  EXPECT_EQ(told[0], (launch::Noticed{3, 256}));
  EXPECT_EQ(told[1], (launch::Noticed{4, -1}));
}

}  // namespace
}  // namespace wm::shepherd
