// What a host's shepherd is told to run: commands, where their output goes, files beside them.
#include <gtest/gtest.h>

#include "libwm/launch/launch_env.h"
#include "test/unit/launch/launch_rig.h"

namespace wm::launch {
namespace {

using namespace std::string_literals;

TEST(launch_plan, output_patterns_are_filled) {
  auto o = two_tasks();
  o.job.index = 7;
  EXPECT_EQ(expand_output("%J.%I.%U.%H.%%.%x%", o, "b"), "12.7.ann.b.%.%x%");
}

TEST(launch_plan, relative_output_lies_in_the_output_directory) {
  auto o = two_tasks();
  o.app.type = AppType::Batch;
  o.first_host = true;
  o.hosts = job_hosts_of({{{2}, "b", "10.0.0.2"}}, "b");
  o.job.index = 7;
  o.resolved.project = "risk";
  o.resolved.files.out = "o.%J";
  o.resolved.files.err = "/log/e";
  EXPECT_EQ(env_of_task(o, 0).count("LSB_OUTDIR"), 0u);
  EXPECT_EQ(env_of_task(o, 0)["LSB_OUTPUTFILE"], "o.12");

  o.resolved.files.outdir = "out/%P/%U.%I";
  auto env = env_of_task(o, 0);
  EXPECT_EQ(env["LSB_OUTDIR"], "/w/out/risk/ann.7");
  EXPECT_EQ(env["LSB_OUTPUTFILE"], "/w/out/risk/ann.7/o.12");
  EXPECT_EQ(env["LSB_ERRORFILE"], "/log/e");
  EXPECT_EQ(env["LSB_BATCH_JID"], "12[7]");
  auto task = plan_task(o, own_host(), o.tasks[0]);
  EXPECT_EQ(task.folders, std::vector<std::string>{"/w/out/risk/ann.7"});
  EXPECT_EQ(task.out[0].path, "/w/out/risk/ann.7/o.12");
  EXPECT_EQ(task.err[0].path, "/log/e");
  auto report = plan_attempt(o, own_host(), {}, {}).report;
  EXPECT_EQ(report.file.path, "/w/out/risk/ann.7/o.12");
  EXPECT_EQ(report.err_path, "/log/e");
  o.resolved.files.outdir = "/srv/%J";
  EXPECT_EQ(env_of_task(o, 0)["LSB_OUTDIR"], "/srv/12");
}

TEST(launch_plan, a_spooled_script_gets_what_stands_behind_it) {
  auto o = two_tasks();
  o.resolved.program.command = "./run.py a 'b c' >log";
  o.blobs.script = "#!/usr/bin/python3 -u\nprint()\n";
  using Words = std::vector<std::string>;
  EXPECT_EQ(plan_task(o, own_host(), o.tasks[0]).argv,
            (Words{"/usr/bin/python3", "-u", "/run/b/12-0.3.d/script"}))
      << "a script on stdin is called by its first line, and has no arguments";
  o.resolved.program.spooled = true;
  EXPECT_EQ(plan_task(o, own_host(), o.tasks[0]).argv,
            (Words{"/bin/sh", "-c", "\"$@\" a 'b c' >log", "sh", "/usr/bin/python3", "-u",
                   "/run/b/12-0.3.d/script"}));
  o.resolved.program.command = " ./run.py";
  EXPECT_EQ(plan_task(o, own_host(), o.tasks[0]).argv[0], "/usr/bin/python3");
}

TEST(launch_plan, a_jobs_own_folder_has_the_sites_limit_or_the_hosts_share) {
  auto host = own_host();
  host.folder_share = 5 << 20, host.spool_limit = 1 << 20;
  auto spec = plan_attempt(two_tasks(), host, {}, {});
  EXPECT_EQ(spec.folder_limit, Bytes{5 << 20});
  EXPECT_EQ(spec.folder_spool, Bytes{2 << 20}) << "both streams";
  host.folder_limit = Bytes{1 << 30};
  EXPECT_EQ(plan_attempt(two_tasks(), host, {}, {}).folder_limit, Bytes{1 << 30});
}

TEST(launch_plan, a_batch_job_without_files_spools_and_merges_with_one) {
  auto o = two_tasks();
  o.app.type = AppType::Batch;
  o.first_host = true;
  o.hosts = job_hosts_of({{{2}, "b", "10.0.0.2"}}, "b");
  auto host = own_host();
  host.dirs.default_output = "none";
  auto task = plan_task(o, host, o.tasks[0]);
  ASSERT_EQ(task.out.size(), 1u);
  EXPECT_EQ(task.out[0].path, "/run/b/12-0.3.d/stdout-2");
  EXPECT_EQ(task.out[0].limit_bytes, host.spool_limit);
  EXPECT_FALSE(task.merge_err);
  host.spool_limit = 1 << 20;
  EXPECT_EQ(plan_task(o, host, o.tasks[0]).err[0].limit_bytes, 1u << 20)
      << "a small host keeps less";

  o.resolved.files.out = "o.%J";
  task = plan_task(o, own_host(), o.tasks[0]);
  ASSERT_EQ(task.out.size(), 1u);
  EXPECT_EQ(task.out[0].path, "o.12");
  EXPECT_EQ(task.out[0].name, "12.out");
  EXPECT_TRUE(task.merge_err);
  EXPECT_TRUE(task.err.empty());
  EXPECT_EQ(plan_attempt(o, own_host(), {}, {}).report.file.path, "o.12");
}

TEST(launch_plan, of_what_a_service_says_the_newest_is_kept) {
  auto o = two_tasks();
  o.first_host = true;
  o.hosts = job_hosts_of({{{2}, "b", "10.0.0.2"}}, "b");
  o.resolved.files.out = "o";
  EXPECT_FALSE(plan_task(o, own_host(), o.tasks[0]).out[1].newest);
  o.resolved.exec.service = "digits";
  auto task = plan_task(o, own_host(), o.tasks[0]);
  ASSERT_EQ(task.out.size(), 2u);
  for (const auto& file : task.out) {
    EXPECT_TRUE(file.newest) << file.path;
    EXPECT_GT(file.limit_bytes, 0u) << file.path;
  }
}

TEST(launch_plan, only_the_first_hosts_rank_zero_writes_the_asked_file) {
  auto o = two_tasks();
  o.resolved.files.out = "o";
  auto task = plan_task(o, own_host(), o.tasks[0]);
  ASSERT_EQ(task.out.size(), 1u);
  EXPECT_EQ(task.out[0].path, "/r/ann/batchworkdir/12/log/2/stdout");
  EXPECT_TRUE(plan_attempt(o, own_host(), {}, {}).report.file.path.empty());
}

TEST(launch_plan, output_without_a_file_goes_to_one_in_the_working_directory_at_its_first_byte) {
  auto o = two_tasks();
  o.app.type = AppType::Batch;
  o.first_host = true;
  o.hosts = job_hosts_of({{{2}, "b", "10.0.0.2"}}, "b");
  auto task = plan_task(o, own_host(), o.tasks[0]);
  ASSERT_EQ(task.out.size(), 1u);
  EXPECT_EQ(task.out[0], (OutputFile{.path = "wm-12.out"}));
  EXPECT_TRUE(task.merge_err);
  EXPECT_TRUE(plan_attempt(o, own_host(), {}, {}).report.file.path.empty())
      << "only what it writes";
  o.resolved.files.err = "e";
  task = plan_task(o, own_host(), o.tasks[0]);
  EXPECT_EQ(task.out[0].path, "wm-12.out");
  EXPECT_FALSE(task.merge_err);
  o.first_host = false;
  EXPECT_EQ(plan_task(o, own_host(), o.tasks[0]).out[0].path, "/run/b/12-0.3.d/stdout-2");
}

TEST(launch_plan, output_to_be_mailed_is_spooled_and_named_in_the_report) {
  auto o = two_tasks();
  o.app.type = AppType::Batch;
  o.first_host = true;
  o.hosts = job_hosts_of({{{2}, "b", "10.0.0.2"}}, "b");
  o.tasks = {o.tasks[0]};
  auto host = own_host();
  host.dirs.default_output = "mail";
  auto spec = plan_attempt(o, host, {}, {});
  EXPECT_EQ(spec.report.mail_to, "ann");
  EXPECT_EQ(spec.report.sendmail, "/usr/sbin/sendmail");
  EXPECT_EQ(spec.report.mailed,
            (std::vector<std::string>{"/run/b/12-0.3.d/stdout-2", "/run/b/12-0.3.d/stderr-2"}));
  o.resolved.files.out = "o";
  EXPECT_TRUE(plan_attempt(o, host, {}, {}).report.mail_to.empty());
}

TEST(launch_plan, a_report_that_the_owner_wants_mailed_is_not_written_to_the_file) {
  auto o = two_tasks();
  o.app.type = AppType::Batch;
  o.first_host = true;
  o.all = {{{2}, "b", "10.0.0.2"}};
  o.tasks = {o.tasks[0]};
  o.resolved.files.out = "out.%J";
  o.resolved.mail = {.at_start = true, .at_end = true, .to = "ann@a.org,bob cy"};
  auto report = plan_attempt(o, own_host(), {}, {}).report;
  EXPECT_TRUE(report.file.path.empty());
  EXPECT_TRUE(report.mailed.empty());
  EXPECT_TRUE(report.mail_at_start);
  EXPECT_TRUE(report.mail_at_end);
  EXPECT_EQ(report.mail_to, "ann@a.org, bob, cy");
  EXPECT_EQ(report.out_path, "out.12");
  o.resolved.mail = {.at_start = true};
  report = plan_attempt(o, own_host(), {}, {}).report;
  EXPECT_EQ(report.file.path, "out.12");
  EXPECT_EQ(report.mail_to, "ann");
  o.first_host = false;
  EXPECT_FALSE(plan_attempt(o, own_host(), {}, {}).report.mail_at_start);
}

TEST(launch_plan,
     files_that_were_asked_for_are_made_before_the_task_and_spooled_ones_when_written) {
  auto o = two_tasks();
  o.app.type = AppType::Batch;
  o.first_host = true;
  o.resolved.files.err = "e";
  o.resolved.files.err_overwrite = true;
  o.hosts = job_hosts_of({{{2}, "b", "10.0.0.2"}}, "b");
  auto task = plan_task(o, own_host(), o.tasks[0]);
  ASSERT_EQ(task.err.size(), 1u);
  EXPECT_TRUE(task.err[0].at_start && task.err[0].overwrite);
  ASSERT_EQ(task.out.size(), 1u);
  EXPECT_FALSE(task.out[0].at_start);
  o.control.relaunches = 1;
  EXPECT_FALSE(plan_task(o, own_host(), o.tasks[0]).err[0].overwrite)
      << "its own from before the resize";
}

TEST(launch_plan, every_task_of_an_elastic_job_can_come_to_write_the_asked_file) {
  auto o = two_tasks();
  o.team.elastic = true;
  o.resolved.files.out = "o";
  o.team.writer = o.tasks[1].task;
  auto waits = plan_task(o, own_host(), o.tasks[0]), writes = plan_task(o, own_host(), o.tasks[1]);
  for (const auto* task : {&waits, &writes}) {
    ASSERT_EQ(task->asked_out.size(), 1u);
    EXPECT_EQ(task->asked_out[0].path, "o");
    EXPECT_EQ(task->out.size(), 1u);
  }
  EXPECT_FALSE(waits.writer);
  EXPECT_TRUE(writes.writer);
  EXPECT_EQ(plan_attempt(o, own_host(), {}, {}).report.file.path, "o");
}

TEST(launch_plan, a_task_of_a_training_that_fails_is_heard_in_the_asked_file) {
  auto o = two_tasks();
  o.resolved.files.out = "o.%J";
  o.resolved.files.out_overwrite = true;
  for (bool elastic : {true, false}) {
    o.team.elastic = elastic;
    auto task = plan_task(o, own_host(), o.tasks[1]);
    EXPECT_TRUE(task.says_why);
    ASSERT_EQ(task.last_words.size(), 1u);
    EXPECT_EQ(task.last_words[0].path, "o.12");
    EXPECT_FALSE(task.last_words[0].overwrite);
  }
  o.resolved.files.err = "e";
  EXPECT_EQ(plan_task(o, own_host(), o.tasks[1]).last_words[0].path, "e");
  o.resolved.files.out = o.resolved.files.err = "";
  EXPECT_TRUE(plan_task(o, own_host(), o.tasks[1]).last_words.empty()) << "nobody asked for a file";
  o.app.type = AppType::Batch;
  o.resolved.files.out = "o";
  auto batch = plan_task(o, own_host(), o.tasks[1]);
  EXPECT_FALSE(batch.says_why);
  EXPECT_TRUE(batch.last_words.empty());
}

TEST(launch_plan, a_script_runs_under_its_interpreter) {
  auto o = two_tasks();
  o.blobs.script = "#!/usr/bin/env -S python3 -u\nprint(1)\n";
  auto task = plan_task(o, own_host(), o.tasks[0]);
  EXPECT_EQ(task.argv,
            (std::vector<std::string>{"/usr/bin/env", "-S python3 -u", "/run/b/12-0.3.d/script"}));
  o.blobs.script = "echo 1\n";
  EXPECT_EQ(plan_task(o, own_host(), o.tasks[0]).argv[0], "/bin/sh");
  auto files = plan_attempt(o, own_host(), {}, {}).files;
  ASSERT_GE(files.size(), 2u);
  EXPECT_EQ(files[0].text, "echo 1\n");
  EXPECT_EQ(files[1].text, "a\na\nb\nb\n");
}

TEST(launch_plan, slots_without_a_process_start_nothing) {
  auto o = two_tasks();
  o.tasks[1].has_process = false;
  EXPECT_EQ(plan_attempt(o, own_host(), {}, {}).tasks.size(), 1u);
}

}  // namespace
}  // namespace wm::launch
