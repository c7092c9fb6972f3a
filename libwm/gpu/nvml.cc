// Every entry point is optional: what a driver lacks is not told.
#include "libwm/gpu/nvml.h"

#include <dlfcn.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>

#include "libwm/gpu/nvml_abi.h"

namespace wm::gpu {

using namespace nvml;

struct Nvml::Library {
  /// A device or slice of the inventory.
  struct Entry {
    std::string uuid;
    Device own = nullptr, whole = nullptr;  // of a slice: the GPU that it is part of
  };

  ~Library();
  Result<void> start(const std::string& name);

  /// Calls an entry point. kNotSupported when the library has none of that name.
  template <class... Args>
  Return call(const char* name, Args... args) const {
    using Function = Return (*)(Args...);
    auto function = reinterpret_cast<Function>(::dlsym(handle, name));
    return function == nullptr ? kNotSupported : function(args...);
  }
  std::string text(const char* name, Device device) const;
  Return memory_of(Device device, Bytes& total, Bytes& used) const;

  Gpu describe(Device device) const;
  void add_slices(Device whole, const Gpu& gpu, std::vector<Gpu>& found);
  void link(std::vector<Gpu>& found) const;
  void listen();
  void read_health(Device whole, GpuReading& reading) const;
  void read_processes(Device own, GpuReading& reading) const;
  std::map<Device, std::vector<std::uint32_t>> take_xids() const;

  void* handle = nullptr;
  bool up = false;
  EventSet events = nullptr;
  std::vector<Entry> entries;
};

namespace {

/// NUMA node by its PCI address. @source sysfs-bus-pci numa_node
std::int32_t numa_of_pci(const std::string& pci) {
  std::string id = pci.size() > 12 ? pci.substr(pci.size() - 12) : pci;
  std::transform(id.begin(), id.end(), id.begin(), [](unsigned char c) { return std::tolower(c); });
  std::int32_t node = -1;
  std::ifstream("/sys/bus/pci/devices/" + id + "/numa_node") >> node;
  return node;
}

std::string slice_profile(const std::string& name) {
  auto at = name.rfind("MIG ");
  return at == name.npos ? "" : name.substr(at + 4);
}

}  // namespace

Nvml::Library::~Library() {
  if (events != nullptr) call("nvmlEventSetFree", events);
  if (up) call("nvmlShutdown");
  if (handle != nullptr) ::dlclose(handle);
}

Result<void> Nvml::Library::start(const std::string& name) {
  handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return fail(Code::NotFound, "no GPU driver library " + name);
  auto code = call("nvmlInit_v2");
  up = code == kOk;
  if (!up) return fail(Code::System, name + " does not start: NVML error " + std::to_string(code));
  return {};
}

std::string Nvml::Library::text(const char* name, Device device) const {
  std::array<char, kNameSize> buffer{};
  auto code = call(name, device, buffer.data(), static_cast<unsigned>(buffer.size() - 1));
  return code == kOk ? buffer.data() : "";
}

/// In use by processes; a driver of before 510 counts what it reserved for itself as well.
Return Nvml::Library::memory_of(Device device, Bytes& total, Bytes& used) const {
  auto bytes = [](std::uint64_t n) { return Bytes{static_cast<std::int64_t>(n)}; };
  Memory2 apart{};
  apart.version = kMemory2;
  if (call("nvmlDeviceGetMemoryInfo_v2", device, &apart) == kOk) {
    total = bytes(apart.total), used = bytes(apart.used);
    return kOk;
  }
  Memory memory{};
  auto code = call("nvmlDeviceGetMemoryInfo", device, &memory);
  total = bytes(memory.total), used = bytes(memory.used);
  return code;
}

Gpu Nvml::Library::describe(Device device) const {
  Gpu gpu;
  gpu.uuid = text("nvmlDeviceGetUUID", device);
  gpu.model = text("nvmlDeviceGetName", device);
  gpu.vendor = "nvidia";
  Bytes used{0};
  memory_of(device, gpu.mem, used);
  Pci pci{};
  if (call("nvmlDeviceGetPciInfo_v3", device, &pci) == kOk) gpu.pci = pci.id;
  std::array<char, 80> version{};
  if (call("nvmlSystemGetDriverVersion", version.data(), 79U) == kOk) gpu.driver = version.data();
  int major = 0, minor = 0;
  if (call("nvmlDeviceGetCudaComputeCapability", device, &major, &minor) == kOk)
    gpu.capability = std::to_string(major) + "." + std::to_string(minor);
  unsigned long nodes = 0;
  if (call("nvmlDeviceGetMemoryAffinity", device, 1U, &nodes, 0) == kOk && nodes != 0)
    gpu.numa = __builtin_ctzl(nodes);
  else gpu.numa = numa_of_pci(gpu.pci);
  return gpu;
}

void Nvml::Library::add_slices(Device whole, const Gpu& gpu, std::vector<Gpu>& found) {
  unsigned most = 0;
  call("nvmlDeviceGetMaxMigDeviceCount", whole, &most);
  for (unsigned i = 0; i < most; ++i) {
    Device slice = nullptr;
    if (call("nvmlDeviceGetMigDeviceHandleByIndex", whole, i, &slice) != kOk) continue;
    auto own = describe(slice);
    own.mig = slice_profile(own.model);
    own.model = gpu.model;
    own.pci = gpu.pci;
    own.capability = gpu.capability;
    own.numa = gpu.numa;
    own.parent = gpu.uuid;
    entries.push_back({own.uuid, slice, whole});
    found.push_back(std::move(own));
  }
}

/// Direct links count by pair; those to a switch join everything else on a switch.
void Nvml::Library::link(std::vector<Gpu>& found) const {
  std::vector<std::uint32_t> to_switch(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!found[i].mig.empty()) continue;
    found[i].links.resize(found.size());
    for (unsigned l = 0; l < kMaxLinks; ++l) {
      int active = 0;
      Pci other{};
      if (call("nvmlDeviceGetNvLinkState", entries[i].own, l, &active) != kOk || active == 0)
        continue;
      if (call("nvmlDeviceGetNvLinkRemotePciInfo_v2", entries[i].own, l, &other) != kOk) continue;
      auto peer = std::find_if(found.begin(), found.end(), [&](const Gpu& gpu) {
        return ::strcasecmp(gpu.pci.c_str(), other.id) == 0;
      });
      if (peer == found.end()) ++to_switch[i];
      else ++found[i].links[static_cast<std::size_t>(peer - found.begin())];
    }
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t j = 0; j < found[i].links.size(); ++j)
      if (i != j) found[i].links[j] += std::min(to_switch[i], to_switch[j]);
    bool none =
        std::all_of(found[i].links.begin(), found[i].links.end(), [](auto n) { return n == 0; });
    if (none) found[i].links.clear();
  }
}

void Nvml::Library::listen() {
  if (events == nullptr && call("nvmlEventSetCreate", &events) != kOk) return;
  for (const auto& entry : entries)
    call("nvmlDeviceRegisterEvents", entry.whole, kXidEvent, events);
}

std::map<Device, std::vector<std::uint32_t>> Nvml::Library::take_xids() const {
  std::map<Device, std::vector<std::uint32_t>> xids;
  if (events == nullptr) return xids;
  constexpr int kMost = 1000;  // a device that storms is sick after the first
  Event event{};
  for (int i = 0; i < kMost && call("nvmlEventSetWait_v2", events, &event, 0U) == kOk; ++i)
    if (event.type == kXidEvent)
      xids[event.device].push_back(static_cast<std::uint32_t>(event.data));
  return xids;
}

void Nvml::Library::read_processes(Device own, GpuReading& reading) const {
  unsigned count = 64;
  std::vector<Process> list(count);
  auto code = call("nvmlDeviceGetComputeRunningProcesses_v3", own, &count, list.data());
  if (code == kTooSmall) {
    count += 64;
    list.resize(count);
    code = call("nvmlDeviceGetComputeRunningProcesses_v3", own, &count, list.data());
  }
  if (code != kOk) return;
  for (unsigned i = 0; i < count; ++i) {
    auto used = list[i].used == kNotAvailable ? 0 : list[i].used;
    reading.processes.push_back(
        {static_cast<std::int32_t>(list[i].pid), Bytes{static_cast<std::int64_t>(used)}});
  }
}

void Nvml::Library::read_health(Device whole, GpuReading& reading) const {
  unsigned celsius = 0;
  if (call("nvmlDeviceGetTemperature", whole, 0, &celsius) == kOk) reading.celsius = celsius;
  Utilization busy{};
  if (call("nvmlDeviceGetUtilizationRates", whole, &busy) == kOk) {
    reading.busy = busy.gpu;
    reading.mem_busy = static_cast<std::int32_t>(busy.memory);
  }
  int state = 0;
  if (call("nvmlDeviceGetPerformanceState", whole, &state) == kOk && state < 32)
    reading.pstate = state;
  if (call("nvmlDeviceGetComputeMode", whole, &state) == kOk) reading.mode = state;
  std::uint64_t number = 0;
  if (call("nvmlDeviceGetTotalEccErrors", whole, kUncorrected, 0, &number) == kOk)
    reading.ecc_uncorrected = number;
  if (call("nvmlDeviceGetTotalEccErrors", whole, kCorrected, 0, &number) == kOk)
    reading.ecc_corrected = number;
  unsigned milliwatts = 0;
  if (call("nvmlDeviceGetPowerUsage", whole, &milliwatts) == kOk) reading.power_mw = milliwatts;
  if (call("nvmlDeviceGetTotalEnergyConsumption", whole, &number) == kOk)
    reading.energy_mj = number;
  unsigned corrected = 0, uncorrected = 0, pending = 0, failed = 0;
  if (call("nvmlDeviceGetRemappedRows", whole, &corrected, &uncorrected, &pending, &failed) ==
      kOk) {
    reading.remap_pending = pending != 0;
    reading.remap_failed = failed != 0;
  }
  int retiring = 0;
  if (call("nvmlDeviceGetRetiredPagesPendingStatus", whole, &retiring) == kOk && retiring != 0)
    reading.remap_pending = true;
  if (call("nvmlDeviceGetCurrentClocksThrottleReasons", whole, &number) == kOk)
    reading.slow_reasons = number;
}

Nvml::Nvml(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Nvml::~Nvml() = default;

Result<std::unique_ptr<Nvml>> Nvml::open(const std::string& name) {
  auto library = std::make_unique<Library>();
  WM_TRY(library->start(name));
  return std::unique_ptr<Nvml>(new Nvml(std::move(library)));
}

std::vector<Gpu> Nvml::inventory() {
  auto& lib = *library_;
  std::vector<Gpu> found;
  lib.entries.clear();
  unsigned count = 0;
  lib.call("nvmlDeviceGetCount_v2", &count);
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    if (lib.call("nvmlDeviceGetHandleByIndex_v2", i, &device) != kOk) continue;
    auto gpu = lib.describe(device);
    if (gpu.uuid.empty()) continue;
    unsigned mig = 0, pending = 0;
    lib.call("nvmlDeviceGetMigMode", device, &mig, &pending);
    if (mig != 0) {
      lib.add_slices(device, gpu, found);
      continue;
    }
    lib.entries.push_back({gpu.uuid, device, device});
    found.push_back(std::move(gpu));
  }
  lib.link(found);
  lib.listen();
  return found;
}

std::map<std::string, std::string> Nvml::device_files() const {
  std::map<std::string, std::string> files;
  for (const auto& entry : library_->entries) {
    unsigned unit = 0;
    if (library_->call("nvmlDeviceGetMinorNumber", entry.whole, &unit) == kOk)
      files[entry.uuid] = "/dev/nvidia" + std::to_string(unit);
  }
  return files;
}

std::vector<GpuReading> Nvml::read() {
  auto& lib = *library_;
  auto xids = lib.take_xids();
  std::vector<GpuReading> readings;
  for (const auto& entry : lib.entries) {
    GpuReading reading;
    reading.uuid = entry.uuid;
    auto code = lib.memory_of(entry.own, reading.total, reading.used);
    if (code == kLost || code == kResetNeeded || code == kNotFound) reading.trouble = code;
    if (reading.trouble == 0) {
      lib.read_processes(entry.own, reading);
      lib.read_health(entry.whole, reading);
    }
    if (auto at = xids.find(entry.whole); at != xids.end()) reading.xids = at->second;
    readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace wm::gpu
