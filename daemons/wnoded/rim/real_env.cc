#include "daemons/wnoded/rim/real_env.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>

#include "daemons/wnoded/rim/accounts.h"
#include "daemons/wnoded/rim/obeyed.h"
#include "libwm/base/clock.h"
#include "libwm/base/log.h"
#include "libwm/files/own_folder.h"
#include "libwm/proc/exit_log.h"
#include "libwm/proc/topology.h"
#include "libwm/proc/tree.h"

namespace wm::node {
namespace {

constexpr auto kTick = std::chrono::milliseconds(200);
/// Load and free memory are read so often.
constexpr std::chrono::seconds kBetweenLooks{1};
/// A shepherd that listens, busy or stopped, has so long to say its first word.
constexpr std::chrono::seconds kLateLimit{60};
/// A name is looked up so often, sooner while nothing is known.
constexpr std::chrono::seconds kAddressPause{30}, kFirstAddressPause{2};

// In a folder of root's users can make none of their own. Where this cannot either (root_squash),
// the job that needs it says so.
void give_results(const std::string& shared, const std::string& user, uid_t uid) {
  if (shared.empty() || ::geteuid() != 0) return;
  if (::access((shared + "/" + user).c_str(), F_OK) == 0) return;
  if (auto given = OwnFolder::give(shared, user, uid); !given)
    log::info("results_not_given", {{"user", user}, {"why", given.error().text}});
}

MasterLink::Handlers handlers_of(Core& core,
                                 std::function<void(std::uint16_t, const std::string&)> on_frame) {
  return {[&core] { core.on_session(); }, std::move(on_frame),
          [&core](bool down) { core.on_session_lost(down); }};
}

void tell_damage(std::uint64_t at, std::uint64_t bytes) {
  log::warn("exit_records_damaged",
            {{"at", at},
             {"bytes", bytes},
             {"remedy", "look after the disk: ends of attempts may be lost"}});
}

}  // namespace

RealEnv::RealEnv(boost::asio::io_context& loop, NodeSetup setup)
    : loop_(loop),
      setup_(std::move(setup)),
      own_config_(setup_.host.conf_dir, setup_.host.name),
      core_(*this, setup_.card, setup_.host),
      shepherds_(loop, setup_.folders),
      agents_(
          loop, [this](const auto& key, auto uid) { return core_.admits_agent(key, uid); },
          [this](const auto& key, const auto& report) { core_.on_agent(key, report); }),
      transport_(loop),
      master_(loop, transport_, setup_.master, setup_.dial,
              handlers_of(core_,
                          [this](auto type, const auto& bytes) {
                            auto done = core_.on_frame(type, bytes);
                            if (done) return;
                            bool again = given_up_ == done.error().text;
                            given_up_ = done.error().text;
                            log::write(again ? log::Level::Debug : log::Level::Error,
                                       "session_given_up", {{"why", given_up_}});
                            boost::asio::post(loop_, [this] { master_.give_up(); });
                          })),
      timer_(loop),
      gpu_energy_(loop, workers_, setup_.folders.gpu_energy),
      ports_(setup_.host.address, "wm " + setup_.host.cluster + "/" + setup_.host.name) {}

RealEnv::~RealEnv() { workers_.join(); }

Result<void> RealEnv::start() {
  WM_TRY(shepherds_.start_zygote());
  WM_TRY(agents_.listen(setup_.host.run + "/node.sock"));
  WM_TRY(adopt());
  if (setup_.host.address.empty())
    log::warn("no_address", {{"host", setup_.host.name},
                             {"why", setup_.reached_as + " cannot be resolved"},
                             {"remedy", "give its address in hosts.conf"}});
  address_due_ = mono() + (setup_.host.address.empty() ? kFirstAddressPause : kAddressPause);
  tick();
  dial();
  return {};
}

/// Once nothing of an earlier life is left, and others can be told where we are.
void RealEnv::dial() {
  if (dialling_ || !sweeping_.empty() || !late_.empty() || setup_.host.address.empty()) return;
  dialling_ = true;
  master_.start();
}

/// The resolver may take seconds: not on the loop.
void RealEnv::look_for_address() {
  if (setup_.reached_as.empty() || mono() < address_due_) return;
  address_due_ = TimePoint::max();
  boost::asio::post(workers_, [this, name = setup_.reached_as, master = setup_.master.host] {
    auto ways = look_for_ways(name, master);
    boost::asio::post(loop_, [this, ways] {
      auto& host = setup_.host;
      auto address = choose_address(ways, host.address);
      address_due_ = mono() + (address.empty() ? kFirstAddressPause : kAddressPause);
      if (address.empty() || address == host.address) return;
      log::info("address_changed", {{"host", host.name}, {"from", host.address}, {"to", address}});
      host.address = address;
      host.interface = proc::interface_of(address);
      core_.on_address(host.address, host.interface);
      if (dialling_) master_.give_up();
      dial();
    });
  });
}

Result<void> RealEnv::adopt() {
  WM_TRY(auto found, shepherds_.find_old());
  // read after connecting: a shepherd that ended in between has written its record by now
  WM_TRY(auto records, proc::read_exits(setup_.folders.exits, tell_damage));
  core_.adopt(found.living, records);
  ports_.drop_old_rules();
  shepherds_.listen([this](const auto& key, const auto& word) { on_word(key, word); },
                    [this](const auto& key) { core_.on_shepherd_lost(key); });
  late_.insert(found.late.begin(), found.late.end());
  late_until_ = mono() + kLateLimit;
  for (const auto& key : found.lost) sweep(key);
  return {};
}

void RealEnv::sweep(const launch::AttemptKey& key) {
  sweeping_.insert(key);
  shepherds_.sweep({setup_.host.cluster, key, {}, std::chrono::seconds(10)});
}

void RealEnv::on_word(const launch::AttemptKey& key, const launch::ShepherdWord& word) {
  auto* up = std::get_if<launch::ShepherdUp>(&word);
  if (up != nullptr && late_.erase(key) > 0) {
    if (up->version == launch::kLauncherVersion) core_.adopt({*up}, {});
    else sweep(key);
    return dial();
  }
  core_.on_word(key, word);
  if (!std::holds_alternative<launch::AttemptEnded>(word) || sweeping_.erase(key) == 0) return;
  dial();
}

void RealEnv::tick() {
  if (mono() - looked_ >= kBetweenLooks) {
    looked_ = mono();
    load_ = proc::load_now(load_);
    if (setup_.follows_memory && load_.mem.value > 0) core_.on_memory(load_.mem);
  }
  if (mono() >= late_until_)
    for (const auto& key : std::exchange(late_, {})) sweep(key);
  look_for_address();
  core_.on_tick(
      load_.one_minute, load_.free_mem,
      {load_.quarter_minute, load_.quarter_hour, load_.idle, load_.free_tmp, load_.free_swap,
       load_.free_mem, load_.tmp, load_.swap, load_.paging, load_.disks, load_.logins});
  timer_.expires_after(kTick);
  timer_.async_wait([this](auto ec) {
    if (!ec) tick();
  });
}

WallTime RealEnv::wall() { return wall_now(); }

TimePoint RealEnv::mono() { return steady_now(); }

void RealEnv::send(NodeVerb verb, std::string payload) {
  master_.send(static_cast<std::uint16_t>(verb), std::move(payload));
}

void RealEnv::tell_agent(const launch::AttemptKey& key, const NodeToAgent& words) {
  agents_.tell(key, words);
}

void RealEnv::authorise(const HostOrder& order, std::function<void(Result<Authorised>)> done) {
  boost::asio::post(workers_, [this, order, done, credentials = setup_.dial.link.credentials] {
    auto permit = [&]() -> Result<Authorised> {
      WM_TRY(auto account, node::authorise(order, *credentials));
      WM_TRY(auto config, own_config_.read());
      WM_TRY(auto own, own_commands(*config, order.resolved));
      give_results(own.dirs.results, order.resolved.owner.user, account.uid);
      return Authorised{std::move(account), std::move(own)};
    }();
    boost::asio::post(loop_, [done, permit] { done(permit); });
  });
}

void RealEnv::prove(std::function<void(Result<launch::Account>)> done) {
  boost::asio::post(workers_, [this, done, credentials = setup_.dial.link.credentials] {
    auto account = prove_host(*credentials);
    if (auto config = own_config_.read(); account && !config) account = config.error();
    boost::asio::post(loop_, [done, account] { done(account); });
  });
}

bool RealEnv::exists(const std::string& path) { return ::access(path.c_str(), F_OK) == 0; }

std::vector<std::uint32_t> RealEnv::cpus_of(std::int32_t pid) {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<std::uint32_t> cpus;
  if (::sched_getaffinity(pid, sizeof(set), &set) != 0) return cpus;
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

namespace {

// Up to the first process; one that ends meanwhile cuts it short.
std::vector<std::int32_t> above(std::int32_t pid) {
  std::vector<std::int32_t> found;
  constexpr std::size_t kDeepest = 64;
  for (proc::ProcessStat one;
       found.size() < kDeepest && proc::read_stat(pid, one) && one.parent > 0; pid = one.parent)
    found.push_back(one.parent);
  return found;
}

}  // namespace

void RealEnv::read_gpus(std::function<void(std::vector<gpu::GpuReading>)> done) {
  boost::asio::post(workers_, [this, done, nvml = setup_.nvml] {
    auto readings = nvml ? nvml->read() : std::vector<gpu::GpuReading>{};
    for (auto& reading : readings)
      for (auto& process : reading.processes) process.above = above(process.pid);
    boost::asio::post(loop_, [done, readings] { done(readings); });
  });
}

std::optional<std::int64_t> RealEnv::cpu_energy_mj() { return rapl_.since_last_mj(); }

void RealEnv::keep_obeyed(const MasterRank& master) {
  if (auto done = node::keep_obeyed(setup_.folders.obeyed, master); !done)
    log::warn("obeyed_not_kept", {{"why", done.error().text}});
}

void RealEnv::keep_gpu_energy(std::string text) { gpu_energy_.keep(std::move(text)); }

std::string RealEnv::kept_gpu_energy() { return gpu_energy_.read(); }

void RealEnv::keep_records(const std::function<bool(const launch::ExitRecord&)>& keep) {
  if (auto done = proc::shrink_exits(setup_.folders.exits, keep, tell_damage); !done)
    log::warn("exit_records_not_shrunk", {{"why", done.error().text}});
}

}  // namespace wm::node
