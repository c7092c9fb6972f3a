// Role: what the scheduler's tests start from: short specifications, a cluster with a queue
// of higher and one of lower priority, plans and limits added by a word. GPU jobs run one
// task per GPU.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "test/support/sched_run.h"

namespace wm::test {

/// An elastic training job of 1 GPU per task.
inline SpecBuilder elastic(const std::string& user, std::uint32_t min = 1, std::uint32_t max = 4) {
  return SpecBuilder().elastic().tasks(min, max).gpus(1).user(user, 1001);
}
/// A rigid training job of 1 GPU per task.
inline SpecBuilder rigid(const std::string& user, std::uint32_t tasks) {
  return SpecBuilder().app("training").tasks(tasks, tasks).gpus(1).user(user, 1002);
}
/// A batch job that needs slots only.
inline SpecBuilder slots(const std::string& user, std::uint32_t tasks) {
  return SpecBuilder().tasks(tasks, tasks).user(user, 1003);
}

/// A scheduler with queues high, normal and low; no hosts yet.
class SchedCluster : public testing::Test {
 protected:
  SchedCluster() {
    for (auto [name, priority] : {std::pair{"high", 90u}, {"low", 10u}}) {
      QueueConf queue;
      queue.name = name;
      queue.priority = priority;
      run.config.queues.push_back(queue);
    }
    sort();
    run.reconfigure();
  }
  void sort() {
    std::sort(run.config.queues.begin(), run.config.queues.end(),
              [](auto& a, auto& b) { return a.name < b.name; });
    std::sort(run.config.plans.begin(), run.config.plans.end(),
              [](auto& a, auto& b) { return a.path < b.path; });
    std::sort(run.config.users.begin(), run.config.users.end(),
              [](auto& a, auto& b) { return a.name < b.name; });
  }
  void gpu_hosts(int count, std::uint32_t gpus = 1) {
    for (int i = 0; i < count; ++i) run.host(2 * gpus, gpus);
  }
  /// Changes a queue; in force at once.
  template <class Change>
  void queue(const std::string& name, Change change) {
    for (auto& conf : run.config.queues) {
      if (conf.name == name) change(conf);
    }
    run.reconfigure();
  }
  /// Adds a plan; in force at once.
  void plan(PlanConf conf) {
    run.config.plans.push_back(std::move(conf));
    sort();
    run.reconfigure();
  }
  void user_limit(const std::string& name, std::uint32_t max_slots) {
    UserConf conf;
    conf.name = name;
    conf.max_slots = max_slots;
    run.config.users.push_back(conf);
    sort();
    run.reconfigure();
  }
  /// Submits, then passes until nothing changes; fails if that takes for ever.
  JobId submit_and_settle(const SpecBuilder& spec) {
    JobId id = run.submit(spec);
    EXPECT_GE(run.settle(), 0) << "does not come to rest";
    return id;
  }

  SchedRun run;
};

}  // namespace wm::test
