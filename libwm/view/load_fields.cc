#include "libwm/view/load_fields.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "libwm/model/stoppers.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

using V = HostView;

// "126.5G": clients need two digits before the unit.
std::string memory_column(Bytes bytes) {
  if (bytes.value <= 0) return "";
  std::array<char, 32> text{};
  double mib = static_cast<double>(bytes.value) / (1 << 20);
  bool large = mib >= 10240;
  std::snprintf(text.data(), text.size(), large ? "%.1fG" : "%.0fM", large ? mib / 1024 : mib);
  return text.data();
}

std::string cores(const V& v) { return std::to_string(v.host.capacity.milli_cpus / 1000); }
bool known(const V& v) { return v.host.registered != WallTime{}; }

std::string one_decimal(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

// Load and memory that were measured, at a host that is heard.
std::string queue_length(const V& v, double value) {
  return v.connected && value >= 0 ? one_decimal(value) : "";
}
std::string r15s(const V& v) { return queue_length(v, v.more.r15s); }
std::string r15m(const V& v) { return queue_length(v, v.more.r15m); }

std::string available(const V& v, Bytes bytes) {
  if (!v.connected || bytes.value < 0) return "";
  return bytes.value == 0 ? "0M" : memory_column(bytes);
}
std::string tmp(const V& v) { return available(v, v.more.tmp); }
std::string swp(const V& v) { return available(v, v.more.swp); }
std::string mem(const V& v) { return available(v, v.more.mem); }
std::string maxtmp(const V& v) { return available(v, v.more.max_tmp); }
std::string maxswp(const V& v) { return available(v, v.more.max_swp); }

// Minutes since somebody typed there.
std::string idle(const V& v) {
  if (!v.connected || v.more.idle.count() < 0) return "";
  return std::to_string(std::chrono::duration_cast<std::chrono::minutes>(v.more.idle).count());
}

// Part of the cores that the load of the last minute would keep busy.
std::optional<double> busy_part(const V& v) {
  if (!v.connected || v.host.capacity.milli_cpus == 0) return std::nullopt;
  return std::min(1.0, v.load * 1000.0 / v.host.capacity.milli_cpus);
}

std::string busy(const V& v) {
  auto part = busy_part(v);
  return part ? std::to_string(static_cast<int>(*part * 100)) + "%" : "";
}

std::string none(const V&) { return ""; }

// What a host that is heard has told; negative is not known.
template <class Amount>
std::optional<Amount> measured(const V& v, Amount amount) {
  return v.connected && amount >= Amount{} ? std::optional(amount) : std::nullopt;
}

constexpr Field<V> kFacts[] = {
    {{"host_name", "hname", 15}, kFull, [](const V& v) { return v.host.name; }},
    {{"type", "", 10}, kFull, [](const V& v) { return v.host.type; }},
    {{"model", "", 20}, kFull, [](const V& v) { return v.host.model; }},
    {{"cpuf", "", 6}, kText, [](const V&) { return std::string("1.0"); }},
    {{"ncpus", "", 5},
     kFull,
     [](const V& v) { return v.host.capacity.milli_cpus / 1000.0; },
     [](const V& v) { return known(v) ? cores(v) : ""; }},
    {{"maxmem", "", 8},
     kFull,
     [](const V& v) { return v.host.capacity.mem; },
     [](const V& v) { return memory_column(v.host.capacity.mem); }},
    {{"maxswp", "", 8}, kFull, [](const V& v) { return measured(v, v.more.max_swp); }, maxswp},
    {{"server", "", 6}, kText, [](const V&) { return std::string("Yes"); }},
    {{"ngpus", "", 5}, kFull, [](const V& v) { return v.host.capacity.gpus.size(); }},
};

constexpr Field<V> kLoads[] = {
    {{"host_name", "hname", 15}, kText, [](const V& v) { return v.host.name; }},
    {{"status", "stat", 10}, kText, load_status},
    {{"r15s", "", 6}, kFull, [](const V& v) { return measured(v, v.more.r15s); }, r15s},
    {{"r1m", "", 6}, kFull, [](const V& v) { return measured(v, v.load); }, load_text},
    {{"r15m", "", 6}, kFull, [](const V& v) { return measured(v, v.more.r15m); }, r15m},
    {{"ut", "", 5}, kFull, [](const V& v) { return busy_part(v); }, busy},
    {{"pg", "", 5}, kText, none},
    {{"ls", "", 4}, kText, none},
    {{"it", "", 4}, kFull, [](const V& v) { return measured(v, v.more.idle); }, idle},
    {{"tmp", "", 6}, kFull, [](const V& v) { return measured(v, v.more.tmp); }, tmp},
    {{"swp", "", 6}, kFull, [](const V& v) { return measured(v, v.more.swp); }, swp},
    {{"mem", "", 6}, kFull, [](const V& v) { return measured(v, v.more.mem); }, mem},
    {{"maxtmp", "", 6}, kFull, [](const V& v) { return measured(v, v.more.max_tmp); }, maxtmp},
    {{"maxswp", "", 6}, kFull, [](const V& v) { return measured(v, v.more.max_swp); }, maxswp},
    {{"maxmem", "", 6},
     kFull,
     [](const V& v) { return v.host.capacity.mem; },
     [](const V& v) { return memory_column(v.host.capacity.mem); }},
    {{"ngpus", "", 5}, kText, [](const V& v) { return count(v.host.capacity.gpus.size()); }},
};

std::string shown(const std::string& text) { return text.empty() ? "-" : text; }

// Mean of what is measured; empty without devices.
std::string mean(const V& v, double (*of)(const V&, const GpuReport&)) {
  if (!v.connected || v.gpus.empty()) return "";
  double sum = 0;
  for (const auto& report : v.gpus) sum += of(v, report);
  return std::to_string(std::lround(sum / static_cast<double>(v.gpus.size()))) + "%";
}

double memory_part(const V& v, const GpuReport& report) {
  for (const auto& gpu : v.host.capacity.gpus)
    if (gpu.uuid == report.uuid && gpu.mem.value > 0)
      return 100.0 * static_cast<double>(report.used.value) / static_cast<double>(gpu.mem.value);
  return 0;
}

}  // namespace

std::string load_text(const HostView& v) { return v.connected ? one_decimal(v.load) : ""; }

std::string load_status(const HostView& v) {
  if (!v.connected || v.host.state != HostState::Ok) return "unavail";
  if (is_closed_for_load(v.host)) return "busy";
  return v.host.closed ? "-ok" : "ok";
}

std::span<const Field<HostView>> host_facts() { return kFacts; }
std::span<const Field<HostView>> load_fields() { return kLoads; }

std::string host_facts_table(std::span<const HostView> hosts, bool with_header) {
  std::string text;
  if (with_header)
    text = "HOST_NAME      type    model  cpuf ncpus maxmem maxswp server RESOURCES\n";
  for (const auto& v : hosts) {
    std::array<char, 256> line{};
    std::snprintf(line.data(), line.size(), "%-14s %-7s %-6.6s %4s %5s %6s %6s %6s (%s)\n",
                  v.host.name.c_str(), shown(v.host.type).c_str(),
                  shown(v.host.model.substr(0, v.host.model.find(' '))).c_str(), "1.0",
                  known(v) ? cores(v).c_str() : "-",
                  shown(memory_column(v.host.capacity.mem)).c_str(), shown(maxswp(v)).c_str(),
                  "Yes", v.host.capacity.gpus.empty() ? "" : "gpu");
    text += line.data();
  }
  return text;
}

std::string load_table(std::span<const HostView> hosts, bool with_header) {
  std::string text;
  if (with_header)
    text = "HOST_NAME       status  r15s   r1m  r15m   ut    pg  ls    it   tmp   swp   mem\n";
  for (const auto& v : hosts) {
    std::array<char, 256> line{};
    std::snprintf(line.data(), line.size(), "%-15s %-7s %4s %5s %5s %4s %5s %3s %5s %5s %5s %5s\n",
                  v.host.name.c_str(), load_status(v).c_str(), shown(r15s(v)).c_str(),
                  shown(load_text(v)).c_str(), shown(r15m(v)).c_str(), shown(busy(v)).c_str(), "-",
                  "-", shown(idle(v)).c_str(), shown(tmp(v)).c_str(), shown(swp(v)).c_str(),
                  shown(mem(v)).c_str());
    text += line.data();
  }
  return text;
}

std::string long_load_table(std::span<const HostView> hosts, bool with_header) {
  std::string text;
  if (with_header)
    text =
        "HOST_NAME               status  r15s   r1m  r15m   ut    pg    io  ls    it     tmp     "
        "swp"
        "     mem  ngpus\n";
  for (const auto& v : hosts) {
    std::array<char, 256> line{};
    std::snprintf(line.data(), line.size(),
                  "%-23s %-7s %4s %5s %5s %4s %5s %5s %3s %5s %7s %7s %7s %6zu\n",
                  v.host.name.c_str(), load_status(v).c_str(), shown(r15s(v)).c_str(),
                  shown(load_text(v)).c_str(), shown(r15m(v)).c_str(), shown(busy(v)).c_str(), "-",
                  "-", "-", shown(idle(v)).c_str(), shown(tmp(v)).c_str(), shown(swp(v)).c_str(),
                  shown(mem(v)).c_str(), v.host.capacity.gpus.size());
    text += line.data();
  }
  return text;
}

std::string gpu_load_table(std::span<const HostView> hosts, bool with_header) {
  std::string text;
  if (with_header) text = "HOST_NAME       status  ngpus  gpu_avg_ut  gpu_avg_mut\n";
  for (const auto& v : hosts) {
    std::array<char, 160> line{};
    auto ut = mean(v, [](const V&, const GpuReport& r) { return static_cast<double>(r.busy); });
    std::snprintf(line.data(), line.size(), "%-15s %-7s %5zu %11s %12s\n", v.host.name.c_str(),
                  load_status(v).c_str(), v.host.capacity.gpus.size(), shown(ut).c_str(),
                  shown(mean(v, memory_part)).c_str());
    text += line.data();
  }
  return text;
}

}  // namespace wm::view
