#include "daemons/wagent/ranks/rank_defaults.h"

#include <sched.h>

#include <algorithm>
#include <filesystem>

namespace wm::wagent {
namespace {

/// False for a folder that is not there, too.
bool has_entries(const std::string& folder) {
  std::error_code none;
  return std::filesystem::directory_iterator(folder, none) != std::filesystem::directory_iterator();
}

}  // namespace

RankHost look_at_host(const std::string& devices) {
  RankHost host;
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) == 0)
    host.cpus = static_cast<std::uint32_t>(std::max(CPU_COUNT(&set), 1));
  for (const char* fabric : {"/infiniband", "/cxi"})
    host.fast_fabric = host.fast_fabric || has_entries(devices + fabric);
  return host;
}

std::vector<std::string> rank_defaults(const RankHost& host, std::uint32_t ranks) {
  // Debian's build asks by this variable whether somebody else's PMIx server has started it;
  // without it each rank is a world of its own.
  std::vector<std::string> vars{"JSM_JSRUN_PORT=1", "PMIX_MCA_gds=hash"};
  // looking for fast networks where there are none takes longer than all the rest
  if (!host.fast_fabric) {
    vars.push_back("OMPI_MCA_pml=ob1");
    vars.push_back("OMPI_MCA_btl=self,vader,tcp");
  }
  if (ranks > host.cpus) vars.push_back("OMPI_MCA_mpi_yield_when_idle=1");
  return vars;
}

}  // namespace wm::wagent
