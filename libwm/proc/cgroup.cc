#include "libwm/proc/cgroup.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <sstream>

#include "libwm/proc/channel.h"
#include "libwm/proc/proc_files.h"

namespace wm::proc {
namespace {

constexpr std::string_view kControllers[] = {"memory", "pids",    "cpu",    "cpuacct",
                                             "cpuset", "freezer", "devices"};
constexpr const char* kTasks = "/tasks";

bool exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

bool make_folder(const std::string& path) {
  return ::mkdir(path.c_str(), 0755) == 0 || errno == EEXIST;
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

/// Paths of our own groups by controller. @source cgroups(7): "4:memory:/a", "0::/b"
std::map<std::string, std::string> own_paths() {
  std::map<std::string, std::string> paths;
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    auto names = line.substr(first + 1, second - first - 1);
    auto path = line.substr(second + 1);
    if (names.empty()) paths[kUnified] = path;
    for (const auto& name : split(names, ',')) paths[name] = path;
  }
  return paths;
}

/// Mount points by controller.
std::map<std::string, std::string> mount_points() {
  std::map<std::string, std::string> points;
  std::ifstream file("/proc/self/mounts");
  for (std::string device, point, type, options, rest;
       file >> device >> point >> type >> options;) {
    std::getline(file, rest);
    if (type == "cgroup2") points[kUnified] = point;
    if (type != "cgroup") continue;
    for (const auto& word : split(options, ',')) points[word] = point;
  }
  return points;
}

/// A group can be made in it; in the unified tree one that kills.
bool is_writable(const std::string& root, bool unified) {
  auto probe = root + "/wm-probe-" + std::to_string(::getpid());
  if (::mkdir(probe.c_str(), 0700) != 0) return false;
  bool usable = !unified || ::access((probe + "/cgroup.kill").c_str(), W_OK) == 0;
  ::rmdir(probe.c_str());
  return usable;
}

/// Lets groups below have controllers. Ours may then hold no process itself: we step aside.
void enable_controllers(const std::string& root) {
  for (const char* word : {"+memory", "+pids", "+cpu", "+cpuset", "+io"}) {
    if (write_word(root + "/cgroup.subtree_control", word)) continue;
    if (errno != EBUSY) continue;
    auto aside = root + "/wnoded";
    if (make_folder(aside) && write_word(aside + "/cgroup.procs", "0"))
      (void)write_word(root + "/cgroup.subtree_control", word);
  }
}

std::uint64_t number_in(const std::string& path, const std::string& key = "") {
  std::istringstream in(read_whole(path));
  std::string word;
  if (!key.empty())
    while (in >> word && word != key) continue;
  std::uint64_t value = 0;
  in >> value;
  return value;
}

/// Sum of "key=N" over the lines of io.stat.
std::uint64_t sum_in(const std::string& path, const std::string& key) {
  std::istringstream in(read_whole(path));
  std::uint64_t sum = 0;
  for (std::string word; in >> word;)
    if (word.starts_with(key + "="))
      sum += std::strtoull(word.c_str() + key.size() + 1, nullptr, 10);
  return sum;
}

std::string join(const std::vector<std::uint32_t>& numbers) {
  std::string text;
  for (auto n : numbers) text += (text.empty() ? "" : ",") + std::to_string(n);
  return text;
}

/// One limit: its name, and how both versions write it. @source kernel: cgroup-v1, cgroup-v2
struct Setting {
  const char *limit, *controller, *v1_file, *v2_file;
  std::string v1_value, v2_value;
};

std::vector<Setting> settings_of(const CgroupCaps& caps) {
  std::vector<Setting> settings;
  auto text = [](std::uint64_t n) { return std::to_string(n); };
  if (caps.mem != 0) {
    auto mem = text(caps.mem);
    settings.push_back({"memory", "memory", "memory.limit_in_bytes", "memory.max", mem, mem});
    settings.push_back(
        {"swap", "memory", "memory.memsw.limit_in_bytes", "memory.swap.max", mem, "0"});
  }
  if (caps.pids != 0)
    settings.push_back({"pids", "pids", "pids.max", "pids.max", text(caps.pids), text(caps.pids)});
  if (caps.cpu_weight != 0) {
    auto shares = text(std::max<std::uint64_t>(2, caps.cpu_weight * 1024ull / 100));
    auto weight = text(std::clamp<std::uint64_t>(caps.cpu_weight, 1, 10000));
    settings.push_back({"cpu", "cpu", "cpu.shares", "cpu.weight", shares, weight});
  }
  if (!caps.cpus.empty())
    settings.push_back(
        {"cpuset", "cpuset", "cpuset.cpus", "cpuset.cpus", join(caps.cpus), join(caps.cpus)});
  return settings;
}

/// A v1 CPU set takes no process before both of its halves are set.
void copy_memory_nodes(const std::string& root, const std::string& folder) {
  auto nodes = read_whole(root + "/cpuset.mems");
  if (!nodes.empty()) (void)write_word(folder + "/cpuset.mems", nodes);
}

}  // namespace

CgroupRoots usable_cgroups(const std::string& configured) {
  CgroupRoots roots;
  if (configured == "none") return roots;
  if (configured.starts_with('/')) {
    if (is_writable(configured, true)) roots[kUnified] = configured;
    return roots;
  }
  auto own = own_paths();
  for (const auto& [controller, point] : mount_points()) {
    bool unified = controller == kUnified;
    bool known = unified || std::find(std::begin(kControllers), std::end(kControllers),
                                      controller) != std::end(kControllers);
    if (!known || !own.contains(controller)) continue;
    auto path = own[controller] == "/" ? "" : own[controller];
    if (path.empty() && configured.empty()) continue;  // the hierarchy's root: not ours to use
    auto root = point + path;
    if (!configured.empty()) {
      if (unified) enable_controllers(root);
      root += "/" + configured;
      if (!make_folder(root)) continue;
      if (controller == "cpuset") {
        (void)write_word(root + "/cpuset.cpus", read_whole(point + path + "/cpuset.cpus"));
        copy_memory_nodes(point + path, root);
      }
    }
    if (!is_writable(root, unified)) continue;
    if (unified) enable_controllers(root);
    roots[controller] = root;
  }
  // without one that ends and stops whole groups the rest is not worth its price
  if (!roots.contains(kUnified) && !roots.contains("freezer")) return {};
  return roots;
}

std::string to_text(const CgroupRoots& roots) {
  std::string text;
  for (const auto& [controller, folder] : roots)
    text += (text.empty() ? "" : ",") + controller + "=" + folder;
  return text;
}

CgroupRoots parse_cgroup_roots(std::string_view text) {
  CgroupRoots roots;
  for (const auto& entry : split(std::string(text), ','))
    if (auto equals = entry.find('='); equals != entry.npos)
      roots[entry.substr(0, equals)] = entry.substr(equals + 1);
  return roots;
}

Cgroup Cgroup::make(const CgroupRoots& roots, const std::string& name, const CgroupCaps& caps,
                    std::string& trouble) {
  Cgroup group;
  auto add = [&](const std::string& controller) {
    auto root = roots.find(controller);
    if (root == roots.end()) return false;
    auto folder = root->second + "/" + name;
    if (!make_folder(folder)) {
      trouble += system_error("mkdir " + folder).text + "; ";
      return false;
    }
    group.folders_[controller] = folder;
    if (controller == "cpuset") copy_memory_nodes(root->second, folder);
    return true;
  };
  bool unified = add(kUnified) && make_folder(group.folders_[kUnified] + kTasks);
  if (!unified) add("freezer"), add("cpuacct");
  if (caps.devices) add("devices");
  add("memory");  // counts the peak also where nothing is limited
  for (const auto& setting : settings_of(caps)) {
    auto v2 =
        group.folders_.contains(kUnified) ? group.folders_[kUnified] + "/" + setting.v2_file : "";
    Result<void> done;
    if (*setting.v2_file != 0 && exists(v2)) {
      done = write_word(v2, setting.v2_value);
    } else if (group.folders_.contains(setting.controller) || add(setting.controller)) {
      auto v1 = group.folders_[setting.controller] + "/" + setting.v1_file;
      if (!exists(v1)) continue;  // a kernel that does not account swap
      done = write_word(v1, setting.v1_value);
    } else {
      continue;
    }
    if (done) group.kept_[setting.limit] = true;
    else trouble += done.error().text + "; ";
  }
  return group;
}

Cgroup Cgroup::find(const CgroupRoots& roots, const std::string& name) {
  Cgroup group;
  for (const auto& [controller, root] : roots)
    if (exists(root + "/" + name)) group.folders_[controller] = root + "/" + name;
  return group;
}

std::string Cgroup::folder(const std::string& controller) const {
  auto at = folders_.find(controller);
  return at == folders_.end() ? "" : at->second;
}

std::vector<std::string> Cgroup::joins(bool frozen) const {
  std::vector<std::string> folders;
  for (const auto& [controller, folder] : folders_) {
    if (controller == "freezer" && !frozen) continue;
    folders.push_back(controller == kUnified && frozen ? folder + kTasks : folder);
  }
  return folders;
}

std::vector<int> Cgroup::pids() const {
  std::vector<int> pids;
  auto add = [&](const std::string& folder) {
    std::ifstream file(folder + "/cgroup.procs");
    for (int pid = 0; file >> pid;) pids.push_back(pid);
  };
  if (auto unified = folders_.find(kUnified); unified != folders_.end()) {
    add(unified->second);
    add(unified->second + kTasks);
    return pids;
  }
  auto other = std::find_if(folders_.begin(), folders_.end(),
                            [](const auto& entry) { return entry.first != "freezer"; });
  if (other != folders_.end()) add(other->second);
  return pids;
}

bool Cgroup::freeze(bool on) const {
  std::string state_file, wanted;
  if (auto unified = folders_.find(kUnified); unified != folders_.end()) {
    auto folder = unified->second + kTasks;
    if (!write_word(folder + "/cgroup.freeze", on ? "1" : "0")) return false;
    state_file = folder + "/cgroup.events";
    wanted = on ? "frozen 1" : "frozen 0";
  } else if (auto freezer = folders_.find("freezer"); freezer != folders_.end()) {
    state_file = freezer->second + "/freezer.state";
    wanted = on ? "FROZEN" : "THAWED";
    if (!write_word(state_file, wanted)) return false;
  } else {
    return false;
  }
  for (int i = 0; i < 1000 && read_whole(state_file).find(wanted) == std::string::npos; ++i)
    ::poll(nullptr, 0, 1);
  return true;
}

void Cgroup::limit_memory(std::uint64_t bytes) const {
  if (!keeps("memory") || bytes == 0) return;
  auto text = std::to_string(bytes);
  if (auto unified = folders_.find(kUnified);
      unified != folders_.end() && write_word(unified->second + "/memory.max", text))
    return;
  auto memory = folders_.find("memory");
  if (memory == folders_.end()) return;
  // memory alone may not exceed memory and swap together: the one that is raised goes first
  for (const char* file :
       {"memory.limit_in_bytes", "memory.memsw.limit_in_bytes", "memory.limit_in_bytes"})
    (void)write_word(memory->second + "/" + file, text);
}

bool Cgroup::kill() const {
  auto unified = folders_.find(kUnified);
  return unified != folders_.end() && write_word(unified->second + "/cgroup.kill", "1");
}

CgroupUse Cgroup::use() const {
  CgroupUse use;
  auto bytes = [](std::uint64_t n) { return Bytes{static_cast<std::int64_t>(n)}; };
  if (auto unified = folders_.find(kUnified); unified != folders_.end()) {
    const auto& folder = unified->second;
    use.cpu = Duration(static_cast<std::int64_t>(number_in(folder + "/cpu.stat", "usage_usec")));
    if (exists(folder + "/memory.peak")) use.peak_mem = bytes(number_in(folder + "/memory.peak"));
    use.oom_kills += number_in(folder + "/memory.events", "oom_kill");
    if (exists(folder + "/io.stat")) {
      use.read = bytes(sum_in(folder + "/io.stat", "rbytes"));
      use.written = bytes(sum_in(folder + "/io.stat", "wbytes"));
    }
  }
  for (const char* controller : {kUnified, "pids"})
    if (auto pids = folders_.find(controller); pids != folders_.end())
      use.refused_forks += number_in(pids->second + "/pids.events", "max");
  if (auto account = folders_.find("cpuacct"); account != folders_.end())
    use.cpu =
        Duration(static_cast<std::int64_t>(number_in(account->second + "/cpuacct.usage") / 1000));
  if (auto memory = folders_.find("memory"); memory != folders_.end()) {
    use.peak_mem = bytes(number_in(memory->second + "/memory.max_usage_in_bytes"));
    use.oom_kills += number_in(memory->second + "/memory.oom_control", "oom_kill");
  }
  return use;
}

void Cgroup::remove() const {
  for (const auto& [controller, folder] : folders_) {
    if (controller == kUnified) ::rmdir((folder + kTasks).c_str());
    ::rmdir(folder.c_str());
  }
}

Result<void> write_word(const std::string& path, const std::string& word) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd || ::write(fd.get(), word.data(), word.size()) < 0)
    return system_error("write '" + word + "' to " + path);
  return {};
}

Result<void> join_cgroups(const std::vector<std::string>& folders) {
  for (const auto& folder : folders) WM_TRY(write_word(folder + "/cgroup.procs", "0"));
  return {};
}

}  // namespace wm::proc
