#include "libwm/view/job_use.h"

#include <algorithm>

namespace wm::view {

std::optional<JobUse> use_of(const ShownJob& s) {
  const Job& job = *s.view->job;
  if (job.times.started == WallTime{}) return std::nullopt;
  JobUse use;
  use.cpu = job.usage.cpu, use.max_mem = use.mem = job.usage.max_mem;
  use.swap = job.usage.max_swap, use.gpu_energy_mj = job.usage.gpu_energy_mj;
  if (job.usage.mean_mem.value > 0) use.mean_mem = job.usage.mean_mem;
  for (const auto& task : job.tasks)
    if (task.pid > 0) use.pids.push_back(task.pid);
  if (is_over(job.state)) return use;
  // Of those of its tasks that have ended something is known before that.
  if (!s.view->use) return job.usage == Usage{} ? std::nullopt : std::optional(use);
  const AttemptUse& told = *s.view->use;
  use.cpu = std::max(use.cpu, told.cpu);
  use.mem = told.mem, use.max_mem = std::max(use.max_mem, told.max_mem);
  if (told.mean_mem.value > 0) use.mean_mem = told.mean_mem;
  use.swap = told.swap;
  use.gpu_energy_mj += told.gpu_energy_mj;  // hosts tell of tasks that run, ends of the others
  use.processes = told.processes, use.threads = told.threads;
  if (!told.pids.empty()) use.pids = told.pids;
  return use;
}

std::optional<double> idle_factor(const ShownJob& s) {
  const Job& job = *s.view->job;
  auto use = use_of(s);
  if (!use) return std::nullopt;
  auto ran = (is_over(job.state) ? job.times.ended : s.now) - job.times.started;
  if (ran <= Duration{}) return std::nullopt;
  return std::chrono::duration<double>(use->cpu) / std::chrono::duration<double>(ran);
}

std::string tenths_of_seconds(Duration length) {
  auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(length).count() / 100;
  return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10);
}

}  // namespace wm::view
