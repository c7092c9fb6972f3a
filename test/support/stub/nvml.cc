// Role: an NVML library for tests: devices and their faults stand in a text file that is read
// again at every call, so a test changes the machine by writing the file. Built as
// libnvidia-ml-stub.so; the file is named by WM_STUB_NVML, "%n" in it being the host's WM_NODE.
//
//   driver 580.65
//   gpu GPU-a name=NVIDIA_H200 mem=80G used=4M pci=00000000:17:00.0 numa=0 cc=9.0 temp=40 ecc=1
//       busy=7 pending=1 failed=1 slow=0x40 status=15 mig=1      (one line; a fault each)
//       reserved=500M power=71000 energy=5000 corrected=2 old=1  (old: no calls newer than drivers
//       of 2021)
//   A name's underscores are blanks.
//   slice 0 MIG-a profile=1g.10gb mem=10G used=0      of gpu 0
//   proc 0 4711 512M        a process on gpu 0
//   link 0 1 4              four links from gpu 0 to gpu 1; "link 0 switch 18"
//   xid 0 79 1              XID 79 on gpu 0; told once for each value of the last number
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "libwm/gpu/nvml_abi.h"

using namespace wm::gpu::nvml;

namespace {

using Words = std::vector<std::string>;

struct Entry {
  std::string uuid;
  std::map<std::string, std::string> says;
  std::vector<Words> processes;
  std::vector<Entry> slices;

  std::uint64_t number(const char* key) const {
    auto at = says.find(key);
    return at == says.end() ? 0 : std::strtoull(at->second.c_str(), nullptr, 0);
  }
  std::uint64_t bytes(const char* key) const {
    auto at = says.find(key);
    if (at == says.end() || at->second.empty()) return 0;
    char unit = at->second.back();
    auto shift = unit == 'G' ? 30 : unit == 'M' ? 20 : 0;
    return number(key) << shift;
  }
  std::string text(const char* key) const {
    auto at = says.find(key);
    return at == says.end() ? "" : at->second;
  }
};

struct Machine {
  std::string driver = "0.0";
  std::vector<Entry> gpus;
  std::vector<Words> links, xids;
};

Entry entry_of(const Words& words, std::size_t uuid) {
  Entry entry;
  entry.uuid = words[uuid];
  for (std::size_t i = uuid + 1; i < words.size(); ++i) {
    auto equals = words[i].find('=');
    if (equals != std::string::npos)
      entry.says[words[i].substr(0, equals)] = words[i].substr(equals + 1);
  }
  return entry;
}

void take_line(Machine& machine, const Words& words) {
  auto gpu = [&]() -> Entry& { return machine.gpus.at(std::stoul(words.at(1))); };
  if (words[0] == "driver") machine.driver = words.at(1);
  if (words[0] == "gpu") machine.gpus.push_back(entry_of(words, 1));
  if (words[0] == "slice") gpu().slices.push_back(entry_of(words, 2));
  if (words[0] == "proc") gpu().processes.push_back(words);
  if (words[0] == "link") machine.links.push_back(words);
  if (words[0] == "xid") machine.xids.push_back(words);
}

Machine look() {
  Machine machine;
  const char* name = std::getenv("WM_STUB_NVML");
  const char* node = std::getenv("WM_NODE");
  std::string path = name ? name : "";
  if (auto at = path.find("%n"); at != path.npos) path.replace(at, 2, node ? node : "");
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    Words words;
    for (std::string word; in >> word;) words.push_back(word);
    if (!words.empty() && words[0][0] != '#') take_line(machine, words);
  }
  return machine;
}

// A handle is a number: gpu + 1, or 1000 + 100 * gpu + slice.
Device handle(std::size_t gpu) { return reinterpret_cast<Device>(gpu + 1); }
Device handle(std::size_t gpu, std::size_t slice) {
  return reinterpret_cast<Device>(1000 + 100 * gpu + slice);
}

// Calls `use` with the entry of the handle; `whole`: with its GPU also for a slice.
template <class Use>
Return with(Device device, Use use, bool whole = false) {
  auto machine = look();
  auto number = reinterpret_cast<std::size_t>(device);
  bool slice = number >= 1000;
  auto gpu = slice ? (number - 1000) / 100 : number - 1;
  if (gpu >= machine.gpus.size()) return kLost;
  const Entry& own = machine.gpus[gpu];
  if (auto status = own.number("status"); status != 0) return static_cast<Return>(status);
  if (!slice || whole) return use(own);
  auto index = (number - 1000) % 100;
  return index < own.slices.size() ? use(own.slices[index]) : kNotFound;
}

Return copy(const std::string& text, char* out, unsigned size) {
  if (text.size() >= size) return kTooSmall;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return kOk;
}

std::set<std::string>& told() {
  static std::set<std::string> lines;
  return lines;
}

}  // namespace

extern "C" {

Return nvmlInit_v2() { return std::getenv("WM_STUB_NVML") ? kOk : 9; }
Return nvmlShutdown() { return kOk; }
Return nvmlSystemGetDriverVersion(char* out, unsigned size) {
  return copy(look().driver, out, size);
}
Return nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(look().gpus.size());
  return kOk;
}
Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  *device = handle(index);
  return with(*device, [](const Entry&) { return kOk; });
}
Return nvmlDeviceGetUUID(Device device, char* out, unsigned size) {
  return with(device, [&](const Entry& e) { return copy(e.uuid, out, size); });
}
Return nvmlDeviceGetMinorNumber(Device device, unsigned* out) {
  return with(device, [&](const Entry& e) { return *out = e.number("minor"), kOk; });
}
Return nvmlDeviceGetName(Device device, char* out, unsigned size) {
  return with(device, [&](const Entry& e) {
    auto profile = e.text("profile");
    auto name = e.text("name");
    std::replace(name.begin(), name.end(), '_', ' ');
    return copy(profile.empty() ? name : "stub MIG " + profile, out, size);
  });
}
Return nvmlDeviceGetMemoryInfo(Device device, Memory* out) {
  return with(device, [&](const Entry& e) {
    out->total = e.bytes("mem");
    out->used = e.bytes("used") + e.bytes("reserved");
    out->free = out->total - out->used;
    return kOk;
  });
}
Return nvmlDeviceGetMemoryInfo_v2(Device device, Memory2* out) {
  if (out->version != kMemory2) return 25;  // NVML_ERROR_ARGUMENT_VERSION_MISMATCH
  return with(device, [&](const Entry& e) {
    if (e.number("old") != 0) return kNotSupported;
    out->total = e.bytes("mem"), out->reserved = e.bytes("reserved"), out->used = e.bytes("used");
    out->free = out->total - out->reserved - out->used;
    return kOk;
  });
}
Return nvmlDeviceGetPowerUsage(Device device, unsigned* out) {
  return with(
      device, [&](const Entry& e) { return *out = static_cast<unsigned>(e.number("power")), kOk; },
      true);
}
Return nvmlDeviceGetPerformanceState(Device device, int* out) {
  return with(device,
              [&](const Entry& e) { return *out = static_cast<int>(e.number("pstate")), kOk; });
}
Return nvmlDeviceGetComputeMode(Device device, int* out) {
  return with(device,
              [&](const Entry& e) { return *out = static_cast<int>(e.number("mode")), kOk; });
}
Return nvmlDeviceGetPciInfo_v3(Device device, Pci* out) {
  return with(device,
              [&](const Entry& e) { return copy(e.text("pci"), out->id, sizeof(out->id)); });
}
Return nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
  return with(device, [&](const Entry& e) {
    auto text = e.text("cc");
    *major = std::atoi(text.c_str());
    auto dot = text.find('.');
    *minor = dot == text.npos ? 0 : std::atoi(text.c_str() + dot + 1);
    return kOk;
  });
}
Return nvmlDeviceGetMemoryAffinity(Device device, unsigned, unsigned long* set, int) {
  return with(device, [&](const Entry& e) {
    if (e.text("numa").empty()) return kNotSupported;
    *set = 1UL << e.number("numa");
    return kOk;
  });
}
Return nvmlDeviceGetMigMode(Device device, unsigned* now, unsigned* pending) {
  return with(device, [&](const Entry& e) {
    *now = *pending = static_cast<unsigned>(e.number("mig"));
    return kOk;
  });
}
Return nvmlDeviceGetMaxMigDeviceCount(Device device, unsigned* count) {
  return with(device, [&](const Entry& e) {
    *count = static_cast<unsigned>(e.slices.size());
    return kOk;
  });
}
Return nvmlDeviceGetMigDeviceHandleByIndex(Device device, unsigned index, Device* slice) {
  *slice = handle(reinterpret_cast<std::size_t>(device) - 1, index);
  return with(*slice, [](const Entry&) { return kOk; });
}
Return nvmlDeviceGetTemperature(Device device, int, unsigned* out) {
  return with(
      device,
      [&](const Entry& e) {
        *out = static_cast<unsigned>(e.number("temp"));
        return kOk;
      },
      true);
}
Return nvmlDeviceGetUtilizationRates(Device device, Utilization* out) {
  return with(
      device,
      [&](const Entry& e) {
        out->gpu = static_cast<unsigned>(e.number("busy"));
        out->memory = static_cast<unsigned>(e.number("membusy"));
        return kOk;
      },
      true);
}
Return nvmlDeviceGetTotalEnergyConsumption(Device device, std::uint64_t* out) {
  return with(
      device,
      [&](const Entry& e) {
        *out = e.number("energy");
        return kOk;
      },
      true);
}
Return nvmlDeviceGetTotalEccErrors(Device device, int kind, int, std::uint64_t* out) {
  return with(
      device,
      [&](const Entry& e) {
        *out = e.number(kind == kCorrected ? "corrected" : "ecc");
        return kOk;
      },
      true);
}
Return nvmlDeviceGetRemappedRows(Device device, unsigned*, unsigned*, unsigned* pending,
                                 unsigned* failed) {
  return with(
      device,
      [&](const Entry& e) {
        *pending = static_cast<unsigned>(e.number("pending"));
        *failed = static_cast<unsigned>(e.number("failed"));
        return kOk;
      },
      true);
}
Return nvmlDeviceGetCurrentClocksThrottleReasons(Device device, std::uint64_t* out) {
  return with(
      device,
      [&](const Entry& e) {
        *out = e.number("slow");
        return kOk;
      },
      true);
}
Return nvmlDeviceGetComputeRunningProcesses_v3(Device device, unsigned* count, Process* out) {
  return with(device, [&](const Entry& e) {
    auto room = *count;
    *count = static_cast<unsigned>(e.processes.size());
    if (room < *count) return kTooSmall;
    for (unsigned i = 0; i < *count; ++i) {
      Entry size;
      size.says["mem"] = e.processes[i].at(3);
      out[i] = {static_cast<unsigned>(std::stoul(e.processes[i].at(2))), size.bytes("mem"), 0, 0};
    }
    return kOk;
  });
}
Return nvmlDeviceGetNvLinkState(Device device, unsigned link, int* active) {
  unsigned links = 0;
  for (const auto& words : look().links)
    if (handle(std::stoul(words.at(1))) == device)
      links += static_cast<unsigned>(std::stoul(words.at(3)));
  *active = link < links ? 1 : 0;
  return kOk;
}
Return nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, unsigned link, Pci* out) {
  auto machine = look();
  unsigned first = 0;
  for (const auto& words : machine.links) {
    if (handle(std::stoul(words.at(1))) != device) continue;
    auto many = static_cast<unsigned>(std::stoul(words.at(3)));
    if (link < first + many) {
      auto other = words.at(2) == "switch" ? "00000000:FF:00.0"
                                           : machine.gpus.at(std::stoul(words.at(2))).text("pci");
      return copy(other, out->id, sizeof(out->id));
    }
    first += many;
  }
  return kNotFound;
}
Return nvmlEventSetCreate(EventSet* set) {
  *set = &told();
  return kOk;
}
Return nvmlEventSetFree(EventSet) { return kOk; }
Return nvmlDeviceRegisterEvents(Device, std::uint64_t, EventSet) { return kOk; }
Return nvmlEventSetWait_v2(EventSet, Event* out, unsigned) {
  for (const auto& words : look().xids) {
    std::string line = words.at(1) + " " + words.at(2) + " " + words.at(3);
    if (!told().insert(line).second) continue;
    *out = {handle(std::stoul(words.at(1))), kXidEvent, std::stoull(words.at(2)), 0, 0};
    return kOk;
  }
  return kTimeout;
}

}  // extern "C"
