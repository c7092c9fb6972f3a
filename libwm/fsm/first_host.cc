#include "libwm/fsm/first_host.h"

#include <algorithm>

namespace wm::fsm {

namespace {

/// Are its tasks the workers of one training, each with a process of its own?
bool are_workers(const Config& config, const JobSpec& spec) {
  return launch_of(config, spec) == Launch::PerSlot &&
         app_of(config, spec).type != AppType::Batch && !starts_training(spec);
}

}  // namespace

bool needs_port(const Config& config, const JobSpec& spec) {
  auto launch = launch_of(config, spec);
  if (launch == Launch::PerHost) return true;
  if (launch == Launch::PerSlot && starts_training(spec)) return true;
  return are_workers(config, spec) && !spec.elastic;
}

bool gets_port(const Config& config, const JobSpec& spec) {
  return are_workers(config, spec) && spec.elastic;
}

bool first_host_goes_first(const Config& config, const JobSpec& spec) {
  return has_pre_exec(config, spec) || needs_port(config, spec);
}

bool room_is_in_use(const Config& config, const Job& job, const Task& task) {
  bool once = launch_of(config, job.spec()) == Launch::Once &&
              resize_mode_of(config, job) == ResizeMode::Restart;
  return once && std::any_of(job.tasks.begin(), job.tasks.end(), [&](const Task& other) {
           return other.has_process && other.state == TaskState::Starting && !other.kill &&
                  other.host != task.host;
         });
}

}  // namespace wm::fsm
