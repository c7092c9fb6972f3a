// Role: variables that make Open MPI start well as a rank that no mpirun has started. Pure, but
// for look_at_host. Called by RankPort.
// @source Open MPI 4.1: MCA parameters; its launchers' own choices
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace wm::wagent {

/// What of a host matters here.
struct RankHost {
  std::uint32_t cpus = 1;    ///< this process may use
  bool fast_fabric = false;  ///< it has a network that is not TCP
};
/// `devices`: where the kernel lists devices by class. @cost a few system calls
RankHost look_at_host(const std::string& devices = "/sys/class");

/// The variables, "A=1", for so many ranks on the host. The user's own go before them.
/// @cost O(1)
std::vector<std::string> rank_defaults(const RankHost& host, std::uint32_t ranks);

}  // namespace wm::wagent
