// Whole attempts, without a process: from the order to the record of their end.
#include <signal.h>

#include "test/unit/wshepherd/shepherd_desk.h"

namespace wm::shepherd {
namespace {

using launch::EndCause;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST_F(shepherd, a_task_runs_ends_is_recorded_then_told_then_the_attempt) {
  begin();
  EXPECT_THAT(env_.words<launch::ShepherdUp>(), SizeIs(1));
  EXPECT_THAT(env_.words<launch::TaskStarted>(), SizeIs(1));
  turn();
  EXPECT_FALSE(shepherd_->over());
  ends(0, 3 << 8);
  EXPECT_TRUE(shepherd_->over());
  ASSERT_THAT(env_.records, SizeIs(2));
  EXPECT_EQ(of(1).status, 3 << 8);
  EXPECT_EQ(of(1).cause, EndCause::Exited);
  EXPECT_EQ(of(0).pid, FakeEnv::kSelf);
  EXPECT_THAT(env_.words<launch::TaskEnded>(), SizeIs(1));
  EXPECT_THAT(env_.words<launch::AttemptEnded>(), SizeIs(1));
}

TEST_F(shepherd, a_trial_has_not_ended_before_its_report_is_in_the_record) {
  auto task = a_task(1);
  task.report_by = {"/s/wagent", "--report", "/r/7"};
  begin({task});
  ends(0, 0);
  EXPECT_THAT(env_.records, IsEmpty());
  EXPECT_LE(shepherd_->next(), env_.now() + std::chrono::milliseconds(200));
  env_.set(env_.spawned.at(1).out, Waiting::Bytes, "{\"a\":1}");
  ends(1, 0);
  EXPECT_EQ(of(1).report, "{\"a\":1}");
  ASSERT_THAT(env_.words<launch::TaskEnded>(), SizeIs(1));
  EXPECT_EQ(env_.words<launch::TaskEnded>()[0].record.report, "{\"a\":1}");
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, nothing_is_told_before_it_is_on_disk) {
  begin();
  env_.disk_full = true;
  ends(0, 0);
  EXPECT_THAT(env_.words<launch::TaskEnded>(), IsEmpty());
  EXPECT_FALSE(shepherd_->over());
  EXPECT_THAT(env_.complaints, Contains("exit record kept in memory: exits: no space left"));
  EXPECT_LE(shepherd_->next(), env_.now() + std::chrono::milliseconds(200));
  env_.disk_full = false;
  turn();
  EXPECT_THAT(env_.words<launch::TaskEnded>(), SizeIs(1));
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, the_attempt_does_not_end_while_its_group_has_members) {
  begin();
  env_.inside = {4711};
  ends(0, 0);
  EXPECT_FALSE(shepherd_->over());
  env_.inside.clear();
  turn();
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, what_a_task_leaves_ends_before_it_is_told) {
  spec_.stray_grace = seconds(2);
  begin();
  auto left = env_.add(pid(), pid());
  ends(0, 0);
  EXPECT_TRUE(env_.lives(left));
  EXPECT_THAT(env_.records, IsEmpty());
  env_.pass(seconds(2));
  turn();
  EXPECT_FALSE(env_.lives(left));
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, bkill_sends_the_sequence_and_the_record_says_who) {
  begin();
  order(launch::EndTasks{{}, false, 0, "TERM_OWNER"});
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid(), SIGINT}));
  order(launch::EndTasks{{}, false, 0, "again"});
  EXPECT_THAT(env_.take_sent(), IsEmpty());
  env_.pass(seconds(9));
  turn();
  EXPECT_THAT(env_.take_sent(), IsEmpty());
  env_.pass(seconds(1));
  turn();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid(), SIGTERM}));
  ends(0, SIGTERM);
  EXPECT_EQ(of(1).cause, EndCause::Ordered);
  EXPECT_EQ(of(1).text, "TERM_OWNER");
  EXPECT_EQ(of(0).text, "TERM_OWNER");
}

TEST_F(shepherd, an_end_at_once_overtakes_a_sequence) {
  begin();
  order(launch::EndTasks{{}, false, 0, "bkill"});
  order(launch::EndTasks{{}, true, 0, "bkill -r"});
  turn();
  EXPECT_TRUE(shepherd_->over());
  EXPECT_EQ(of(1).status, SIGKILL);
  EXPECT_EQ(of(1).text, "bkill");
}

TEST_F(shepherd, one_of_two_tasks_is_ended_the_other_runs_on) {
  begin({a_task(1), a_task(2)});
  order(launch::EndTasks{{TaskNumber{1}}, true, 0, "bkill"});
  turn();
  EXPECT_FALSE(env_.lives(pid(0)));
  EXPECT_TRUE(env_.lives(pid(1)));
  EXPECT_THAT(env_.records, SizeIs(1));
  EXPECT_FALSE(shepherd_->over());
}

TEST_F(shepherd, the_run_limit_counts_only_while_the_job_is_not_suspended) {
  spec_.run_limit = seconds(60);
  begin();
  env_.pass(seconds(50));
  order(launch::Suspend{true});
  env_.pass(seconds(1000));
  turn();
  EXPECT_THAT(env_.sent, IsEmpty());
  order(launch::Suspend{false});
  env_.pass(seconds(9));
  turn();
  EXPECT_THAT(env_.sent, IsEmpty());
  EXPECT_EQ(shepherd_->next(), env_.now() + seconds(1));
  env_.pass(seconds(1));
  turn();
  EXPECT_THAT(env_.sent, ElementsAre(Sent{pid(), SIGUSR2}));
  ends(0, SIGUSR2);
  EXPECT_EQ(of(1).cause, EndCause::RunLimit);
}

TEST_F(shepherd, a_job_is_warned_by_a_signal_or_a_command) {
  spec_.run_limit = seconds(60);
  spec_.warning = {seconds(20), SIGURG, {}};
  begin();
  env_.pass(seconds(40));
  turn();
  turn();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{-pid(), SIGURG}));
  spec_.warning.command.argv = {"warn"};
  begin();
  env_.pass(seconds(40));
  turn();
  EXPECT_THAT(env_.spawned.back().argv, ElementsAre("warn"));
}

TEST_F(shepherd, another_run_limit_counts_from_its_order) {
  spec_.run_limit = seconds(60);
  begin();
  env_.pass(seconds(50));
  order(launch::LimitRun{seconds(100)});
  env_.pass(seconds(99));
  turn();
  EXPECT_THAT(env_.sent, IsEmpty());
  env_.pass(seconds(1));
  turn();
  EXPECT_THAT(env_.sent, SizeIs(1));
}

TEST_F(shepherd, a_signal_of_the_user_goes_to_the_group_that_of_the_job_to_all) {
  begin();
  order(launch::SignalTasks{{}, SIGUSR1});
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{-pid(), SIGUSR1}));
  order(launch::SignalTasks{{}, SIGSTOP});
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid(), SIGSTOP}));
  order(launch::SignalTasks{{TaskNumber{9}}, SIGUSR1});
  EXPECT_THAT(env_.take_sent(), IsEmpty());
}

TEST_F(shepherd, more_tasks_come_and_those_known_do_not) {
  spec_.limits.mem = 100;
  begin();
  order(launch::StartTasks{{a_task(1), a_task(2)}, "memo", {.mem = 200}});
  EXPECT_THAT(env_.spawned, SizeIs(2));
  EXPECT_EQ(env_.mem_limit, 200U);
  EXPECT_EQ(shepherd_->who_i_am().memo, "memo");
}

TEST_F(shepherd, tasks_that_come_before_the_prolog_is_done_wait_with_the_others) {
  launch::SideCommand prolog;
  prolog.argv = {"prolog"};
  spec_.before = {prolog};
  begin();
  order(launch::StartTasks{{a_task(2)}, "", {}});
  EXPECT_THAT(env_.spawned, SizeIs(1));
  ends(0, 0);
  EXPECT_THAT(env_.spawned, SizeIs(3));
}

TEST_F(shepherd, an_end_before_the_prolog_is_done_refuses_the_tasks) {
  launch::SideCommand prolog;
  prolog.argv = {"prolog"};
  spec_.before = {prolog};
  begin();
  order(launch::EndTasks{{}, false, 0, "bkill"});
  EXPECT_FALSE(env_.lives(pid()));
  turn();
  EXPECT_EQ(of(1).cause, EndCause::Ordered);
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, an_attempt_for_tasks_to_come_lives_till_it_is_to_finish) {
  spec_.ends_with_last_task = false;
  begin();
  ends(0, 0);
  EXPECT_THAT(env_.records, SizeIs(1));
  EXPECT_FALSE(shepherd_->over());
  order(launch::Finish{"done"});
  EXPECT_TRUE(shepherd_->over());
  EXPECT_EQ(of(0).text, "done");
}

TEST_F(shepherd, told_to_terminate_it_ends_what_runs) {
  begin();
  shepherd_->terminate();
  turn();
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid(), SIGINT}));
  order(launch::StartTasks{{a_task(2)}, "", {}});
  EXPECT_THAT(env_.spawned, SizeIs(1));  // nothing new
  ends(0, SIGINT);
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, a_restart_puts_its_files_in_place_and_tells_no_end_of_the_old) {
  begin();
  launch::RestartTasks restart;
  restart.tasks = {{TaskNumber{1}, a_task(2)}};
  restart.files = {{"hosts", "h1 2", false}};
  restart.grace = seconds(3);
  order(restart);
  EXPECT_TRUE(env_.files.contains("/run/wm/7-0.1.d/hosts"));
  EXPECT_THAT(env_.take_sent(), ElementsAre(Sent{pid(), SIGTERM}));
  ends(0, SIGTERM);
  ASSERT_THAT(env_.spawned, SizeIs(2));
  EXPECT_THAT(env_.records, IsEmpty());
  ends(1, 0);
  EXPECT_EQ(of(2).status, 0);
  EXPECT_THAT(env_.removed, ElementsAre("/run/wm/7-0.1.d"));
}

TEST_F(shepherd, what_has_ended_when_a_restart_is_heard_is_not_started_again) {
  begin();
  launch::RestartTasks restart;
  restart.tasks = {{TaskNumber{1}, a_task(1)}};
  env_.exit(pid(), 0);
  order(restart);
  EXPECT_THAT(env_.take_sent(), IsEmpty());
  EXPECT_THAT(env_.spawned, SizeIs(1));
  EXPECT_EQ(of(1).status, 0);
  EXPECT_EQ(of(1).cause, EndCause::Exited);
}

TEST_F(shepherd, what_has_ended_when_it_is_asked_to_leave_has_ended_by_itself) {
  begin();
  env_.exit(pid(), 0);
  order(launch::EndTasks{{TaskNumber{1}}, false, SIGTERM, "asked to leave"});
  EXPECT_EQ(of(1).cause, EndCause::Exited);
}

TEST_F(shepherd, a_notice_is_run_once_a_number_while_it_runs) {
  begin();
  launch::Notice notice{5, {}};
  notice.command.argv = {"notify"};
  order(notice);
  order(notice);
  EXPECT_THAT(env_.spawned, SizeIs(2));
  ends(1, 0);
  EXPECT_THAT(env_.words<launch::Noticed>(), ElementsAre(launch::Noticed{5, 0}));
}

TEST_F(shepherd, output_is_copied_before_the_end_is_told) {
  begin();
  env_.set(env_.spawned[0].out, Waiting::Bytes);
  EXPECT_THAT(shepherd_->descriptors(), Contains(env_.spawned[0].out));
  turn();
  ASSERT_THAT(env_.parts_forked, SizeIs(1));
  ends(0, 0);
  EXPECT_THAT(env_.records, IsEmpty());
  env_.exit(env_.parts_forked[0], 0);
  turn();
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, a_failure_for_memory_is_known_at_once_though_others_still_run) {
  begin({a_task(1), a_task(2)});
  env_.counted.oom_kills = 1;
  ends(0, SIGKILL);
  EXPECT_EQ(of(1).cause, EndCause::MemLimit);
  EXPECT_FALSE(env_.lives(pid(1)));
}

TEST_F(shepherd, the_attempts_record_has_what_all_children_used) {
  begin({a_task(1), a_task(2)});
  env_.exit(pid(0), 0, {seconds(3), Bytes{500}, Bytes{1}, Bytes{2}});
  env_.exit(pid(1), 0, {seconds(4), Bytes{400}, Bytes{10}, Bytes{20}});
  turn();
  EXPECT_EQ(of(1).usage.cpu, seconds(3));
  EXPECT_EQ(of(0).usage.cpu, seconds(7));
  EXPECT_EQ(of(0).usage.max_mem, Bytes{500});
  EXPECT_EQ(of(0).usage.read, Bytes{11});
}

TEST_F(shepherd, nothing_runs_where_its_files_cannot_be_put_whole) {
  spec_.files = {{"script", "echo all of it\n", true}};
  env_.folder_full = true;
  begin();
  turn();
  EXPECT_THAT(env_.spawned, IsEmpty());
  EXPECT_EQ(of(1).cause, EndCause::StartFailed) << "the host's fault";
  EXPECT_EQ(of(1).text, "write script: No space left on device");
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, where_only_an_agent_was_the_end_of_all_ends_the_attempt) {
  spec_.ends_with_last_task = false;
  spec_.agent_argv = {"wagent"};
  begin({});
  turn();
  ASSERT_THAT(env_.spawned, SizeIs(1));
  order(launch::EndTasks{{}, true, 0, "bkill"});
  EXPECT_THAT(env_.take_sent(), Contains(Sent{pid(), SIGTERM}));
  ends(0, 0);
  EXPECT_TRUE(shepherd_->over());
}

}  // namespace
}  // namespace wm::shepherd
