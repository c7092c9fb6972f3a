// One row per field; the tables and the long form are made of the same texts.
#include "libwm/view/host_fields.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "libwm/base/units.h"
#include "libwm/model/stoppers.h"
#include "libwm/view/gpu_fields.h"
#include "libwm/view/load_fields.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

using V = HostView;

std::uint64_t gpus_aside(const V& v) {
  auto rows = gpu_rows(std::span(&v, 1));
  return static_cast<std::uint64_t>(
      std::count_if(rows.begin(), rows.end(), [](auto& row) { return gpu_status(row) != "ok"; }));
}

std::string cores(std::uint32_t milli) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), milli % 1000 ? "%.2f" : "%.0f", milli / 1000.0);
  return text.data();
}

std::string comment(const V& v) {
  if (!v.host.closed) return "";
  if (is_closed_for_load(v.host)) return "load threshold reached: " + v.host.closed_why;
  auto by = v.host.closed_by.empty() ? "" : v.host.closed_by + ": ";
  return by + v.host.closed_why;
}

std::string narrow_status(const V& v) {
  auto status = host_status(v);
  return status.starts_with("closed") ? "closed" : status;
}

constexpr Field<V> kHostFields[] = {
    {{"host_name", "hname", 20}, kBrief, [](const V& v) { return v.host.name; }},
    {{"status", "stat", 15}, kBrief, host_status},
    {{"jl_u", "jlu", 5}, kText, [](const V&) { return std::string(); }},
    {{"max", "", 5}, kBrief, [](const V& v) { return v.host.capacity.slots; }},
    {{"njobs", "", 5}, kBrief, [](const V& v) { return v.jobs; }},
    {{"run", "", 5}, kBrief, [](const V& v) { return v.running; }},
    {{"ssusp", "", 5}, kBrief, [](const V& v) { return v.parked; }},
    {{"ususp", "", 5}, kBrief, [](const V& v) { return v.suspended; }},
    {{"rsv", "", 5}, kText, [](const V& v) { return count(v.reserved); }},
    {{"nstuck", "", 6}, kBrief, [](const V& v) { return v.host.stuck_slots; }},
    {{"ngpus", "", 5}, kBrief, [](const V& v) { return v.host.capacity.gpus.size(); }},
    {{"ngpus_alloc", "ngpu_alloc", 11}, kBrief, [](const V& v) { return gpus_held(v.host); }},
    {{"ngpus_stuck", "", 11}, kBrief, [](const V& v) { return v.stuck_gpus; }},
    {{"ngpus_aside", "", 11}, kBrief, [](const V& v) { return gpus_aside(v); }},
    {{"ncpus", "", 5},
     kBrief,
     [](const V& v) { return v.host.capacity.milli_cpus / 1000.0; },
     [](const V& v) { return cores(v.host.capacity.milli_cpus); }},
    {{"ncpus_alloc", "", 11},
     kBrief,
     [](const V& v) { return v.host.used_milli_cpus / 1000.0; },
     [](const V& v) { return cores(v.host.used_milli_cpus); }},
    {{"total_mem", "", 10},
     kBrief,
     [](const V& v) { return v.host.capacity.mem; },
     [](const V& v) { return memory(v.host.capacity.mem); }},
    {{"reserved_mem", "", 12},
     kBrief,
     [](const V& v) { return v.host.used_mem; },
     [](const V& v) { return memory(v.host.used_mem); }},
    {{"available_mem", "", 13},
     kBrief,
     [](const V& v) { return v.host.capacity.mem - v.host.used_mem; },
     [](const V& v) { return memory(v.host.capacity.mem - v.host.used_mem); }},
    {{"load", "r1m", 6},
     kBrief,
     [](const V& v) { return v.connected ? std::optional(v.load) : std::nullopt; },
     load_text},
    {{"type", "", 10}, kBrief, [](const V& v) { return v.host.type; }},
    {{"model", "", 10}, kBrief, [](const V& v) { return v.host.model; }},
    {{"address", "", 16}, kFull, [](const V& v) { return v.host.address; }},
    {{"comments", "comment", 30}, kBrief, comment},
};

std::string_view state(const V& v) {
  switch (v.host.state) {
    case HostState::Ok: return "ok";
    case HostState::Silent: return "silent";
    case HostState::Dead: return "dead";
  }
  return "";
}

constexpr Field<V> kMoreHostFields[] = {
    {{"state", ""}, kFull, [](const V& v) { return state(v); }},
    {{"connected", ""}, kFull, [](const V& v) { return v.connected; }},
    {{"closed", ""}, kFull, [](const V& v) { return v.host.closed; }},
    {{"registered_time", ""}, kFull, [](const V& v) { return v.host.registered; }},
    {{"silent_since", ""}, kFull, [](const V& v) { return v.host.silent_since; }},
};

std::string host_numbers(const V& v) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), " %4s %6u %6u %6u %6u %6u %6u", "-",
                v.host.capacity.slots, v.jobs, v.running, v.parked, v.suspended, v.reserved);
  return text.data();
}

}  // namespace

std::string host_status(const HostView& view) {
  const Host& host = view.host;
  if (host.state == HostState::Dead || host.registered == WallTime{}) return "unavail";
  if (host.state == HostState::Silent || !view.connected) return "unreach";
  if (host.closed && is_closed_by_window(host)) return "closed_Wind";
  if (host.closed) return is_closed_for_load(host) ? "closed_Busy" : "closed_Adm";
  if (host.capacity.slots <= host.used_slots) return "closed_Full";
  return "ok";
}

std::span<const Field<HostView>> host_fields() { return kHostFields; }
std::span<const Field<HostView>> more_host_fields() { return kMoreHostFields; }

std::string host_table(std::span<const HostView> hosts, bool wide, bool with_header) {
  std::string text;
  if (with_header)
    text = std::string("HOST_NAME          STATUS       ") + (wide ? "   " : "") +
           "JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV\n";
  for (const auto& view : hosts) {
    if (wide) text += at_least(view.host.name, 18) + " " + at_least(host_status(view), 15);
    else text += fit(view.host.name, 18) + " " + fit(narrow_status(view), 12);
    text += host_numbers(view) + "\n";
  }
  return text;
}

std::string host_long_text(const HostView& view) {
  const Host& host = view.host;
  std::string text = "HOST  " + host.name + "\n";
  text += "STATUS          JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV\n";
  text += fit(host_status(view), 15) + host_numbers(view) + "\n\n";
  auto line = [&](const char* name, const std::string& value) {
    text += " " + fit(name, 14) + (value.empty() ? "-" : value) + "\n";
  };
  line("ADDRESS", host.address);
  line("TYPE", host.type);
  line("MODEL", host.model);
  line("CPUS", cores(host.capacity.milli_cpus) + ", taken " + cores(host.used_milli_cpus));
  line("MEMORY", host.capacity.mem.value
                     ? format_bytes(host.capacity.mem) + ", taken " + format_bytes(host.used_mem)
                     : "");
  line("LOAD", load_text(view));
  if (host.stuck_slots)
    line("STUCK SLOTS", std::to_string(host.stuck_slots) + ", not proven free after SIGKILL");
  if (host.closed) text += "\n ADMIN ACTION COMMENT: \"" + comment(view) + "\"\n";
  return text + gpu_long_text(view);
}

}  // namespace wm::view
