// Who copies a task's output, from when, and for how long it is waited for.
#include "daemons/wshepherd/copiers.h"

#include <signal.h>

#include <cerrno>

#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class copiers : public BehaviourTest {
 protected:
  Task& talks(std::uint32_t number) {
    auto& task = running(number);
    give_pipes(task);
    env_.set(task.out.get(), Waiting::Bytes);
    return task;
  }
  Folder folder_{attempt_};
  Copiers copiers_{attempt_, folder_};
};

TEST_F(copiers, a_silent_task_costs_no_process_and_no_file) {
  give_pipes(running(1));
  copiers_.look_at_all();
  EXPECT_THAT(env_.parts_forked, IsEmpty());
  EXPECT_THAT(env_.folders, IsEmpty());
  EXPECT_FALSE(attempt_.output_begun);
}

TEST_F(copiers, the_first_byte_starts_one_which_has_the_pipes) {
  auto& task = talks(1);
  copiers_.look_at_all();
  copiers_.look_at_all();
  ASSERT_THAT(env_.parts_forked, SizeIs(1));
  EXPECT_EQ(task.copier, env_.parts_forked[0]);
  EXPECT_TRUE(attempt_.own.contains(task.copier));
  EXPECT_FALSE(task.out);
  EXPECT_FALSE(task.err);
  EXPECT_TRUE(attempt_.output_begun);
  EXPECT_TRUE(copiers_.is_copying(task, false));
}

TEST_F(copiers, bytes_stay_in_the_pipe_till_there_is_a_process_for_them) {
  auto& task = talks(1);
  env_.no_process = true;
  copiers_.look(task);
  EXPECT_TRUE(task.out);
  EXPECT_EQ(task.copier, 0);
  env_.no_process = false;
  copiers_.look(task);
  EXPECT_NE(task.copier, 0);
}

TEST_F(copiers, a_pipe_closed_without_a_byte_is_done) {
  auto& task = running(1);
  give_pipes(task);
  env_.set(task.out.get(), Waiting::End);
  copiers_.look(task);
  EXPECT_FALSE(task.out);
  EXPECT_TRUE(task.err);
  env_.set(task.err.get(), Waiting::End);
  copiers_.look(task);
  EXPECT_FALSE(copiers_.is_copying(task, false));
  EXPECT_THAT(env_.parts_forked, IsEmpty());
}

TEST_F(copiers, lost_output_is_in_the_record_beside_what_is_there) {
  auto& task = talks(1);
  copiers_.look(task);
  copiers_.on_exit({4711, ENOSPC << 8, {}});
  EXPECT_EQ(task.record.text, "");
  copiers_.on_exit({task.copier, ENOSPC << 8, {}});
  EXPECT_EQ(task.record.text, "output lost: No space left on device");
  task.copier = 5;
  copiers_.on_exit({5, SIGKILL, {}});
  EXPECT_EQ(task.record.text,
            "output lost: No space left on device; output lost: its writer was ended by signal 9");
  EXPECT_EQ(task.copier, 0);
}

TEST_F(copiers,
       a_task_that_exited_with_0_has_failed_if_its_output_is_lost_unless_the_site_says_no) {
  auto loses = [this](bool fails, int status, int why = ENOSPC) {
    attempt_.spec.lost_output_fails = fails;
    attempt_.note.clear();
    auto& task = talks(1);
    copiers_.look(task);
    task.record.status = status;
    task.record.cause = launch::EndCause::Exited;
    copiers_.on_exit({task.copier, why << 8, {}});
    return task.record.cause;
  };
  EXPECT_EQ(loses(true, 0), launch::EndCause::OutputLost);
  EXPECT_EQ(attempt_.note, "");
  EXPECT_EQ(loses(false, 0), launch::EndCause::Exited);
  EXPECT_EQ(attempt_.note, "Output lost: No space left on device.") << "the report says it, too";
  EXPECT_EQ(loses(true, 3 << 8), launch::EndCause::Exited) << "it failed by itself";
  EXPECT_EQ(loses(true, 0, EPIPE), launch::EndCause::Exited) << "the agent was lost, no disk full";
}

TEST_F(copiers, that_output_of_a_task_which_never_ran_is_lost_is_no_news) {
  auto& task = talks(1);
  copiers_.look(task);
  task.record.cause = launch::EndCause::StartFailed;
  copiers_.on_exit({task.copier, 256, {}});
  EXPECT_EQ(task.record.text, "");
}

TEST_F(copiers, who_holds_a_pipe_from_outside_does_not_keep_the_task) {
  auto& task = talks(1);
  task.seen = env_.now();
  copiers_.look(task);
  env_.pass(seconds(60));
  EXPECT_TRUE(copiers_.is_copying(task, false));
  EXPECT_THAT(env_.take_sent(), IsEmpty());
  env_.pass(seconds(1));
  EXPECT_TRUE(copiers_.is_copying(task, false));
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{task.copier, SIGKILL}));
}

TEST_F(copiers, what_a_task_left_may_write_however_long_it_takes) {
  auto& task = talks(1);
  copiers_.look(task);
  env_.pass(seconds(600));
  copiers_.is_copying(task, true);
  env_.pass(seconds(59));
  copiers_.is_copying(task, false);
  EXPECT_THAT(env_.take_sent(), IsEmpty());
}

TEST_F(copiers, output_that_no_copier_could_be_started_for_is_given_up) {
  auto& task = talks(1);
  task.seen = env_.now();
  env_.pass(seconds(60));
  copiers_.is_copying(task, false);
  EXPECT_TRUE(task.out);
  env_.pass(seconds(1));
  EXPECT_FALSE(copiers_.is_copying(task, false));
}

TEST_F(copiers, the_turn_to_write_goes_from_one_task_to_another) {
  auto &one = talks(1), &two = talks(2);
  for (auto* task : {&one, &two}) {
    task->spec.asked_out = task->spec.out;
    task->spec.asked_out[0].overwrite = true;
  }
  one.spec.writer = true;
  attempt_.spec.tasks = {a_task(3)};
  copiers_.look_at_all();
  EXPECT_TRUE(one.turns);
  copiers_.hand_over(TaskNumber{2});
  EXPECT_EQ(env_.written, "01");
  EXPECT_FALSE(one.spec.writer);
  EXPECT_TRUE(two.spec.writer);
  EXPECT_FALSE(two.spec.asked_out[0].overwrite);  // what the writer before has written stays
  copiers_.hand_over(TaskNumber{2});
  EXPECT_EQ(env_.written, "01");
  copiers_.hand_over(TaskNumber{3});
  EXPECT_TRUE(attempt_.spec.tasks[0].writer);
  EXPECT_EQ(env_.written, "010");
}

}  // namespace
}  // namespace wm::shepherd
