// Launchers of trainings and of MPI in whole attempts: what is told to ranks, and who waits for
// whom.
#include <signal.h>

#include "test/unit/wshepherd/shepherd_desk.h"

namespace wm::shepherd {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class shepherd_of_launchers : public shepherd {
 protected:
  void begin_first() {
    spec_.report.file.path = "out";
    spec_.agent_argv = {"wagent"};
    auto task = a_task(1);
    task.tag = task.writer = true;
    begin({task});
    for (std::size_t i = 0; i < env_.spawned.size(); ++i)
      (env_.spawned[i].argv.front() == "wagent" ? agent_ : launcher_) = i;
  }
  std::size_t agent_ = 0, launcher_ = 0;
};

TEST_F(shepherd_of_launchers, a_restart_of_what_another_host_runs_is_told_to_the_ranks_here) {
  begin_first();
  env_.take_sent();
  auto shell = env_.add(pid(agent_)), daemon = env_.add(shell), rank = env_.add(daemon);
  env_.table[daemon].name = "prted";
  order(launch::RestartTasks{});
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{rank, SIGTERM}));
  order(launch::SignalTasks{{}, SIGTERM});
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{-pid(launcher_), SIGTERM}, Sent{rank, SIGTERM}));
}

TEST_F(shepherd, a_preemption_is_told_to_the_ranks_of_mpirun_not_to_it) {
  begin();
  auto mpirun = env_.add(pid()), rank = env_.add(mpirun);
  env_.table[mpirun].name = "mpirun";
  order(launch::SignalTasks{{}, SIGTERM});
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid(), SIGTERM}, Sent{rank, SIGTERM}));
}

TEST_F(shepherd_of_launchers, the_report_waits_until_the_agent_has_written_what_the_others_say) {
  begin_first();
  env_.take_sent();
  ends(launcher_, 0);
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid(agent_), SIGTERM}));
  EXPECT_THAT(env_.parts_forked, IsEmpty());
  ends(agent_, 0);
  ASSERT_THAT(env_.parts_forked, SizeIs(1));
  EXPECT_THAT(env_.words<launch::TaskEnded>(), IsEmpty());
  env_.exit(env_.parts_forked[0], 0);
  turn();
  EXPECT_THAT(env_.words<launch::TaskEnded>(), SizeIs(1));
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd_of_launchers, one_that_ended_well_has_not_ended_before_the_others) {
  begin_first();
  ends(launcher_, 0);
  env_.pass(seconds(1000));
  turn();
  EXPECT_THAT(env_.parts_forked, IsEmpty());
  EXPECT_THAT(env_.words<launch::TaskEnded>(), IsEmpty());
  EXPECT_TRUE(env_.lives(pid(agent_)));
  order(launch::Finish{"not wanted"});
  env_.pass(seconds(31));
  turn();
  EXPECT_FALSE(env_.lives(pid(agent_))) << "nobody is kept for ever";
}

TEST_F(shepherd_of_launchers, others_that_go_on_are_not_waited_for_but_written_for) {
  begin_first();
  ends(launcher_, 256);
  env_.pass(seconds(1));
  turn();
  ASSERT_THAT(env_.parts_forked, SizeIs(1));
  env_.exit(env_.parts_forked[0], 0);
  turn();
  EXPECT_THAT(env_.words<launch::TaskEnded>(), SizeIs(1)) << "they end when they hear of it";
  env_.pass(seconds(100));
  turn();
  EXPECT_FALSE(shepherd_->over());
  EXPECT_TRUE(env_.lives(pid(agent_)));
  ends(agent_, 0);
  EXPECT_TRUE(shepherd_->over());
}

}  // namespace
}  // namespace wm::shepherd
