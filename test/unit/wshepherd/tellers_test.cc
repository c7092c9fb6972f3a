// What a task that failed said last comes into its record.
#include "daemons/wshepherd/tellers.h"

#include <signal.h>

#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class tellers : public BehaviourTest {
 protected:
  Task& failed(std::uint32_t number) {
    auto& task = exited(number, 256);
    task.spec.says_why = true;
    task.spec.err = task.spec.out;
    return task;
  }
  Tellers tellers_{attempt_};
};

TEST_F(tellers, the_last_line_is_in_the_record_when_the_teller_has_ended) {
  auto& task = failed(1);
  EXPECT_TRUE(tellers_.is_telling(task));
  ASSERT_THAT(env_.parts_forked, ElementsAre(task.teller));
  EXPECT_TRUE(attempt_.own.contains(task.teller));
  env_.set(task.told.get(), Waiting::Bytes, "its stderr ended: ValueError: no such column");
  tellers_.on_exit({4711, 0, {}});
  EXPECT_TRUE(tellers_.is_telling(task));
  tellers_.on_exit({task.teller, 0, {}});
  EXPECT_FALSE(tellers_.is_telling(task));
  EXPECT_EQ(task.record.text, "its stderr ended: ValueError: no such column");
  EXPECT_THAT(env_.parts_forked, SizeIs(1));
}

TEST_F(tellers, who_ended_well_or_was_ended_or_never_ran_says_nothing) {
  auto& well = failed(1);
  well.record.status = 0;
  auto& ended = failed(2);
  ended.record.cause = launch::EndCause::Ordered;
  auto& never = failed(3);
  never.pid = 0;
  auto& not_asked = failed(4);
  not_asked.spec.says_why = false;
  auto& no_file = failed(5);
  no_file.spec.err.clear();
  for (auto* task : {&well, &ended, &never, &not_asked, &no_file})
    EXPECT_FALSE(tellers_.is_telling(*task));
  EXPECT_THAT(env_.parts_forked, IsEmpty());
}

TEST_F(tellers, what_the_record_says_already_stays) {
  auto& task = failed(1);
  tellers_.is_telling(task);
  task.record.text = "output lost";
  env_.set(task.told.get(), Waiting::Bytes, "line");
  tellers_.on_exit({task.teller, 0, {}});
  EXPECT_EQ(task.record.text, "output lost");
}

TEST_F(tellers, a_file_system_that_hangs_keeps_the_task_five_seconds) {
  auto& task = failed(1);
  tellers_.is_telling(task);
  env_.pass(seconds(4));
  tellers_.is_telling(task);
  EXPECT_THAT(env_.take_sent(), IsEmpty());
  env_.pass(seconds(1));
  tellers_.is_telling(task);
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{task.teller, SIGKILL}));
}

TEST_F(tellers, without_a_process_or_a_pipe_the_task_ends_without_words) {
  env_.no_process = true;
  EXPECT_FALSE(tellers_.is_telling(failed(1)));
  env_.no_pipe = true;
  EXPECT_FALSE(tellers_.is_telling(failed(2)));
}

}  // namespace
}  // namespace wm::shepherd
