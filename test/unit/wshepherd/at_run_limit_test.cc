// What is done when a run limit comes near, and when it is reached.
#include "daemons/wshepherd/at_run_limit.h"

#include <signal.h>

#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class at_run_limit : public BehaviourTest {
 protected:
  /// A task runs; its job has a minute, and is warned ten seconds before the end.
  pid_t minute() {
    limit_.start(attempt_.jobs_now(), seconds(60), seconds(10));
    return running(1).pid;
  }
  void fire(seconds later) {
    env_.pass(later);
    at_limit_.fire();
  }

  Strays strays_{attempt_};
  Enders enders_{attempt_, strays_};
  SideCommands sides_{attempt_};
  Acts acts_{attempt_, sides_};
  RunLimit limit_;
  AtRunLimit at_limit_{attempt_, limit_, sides_, acts_, enders_};
};

TEST_F(at_run_limit, without_a_limit_nothing_is_due) {
  running(1);
  EXPECT_EQ(at_limit_.next(), std::nullopt);
  fire(seconds(100000));
  EXPECT_THAT(env_.take_sent(), IsEmpty());
}

TEST_F(at_run_limit, the_tasks_are_warned_once_by_the_signal_that_the_job_asked_for) {
  attempt_.spec.warning.signal = SIGUSR1;
  auto pid = minute();
  fire(seconds(49));
  EXPECT_THAT(env_.take_sent(), IsEmpty());
  fire(seconds(1));
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{-pid, SIGUSR1}));
  fire(seconds(1));
  EXPECT_THAT(env_.take_sent(), IsEmpty());
}

TEST_F(at_run_limit, a_warning_command_runs_instead) {
  attempt_.spec.warning.command = {"warn", {"/bin/sh", "-c", "save"}, {}, false, {}};
  minute();
  fire(seconds(50));
  EXPECT_TRUE(sides_.runs(SideKind::Warning));
  EXPECT_THAT(env_.take_sent(), IsEmpty());
}

TEST_F(at_run_limit, a_warning_command_that_cannot_be_started_keeps_no_job_from_its_end) {
  attempt_.spec.warning.command = {"warn", {"/bin/sh", "-c", "save"}, {}, false, {}};
  env_.no_process = true;
  minute();
  fire(seconds(50));
  EXPECT_FALSE(sides_.any());
  fire(seconds(10));
  EXPECT_EQ(attempt_.tasks.at({1}).record.cause, launch::EndCause::RunLimit);
}

TEST_F(at_run_limit, at_the_limit_all_tasks_end_and_their_records_say_why) {
  minute();
  running(2);
  EXPECT_EQ(at_limit_.next(), env_.now() + seconds(50));
  fire(seconds(60));
  for (auto number : {1U, 2U}) {
    const auto& task = attempt_.tasks.at({number});
    ASSERT_TRUE(task.ending);
    EXPECT_EQ(task.record.cause, launch::EndCause::RunLimit);
    EXPECT_TRUE(task.record.text.starts_with("TERM_RUNLIMIT")) << task.record.text;
  }
  EXPECT_EQ(at_limit_.next(), std::nullopt);
}

TEST_F(at_run_limit, while_the_job_is_stopped_its_time_stands) {
  minute();
  attempt_.clock.stop(attempt_.now());
  EXPECT_EQ(at_limit_.next(), std::nullopt);
  fire(seconds(1000));
  EXPECT_FALSE(attempt_.tasks.at({1}).ending);
}

}  // namespace
}  // namespace wm::shepherd
