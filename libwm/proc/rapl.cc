#include "libwm/proc/rapl.h"

#include <filesystem>
#include <fstream>

namespace wm::proc {
namespace {

std::optional<std::int64_t> counter_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t n = 0;
  return file >> n ? std::optional(n) : std::nullopt;
}

// "intel-rapl:0", not its parts ("intel-rapl:0:1"), nor what counts the same again.
bool is_package(const std::string& zone, const std::string& path) {
  if (!zone.starts_with("intel-rapl:") || zone.find(':', 11) != zone.npos) return false;
  std::ifstream file(path + "/name");
  std::string name;
  return file >> name && name.starts_with("package");
}

}  // namespace

std::optional<std::int64_t> Rapl::since_last_mj() {
  std::map<std::string, std::int64_t> now;
  std::int64_t sum = 0;
  bool counted = false;
  std::error_code bad;
  for (std::filesystem::directory_iterator at(root_, bad), end; !bad && at != end;
       at.increment(bad)) {
    auto zone = at->path().filename().string(), path = at->path().string();
    if (!is_package(zone, path)) continue;
    auto energy = counter_in(path + "/energy_uj");  // root's alone to read
    if (!energy) continue;
    now[zone] = *energy;
    auto before = last_.find(zone);
    if (before == last_.end()) continue;
    auto used = *energy - before->second;
    if (used < 0) used += counter_in(path + "/max_energy_range_uj").value_or(-used);
    sum += used;
    counted = true;
  }
  last_ = std::move(now);
  return counted ? std::optional(sum / 1000) : std::nullopt;
}

}  // namespace wm::proc
