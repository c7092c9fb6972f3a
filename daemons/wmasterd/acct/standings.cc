#include "daemons/wmasterd/acct/standings.h"

#include <algorithm>
#include <set>

#include "libwm/model/gpu_use.h"

namespace wm::master {
namespace {

std::string host_state(const Host& host) {
  if (host.state == HostState::Silent) return "silent";
  if (host.state == HostState::Dead) return "dead";
  return host.closed ? "closed" : "ok";
}

// Why it stands so, as its event says.
struct Cause {
  std::string by, why;
};

Cause cause_of(const Host& host, const Event& event) {
  if (host.state == HostState::Dead)
    if (const auto* died = std::get_if<HostDied>(&event.body)) return {died->by, died->why};
  if (host.state == HostState::Ok && host.closed) return {host.closed_by, host.closed_why};
  return {};
}

/// The rows of one event.
class Step {
 public:
  Step(Standings& standings, const Event& event, const Cluster& after, store::AcctRows& rows)
      : standings_(standings), event_(event), after_(after), rows_(rows) {}

  void host(const Host& host) {
    store::HostSpanRow row;
    row.host = host.name;
    row.state = host_state(host);
    auto cause = cause_of(host, event_);
    auto known = standings_.hosts.find(host.name);
    if (known != standings_.hosts.end() && known->second.state == row.state && cause.by.empty())
      cause = {known->second.by, known->second.why};
    row.by = cause.by;
    row.why = cause.why;
    row.slots = std::int64_t{host.capacity.slots} * 1000;
    row.milli_cpus = static_cast<std::int64_t>(milli_cpus_to_give(host.capacity));
    row.mem = host.capacity.mem;
    put(standings_.hosts, row.host, row, rows_.hosts);
    gpus(host);
  }

  // What hosts.conf names and nobody has seen counts as down, as far as it says how large it is.
  void absent(const HostConf& conf) {
    store::HostSpanRow row;
    row.host = conf.name;
    row.state = "absent";
    row.slots = std::int64_t{conf.slots} * 1000;
    row.milli_cpus = std::max<std::int64_t>(conf.cpus, conf.slots) * 1000;
    row.mem = conf.mem;
    put(standings_.hosts, row.host, row, rows_.hosts);
  }

  void hosts() {
    std::set<std::string> there;
    after_.hosts.each([&](std::uint32_t, const Host& seen) {
      there.insert(seen.name);
      host(seen);
    });
    for (const auto& conf : after_.config->hosts)
      if (there.insert(conf.name).second) absent(conf);
    end_others(standings_.hosts, there, rows_.hosts);
  }

  void plans(const Config& config) {
    std::set<std::string> there;
    for (const auto& plan : config.plans) {
      there.insert(plan.path);
      store::PlanSpanRow row;
      row.path = plan.path;
      row.shares = plan.shares;
      row.owns = plan.owns;
      row.limit = plan.limit ? std::int64_t{*plan.limit} : -1;
      row.lend = plan.lend ? std::int64_t{*plan.lend} : -1;
      put(standings_.plans, row.path, row, rows_.plans);
    }
    end_others(standings_.plans, there, rows_.plans);
  }

  // The clock was set: every row ends by the clock of before and lasts on by that of now.
  void move_along(Duration by) {
    move_along(standings_.hosts, by, rows_.hosts);
    move_along(standings_.gpus, by, rows_.gpus);
    move_along(standings_.plans, by, rows_.plans);
  }

 private:
  template <class Map, class Row>
  void move_along(Map& lasting, Duration by, std::vector<Row>& rows) {
    for (auto& [key, row] : lasting) {
      auto before = row;
      before.until = event_.time - by;
      if (before.since < before.until) rows.push_back(before);
      row.since = event_.time;
      row.seq = event_.seq;
      rows.push_back(row);
    }
  }
  void gpus(const Host& host) {
    std::set<std::pair<std::string, std::string>> there;
    for (std::size_t i = 0; i < host.capacity.gpus.size(); ++i) {
      const auto& gpu = host.capacity.gpus[i];
      const GpuMark* mark = gpu_mark(host, i);
      store::GpuSpanRow row;
      row.host = host.name;
      row.uuid = gpu.uuid;
      row.idx = static_cast<std::uint32_t>(i);
      row.model = gpu.model;
      row.gpueq = whole_gpu_part(host.capacity.gpus, i);
      row.state = !mark || !mark->aside() ? "ok" : mark->sick ? "sick" : "closed";
      if (mark && mark->aside()) row.why = mark->sick ? mark->sick_why : mark->closed_why;
      std::pair key(host.name, gpu.uuid);
      there.insert(key);
      put(standings_.gpus, key, row, rows_.gpus);
    }
    auto first = standings_.gpus.lower_bound({host.name, ""});
    for (auto at = first; at != standings_.gpus.end() && at->first.first == host.name;)
      at = there.contains(at->first) ? std::next(at) : end(standings_.gpus, at, rows_.gpus);
  }

  // A row that says what the one that lasts says is no news.
  template <class Map, class Row>
  void put(Map& lasting, const typename Map::key_type& key, Row row, std::vector<Row>& rows) {
    row.since = event_.time;
    row.seq = event_.seq;
    auto at = lasting.find(key);
    if (at != lasting.end()) {
      Row same = row;
      same.since = at->second.since;
      same.seq = at->second.seq;
      if (same == at->second) return;
      if (at->second.since < event_.time) {
        at->second.until = event_.time;
        rows.push_back(at->second);
      }
    }
    lasting[key] = row;
    rows.push_back(std::move(row));
  }
  template <class Map, class Row>
  typename Map::iterator end(Map& lasting, typename Map::iterator at, std::vector<Row>& rows) {
    at->second.until = event_.time;
    rows.push_back(at->second);
    return lasting.erase(at);
  }
  template <class Map, class Row>
  void end_others(Map& lasting, const std::set<std::string>& there, std::vector<Row>& rows) {
    for (auto at = lasting.begin(); at != lasting.end();)
      at = there.contains(at->first) ? std::next(at) : end(lasting, at, rows);
  }

  Standings& standings_;
  const Event& event_;
  const Cluster& after_;
  store::AcctRows& rows_;
};

// The host with the standing that the event changes; none for other events.
HostId host_in(const EventBody& body) {
  return std::visit(
      [](const auto& e) {
        using E = std::decay_t<decltype(e)>;
        if constexpr (std::is_same_v<E, HostRegistered> || std::is_same_v<E, HostSilent> ||
                      std::is_same_v<E, HostHeard> || std::is_same_v<E, HostDied> ||
                      std::is_same_v<E, HostClosed> || std::is_same_v<E, HostOpened> ||
                      std::is_same_v<E, GpuMarked>)
          return e.host;
        else return HostId{};
      },
      body);
}

}  // namespace

Standings standings_from(const store::AcctRows& lasting) {
  Standings standings;
  for (const auto& row : lasting.hosts) standings.hosts[row.host] = row;
  for (const auto& row : lasting.gpus) standings.gpus[{row.host, row.uuid}] = row;
  for (const auto& row : lasting.plans) standings.plans[row.path] = row;
  // A file of an older version has none of them.
  standings.review = lasting.seq.value > 0 && lasting.hosts.empty();
  return standings;
}

void fold_standings(Standings& standings, const Event& event, const Cluster& after,
                    store::AcctRows& rows) {
  Step step(standings, event, after, rows);
  const auto* loaded = std::get_if<ConfigLoaded>(&event.body);
  if (loaded || standings.review) {
    step.hosts();
    step.plans(loaded ? *loaded->config : *after.config);
    standings.review = false;
    return;
  }
  if (const auto* set = std::get_if<ClockStepped>(&event.body)) return step.move_along(set->by);
  HostId id = host_in(event.body);
  const Host* host = id ? after.hosts.find(id.value) : nullptr;
  if (host) step.host(*host);
}

}  // namespace wm::master
