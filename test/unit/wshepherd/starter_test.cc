// How tasks are started, replaced by others of their job, and kept from others' devices.
#include "daemons/wshepherd/starter.h"

#include <signal.h>

#include "daemons/wshepherd/devices.h"
#include "daemons/wshepherd/successors.h"
#include "daemons/wshepherd/suspension.h"
#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using launch::EndCause;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class starter : public BehaviourTest {
 protected:
  Task& task(std::uint32_t number) { return attempt_.tasks.at(TaskNumber{number}); }
  Folder folder_{attempt_};
  Strays strays_{attempt_};
  Enders enders_{attempt_, strays_};
  Warm warm_{attempt_, folder_};
  Starter starter_{attempt_, warm_};
  Successors successors_{attempt_, enders_, starter_};
};

TEST_F(starter, a_task_runs_with_pipes_in_its_group_and_is_told) {
  starter_.start(a_task(1));
  const auto& run = env_.spawned.at(0);
  EXPECT_THAT(run.argv, ElementsAre("work"));
  EXPECT_THAT(run.cgroups, ElementsAre("/cg/tasks"));
  EXPECT_EQ(run.out, task(1).out.get());
  EXPECT_EQ(run.err, task(1).err.get());
  EXPECT_EQ(task(1).pid, run.pid);
  ASSERT_THAT(env_.words<launch::TaskStarted>(), SizeIs(1));
  EXPECT_EQ(env_.words<launch::TaskStarted>()[0].task.pid, run.pid);
}

TEST_F(starter, stderr_may_join_stdout) {
  auto spec = a_task(1);
  spec.merge_err = true;
  starter_.start(spec);
  EXPECT_EQ(env_.spawned[0].out, env_.spawned[0].err);
  EXPECT_FALSE(task(1).err);
}

TEST_F(starter, a_number_that_is_known_is_not_started_again) {
  starter_.start(a_task(1));
  starter_.start(a_task(1));
  EXPECT_THAT(env_.spawned, SizeIs(1));
}

TEST_F(starter, what_cannot_be_started_has_a_record_that_says_why) {
  env_.no_process = true;
  starter_.start(a_task(1));
  EXPECT_EQ(task(1).phase, Phase::Exited);
  EXPECT_EQ(task(1).record.cause, EndCause::StartFailed);
  EXPECT_EQ(task(1).record.status, 2 << 8);
  EXPECT_EQ(task(1).record.text, "fork: no process");
  EXPECT_THAT(env_.words<launch::TaskStarted>(), IsEmpty());
  env_.no_pipe = true;
  starter_.start(a_task(2));
  EXPECT_EQ(task(2).record.text, "pipe: too many open files");
}

TEST_F(starter, streams_of_a_console_are_the_agents_business) {
  auto spec = a_task(1);
  spec.console = "/run/agent.sock";
  starter_.start(spec);
  EXPECT_EQ(env_.spawned[0].out, -1);
  EXPECT_FALSE(task(1).out);
}

TEST_F(starter, what_starts_while_all_stand_is_stopped) {
  set_suspended(attempt_, true);
  env_.frozen = false;
  starter_.start(a_task(1));
  EXPECT_TRUE(env_.frozen);
}

TEST_F(starter, a_file_made_at_the_start_is_not_overwritten_by_the_report) {
  starter_.start(a_task(1));
  EXPECT_FALSE(attempt_.output_begun);
  auto spec = a_task(2);
  spec.out[0].at_start = true;
  starter_.start(spec);
  EXPECT_TRUE(attempt_.output_begun);
}

TEST_F(starter, what_kept_a_process_from_running_is_its_end) {
  auto& failed = running(1);
  note_exit(failed, 2 << 8, {}, env_.wall(), {proc::Hindrance::NoFolder, "/x: not there"});
  EXPECT_EQ(failed.record.cause, EndCause::NoFolder);
  EXPECT_EQ(failed.record.text, "/x: not there");
  auto& own = running(4);
  note_exit(own, 2 << 8, {}, env_.wall(), {proc::Hindrance::OwnFault, "/x/out: read-only"});
  EXPECT_EQ(own.record.cause, EndCause::OwnFault);
  auto& not_ready = running(2);
  note_exit(not_ready, 2 << 8, {}, env_.wall(), {proc::Hindrance::NotReady, "limits"});
  EXPECT_EQ(not_ready.record.cause, EndCause::StartFailed);
  auto& no_program = running(3);
  note_exit(no_program, 127 << 8, {}, env_.wall(), {proc::Hindrance::NoProgram, "work"});
  EXPECT_EQ(no_program.record.cause, EndCause::Exited);
}

TEST_F(starter, devices_are_open_to_tasks_that_run_or_wait) {
  const launch::CharDevice one{195, 0}, two{195, 1}, three{195, 2};
  attempt_.spec.guarded = {one, two, three};
  auto waits = a_task(1);
  waits.devices = {one};
  attempt_.spec.tasks = {waits};
  auto& runs = running(2);
  runs.spec.devices = {two};
  guard_devices(attempt_);
  EXPECT_THAT(env_.denied, ElementsAre(three));
  runs.phase = Phase::Exited;
  guard_devices(attempt_);
  EXPECT_THAT(env_.denied, ElementsAre(two, three));
}

TEST_F(starter, a_successor_starts_when_nothing_of_the_old_is_left) {
  starter_.start(a_task(1));
  successors_.replace({{TaskNumber{1}, a_task(2)}}, seconds(3));
  EXPECT_THAT(task(1).ending->signals, ElementsAre(SIGTERM, SIGKILL));
  EXPECT_EQ(task(1).ending->interval, seconds(3));
  EXPECT_EQ(known_as(task(1)), TaskNumber{2});
  task(1).phase = Phase::Exited;
  task(1).record.usage.cpu = seconds(8);
  successors_.succeed(TaskNumber{1});
  EXPECT_FALSE(attempt_.tasks.contains(TaskNumber{1}));
  EXPECT_EQ(task(2).phase, Phase::Running);
  note_exit(task(2), 0, {seconds(2), {}, {}, {}}, env_.wall(), {});
  EXPECT_EQ(task(2).record.usage.cpu, seconds(10));  // all that ran in its place
}

TEST_F(starter, the_newest_successor_counts_and_whom_it_names_is_the_one_that_waited) {
  starter_.start(a_task(1));
  successors_.replace({{TaskNumber{1}, a_task(2)}}, seconds(3));
  successors_.replace({{TaskNumber{2}, a_task(3)}}, seconds(5));
  EXPECT_EQ(known_as(task(1)), TaskNumber{3});
  EXPECT_EQ(task(1).ending->interval, seconds(3));  // it is ended once
}

TEST_F(starter, who_has_not_started_is_replaced_at_once_who_has_ended_is_not) {
  attempt_.spec.tasks = {a_task(1)};
  successors_.replace({{TaskNumber{1}, a_task(2)}}, seconds(3));
  EXPECT_EQ(attempt_.spec.tasks[0].task, TaskNumber{2});
  auto& ended = exited(5);
  successors_.replace({{TaskNumber{5}, a_task(6)}, {TaskNumber{9}, a_task(10)}}, seconds(3));
  EXPECT_FALSE(ended.successor);
}

TEST_F(starter, whose_successor_is_dropped_ends_under_that_ones_number) {
  starter_.start(a_task(1));
  successors_.replace({{TaskNumber{1}, a_task(2)}}, seconds(3));
  successors_.drop({TaskNumber{7}}, "bkill");
  EXPECT_TRUE(task(1).successor);
  successors_.drop({}, "bkill");
  EXPECT_FALSE(task(1).successor);
  EXPECT_EQ(task(1).record.task, TaskNumber{2});
  EXPECT_EQ(task(1).record.text, "bkill");
}

}  // namespace
}  // namespace wm::shepherd
