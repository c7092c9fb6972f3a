// What tasks leave behind: how long it is spared, when it is killed, when it is stuck.
#include "daemons/wshepherd/strays.h"

#include <signal.h>

#include "daemons/wshepherd/suspension.h"
#include "test/unit/wshepherd/fake_kernel.h"

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
  auto left = kernel_.add(FakeKernel::kSelf), below = kernel_.add(left);
  EXPECT_TRUE(strays_.clean_up());
  EXPECT_FALSE(kernel_.lives(left));
  EXPECT_FALSE(kernel_.lives(below));
}

TEST_F(strays, nothing_is_looked_for_while_all_tasks_run) {
  running(1);
  kernel_.add(FakeKernel::kSelf);
  EXPECT_FALSE(strays_.clean_up());
  EXPECT_THAT(kernel_.sent, IsEmpty());
}

TEST_F(strays, while_others_run_only_what_is_known_to_be_of_the_ended_goes) {
  auto& one = exited(1);
  auto& two = running(2);
  auto daemon = kernel_.add(FakeKernel::kSelf);  // no mark, a session of its own
  auto of_two = kernel_.add(FakeKernel::kSelf, two.pid);
  auto marked_two = kernel_.add(FakeKernel::kSelf, 0, "2");
  auto of_one = kernel_.add(FakeKernel::kSelf, one.pid);
  auto marked_one = kernel_.add(FakeKernel::kSelf, 0, "1");
  EXPECT_TRUE(strays_.clean_up());
  for (auto pid : {daemon, of_two, marked_two}) EXPECT_TRUE(kernel_.lives(pid));
  for (auto pid : {of_one, marked_one}) EXPECT_FALSE(kernel_.lives(pid));
}

TEST_F(strays, it_is_spared_for_the_stray_grace_of_the_jobs_time) {
  auto& task = exited(1);
  auto left = kernel_.add(FakeKernel::kSelf, task.pid);
  task.spared_until = attempt_.jobs_now() + seconds(5);
  EXPECT_FALSE(strays_.clean_up());
  EXPECT_TRUE(strays_.spares_any());
  EXPECT_EQ(strays_.next(), kernel_.now() + seconds(5));
  set_suspended(attempt_, true);
  kernel_.pass(seconds(60));
  EXPECT_EQ(strays_.next(), std::nullopt);
  EXPECT_TRUE(strays_.spares_any());
  set_suspended(attempt_, false);
  kernel_.pass(seconds(5));
  EXPECT_TRUE(strays_.clean_up());
  EXPECT_FALSE(kernel_.lives(left));
}

TEST_F(strays, who_ends_the_job_does_not_wait_for_the_grace) {
  auto& task = exited(1);
  kernel_.add(FakeKernel::kSelf, task.pid);
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
  auto saves = kernel_.add(FakeKernel::kSelf, task.pid);
  auto other = kernel_.add(FakeKernel::kSelf, task.pid);
  kernel_.table[saves].handlers = {SIGTERM};
  task.signal = SIGTERM;
  task.obeys_until = attempt_.jobs_now() + seconds(10);
  strays_.clean_up();
  EXPECT_TRUE(kernel_.lives(saves));
  EXPECT_FALSE(kernel_.lives(other));
  kernel_.pass(seconds(10));
  strays_.clean_up();
  EXPECT_FALSE(kernel_.lives(saves));
}

TEST_F(strays, what_runs_ranks_that_save_is_spared_with_them) {
  auto& task = exited(1);
  auto mpirun = kernel_.add(FakeKernel::kSelf, task.pid);
  auto shell = kernel_.add(mpirun), daemon = kernel_.add(shell), rank = kernel_.add(daemon);
  kernel_.table[mpirun].name = "mpirun";
  kernel_.table[daemon].name = "orted";
  kernel_.table[rank].handlers = {SIGTERM};
  task.signal = SIGTERM;
  task.obeys_until = attempt_.jobs_now() + seconds(10);
  EXPECT_FALSE(strays_.clean_up());
  EXPECT_TRUE(kernel_.lives(shell));
  kernel_.exit(rank);
  strays_.clean_up();
  EXPECT_FALSE(kernel_.lives(shell)) << "without ranks it is as any other";
}

TEST_F(strays, what_does_not_die_is_tried_again_and_told_once_as_stuck) {
  exited(1);
  auto stuck = kernel_.add(FakeKernel::kSelf);
  kernel_.immortal = {stuck};
  EXPECT_TRUE(strays_.clean_up());
  EXPECT_FALSE(strays_.clean_up());  // not yet due again
  kernel_.pass(seconds(59));
  strays_.fire();
  EXPECT_THAT(kernel_.words<launch::AttemptStuck>(), IsEmpty());
  kernel_.pass(seconds(1));
  strays_.fire();
  ASSERT_EQ(kernel_.words<launch::AttemptStuck>().size(), 1U);
  EXPECT_THAT(kernel_.words<launch::AttemptStuck>()[0].pids, ElementsAre(stuck));
  EXPECT_TRUE(strays_.clean_up());
  kernel_.pass(seconds(120));
  strays_.fire();
  EXPECT_EQ(kernel_.words<launch::AttemptStuck>().size(), 1U);
}

TEST_F(strays, a_task_that_survives_its_sigkill_is_stuck_as_well) {
  auto& task = running(1);
  task.ending = Ending{};
  strays_.expect_gone();
  kernel_.pass(seconds(60));
  strays_.fire();
  ASSERT_EQ(kernel_.words<launch::AttemptStuck>().size(), 1U);
  EXPECT_THAT(kernel_.words<launch::AttemptStuck>()[0].pids, ElementsAre(task.pid));
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
  auto left = kernel_.add(FakeKernel::kSelf);
  EXPECT_TRUE(strays_.clean_up());
  EXPECT_FALSE(kernel_.lives(left));
}

}  // namespace
}  // namespace wm::shepherd
