// What a trial has to report comes into the record of its last task here.
#include "daemons/wshepherd/trial_words.h"

#include <signal.h>

#include "libwm/model/event.h"
#include "test/unit/wshepherd/fake_env.h"

namespace wm::shepherd {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class trial_words : public BehaviourTest {
 protected:
  Task& trial(std::uint32_t number, int status = 0) {
    auto& task = exited(number, status);
    task.spec.report_by = {"/s/wagent", "--report", "/r/7"};
    return task;
  }
  void answers(Task& task, const std::string& text, int status = 0) {
    env_.set(task.reported.get(), Waiting::Bytes, text);
    trial_words_.on_exit({task.reporter, status, {}});
  }
  TrialWords trial_words_{attempt_};
};

TEST_F(trial_words, the_report_is_in_the_record_before_the_task_has_ended) {
  auto& task = trial(1);
  EXPECT_TRUE(trial_words_.is_asking(task));
  ASSERT_THAT(env_.spawned, SizeIs(1));
  const auto& asked = env_.spawned.back();
  EXPECT_THAT(asked.argv, ElementsAre("/s/wagent", "--report", "/r/7"));
  EXPECT_EQ(asked.uid, attempt_.spec.account.uid);
  EXPECT_TRUE(attempt_.own.contains(task.reporter));
  EXPECT_TRUE(trial_words_.is_asking(task));
  trial_words_.on_exit({4711, 0, {}});
  EXPECT_TRUE(trial_words_.is_asking(task)) << "another process has ended";
  answers(task, R"({"loss":{"min":1}})");
  EXPECT_FALSE(trial_words_.is_asking(task));
  EXPECT_EQ(task.record.report, R"({"loss":{"min":1}})");
  EXPECT_THAT(env_.spawned, SizeIs(1)) << "asked once";
}

TEST_F(trial_words, one_that_failed_or_was_ended_reports_too) {
  auto& task = trial(1, 9);
  task.record.cause = launch::EndCause::Ordered;
  EXPECT_TRUE(trial_words_.is_asking(task));
}

TEST_F(trial_words, who_is_no_trial_or_never_ran_is_not_asked) {
  auto& plain = exited(1);
  auto& never = trial(2);
  never.pid = 0;
  for (auto* task : {&plain, &never}) EXPECT_FALSE(trial_words_.is_asking(*task));
}

TEST_F(trial_words, of_several_tasks_the_last_one_is_asked) {
  auto& first = trial(1);
  auto& second = running(2);
  second.spec.report_by = first.spec.report_by;
  EXPECT_FALSE(trial_words_.is_asking(first));
  second.phase = Phase::Exited;
  EXPECT_TRUE(trial_words_.is_asking(second));
}

TEST_F(trial_words, what_failed_or_is_too_long_is_no_report) {
  auto& failed = trial(1);
  trial_words_.is_asking(failed);
  answers(failed, "{}", 256);
  EXPECT_EQ(failed.record.report, "");
  auto& wordy = trial(2);
  trial_words_.is_asking(wordy);
  answers(wordy, std::string(kMaxReport + 1, 'x'));
  EXPECT_EQ(wordy.record.report, "");
  auto& full = trial(3);
  trial_words_.is_asking(full);
  answers(full, std::string(kMaxReport, 'x'));
  EXPECT_EQ(full.record.report.size(), kMaxReport);
}

TEST_F(trial_words, a_file_system_that_hangs_keeps_the_task_five_seconds) {
  auto& task = trial(1);
  trial_words_.is_asking(task);
  env_.pass(seconds(4));
  trial_words_.is_asking(task);
  EXPECT_THAT(env_.take_sent(), IsEmpty());
  env_.pass(seconds(1));
  EXPECT_TRUE(trial_words_.is_asking(task));
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{task.reporter, SIGKILL}));
}

TEST_F(trial_words, without_a_process_or_a_pipe_the_task_ends_without_a_report) {
  auto& task = trial(1);
  env_.no_process = true;
  EXPECT_FALSE(trial_words_.is_asking(task));
  env_.no_process = false;
  auto& other = trial(2);
  env_.no_pipe = true;
  EXPECT_FALSE(trial_words_.is_asking(other));
}

}  // namespace
}  // namespace wm::shepherd
