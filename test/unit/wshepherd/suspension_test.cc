// All of a job stop at once, and go on.
#include "daemons/wshepherd/suspension.h"

#include <signal.h>

#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class suspension : public BehaviourTest {};

TEST_F(suspension, the_freezer_stops_all_without_a_signal) {
  running(1);
  set_suspended(attempt_, true);
  EXPECT_TRUE(env_.frozen);
  EXPECT_TRUE(attempt_.clock.stopped());
  set_suspended(attempt_, false);
  EXPECT_FALSE(env_.frozen);
  EXPECT_THAT(env_.sent, IsEmpty());
}

TEST_F(suspension, without_a_freezer_everybody_gets_signals) {
  env_.freezer = false;
  auto& task = running(1);
  auto child = env_.add(task.pid);
  set_suspended(attempt_, true);
  EXPECT_THAT(env_.take_sent(),
              UnorderedElementsAre(Sent{task.pid, SIGSTOP}, Sent{child, SIGSTOP}));
  set_suspended(attempt_, false);
  EXPECT_THAT(env_.take_sent(),
              UnorderedElementsAre(Sent{task.pid, SIGCONT}, Sent{child, SIGCONT}));
}

TEST_F(suspension, what_the_agent_started_for_other_hosts_stops_too_but_not_the_agent) {
  attempt_.agent = env_.add(FakeEnv::kSelf);
  attempt_.own = {attempt_.agent};
  auto command = env_.add(attempt_.agent), rank = env_.add(command);
  for (bool freezer : {true, false}) {
    env_.freezer = freezer;
    set_suspended(attempt_, true);
    EXPECT_THAT(env_.take_sent(),
                UnorderedElementsAre(Sent{command, SIGSTOP}, Sent{rank, SIGSTOP}));
    set_suspended(attempt_, false);
    EXPECT_THAT(env_.take_sent(),
                UnorderedElementsAre(Sent{command, SIGCONT}, Sent{rank, SIGCONT}));
  }
}

}  // namespace
}  // namespace wm::shepherd
