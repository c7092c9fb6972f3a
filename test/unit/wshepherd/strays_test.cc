// What tasks leave behind: how long it is spared, when it is killed, when it is stuck.
#include "daemons/wshepherd/strays.h"

#include <signal.h>

#include "daemons/wshepherd/suspension.h"
#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class strays : public BehaviourTest {
 protected:
  Strays strays_{attempt_};
};

TEST_F(strays, what_a_task_left_is_killed) {
  exited(1);
  auto left = env_.add(FakeEnv::kSelf), below = env_.add(left);
  EXPECT_TRUE(strays_.clean_up());
  EXPECT_FALSE(env_.lives(left));
  EXPECT_FALSE(env_.lives(below));
}

TEST_F(strays, nothing_is_looked_for_while_all_tasks_run) {
  running(1);
  env_.add(FakeEnv::kSelf);
  EXPECT_FALSE(strays_.clean_up());
  EXPECT_THAT(env_.sent, IsEmpty());
}

TEST_F(strays, while_others_run_only_what_is_known_to_be_of_the_ended_goes) {
  auto& one = exited(1);
  auto& two = running(2);
  auto daemon = env_.add(FakeEnv::kSelf);  // no mark, a session of its own
  auto of_two = env_.add(FakeEnv::kSelf, two.pid);
  auto marked_two = env_.add(FakeEnv::kSelf, 0, "2");
  auto of_one = env_.add(FakeEnv::kSelf, one.pid);
  auto marked_one = env_.add(FakeEnv::kSelf, 0, "1");
  EXPECT_TRUE(strays_.clean_up());
  for (auto pid : {daemon, of_two, marked_two}) EXPECT_TRUE(env_.lives(pid));
  for (auto pid : {of_one, marked_one}) EXPECT_FALSE(env_.lives(pid));
}

TEST_F(strays, it_is_spared_for_the_stray_grace_of_the_jobs_time) {
  auto& task = exited(1);
  auto left = env_.add(FakeEnv::kSelf, task.pid);
  task.spared_until = attempt_.jobs_now() + seconds(5);
  EXPECT_FALSE(strays_.clean_up());
  EXPECT_TRUE(strays_.spares_any());
  EXPECT_EQ(strays_.next(), env_.now() + seconds(5));
  set_suspended(attempt_, true);
  env_.pass(seconds(60));
  EXPECT_EQ(strays_.next(), std::nullopt);
  EXPECT_TRUE(strays_.spares_any());
  set_suspended(attempt_, false);
  env_.pass(seconds(5));
  EXPECT_TRUE(strays_.clean_up());
  EXPECT_FALSE(env_.lives(left));
}

TEST_F(strays, who_ends_the_job_does_not_wait_for_the_grace) {
  auto& task = exited(1);
  env_.add(FakeEnv::kSelf, task.pid);
  task.spared_until = attempt_.jobs_now() + seconds(5);
  set_suspended(attempt_, true);
  strays_.spare_no_longer({TaskNumber{2}});
  EXPECT_TRUE(strays_.spares_any());
  EXPECT_TRUE(attempt_.clock.stopped());
  strays_.spare_no_longer({TaskNumber{1}});
  EXPECT_FALSE(strays_.spares_any());
  EXPECT_FALSE(attempt_.clock.stopped());  // what is stopped does not die everywhere
}

TEST_F(strays, it_is_spared_while_it_obeys_the_signal_that_its_task_obeyed) {
  auto& task = exited(1);
  auto saves = env_.add(FakeEnv::kSelf, task.pid);
  auto other = env_.add(FakeEnv::kSelf, task.pid);
  env_.table[saves].handlers = {SIGTERM};
  task.signal = SIGTERM;
  task.obeys_until = attempt_.jobs_now() + seconds(10);
  strays_.clean_up();
  EXPECT_TRUE(env_.lives(saves));
  EXPECT_FALSE(env_.lives(other));
  env_.pass(seconds(10));
  strays_.clean_up();
  EXPECT_FALSE(env_.lives(saves));
}

TEST_F(strays, what_runs_ranks_that_save_is_spared_with_them) {
  auto& task = exited(1);
  auto mpirun = env_.add(FakeEnv::kSelf, task.pid);
  auto shell = env_.add(mpirun), daemon = env_.add(shell), rank = env_.add(daemon);
  env_.table[mpirun].name = "mpirun";
  env_.table[daemon].name = "orted";
  env_.table[rank].handlers = {SIGTERM};
  task.signal = SIGTERM;
  task.obeys_until = attempt_.jobs_now() + seconds(10);
  EXPECT_FALSE(strays_.clean_up());
  EXPECT_TRUE(env_.lives(shell));
  env_.exit(rank);
  strays_.clean_up();
  EXPECT_FALSE(env_.lives(shell)) << "without ranks it is as any other";
}

TEST_F(strays, what_does_not_die_is_tried_again_and_told_once_as_stuck) {
  exited(1);
  auto stuck = env_.add(FakeEnv::kSelf);
  env_.immortal = {stuck};
  EXPECT_TRUE(strays_.clean_up());
  EXPECT_FALSE(strays_.clean_up());  // not yet due again
  env_.pass(seconds(59));
  strays_.fire();
  EXPECT_THAT(env_.words<launch::AttemptStuck>(), IsEmpty());
  env_.pass(seconds(1));
  strays_.fire();
  ASSERT_EQ(env_.words<launch::AttemptStuck>().size(), 1U);
  EXPECT_THAT(env_.words<launch::AttemptStuck>()[0].pids, ElementsAre(stuck));
  EXPECT_TRUE(strays_.clean_up());
  env_.pass(seconds(120));
  strays_.fire();
  EXPECT_EQ(env_.words<launch::AttemptStuck>().size(), 1U);
}

TEST_F(strays, a_task_that_survives_its_sigkill_is_stuck_as_well) {
  auto& task = running(1);
  task.ending = Ending{};
  strays_.expect_gone();
  env_.pass(seconds(60));
  strays_.fire();
  ASSERT_EQ(env_.words<launch::AttemptStuck>().size(), 1U);
  EXPECT_THAT(env_.words<launch::AttemptStuck>()[0].pids, ElementsAre(task.pid));
}

TEST_F(strays, when_all_are_gone_the_next_kill_has_a_grace_of_its_own) {
  exited(1);
  strays_.expect_gone();
  strays_.settle(false);
  EXPECT_NE(strays_.next(), std::nullopt);
  strays_.settle(true);
  EXPECT_EQ(strays_.next(), std::nullopt);
}

TEST_F(strays, what_an_agent_leaves_is_killed_though_no_task_was_here) {
  attempt_.finishing = true;
  auto left = env_.add(FakeEnv::kSelf);
  EXPECT_TRUE(strays_.clean_up());
  EXPECT_FALSE(env_.lives(left));
}

}  // namespace
}  // namespace wm::shepherd
