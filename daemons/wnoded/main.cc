// Role: wnoded, one per host: finds out what the host is, wires the parts, runs the loop.
//
//   wnoded [--conf DIR] [--name NODE] [--address A] [--foreground]
//
// Root on a cluster; in a private cluster the user's own account, which then owns all jobs.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <boost/asio/signal_set.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "daemons/wnoded/rim/claim.h"
#include "daemons/wnoded/rim/obeyed.h"
#include "daemons/wnoded/rim/own_address.h"
#include "daemons/wnoded/rim/real_env.h"
#include "libwm/base/log.h"
#include "libwm/base/options.h"
#include "libwm/conf/folders.h"
#include "libwm/conf/load.h"
#include "libwm/http/metrics_door.h"
#include "libwm/launch/container.h"
#include "libwm/launch/spool.h"
#include "libwm/proc/accounts.h"
#include "libwm/proc/cgroup.h"
#include "libwm/proc/ready.h"
#include "libwm/proc/spawn.h"
#include "libwm/proc/topology.h"
#include "libwm/wire/munge.h"

namespace wm::node {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string conf, name, address;
  bool foreground = false;
};

Result<Options> parse(int argc, char** argv) {
  Options options;
  if (const char* folder = std::getenv("WM_CONF_DIR")) options.conf = folder;
  const OptionRow rows[] = {{"--conf", &options.conf},
                            {"--name", &options.name},
                            {"--address", &options.address},
                            {"--foreground", &options.foreground}};
  WM_TRY(read_options(argc, argv, rows));
  if (options.conf.empty()) options.conf = conf::kDefaultDir;
  if (options.name.empty()) options.name = conf::this_host();
  return options;
}

Result<std::uint32_t> uid_of(const std::string& user) {
  auto found = proc::account(user);
  if (!found) return found.error().within("wm.conf");
  return found->uid;
}

/// Folders of this host, several of them in a private cluster.
Result<HostFolders> make_folders(const ClusterConf& conf, const std::string& name,
                                 const fs::path& sbin) {
  auto own = conf::node_folders(conf.dirs, name);
  for (const auto& folder : {own.run, own.state}) WM_TRY(proc::make_folders(folder));
  ::chmod(own.run.c_str(), 0711);  // users enter their own attempt folders by name
  ::chmod(own.state.c_str(), 0700);
  return HostFolders{own.run,
                     own.state + "/exits",
                     name,
                     proc::to_text(proc::usable_cgroups(conf.cgroup_root)),
                     sbin / "wshepherd",
                     own.state + "/obeyed",
                     own.state + "/gpu_energy"};
}

/// Opens the log: a file of this host's own, standard error where there is no folder for it.
void open_log(const ClusterConf& conf, const Options& options) {
  auto folder = options.foreground ? "" : conf::node_folders(conf.dirs, options.name).log;
  auto made = folder.empty() ? Result<void>() : proc::make_folders(folder);
  log::open("wnoded", folder.empty() ? "" : folder + "/wnoded." + options.name + ".log",
            log::level_named(conf.log_level),
            options.foreground ? log::To::File : log::to_named(conf.log_to));
  if (!made) log::warn("log_folder_not_made", {{"why", made.error().text}});
}

/// Variables that mark every process of a private cluster's host.
std::vector<std::string> passed_on() {
  std::vector<std::string> entries;
  for (const char* name : {"WM_CLUSTER_DIR", "WM_NODE"})
    if (const char* value = std::getenv(name)) entries.push_back(std::string(name) + "=" + value);
  return entries;
}

/// Of the file system that `folder` lies on. @units bytes; 0: not known
std::uint64_t capacity_of(const std::string& folder) {
  struct statvfs system {};
  if (::statvfs(folder.c_str(), &system) != 0) return 0;
  return std::uint64_t{system.f_blocks} * system.f_frsize;
}

launch::HostFacts facts_of(const Config& config, const Options& options, const HostFolders& folders,
                           const fs::path& top) {
  launch::HostFacts host;
  host.name = options.name;
  host.address = options.address;
  host.interface = proc::interface_of(options.address);
  host.cluster = config.cluster.name;
  host.dirs = config.cluster.dirs;
  host.scripts = config.cluster.scripts;
  host.limits = config.cluster.limits;
  host.conf_dir = options.conf;
  host.bin_dir = top / "bin";
  host.sbin_dir = top / "sbin";
  host.lib_dir = fs::exists(top / "lib/wm/python") ? top / "lib/wm" : top / "lib";
  host.fabric_dir = fs::exists(top / "lib/wm/fabric") ? top / "lib/wm/fabric" : top / "fabric";
  host.run = folders.run;
  host.mps_program = config.cluster.mps_program;
  host.passed_on = passed_on();
  host.munge_socket = config.cluster.munge_socket;
  host.gpu_files = launch::gpu_files();
  host.cpus = proc::read_cpus();
  return host;
}

std::map<std::string, launch::CharDevice> gpu_devices_of(const gpu::Nvml& driver) {
  std::map<std::string, launch::CharDevice> devices;
  for (const auto& [uuid, path] : driver.device_files()) {
    struct stat file {};
    if (::stat(path.c_str(), &file) == 0 && S_ISCHR(file.st_mode))
      devices[uuid] = {major(file.st_rdev), minor(file.st_rdev)};
    else log::warn("gpu_not_guarded", {{"gpu", uuid}, {"why", "no device " + path}});
  }
  return devices;
}

/// The GPU driver, if there is one.
std::shared_ptr<gpu::Nvml> open_driver(const std::string& library) {
  if (library.empty()) return nullptr;
  auto driver = gpu::Nvml::open(library);
  if (driver) return *std::move(driver);
  if (driver.error().code == Code::NotFound) log::info("no_gpus", {{"why", driver.error().text}});
  else log::warn("no_gpus", {{"why", driver.error().text}});
  return nullptr;
}

HostRegister card_of(const Config& config, const Options& options, gpu::Nvml* driver) {
  auto found = proc::take_inventory();
  if (driver) found.gpus = driver->inventory();
  HostRegister card;
  card.name = options.name;
  card.address = options.address;
  card.boot = proc::boot_id();
  card.network = proc::network_id();
  card.type = found.type;
  card.model = found.model;
  card.capacity = proc::capacity_of(found, config.host(options.name), options.name);
  return card;
}

/// Not what hosts.conf declares, nor another machine's topology.
bool follows_memory(const Config& config, const Options& options, const HostRegister& card) {
  const auto* declared = config.host(options.name);
  bool by_conf = declared && declared->mem.value > 0;
  return !by_conf && card.capacity.mem == proc::load_now().mem;
}

Result<NodeSetup> find_out(const Config& config, Options options) {
  NodeSetup setup;
  const auto* declared = config.host(options.name);
  if (options.address.empty() && declared) options.address = declared->address;
  auto given = options.address;
  bool by_name = !is_numeric(given);
  setup.reached_as = !by_name ? "" : given.empty() ? options.name : given;
  if (by_name)
    options.address =
        choose_address(look_for_ways(setup.reached_as, config.cluster.master_host), "");
  auto top = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  WM_TRY(setup.folders, make_folders(config.cluster, options.name, top / "sbin"));
  WM_TRY(auto master_uid, uid_of(config.cluster.master_user));
  setup.nvml = open_driver(config.cluster.nvml_library);
  setup.card = card_of(config, options, setup.nvml.get());
  setup.follows_memory = follows_memory(config, options, setup.card);
  setup.host = facts_of(config, options, setup.folders, top);
  setup.card.cpus = setup.host.cpus;
  auto slots = declared && declared->slots ? declared->slots : std::thread::hardware_concurrency();
  auto capacity = capacity_of(setup.folders.run);
  setup.host.spool_limit = launch::spool_limit(capacity, slots);
  setup.host.folder_share = launch::folder_share(capacity, slots);
  auto obeyed = read_obeyed(setup.folders.obeyed);
  if (obeyed) setup.card.obeyed = std::move(*obeyed);
  else log::warn("obeyed_not_known", {{"why", obeyed.error().text}});
  if (setup.nvml) setup.host.gpu_devices = gpu_devices_of(*setup.nvml);
  setup.master.host = config.cluster.master_host;
  setup.master.port = static_cast<std::uint16_t>(config.cluster.master_port);
  if (!by_name) setup.dial.source_address = options.address;
  setup.dial.link.session.role = wire::Role::Host;
  setup.dial.link.session.peers = {{wire::Role::Master, master_uid}};
  setup.dial.link.credentials = wire::munge_credentials(config.cluster.munge_socket);
  return setup;
}

/// Waits again after each signal: one comes when the log was rotated or log_level was changed. What
/// else a host has of its files it looks at by itself (own_config.h).
void reopen_log_at(boost::asio::signal_set& signals, const std::string& conf_dir) {
  signals.async_wait([&signals, conf_dir](const boost::system::error_code& ended, int) {
    if (ended) return;
    log::reopen();
    auto conf = conf::load_cluster(conf_dir);
    if (conf) log::set_level(log::level_named(conf->log_level));
    log::info("log_reopened");
    reopen_log_at(signals, conf_dir);
  });
}

Result<void> run(const Options& options) {
  WM_TRY(auto config, conf::load(options.conf, options.name));
  open_log(config.cluster, options);
  WM_TRY(auto setup, find_out(config, options));
  auto own = conf::node_folders(config.cluster.dirs, options.name);
  WM_TRY(auto run_claim, claim_folder(own.run, config.cluster.name));
  WM_TRY(auto state_claim, claim_folder(own.state, config.cluster.name));
  boost::asio::io_context loop;
  RealEnv env(loop, std::move(setup));
  WM_TRY(env.start());
  boost::asio::signal_set ends(loop, SIGTERM, SIGINT);
  ends.async_wait([&](auto, int signal) {
    log::info("wnoded_ends", {{"signal", signal}, {"jobs", "run on"}});
    loop.stop();
  });
  std::unique_ptr<http::MetricsDoor> metrics;
  const auto& place = config.cluster.monitor.node_metrics;
  if (!place.empty()) {
    auto ask = [&](bool open, const std::function<void(std::string)>& tell) {
      tell(node_metrics(env.numbers(), open));
    };
    auto made = http::MetricsDoor::open(loop, place, ask, env.address());
    if (made) metrics = *std::move(made);
    if (metrics) log::info("metrics", {{"at", metrics->place()}});
    else log::warn("no_metrics", {{"why", made.error().text}});
  }
  boost::asio::signal_set rotated(loop, SIGUSR2, SIGHUP);
  reopen_log_at(rotated, options.conf);
  proc::tell_ready();
  log::info("wnoded_up", {{"host", options.name}, {"address", env.address()}});
  loop.run();
  return {};
}

}  // namespace
}  // namespace wm::node

int main(int argc, char** argv) {
  ::signal(SIGPIPE, SIG_IGN);
  ::umask(022);
  auto options = wm::node::parse(argc, argv);
  auto done = options ? wm::node::run(*options) : wm::Result<void>(options.error());
  if (done) return 0;
  std::fprintf(stderr, "wnoded: %s\n", done.error().text.c_str());
  return options ? 1 : 2;
}
