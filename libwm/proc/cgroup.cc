#include "libwm/proc/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "libwm/proc/channel.h"

namespace wm::proc {
namespace {

/// Path of our own cgroup in the v2 hierarchy; empty: there is none.
std::string own_v2_path() {
  std::ifstream file("/proc/self/cgroup");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) return line.substr(3);
  return {};
}

std::string v2_mount() {
  std::ifstream file("/proc/self/mounts");
  for (std::string device, point, type, rest; file >> device >> point >> type;) {
    std::getline(file, rest);
    if (type == "cgroup2") return point;
  }
  return {};
}

Result<void> write_word(const std::string& path, const std::string& word) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd || ::write(fd.get(), word.data(), word.size()) < 0)
    return system_error("write '" + word + "' to " + path);
  return {};
}

bool writable(const std::string& root) {
  auto probe = root + "/wm-probe-" + std::to_string(::getpid());
  if (::mkdir(probe.c_str(), 0700) != 0) return false;
  bool kills = ::access((probe + "/cgroup.kill").c_str(), W_OK) == 0;
  ::rmdir(probe.c_str());
  return kills;
}

}  // namespace

std::string usable_cgroup_root(const std::string& configured) {
  if (configured == "none") return {};
  if (!configured.empty()) return writable(configured) ? configured : std::string();
  auto own = own_v2_path();
  auto mount = v2_mount();
  if (own.size() < 2 || mount.empty() || !writable(mount + own)) return {};
  return mount + own;
}

Result<std::string> make_cgroup(const std::string& root, const std::string& name) {
  auto folder = root + "/" + name;
  if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) return system_error("mkdir " + folder);
  return folder;
}

Result<void> join_cgroup(const std::string& folder) {
  return write_word(folder + "/cgroup.procs", "0");
}

std::vector<int> pids_in_cgroup(const std::string& folder) {
  std::vector<int> pids;
  std::ifstream file(folder + "/cgroup.procs");
  for (int pid = 0; file >> pid;) pids.push_back(pid);
  return pids;
}

Result<void> kill_cgroup(const std::string& folder) {
  return write_word(folder + "/cgroup.kill", "1");
}

void remove_cgroup(const std::string& folder) { ::rmdir(folder.c_str()); }

}  // namespace wm::proc
