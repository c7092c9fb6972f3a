#include "libwm/view/job_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>

#include "test/unit/view/moments.h"

namespace wm::view {
namespace {

// A running elastic job on two hosts, one task gone, in UTC.
JobView running() {
  setenv("TZ", "UTC", 1);
  tzset();
  auto sealed = std::make_shared<SealedSpec>();
  sealed->spec = {.owner = {7, 7, "ann"},
                  .name = "train",
                  .queue = "normal",
                  .project = "p",
                  .program = {.command = "python3 train.py",
                              .cwd = "/srv",
                              .submit_host = "login1",
                              .home = "/users/ann"},
                  .files = {.out = "out"},
                  .min_tasks = 1,
                  .max_tasks = 4,
                  .elastic = true};
  auto job = std::make_shared<Job>();
  job->id = {12, 0};
  job->sealed = sealed;
  job->state = JobState::Running;
  job->attempt = Attempt{1};
  job->tasks = {
      {.number = TaskNumber{1}, .host = HostId{1}, .state = TaskState::Running, .pid = 100},
      {.number = TaskNumber{2},
       .host = HostId{2},
       .state = TaskState::Gone,
       .pid = 200,
       .term = Term::Left},
      {.number = TaskNumber{3}, .host = HostId{2}, .state = TaskState::Running, .pid = 300}};
  job->membership.epoch = EpochNumber{3};
  job->membership.resizes = 2;
  job->times.submitted = at(0);
  job->times.dispatched = job->times.started = at(60);
  JobView view;
  view.job = job;
  view.id = job->id;
  view.app = "training";
  view.app_type = "training";
  view.plan = "/a";
  view.task_hosts = {"n1", "n2", "n2"};
  view.run_limit = std::chrono::minutes(10);
  return view;
}

JobView changed(JobView view, const std::function<void(Job&)>& change) {
  auto job = std::make_shared<Job>(*view.job);
  change(*job);
  view.job = job;
  return view;
}

std::string field(const JobView& view, std::string_view name) {
  auto names = names_of(job_fields());
  auto format = parse_format(name, names);
  EXPECT_TRUE(format) << name;
  ShownJob shown{&view, at(120)};
  return job_fields()[format->columns[0].field].show(shown);
}

TEST(job_fields, tasks_that_hold_a_slot_count_in_one_order) {
  auto view = running();
  EXPECT_EQ(field(view, "exec_host"), "n1:n2");
  EXPECT_EQ(field(view, "pids"), "100,300");
  EXPECT_EQ(field(view, "nalloc_slot"), "2");
  EXPECT_EQ(field(view, "first_host"), "n1");
  EXPECT_EQ(field(view, "nexec_host"), "2");
}

TEST(job_fields, both_vocabularies_of_states) {
  auto view = running();
  EXPECT_EQ(field(view, "stat"), "RUN");
  EXPECT_EQ(field(view, "wm_state"), "running");
  EXPECT_EQ(field(view, "epoch") + field(view, "nresize") + field(view, "attempt"), "321");
}

TEST(job_fields, times_and_limits) {
  auto view = running();
  EXPECT_EQ(field(view, "run_time"), "60 second(s)");
  EXPECT_EQ(field(view, "pend_time"), "60 second(s)");
  EXPECT_EQ(field(view, "time_left"), "0:09 L");
  EXPECT_EQ(field(view, "%complete"), "10.00% L");
}

TEST(job_fields, what_was_asked_for_is_shown) {
  auto view = changed(running(), [](Job& j) {
    auto sealed = std::make_shared<SealedSpec>(*j.sealed);
    sealed->spec.when.depend = "done(7)";
    sealed->spec.user_priority = 30;
    sealed->spec.limits.mem = Bytes{2LL << 20};
    sealed->spec.task.mem = Bytes{1LL << 20};
    j.sealed = sealed;
  });
  EXPECT_EQ(field(view, "dependency"), "done(7)");
  EXPECT_EQ(field(view, "job_priority"), "30");
  EXPECT_EQ(field(view, "memlimit"), "2.0 Mbytes") << "-M, not what is reserved";
  EXPECT_EQ(field(running(), "dependency") + field(running(), "job_priority"), "");
}

TEST(job_fields, an_exit_code_is_not_an_exit_reason) {
  auto view = changed(running(), [](Job& j) {
    j.state = JobState::Failed;
    j.outcome.status = 3 << 8;
  });
  EXPECT_EQ(field(view, "exit_code"), "3");
  EXPECT_EQ(field(view, "exit_reason"), "");
  EXPECT_EQ(field(view, "exec_host"), "n1:n2");
  auto killed = changed(view, [](Job& j) {
    j.outcome.status = 15;
    j.outcome.term = Term::Owner;
  });
  EXPECT_EQ(field(killed, "exit_code"), "143");
  EXPECT_EQ(field(killed, "exit_reason"), "TERM_OWNER: job killed by owner");
  auto said =
      changed(killed, [](Job& job) { job.outcome.text = "TERM_OWNER: job killed by owner"; });
  EXPECT_EQ(field(said, "exit_reason"), "TERM_OWNER: job killed by owner");
  auto whole = changed(
      killed, [](Job& j) { j.outcome.text = "TERM_OWNER: job killed by owner: 200M of 100M"; });
  EXPECT_EQ(field(whole, "exit_reason"), "TERM_OWNER: job killed by owner: 200M of 100M");
}

TEST(job_fields, the_slots_of_a_job_that_is_over_are_those_of_its_last_epoch) {
  auto view = changed(running(), [](Job& j) {
    j.state = JobState::Finished;
    j.membership.members = {TaskNumber{1}};
    j.tasks.edit(1).term = Term::None;  // it died on the way
  });
  EXPECT_EQ(field(view, "nalloc_slot"), "1");
}

TEST(job_fields, a_job_that_cannot_grow_says_why) {
  auto view = changed(running(), [](Job& j) { j.size.grow_blocked = "3 newcomers failed"; });
  EXPECT_EQ(field(view, "pend_reason"), "3 newcomers failed");
  view.reasons = {{.text = "Not enough job slot(s)"}, {.text = "Queue is full"}};
  EXPECT_EQ(field(view, "pend_reason"), "Not enough job slot(s); Queue is full");
}

TEST(job_fields, a_job_whose_new_tasks_fail_on_a_host_says_where_and_until_when) {
  auto view = changed(running(), [](Job& j) {
    j.size.setbacks = {{HostId{3}, 2, WallTime(std::chrono::seconds(1000)), "exit 3"}};
  });
  view.setback_hosts = {"node3"};
  auto until = long_time(WallTime(std::chrono::seconds(1000)));
  EXPECT_EQ(field(view, "pend_reason"), "no new task on node3 until " + until +
                                            ": 2 in a row ended there before joining, "
                                            "last: exit 3");
}

TEST(job_fields, a_member_that_hangs_is_named_for_as_long_as_it_is_there) {
  auto view = changed(running(), [](Job& j) {
    j.tasks.edit(j.tasks.size() - 1).kill = true;
    j.tasks.edit(j.tasks.size() - 1).term = Term::Hung;
    j.outcome.text = "has not entered a collective for 30s";
    j.size.grow_blocked = "3 newcomers failed";
  });
  auto number = std::to_string(view.job->tasks.back().number.value);
  EXPECT_EQ(field(view, "pend_reason"),
            "task " + number + " hangs: has not entered a collective for 30s");
  auto ended =
      changed(view, [](Job& j) { j.tasks.edit(j.tasks.size() - 1).state = TaskState::Gone; });
  EXPECT_EQ(field(ended, "pend_reason"), "3 newcomers failed");
}

TEST(job_tables, who_has_not_come_to_where_tasks_meet_is_told) {
  auto view = changed(running(), [](Job& j) { j.size.grow_blocked = "3 newcomers failed"; });
  view.meeting = "1 of 2 tasks have met at n1:28001 after 30s; not connected: 1 of n2";
  EXPECT_EQ(field(view, "pend_reason"), view.meeting);
  ShownJob job{&view, at(120)};
  auto text = long_text(job);
  EXPECT_NE(text.find("\n RENDEZVOUS:\n " + view.meeting + ";\n"), std::string::npos) << text;
}

TEST(job_fields, elements_carry_their_index) {
  auto view = running();
  view.id = {12, 4};
  EXPECT_EQ(field(view, "jobid"), "12[4]");
  EXPECT_EQ(field(view, "job_name"), "train[4]");
  EXPECT_EQ(field(view, "jobindex"), "4");
}

TEST(job_tables, a_negative_loss_is_shown_a_negative_accuracy_is_none_yet) {
  auto view = running();
  EXPECT_EQ(field(view, "loss"), "");
  view.progress = JobProgress{.progress = {.loss = -3.25, .samples_per_s = 8}};
  EXPECT_EQ(field(view, "loss"), "-3.2500");
  EXPECT_EQ(field(view, "accuracy"), "");
  EXPECT_EQ(field(view, "samples_per_s"), "8.0000");
}

TEST(job_tables, default_table_has_lsfs_columns) {
  auto view = running();
  ShownJob job{&view, at(120)};
  EXPECT_EQ(job_table({&job, 1}, TableStyle::Narrow, true, false),
            "JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME\n"
            "12      ann     RUN   normal     login1      n1          train      Nov 20 07:33\n"
            "                                             n2         \n");
}

TEST(job_tables, wide_rows_have_no_empty_cell) {
  auto view = running();
  view.id = {12, 4};
  view = changed(view, [](Job& j) {
    j.state = JobState::Pending;
    j.tasks.clear();
  });
  ShownJob job{&view, at(120)};
  EXPECT_EQ(job_table({&job, 1}, TableStyle::Wide, false, false),
            "12[4] ann PEND normal login1 - train[4] Nov 20 07:33\n");
  auto more = job_table({&job, 1}, TableStyle::WideMore, true, false);
  EXPECT_NE(more.find("FINISH_TIME\n"), std::string::npos);
  EXPECT_NE(more.find("000:00:00.00"), std::string::npos);
  EXPECT_NE(more.find("\n12    ann  PEND normal login1    -         train[4] "), std::string::npos)
      << more;
}

TEST(job_tables, one_jobs_long_name_makes_no_line_of_another_long) {
  auto view = running(), other = running();
  view = changed(view, [](Job& j) {
    auto sealed = std::make_shared<SealedSpec>(*j.sealed);
    sealed->spec.name = std::string(4000, 'n');
    j.sealed = sealed;
  });
  const ShownJob jobs[] = {{&view, at(120)}, {&other, at(120)}};
  auto text = job_table(jobs, TableStyle::Wide, false, false);
  EXPECT_LT(text.size() - text.find('\n'), 130u);
  EXPECT_NE(text.find(std::string(4000, 'n')), std::string::npos);
}

TEST(job_fields, every_field_of_lsfs_is_known_by_name_and_alias) {
  auto view = running();
  for (const char* name :
       {"runtimelimit",   "rtlimit",  "avg_mem",   "pendstate",  "ependtime",
        "swaplimit",      "hrusage",  "nthreads",  "alloc_slot", "effective_plimit",
        "plimit",         "ru_utime", "gpu_alloc", "ertime",     "gnum",
        "gmode",          "pre_cmd",  "warn_act",  "srcjobid",   "except_stat",
        "kill_issue_host"})
    EXPECT_TRUE(parse_format(name, names_of(job_fields()))) << name;
  EXPECT_EQ(field(view, "runtimelimit"), "10.0");
  EXPECT_EQ(field(view, "srcjobid"), "") << "shown as -";
}

TEST(job_fields, hosts_that_come_again_are_counted_where_that_is_asked) {
  auto view = changed(running(), [](Job& j) { j.tasks.edit(1) = j.tasks[2]; });
  EXPECT_EQ(field(view, "exec_host"), "n1:n2:n2");
  EXPECT_EQ(field(view, "alloc_slot"), "n1:2*n2");
  const auto& fields = job_fields();
  auto exec_host =
      std::ranges::find(fields, "exec_host", [](const auto& f) { return f.field.name; });
  EXPECT_EQ(exec_host->show({&view, at(120), true}), "n1:2*n2");
}

TEST(job_fields, a_small_limit_is_not_shown_as_none) {
  auto view = changed(running(), [](Job& j) {
    auto sealed = std::make_shared<SealedSpec>(*j.sealed);
    sealed->spec.limits.mem = Bytes{100 << 10};
    j.sealed = sealed;
  });
  EXPECT_EQ(field(view, "memlimit"), "100.0 Kbytes");
}

TEST(job_tables, long_form_is_wrapped_and_shows_what_clients_parse) {
  auto view = changed(running(), [](Job& j) {
    j.state = JobState::Failed;
    j.outcome.status = 3 << 8;
    j.times.ended = at(100);
  });
  auto text = long_text({&view, at(120)});
  std::string flat = text;
  for (auto cut = flat.find("\n                     "); cut != flat.npos;
       cut = flat.find("\n                     "))
    flat.erase(cut, 22);
  EXPECT_NE(flat.find("Job <12>, Job Name <train>, User <ann>"), std::string::npos);
  EXPECT_NE(flat.find("Status <EXIT>"), std::string::npos);
  EXPECT_NE(flat.find("Command <python3 train.py>"), std::string::npos);
  EXPECT_NE(flat.find("Exited with exit code 3."), std::string::npos);
  EXPECT_NE(flat.find("State failed (WMLA ERROR)"), std::string::npos);
  for (std::size_t from = 0; from < text.size();) {
    auto end = text.find('\n', from);
    EXPECT_LE(end - from, 80u) << text.substr(from, end - from);
    from = end + 1;
  }
}

TEST(job_tables, long_form_counts_hosts_once_and_starts_nothing_that_waits_again) {
  auto view = running();
  auto waiting = std::make_shared<Job>(*view.job);
  waiting->state = JobState::Pending;
  waiting->tasks.clear();
  view.job = waiting;
  view.reasons = {{PendCode::Excluded, "Excluded by an exit code: 2 hosts", 2, ""}};
  auto text = long_text({&view, at(120)});
  EXPECT_NE(text.find(" Excluded by an exit code: 2 hosts;\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("Started"), std::string::npos) << text;
}

TEST(job_tables, long_form_names_hosts_that_the_job_may_not_return_to) {
  auto view = running();
  EXPECT_EQ(long_text({&view, at(120)}).find("EXCLUDED"), std::string::npos);
  view.excluded_hosts = {"n3", "n4"};
  EXPECT_EQ(field(view, "excluded_hosts"), "n3 n4");
  auto text = long_text({&view, at(120)});
  EXPECT_NE(text.find("\n EXCLUDED HOSTS:\n <n3> <n4> by exit codes of earlier runs\n"),
            std::string::npos);
}

std::string unwrapped(const JobView& view, WallTime now) {
  return long_texts(std::vector<ShownJob>{{&view, now}}, true);
}

TEST(job_tables, what_a_running_job_uses_is_told_once_its_host_has) {
  auto view = running();
  EXPECT_EQ(unwrapped(view, at(120)).find("Resource usage"), std::string::npos);
  EXPECT_EQ(field(view, "mem"), "");
  EXPECT_EQ(field(view, "cpu_used"), "");
  AttemptUse use;
  use.cpu = std::chrono::seconds(30);
  use.mem = Bytes{80LL << 20}, use.max_mem = Bytes{96LL << 20}, use.mean_mem = Bytes{64LL << 20};
  use.swap = Bytes{2LL << 20};
  use.threads = 4, use.pids = {100, 101};
  view.use = use;
  auto text = unwrapped(view, at(120));
  EXPECT_NE(text.find(": Resource usage collected. The CPU time used is 30.0 seconds. "
                      "IDLE_FACTOR(cputime/runtime):   0."),
            text.npos)
      << text;
  EXPECT_NE(text.find(" MEM: 80 Mbytes;  SWAP: 2 Mbytes;  NTHREAD: 4;  PIDs: 100 101\n"), text.npos)
      << text;
  EXPECT_NE(text.find("\n MEMORY USAGE:\n MAX MEM: 96 Mbytes;  AVG MEM: 64 Mbytes\n"), text.npos)
      << text;
  EXPECT_EQ(field(view, "mem"), "80.0 Mbytes");
  EXPECT_EQ(field(view, "max_mem"), "96.0 Mbytes");
  EXPECT_EQ(field(view, "avg_mem"), "64.0 Mbytes");
  EXPECT_EQ(field(view, "swap"), "2.0 Mbytes");
  EXPECT_EQ(field(view, "cpu_used"), "30.0 second(s)");
  EXPECT_EQ(field(view, "nthreads"), "4");
}

TEST(job_tables, the_energy_of_its_gpus_is_that_of_tasks_that_ended_and_of_those_that_run) {
  auto view = running();
  EXPECT_EQ(field(view, "energy"), "");
  EXPECT_EQ(unwrapped(view, at(120)).find("Energy"), std::string::npos);
  view = changed(view, [](Job& j) { j.usage.gpu_energy_mj = 1'000'000; });
  EXPECT_EQ(field(view, "energy"), "1000.0 J");
  AttemptUse use;
  use.gpu_energy_mj = 500'250;
  view.use = use;
  EXPECT_EQ(field(view, "energy"), "1500.2 J");
  auto text = unwrapped(view, at(120));
  EXPECT_NE(text.find("\n GPU Energy Consumed: 1500.2 Joules\n"), text.npos) << text;
  view = changed(view, [](Job& j) { j.state = JobState::Finished; });
  EXPECT_EQ(field(view, "energy"), "1000.0 J") << "what its hosts told last is not asked any more";
}

TEST(job_tables, of_a_killed_job_how_it_ended_and_why_are_lines_of_their_own) {
  auto view = changed(running(), [](Job& j) {
    j.state = JobState::Killed;
    j.outcome.status = 2;  // SIGINT
    j.outcome.term = Term::Owner;
    j.times.ended = at(100);
  });
  auto text = unwrapped(view, at(120));
  EXPECT_NE(text.find(": Exited by signal 2. The CPU time used is "), text.npos) << text;
  EXPECT_NE(text.find(": Completed <exit>; TERM_OWNER: job killed by owner.\n"), text.npos) << text;
}

TEST(job_tables, arrays_are_summed_up) {
  auto one = running(), two = running();
  one.id = {12, 1};
  two.id = {12, 2};
  two = changed(two, [](Job& j) { j.state = JobState::Pending; });
  std::vector<ShownJob> jobs = {{&one, at(1)}, {&two, at(1)}};
  EXPECT_EQ(array_table(jobs, false),
            "12       train       ann         2    1    0    1    0     0     0     0\n");
}

TEST(job_tables, of_silent_hosts_jobs_count_as_running_but_in_the_sum) {
  auto one = changed(running(), [](Job& j) { j.state = JobState::Unknown, j.id = {12, 1}; });
  one.id = {12, 1};
  std::vector<ShownJob> jobs = {{&one, at(1)}};
  EXPECT_EQ(array_table(jobs, false),
            "12       train       ann         1    0    0    1    0     0     0     0\n");
  auto slots = std::to_string(std::max(slots_held(*one.job), 1u));
  EXPECT_EQ(sum_table(jobs, true),
            "RUN        SSUSP      USUSP      UNKNOWN    PEND       FWD_PEND\n"
            "0          0          0          " +
                slots + std::string(11 - slots.size(), ' ') + "0          0\n");
}

TEST(job_tables, why_a_command_could_not_be_run_is_told) {
  auto one = changed(running(), [](Job& j) {
    j.state = JobState::Failed;
    j.outcome.status = 127 << 8;
    j.outcome.text = "/no/sh: No such file or directory";
  });
  auto text = long_texts(std::vector<ShownJob>{{&one, at(1)}}, true);
  EXPECT_NE(text.find("Exited with exit code 127. /no/sh: No such file or directory. The CPU"),
            std::string::npos)
      << text;
}

TEST(pend_sum_text, counts_reasons_the_commonest_first) {
  auto waits = [](std::vector<std::string> texts) {
    auto view = changed(running(), [](Job& job) { job.state = JobState::Pending; });
    for (auto& text : texts) view.reasons.push_back({PendCode::New, std::move(text), 0, ""});
    return view;
  };
  std::vector<JobView> views = {waits({"b"}), waits({"a", "b"}), waits({"b"})};
  std::vector<ShownJob> jobs;
  for (const auto& view : views) jobs.push_back({&view, at(0)});
  EXPECT_EQ(pend_sum_text(jobs), "Pending reason summary: 3 pending job(s)\n  b: 3\n  a: 1\n");
}

}  // namespace
}  // namespace wm::view
