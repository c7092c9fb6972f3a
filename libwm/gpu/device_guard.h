// Role: which device files the processes of an attempt may not open: the GPUs that others have.
// Version 1 of the control groups keeps a list in files; version 2, alone or beside version 1's
// other hierarchies, asks a program of a few instructions that the kernel runs at every open.
#pragma once

#include <linux/bpf.h>

#include <set>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/launch/launch_parts.h"
#include "libwm/proc/cgroup.h"
#include "libwm/proc/channel.h"

namespace wm::gpu {

/// The program: 0 (refused) for the character devices named, 1 for every other.
/// @cost 5 instructions a device
/// @source kernel: bpf_prog_cgroup_device, struct bpf_cgroup_dev_ctx
std::vector<bpf_insn> guard_program(const std::set<launch::CharDevice>& denied);

/// What one attempt's group is kept from. @owns the program; the kernel keeps it attached until
/// the group is removed, also when this process ends   @thread one
class DeviceGuard {
 public:
  /// From now on exactly these cannot be opened; files already open stay so. Does nothing for an
  /// empty group: without control groups only the environment says which GPUs are a job's.
  /// @errors System: the kernel takes no such program, or not from us   @cost 3 system calls
  Result<void> deny(const proc::Cgroup& group, const std::set<launch::CharDevice>& devices);

 private:
  Result<void> deny_by_list(const std::string& folder, const std::set<launch::CharDevice>& devices);
  Result<void> deny_by_program(const std::string& folder,
                               const std::set<launch::CharDevice>& devices);

  Fd program_;
  std::set<launch::CharDevice> denied_;
};

}  // namespace wm::gpu
