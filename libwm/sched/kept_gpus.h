// Role: which GPUs that a request means are kept from it by something else than a plan's share, in
// words: set aside as sick (held by strangers, too) or by an administrator, or shared while the
// request wants one alone. Values in, text out.
#pragma once

#include <string>

#include "libwm/sched/demand/claim.h"

namespace wm::sched {

/// What was found.
struct KeptGpus {
  std::string text;  ///< "GPU 0 of host <a> is set aside: fell off the bus"; empty: none
  bool all = true;   ///< there is no other GPU that the request means
};

/// @cost O(GPUs of hosts that suit the request)
KeptGpus kept_gpus(const Request& request, const std::vector<HostCapacity>& rooms,
                   const TaskRequest& task);

}  // namespace wm::sched
