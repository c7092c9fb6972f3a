// Which signal a task gets when it is ended, and when.
#include "daemons/wshepherd/ending.h"

#include <signal.h>

#include "daemons/wshepherd/suspension.h"
#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using launch::EndCause;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ending : public BehaviourTest {
 protected:
  void end(Task& task, std::vector<int> signals) {
    enders_.end(task, {std::move(signals)}, EndCause::Ordered, "bkill");
  }
  Strays strays_{attempt_};
  Enders enders_{attempt_, strays_};
};

TEST_F(ending, signals_come_a_kill_interval_apart) {
  auto& task = running(1);
  auto pid = task.pid;
  end(task, {SIGINT, SIGTERM, SIGKILL});
  enders_.fire();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid, SIGINT}));
  EXPECT_EQ(enders_.next(), env_.now() + seconds(10));
  env_.pass(seconds(9));
  enders_.fire();
  EXPECT_THAT(env_.take_sent(), IsEmpty());
  env_.pass(seconds(1));
  enders_.fire();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid, SIGTERM}));
  env_.pass(seconds(10));
  enders_.fire();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid, SIGKILL}));
  EXPECT_FALSE(env_.lives(pid));
  EXPECT_EQ(enders_.next(), std::nullopt);
}

TEST_F(ending, sigterm_is_for_ranks_and_scripts_not_for_mpirun_that_would_kill_its_ranks) {
  auto& task = running(1);
  auto mpirun = env_.add(task.pid);
  auto blaunch = env_.add(mpirun), rank = env_.add(mpirun), child = env_.add(rank);
  env_.table[mpirun].name = "prterun";
  env_.table[blaunch].name = "blaunch";
  end(task, {SIGTERM, SIGKILL});
  enders_.fire();
  EXPECT_THAT(env_.take_sent(),
              ElementsAre(Sent{task.pid, SIGTERM}, Sent{rank, SIGTERM}, Sent{child, SIGTERM}));
  env_.pass(seconds(10));
  enders_.fire();
  EXPECT_THAT(env_.table, IsEmpty());
}

TEST_F(ending, sigkill_goes_to_the_whole_tree) {
  auto& task = running(1);
  auto child = env_.add(task.pid), grandchild = env_.add(child);
  end(task, {SIGKILL});
  enders_.fire();
  EXPECT_THAT(env_.table, IsEmpty());
  EXPECT_THAT(env_.take_sent(), ::testing::Contains(Sent{grandchild, SIGKILL}));
}

TEST_F(ending, one_that_hangs_is_asked_where_and_killed_a_second_later) {
  auto& task = running(1);
  env_.table[task.pid].handlers = {SIGQUIT};
  end(task, {SIGQUIT, SIGKILL});
  enders_.fire();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{task.pid, SIGQUIT}));
  EXPECT_EQ(enders_.next(), env_.now() + kDumpTime);
}

TEST_F(ending, sigquit_is_not_sent_to_what_it_would_end) {
  auto& task = running(1);
  end(task, {SIGQUIT, SIGKILL});
  enders_.fire();
  EXPECT_THAT(env_.take_sent(), IsEmpty());
}

TEST_F(ending, why_is_that_of_who_was_first) {
  auto& task = running(1);
  enders_.end(task, {{SIGINT}}, EndCause::RunLimit, "too long");
  enders_.end(task, {{SIGKILL}}, EndCause::Ordered, "bkill");
  EXPECT_EQ(task.record.cause, EndCause::RunLimit);
  EXPECT_EQ(task.record.text, "too long");
  EXPECT_THAT(task.ending->signals, ElementsAre(SIGKILL));
}

TEST_F(ending, what_is_left_of_a_task_that_obeyed_gets_the_next_signal_but_never_sigkill) {
  auto& task = running(1);
  auto left = env_.add(task.pid, task.pid);
  end(task, {SIGTERM, SIGKILL});
  task.phase = Phase::Exited;
  env_.exit(task.pid);
  enders_.fire();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{left, SIGTERM}));
  env_.pass(seconds(10));
  enders_.fire();
  EXPECT_THAT(env_.take_sent(), IsEmpty());  // strays are killed by clean_up
}

TEST_F(ending, a_stopped_job_goes_on_so_that_it_can_obey) {
  auto& task = running(1);
  set_suspended(attempt_, true);
  end(task, {SIGTERM});
  EXPECT_FALSE(attempt_.clock.stopped());
  EXPECT_FALSE(env_.frozen);
}

TEST(task_signals, each_way_of_ending_has_its_sequence) {
  EXPECT_THAT(signals_to_end({}), ElementsAre(SIGINT, SIGTERM, SIGKILL));
  launch::EndTasks order;
  order.first_signal = SIGTERM;
  EXPECT_THAT(signals_to_end(order), ElementsAre(SIGTERM, SIGKILL));
  order.first_signal = SIGQUIT;
  EXPECT_THAT(signals_to_end(order), ElementsAre(SIGQUIT, SIGKILL));
  order.at_once = true;
  EXPECT_THAT(signals_to_end(order), ElementsAre(SIGKILL));
  EXPECT_THAT(signals_at_run_limit(), ElementsAre(SIGUSR2, SIGINT, SIGTERM, SIGKILL));
  EXPECT_THAT(signals_at_limit(EndCause::CpuLimit), ElementsAre(SIGXCPU, SIGINT, SIGTERM, SIGKILL));
  EXPECT_THAT(signals_at_limit(EndCause::MemLimit), ElementsAre(SIGKILL));
}

}  // namespace
}  // namespace wm::shepherd
