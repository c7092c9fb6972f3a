// What the site does to a job in its own way, and checkpoints now and then.
#include "daemons/wshepherd/acts.h"

#include <signal.h>

#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class acts : public BehaviourTest {
 protected:
  static launch::SideCommand command(const char* text) {
    return {text, {"/bin/sh", "-c", text}, {}, false, {}};
  }
  SideCommands sides_{attempt_};
  Acts acts_{attempt_, sides_};
};

TEST_F(acts, a_signal_stops_a_job_instead_of_the_freezer_and_its_time_stands) {
  attempt_.spec.acts.suspend.signal = SIGTSTP;
  auto pid = running(1).pid;
  acts_.suspend(true);
  EXPECT_FALSE(env_.frozen);
  EXPECT_TRUE(attempt_.clock.stopped());
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{-pid, SIGTSTP}));
  acts_.suspend(false);
  EXPECT_FALSE(attempt_.clock.stopped());
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid, SIGCONT}));
}

TEST_F(acts, a_command_knows_the_jobs_processes) {
  attempt_.spec.acts.suspend.command = command("stop it");
  attempt_.spec.acts.resume.command = command("go");
  auto pid = running(1).pid, child = env_.add(pid);
  acts_.suspend(true);
  ASSERT_EQ(env_.spawned.size(), 1u);
  const auto& env = env_.spawned[0].env;
  EXPECT_THAT(env, Contains("LSB_JOBPGIDS=" + std::to_string(pid)));
  EXPECT_THAT(env, Contains("LSB_JOBPIDS=" + std::to_string(pid) + " " + std::to_string(child)));
  EXPECT_FALSE(env_.frozen);
  acts_.suspend(false);
  ASSERT_EQ(env_.spawned.size(), 2u);
  EXPECT_THAT(env_.spawned[1].argv, Contains("go"));
}

TEST_F(acts, without_any_the_freezer_does_it) {
  running(1);
  acts_.suspend(true);
  EXPECT_TRUE(env_.frozen);
  acts_.suspend(false);
  EXPECT_FALSE(env_.frozen);
  EXPECT_THAT(env_.take_sent(), IsEmpty());
}

TEST_F(acts, a_newer_one_ends_the_command_of_the_one_before) {
  attempt_.spec.acts.suspend.command = command("hangs");
  running(1);
  acts_.suspend(true);
  auto hangs = env_.spawned[0].pid;
  acts_.suspend(false);
  sides_.fire();
  EXPECT_FALSE(env_.lives(hangs));
}

TEST_F(acts, one_that_hangs_is_ended_after_a_minute) {
  attempt_.spec.acts.suspend.command = command("hangs");
  running(1);
  acts_.suspend(true);
  auto hangs = env_.spawned[0].pid;
  env_.pass(seconds(59));
  sides_.fire();
  EXPECT_TRUE(env_.lives(hangs));
  env_.pass(seconds(1));
  sides_.fire();
  EXPECT_FALSE(env_.lives(hangs));
}

TEST_F(acts, the_end_keeps_its_sigkill) {
  running(1);
  EXPECT_THAT(acts_.terminate({SIGINT, SIGTERM, SIGKILL}).signals,
              ElementsAre(SIGINT, SIGTERM, SIGKILL));
  attempt_.spec.acts.terminate.signal = SIGUSR2;
  EXPECT_THAT(acts_.terminate({SIGINT}).signals, ElementsAre(SIGUSR2, SIGKILL));
  attempt_.spec.acts.terminate = {0, command("end it")};
  auto way = acts_.terminate({SIGINT});
  EXPECT_THAT(way.signals, ElementsAre(SIGKILL));
  EXPECT_EQ(way.wait, 2 * attempt_.spec.kill_interval);
  EXPECT_EQ(env_.spawned.size(), 1u);
}

TEST_F(acts, a_command_writes_a_checkpoint_each_period_of_the_jobs_time) {
  attempt_.spec.acts.checkpoints = {minutes(5), command("echkpnt.x")};
  running(1);
  acts_.fire();
  EXPECT_EQ(acts_.next(), env_.now() + minutes(5));
  env_.pass(minutes(4));
  attempt_.clock.stop(env_.now());
  env_.pass(minutes(9));
  attempt_.clock.go(env_.now());
  acts_.fire();
  EXPECT_THAT(env_.spawned, IsEmpty());
  env_.pass(minutes(1));
  acts_.fire();
  ASSERT_EQ(env_.spawned.size(), 1u);
  env_.pass(minutes(5));
  acts_.fire();  // the one before it is still being written
  EXPECT_EQ(env_.spawned.size(), 1u);
  sides_.take_end({env_.spawned[0].pid, 0, {}});
  env_.pass(minutes(5));
  acts_.fire();
  EXPECT_EQ(env_.spawned.size(), 2u);
}

TEST_F(acts, a_trainer_that_has_a_handler_is_told_by_a_signal) {
  attempt_.spec.acts.checkpoints.period = minutes(5);
  auto& deaf = running(1);
  auto& trainer = running(2);
  env_.table[trainer.pid].handlers = {SIGUSR1};
  acts_.fire();
  env_.pass(minutes(5));
  acts_.fire();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{trainer.pid, SIGUSR1}));
  deaf.phase = trainer.phase = Phase::Exited;
  EXPECT_EQ(acts_.next(), std::nullopt);
}

}  // namespace
}  // namespace wm::shepherd
