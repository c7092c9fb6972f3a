// wmasterd: reads its options and configuration, makes the env, wires the core to it,
// runs the loop until it is told to stop.
#include <netdb.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>
#include <filesystem>
#include <iostream>

#include "daemons/wmasterd/acct/accounting.h"
#include "daemons/wmasterd/acct/archive.h"
#include "daemons/wmasterd/acct/lsb_events.h"
#include "daemons/wmasterd/acct/meters.h"
#include "daemons/wmasterd/acct/metrics.h"
#include "daemons/wmasterd/rim/audit_writer.h"
#include "daemons/wmasterd/rim/begin.h"
#include "daemons/wmasterd/rim/notifier.h"
#include "daemons/wmasterd/rim/peer_limits.h"
#include "daemons/wmasterd/rim/policy_asker.h"
#include "daemons/wmasterd/rim/real_env.h"
#include "daemons/wmasterd/rim/take_over.h"
#include "daemons/wmasterd/rim/watchdog.h"
#include "daemons/wmasterd/state/core.h"
#include "libwm/base/log_behind.h"
#include "libwm/base/options.h"
#include "libwm/conf/folders.h"
#include "libwm/conf/load.h"
#include "libwm/http/metrics_door.h"
#include "libwm/proc/accounts.h"
#include "libwm/proc/ready.h"
#include "libwm/sched/plan_view.h"
#include "libwm/wire/munge.h"

namespace wm::master {
namespace {

constexpr Duration kStall = std::chrono::seconds(1);  // of the loop: then it is told where
constexpr Duration kSample = std::chrono::seconds(60);
constexpr Duration kKeepMeters = std::chrono::hours(24 * 400);
constexpr Duration kBeat = std::chrono::milliseconds(200);

struct Options {
  std::string conf_dir = "/etc/wm";
  bool foreground = false;
  std::string metrics;  ///< where GET /metrics is answered; empty: nowhere
};

constexpr const char* kHelp =
    "wmasterd: the master daemon of a WM cluster (see wmasterd(8))\n"
    "  --conf DIR       configuration directory (WM_CONF_DIR, /etc/wm)\n"
    "  --foreground     log to stderr instead of the log directory\n"
    "  --metrics PLACE  answer GET /metrics there, whatever metrics_address says\n"
    "  --help           this text\n"
    "  --version        version\n";

// Exit status to give at once, or -1 to go on.
int read_options(int argc, char** argv, Options& options) {
  if (const char* dir = std::getenv("WM_CONF_DIR")) options.conf_dir = dir;
  bool help = false, version = false;
  const OptionRow rows[] = {{"--conf", &options.conf_dir},
                            {"--foreground", &options.foreground},
                            {"--metrics", &options.metrics},
                            {"--help", &help},
                            {"--version", &version}};
  if (auto read = wm::read_options(argc, argv, rows); !read) {
    std::cerr << "wmasterd: " << read.error().text << " (see wmasterd --help)\n";
    return 2;
  }
  if (help) return std::cout << kHelp, 0;
  if (version) return std::cout << "wmasterd " WM_VERSION "\n", 0;
  return -1;
}

Result<std::uint32_t> uid_of(const std::string& user) {
  if (user.empty()) return ::getuid();
  auto found = proc::account(user);
  if (!found) return found.error().within("wm.conf");
  return found->uid;
}

// The address to listen on: the one that the others find us by, never more.
Result<std::string> address_of(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found); error != 0)
    return fail(Code::NotFound, "wm.conf: master_host '" + host + "': " + ::gai_strerror(error));
  char text[NI_MAXHOST] = "";
  ::getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST);
  ::freeaddrinfo(found);
  return std::string(text);
}

// Clients are anybody; hosts only the configured account.
wire::ListenOptions listen_options(std::shared_ptr<wire::Credentials> credentials,
                                   std::uint32_t host_uid) {
  wire::ListenOptions options;
  options.link.credentials = std::move(credentials);
  options.link.session.role = wire::Role::Master;
  options.link.session.peers = {{wire::Role::Client, {}}, {wire::Role::Host, host_uid}};
  options.link.room = std::make_shared<wire::PeerRoom>(peer_limits());
  return options;
}

void adopt_client(RealEnv& env, Core& core, Identity who, std::unique_ptr<wire::Link> link) {
  Caller caller{std::move(who), link->proof().credential, link->proof().also_signed};
  env.adopt(
      std::move(link),
      [&core, caller](PeerId peer, std::uint16_t type, const std::string& payload) {
        core.clients().on_frame(peer, caller, type, payload);
      },
      [&core](PeerId peer) { core.clients().on_left(peer); }, true);
}

void adopt(RealEnv& env, Core& core, std::unique_ptr<wire::Link> link) {
  const auto& who = link->identity();
  if (who.role == wire::Role::Host) {
    env.adopt(
        std::move(link),
        [&core](PeerId peer, std::uint16_t type, const std::string& payload) {
          core.hosts().on_frame(peer, type, payload);
        },
        [&core](PeerId peer) { core.hosts().on_left(peer); }, false);
    return;
  }
  Identity user{who.uid.value_or(~0u), who.gid.value_or(~0u), ""};
  // What it asks waits in the link until the name is known.
  auto waiting = std::make_shared<std::unique_ptr<wire::Link>>(std::move(link));
  env.name_of(user.uid, [&env, &core, user, waiting](const std::string& name) {
    adopt_client(env, core, {user.uid, user.gid, name}, std::move(*waiting));
  });
}

// Waits again after each signal, the usual one of daemons for "read your files".
void read_config_at(boost::asio::signal_set& signals, Core& core) {
  signals.async_wait([&](const boost::system::error_code& ended, int) {
    if (ended) return;
    auto read = core.read_config_anew();
    if (read) log::info("config_read");
    else log::warn("config_kept", {{"why", read.error().text}});
    read_config_at(signals, core);
  });
}

// Waits again after each signal: every rotation of the log sends one.
void reopen_log_at(boost::asio::signal_set& signals) {
  signals.async_wait([&signals](const boost::system::error_code& ended, int) {
    if (ended) return;
    log::reopen();
    log::info("log_reopened");
    reopen_log_at(signals);
  });
}

// As long as the loop goes on.
void keep_beating(RealEnv& env, Watchdog& watchdog) {
  watchdog.beat();
  env.after(kBeat, [&env, &watchdog] { keep_beating(env, watchdog); });
}

// What plans ask for, worked out on a worker each minute.
void keep_sampling(RealEnv& env, const Core& core, Meters& meters) {
  auto plans = std::make_shared<std::vector<PlanView>>();
  env.answer([state = core.journal().published_ptr(), plans,
              now = env.wall()] { *plans = sched::view_plans(*state, now); },
             [&env, &meters, plans] { meters.take(*plans, env.wall()); });
  env.after(kSample, [&env, &core, &meters] { keep_sampling(env, core, meters); });
}

// What hosts measure of their use.
void keep_use(const Result<std::unique_ptr<Meters>>& meters, Core& core, RealEnv& env) {
  if (!meters) return log::warn("use_not_kept", {{"why", meters.error().text}});
  core.hosts().on_meter([&kept = **meters, &env](const std::string& host, const HostMeter& words) {
    kept.take(host, words, env.wall());
  });
}

void tell_steps(Meters& meters, const std::vector<Event>& events) {
  for (const auto& event : events)
    if (const auto* step = std::get_if<ClockStepped>(&event.body))
      meters.take(*step, event.time - step->by);
}

void rebuild_acct(Accounting& accounting, RealEnv& env, std::function<void(Result<Seq>)> done) {
  if (auto begun = accounting.begin_rebuild(); !begun) return done(begun.error());
  auto last = std::make_shared<Result<Seq>>(Seq{});
  env.answer([&accounting, last] { *last = accounting.remake(); },
             [&accounting, last, done = std::move(done)] {
               accounting.end_rebuild();
               done(*last);
             });
}

// Folds, from the snapshot on, durable events that a crash kept from getting their rows. When
// the snapshot is newer than the rows, accounting is made again from the history.
Result<void> catch_up(Accounting& accounting, const Core& core, Journal::Began began) {
  const Cluster& state = core.journal().published();
  WM_TRY(auto have, accounting.last_seq());
  if (have > state.seq) {
    log::warn("accounting_ahead", {{"rows_of", have.value}, {"store", state.seq.value}});
    WM_TRY(accounting.step_back(state.seq));
  }
  if (have >= state.seq) return accounting.begin(state, {});
  if (have < began.before.seq) WM_TRY(accounting.rebuild());
  return accounting.begin(std::move(began.before), began.events);
}

// When wmreport last wrote its sums: the newer of the database and its log.
std::int64_t rolled_at(const std::string& state_dir) {
  std::int64_t newest = 0;
  for (const char* file : {"/report.db", "/report.db-wal"}) {
    struct stat st {};
    if (::stat((state_dir + file).c_str(), &st) == 0)
      newest = std::max<std::int64_t>(newest, st.st_mtime);
  }
  return newest;
}

// The text is made on a worker, of the published state and a copy of what was counted.
http::MetricsDoor::Ask metrics_of(RealEnv& env, Core& core, const Accounting& accounting,
                                  const AuditWriter& audit, const Counters& counters,
                                  const std::string& state_dir) {
  return [&](bool open, std::function<void(std::string)> tell) {
    auto text = std::make_shared<std::string>();
    auto counted = counters;
    counted.acct_lag = accounting.lag();
    core.hosts().readings().freeze().each([&](std::uint32_t host, const HostStanding& heard) {
      counted.uses[HostId{host}] = heard.uses;
    });
    counted.clock_steps_s = core.journal().clock_steps_s();
    counted.store = {0,
                     core.journal().works(),
                     env.low_space(),
                     core.journal().deeds_wait(),
                     audit.waiting(),
                     log::lines(),
                     log::lines_lost()};
    env.answer(
        [state = core.journal().published_ptr(), counted = std::move(counted), spent = core.spent(),
         dir = state_dir, open, text]() mutable {
          counted.rolled_at = rolled_at(dir);
          std::error_code none;
          counted.store.free_bytes =
              static_cast<double>(std::filesystem::space(dir, none).available);
          *text = metrics_text(*state, counted, spent, open);
        },
        [text, tell = std::move(tell)] { tell(std::move(*text)); });
  };
}

// `why`: what is said at the end.
void stop_when_outranked(Core& core, const std::string& state_dir, boost::asio::io_context& loop,
                         std::string& why) {
  core.hosts().on_outranked([&, state_dir](const std::string& host, const MasterRank& met) {
    const store::Outranked words{host, met, "", ""};
    why = store::must_not_start(words, core.journal().rank());
    if (auto kept = store::write_outranked(state_dir, words); !kept)
      log::error("outranked_not_kept", {{"why", kept.error().text}});
    loop.stop();
  });
}

ArchiveParts archive_parts(boost::asio::io_context& loop, RealEnv& env,
                           const std::string& state_dir) {
  auto post = [&loop](std::function<void()> act) { boost::asio::post(loop, std::move(act)); };
  return {state_dir, [&env](const std::string& hash) { return env.blob(hash); }, post};
}

// From now on jobs are forgotten once their records are there; the highest number of a run.
std::uint32_t begin_archive(Archive& archive, Core& core, const Journal::Began& began) {
  auto last = archive.last_job();
  archive.begin(core.journal().published(), began.before.seq, began.events,
                [&core] { return core.view_source(); });
  core.set_archive(&archive);
  return last;
}

Result<void> serve(const Options& options) {
  WM_TRY(Config config, conf::load(options.conf_dir, conf::this_host()));
  const auto& conf = config.cluster;
  auto folders = conf::master_folders(conf.dirs);
  if (options.foreground) folders.log.clear();
  WM_TRY(begin_as(conf.master_user, folders));
  WM_TRY(check_state_place(conf.dirs.state, folders));
  log::open("wmasterd", folders.log.empty() ? "" : folders.log + "/wmasterd.log",
            log::level_named(conf.log_level),
            options.foreground ? log::To::File : log::to_named(conf.log_to));
  log::write_behind();
  WM_TRY(auto host_uid, uid_of(conf.host_user));
  std::shared_ptr<wire::Credentials> credentials = wire::munge_credentials(conf.munge_socket);
  boost::asio::io_context loop(1);
  WM_TRY(auto env, RealEnv::make(loop, {options.conf_dir, folders.state, conf.limits.store_reserve,
                                        conf.limits.store_queue, credentials}));
  WM_TRY(auto accounting, Accounting::open(folders.state));
  WM_TRY(auto audit, AuditWriter::open(folders.state, [&loop](std::function<void()> act) {
           boost::asio::post(loop, std::move(act));
         }));
  Archive archive(archive_parts(loop, *env, folders.state));
  GatedPeers to_clients(*env, *audit);
  LsbEvents lsb_events;
  Notifier notifier(folders.state + "/notices.mark");
  auto meters = Meters::open(folders.state, kKeepMeters);
  Core core(
      *env, Rights{{0u, ::getuid()}},
      [&](const AcctRequest& request) { return accounting->history(request); },
      [&](const std::vector<Event>& events, const Cluster& after) {
        accounting->take(events, after);
        archive.take(events, env->mono());
        const auto& journal = core.journal();
        if (journal.newest().seq == after.seq)
          accounting->idle(env->wall(), core.keep_accounting());
        lsb_events.take(events, after);
        notifier.take(events, after);
        if (meters) tell_steps(**meters, events);
      },
      &to_clients);
  core.clients().set_accounting(
      [&](auto done) { rebuild_acct(*accounting, *env, std::move(done)); },
      [&](const AcctRequest& request) { return accounting->account(request); });
  keep_use(meters, core, *env);
  PolicyAsker policies(loop, host_uid == ::geteuid() ? "" : conf::policy_socket(conf.dirs));
  core.clients().set_policy(policies.asker());
  core.clients().set_audit({[&](AuditEntry entry) { audit->keep(std::move(entry)); },
                            [&](const AuditRequest& request) { return audit->reply(request); }});
  Journal::Began began;
  WM_TRY(core.start(&began));
  notifier.begin(began.events, core.journal().published());
  WM_TRY(auto accounted, accounting->last_job());
  accounted = std::max(accounted, begin_archive(archive, core, began));
  WM_TRY(catch_up(*accounting, core, std::move(began)));
  WM_TRY(settle_outranked(folders.state, core, loop, accounted));
  std::string outranked;
  stop_when_outranked(core, folders.state, loop, outranked);
  Counters counters;
  std::unique_ptr<http::MetricsDoor> metrics;
  const auto& place = options.metrics.empty() ? conf.monitor.metrics : options.metrics;
  if (!place.empty()) {
    accounting->watch(
        [&](const Event& e, const store::AcctRows& rows) { counters.count(e, rows); });
    auto ask = metrics_of(*env, core, *accounting, *audit, counters, folders.state);
    WM_TRY(metrics, http::MetricsDoor::open(loop, place, std::move(ask)));
    log::info("metrics", {{"at", metrics->place()}});
  }
  wire::Transport transport(loop);
  WM_TRY(auto address, address_of(conf.master_host));
  WM_TRY(auto listener,
         transport.listen(
             {address, static_cast<std::uint16_t>(conf.master_port), ""},
             listen_options(credentials, host_uid),
             [&](std::unique_ptr<wire::Link> link) { adopt(*env, core, std::move(link)); }));
  boost::asio::signal_set signals(loop, SIGTERM, SIGINT);
  signals.async_wait([&](const boost::system::error_code&, int) { loop.stop(); });
  boost::asio::signal_set rotated(loop, SIGUSR2), changed(loop, SIGHUP);
  reopen_log_at(rotated);
  read_config_at(changed, core);
  Watchdog watchdog(kStall, log_stall);  // from now on: reading the state may take long
  keep_beating(*env, watchdog);
  if (meters) keep_sampling(*env, core, **meters);
  proc::tell_ready();
  log::info("listening",
            {{"address", wire::to_string(listener->endpoint())}, {"cluster", conf.name}});
  loop.run();
  log::info("stopping");
  listener.reset();
  metrics.reset();
  env->stop();
  accounting.reset();
  if (!outranked.empty()) return fail(Code::Conflict, outranked);
  return {};
}

}  // namespace
}  // namespace wm::master

int main(int argc, char** argv) {
  using namespace wm::master;
  std::signal(SIGPIPE, SIG_IGN);
  Options options;
  if (int status = read_options(argc, argv, options); status >= 0) return status;
  auto served = serve(options);
  wm::log::finish();
  if (served) return 0;
  wm::log::error("stopped", {{"why", served.error().text}});
  std::cerr << "wmasterd: " << served.error().text << "\n";
  return 1;
}
