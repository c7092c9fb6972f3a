#include "libwm/fsm/first_host.h"

namespace wm::fsm {

bool needs_port(const Config& config, const JobSpec& spec) {
  auto launch = launch_of(config, spec);
  if (launch == Launch::PerHost) return true;
  bool workers = launch == Launch::PerSlot && app_of(config, spec).type != AppType::Batch;
  return workers && !spec.elastic;
}

bool first_host_goes_first(const Config& config, const JobSpec& spec) {
  return has_pre_exec(config, spec) || needs_port(config, spec);
}

}  // namespace wm::fsm
