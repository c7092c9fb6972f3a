// Role: groups over NCCL, for members with a GPU each. Communicators are non-blocking: a call
// returns at once and ncclCommGetAsyncError is asked until it is through, so that an abort ends
// every wait. How one is made is decided in ../nccl_rule.h. Built where configure finds CUDA and
// NCCL, as its own library (libwmgroups_nccl.a).
//
// Sums pass through host memory, where the engine keeps gradients: one copy each way.
// NCCL wants the calls of one communicator in one order on all members, so state is handed to
// newcomers between rounds, not beside them (Group::overlaps).
#pragma once

#include <memory>
#include <string>

#include "libwm/trainer/groups/group.h"

namespace wm::groups {

/// The backend over NCCL. Null, with the reason in `why`: no device, or `host` is not this host's.
/// @param host numeric IPv4 address that members reach this worker at (see host_address)
/// @param device of this process, as CUDA numbers them; a job's task has its GPU as device 0
/// @thread any   @owns a thread and a listening socket for the store
std::unique_ptr<Backend> make_nccl(const std::string& host, int device, std::string& why);

}  // namespace wm::groups
