// Role: what lshosts and lsload show: what a host is, and how busy it is, in LSF's columns. Pure.
// @source LSF lshosts, lsload (lsf-surface 4)
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/model/config/config.h"
#include "libwm/model/verbs/verbs.h"
#include "libwm/view/format.h"

namespace wm::view {

/// A host as the master tells it, and what hosts.conf says of it; nullptr: nothing.
/// @owns borrows both
struct ShownHost {
  const HostView* view = nullptr;
  const HostConf* conf = nullptr;
};

/// Fields of lshosts -o and -json. @cost O(1)
std::span<const Field<ShownHost>> host_facts();
/// lshosts: a line per host. @cost O(hosts)
std::string host_facts_table(std::span<const ShownHost> hosts, bool with_header);
/// lshosts -l: a section per host. @cost O(hosts)
std::string long_host_facts(std::span<const ShownHost> hosts, bool with_header);
/// The names that select[] takes as true there: "gpu", groups, resources without a value; by name.
/// @cost O(resources)
std::vector<std::string> true_resources(const ShownHost& host);

/// "0.3": the load of the last minute; empty: not heard. @cost O(1)
std::string load_text(const HostView& view);
/// "ok" (heard; whether batch jobs start there, bhosts says), "busy" (a load threshold is reached),
/// "unavail". @cost O(1)
std::string load_status(const HostView& view);
/// Fields of lsload -o and -json; empty where a host does not tell. @cost O(1)
std::span<const Field<ShownHost>> load_fields();
/// lsload: a line per host. @cost O(hosts)
std::string load_table(std::span<const ShownHost> hosts, bool with_header);
/// lsload -l: wider, with io and the GPUs. @cost O(hosts)
std::string long_load_table(std::span<const ShownHost> hosts, bool with_header);
/// lsload -gpu: GPUs, how full and how busy they are on average. @cost O(GPUs)
std::string gpu_load_table(std::span<const ShownHost> hosts, bool with_header);
/// lsload -gpuload: a line per GPU. @cost O(GPUs times reports)
std::string each_gpu_load_table(std::span<const ShownHost> hosts, bool with_header);

/// Names behind the fields of lsload: of each of the most GPUs on a host "gpu_mode0", "gpu_temp0"
/// ..., "gpu_shared_avg_ut", and the resources that hosts.conf gives with a value; by name, each
/// once. @cost O(GPUs + resources, times the log of their names)
std::vector<std::string> extra_load_names(std::span<const ShownHost> hosts);
/// The value of one of those names; empty: that host has none. @cost O(reports + resources)
std::string extra_load(const ShownHost& host, std::string_view name);

/// The words of a -o argument with each that holds one '*' replaced by the names that it is a
/// pattern of, among those of `names`; one that fits none goes. What stands behind a ':' stays with
/// each. @cost O(words times names)   @source LSF lsload -o: external resources
std::string expand_names(std::string_view text, std::span<const std::string> names);

}  // namespace wm::view
