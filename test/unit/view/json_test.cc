#include "libwm/view/json.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "libwm/view/conf_fields.h"
#include "libwm/view/gpu_fields.h"
#include "libwm/view/host_fields.h"
#include "libwm/view/job_fields.h"
#include "libwm/view/load_fields.h"
#include "libwm/view/plan_fields.h"
#include "libwm/view/queue_fields.h"
#include "libwm/view/tally.h"
#include "libwm/view/why_fields.h"
#include "test/unit/view/moments.h"

namespace wm::view {
namespace {

using nlohmann::json;

// A running elastic job of two tasks, submitted at 0, started at 60.
JobView two_tasks() {
  auto sealed = std::make_shared<SealedSpec>();
  sealed->spec.owner = {7, 7, "ann"};
  sealed->spec.name = "train";
  sealed->spec.queue = "normal";
  sealed->spec.program.command = "python3 secret.py";
  sealed->spec.program.cwd = "/secret";
  sealed->spec.max_tasks = 4;
  sealed->spec.task.milli_gpus = 500;
  sealed->spec.elastic = true;
  sealed->bytes = sealed->credential = "signed secret";
  auto job = std::make_shared<Job>();
  job->id = {12, 0};
  job->sealed = sealed;
  job->state = JobState::Running;
  job->key = "secret key";
  job->tasks = {{.number = TaskNumber{1}, .host = HostId{1}, .gpus = {3}, .pid = 100},
                {.number = TaskNumber{2}, .host = HostId{2}, .pid = 200}};
  job->membership.members = {TaskNumber{2}, TaskNumber{1}};
  job->times.submitted = at(0);
  job->times.dispatched = job->times.started = at(60);
  job->usage.max_mem = Bytes{5 << 20};
  JobView view;
  view.job = job;
  view.id = job->id;
  view.plan = "/a";
  view.task_hosts = {"n1", "n2"};
  view.run_limit = std::chrono::minutes(10);
  view.result_dir = "/secret/12";
  return view;
}

json of(const JobView& view, const Viewer& viewer) { return json::parse(job_json(view, viewer)); }

TEST(job_json, values_have_their_types_and_keys_their_units) {
  auto job = of(two_tasks(), {at(120)});
  EXPECT_EQ(job["jobid"], "12");
  EXPECT_EQ(job["wm_state"], "running");
  EXPECT_EQ(job["submit_time"], 1795160000.0);
  EXPECT_EQ(job["run_time_s"], 60.0);
  EXPECT_EQ(job["time_left_s"], 540.0);
  EXPECT_EQ(job["complete_percent"], 10.0);
  EXPECT_EQ(job["max_mem_bytes"], 5 << 20);
  EXPECT_EQ(job["gpu_num"], 0.5);
  EXPECT_EQ(job["exec_host"], (json{"n1", "n2"}));
  EXPECT_EQ(job["elastic"], true);
  EXPECT_EQ(job["nalloc_slot"], 2);
}

TEST(job_json, what_is_not_known_is_null) {
  auto job = of(two_tasks(), {at(120)});
  for (auto key : {"finish_time", "exit_code", "loss", "estimated_start_time", "memlimit_bytes"})
    EXPECT_TRUE(job.contains(key) && job[key].is_null()) << key;
}

TEST(job_json, tasks_of_a_group_have_its_role_or_its_name) {
  auto role_in = [](std::uint32_t index) {
    auto view = two_tasks();
    auto job = std::make_shared<Job>(*view.job);
    auto sealed = std::make_shared<SealedSpec>(*job->sealed);
    sealed->spec.groups.resize(2);
    sealed->spec.groups[0].name = "worker";
    sealed->spec.groups[1].name = "keeper";
    sealed->spec.groups[1].role = "ps";
    job->sealed = std::move(sealed);
    job->id.index = index;
    view.job = std::move(job);
    return of(view, {at(120)})["tasks"][0]["role"];
  };
  EXPECT_EQ(role_in(1), "worker");
  EXPECT_EQ(role_in(2), "ps");
  EXPECT_EQ(role_in(3), "");  // there is none
  EXPECT_EQ(of(two_tasks(), {at(120)})["tasks"][0]["role"], "");
}

TEST(job_json, tasks_and_reasons_come_with_it) {
  auto view = two_tasks();
  view.reasons = {{PendCode::Slots, "Not enough job slot(s)", 2, "wait"}};
  view.priority = {{"queue", 50, "of queue normal"}};
  auto job = of(view, {at(120)});
  EXPECT_EQ(job["tasks"].size(), 2U);
  EXPECT_EQ(job["tasks"][0]["host"], "n1");
  EXPECT_EQ(job["tasks"][0]["rank"], 1);
  EXPECT_EQ(job["tasks"][0]["gpus"], json{"3"});
  EXPECT_EQ(job["reasons"], (json{{{"code", "slots"},
                                   {"text", "Not enough job slot(s)"},
                                   {"hosts_removed", 2},
                                   {"fix", "wait"}}}));
  EXPECT_EQ(job["order"][0]["text"], "of queue normal");
}

TEST(job_json, a_row_of_a_list_is_a_part_of_the_whole) {
  auto view = two_tasks();
  auto list = json::parse(jobs_json(std::span(&view, 1), {at(120), Detail::Brief}));
  ASSERT_EQ(list.size(), 1U);
  auto whole = of(view, {at(120)});
  EXPECT_LT(list[0].size(), whole.size());
  EXPECT_FALSE(list[0].contains("command"));
  for (const auto& [key, value] : list[0].items()) EXPECT_EQ(whole[key], value) << key;
}

TEST(job_json, others_see_nothing_that_its_owner_wrote) {
  auto view = two_tasks();
  view.reasons = {{PendCode::Slots, "secret", 2, "secret"}};
  view.priority = {{"user", 1, "secret"}};
  auto job = std::make_shared<Job>(*view.job);
  job->outcome.text = "secret";
  job->kill = KillWish{Term::Owner, "ann", "secret"};
  job->state = JobState::Killed;
  job->outcome.term = Term::Owner;
  view.job = job;
  for (auto detail : {Detail::Brief, Detail::Full}) {
    auto text = job_json(view, {at(120), detail, JobInfo::Summary});
    EXPECT_EQ(text.find("secret"), std::string::npos) << text;
    EXPECT_EQ(json::parse(text)["user"], "ann");
  }
}

TEST(job_json, the_masters_summary_stays_one) {
  auto view = two_tasks();
  auto sealed = std::make_shared<SealedSpec>();
  sealed->spec.name = "-";
  auto job = std::make_shared<Job>(*view.job);
  job->sealed = sealed;
  view.job = job;
  EXPECT_FALSE(of(view, {at(120)}).contains("job_name"));
  EXPECT_TRUE(of(two_tasks(), {at(120)}).contains("job_name"));
}

TEST(job_json, no_field_holds_what_would_let_somebody_act_for_its_owner) {
  auto text = job_json(two_tasks(), {at(120)});
  EXPECT_EQ(text.find("signed secret"), std::string::npos);
  EXPECT_EQ(text.find("secret key"), std::string::npos);
}

TEST(job_json, bytes_and_numbers_that_json_has_not_do_no_harm) {
  auto view = two_tasks();
  auto sealed = std::make_shared<SealedSpec>(*view.job->sealed);
  sealed->spec.name = "a\xff\"b";
  auto job = std::make_shared<Job>(*view.job);
  job->sealed = sealed;
  view.job = job;
  view.progress = JobProgress{};
  view.progress->progress.loss = std::nan("");
  auto shown = of(view, {at(120)});
  EXPECT_EQ(shown["job_name"], "a\xef\xbf\xbd\"b");
  EXPECT_TRUE(shown["loss"].is_null());
}

TEST(job_json, the_end_of_a_job_has_a_code_even_if_it_is_zero) {
  auto ended = [](JobState state, int status) {
    auto view = two_tasks();
    auto job = std::make_shared<Job>(*view.job);
    job->state = state;
    job->outcome.status = status;
    view.job = job;
    return of(view, {at(120)})["exit_code"];
  };
  EXPECT_EQ(ended(JobState::Finished, 0), 0);
  EXPECT_EQ(ended(JobState::Failed, 3 << 8), 3);
  EXPECT_EQ(ended(JobState::Killed, 9), 137);
  EXPECT_TRUE(ended(JobState::Killed, 0).is_null()) << "it never ran";
}

TEST(host_json, gpus_and_load_come_with_the_whole) {
  HostView host;
  host.host.name = "n1";
  host.host.registered = at(0);
  host.host.boot = "secret";
  host.host.capacity = {8, 7500, Bytes{1 << 30}, {{.uuid = "u0", .model = "A100"}}};
  host.connected = true;
  host.load = 1.5;
  auto whole = json::parse(host_json(host, Detail::Full));
  EXPECT_EQ(whole["status"], "ok");
  EXPECT_EQ(whole["ncpus"], 7.5);
  EXPECT_EQ(whole["total_mem_bytes"], 1 << 30);
  EXPECT_EQ(whole["gpus"][0]["uuid"], "u0");
  EXPECT_EQ(whole["load_indexes"]["r1m"], 1.5);
  EXPECT_TRUE(whole["load_indexes"]["r15m"].is_null());
  EXPECT_EQ(whole.dump().find("secret"), std::string::npos);
  auto row = json::parse(hosts_json(std::span(&host, 1), Detail::Brief))[0];
  EXPECT_FALSE(row.contains("gpus"));
  EXPECT_EQ(row["ngpus"], 1);
}

TEST(queue_json, no_limit_is_null_and_commands_are_nobodys_business) {
  QueueView queue;
  queue.conf.name = "normal";
  queue.conf.run_limit.max = std::chrono::hours(1);
  queue.conf.users = {"ann"};
  queue.conf.pre_exec = "secret";
  auto shown = json::parse(queue_json(queue, Detail::Full));
  EXPECT_EQ(shown["status"], "Open:Active");
  EXPECT_TRUE(shown["max"].is_null());
  EXPECT_EQ(shown["runlimit_s"], 3600.0);
  EXPECT_EQ(shown["users"], json{"ann"});
  EXPECT_EQ(shown.dump().find("secret"), std::string::npos);
  EXPECT_EQ(json::parse(queues_json(std::span(&queue, 1), Detail::Brief)).size(), 1U);
}

TEST(plan_json, loans_come_with_the_whole) {
  PlanView plan;
  plan.path = "/a";
  plan.loans = {{"/a", "/b", 3}};
  auto shown = json::parse(plan_json(plan, Detail::Full));
  EXPECT_EQ(shown["loans"], (json{{{"from", "/a"}, {"to", "/b"}, {"amount", 3}}}));
  EXPECT_TRUE(shown["limit"].is_null());
  EXPECT_FALSE(json::parse(plans_json(std::span(&plan, 1), Detail::Brief))[0].contains("loans"));
}

TEST(conf_json, profiles_and_users) {
  AppConf app;
  app.name = "edt";
  app.env = {{"TOKEN", "secret"}};
  app.pre_exec = app.resize_command = "secret";
  app.container.options = "secret";
  auto shown = json::parse(app_json(app));
  EXPECT_EQ(shown["application"], "edt");
  EXPECT_EQ(shown["app_type"], "batch");
  EXPECT_EQ(shown.dump().find("secret"), std::string::npos);
  EXPECT_EQ(json::parse(user_json({.name = "ann", .plan = "/a"}))["plan"], "/a");
}

TEST(budget_json, a_row_for_each_resource_that_is_bounded) {
  BudgetView both, cpu;
  both.name = "lab";
  both.gpu_bounded = both.cpu_bounded = true;
  both.grant = {100 * kUnitHour, 10 * kUnitHour};
  both.drawn = {40 * kUnitHour, 0};
  both.refunded = {10 * kUnitHour, 0};
  cpu.name = "cpu";
  cpu.cpu_bounded = true;
  auto shown = json::parse(budgets_json(std::vector{both, cpu}));
  ASSERT_EQ(shown.size(), 3U);
  EXPECT_EQ(shown[0]["unit"], "GPU h");
  EXPECT_EQ(shown[0]["granted"], 100.0);
  EXPECT_EQ(shown[0]["used"], 30.0);
  EXPECT_EQ(shown[0]["left"], 70.0);
  EXPECT_EQ(shown[1]["unit"], "CPU h");
  EXPECT_EQ(shown[1]["granted"], 10.0);
  EXPECT_EQ(shown[2]["budget"], "cpu");
  EXPECT_TRUE(shown[2]["empty_at"].is_null());
  EXPECT_EQ(budgets_json({}), "[]");
}

TEST(limit_json, what_is_used_stands_before_what_may_be) {
  LimitRow slots, jobs;
  slots.name = "night";
  slots.users = "ann";
  slots.used = 4;
  slots.limit = 16;
  jobs.bounds_slots = false;
  jobs.jobs = "2/4";
  auto shown = json::parse(limits_json(std::vector{slots, jobs}));
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0]["name"], "night");
  EXPECT_EQ(shown[0]["users"], "ann");
  EXPECT_EQ(shown[0]["slots"], "4/16");
  EXPECT_EQ(shown[1]["slots"], "-");
  EXPECT_EQ(shown[1]["jobs"], "2/4");
}

// Every key of the tables once: two rows of the same name would hide each other.
template <class T>
void expect_distinct(std::set<std::string>& keys, std::span<const Field<T>> table) {
  for (const auto& row : table) {
    auto key = key_of(row.field, row.type);
    bool is_new = row.where == kText || keys.insert(key).second;
    EXPECT_TRUE(is_new) << key;
  }
}

TEST(view_json, no_key_is_there_twice) {
  std::set<std::string> jobs{"tasks", "reasons", "order"}, hosts{"gpus", "load_indexes"}, queues,
      plans{"loans"}, apps;
  expect_distinct(jobs, job_fields());
  expect_distinct(jobs, more_job_fields());
  expect_distinct(hosts, host_fields());
  expect_distinct(hosts, more_host_fields());
  expect_distinct(queues, queue_fields());
  expect_distinct(queues, more_queue_fields());
  expect_distinct(plans, plan_fields());
  expect_distinct(plans, more_plan_fields());
  expect_distinct(apps, app_fields());
}

}  // namespace
}  // namespace wm::view
