// Commands beside the tasks: as whom they run, how long, what is told of their end.
#include "daemons/wshepherd/side_commands.h"

#include <signal.h>

#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

launch::SideCommand command(bool privileged = false) {
  launch::SideCommand command;
  command.what = "prolog";
  command.argv = {"run"};
  command.privileged = privileged;
  return command;
}

class side_commands : public BehaviourTest {
 protected:
  pid_t start(launch::SideCommand what, SideKind kind, std::uint32_t number = 0) {
    EXPECT_EQ(sides_.start(std::move(what), kind, number), std::nullopt);
    return env_.spawned.back().pid;
  }
  SideCommands sides_{attempt_};
};

TEST_F(side_commands, the_jobs_run_as_its_user_in_its_folder_and_group) {
  attempt_.spec.umask = 077;
  auto pid = start(command(), SideKind::Before);
  const auto& run = env_.spawned[0];
  EXPECT_EQ(run.uid, 1000U);
  EXPECT_EQ(run.cwd, "/home/u");
  EXPECT_EQ(run.umask, 077U);
  EXPECT_THAT(run.cgroups, ElementsAre("/cg"));
  EXPECT_TRUE(attempt_.own.contains(pid));
  EXPECT_FALSE(sides_.site_began());
}

TEST_F(side_commands, the_sites_run_as_we_do_outside_of_the_jobs_group) {
  attempt_.spec.umask = 0;
  start(command(true), SideKind::Before);
  const auto& run = env_.spawned[0];
  EXPECT_EQ(run.uid, 0U);
  EXPECT_EQ(run.cwd, "/");
  EXPECT_EQ(run.umask, 022U);
  EXPECT_THAT(run.cgroups, IsEmpty());
  EXPECT_TRUE(sides_.site_began());
}

TEST_F(side_commands, one_may_have_a_folder_of_its_own) {
  auto elsewhere = command();
  elsewhere.cwd = "/var/images";
  start(elsewhere, SideKind::Before);
  EXPECT_EQ(env_.spawned[0].cwd, "/var/images");
}

TEST_F(side_commands, how_it_ended_is_told_in_words) {
  auto pid = start(command(), SideKind::Notice, 4);
  auto end = sides_.take_end({pid, 3 << 8, {}});
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->failed());
  EXPECT_EQ(end->number, 4U);
  EXPECT_EQ(end->text, "prolog exited with 3");
  auto killed = start(command(), SideKind::Before);
  EXPECT_EQ(sides_.take_end({killed, SIGSEGV, {}})->text, "prolog was ended by signal 11");
  auto well = start(command(), SideKind::Before);
  EXPECT_FALSE(sides_.take_end({well, 0, {}})->failed());
  EXPECT_FALSE(sides_.any());
}

TEST_F(side_commands, one_that_runs_too_long_is_killed_with_all_it_started_and_has_failed) {
  auto slow = command();
  slow.time_limit = seconds(30);
  auto pid = start(slow, SideKind::Before);
  auto child = env_.add(pid);
  EXPECT_EQ(sides_.next(), env_.now() + seconds(30));
  env_.pass(seconds(29));
  sides_.fire();
  EXPECT_TRUE(env_.lives(pid));
  env_.pass(seconds(1));
  sides_.fire();
  EXPECT_FALSE(env_.lives(child));
  EXPECT_FALSE(env_.lives(pid));
  auto end = sides_.take_end({pid, 0, {}});
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->late);
  EXPECT_TRUE(end->failed());
  EXPECT_EQ(end->text, "prolog took longer than 30s");
}

TEST_F(side_commands, of_one_that_is_cancelled_nothing_is_told) {
  auto notice = start(command(), SideKind::Notice, 1);
  auto before = start(command(), SideKind::Before);
  sides_.cancel(SideKind::Notice);
  sides_.cancel(SideKind::Notice);
  sides_.fire();
  EXPECT_FALSE(env_.lives(notice));
  EXPECT_TRUE(env_.lives(before));
  EXPECT_EQ(sides_.take_end({notice, SIGKILL, {}}), std::nullopt);
}

TEST_F(side_commands, one_that_cannot_be_started_has_failed) {
  env_.no_process = true;
  auto end = sides_.start(command(), SideKind::After);
  ASSERT_TRUE(end);
  EXPECT_TRUE(end->failed());
  EXPECT_EQ(end->text, "prolog exited with 2");
}

TEST_F(side_commands, a_notice_is_known_by_its_number) {
  start(command(), SideKind::Notice, 1);
  start(command(), SideKind::Warning, 2);
  EXPECT_TRUE(sides_.runs(SideKind::Notice, 1));
  EXPECT_FALSE(sides_.runs(SideKind::Notice, 2));
  EXPECT_EQ(sides_.take_end({4711, 0, {}}), std::nullopt);
}

}  // namespace
}  // namespace wm::shepherd
