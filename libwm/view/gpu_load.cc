// What lsload shows of GPUs, and of what else hosts have by names of the site.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <set>

#include "libwm/model/machine_words.h"
#include "libwm/view/gpu_fields.h"
#include "libwm/view/load_fields.h"
#include "libwm/view/table.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

struct GpuLoad {
  const Gpu* gpu = nullptr;
  const GpuReport* report = nullptr;  // nullptr: nothing measures it
  GpuRow row;
};

GpuLoad gpu_at(const HostView& view, std::size_t at) {
  GpuLoad load{&view.host.capacity.gpus[at], nullptr, {&view, at}};
  if (!view.connected) return load;
  for (const auto& report : view.gpus)
    if (report.uuid == load.gpu->uuid) load.report = &report;
  return load;
}

std::string percent(std::int64_t value) { return value < 0 ? "" : std::to_string(value) + "%"; }

std::string tenths(std::int64_t value) { return value < 0 ? "" : std::to_string(value) + ".0"; }

// "31.7G", "542M", "0M".
std::string mega(Bytes bytes) {
  std::array<char, 32> text{};
  const double mib = static_cast<double>(bytes.value) / (1 << 20);
  std::snprintf(text.data(), text.size(), mib >= 1024 ? "%.1fG" : "%.0fM",
                mib >= 1024 ? mib / 1024 : mib);
  return text.data();
}

struct GpuColumn {
  std::string_view name;
  int width;
  std::string (*of)(const GpuLoad&);
};

#define WM_TOLD(text) \
  [](const GpuLoad& g) -> std::string { return g.report ? text : std::string(); }
// @source LSF: lsload -gpuload
constexpr GpuColumn kColumns[] = {
    {"gpu_model", -11, [](const GpuLoad& g) { return gpu_model_word(g.gpu->model); }},
    {"gpu_mode", -10, WM_TOLD(tenths(g.report->mode))},
    {"gpu_temp", -9, WM_TOLD(std::to_string(g.report->celsius) + "C")},
    {"gpu_ecc", -9, WM_TOLD(tenths(g.report->ecc))},
    {"gpu_ut", -7, WM_TOLD(percent(g.report->busy))},
    {"gpu_mut", -8, WM_TOLD(percent(g.report->mem_busy))},
    {"gpu_power", -9, WM_TOLD(tenths(g.report->watts))},
    {"gpu_mtotal", -10,
     [](const GpuLoad& g) { return g.gpu->mem.value ? mega(g.gpu->mem) : std::string(); }},
    {"gpu_mused", -9, WM_TOLD(mega(g.report->used))},
    {"gpu_pstate", -12,
     WM_TOLD(g.report->pstate < 0 ? std::string() : std::to_string(g.report->pstate))},
    {"gpu_status", -12, [](const GpuLoad& g) { return gpu_status(g.row); }},
    {"gpu_error", -11, [](const GpuLoad& g) {
       auto why = gpu_reason(g.row);
       std::ranges::replace(why, ' ', '_');
       return why;
     }}};
#undef WM_TOLD

// Mean of what is measured; empty without devices.
std::string mean(const HostView& v, std::int64_t (*of)(const GpuReport&)) {
  std::int64_t sum = 0, measured = 0;
  for (const auto& report : v.gpus) {
    auto value = of(report);
    sum += std::max<std::int64_t>(value, 0);
    measured += value >= 0;
  }
  if (!v.connected || measured == 0) return "";
  return percent(std::lround(static_cast<double>(sum) / static_cast<double>(measured)));
}

std::string mean_busy(const HostView& v) {
  return mean(v, [](const GpuReport& r) { return std::int64_t{r.busy}; });
}
std::string mean_mem(const HostView& v) {
  return mean(v, [](const GpuReport& r) { return std::int64_t{r.mem_busy}; });
}

}  // namespace

std::string gpu_load_table(std::span<const ShownHost> hosts, bool with_header) {
  std::string text;
  if (with_header)
    text = "HOST_NAME       status  ngpus  gpu_shared_avg_mut  gpu_shared_avg_ut  ngpus_physical\n";
  static constexpr std::array kWidths = {15, 7, -5, -19, -18, -15};
  for (const auto& [v, conf] : hosts) {
    auto gpus = count(v->host.capacity.gpus.size());
    const Cells cells = {v->host.name,          load_status(*v),        gpus,
                         or_dash(mean_mem(*v)), or_dash(mean_busy(*v)), gpus};
    text += line_of(cells, kWidths, TooWide::Keep) + "\n";
  }
  return text;
}

std::string each_gpu_load_table(std::span<const ShownHost> hosts, bool with_header) {
  Cells heads = {"HOST_NAME", "gpuid"};
  std::vector<int> widths = {15, -5};
  for (const auto& column : kColumns) {
    heads.emplace_back(column.name);
    widths.push_back(column.width);
  }
  std::string text = with_header ? line_of(heads, widths, TooWide::Keep) + "\n" : "";
  for (const auto& [v, conf] : hosts)
    for (std::size_t i = 0; i < v->host.capacity.gpus.size(); ++i) {
      auto gpu = gpu_at(*v, i);
      Cells cells = {v->host.name, std::to_string(i)};
      for (const auto& column : kColumns) cells.push_back(or_dash(column.of(gpu)));
      text += line_of(cells, widths, TooWide::Keep) + "\n";
    }
  return text;
}

std::vector<std::string> extra_load_names(std::span<const ShownHost> hosts) {
  std::set<std::string> names = {"gpu_shared_avg_mut", "gpu_shared_avg_ut", "ngpus_physical"};
  std::size_t most = 0;
  for (const auto& host : hosts) {
    most = std::max(most, host.view->host.capacity.gpus.size());
    if (!host.conf) continue;
    for (const auto& [name, value] : host.conf->resources)
      if (!value.empty()) names.insert(name);
  }
  for (std::size_t i = 0; i < most; ++i)
    for (const auto& column : kColumns) names.insert(std::string(column.name) + std::to_string(i));
  return {names.begin(), names.end()};
}

std::string extra_load(const ShownHost& host, std::string_view name) {
  if (host.conf) {
    auto own = host.conf->resources.find(std::string(name));
    if (own != host.conf->resources.end()) return own->second;
  }
  if (name == "gpu_shared_avg_ut") return mean_busy(*host.view);
  if (name == "gpu_shared_avg_mut") return mean_mem(*host.view);
  const auto gpus = host.view->host.capacity.gpus.size();
  if (name == "ngpus_physical") return count(gpus);
  for (const auto& column : kColumns) {
    if (!name.starts_with(column.name)) continue;
    auto digits = name.substr(column.name.size());
    std::size_t index = gpus;
    auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
    if (ec == std::errc() && end == digits.data() + digits.size() && index < gpus)
      return column.of(gpu_at(*host.view, index));
  }
  return "";
}

std::string expand_names(std::string_view text, std::span<const std::string> names) {
  std::string expanded;
  for (std::size_t at = 0; (at = text.find_first_not_of(" \t\n", at)) != text.npos;) {
    auto end = std::min(text.find_first_of(" \t\n", at), text.size());
    auto word = text.substr(at, end - at);
    at = end;
    auto name = word.substr(0, word.find(':')), rest = word.substr(name.size());
    auto star = name.find('*');
    if (star == name.npos || word.starts_with("delimiter=")) {
      expanded += (expanded.empty() ? "" : " ") + std::string(word);
      continue;
    }
    auto before = name.substr(0, star), behind = name.substr(star + 1);
    for (const auto& one : names)
      if (one.size() + 1 >= name.size() && one.starts_with(before) && one.ends_with(behind))
        expanded += (expanded.empty() ? "" : " ") + one + std::string(rest);
  }
  return expanded;
}

}  // namespace wm::view
