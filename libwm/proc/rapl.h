// Role: the energy that processors used, where the kernel counts it (powercap, Intel's RAPL and
// what AMD has of it).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace wm::proc {

/// @thread one at a time
class Rapl {
 public:
  explicit Rapl(std::string root = "/sys/class/powercap") : root_(std::move(root)) {}
  /// Of all packages since the last call; none at the first, and where no package tells. Counters
  /// that came to their end began anew. @units mJ   @cost a read a package
  std::optional<std::int64_t> since_last_mj();

 private:
  std::string root_;
  std::map<std::string, std::int64_t> last_;  // uJ, by zone
};

}  // namespace wm::proc
