#include "daemons/wmasterd/state/core.h"

#include <algorithm>

#include "daemons/wmasterd/acct/archive.h"
#include "daemons/wmasterd/state/event_log.h"
#include "daemons/wmasterd/state/purge.h"
#include "libwm/base/log.h"
#include "libwm/fsm/reconfig.h"

namespace wm::master {
namespace {

// Sooner where submissions are refused for want of room: it may be there again.
constexpr Duration kTidyEvery = std::chrono::minutes(1), kTidyFullEvery = std::chrono::seconds(2);
// At a tick: so that a million jobs are looked through within half a minute, a little at a time.
constexpr std::size_t kLookedAtOnce = 10000, kPurgedAtOnce = 250;
/// A client that was not heard while the master was down may repeat a request: replies are kept so
/// long at least, and all of them so long after a start.
constexpr Duration kRepliesKept = std::chrono::hours(1);
constexpr Duration kRepeatsCome = std::chrono::minutes(10);

Env answering(const Env& env, Peers* peers) {
  return {env.clock, peers ? *peers : env.peers, env.store, env.workers, env.processes, env.keys};
}

}  // namespace

Core::Core(const Env& env, Rights rights, AcctReading<HistoryReply> history, OnEvents on_events,
           Peers* to_clients)
    : env_(env),
      on_events_(std::move(on_events)),
      journal_(env.clock, env.store, [this](const Journal::Published& p) { on_published(p); }),
      cycle_(env, journal_),
      hosts_(env, journal_),
      searches_(env, journal_),
      clients_({answering(env, to_clients), journal_, hosts_, cycle_, std::move(rights),
                std::move(history), nullptr, nullptr, &searches_}),
      dates_(env.clock, journal_, cycle_, hosts_.attended()),
      fence_(env.clock, env.processes, journal_, hosts_.attended()) {}

Result<void> Core::start(Journal::Began* began) {
  WM_TRY(journal_.start(began));
  WM_TRY(read_config_anew());
  started_ = env_.clock.mono();
  hosts_.on_start();
  clients_.on_start();
  dates_.on_reload();
  searches_.on_reload();
  log::info("started", {{"seq", journal_.newest().seq.value}});
  act(fsm::react(journal_.published(), fsm::touch_everything(journal_.published())));
  env_.clock.after(kTick, [this] { tick(); });
  return {};
}

Result<void> Core::read_config_anew() {
  WM_TRY(Config config, env_.store.read_config());
  if (*journal_.newest().config == config) return {};
  auto loaded = std::make_shared<const Config>(std::move(config));
  journal_.propose({fsm::reconfigured(journal_.newest(), loaded), {}, {}, nullptr});
  return {};
}

void Core::on_published(const Journal::Published& published) {
  for (const auto& event : published.events) {
    log::write_list(event_level(event.body), event_name(event.body),
                    event_fields(event, journal_.published()));
    if (auto* loaded = std::get_if<ConfigLoaded>(&event.body))
      log::set_level(log::level_named(loaded->config->cluster.log_level));
    // One that was declared dead and is heard all the same has to say everything again.
    if (auto* died = std::get_if<HostDied>(&event.body)) hosts_.end_session(died->host);
  }
  if (!published.events.empty()) on_events_(published.events, journal_.published());
  bool rearranged =
      std::any_of(published.events.begin(), published.events.end(), [](const Event& event) {
        return std::holds_alternative<ReservationSet>(event.body) ||
               std::holds_alternative<ReservationRemoved>(event.body) ||
               std::holds_alternative<ClockStepped>(event.body) ||
               std::holds_alternative<ConfigLoaded>(event.body);
      });
  if (published.reloaded || rearranged) dates_.on_reload();
  else dates_.on_jobs_changed(published.touched.jobs);
  if (published.reloaded) searches_.on_reload();
  else searches_.on_jobs_changed(published.touched.jobs);
  if (published.reloaded) hosts_.ordering().on_reload();
  else hosts_.ordering().on_jobs_changed(published.touched.jobs);
  act(fsm::react(journal_.published(), published.touched));
  clients_.on_published(published);
  if (!published.touched.jobs.empty() && dates_.any_dependent()) cycle_.wake();
}

void Core::act(const Actions& actions) {
  for (const auto& action : actions) {
    if (auto* order = std::get_if<OrderHost>(&action)) hosts_.ordering().order(*order);
    else if (auto* agents = std::get_if<OrderAgents>(&action))
      hosts_.ordering().order_agents(agents->job);
    else cycle_.wake();
  }
}

void Core::tick() {
  hosts_.on_tick();
  cycle_.record_waits();
  on_events_({}, journal_.published());
  dates_.on_tick();
  look_at_windows();
  look_at_load();
  searches_.on_tick();
  fence_.on_tick();
  tidy();
  purge();
  env_.clock.after(kTick, [this] { tick(); });
}

// What a window brings has come about before the next is looked at: that begins where it ended.
void Core::look_at_windows() {
  closing_.on_tick();
  auto now = journal_.deed_time();
  if (!now || !closing_.idle()) return;
  auto changes = windows_.changes(journal_.newest(), *now);
  for (const auto& [id, signal] : changes.signals)
    if (const Job* job = find_job(journal_.newest(), id)) hosts_.ordering().signal(*job, signal);
  closing_.add(std::move(changes.events));
}

void Core::look_at_load() {
  constexpr Duration kEvery = std::chrono::seconds(1);
  const Cluster& state = journal_.newest();
  if (loads_.idle(*state.config) || env_.clock.mono() - load_seen_ < kEvery) return;
  load_seen_ = env_.clock.mono();
  auto events = loads_.look(state, hosts_.readings().freeze(), env_.clock.wall());
  cycle_.set_loaded(loads_.loaded());
  state.hosts.each([&](std::uint32_t, const Host& host) {
    hosts_.readings().set_busy(host.id, loads_.why_busy(host.id));
  });
  if (!events.empty()) journal_.propose({std::move(events), {}, {}, nullptr});
}

Duration Core::keep_accounting() const {
  return journal_.deeds_wait() ? Duration{} : journal_.newest().config->cluster.monitor.acct_keep;
}

void Core::tidy() {
  auto every = env_.store.low_space() ? kTidyFullEvery : kTidyEvery;
  if (env_.clock.mono() - tidied_ <= every) return;
  tidied_ = env_.clock.mono();
  const auto& conf = journal_.newest().config->cluster;
  bool young = env_.clock.mono() - started_ < kRepeatsCome;
  auto now = journal_.deed_time();
  auto ago = [&](Duration keep) { return now ? *now - keep : WallTime{}; };
  if (archive_) archive_->forget(*journal_.newest().config, now);
  bool drops = conf.monitor.history_keep > Duration{};
  env_.store.tidy_store(young ? WallTime{} : ago(std::max(conf.times.clean_period, kRepliesKept)),
                        drops ? ago(conf.monitor.history_keep) : WallTime{});
}

ViewSource Core::view_source() {
  ViewSource all{journal_.published_ptr(), cycle_.reasons(), hosts_.readings().freeze(),
                 hosts_.progress(), hosts_.meetings()};
  all.waits = searches_.waits();
  return all;
}

void Core::purge() {
  const Cluster& state = journal_.newest();
  Duration visible = state.config->cluster.times.clean_period;
  auto now = journal_.deed_time();
  if (!now) return;
  auto found = purgeable(state, *now - visible, {purged_, kLookedAtOnce, kPurgedAtOnce});
  purged_ = found.next;
  if (found.jobs.empty()) return;
  auto needed = dates_.depended_on();
  std::vector<EventBody> events;
  for (JobId id : found.jobs) {
    if (needed.count(id.job) || (archive_ && !archive_->holds(state, id))) continue;
    hosts_.forget(id);
    events.push_back(JobPurged{id});
  }
  if (!events.empty()) journal_.propose({std::move(events), {}, {}, nullptr});
}

}  // namespace wm::master
