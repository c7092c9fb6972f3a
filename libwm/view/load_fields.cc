#include "libwm/view/load_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>

#include "libwm/base/joined.h"
#include "libwm/model/machine_words.h"
#include "libwm/model/stoppers.h"
#include "libwm/view/table.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

using Shown = ShownHost;

// "126.5G": clients need two digits before the unit.
std::string memory_column(Bytes bytes) {
  if (bytes.value <= 0) return "";
  std::array<char, 32> text{};
  double mib = static_cast<double>(bytes.value) / (1 << 20);
  bool large = mib >= 10240;
  std::snprintf(text.data(), text.size(), large ? "%.1fG" : "%.0fM", large ? mib / 1024 : mib);
  return text.data();
}

const Host& host_of(const Shown& s) { return s.view->host; }
std::string cores(const Shown& s) { return std::to_string(host_of(s).capacity.milli_cpus / 1000); }
bool known(const Shown& s) { return host_of(s).registered != WallTime{}; }

std::string one_decimal(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

// What a host that is heard has told; negative is not known.
template <class Amount>
std::optional<Amount> measured(const Shown& s, Amount amount) {
  return s.view->connected && amount >= Amount{} ? std::optional(amount) : std::nullopt;
}

std::string rate(const Shown& s, double value) {
  return measured(s, value) ? one_decimal(value) : "";
}
std::string r15s(const Shown& s) { return rate(s, s.view->more.r15s); }
std::string r15m(const Shown& s) { return rate(s, s.view->more.r15m); }
std::string r1m(const Shown& s) { return load_text(*s.view); }
std::string pg(const Shown& s) { return rate(s, s.view->more.pg); }
std::string io(const Shown& s) {
  return measured(s, s.view->more.io) ? std::to_string(std::lround(s.view->more.io)) : "";
}
std::string ls(const Shown& s) {
  return measured(s, s.view->more.logins) ? std::to_string(s.view->more.logins) : "";
}
std::string status(const Shown& s) { return load_status(*s.view); }

std::string available(const Shown& s, Bytes bytes) {
  if (!measured(s, bytes)) return "";
  return bytes.value == 0 ? "0M" : memory_column(bytes);
}
std::string tmp(const Shown& s) { return available(s, s.view->more.tmp); }
std::string swp(const Shown& s) { return available(s, s.view->more.swp); }
std::string mem(const Shown& s) { return available(s, s.view->more.mem); }
std::string maxtmp(const Shown& s) { return available(s, s.view->more.max_tmp); }
std::string maxswp(const Shown& s) { return available(s, s.view->more.max_swp); }
std::string maxmem(const Shown& s) { return memory_column(host_of(s).capacity.mem); }

// Minutes since somebody typed there.
std::string idle(const Shown& s) {
  if (!measured(s, s.view->more.idle)) return "";
  return std::to_string(
      std::chrono::duration_cast<std::chrono::minutes>(s.view->more.idle).count());
}

// Part of the cores that the load of the last minute would keep busy.
std::optional<double> busy_part(const Shown& s) {
  if (!s.view->connected || host_of(s).capacity.milli_cpus == 0) return std::nullopt;
  return std::min(1.0, s.view->load * 1000.0 / host_of(s).capacity.milli_cpus);
}

std::string busy(const Shown& s) {
  auto part = busy_part(s);
  return part ? std::to_string(static_cast<int>(*part * 100)) + "%" : "";
}

std::string none(const Shown&) { return ""; }
std::string name(const Shown& s) { return host_of(s).name; }
std::string type(const Shown& s) { return host_type_word(host_of(s).type); }
std::string model(const Shown& s) { return host_model_word(host_of(s).model); }

// Different values of a member of its CPUs, at least one; each on `per` of another.
template <std::uint32_t Cpu::*Member>
std::size_t different(const Shown& s) {
  std::set<std::uint32_t> seen;
  for (const Cpu& cpu : s.view->cpus) seen.insert(cpu.*Member);
  return std::max<std::size_t>(seen.size(), 1);
}
std::size_t sockets(const Shown& s) { return different<&Cpu::socket>(s); }
std::size_t all_cores(const Shown& s) {
  return s.view->cpus.empty() ? std::max<std::size_t>(host_of(s).capacity.milli_cpus / 1000, 1)
                              : different<&Cpu::core>(s);
}

std::string resources(const Shown& s) { return "(" + joined(true_resources(s), " ") + ")"; }

constexpr Field<Shown> kFacts[] = {
    {{"host_name", "hname", 20}, kFull, name},
    {{"type", "", 10, "type"}, kFull, type},
    {{"model", "", 10, "model"}, kFull, model},
    {{"cpuf", "", 10, "cpuf"}, kText, [](const Shown&) { return std::string("1.0"); }},
    {{"ncpus", "", 6, "ncpus"},
     kFull,
     [](const Shown& s) { return host_of(s).capacity.milli_cpus / 1000.0; },
     [](const Shown& s) { return known(s) ? cores(s) : ""; }},
    {{"maxmem", "", 10, "maxmem"},
     kFull,
     [](const Shown& s) { return if_set(host_of(s).capacity.mem); },
     maxmem},
    {{"maxswp", "", 10, "maxswp"},
     kFull,
     [](const Shown& s) { return measured(s, s.view->more.max_swp); },
     maxswp},
    {{"server", "", 10, "server"}, kText, [](const Shown&) { return std::string("Yes"); }},
    {{"RESOURCES", "res", 20, "RESOURCES"}, kText, resources},
    {{"ndisks", "", 6, "ndisks"}, kText, none},
    {{"maxtmp", "", 10, "maxtmp"},
     kFull,
     [](const Shown& s) { return measured(s, s.view->more.max_tmp); },
     maxtmp},
    {{"rexpri", "", 6, "rexpri"}, kText, [](const Shown&) { return count(0); }},
    {{"nprocs", "", 6, "nprocs"}, kFull, [](const Shown& s) { return sockets(s); }},
    {{"ncores", "", 6, "ncores"}, kFull, [](const Shown& s) { return all_cores(s) / sockets(s); }},
    {{"nthreads", "", 6, "nthreads"},
     kFull,
     [](const Shown& s) { return std::max<std::size_t>(s.view->cpus.size() / all_cores(s), 1); }},
    {{"RUN_WINDOWS", "", 15, "RUN_WINDOWS"},
     kText,
     [](const Shown&) { return std::string("(always_open)"); }},
    {{"ngpus", "", 5, "ngpus"},
     kFull,
     [](const Shown& s) { return host_of(s).capacity.gpus.size(); }},
};

constexpr Field<Shown> kLoads[] = {
    {{"host_name", "hname", 20}, kText, name},
    {{"status", "stat", 15, "status"}, kText, status},
    {{"r15s", "", 6, "r15s"},
     kFull,
     [](const Shown& s) { return measured(s, s.view->more.r15s); },
     r15s},
    {{"r1m", "", 6, "r1m"}, kFull, [](const Shown& s) { return measured(s, s.view->load); }, r1m},
    {{"r15m", "", 6, "r15m"},
     kFull,
     [](const Shown& s) { return measured(s, s.view->more.r15m); },
     r15m},
    {{"ut", "", 6, "ut"}, kFull, [](const Shown& s) { return busy_part(s); }, busy},
    {{"pg", "", 6, "pg"}, kFull, [](const Shown& s) { return measured(s, s.view->more.pg); }, pg},
    {{"io", "", 6, "io"}, kFull, [](const Shown& s) { return measured(s, s.view->more.io); }, io},
    {{"ls", "", 6, "ls"},
     kFull,
     [](const Shown& s) { return measured(s, s.view->more.logins); },
     ls},
    {{"it", "", 6, "it"},
     kFull,
     [](const Shown& s) { return measured(s, s.view->more.idle); },
     idle},
    {{"tmp", "", 10, "tmp"},
     kFull,
     [](const Shown& s) { return measured(s, s.view->more.tmp); },
     tmp},
    {{"swp", "", 10, "swp"},
     kFull,
     [](const Shown& s) { return measured(s, s.view->more.swp); },
     swp},
    {{"mem", "", 10, "mem"},
     kFull,
     [](const Shown& s) { return measured(s, s.view->more.mem); },
     mem},
    {{"maxtmp", "", 10, "maxtmp"},
     kFull,
     [](const Shown& s) { return measured(s, s.view->more.max_tmp); },
     maxtmp},
    {{"maxswp", "", 10, "maxswp"},
     kFull,
     [](const Shown& s) { return measured(s, s.view->more.max_swp); },
     maxswp},
    {{"maxmem", "", 10, "maxmem"},
     kFull,
     [](const Shown& s) { return if_set(host_of(s).capacity.mem); },
     maxmem},
    {{"ngpus", "", 5, "ngpus"},
     kText,
     [](const Shown& s) { return count(host_of(s).capacity.gpus.size()); }},
};

}  // namespace

std::vector<std::string> true_resources(const ShownHost& host) {
  std::set<std::string> names;
  if (!host_of(host).capacity.gpus.empty()) names.insert("gpu");
  if (host.conf) {
    names.insert(host.conf->groups.begin(), host.conf->groups.end());
    for (const auto& [name, value] : host.conf->resources)
      if (value.empty()) names.insert(name);
  }
  return {names.begin(), names.end()};
}

std::string load_text(const HostView& v) { return v.connected ? one_decimal(v.load) : ""; }

std::string load_status(const HostView& v) {
  if (!v.connected || v.host.state != HostState::Ok) return "unavail";
  return is_closed_for_load(v.host) ? "busy" : "ok";
}

std::span<const Field<ShownHost>> host_facts() { return kFacts; }
std::span<const Field<ShownHost>> load_fields() { return kLoads; }

std::string host_facts_table(std::span<const ShownHost> hosts, bool with_header) {
  std::string text;
  if (with_header)
    text = "HOST_NAME      type    model  cpuf ncpus maxmem maxswp server RESOURCES\n";
  static constexpr std::array kWidths = {14, 7, 6, -4, -5, -6, -6, -6, 9};
  for (const auto& s : hosts) {
    const Cells cells = {name(s),
                         or_dash(type(s)),
                         or_dash(model(s)),
                         "1.0",
                         known(s) ? cores(s) : "-",
                         or_dash(maxmem(s)),
                         or_dash(maxswp(s)),
                         "Yes",
                         resources(s)};
    text += line_of(cells, kWidths, TooWide::Keep) + "\n";
  }
  return text;
}

std::string long_host_facts(std::span<const ShownHost> hosts, bool) {
  std::string text;
  static constexpr std::string_view kShown[] = {"type",   "model",  "cpuf",    "ncpus",  "ndisks",
                                                "maxmem", "maxswp", "maxtmp",  "rexpri", "server",
                                                "nprocs", "ncores", "nthreads"};
  for (const auto& s : hosts) {
    Cells heads, values;
    for (auto shown : kShown)
      for (const auto& field : kFacts)
        if (field.field.name == shown) {
          heads.emplace_back(shown);
          values.push_back(or_dash(field.show(s)));
        }
    const Cells rows[] = {heads, values};
    text += (text.empty() ? "" : "\n") + std::string("HOST_NAME:  ") + name(s) + "\n" +
            aligned(rows) + "\nRESOURCES: " + resources(s) + "\nRUN_WINDOWS:  (always open)\n";
  }
  return text;
}

std::string load_table(std::span<const ShownHost> hosts, bool with_header) {
  std::string text;
  if (with_header)
    text = "HOST_NAME       status  r15s   r1m  r15m   ut    pg  ls    it   tmp   swp   mem\n";
  static constexpr std::array kWidths = {15, 7, -4, -5, -5, -4, -5, -3, -5, -5, -5, -5};
  for (const auto& s : hosts) {
    Cells cells = {name(s), status(s)};
    for (auto of : {r15s, r1m, r15m, busy, pg, ls, idle, tmp, swp, mem})
      cells.push_back(or_dash(of(s)));
    text += line_of(cells, kWidths, TooWide::Keep) + "\n";
  }
  return text;
}

std::string long_load_table(std::span<const ShownHost> hosts, bool with_header) {
  std::string text;
  if (with_header)
    text =
        "HOST_NAME               status  r15s   r1m  r15m   ut    pg    io  ls    it     tmp     "
        "swp     mem  ngpus\n";
  static constexpr std::array kWidths = {23, 7, -4, -5, -5, -4, -5, -5, -3, -5, -7, -7, -7, -6};
  for (const auto& s : hosts) {
    Cells cells = {name(s), status(s)};
    for (auto of : {r15s, r1m, r15m, busy, pg, io, ls, idle, tmp, swp, mem})
      cells.push_back(or_dash(of(s)));
    cells.push_back(count(host_of(s).capacity.gpus.size()));
    text += line_of(cells, kWidths, TooWide::Keep) + "\n";
  }
  return text;
}

}  // namespace wm::view
