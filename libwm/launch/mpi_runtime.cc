#include "libwm/launch/mpi_runtime.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace wm::launch {
namespace {

constexpr std::string_view kLaunchers[] = {"mpirun", "mpiexec", "orterun", "prterun"};
constexpr std::string_view kDaemons[] = {"orted", "prted", "prte", "hydra_pmi_proxy",
                                         "hydra_bstrap_pr"};
constexpr std::string_view kRemoteShells[] = {"blaunch", "ssh", "rsh"};

template <std::size_t n>
bool is_among(const std::string_view (&names)[n], std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// Or "mpirun.openmpi", "mpiexec.hydra" …
bool is_launcher_name(std::string_view name) {
  return std::any_of(std::begin(kLaunchers), std::end(kLaunchers),
                     [&](std::string_view launcher) { return name.starts_with(launcher); });
}

bool is_daemon(std::string_view name) { return is_among(kDaemons, name); }

bool is_runtime(std::string_view name) { return is_launcher_name(name) || is_daemon(name); }

using Family = std::map<std::int32_t, const NamedProcess*>;

/// What a launcher starts its daemon by where it does not know that a host of the job is its own.
std::set<std::int32_t> shells_of_daemons(const Family& all) {
  std::set<std::int32_t> shells;
  for (const auto& [pid, process] : all) {
    if (!is_daemon(process->name)) continue;
    std::set<std::int32_t> above;
    auto at = all.find(process->parent);
    for (; at != all.end() && !is_runtime(at->second->name); at = all.find(at->second->parent))
      if (!above.insert(at->first).second) break;
    if (at != all.end()) shells.merge(above);
  }
  return shells;
}

enum class Kind : std::uint8_t { Other, Runtime, Shell, Rank };

struct Standing {
  Kind kind = Kind::Other;
  std::int32_t root = 0;  ///< of a runtime: the first of it
};

Standing standing_below(const Standing& parent, const NamedProcess& process, bool shell) {
  bool in_runtime = parent.kind == Kind::Runtime || parent.kind == Kind::Shell;
  if (is_runtime(process.name)) return {Kind::Runtime, in_runtime ? parent.root : process.pid};
  if (parent.kind != Kind::Runtime) return parent;
  if (shell || is_among(kRemoteShells, process.name)) return {Kind::Shell, parent.root};
  return {Kind::Rank, parent.root};
}

}  // namespace

MpiProcesses mpi_processes(const std::vector<NamedProcess>& processes) {
  Family all;
  for (const auto& process : processes) all[process.pid] = &process;
  auto shells = shells_of_daemons(all);
  std::map<std::int32_t, Standing> standings;
  std::set<std::int32_t> with_ranks;
  for (const auto& process : processes) {
    auto parent = standings.find(process.parent);
    auto standing = standing_below(parent == standings.end() ? Standing{} : parent->second, process,
                                   shells.contains(process.pid));
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
