// The warm parent: when it is started and ended, and when a task is started cold.
#include "daemons/wshepherd/warm.h"

#include "daemons/wshepherd/starter.h"
#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class warm : public BehaviourTest {
 protected:
  void wanted() {
    warm_.want({{"work"}, {"python3", "warm.py"}, {}, seconds(10)});
    env_.pass(seconds(10));
    warm_.fire();
  }
  void ready() {
    wanted();
    env_.heard = WarmParent::Heard::Ready;
    warm_.hear();
  }
  pid_t pid() const { return env_.table.empty() ? 0 : env_.table.rbegin()->first; }
  Folder folder_{attempt_};
  Warm warm_{attempt_, folder_};
  Starter starter_{attempt_, warm_};
};

TEST_F(warm, is_started_after_its_time_once) {
  running(1);
  warm_.want({{"work"}, {"python3"}, {}, seconds(10)});
  warm_.want({{"other"}, {"python3"}, {}, seconds(99)});
  EXPECT_EQ(warm_.next(), env_.now() + seconds(10));
  warm_.fire();
  EXPECT_EQ(env_.warm_fd, -1);
  env_.pass(seconds(10));
  warm_.fire();
  warm_.fire();
  EXPECT_TRUE(attempt_.own.contains(pid()));
  EXPECT_THAT(env_.logs, ElementsAre("/run/wm/7-0.1.d/warm.log"));
}

TEST_F(warm, forks_the_tasks_of_its_command_when_it_is_ready) {
  running(1);
  wanted();
  EXPECT_EQ(warm_.descriptor(), 3);
  starter_.start(a_task(2));
  EXPECT_THAT(env_.spawned, SizeIs(1));  // not ready: cold
  env_.heard = WarmParent::Heard::Ready;
  warm_.hear();
  EXPECT_EQ(warm_.descriptor(), -1);  // nothing more is heard of it
  starter_.start(a_task(3));
  EXPECT_THAT(env_.warm_forks, SizeIs(1));
  auto other = a_task(4);
  other.argv = {"other"};
  starter_.start(other);
  EXPECT_THAT(env_.warm_forks, SizeIs(1));
  EXPECT_THAT(env_.spawned, SizeIs(2));
}

TEST_F(warm, a_fork_that_fails_ends_it_and_the_task_starts_cold) {
  running(1);
  ready();
  auto parent = pid();
  env_.fork_fails = true;
  starter_.start(a_task(2));
  EXPECT_FALSE(env_.lives(parent));
  EXPECT_THAT(env_.spawned, SizeIs(1));
  env_.fork_fails = false;
  starter_.start(a_task(3));
  EXPECT_THAT(env_.warm_forks, IsEmpty());
}

TEST_F(warm, one_that_was_wanted_at_once_is_kept_however_long_there_is_no_task) {
  warm_.want({{"work"}, {"python3", "warm.py"}, {}, Duration{}});
  warm_.fire();
  env_.heard = WarmParent::Heard::Ready;
  warm_.hear();
  EXPECT_FALSE(warm_.next());
  env_.pass(seconds(3600));
  warm_.fire();
  EXPECT_TRUE(env_.lives(pid()));
  starter_.start(a_task(1));
  EXPECT_THAT(env_.warm_forks, SizeIs(1));
}

TEST_F(warm, without_a_task_here_it_is_kept_a_minute) {
  auto& task = running(1);
  ready();
  auto parent = pid();
  warm_.fire();
  EXPECT_EQ(warm_.next(), std::nullopt);
  task.phase = Phase::Exited;
  warm_.fire();
  EXPECT_EQ(warm_.next(), env_.now() + kWarmKept);
  env_.pass(kWarmKept);
  warm_.fire();
  EXPECT_FALSE(env_.lives(parent));
  EXPECT_EQ(warm_.next(), std::nullopt);
}

TEST_F(warm, once_over_it_is_not_started_again) {
  running(1);
  wanted();
  auto parent = pid();
  env_.heard = WarmParent::Heard::Gone;
  warm_.hear();
  EXPECT_FALSE(env_.lives(parent));
  warm_.on_exit({parent, 0, {}});
  warm_.want({{"work"}, {"python3"}, {}, {}});
  warm_.fire();
  EXPECT_EQ(warm_.next(), std::nullopt);
  EXPECT_EQ(env_.warm_fd, -1);
}

TEST_F(warm, that_it_cannot_be_started_is_its_end_as_is_that_of_the_attempt) {
  running(1);
  env_.warm_fails = true;
  wanted();
  EXPECT_EQ(warm_.next(), std::nullopt);
  Warm second(attempt_, folder_);
  second.want({{"work"}, {"python3"}, {}, {}});
  attempt_.finishing = true;
  second.fire();
  EXPECT_EQ(second.next(), std::nullopt);
}

}  // namespace
}  // namespace wm::shepherd
