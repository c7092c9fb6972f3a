#include "libwm/gpu/gpu_watch.h"

#include <algorithm>
#include <array>

#include "libwm/gpu/nvml_abi.h"

namespace wm::gpu {
namespace {

/// More than a driver keeps back by itself, less than any program that computes uses.
constexpr Bytes kSlack{64LL << 20};
/// What is in use at the first look is taken as base only up to this part of the memory.
constexpr std::int64_t kBasePart = 16;
constexpr std::uint32_t kGoodLooks = 2, kSlowLooks = 3, kStrangeLooks = 2;

struct Xid {
  std::uint32_t number;
  XidClass kind;
  std::string_view name;
};
constexpr std::array<Xid, 22> kXids = {{
    {13, XidClass::Application, "graphics engine exception"},
    {31, XidClass::Application, "GPU memory page fault"},
    {32, XidClass::Application, "corrupted push buffer"},
    {38, XidClass::Application, "driver firmware error"},
    {43, XidClass::Application, "GPU stopped processing"},
    {45, XidClass::Application, "preemptive cleanup"},
    {48, XidClass::Reset, "double-bit ECC error"},
    {61, XidClass::Reset, "internal micro-controller breakpoint"},
    {62, XidClass::Reset, "internal micro-controller halt"},
    {63, XidClass::Application, "row remapping recorded"},
    {64, XidClass::Reset, "row remapping failed to be recorded"},
    {68, XidClass::Application, "video processor exception"},
    {69, XidClass::Application, "graphics engine class error"},
    {74, XidClass::Reset, "NVLink error"},
    {79, XidClass::Reset, "GPU has fallen off the bus"},
    {92, XidClass::Application, "high single-bit ECC error rate"},
    {94, XidClass::Application, "contained ECC error"},
    {95, XidClass::Reset, "uncontained ECC error"},
    {119, XidClass::Reset, "GSP RPC timeout"},
    {120, XidClass::Reset, "GSP error"},
    {140, XidClass::Reset, "unrecovered ECC error"},
    {143, XidClass::Reset, "GPU initialization error"},
}};

const Xid* find_xid(std::uint32_t number) {
  auto at = std::find_if(kXids.begin(), kXids.end(), [&](auto& x) { return x.number == number; });
  return at == kXids.end() ? nullptr : &*at;
}

std::string slow_words(std::uint64_t reasons) {
  if (reasons & nvml::kHwThermal) return "slowed down by its hardware: too hot";
  if (reasons & nvml::kHwPowerBrake) return "slowed down by its hardware: power brake";
  return reasons & nvml::kHwSlowdown ? "slowed down by its hardware" : "";
}

std::string memory_words(const GpuReading& r) {
  if (r.remap_failed) return "no spare memory rows left to remap";
  if (r.remap_pending) return "a bad memory row waits for a reset of the GPU";
  if (r.ecc_uncorrected > 0)
    return std::to_string(r.ecc_uncorrected) + " uncorrected ECC errors since the driver started";
  return "";
}

std::string trouble_words(int code) {
  if (code == 0) return "";
  if (code == nvml::kLost) return "fell off the bus";
  if (code == nvml::kResetNeeded) return "needs a reset";
  return "the driver cannot read it: NVML error " + std::to_string(code);
}

}  // namespace

XidClass class_of_xid(std::uint32_t number) {
  const auto* xid = find_xid(number);
  return xid ? xid->kind : XidClass::Application;
}

std::string_view name_of_xid(std::uint32_t number) {
  const auto* xid = find_xid(number);
  return xid ? xid->name : std::string_view();
}

GpuWatch::GpuWatch(const std::vector<Gpu>& gpus) {
  for (const auto& gpu : gpus) {
    if (gpu.pci.empty()) continue;  // a counter
    states_[gpu.uuid].place = reports_.size();
    GpuReport report;
    report.uuid = gpu.uuid;
    reports_.push_back(std::move(report));
  }
}

Bytes GpuWatch::base(const std::string& uuid) const {
  auto at = states_.find(uuid);
  return at == states_.end() ? Bytes{0} : at->second.least.value_or(Bytes{0});
}

void GpuWatch::note_overuse(const std::map<std::string, std::string>& words) {
  for (auto& report : reports_) {
    auto at = words.find(report.uuid);
    report.over = at == words.end() ? "" : at->second;
  }
}

std::string GpuWatch::busy_with(const State& state) const {
  const auto& last = state.last;
  if (last.trouble != 0) return "";  // nothing runs on a device that is gone
  if (!last.processes.empty()) {
    std::string text = "held by process";
    for (const auto& process : last.processes) text += " " + std::to_string(process.pid);
    return text;
  }
  auto most = Bytes{last.total.value / kBasePart};
  if (last.used <= std::min(state.least.value_or(most), most) + kSlack) return "";
  return format_bytes(last.used) + " of its memory in use by no process";
}

std::string GpuWatch::not_free(const std::string& uuid) const {
  auto at = states_.find(uuid);
  return at == states_.end() ? "" : busy_with(at->second);
}

void GpuWatch::take_xids(State& state, WallTime now) const {
  for (auto number : state.last.xids) {
    if (class_of_xid(number) != XidClass::Reset) continue;
    state.xid = "XID " + std::to_string(number) + ": " + std::string(name_of_xid(number));
    state.xid_since = now;
  }
}

/// The first fault by weight; empty: well, but for an XID.
std::string GpuWatch::fault_of(State& state, bool held) const {
  const auto& r = state.last;
  auto slow = slow_words(r.slow_reasons);
  state.slow = slow.empty() ? 0 : state.slow + 1;
  auto busy = held ? "" : busy_with(state);
  state.strange = busy.empty() ? 0 : state.strange + 1;
  if (auto words = trouble_words(r.trouble); !words.empty()) return words;
  if (auto words = memory_words(r); !words.empty()) return words;
  if (state.slow >= kSlowLooks) return slow;
  if (state.strange >= kStrangeLooks) return busy + ", no job of ours";
  return "";
}

/// What lasts goes before an XID, which an administrator may have forgiven.
void GpuWatch::judge(State& state, const std::string& fault, WallTime now) {
  auto& report = reports_[state.place];
  bool suspect = state.strange > 0 || state.slow > 0;
  state.good = fault.empty() && !suspect ? state.good + 1 : 0;
  if (!fault.empty()) {
    if (!report.sick || report.sticky) report.since = now;
    report.sick = true;
    report.sticky = false;
    report.why = fault;
    return;
  }
  bool lasts = report.sick && !report.sticky && state.good < kGoodLooks;
  if (lasts) return;
  report.sick = report.sticky = !state.xid.empty();
  report.why = state.xid;
  report.since = state.xid.empty() ? WallTime{} : state.xid_since;
}

void GpuWatch::look(const std::vector<GpuReading>& readings, const std::set<std::string>& held,
                    WallTime now) {
  for (const auto& reading : readings) {
    auto at = states_.find(reading.uuid);
    if (at == states_.end()) continue;
    auto& state = at->second;
    state.last = reading;
    if (reading.trouble == 0 && reading.processes.empty())
      state.least = std::min(state.least.value_or(reading.used), reading.used);
    take_xids(state, now);
    judge(state, fault_of(state, held.contains(reading.uuid)), now);
    auto& report = reports_[state.place];
    report.used = reading.used;
    report.busy = reading.busy;
    report.celsius = reading.celsius;
    report.mem_busy = reading.mem_busy;
    report.watts = reading.power_mw == 0 ? -1 : static_cast<std::int32_t>(reading.power_mw / 1000);
    report.pstate = reading.pstate;
    report.mode = reading.mode;
    report.ecc = static_cast<std::int64_t>(reading.ecc_uncorrected);
  }
}

void GpuWatch::give_up(const std::string& uuid, WallTime now) {
  auto at = states_.find(uuid);
  if (at == states_.end()) return;
  at->second.strange = kStrangeLooks;
  judge(at->second, "not free after its task ended: " + busy_with(at->second), now);
}

void GpuWatch::set_aside(const std::string& uuid, const std::string& why, WallTime now) {
  auto at = states_.find(uuid);
  if (at == states_.end()) return;
  at->second.good = 0;
  auto& report = reports_[at->second.place];
  if (report.sick) return;
  report.sick = true;
  report.why = why;
  report.since = now;
}

}  // namespace wm::gpu
