// One row per field; the tables and the long form are made of the same texts.
#include "libwm/view/host_fields.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <set>

#include "libwm/base/units.h"
#include "libwm/model/machine_words.h"
#include "libwm/model/stoppers.h"
#include "libwm/view/gpu_fields.h"
#include "libwm/view/load_fields.h"
#include "libwm/view/table.h"
#include "libwm/view/texts.h"
#include "libwm/view/thresholds.h"

namespace wm::view {
namespace {

using V = HostView;

// GPUs that no task holds and that may be given out.
std::uint64_t gpus_free(const V& v, bool with_shared) {
  std::set<std::size_t> taken;
  for (std::size_t i = 0; i < v.host.gpu_owners.size(); ++i)
    if (v.host.gpu_owners[i].job.job != 0) taken.insert(i);
  if (!with_shared)
    for (const auto& share : v.host.gpu_shares) taken.insert(share.gpu);
  std::uint64_t free = 0;
  for (const auto& row : gpu_rows(std::span(&v, 1)))
    free += gpu_status(row) == "ok" && !taken.contains(row.gpu);
  return free;
}

std::uint64_t gpus_owned(const V& v) {
  return static_cast<std::uint64_t>(std::ranges::count_if(
      v.host.gpu_owners, [](const GpuOwner& owner) { return owner.job.job != 0; }));
}

std::uint64_t gpus_shared(const V& v) { return gpus_held(v.host) - gpus_owned(v); }

// MIG slices in use; none: there are no slices.
std::optional<std::uint64_t> slices_held(const V& v) {
  std::set<std::size_t> held;
  bool any = false;
  const auto& gpus = v.host.capacity.gpus;
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (gpus[i].mig.empty()) continue;
    any = true;
    if (i < v.host.gpu_owners.size() && v.host.gpu_owners[i].job.job != 0) held.insert(i);
    for (const auto& share : v.host.gpu_shares)
      if (share.gpu == i) held.insert(i);
  }
  return any ? std::optional<std::uint64_t>(held.size()) : std::nullopt;
}

// What is free now less what jobs have reserved; of a host that does not tell, of what there is.
Bytes available_mem(const V& v) {
  bool told = v.connected && v.more.mem.value >= 0;
  auto free = told ? std::min(v.more.mem, v.host.capacity.mem) : v.host.capacity.mem;
  return std::max(Bytes{0}, free - v.host.used_mem);
}

std::string none(const V&) { return ""; }

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
    {{"cpuf", "", 10}, kText, [](const V&) { return std::string("1.00"); }},
    {{"jl_u", "jlu", 5}, kText, none},
    {{"max", "", 5}, kBrief, [](const V& v) { return v.host.capacity.slots; }},
    {{"njobs", "", 5}, kBrief, [](const V& v) { return v.jobs; }},
    {{"run", "", 5}, kBrief, [](const V& v) { return v.running; }},
    {{"ssusp", "", 5}, kBrief, [](const V& v) { return v.parked; }},
    {{"ususp", "", 5}, kBrief, [](const V& v) { return v.suspended; }},
    {{"rsv", "", 5}, kText, [](const V& v) { return count(v.reserved); }},
    {{"dispatch_window", "dispwin", 50}, kText, none},
    {{"slots", "", 8}, kText, [](const V& v) { return count(v.host.capacity.slots); }},
    {{"slots_alloc", "", 8}, kText, [](const V& v) { return count(v.host.used_slots); }},
    {{"nstuck", "", 6}, kBrief, [](const V& v) { return v.host.stuck_slots; }},
    {{"ngpus", "ng", 5}, kBrief, [](const V& v) { return v.host.capacity.gpus.size(); }},
    {{"ngpus_alloc", "ngpu_alloc ngu", 11}, kBrief, [](const V& v) { return gpus_held(v.host); }},
    {{"ngpus_excl_alloc", "ngx", 8}, kText, [](const V& v) { return count(gpus_owned(v)); }},
    {{"ngpus_shared_alloc", "ngs", 8}, kText, [](const V& v) { return count(gpus_shared(v)); }},
    {{"ngpus_shared_jexcl_alloc", "ngsjx", 8}, kText, [](const V&) { return count(0); }},
    {{"ngpus_excl_avail", "ngfx", 8}, kText, [](const V& v) { return count(gpus_free(v, false)); }},
    {{"ngpus_shared_avail", "ngfs", 8},
     kText,
     [](const V& v) { return count(gpus_free(v, true)); }},
    {{"attribute", "attr", 50}, kText, none},
    {{"mig_alloc", "", 5},
     kText,
     [](const V& v) {
       auto held = slices_held(v);
       return held ? count(*held) : std::string();
     }},
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
     [](const V& v) { return available_mem(v); },
     [](const V& v) { return v.host.capacity.mem.value ? format_bytes(available_mem(v)) : ""; }},
    {{"load", "r1m", 6},
     kBrief,
     [](const V& v) { return v.connected ? std::optional(v.load) : std::nullopt; },
     load_text},
    {{"type", "", 10}, kBrief, [](const V& v) { return host_type_word(v.host.type); }},
    {{"model", "", 10}, kBrief, [](const V& v) { return host_model_word(v.host.model); }},
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
    {{"draining", ""}, kFull, [](const V& v) { return v.host.drains; }},
    {{"moving", ""}, kFull, [](const V& v) { return v.moving; }},
    {{"registered_time", ""}, kFull, [](const V& v) { return v.host.registered; }},
    {{"silent_since", ""}, kFull, [](const V& v) { return v.host.silent_since; }},
};

// @source LSF bhosts -l: one line of heads, what there is, what jobs have reserved of it
std::string current_load(const V& v) {
  struct Index {
    std::string_view name;
    int width;
    std::string_view unreserved;
  };
  constexpr Index kIndices[] = {{"r15s", -16, "0.0"}, {"r1m", -6, "0.0"}, {"r15m", -6, "0.0"},
                                {"ut", -6, "0%"},     {"pg", -6, "0.0"},  {"io", -6, "0"},
                                {"ls", -5, "0"},      {"it", -6, "0"},    {"tmp", -6, "0M"},
                                {"swp", -6, "0M"},    {"mem", -6, ""},    {"slots", -7, "-"}};
  const ShownHost shown{&v, nullptr};
  std::string heads, total = " Total", reserved = " Reserved";
  for (const auto& [name, width, unreserved] : kIndices) {
    std::string value;
    for (const auto& field : load_fields())
      if (field.field.name == name) value = field.show(shown);
    auto kept = std::string(unreserved);
    if (name == "mem") {
      kept = size_text(v.host.used_mem, {"M", true});
      if (v.connected && v.more.mem.value >= 0) value = format_bytes(available_mem(v));
    }
    if (name == "slots")
      value = count(v.host.capacity.slots - std::min(v.host.capacity.slots, v.host.used_slots));
    auto size = static_cast<std::size_t>(-width);
    auto add = [&](std::string& line, const std::string& cell, std::size_t taken) {
      line += fit(cell, static_cast<int>(size - taken), true);
    };
    bool first = heads.empty();
    add(heads, std::string(name), 0);
    add(total, or_dash(value), first ? std::string_view(" Total").size() : 0);
    add(reserved, kept, first ? std::string_view(" Reserved").size() : 0);
  }
  return " CURRENT LOAD USED FOR SCHEDULING:\n" + heads + "\n" + total + "\n" + reserved + "\n";
}

// What still is on a host that is drained.
std::string drain_words(const V& v) {
  if (v.jobs == 0) return "nothing is left there";
  auto tasks = [](std::uint32_t n, const char* one, const char* more) {
    return std::to_string(n) + (n == 1 ? one : more);
  };
  std::string text;
  if (v.moving > 0)
    text = tasks(v.moving, " task leaves", " tasks leave") + " when others have taken their place";
  auto stay = v.jobs - std::min(v.jobs, v.moving);
  if (stay > 0)
    text += (text.empty() ? "" : ", ") +
            tasks(stay, " task runs to its end", " tasks run to their end");
  return text;
}

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
  text += "STATUS           CPUF  JL/U    MAX  NJOBS    RUN  SSUSP  USUSP    RSV DISPATCH_WINDOW\n";
  text += fit(host_status(view), 15) + "  1.00 " + host_numbers(view) + "      -\n\n";
  text +=
      current_load(view) + "\n LOAD THRESHOLD USED FOR SCHEDULING:\n" + load_thresholds({}) + "\n";
  auto line = [&](const char* name, const std::string& value) {
    text += " " + fit(name, 14) + (value.empty() ? "-" : value) + "\n";
  };
  line("ADDRESS", host.address);
  line("TYPE", host_type_word(host.type));
  line("MODEL", host_model_word(host.model));
  line("CPUS", cores(host.capacity.milli_cpus) + ", taken " + cores(host.used_milli_cpus));
  line("MEMORY", host.capacity.mem.value
                     ? format_bytes(host.capacity.mem) + ", taken " + format_bytes(host.used_mem)
                     : "");
  line("LOAD", load_text(view));
  if (host.stuck_slots)
    line("STUCK SLOTS", std::to_string(host.stuck_slots) + ", not proven free after SIGKILL");
  if (host.drains) line("DRAIN", drain_words(view));
  if (host.closed) text += "\n ADMIN ACTION COMMENT: \"" + comment(view) + "\"\n";
  return text + gpu_long_text(view);
}

}  // namespace wm::view
