// Which processes belong to which task, and which record decides.
#include "daemons/wshepherd/attempt.h"

#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using ::testing::UnorderedElementsAre;

class attempt : public BehaviourTest {};

TEST_F(attempt, strays_are_neither_ours_nor_of_a_running_task) {
  auto& task = running(1);
  env_.add(task.pid);
  auto copier = env_.add(FakeEnv::kSelf);
  attempt_.own.insert(copier);
  env_.add(copier);
  auto stray = env_.add(FakeEnv::kSelf), below = env_.add(stray);
  EXPECT_THAT(attempt_.strays(), UnorderedElementsAre(stray, below));
}

TEST_F(attempt, everybody_is_the_job_and_nobody_of_ours) {
  auto& task = running(1);
  auto child = env_.add(task.pid);
  attempt_.own.insert(env_.add(FakeEnv::kSelf));
  auto stray = env_.add(FakeEnv::kSelf);
  EXPECT_THAT(attempt_.everybody(), UnorderedElementsAre(task.pid, child, stray));
}

TEST_F(attempt, a_process_is_of_the_task_whose_session_or_mark_it_has) {
  auto& one = running(1);
  auto& two = running(2);
  auto session = env_.add(FakeEnv::kSelf, one.pid);
  auto marked = env_.add(FakeEnv::kSelf, 0, "2");
  EXPECT_TRUE(attempt_.is_of(session, one));
  EXPECT_FALSE(attempt_.is_of(session, two));
  EXPECT_TRUE(attempt_.is_of(marked, two));
  EXPECT_FALSE(attempt_.is_of(marked, one));
  EXPECT_FALSE(attempt_.is_of(9999, one));
}

TEST_F(attempt, what_hides_its_mark_is_of_the_last_task_when_no_other_runs) {
  auto& task = exited(1);
  EXPECT_TRUE(attempt_.is_of(env_.add(FakeEnv::kSelf), task));
}

TEST_F(attempt, the_first_task_that_failed_decides_how_the_job_ended) {
  EXPECT_EQ(attempt_.deciding_record(), nullptr);
  auto& one = exited(1);
  EXPECT_EQ(attempt_.deciding_record(), &one.record);
  auto& two = exited(2, 256);
  exited(3, 512);
  EXPECT_EQ(attempt_.deciding_record(), &two.record);
}

TEST_F(attempt, where_the_writer_may_move_it_decides_and_none_does_elsewhere) {
  auto& one = exited(1, 256);
  auto& two = exited(2);
  for (auto* task : {&one, &two}) task->spec.asked_out = task->spec.out;
  EXPECT_EQ(attempt_.deciding_record(), nullptr);
  two.spec.writer = true;
  EXPECT_EQ(attempt_.deciding_record(), &two.record);
}

TEST_F(attempt, an_attempt_that_waits_for_more_tasks_does_not_end_with_the_last) {
  exited(1).phase = Phase::Ended;
  EXPECT_TRUE(attempt_.ending());
  attempt_.spec.ends_with_last_task = false;
  EXPECT_FALSE(attempt_.ending());
  attempt_.finishing = true;
  EXPECT_TRUE(attempt_.ending());
}

TEST_F(attempt, says_who_it_is_under_the_numbers_that_records_have) {
  attempt_.spec.memo = "memo";
  auto& task = exited(1);
  task.phase = Phase::Ended;
  auto up = attempt_.who_i_am();
  EXPECT_EQ(up.pid, FakeEnv::kSelf);
  EXPECT_EQ(up.memo, "memo");
  ASSERT_EQ(up.tasks.size(), 1U);
  EXPECT_EQ(up.tasks[0].pid, task.pid);
  EXPECT_TRUE(up.tasks[0].ended);
}

}  // namespace
}  // namespace wm::shepherd
