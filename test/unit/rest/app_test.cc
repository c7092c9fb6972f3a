// Role: applications and plans as the scheduler's rows show them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "libwm/rest/app_json.h"
#include "libwm/rest/app_query.h"

namespace wm::rest {
namespace {

using nlohmann::json;

PlanView plan(std::string path) {
  PlanView view;
  view.path = std::move(path);
  view.shares = 2;
  return view;
}

TEST(plan_json, plans_are_one_tree_below_the_cluster) {
  std::vector<PlanView> plans{plan("/"), plan("/research"), plan("/research/ann"),
                              plan("/serving")};
  auto tree = json::parse(plan_tree_json(plans, "mini"));
  EXPECT_EQ(tree["id"], "mini");
  EXPECT_EQ(tree["pid"], "");
  ASSERT_EQ(tree["childTreeDto"].size(), 2u);
  EXPECT_EQ(tree["childTreeDto"][0]["id"], "research");
  EXPECT_EQ(tree["childTreeDto"][0]["pid"], "mini");
  EXPECT_EQ(tree["childTreeDto"][0]["childTreeDto"][0]["id"], "ann");
  EXPECT_TRUE(tree["childTreeDto"][1]["childTreeDto"].is_null());
  auto node = json::parse(plan_node_json(plans[2], "mini"));
  EXPECT_EQ(node["path"], "/mini/research/ann");
  EXPECT_EQ(node["id"], "ann");
}

TEST(plan_json, a_consumer_is_a_plan_below_the_cluster) {
  for (auto path : {"/", "/a", "/a/b"}) EXPECT_EQ(plan_of(consumer_of(path, "mini"), "mini"), path);
  EXPECT_EQ(plan_of("/minimal/a", "mini"), "/minimal/a");
  EXPECT_EQ(plan_of("/a", "mini"), "/a");
  EXPECT_EQ(plan_of("", "mini"), "");
}

TEST(app_json, has_what_clients_read_by_subscript) {
  auto sealed = std::make_shared<SealedSpec>();
  sealed->spec.name = "n";
  sealed->spec.owner.user = "ann";
  sealed->spec.task = {.milli_cpus = 2000, .mem = Bytes{4LL << 30}, .milli_gpus = 1000};
  auto job = std::make_shared<Job>();
  job->sealed = sealed;
  job->state = JobState::Running;
  job->times.submitted = WallTime(std::chrono::milliseconds(1500));
  job->tasks = {{.number = {1}, .state = TaskState::Running},
                {.number = {2}, .state = TaskState::Gone}};
  JobView view;
  view.id = {7, 0};
  view.job = job;
  view.plan = "/research";
  view.task_hosts = {"n1", "n2"};
  auto app = json::parse(app_json(view, "mini"));
  EXPECT_EQ(app["id"], "mini-7");
  EXPECT_EQ(app["consumer"], "/mini/research");
  EXPECT_EQ(app["submit_time"], 1);
  EXPECT_EQ(app["end_time"], 0);
  EXPECT_EQ(app["used_gpu"], 1.0);
  EXPECT_EQ(app["task12n_resreq"], "ngpus=1,mem=4096,ncpus=2");
  EXPECT_EQ(app["task12n_num"], 2);
  EXPECT_EQ(app["task12n"][0]["host"], "n1");
  for (auto key : {"tag", "type", "state", "priority", "is_packing", "pack_id", "kernels"})
    EXPECT_TRUE(app.contains(key)) << key;
}

TEST(app_json, the_first_generation_reads_driver_executors_and_sums) {
  auto sealed = std::make_shared<SealedSpec>();
  sealed->spec.task.milli_gpus = 2000;
  auto job = std::make_shared<Job>();
  job->sealed = sealed;
  job->state = JobState::Running;
  job->times.started = WallTime(std::chrono::seconds(10));
  job->tasks = {{.number = {3}, .state = TaskState::Running}};
  JobView view;
  view.id = {7, 0};
  view.job = job;
  auto app = json::parse(conductor_json(view, "mini", WallTime(std::chrono::seconds(75))));
  EXPECT_EQ(app["driver"]["id"], "mini-7");
  EXPECT_EQ(app["driver"]["state"], "RUNNING");
  EXPECT_EQ(app["apprunduration"], 65);
  EXPECT_EQ(app["gpuslots"], 2.0);
  EXPECT_EQ(app["executors"][0]["id"], "3");
  EXPECT_EQ(app["gpumemused"]["total"], 0);
}

JobView app(std::uint32_t id, const char* name, const char* user, JobState state) {
  auto sealed = std::make_shared<SealedSpec>();
  sealed->spec.name = name;
  sealed->spec.owner.user = user;
  auto job = std::make_shared<Job>();
  job->sealed = sealed;
  job->state = state;
  job->times.submitted = WallTime(std::chrono::seconds(id));
  JobView view;
  view.id = {id, 0};
  view.job = job;
  view.plan = "/research";
  return view;
}

const std::vector<JobView> kApps{app(7, "Mnist", "ann", JobState::Running),
                                 app(8, "digits", "bob", JobState::Finished),
                                 app(9, "mnist-2", "ann", JobState::Finished)};

std::string chosen(const char* query) {
  auto target = parse_target(std::string("/x?") + query);
  auto read = read_app_query(*target);
  if (!read) return read.error().text;
  std::string ids;
  for (const auto* view : found(*read, kApps, "mini")) ids += std::to_string(view->id.job) + " ";
  return ids;
}

TEST(app_query, search_looks_for_a_text_in_whatever_is_shown_in_any_case) {
  EXPECT_EQ(chosen(""), "9 8 7 ");
  EXPECT_EQ(chosen("search=MNIST"), "9 7 ");
  EXPECT_EQ(chosen("search=bob"), "8 ");
  EXPECT_EQ(chosen("search=mini-7"), "7 ");
  EXPECT_EQ(chosen("search=finished"), "9 8 ");
  EXPECT_EQ(chosen("search=/mini/research"), "9 8 7 ");
  EXPECT_EQ(chosen("search=training"), "9 8 7 ");
  EXPECT_EQ(chosen("search=annmini"), "") << "no text is found across two fields";
  EXPECT_EQ(chosen("search=mnist&state=FINISHED,KILLED"), "9 ");
}

TEST(app_query, names_and_ids_are_compared_as_a_whole) {
  EXPECT_EQ(chosen("applicationname=mnist"), "");
  EXPECT_EQ(chosen("applicationname=Mnist"), "7 ");
  EXPECT_EQ(chosen("applicationid=mini-8"), "8 ");
  EXPECT_EQ(chosen("driverid=mini-9"), "9 ");
}

TEST(app_query, the_order_is_a_fields_and_of_equal_ones_the_ids) {
  EXPECT_EQ(chosen("sort=submit_time"), "7 8 9 ");
  EXPECT_EQ(chosen("sort=-submit_time"), "9 8 7 ");
  EXPECT_EQ(chosen("sort=applicationname"), "7 8 9 ");
  EXPECT_EQ(chosen("sort=submit_user"), "7 9 8 ");
  EXPECT_EQ(chosen("sort=submit_user&order=desc"), "8 9 7 ");
  EXPECT_EQ(chosen("order=asc"), "7 8 9 ");
  EXPECT_EQ(chosen("order=up"), "order: asc or desc is wanted");
  EXPECT_EQ(chosen("length=x"), "length: a number is wanted");
  EXPECT_TRUE(chosen("sort=-beauty").starts_with("sort: 'beauty': one of submit_time, "));
}

TEST(last_lines, are_counted_from_the_end) {
  EXPECT_EQ(last_lines("a\nb\nc\n", 2), "b\nc\n");
  EXPECT_EQ(last_lines("a\nb\nc", 1), "c");
  EXPECT_EQ(last_lines("a\nb", 9), "a\nb");
  EXPECT_EQ(last_lines("", 3), "");
  EXPECT_EQ(last_lines("\n\n\n", 1), "\n");
  EXPECT_EQ(last_lines("a\n", 0), "");
}

}  // namespace
}  // namespace wm::rest
