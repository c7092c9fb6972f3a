#include "libwm/proc/topology.h"

#include <arpa/inet.h>
#include <hwloc.h>
#include <ifaddrs.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <utmp.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>

#include "libwm/base/clock.h"

namespace wm::proc {
namespace {

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("model name"))
      return line.substr(std::min(line.find(':') + 2, line.size()));
  return {};
}

bool same_net(const sockaddr_in& a, const sockaddr_in& mask, in_addr want) {
  return (a.sin_addr.s_addr & mask.sin_addr.s_addr) == (want.s_addr & mask.sin_addr.s_addr);
}

/// The node with the nearest memory, as the kernel numbers it. @source hwloc 2: memory objects hang
/// beside the CPUs, so the node is found by its CPU set
std::uint32_t numa_of(hwloc_topology_t topology, hwloc_obj_t unit) {
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node));)
    if (node->cpuset && hwloc_bitmap_isset(node->cpuset, unit->os_index)) return node->os_index;
  return 0;
}

/// hwloc's view of this machine. Resource: owns it. False: it cannot be had.
class Topology {
 public:
  Topology()
      : loaded_(hwloc_topology_init(&topology_) == 0 && hwloc_topology_load(topology_) == 0) {}
  ~Topology() {
    if (topology_ != nullptr) hwloc_topology_destroy(topology_);
  }
  Topology(const Topology&) = delete;
  Topology& operator=(const Topology&) = delete;
  explicit operator bool() const { return loaded_; }
  hwloc_topology_t get() const { return topology_; }

 private:
  hwloc_topology_t topology_ = nullptr;
  bool loaded_;
};

std::string text_of_meminfo() {
  std::ifstream file("/proc/meminfo");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

Bytes total_memory(std::string_view meminfo) {
  constexpr std::string_view kKey = "MemTotal:";
  auto at = meminfo.starts_with(kKey) ? 0 : meminfo.find("\n" + std::string(kKey));
  if (at == meminfo.npos) return Bytes{0};
  auto rest = meminfo.substr(meminfo.find(':', at) + 1);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  std::int64_t kilobytes = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), kilobytes);
  return Bytes{kilobytes * 1024};
}

Inventory take_inventory() {
  Inventory found;
  if (Topology topology; topology) {
    int cores = hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_CORE);
    int units = hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_PU);
    found.cores = static_cast<std::uint32_t>(std::max(cores > 0 ? cores : units, 1));
    found.mem.value = static_cast<std::int64_t>(hwloc_get_root_obj(topology.get())->total_memory);
    // Of memory that was plugged in while the machine ran, hwloc sees what its nodes had at the
    // boot.
    auto memory =
        hwloc_topology_is_thissystem(topology.get()) ? total_memory(text_of_meminfo()) : Bytes{0};
    if (memory.value > 0) found.mem = memory;
  }
  utsname machine{};
  if (::uname(&machine) == 0) found.type = machine.machine;
  found.model = cpu_model();
  return found;
}

Result<std::string> topology_xml() {
  Topology topology;
  char* text = nullptr;
  int size = 0;
  if (!topology || hwloc_topology_export_xmlbuffer(topology.get(), &text, &size, 0) != 0)
    return fail(Code::System, "hwloc: the topology cannot be written down");
  std::string xml(text);
  hwloc_free_xmlbuffer(topology.get(), text);
  return xml;
}

launch::CpuMap read_cpus() {
  launch::CpuMap map;
  Topology topology;
  if (!topology) return map;
  auto above = [&](hwloc_obj_t unit, hwloc_obj_type_t type) {
    auto* found = hwloc_get_ancestor_obj_by_type(topology.get(), type, unit);
    return found ? found->logical_index : 0;
  };
  for (hwloc_obj_t unit = nullptr;
       (unit = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PU, unit));)
    map.push_back({unit->os_index, above(unit, HWLOC_OBJ_CORE), numa_of(topology.get(), unit),
                   above(unit, HWLOC_OBJ_PACKAGE)});
  return map;
}

Capacity capacity_of(const Inventory& found, const HostConf* declared, const std::string& host) {
  Capacity capacity;
  auto cores = declared && declared->cpus ? declared->cpus : found.cores;
  capacity.slots = declared && declared->slots ? declared->slots : cores;
  capacity.milli_cpus = cores * 1000;
  capacity.mem = declared && declared->mem.value ? declared->mem : found.mem;
  capacity.gpus = found.gpus;
  if (!declared || !declared->gpus) return capacity;
  capacity.gpus.resize(*declared->gpus);
  for (std::size_t i = 0; i < capacity.gpus.size(); ++i) {
    auto& gpu = capacity.gpus[i];
    if (gpu.uuid.empty()) gpu.uuid = host + "-gpu" + std::to_string(i);
    if (!gpu.pci.empty()) continue;  // a device says itself what it is
    if (!declared->gpu_model.empty()) gpu.model = declared->gpu_model;
    if (declared->gpu_mem.value) gpu.mem = declared->gpu_mem;
  }
  return capacity;
}

std::string boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

std::uint64_t network_id() {
  struct stat file {};
  return ::stat("/proc/self/ns/net", &file) == 0 ? file.st_ino : 0;
}

std::string interface_of(const std::string& address) {
  in_addr want{};
  ifaddrs* list = nullptr;
  if (::inet_pton(AF_INET, address.c_str(), &want) != 1 || ::getifaddrs(&list) != 0) return {};
  std::string name;
  for (auto* at = list; at != nullptr && name.empty(); at = at->ifa_next) {
    if (at->ifa_addr == nullptr || at->ifa_netmask == nullptr) continue;
    if (at->ifa_addr->sa_family != AF_INET) continue;
    const auto& own = *reinterpret_cast<sockaddr_in*>(at->ifa_addr);
    if (same_net(own, *reinterpret_cast<sockaddr_in*>(at->ifa_netmask), want)) name = at->ifa_name;
  }
  ::freeifaddrs(list);
  return name;
}

namespace {

// The kernel keeps means of 1, 5 and 15 minutes; this one is kept from look to look as it does.
void read_queues(const Load& before, Load& load) {
  double five = 0, running = 0;
  std::ifstream("/proc/loadavg") >> load.one_minute >> five >> load.quarter_hour >> running;
  running = std::max(0.0, running - 1);  // the one that reads
  load.taken = steady_now();
  load.quarter_minute = before.taken ? before.quarter_minute : running;
  if (!before.taken) return;
  std::chrono::duration<double> passed = *load.taken - *before.taken;
  double keeps = std::exp(-passed.count() / 15);
  load.quarter_minute = before.quarter_minute * keeps + running * (1 - keeps);
}

void read_memory(Load& load) {
  const std::pair<std::string_view, Bytes*> kWanted[] = {{"MemAvailable:", &load.free_mem},
                                                         {"MemTotal:", &load.mem},
                                                         {"SwapFree:", &load.free_swap},
                                                         {"SwapTotal:", &load.swap}};
  std::ifstream file("/proc/meminfo");
  for (std::string key, rest; file >> key;) {
    std::int64_t kilobytes = 0;
    for (const auto& [name, value] : kWanted)
      if (key == name && file >> kilobytes) *value = Bytes{kilobytes * 1024};
    std::getline(file, rest);
  }
}

// Swapped pages and blocks of 1 KB, in and out, since the boot. @source proc(5): vmstat
void read_traffic(const Load& before, Load& load) {
  std::ifstream file("/proc/vmstat");
  std::uint64_t number = 0;
  for (std::string name; file >> name >> number;) {
    if (name == "pswpin" || name == "pswpout") load.pages += number;
    if (name == "pgpgin" || name == "pgpgout") load.kilobytes += number;
  }
  load.paging = std::max(before.paging, 0.0);
  load.disks = std::max(before.disks, 0.0);
  if (!before.taken) return;
  const std::chrono::duration<double> passed = *load.taken - *before.taken;
  if (passed.count() <= 0) return;
  const double keeps = std::exp(-passed.count() / 60);
  auto mean = [&](double old, std::uint64_t from, std::uint64_t to) {
    const double rate = to > from ? static_cast<double>(to - from) / passed.count() : 0;
    return old * keeps + rate * (1 - keeps);
  };
  load.paging = mean(load.paging, before.pages, load.pages);
  load.disks = mean(load.disks, before.kilobytes, load.kilobytes);
}

// Users with a session in utmp; without that file, users who have a terminal.
// @source utmp(5); LSF: load index ls
std::int32_t logged_on() {
  std::set<std::string> users;
  std::ifstream file("/run/utmp", std::ios::binary);
  utmp entry{};
  for (; file.read(reinterpret_cast<char*>(&entry), sizeof entry);)
    if (entry.ut_type == USER_PROCESS)
      users.emplace(entry.ut_user, ::strnlen(entry.ut_user, sizeof entry.ut_user));
  std::error_code failed;
  if (!std::filesystem::exists("/run/utmp", failed))
    for (const auto& terminal : std::filesystem::directory_iterator("/dev/pts", failed)) {
      struct stat info {};
      if (terminal.path().filename() != "ptmx" && ::stat(terminal.path().c_str(), &info) == 0)
        users.insert(std::to_string(info.st_uid));
    }
  return static_cast<std::int32_t>(users.size());
}

// A terminal's file is read when somebody types at it. @source LSF: load index it
Duration idle_time() {
  double up = 0;
  std::ifstream("/proc/uptime") >> up;
  auto idle = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(up));
  const auto now = wall_now().time_since_epoch();
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/pts", failed)) {
    struct stat info {};
    if (entry.path().filename() == "ptmx" || ::stat(entry.path().c_str(), &info) != 0) continue;
    auto used = std::chrono::seconds(info.st_atim.tv_sec);
    idle = std::min(idle, std::chrono::duration_cast<Duration>(now - used));
  }
  return std::max(idle, Duration{});
}

}  // namespace

Load load_now(const Load& before) {
  Load load;
  read_queues(before, load);
  read_memory(load);
  struct statvfs tmp {};
  if (::statvfs("/tmp", &tmp) == 0) {
    auto block = static_cast<std::int64_t>(tmp.f_frsize);
    load.free_tmp = Bytes{static_cast<std::int64_t>(tmp.f_bavail) * block};
    load.tmp = Bytes{static_cast<std::int64_t>(tmp.f_blocks) * block};
  }
  load.idle = idle_time();
  read_traffic(before, load);
  load.logins = logged_on();
  return load;
}

}  // namespace wm::proc
