// Role: what lshosts and lsload show: what a host is, and how busy it is, in LSF's columns. Pure.
// @source LSF lshosts, lsload (lsf-surface 4)
#pragma once

#include <span>
#include <string>

#include "libwm/model/verbs/verbs.h"
#include "libwm/view/format.h"

namespace wm::view {

/// Fields of lshosts -o and -json. @cost O(1)
std::span<const Field<HostView>> host_facts();
/// lshosts: a line per host. @cost O(hosts)
std::string host_facts_table(std::span<const HostView> hosts, bool with_header);

/// "0.3": the load of the last minute; empty: not heard. @cost O(1)
std::string load_text(const HostView& view);
/// "ok", "-ok" (heard, but it takes no jobs), "unavail". @cost O(1)
std::string load_status(const HostView& view);
/// Fields of lsload -o and -json; empty where a host does not tell. @cost O(1)
std::span<const Field<HostView>> load_fields();
/// lsload: a line per host. @cost O(hosts)
std::string load_table(std::span<const HostView> hosts, bool with_header);
/// lsload -l: wider, with io and the GPUs. @cost O(hosts)
std::string long_load_table(std::span<const HostView> hosts, bool with_header);
/// lsload -gpu: GPUs, how busy and how full they are on average. @cost O(GPUs)
std::string gpu_load_table(std::span<const HostView> hosts, bool with_header);

}  // namespace wm::view
