// Real zygote, real shepherds, real processes: what becomes of a task's output, of the files that
// were asked for, of reports and mail.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "test/fault/attempt_runs.h"

namespace wm::test {
namespace {

using launch::AttemptEnded;
using launch::EndCause;
using launch::TaskEnded;

TEST(shepherd_output, output_goes_to_its_files_in_full) {
  Zygote zygote;
  run_shell(zygote, 1, "seq 1 20000; echo bad >&2");
  auto out = zygote.read("out");
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 20000);
  EXPECT_EQ(zygote.read("err"), "bad\n");
}

TEST(shepherd_output, a_silent_task_makes_no_file_and_leaves_none) {
  Zygote zygote;
  run_shell(zygote, 1, "true");
  EXPECT_FALSE(std::filesystem::exists(zygote.folder + "/out"));
  EXPECT_TRUE(eventually([&] { return std::filesystem::is_empty(zygote.run); }));
}

TEST(shepherd_output, output_appends_or_overwrites_and_may_name_a_folder) {
  Zygote zygote;
  std::ofstream(zygote.folder + "/old") << "old\n";
  std::filesystem::create_directory(zygote.folder + "/dir");
  auto spec = shell_attempt(zygote, 1, "echo new");
  spec.tasks[0].out = {{.path = "old", .name = {}}, {.path = "dir", .name = "1.out"}};
  run_to_end(zygote, spec);
  EXPECT_EQ(zygote.read("old"), "old\nnew\n");
  EXPECT_EQ(zygote.read("dir/1.out"), "new\n");

  spec.key.job = {2, 0};
  spec.tasks[0].out = {{.path = "old", .name = {}, .overwrite = true, .at_start = true}};
  run_to_end(zygote, spec);
  EXPECT_EQ(zygote.read("old"), "new\n");
}

TEST(shepherd_output, an_unwritable_output_file_is_named_and_does_not_block) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 1, "seq 1 100000");
  spec.tasks[0].out = {{.path = "/no/such/folder/out", .name = {}}};
  auto record = run_to_end(zygote, spec);
  EXPECT_EQ(record.status, 0);
  EXPECT_NE(record.text.find("output lost"), std::string::npos);
}

TEST(shepherd_output, asked_files_are_there_when_nothing_is_written_and_replace_old_ones_if_asked) {
  Zygote zygote;
  std::ofstream(zygote.folder + "/old") << "old\n";
  std::ofstream(zygote.folder + "/kept") << "kept\n";
  auto spec = shell_attempt(zygote, 70, "[ -e new ] && cat kept old >&2");
  spec.tasks[0].out = {{.path = "old", .name = {}, .overwrite = true, .at_start = true},
                       {.path = "kept", .name = {}, .at_start = true},
                       {.path = "new", .name = {}, .at_start = true}};
  EXPECT_EQ(run_to_end(zygote, spec).status, 0);
  EXPECT_EQ(zygote.read("err"), "kept\n");
  EXPECT_EQ(zygote.read("old"), "");
  EXPECT_EQ(zygote.read("kept"), "kept\n");
}

TEST(shepherd_output, a_task_whose_asked_file_cannot_be_made_does_not_run_and_says_why) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 71, "echo > ran; echo output");
  spec.tasks[0].err.clear();
  spec.tasks[0].merge_err = true;
  spec.tasks[0].out = {{.path = "no/such/out", .name = {}, .at_start = true}};
  auto record = run_to_end(zygote, spec);
  EXPECT_EQ(record.cause, EndCause::OwnFault);
  EXPECT_EQ(record.text, "output file no/such/out: No such file or directory");
  EXPECT_FALSE(std::filesystem::exists(zygote.folder + "/ran"));
}

TEST(shepherd_output, an_asked_fifo_is_left_to_whoever_writes) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 72, "true");
  spec.tasks[0].out = {{.path = zygote.folder + "/fifo", .name = {}, .at_start = true}};
  ASSERT_EQ(::mkfifo(spec.tasks[0].out[0].path.c_str(), 0600), 0);
  EXPECT_EQ(run_to_end(zygote, spec).status, 0);
}

TEST(shepherd_output, the_report_ends_the_output_file_as_clients_parse_it_when_the_end_is_told) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 1, "echo hello; exit 3");
  spec.report.file = spec.tasks[0].out[0];
  spec.report.job_text = "echo hello; exit 3";
  auto fd = zygote.start(spec);
  await<TaskEnded>(fd);
  auto text = zygote.read("out");
  EXPECT_TRUE(text.starts_with("hello\n"));
  EXPECT_NE(text.find("Exited with exit code 3.\n\nResource usage summary:\n"), text.npos) << text;
}

TEST(shepherd_output, the_output_of_a_job_without_a_file_is_mailed_with_its_report) {
  Zygote zygote;
  auto sink = zygote.folder + "/sendmail";
  std::ofstream(sink) << "#!/bin/sh\necho \"$@\" > args\ncat > mail\n";
  ::chmod(sink.c_str(), 0700);
  auto spec = shell_attempt(zygote, 73, "echo hello; exit 3");
  spec.report.product = "WM";
  spec.report.job_name = "name\nBcc: all";
  spec.report.mail_to = "ann";
  spec.report.mail_at_end = true;
  spec.report.sendmail = sink;
  spec.report.mailed = {zygote.folder + "/out", zygote.folder + "/nothing"};
  run_to_end(zygote, spec);
  auto mail = zygote.read("mail");
  EXPECT_EQ(zygote.read("args"), "-oi -t\n");
  EXPECT_TRUE(mail.starts_with("From: WM System <>\nTo: ann\nSubject: Job 73: <name Bcc: all>"))
      << mail;
  EXPECT_NE(mail.find("Exited with exit code 3.\n"), mail.npos);
  EXPECT_TRUE(mail.ends_with("The output (if any) follows:\n\nhello\n")) << mail;
}

TEST(shepherd_output, a_job_whose_owner_wants_it_is_told_of_by_mail_when_it_starts) {
  Zygote zygote;
  auto sink = zygote.folder + "/sendmail";
  std::ofstream(sink) << "#!/bin/sh\ncat > mail.part; mv mail.part mail\n";
  ::chmod(sink.c_str(), 0700);
  auto spec = shell_attempt(zygote, 75, "until [ -e mail ]; do :; done; echo after it");
  spec.report.product = "WM";
  spec.report.job_name = "long";
  spec.report.cluster = "c1";
  spec.report.mail_to = "ann, bob";
  spec.report.sendmail = sink;
  spec.report.mail_at_start = true;
  run_to_end(zygote, spec);
  auto mail = zygote.read("mail");
  EXPECT_TRUE(
      mail.starts_with("From: WM System <>\nTo: ann, bob\n"
                       "Subject: Job 75: <long> in cluster <c1> started\n\n"))
      << mail;
  EXPECT_NE(mail.find("\nStarted at "), mail.npos) << mail;
  EXPECT_EQ(mail.find("Terminated"), mail.npos) << mail;
  EXPECT_EQ(zygote.read("out"), "after it\n") << "no report was asked for";
}

TEST(shepherd_output, a_report_file_that_nobody_reads_does_not_keep_the_attempt) {
  Zygote zygote;
  auto spec = shell_attempt(zygote, 64, "true");
  spec.report.file = {.path = zygote.folder + "/fifo", .name = {}};
  ASSERT_EQ(::mkfifo(spec.report.file.path.c_str(), 0600), 0);
  EXPECT_EQ(run_to_end(zygote, spec).status, 0);  // the attempt's end comes, too
}

TEST(shepherd_output, a_task_whose_turn_comes_writes_the_jobs_file_until_that_of_another_comes) {
  Zygote zygote;
  std::ofstream(zygote.folder + "/job.out") << "from rank 0\n";
  auto step = [](int n) {
    auto go = "go" + std::to_string(n);
    return "while ! [ -e " + go + " ]; do sleep 0.01; done; echo " + std::to_string(n) + "; ";
  };
  auto spec = shell_attempt(zygote, 38, "trap ': > heard' CONT; echo 1; " + step(2) + step(3));
  spec.tasks[0].asked_out = {{.path = "job.out", .name = {}, .overwrite = true}};
  spec.report.file = spec.tasks[0].asked_out[0];
  auto fd = zygote.start(spec);
  auto said = [&](const char* file, const std::string& text) {
    return eventually([&] { return zygote.read(file) == text; });
  };
  EXPECT_TRUE(said("out", "1\n"));
  EXPECT_EQ(zygote.read("job.out"), "from rank 0\n");

  tell(fd, launch::WriteAsked{TaskNumber{1}});
  EXPECT_TRUE(said("job.out", "from rank 0\n1\n")) << "what it said just before goes there, too";
  std::ofstream(zygote.folder + "/go2") << "";
  EXPECT_TRUE(said("job.out", "from rank 0\n1\n2\n"));

  tell(fd, launch::WriteAsked{TaskNumber{7}});
  tell(fd, launch::SignalTasks{{TaskNumber{1}}, SIGCONT});
  await_file(zygote, "heard");  // and so was what was told before
  std::ofstream(zygote.folder + "/go3") << "";
  await<AttemptEnded>(fd);
  EXPECT_EQ(zygote.read("out"), "1\n2\n3\n");
  EXPECT_EQ(zygote.read("job.out"), "from rank 0\n1\n2\n") << "nor does it write the report";
}

TEST(shepherd_output, a_task_that_took_over_the_jobs_file_ends_it_with_the_report) {
  Zygote zygote;
  std::ofstream(zygote.folder + "/job.out") << "from rank 0\n";
  auto spec = shell_attempt(zygote, 39, "while ! [ -e go ]; do sleep 0.01; done");
  spec.tasks[0].asked_out = {{.path = "job.out", .name = {}, .overwrite = true}};
  spec.report.file = spec.tasks[0].asked_out[0];
  auto fd = zygote.start(spec);
  await<launch::TaskStarted>(fd);
  tell(fd, launch::WriteAsked{TaskNumber{1}});
  std::ofstream(zygote.folder + "/go") << "";
  await<AttemptEnded>(fd);
  auto text = zygote.read("job.out");
  EXPECT_TRUE(text.starts_with("from rank 0\n")) << text;
  EXPECT_NE(text.find("Successfully completed."), text.npos) << text;
}

/// A task of a training that says `command` and has its last words in job.out.
launch::AttemptSpec training_attempt(const Zygote& zygote, std::uint32_t job,
                                     const std::string& command) {
  auto spec = shell_attempt(zygote, job, command);
  spec.tasks[0].says_why = true;
  spec.tasks[0].last_words = {{.path = "job.out", .name = {}}};
  return spec;
}

TEST(shepherd_output, what_a_failed_task_said_last_is_in_its_record_and_in_the_jobs_output) {
  Zygote zygote;
  std::ofstream(zygote.folder + "/job.out") << "from rank 0\n";
  auto spec = training_attempt(zygote, 72, "seq 1 5000 >&2; echo 'ValueError: boom' >&2; exit 3");
  auto record = run_to_end(zygote, spec);
  EXPECT_EQ(WEXITSTATUS(record.status), 3);
  EXPECT_EQ(record.text, "its stderr ended: ValueError: boom");
  auto text = zygote.read("job.out");
  EXPECT_TRUE(text.starts_with("from rank 0\n\n---- task 1 on host "));
  EXPECT_NE(text.find("failed with exit code 3; the end of its stderr: ----\n"), text.npos) << text;
  EXPECT_TRUE(text.ends_with("\n5000\nValueError: boom\n----\n")) << text;
  EXPECT_LE(text.size(), 4300u);
}

TEST(shepherd_output, the_writers_stderr_is_in_the_jobs_output_already) {
  Zygote zygote;
  auto spec = training_attempt(zygote, 73, "echo boom >&2; exit 3");
  spec.tasks[0].asked_err = {{.path = "job.out", .name = {}}};
  spec.tasks[0].writer = true;
  EXPECT_EQ(run_to_end(zygote, spec).text, "its stderr ended: boom");
  EXPECT_EQ(zygote.read("job.out"), "boom\n");
}

TEST(shepherd_output, a_task_that_is_done_or_was_ended_or_said_nothing_has_no_last_words) {
  Zygote zygote;
  EXPECT_EQ(run_to_end(zygote, training_attempt(zygote, 74, "echo a warning >&2")).text, "");
  std::ofstream(zygote.folder + "/err") << "of an attempt before\n";
  std::filesystem::last_write_time(
      zygote.folder + "/err",
      std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_EQ(run_to_end(zygote, training_attempt(zygote, 75, "exit 1")).text, "");
  auto fd = zygote.start(training_attempt(zygote, 76, "echo busy >&2; : > up; sleep 600"));
  await_file(zygote, "up");
  tell(fd, launch::EndTasks{{}, false, 0, "enough"});
  EXPECT_EQ(await<TaskEnded>(fd).record.text, "enough");
  await<AttemptEnded>(fd);
  EXPECT_FALSE(std::filesystem::exists(zygote.folder + "/job.out"));
}

TEST(shepherd_output, an_output_that_nobody_reads_does_not_keep_a_failed_task) {
  Zygote zygote;
  auto spec = training_attempt(zygote, 77, "echo boom >&2; exit 3");
  ASSERT_EQ(::mkfifo((zygote.folder + "/job.out").c_str(), 0600), 0);
  EXPECT_EQ(run_to_end(zygote, spec).text, "its stderr ended: boom");
}

}  // namespace
}  // namespace wm::test
