// Role: what becomes of a GPU when its host reports on it, or an administrator speaks: the
// events that set it aside or give it back. Pure. Called by hosts.cc and rpc_admin.cc.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/event.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::master {

/// Marks that change by what the host reports. A fault that does not end by itself stays until
/// badmin gopen or a reboot, and counts only if it is newer than the last gopen.
/// @cost O(GPUs log GPUs)
std::vector<EventBody> marks_by_health(const Host& host, const std::vector<GpuReport>& reports,
                                       bool rebooted);

/// badmin gclose and gopen: GPUs of one host by index or uuid; `lines`: what was done.
/// @errors BadArgument: not one host, no GPU; NotFound: the host has no such GPU
Result<std::vector<EventBody>> marks_by_admin(const Host& host, const AdminRequest& request,
                                              const std::string& user, WallTime now,
                                              std::vector<std::string>& lines);

}  // namespace wm::master
