// Whole attempts, without a process: from the order to the record of their end.
#include "daemons/wshepherd/shepherd.h"

#include <signal.h>

#include <cerrno>

#include "test/unit/wshepherd/fake_kernel.h"

namespace wm::shepherd {
namespace {

using launch::EndCause;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class shepherd : public ::testing::Test {
 protected:
  void begin(std::vector<launch::TaskSpec> tasks = {a_task(1)}) {
    spec_.tasks = std::move(tasks);
    shepherd_.emplace(kernel_.parts(), a_place(), spec_);
    shepherd_->begin();
  }
  void order(launch::ShepherdOrder order) {
    shepherd_->obey(std::move(order));
    turn();
  }
  void turn() {
    shepherd_->hear();
    shepherd_->turn();
  }
  pid_t pid(std::size_t nth = 0) const { return kernel_.spawned.at(nth).pid; }
  void ends(std::size_t nth, int status) {
    kernel_.exit(pid(nth), status);
    turn();
  }
  /// The only one of what was recorded.
  const launch::ExitRecord& of(std::uint32_t task) const {
    for (const auto& record : kernel_.records)
      if (record.task == TaskNumber{task}) return record;
    ADD_FAILURE() << "no record of task " << task;
    return kernel_.records.at(0);
  }

  FakeKernel kernel_;
  launch::AttemptSpec spec_ = a_spec();
  std::optional<Shepherd> shepherd_;
};

TEST_F(shepherd, a_task_runs_ends_is_recorded_then_told_then_the_attempt) {
  begin();
  EXPECT_THAT(kernel_.words<launch::ShepherdUp>(), SizeIs(1));
  EXPECT_THAT(kernel_.words<launch::TaskStarted>(), SizeIs(1));
  turn();
  EXPECT_FALSE(shepherd_->over());
  ends(0, 3 << 8);
  EXPECT_TRUE(shepherd_->over());
  ASSERT_THAT(kernel_.records, SizeIs(2));
  EXPECT_EQ(of(1).status, 3 << 8);
  EXPECT_EQ(of(1).cause, EndCause::Exited);
  EXPECT_EQ(of(0).pid, FakeKernel::kSelf);
  EXPECT_THAT(kernel_.words<launch::TaskEnded>(), SizeIs(1));
  EXPECT_THAT(kernel_.words<launch::AttemptEnded>(), SizeIs(1));
}

TEST_F(shepherd, a_trial_has_not_ended_before_its_report_is_in_the_record) {
  auto task = a_task(1);
  task.report_by = {"/s/wagent", "--report", "/r/7"};
  begin({task});
  ends(0, 0);
  EXPECT_THAT(kernel_.records, IsEmpty());
  EXPECT_LE(shepherd_->next(), kernel_.now() + std::chrono::milliseconds(200));
  kernel_.set(kernel_.spawned.at(1).out, Waiting::Bytes, "{\"a\":1}");
  ends(1, 0);
  EXPECT_EQ(of(1).report, "{\"a\":1}");
  ASSERT_THAT(kernel_.words<launch::TaskEnded>(), SizeIs(1));
  EXPECT_EQ(kernel_.words<launch::TaskEnded>()[0].record.report, "{\"a\":1}");
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, nothing_is_told_before_it_is_on_disk) {
  begin();
  kernel_.disk_full = true;
  ends(0, 0);
  EXPECT_THAT(kernel_.words<launch::TaskEnded>(), IsEmpty());
  EXPECT_FALSE(shepherd_->over());
  EXPECT_THAT(kernel_.complaints, Contains("exit record kept in memory: exits: no space left"));
  EXPECT_LE(shepherd_->next(), kernel_.now() + std::chrono::milliseconds(200));
  kernel_.disk_full = false;
  turn();
  EXPECT_THAT(kernel_.words<launch::TaskEnded>(), SizeIs(1));
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, the_attempt_does_not_end_while_its_group_has_members) {
  begin();
  kernel_.inside = {4711};
  ends(0, 0);
  EXPECT_FALSE(shepherd_->over());
  kernel_.inside.clear();
  turn();
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, what_a_task_leaves_ends_before_it_is_told) {
  spec_.stray_grace = seconds(2);
  begin();
  auto left = kernel_.add(pid(), pid());
  ends(0, 0);
  EXPECT_TRUE(kernel_.lives(left));
  EXPECT_THAT(kernel_.records, IsEmpty());
  kernel_.pass(seconds(2));
  turn();
  EXPECT_FALSE(kernel_.lives(left));
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, bkill_sends_the_sequence_and_the_record_says_who) {
  begin();
  order(launch::EndTasks{{}, false, 0, "TERM_OWNER"});
  EXPECT_THAT(kernel_.take_sent(), ElementsAre(Sent{pid(), SIGINT}));
  order(launch::EndTasks{{}, false, 0, "again"});
  EXPECT_THAT(kernel_.take_sent(), IsEmpty());
  kernel_.pass(seconds(9));
  turn();
  EXPECT_THAT(kernel_.take_sent(), IsEmpty());
  kernel_.pass(seconds(1));
  turn();
  EXPECT_THAT(kernel_.take_sent(), ElementsAre(Sent{pid(), SIGTERM}));
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
  EXPECT_FALSE(kernel_.lives(pid(0)));
  EXPECT_TRUE(kernel_.lives(pid(1)));
  EXPECT_THAT(kernel_.records, SizeIs(1));
  EXPECT_FALSE(shepherd_->over());
}

TEST_F(shepherd, the_run_limit_counts_only_while_the_job_is_not_suspended) {
  spec_.run_limit = seconds(60);
  begin();
  kernel_.pass(seconds(50));
  order(launch::Suspend{true});
  kernel_.pass(seconds(1000));
  turn();
  EXPECT_THAT(kernel_.sent, IsEmpty());
  order(launch::Suspend{false});
  kernel_.pass(seconds(9));
  turn();
  EXPECT_THAT(kernel_.sent, IsEmpty());
  EXPECT_EQ(shepherd_->next(), kernel_.now() + seconds(1));
  kernel_.pass(seconds(1));
  turn();
  EXPECT_THAT(kernel_.sent, ElementsAre(Sent{pid(), SIGUSR2}));
  ends(0, SIGUSR2);
  EXPECT_EQ(of(1).cause, EndCause::RunLimit);
}

TEST_F(shepherd, a_job_is_warned_by_a_signal_or_a_command) {
  spec_.run_limit = seconds(60);
  spec_.warning = {seconds(20), SIGURG, {}};
  begin();
  kernel_.pass(seconds(40));
  turn();
  turn();
  EXPECT_THAT(kernel_.take_sent(), ElementsAre(Sent{-pid(), SIGURG}));
  spec_.warning.command.argv = {"warn"};
  begin();
  kernel_.pass(seconds(40));
  turn();
  EXPECT_THAT(kernel_.spawned.back().argv, ElementsAre("warn"));
}

TEST_F(shepherd, another_run_limit_counts_from_its_order) {
  spec_.run_limit = seconds(60);
  begin();
  kernel_.pass(seconds(50));
  order(launch::LimitRun{seconds(100)});
  kernel_.pass(seconds(99));
  turn();
  EXPECT_THAT(kernel_.sent, IsEmpty());
  kernel_.pass(seconds(1));
  turn();
  EXPECT_THAT(kernel_.sent, SizeIs(1));
}

TEST_F(shepherd, a_signal_of_the_user_goes_to_the_group_that_of_the_job_to_all) {
  begin();
  order(launch::SignalTasks{{}, SIGUSR1});
  EXPECT_THAT(kernel_.take_sent(), ElementsAre(Sent{-pid(), SIGUSR1}));
  order(launch::SignalTasks{{}, SIGSTOP});
  EXPECT_THAT(kernel_.take_sent(), ElementsAre(Sent{pid(), SIGSTOP}));
  order(launch::SignalTasks{{TaskNumber{9}}, SIGUSR1});
  EXPECT_THAT(kernel_.take_sent(), IsEmpty());
}

TEST_F(shepherd, more_tasks_come_and_those_known_do_not) {
  spec_.limits.mem = 100;
  begin();
  order(launch::StartTasks{{a_task(1), a_task(2)}, "memo", {.mem = 200}});
  EXPECT_THAT(kernel_.spawned, SizeIs(2));
  EXPECT_EQ(kernel_.mem_limit, 200U);
  EXPECT_EQ(shepherd_->who_i_am().memo, "memo");
}

TEST_F(shepherd, tasks_that_come_before_the_prolog_is_done_wait_with_the_others) {
  launch::SideCommand prolog;
  prolog.argv = {"prolog"};
  spec_.before = {prolog};
  begin();
  order(launch::StartTasks{{a_task(2)}, "", {}});
  EXPECT_THAT(kernel_.spawned, SizeIs(1));
  ends(0, 0);
  EXPECT_THAT(kernel_.spawned, SizeIs(3));
}

TEST_F(shepherd, an_end_before_the_prolog_is_done_refuses_the_tasks) {
  launch::SideCommand prolog;
  prolog.argv = {"prolog"};
  spec_.before = {prolog};
  begin();
  order(launch::EndTasks{{}, false, 0, "bkill"});
  EXPECT_FALSE(kernel_.lives(pid()));
  turn();
  EXPECT_EQ(of(1).cause, EndCause::Ordered);
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, an_attempt_for_tasks_to_come_lives_till_it_is_to_finish) {
  spec_.ends_with_last_task = false;
  begin();
  ends(0, 0);
  EXPECT_THAT(kernel_.records, SizeIs(1));
  EXPECT_FALSE(shepherd_->over());
  order(launch::Finish{"done"});
  EXPECT_TRUE(shepherd_->over());
  EXPECT_EQ(of(0).text, "done");
}

TEST_F(shepherd, told_to_terminate_it_ends_what_runs) {
  begin();
  shepherd_->terminate();
  turn();
  EXPECT_THAT(kernel_.take_sent(), ElementsAre(Sent{pid(), SIGINT}));
  order(launch::StartTasks{{a_task(2)}, "", {}});
  EXPECT_THAT(kernel_.spawned, SizeIs(1));  // nothing new
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
  EXPECT_TRUE(kernel_.files.contains("/run/wm/7-0.1.d/hosts"));
  EXPECT_THAT(kernel_.take_sent(), ElementsAre(Sent{pid(), SIGTERM}));
  ends(0, SIGTERM);
  ASSERT_THAT(kernel_.spawned, SizeIs(2));
  EXPECT_THAT(kernel_.records, IsEmpty());
  ends(1, 0);
  EXPECT_EQ(of(2).status, 0);
  EXPECT_THAT(kernel_.removed, ElementsAre("/run/wm/7-0.1.d"));
}

TEST_F(shepherd, what_has_ended_when_a_restart_is_heard_is_not_started_again) {
  begin();
  launch::RestartTasks restart;
  restart.tasks = {{TaskNumber{1}, a_task(1)}};
  kernel_.exit(pid(), 0);
  order(restart);
  EXPECT_THAT(kernel_.take_sent(), IsEmpty());
  EXPECT_THAT(kernel_.spawned, SizeIs(1));
  EXPECT_EQ(of(1).status, 0);
  EXPECT_EQ(of(1).cause, EndCause::Exited);
}

TEST_F(shepherd, what_has_ended_when_it_is_asked_to_leave_has_ended_by_itself) {
  begin();
  kernel_.exit(pid(), 0);
  order(launch::EndTasks{{TaskNumber{1}}, false, SIGTERM, "asked to leave"});
  EXPECT_EQ(of(1).cause, EndCause::Exited);
}

TEST_F(shepherd, a_notice_is_run_once_a_number_while_it_runs) {
  begin();
  launch::Notice notice{5, {}};
  notice.command.argv = {"notify"};
  order(notice);
  order(notice);
  EXPECT_THAT(kernel_.spawned, SizeIs(2));
  ends(1, 0);
  EXPECT_THAT(kernel_.words<launch::Noticed>(), ElementsAre(launch::Noticed{5, 0}));
}

TEST_F(shepherd, output_is_copied_before_the_end_is_told) {
  begin();
  kernel_.set(kernel_.spawned[0].out, Waiting::Bytes);
  EXPECT_THAT(shepherd_->descriptors(), Contains(kernel_.spawned[0].out));
  turn();
  ASSERT_THAT(kernel_.parts_forked, SizeIs(1));
  ends(0, 0);
  EXPECT_THAT(kernel_.records, IsEmpty());
  kernel_.exit(kernel_.parts_forked[0], 0);
  turn();
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, a_failure_for_memory_is_known_at_once_though_others_still_run) {
  begin({a_task(1), a_task(2)});
  kernel_.counted.oom_kills = 1;
  ends(0, SIGKILL);
  EXPECT_EQ(of(1).cause, EndCause::MemLimit);
  EXPECT_FALSE(kernel_.lives(pid(1)));
}

TEST_F(shepherd, the_attempts_record_has_what_all_children_used) {
  begin({a_task(1), a_task(2)});
  kernel_.exit(pid(0), 0, {seconds(3), Bytes{500}, Bytes{1}, Bytes{2}});
  kernel_.exit(pid(1), 0, {seconds(4), Bytes{400}, Bytes{10}, Bytes{20}});
  turn();
  EXPECT_EQ(of(1).usage.cpu, seconds(3));
  EXPECT_EQ(of(0).usage.cpu, seconds(7));
  EXPECT_EQ(of(0).usage.max_mem, Bytes{500});
  EXPECT_EQ(of(0).usage.read, Bytes{11});
}

TEST_F(shepherd, the_end_is_told_once_the_report_is_in_the_output_file) {
  spec_.report.file.path = "out";
  begin({a_task(1), a_task(2)});
  ends(0, 0);
  EXPECT_THAT(kernel_.words<launch::TaskEnded>(), SizeIs(1)) << "others go by it";
  ends(1, 0);
  EXPECT_THAT(kernel_.records, SizeIs(1));
  EXPECT_LE(shepherd_->next(), kernel_.now() + std::chrono::milliseconds(200));
  ASSERT_THAT(kernel_.parts_forked, SizeIs(1));
  kernel_.exit(kernel_.parts_forked[0], 0);
  turn();
  EXPECT_THAT(kernel_.words<launch::TaskEnded>(), SizeIs(2));
  EXPECT_TRUE(shepherd_->over());
  EXPECT_THAT(kernel_.parts_forked, SizeIs(1));
}

class shepherd_of_launchers : public shepherd {
 protected:
  void begin_first() {
    spec_.report.file.path = "out";
    spec_.agent_argv = {"wagent"};
    auto task = a_task(1);
    task.tag = task.writer = true;
    begin({task});
    for (std::size_t i = 0; i < kernel_.spawned.size(); ++i)
      (kernel_.spawned[i].argv.front() == "wagent" ? agent_ : launcher_) = i;
  }
  std::size_t agent_ = 0, launcher_ = 0;
};

TEST_F(shepherd_of_launchers, a_restart_of_what_another_host_runs_is_told_to_the_ranks_here) {
  begin_first();
  kernel_.take_sent();
  auto shell = kernel_.add(pid(agent_)), daemon = kernel_.add(shell), rank = kernel_.add(daemon);
  kernel_.table[daemon].name = "prted";
  order(launch::RestartTasks{});
  EXPECT_THAT(kernel_.take_sent(), ElementsAre(Sent{rank, SIGTERM}));
  order(launch::SignalTasks{{}, SIGTERM});
  EXPECT_THAT(kernel_.take_sent(),
              ElementsAre(Sent{-pid(launcher_), SIGTERM}, Sent{rank, SIGTERM}));
}

TEST_F(shepherd, a_preemption_is_told_to_the_ranks_of_mpirun_not_to_it) {
  begin();
  auto mpirun = kernel_.add(pid()), rank = kernel_.add(mpirun);
  kernel_.table[mpirun].name = "mpirun";
  order(launch::SignalTasks{{}, SIGTERM});
  EXPECT_THAT(kernel_.take_sent(), ElementsAre(Sent{pid(), SIGTERM}, Sent{rank, SIGTERM}));
}

TEST_F(shepherd_of_launchers, the_report_waits_until_the_agent_has_written_what_the_others_say) {
  begin_first();
  kernel_.take_sent();
  ends(launcher_, 0);
  EXPECT_THAT(kernel_.take_sent(), ElementsAre(Sent{pid(agent_), SIGTERM}));
  EXPECT_THAT(kernel_.parts_forked, IsEmpty());
  ends(agent_, 0);
  ASSERT_THAT(kernel_.parts_forked, SizeIs(1));
  EXPECT_THAT(kernel_.words<launch::TaskEnded>(), IsEmpty());
  kernel_.exit(kernel_.parts_forked[0], 0);
  turn();
  EXPECT_THAT(kernel_.words<launch::TaskEnded>(), SizeIs(1));
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd_of_launchers, one_that_ended_well_has_not_ended_before_the_others) {
  begin_first();
  ends(launcher_, 0);
  kernel_.pass(seconds(1000));
  turn();
  EXPECT_THAT(kernel_.parts_forked, IsEmpty());
  EXPECT_THAT(kernel_.words<launch::TaskEnded>(), IsEmpty());
  EXPECT_TRUE(kernel_.lives(pid(agent_)));
  order(launch::Finish{"not wanted"});
  kernel_.pass(seconds(31));
  turn();
  EXPECT_FALSE(kernel_.lives(pid(agent_))) << "nobody is kept for ever";
}

TEST_F(shepherd_of_launchers, others_that_go_on_are_not_waited_for_but_written_for) {
  begin_first();
  ends(launcher_, 256);
  kernel_.pass(seconds(1));
  turn();
  ASSERT_THAT(kernel_.parts_forked, SizeIs(1));
  kernel_.exit(kernel_.parts_forked[0], 0);
  turn();
  EXPECT_THAT(kernel_.words<launch::TaskEnded>(), SizeIs(1)) << "they end when they hear of it";
  kernel_.pass(seconds(100));
  turn();
  EXPECT_FALSE(shepherd_->over());
  EXPECT_TRUE(kernel_.lives(pid(agent_)));
  ends(agent_, 0);
  EXPECT_TRUE(shepherd_->over());
}

class shepherd_delivers : public shepherd {
 protected:
  using Ended = launch::TaskEnded;
  using Delivered = launch::Delivered;
  launch::SideCommand command(const std::string& what) {
    launch::SideCommand made;
    made.what = what;
    made.argv = {what};
    return made;
  }
  void begin_job() {
    spec_.report.file.path = "out";
    spec_.copies = {command("copy 1"), command("copy 2")};
    spec_.copy_limit = seconds(60);
    spec_.after = {command("post")};
    begin();
  }
  void report_written(int status = 0) {
    kernel_.exit(kernel_.parts_forked.back(), status);
    turn();
  }
  std::vector<std::string> started() const {
    std::vector<std::string> names;
    for (const auto& spawned : kernel_.spawned) names.push_back(spawned.argv.front());
    return names;
  }
};

TEST_F(shepherd_delivers, copies_then_the_report_then_the_end_then_post_execution) {
  begin_job();
  ends(0, 0);
  EXPECT_THAT(started(), ElementsAre("work", "copy 1"));
  ends(1, 0);
  EXPECT_THAT(started(), ElementsAre("work", "copy 1", "copy 2"));
  EXPECT_THAT(kernel_.parts_forked, IsEmpty());
  ends(2, 0);
  ASSERT_THAT(kernel_.parts_forked, SizeIs(1));
  EXPECT_THAT(kernel_.words<Ended>(), IsEmpty());
  report_written();
  ASSERT_THAT(kernel_.words<Ended>(), SizeIs(1));
  EXPECT_FALSE(kernel_.words<Ended>()[0].delivers) << "all is there";
  EXPECT_THAT(kernel_.words<Delivered>(), IsEmpty());
  EXPECT_THAT(started(), ElementsAre("work", "copy 1", "copy 2", "post"));
  ends(3, 0);
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd_delivers, what_takes_more_than_a_moment_does_not_keep_the_slot) {
  begin_job();
  ends(0, 0);
  EXPECT_EQ(shepherd_->next(), kernel_.now() + std::chrono::milliseconds(50));
  kernel_.pass(std::chrono::milliseconds(50));
  turn();
  ASSERT_THAT(kernel_.words<Ended>(), SizeIs(1));
  EXPECT_TRUE(kernel_.words<Ended>()[0].delivers);
  EXPECT_THAT(kernel_.words<Delivered>(), IsEmpty());
  EXPECT_TRUE(shepherd_->who_i_am().delivers) << "a wnoded that is started again hears of it";
  ends(1, 0);
  ends(2, 0);
  EXPECT_THAT(kernel_.words<Delivered>(), IsEmpty());
  EXPECT_THAT(started(), ElementsAre("work", "copy 1", "copy 2")) << "post-execution comes after";
  report_written();
  EXPECT_THAT(kernel_.words<Delivered>(), ElementsAre(Delivered{}));
  EXPECT_FALSE(shepherd_->who_i_am().delivers);
  ends(3, 0);
  EXPECT_TRUE(shepherd_->over());
  EXPECT_THAT(kernel_.words<Delivered>(), SizeIs(1));
}

TEST_F(shepherd_delivers, a_copy_that_hangs_is_late_and_the_report_says_so) {
  begin_job();
  ends(0, 0);
  kernel_.pass(seconds(60));
  turn();
  EXPECT_FALSE(kernel_.lives(pid(1)));
  turn();
  EXPECT_THAT(started(), ElementsAre("work", "copy 1")) << "no time is left for the second";
  report_written();
  ASSERT_THAT(kernel_.words<Delivered>(), SizeIs(1));
  EXPECT_THAT(kernel_.words<Delivered>()[0].text, ::testing::HasSubstr("copy late"));
}

TEST_F(shepherd_delivers, a_report_is_waited_for_five_seconds_and_written_on) {
  spec_.report.file.path = "out";
  begin();
  ends(0, 0);
  kernel_.pass(std::chrono::milliseconds(50));
  turn();
  EXPECT_THAT(kernel_.words<Delivered>(), IsEmpty());
  kernel_.pass(seconds(5));
  turn();
  EXPECT_THAT(kernel_.words<Delivered>(), ElementsAre(Delivered{"report late"}));
  EXPECT_TRUE(kernel_.lives(kernel_.parts_forked.at(0)));
  EXPECT_FALSE(shepherd_->over());
  report_written();
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd_delivers, what_cannot_be_written_is_said_with_the_end) {
  spec_.report.file.path = "out";
  begin();
  ends(0, 0);
  report_written(ENOSPC << 8);
  EXPECT_EQ(of(1).text, "report lost: No space left on device");
  EXPECT_EQ(of(1).cause, EndCause::Exited) << "its output is there";
}

TEST_F(shepherd_delivers, the_end_is_on_disk_and_told_before_the_delivery) {
  begin_job();
  kernel_.disk_full = true;
  ends(0, 0);
  kernel_.pass(seconds(1));
  ends(1, 0);
  ends(2, 0);
  report_written();
  EXPECT_THAT(kernel_.words<Delivered>(), IsEmpty());
  kernel_.disk_full = false;
  turn();
  turn();
  EXPECT_THAT(kernel_.words<Ended>(), SizeIs(1));
  EXPECT_THAT(kernel_.words<Delivered>(), SizeIs(1));
}

TEST_F(shepherd_delivers,
       of_a_job_that_changes_its_size_the_writer_owes_it_till_all_are_told_to_end) {
  spec_.report.file.path = "out";
  spec_.ends_with_last_task = false;
  auto writer = a_task(1);
  writer.writer = true;
  begin({writer, a_task(2)});
  ends(0, 0);
  ends(1, 0);
  ASSERT_THAT(kernel_.words<Ended>(), SizeIs(2));
  EXPECT_TRUE(kernel_.words<Ended>()[0].delivers);
  EXPECT_FALSE(kernel_.words<Ended>()[1].delivers);
  EXPECT_THAT(kernel_.parts_forked, IsEmpty()) << "another task may come";
  order(launch::EndTasks{});
  turn();
  report_written();
  EXPECT_THAT(kernel_.words<Delivered>(), ElementsAre(Delivered{}));
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd_delivers, without_files_nothing_is_waited_for) {
  spec_.after = {command("post")};
  begin();
  ends(0, 0);
  ASSERT_THAT(kernel_.words<Ended>(), SizeIs(1));
  EXPECT_FALSE(kernel_.words<Ended>()[0].delivers);
}

TEST_F(shepherd, nothing_runs_where_its_files_cannot_be_put_whole) {
  spec_.files = {{"script", "echo all of it\n", true}};
  kernel_.folder_full = true;
  begin();
  turn();
  EXPECT_THAT(kernel_.spawned, IsEmpty());
  EXPECT_EQ(of(1).cause, EndCause::StartFailed) << "the host's fault";
  EXPECT_EQ(of(1).text, "write script: No space left on device");
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, commands_after_the_tasks_keep_neither_the_report_nor_the_end) {
  launch::SideCommand post;
  post.argv = {"post"};
  spec_.after = {post};
  spec_.report.file.path = "out";
  begin();
  ends(0, 0);
  ASSERT_THAT(kernel_.spawned, SizeIs(1));
  kernel_.exit(kernel_.parts_forked.at(0), 0);
  turn();
  EXPECT_THAT(kernel_.words<launch::TaskEnded>(), SizeIs(1));
  EXPECT_FALSE(shepherd_->over());
  ends(1, 0);
  EXPECT_TRUE(shepherd_->over());
}

TEST_F(shepherd, the_end_waits_for_no_report_that_only_another_end_or_a_mail_brings) {
  auto told_at_once = [this](auto change) {
    kernel_.said.clear();
    auto usual = spec_;
    spec_.report.file.path = "out";
    change(spec_);
    begin();
    ends(kernel_.spawned.size() - 1, 0);
    spec_ = usual;
    return kernel_.words<launch::TaskEnded>().size() == 1;
  };
  EXPECT_TRUE(told_at_once([](auto& spec) { spec.ends_with_last_task = false; }));
  EXPECT_TRUE(told_at_once([](auto& spec) { spec.out = {{.path = "out", .name = {}}}; }));
  EXPECT_TRUE(told_at_once([](auto& spec) { spec.report.mail_at_end = true; }));
  EXPECT_FALSE(told_at_once([](auto&) {}));
}

TEST_F(shepherd, where_only_an_agent_was_the_end_of_all_ends_the_attempt) {
  spec_.ends_with_last_task = false;
  spec_.agent_argv = {"wagent"};
  begin({});
  turn();
  ASSERT_THAT(kernel_.spawned, SizeIs(1));
  order(launch::EndTasks{{}, true, 0, "bkill"});
  EXPECT_THAT(kernel_.take_sent(), Contains(Sent{pid(), SIGTERM}));
  ends(0, 0);
  EXPECT_TRUE(shepherd_->over());
}

}  // namespace
}  // namespace wm::shepherd
