// Role: random histories of a small cluster, for properties of what is made of them.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "test/support/builders.h"

namespace wm::master {

/// A random history: whatever is legal may happen.
class Course : public test::ClusterBuilder {
 public:
  explicit Course(unsigned seed) : random_(seed) {
    if (seed % 3) add_budget();
    reconfigure();
    for (int i = 0; i < 3; ++i) hosts_.push_back(host(8, 2));
    for (int i = 0; i < 250; ++i) act();
  }

  /// Of everything, in one period.
  void add_budget() {
    BudgetConf all;
    all.name = "/", all.cpu_hours = 1, all.gpu_hours = 1;
    config.budgets.list = {all};
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  HostId any_host() { return hosts_[below(3)]; }
  bool open(HostId id) const { return is_open(host_of(id)); }
  void try_step(const EventBody& body) {
    if (check(body)) step(body, clock_);
  }

  void begin() {
    test::SpecBuilder spec;
    std::uint32_t most = 1 + below(3);
    spec.tasks(1, most);
    if (below(2)) spec.app("training").elastic();
    if (below(2)) spec.rerunnable();
    if (below(4) == 0) spec.hold();
    spec.spec.task.mem = Bytes{std::int64_t{1} << 28}, spec.spec.task.mem_per_host = below(3) == 0;
    JobId id{++last_, 0};
    try_step(JobSubmitted{id, spec.sealed()});
    jobs_.push_back(id);
  }

  void dispatch(const Job& job) {
    std::vector<Task> tasks;
    auto count = 1 + below(job.spec().max_tasks);
    for (std::uint32_t n = 1; n <= count; ++n) {
      Task task;
      task.number = TaskNumber{n}, task.host = any_host();
      task.has_process = n == 1 || launch_of(*state.config, job.spec()) == Launch::PerSlot;
      if (!open(task.host)) return;
      tasks.push_back(task);
    }
    Attempt attempt{job.attempt.value + 1};
    JobId id = job.id;
    try_step(JobDispatched{id, attempt, tasks, std::string(32, 'k')});
    for (const auto& task : tasks)
      if (task.has_process) try_step(TaskStarted{id, attempt, task.number, 100});
  }

  TaskNumber any_task(const Job& job) {
    return job.tasks.empty()
               ? TaskNumber{1}
               : job.tasks[below(static_cast<std::uint32_t>(job.tasks.size()))].number;
  }

  void act() {
    clock_ += below(4) ? 0.1 * below(50) : 0;
    if (jobs_.empty() || below(6) == 0) return begin();
    JobId id = jobs_[below(static_cast<std::uint32_t>(jobs_.size()))];
    const Job& job = *find_job(state, id);
    Attempt attempt = job.attempt;
    auto task = any_task(job);
    switch (below(16)) {
      case 0:
      case 1:
      case 2: return dispatch(job);
      case 3:
      case 4: return end(id, attempt, task);
      case 5: return try_step(JobSuspended{id, "ann"});
      case 6: return try_step(JobResumed{id, "ann"});
      case 7: return try_step(TaskStuck{id, attempt, task, "zombie"});
      case 8: return try_step(TasksLeaving{id, attempt, {task}, test::at(clock_ + 9), "reclaim"});
      case 9: return try_step(KillRequested{id, {Term::Owner, "ann", "", test::at(clock_)}});
      case 10: return try_step(HostSilent{any_host()});
      case 11: return try_step(HostHeard{any_host()});
      case 12: return grow(job);
      case 13:
        return try_step(below(2) ? EventBody(JobParked{id, attempt, {jobs_[0], "x"}})
                                 : EventBody(JobUnparked{id, attempt}));
      case 14:
        return try_step(below(2) ? EventBody(JobHeld{id, "ann"})
                                 : EventBody(JobReleased{id, "ann"}));
      default:
        if (config.budgets.list.empty() && below(3) == 0) {
          add_budget();
          return try_step(ConfigLoaded{std::make_shared<const Config>(config)});
        }
        return try_step(below(2) ? EventBody(HostClosed{any_host(), "ann", "x"})
                                 : EventBody(HostOpened{any_host(), "ann"}));
    }
  }

  // Now and then it was lost, or is told late.
  void end(JobId id, Attempt attempt, TaskNumber task) {
    TaskEnded ended{id, attempt, task, below(3) ? 0 : 256, Term::None, {}, ""};
    if (below(5) == 0) ended.term = Term::HostLost;
    if (below(3) == 0) ended.at = test::at(clock_ - 0.0007 * below(20'000));
    try_step(ended);
  }

  void grow(const Job& job) {
    Task task;
    task.number = TaskNumber{job.last_task.value + 1}, task.host = any_host();
    if (open(task.host)) try_step(TasksAdded{job.id, job.attempt, {task}, "free"});
  }

  std::mt19937 random_;
  std::vector<HostId> hosts_;
  std::vector<JobId> jobs_;
  std::uint32_t last_ = 0;
  double clock_ = 1;
};

}  // namespace wm::master
