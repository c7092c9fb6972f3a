#include "libwm/launch/mpi_runtime.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace wm::launch {
namespace {

constexpr std::string_view kLaunchers[] = {"mpirun", "mpiexec"};  // mpirun.openmpi, mpiexec.hydra …
constexpr std::string_view kDaemons[] = {"orterun", "orted",           "prterun",        "prte",
                                         "prted",   "hydra_pmi_proxy", "hydra_bstrap_pr"};
constexpr std::string_view kRemoteShells[] = {"blaunch", "ssh", "rsh"};

template <std::size_t n>
bool is_among(const std::string_view (&names)[n], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_runtime(std::string_view name) {
  return is_among(kDaemons, name) ||
         std::any_of(std::begin(kLaunchers), std::end(kLaunchers),
                     [&](std::string_view launcher) { return name.starts_with(launcher); });
}

enum class Kind : std::uint8_t { Other, Runtime, RemoteShell, Rank };

struct Standing {
  Kind kind = Kind::Other;
  std::int32_t root = 0;  ///< of a runtime: the first of it
};

Standing standing_below(const Standing& parent, const NamedProcess& process) {
  bool in_runtime = parent.kind == Kind::Runtime || parent.kind == Kind::RemoteShell;
  if (is_runtime(process.name)) return {Kind::Runtime, in_runtime ? parent.root : process.pid};
  if (parent.kind != Kind::Runtime) return parent;
  if (is_among(kRemoteShells, process.name)) return {Kind::RemoteShell, parent.root};
  return {Kind::Rank, parent.root};
}

}  // namespace

MpiProcesses mpi_processes(const std::vector<NamedProcess>& processes) {
  std::map<std::int32_t, Standing> standings;
  std::set<std::int32_t> with_ranks;
  for (const auto& process : processes) {
    auto parent = standings.find(process.parent);
    auto standing =
        standing_below(parent == standings.end() ? Standing{} : parent->second, process);
    if (standing.kind == Kind::Rank) with_ranks.insert(standing.root);
    standings[process.pid] = standing;
  }
  MpiProcesses found;
  for (const auto& process : processes) {
    auto [kind, root] = standings[process.pid];
    if (kind == Kind::Rank) found.ranks.push_back(process.pid);
    else if (kind != Kind::Other && with_ranks.contains(root)) found.runtime.push_back(process.pid);
  }
  return found;
}

}  // namespace wm::launch
