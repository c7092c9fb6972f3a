#include "libwm/launch/mpi_launches.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

namespace wm::launch {
namespace {

using Words = std::vector<std::string>;
using ByPid = std::map<std::int32_t, const JobProcess*>;

/// They say how many ranks, or where. With one dash or two.
constexpr std::string_view kAsking[] = {"np",
                                        "n",
                                        "c",
                                        "N",
                                        "ppn",
                                        "perhost",
                                        "npernode",
                                        "pernode",
                                        "npersocket",
                                        "hostfile",
                                        "host",
                                        "H",
                                        "hosts",
                                        "f",
                                        "rankfile",
                                        "machinefile",
                                        "rf",
                                        "map-by",
                                        "cpus-per-rank",
                                        "cpus-per-proc",
                                        "ppr",
                                        "app",
                                        "configfile",
                                        "nolocal",
                                        "add-host"};
/// They have two values, a parameter's name and its value.
constexpr std::string_view kOfTwo[] = {"mca",      "gmca",     "omca", "prtemca", "pmixmca",
                                       "gprtemca", "gpmixmca", "env",  "genv"};
constexpr std::string_view kAskingVariables[] = {
    "OMPI_MCA_rmaps_", "PRTE_MCA_rmaps_",
    "HYDRA_HOST_FILE=", "I_MPI_PERHOST=", "I_MPI_HYDRA_HOST_FILE="};
constexpr std::string_view kHostFilesOfMpirun[] = {"OMPI_MCA_orte_default_hostfile",
                                                   "PRTE_MCA_prte_default_hostfile"};

template <std::size_t n>
bool is_one_of(const std::string_view (&words)[n], std::string_view word) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// Empty: it is not set.
std::string_view variable_in(const Words& env, std::string_view name) {
  for (std::string_view entry : env)
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('='))
      return entry.substr(name.size() + 1);
  return {};
}

/// 0: it is no number, or not set.
std::uint32_t number_of(const Words& env, std::string_view name) {
  auto text = variable_in(env, name);
  std::uint32_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

/// Of the world that the process is a rank of; 0: it is none.
std::uint32_t world_of(const JobProcess& process) {
  auto size = number_of(process.env, "OMPI_COMM_WORLD_SIZE");
  return size != 0 ? size : number_of(process.env, "PMI_SIZE");
}

/// Mpirun of Open MPI 5 has become prterun.
std::string name_of(const JobProcess& process) {
  if (process.argv.empty()) return "";
  if (!variable_in(process.env, "OMPI_TOOL_NAME").empty()) return "mpirun";
  return process.argv[0].substr(process.argv[0].rfind('/') + 1);
}

bool is_launcher(const JobProcess& process) {
  auto name = name_of(process);
  return name.starts_with("mpirun") || name.starts_with("mpiexec") || name == "orterun" ||
         name == "prterun";
}

/// None: it is not among them, or the rank has another one's variables.
const JobProcess* launcher_of(const JobProcess& rank, const ByPid& all) {
  auto at = all.find(rank.parent);
  for (std::size_t steps = 0; at != all.end() && steps < all.size(); ++steps) {
    if (world_of(*at->second) == 0 && is_launcher(*at->second)) return at->second;
    at = all.find(at->second->parent);
  }
  return nullptr;
}

/// Where the program begins in the launcher's words, at the latest: its words end as the rank's.
std::size_t program_in(const Words& launcher, const Words& rank) {
  auto [mine, theirs] =
      std::mismatch(launcher.rbegin(), launcher.rend(), rank.rbegin(), rank.rend());
  return static_cast<std::size_t>(launcher.rend() - mine);
}

bool asks_by_parameter(std::string_view name) {
  return name.starts_with("rmaps_") || name.ends_with("_default_hostfile");
}

/// Do the launcher's own options, before the program, say how many or where?
bool asks_by_option(const Words& words, std::size_t end) {
  for (std::size_t at = 1; at < end && words[at].starts_with('-');) {
    std::string_view option = words[at];
    option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
    bool has_value = option.find('=') != option.npos;
    option = option.substr(0, option.find('='));
    if (is_one_of(kAsking, option)) return true;
    bool of_two = is_one_of(kOfTwo, option);
    if (of_two && at + 1 < end && asks_by_parameter(words[at + 1])) return true;
    at += has_value ? 1 : of_two ? 3 : 2;
    // A flag has no value: what stands in its place is the next option.
    if (!has_value && !of_two && at - 1 < end && words[at - 1].starts_with('-')) --at;
  }
  return false;
}

bool asks_by_variable(const Words& env) {
  for (std::string_view entry : env)
    for (auto asking : kAskingVariables)
      if (entry.starts_with(asking)) return true;
  auto ours = variable_in(env, "WM_HOSTFILE");
  return std::any_of(std::begin(kHostFilesOfMpirun), std::end(kHostFilesOfMpirun), [&](auto name) {
    auto file = variable_in(env, name);
    return !file.empty() && file != ours;
  });
}

}  // namespace

std::vector<MpiLaunch> mpi_launches(const std::vector<JobProcess>& processes) {
  ByPid all;
  for (const auto& process : processes) all[process.pid] = &process;
  std::map<std::int32_t, MpiLaunch> found;
  for (const auto& process : processes) {
    auto world = world_of(process);
    const auto* launcher = world == 0 ? nullptr : launcher_of(process, all);
    if (launcher == nullptr) continue;
    auto& launch = found[launcher->pid];
    launch.pid = launcher->pid;
    launch.program = name_of(*launcher);
    launch.ranks = std::max(launch.ranks, world);
    launch.slots = number_of(launcher->env, "LSB_DJOB_NUMPROC");
    launch.asked = launch.asked || asks_by_variable(launcher->env) ||
                   asks_by_option(launcher->argv, program_in(launcher->argv, process.argv));
  }
  std::vector<MpiLaunch> launches;
  for (auto& [pid, launch] : found) launches.push_back(std::move(launch));
  return launches;
}

std::string few_ranks_line(const MpiLaunch& launch) {
  if (launch.asked || launch.ranks >= launch.slots) return "";
  return "WARNING: " + launch.program + " started " + std::to_string(launch.ranks) +
         (launch.ranks == 1 ? " rank" : " ranks") + " in a job of " + std::to_string(launch.slots) +
         " slots, and nothing it was given asks for fewer: see " + "\"MPI\" in bsub(1)";
}

}  // namespace wm::launch
