// Real zygote, real shepherds: commands before, beside and after the tasks, and tasks that are
// started again in the same place.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include "test/support/zygote.h"

namespace wm::test {
namespace {

using launch::AttemptEnded;
using launch::EndCause;
using launch::TaskEnded;
using std::chrono::milliseconds;
using std::chrono::seconds;

launch::SideCommand side(const std::string& what, const std::string& command, bool site = false) {
  return {what, {"/bin/sh", "-c", command}, {"PATH=/usr/bin:/bin"}, site, seconds(20)};
}

/// Everything a shepherd says from its start to the end of the attempt.
struct Story {
  std::vector<launch::ExitRecord> ends;
  std::vector<std::string> script_failures;
  bool started = false;
};
Story run(Zygote& zygote, const launch::AttemptSpec& spec) {
  Story story;
  auto fd = zygote.start(spec);
  while (auto word = next_word(fd)) {
    story.started = story.started || std::holds_alternative<launch::TaskStarted>(*word);
    if (auto* end = std::get_if<TaskEnded>(&*word)) story.ends.push_back(end->record);
    if (auto* failed = std::get_if<launch::ScriptFailed>(&*word))
      story.script_failures.push_back(failed->why);
    if (std::holds_alternative<AttemptEnded>(*word)) break;
  }
  return story;
}

TEST(around, commands_run_before_and_after_the_tasks_in_order) {
  Zygote zygote;
  auto log = " >> " + zygote.folder + "/log";
  auto spec = shell_attempt(zygote, 1, "echo task >> log; kill -9 $$");
  spec.before = {side("prolog", "echo prolog" + log, true), side("pre", "echo pre >> log")};
  spec.after = {side("post", "echo post $LSB_JOBEXIT_STAT $LSB_JOBEXIT_INFO >> log"),
                side("epilog", "echo epilog" + log, true)};
  auto story = run(zygote, spec);
  ASSERT_EQ(story.ends.size(), 1u);
  EXPECT_EQ(story.ends[0].cause, EndCause::Exited);
  EXPECT_EQ(zygote.read("log"), "prolog\npre\ntask\npost 9 SIGNAL 9 SIGKILL\nepilog\n");
}

TEST(around, the_sites_own_commands_have_a_mask_of_their_own) {
  Zygote zygote;
  auto log = "umask >> " + zygote.folder + "/log";
  auto spec = shell_attempt(zygote, 11, log);
  spec.umask = 0;
  spec.before = {side("prolog", log, true), side("pre", log)};
  spec.after = {side("epilog", log, true)};
  run(zygote, spec);
  EXPECT_EQ(zygote.read("log"), "0022\n0000\n0000\n0022\n");
}

TEST(around, a_failed_pre_execution_command_keeps_the_tasks_from_running) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 2, "echo task >> log");
  spec.before = {side("prolog", "true", true), side("pre-execution command", "exit 99")};
  spec.after = {side("post", "echo post >> log"),
                side("epilog", "echo epilog >> " + zygote.folder + "/log", true)};
  auto story = run(zygote, spec);
  ASSERT_EQ(story.ends.size(), 1u);
  EXPECT_FALSE(story.started);
  EXPECT_EQ(story.ends[0].cause, EndCause::PreExecFailed);
  EXPECT_EQ(WEXITSTATUS(story.ends[0].status), 99);
  EXPECT_EQ(story.ends[0].text, "pre-execution command exited with 99");
  EXPECT_EQ(zygote.read("log"), "epilog\n");
  EXPECT_TRUE(story.script_failures.empty());
}

TEST(around, a_prolog_that_fails_or_hangs_is_told_apart) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 3, "true");
  spec.before = {side("prolog", "exit 1", true)};
  auto story = run(zygote, spec);
  ASSERT_EQ(story.ends.size(), 1u);
  EXPECT_EQ(story.ends[0].cause, EndCause::PrologFailed);
  EXPECT_EQ(story.script_failures, (std::vector<std::string>{"prolog exited with 1"}));

  spec = shell_attempt(zygote, 4, "true");
  spec.before = {side("prolog", "sleep 1000 & sleep 1000", true)};
  spec.before[0].time_limit = milliseconds(200);
  story = run(zygote, spec);
  EXPECT_EQ(story.script_failures, (std::vector<std::string>{"prolog took longer than 200ms"}));
  EXPECT_EQ(story.ends.at(0).cause, EndCause::PrologFailed);
}

TEST(around, room_for_others_commands_ends_with_what_failed_before_them) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 11, "");
  spec.tasks.clear();
  spec.ends_with_last_task = false;
  spec.agent_argv = {"/bin/sh", "-c", "echo agent >> " + zygote.folder + "/log"};
  spec.before = {side("look for the image", "echo look >> log; exit 2")};
  auto fd = zygote.start(spec);
  auto end = await<AttemptEnded>(fd).record;
  EXPECT_EQ(end.cause, EndCause::PreExecFailed);
  EXPECT_EQ(WEXITSTATUS(end.status), 2);
  EXPECT_EQ(end.text, "look for the image exited with 2");
  EXPECT_EQ(zygote.read("log"), "look\n") << "nobody was let in before";
}

TEST(around, a_failed_epilog_is_told_and_the_job_is_well) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 5, "true");
  spec.after = {side("epilog", "kill -9 $$", true)};
  auto story = run(zygote, spec);
  EXPECT_EQ(story.ends.at(0).status, 0);
  EXPECT_EQ(story.script_failures, (std::vector<std::string>{"epilog was ended by signal 9"}));
}

TEST(around, a_job_ended_while_its_prolog_runs_ends_at_once) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 6, "true");
  spec.before = {side("prolog", "echo > " + zygote.folder + "/up; sleep 1000", true)};
  auto fd = zygote.start(spec);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(zygote.folder + "/up"); }));
  tell(fd, launch::EndTasks{{}, false, 0, "why"});
  auto record = await<TaskEnded>(fd).record;
  EXPECT_EQ(record.cause, EndCause::Ordered);
  EXPECT_EQ(record.text, "why");
  await<AttemptEnded>(fd);
}

TEST(around, a_notification_is_answered_with_its_number_and_status) {
  Zygote zygote;
  auto fd = zygote.start(shell_attempt(zygote, 7, "sleep 1000"));
  await<launch::TaskStarted>(fd);
  tell(fd, launch::Notice{5, side("notification", "exit 1")});
  auto answer = await<launch::Noticed>(fd);
  EXPECT_EQ(answer.number, 5u);
  EXPECT_EQ(WEXITSTATUS(answer.status), 1);
  auto slow = side("notification", "sleep 1000");
  slow.time_limit = milliseconds(100);
  tell(fd, launch::Notice{6, slow});
  EXPECT_EQ(await<launch::Noticed>(fd).status, -1);
  tell(fd, launch::EndTasks{{}, true, 0, ""});
  await<AttemptEnded>(fd);
}

/// The task of `spec` that takes the place of its own, or of another number's.
launch::Replacement replacement(launch::AttemptSpec spec, const std::string& command,
                                std::uint32_t number = 1) {
  auto task = spec.tasks[0];
  task.task = {number};
  task.argv = {"/bin/sh", "-c", command};
  return {TaskNumber{1}, task};
}

TEST(restart, a_task_makes_room_and_no_end_is_told) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 8,
                            "trap 'echo stopping >> log; exit 0' TERM; echo first >> log; "
                            "(setsid sleep 1000 &); while :; do sleep 0.02; done");
  auto fd = zygote.start(spec);
  auto first = await<launch::TaskStarted>(fd).task;
  ASSERT_TRUE(eventually([&] { return zygote.read("log") == "first\n"; }));
  launch::RestartTasks restart;
  restart.tasks = {replacement(spec, "pgrep -s 0 > /dev/null; echo second >> log; exit 5")};
  restart.grace = seconds(20);
  tell(fd, restart);
  auto word = next_word(fd);
  ASSERT_TRUE(word && std::holds_alternative<launch::TaskStarted>(*word));  // and no end before
  EXPECT_NE(std::get<launch::TaskStarted>(*word).task.pid, first.pid);
  auto record = await<TaskEnded>(fd).record;
  EXPECT_EQ(WEXITSTATUS(record.status), 5);
  EXPECT_EQ(zygote.read("log"), "first\nstopping\nsecond\n");
  await<AttemptEnded>(fd);
}

TEST(restart, one_that_ignores_the_signal_is_killed_after_the_grace) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 9, "trap '' TERM; echo > up; while :; do sleep 0.02; done");
  auto fd = zygote.start(spec);
  await<launch::TaskStarted>(fd);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(zygote.folder + "/up"); }));
  launch::RestartTasks restart;
  restart.tasks = {replacement(spec, "exit 6", 4)};
  restart.grace = milliseconds(200);
  tell(fd, restart);
  auto record = await<TaskEnded>(fd).record;
  EXPECT_EQ(record.task, TaskNumber{4});
  EXPECT_EQ(WEXITSTATUS(record.status), 6);
}

TEST(restart, a_task_that_still_waits_to_take_a_place_can_be_replaced) {
  Zygote zygote;
  auto spec =
      shell_attempt(zygote, 12, "trap '' TERM; echo > up; while ! [ -e go ]; do sleep 0.02; done");
  auto fd = zygote.start(spec);
  await<launch::TaskStarted>(fd);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(zygote.folder + "/up"); }));
  launch::RestartTasks restart;
  restart.tasks = {replacement(spec, "exit 6", 5)};
  restart.grace = seconds(100);
  tell(fd, restart);
  restart.tasks = {{TaskNumber{5}, replacement(spec, "exit 7", 5).spec}};
  tell(fd, restart);
  std::ofstream(zygote.folder + "/go") << "";
  auto record = await<TaskEnded>(fd).record;
  EXPECT_EQ(record.task, TaskNumber{5});
  EXPECT_EQ(WEXITSTATUS(record.status), 7);
}

TEST(restart, a_task_that_still_waits_to_take_a_place_can_be_ended) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 13, "trap '' TERM; echo > up; while :; do sleep 0.02; done");
  auto fd = zygote.start(spec);
  await<launch::TaskStarted>(fd);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(zygote.folder + "/up"); }));
  launch::RestartTasks restart;
  restart.tasks = {replacement(spec, "exit 6", 5)};
  restart.grace = seconds(100);
  tell(fd, restart);
  tell(fd, launch::EndTasks{{TaskNumber{5}}, true, 0, "why"});
  auto record = await<TaskEnded>(fd).record;
  EXPECT_EQ(record.task, TaskNumber{5});
  EXPECT_EQ(WTERMSIG(record.status), SIGKILL);
  EXPECT_EQ(record.text, "why");
  await<AttemptEnded>(fd);
}

TEST(restart, an_end_that_is_ordered_meanwhile_wins) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 10, "trap '' TERM; echo > up; while :; do sleep 0.02; done");
  auto fd = zygote.start(spec);
  await<launch::TaskStarted>(fd);
  ASSERT_TRUE(eventually([&] { return std::filesystem::exists(zygote.folder + "/up"); }));
  launch::RestartTasks restart;
  restart.tasks = {replacement(spec, "exit 6")};
  restart.grace = seconds(100);
  tell(fd, restart);
  tell(fd, launch::EndTasks{{}, true, 0, "why"});
  auto record = await<TaskEnded>(fd).record;
  EXPECT_EQ(WTERMSIG(record.status), SIGKILL);
  await<AttemptEnded>(fd);
}

}  // namespace
}  // namespace wm::test
