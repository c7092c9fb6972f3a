// Role: applications and plans as the scheduler's rows show them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "libwm/rest/app_json.h"

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
