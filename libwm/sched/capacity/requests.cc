#include "libwm/sched/capacity/requests.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <utility>

#include "libwm/expr/resreq.h"
#include "libwm/sched/capacity/host_rules.h"

namespace wm::sched {
namespace {

PlaceBy place_of(const JobSpec& spec, const Config& config) {
  const AppConf* app = config.app(spec.app);
  if (app && app->place) return *app->place;
  const QueueConf* queue = config.queue(spec.queue);
  return queue ? queue->place : PlaceBy::Pack;
}

std::string key_of(const JobSpec& spec, const std::vector<HostId>& excluded) {
  std::string key;
  auto add = [&](const std::string& word) { key.append(word).push_back('\0'); };
  auto number = [&](std::int64_t n) { add(std::to_string(n)); };
  for (const auto* word : {&spec.queue, &spec.asked.select, &spec.task.gpu_model}) add(*word);
  number(spec.task.milli_cpus);
  number(spec.task.mem.value);
  number(spec.task.milli_gpus);
  number(spec.task.mem_per_host * 8 + spec.task.gpus_per_host * 4 + spec.span.one_host * 2 +
         spec.exclusive);
  number(spec.span.ptile);
  number(spec.span.block);
  add(spec.app);
  add(spec.asked.resreq);
  const TaskRequest& task = spec.task;
  for (const auto* word : {&task.gpu_vendor, &task.gpu_mig}) add(*word);
  number(task.gpu_mem.value);
  number(task.gpu_shared * 4 + task.gpu_linked * 2 + task.gpu_pack);
  number(task.gpu_tile);
  number(task.mps_uid ? std::int64_t{*task.mps_uid} : -1);
  for (const auto& host : spec.asked.hosts) add(host);
  add("");
  for (HostId host : excluded) number(host.value);
  return key;
}

bool same_request(const JobSpec& a, const JobSpec& b) {
  return a.task == b.task && a.span == b.span && a.exclusive == b.exclusive && a.queue == b.queue &&
         a.asked.select == b.asked.select && a.asked.hosts == b.asked.hosts && a.app == b.app &&
         a.asked.resreq == b.asked.resreq;
}

using Keys = std::vector<std::vector<double>>;

// LSF: the least loaded and the fullest first; of what there is to have the most first.
const std::set<std::string_view> kLeastFirst = {"r15s", "r1m", "r15m", "ut",
                                                "pg",   "io",  "ls",   "slots"};

// order[]: by host, what its terms are worth; smaller goes first. Texts do not order.
Keys order_keys(const std::vector<expr::OrderTerm>& order, const Config& config,
                const std::vector<HostCapacity>& rooms) {
  Keys keys(rooms.size());
  for (std::size_t i = 0; i < rooms.size() && !order.empty(); ++i) {
    const Host& host = *rooms[i].host;
    for (const auto& term : order) {
      bool load = kLeastFirst.count(term.resource) > 0;
      auto value = expr::host_value(host, config.host(host.name), term.resource);
      auto* number = value ? std::get_if<double>(&*value) : nullptr;
      double rising = number ? *number : 0;
      keys[i].push_back(load != term.descending ? rising : -rising);
    }
  }
  return keys;
}

// same[]: rooms with equal values of all names get equal numbers.
std::vector<std::uint32_t> same_groups(const std::vector<std::string>& names, const Config& config,
                                       const std::vector<HostCapacity>& rooms) {
  std::map<std::vector<std::optional<expr::Value>>, std::uint32_t> known;
  std::vector<std::uint32_t> groups;
  for (const HostCapacity& room : rooms) {
    std::vector<std::optional<expr::Value>> values;
    for (const auto& name : names)
      values.push_back(expr::host_value(*room.host, config.host(room.host->name), name));
    auto [it, is_new] =
        known.try_emplace(std::move(values), static_cast<std::uint32_t>(known.size()));
    groups.push_back(it->second);
  }
  return groups;
}

UnitRule unit_rule(const std::map<std::string, std::string>& cu, const Config& config) {
  UnitRule rule;
  rule.any = !cu.empty();
  auto word = [&](const char* key) {
    auto it = cu.find(key);
    return it == cu.end() ? std::string() : it->second;
  };
  auto count = [&](const char* key) {
    return static_cast<std::uint32_t>(std::strtoul(word(key).c_str(), nullptr, 10));
  };
  rule.level = static_cast<std::uint32_t>(std::max(0, unit_level(config, word("type"))));
  rule.max_units = count("maxcus");
  rule.least_slots = count("usablecuslots");
  rule.balance = cu.count("balance") > 0;
  rule.exclusive = cu.count("excl") > 0;
  if (word("pref") == "minavail") rule.pref = UnitPref::MinAvail;
  if (word("pref") == "maxavail") rule.pref = UnitPref::MaxAvail;
  return rule;
}

Placing placing_of(PlaceBy place) {
  if (place == PlaceBy::Spread) return Placing::Spread;
  return place == PlaceBy::Topology ? Placing::Topology : Placing::Pack;
}

// What nobody can mend goes first: an excluded host that is opened is of no use.
Suits suits(const Request& request, const HostRules& rules, const Host& host) {
  if (!rules.asks_for(host)) return Suits::NotAsked;
  if (!rules.meet(host)) return Suits::Lacks;
  const auto& excluded = request.excluded;
  if (std::binary_search(excluded.begin(), excluded.end(), host.id)) return Suits::Excluded;
  if (host.state != HostState::Ok) return Suits::Silent;
  if (host.closed) return Suits::Closed;
  return request.busy && request.busy->contains(host.id) ? Suits::Busy : Suits::Yes;
}

std::uint32_t& counter_of(Removed& removed, Suits why) {
  if (why == Suits::NotAsked) return removed.not_asked;
  if (why == Suits::Lacks) return removed.requirement;
  if (why == Suits::Excluded) return removed.excluded;
  if (why == Suits::Busy) return removed.busy;
  return why == Suits::Silent ? removed.silent : removed.closed;
}

void find_hosts(Request& request, const Config& config, const std::vector<HostCapacity>& rooms) {
  HostRules rules(*request.spec, config);
  std::vector<int> preference(rooms.size());
  request.hosts.clear();
  request.removed = {};
  request.suits.assign(rooms.size(), Suits::Yes);
  for (std::uint32_t i = 0; i < rooms.size(); ++i) {
    const Host& host = *rooms[i].host;
    preference[i] = rules.preference(host);
    request.suits[i] = suits(request, rules, host);
    if (request.suits[i] == Suits::Yes) request.hosts.push_back(i);
    else ++counter_of(request.removed, request.suits[i]);
  }
  set_layout(request, config, rooms, preference);
}

// Of a request for which each host counts by itself.
void judge_again(Request& request, const HostRules& rules, std::uint32_t at, const Host& host) {
  Suits before = std::exchange(request.suits[at], suits(request, rules, host));
  Suits after = request.suits[at];
  if (before == after) return;
  auto& hosts = request.hosts;
  auto place = std::lower_bound(hosts.begin(), hosts.end(), at);
  if (before == Suits::Yes) hosts.erase(place);
  else --counter_of(request.removed, before);
  if (after == Suits::Yes) hosts.insert(place, at);
  else ++counter_of(request.removed, after);
}

}  // namespace

void set_layout(Request& request, const Config& config, const std::vector<HostCapacity>& rooms,
                const std::vector<int>& preference) {
  request.placing = placing_of(place_of(*request.spec, config));
  auto parsed = expr::parse_resreq(request.spec->asked.resreq);
  expr::ResReq req = parsed ? std::move(*parsed) : expr::ResReq();
  bool prefers = std::any_of(preference.begin(), preference.end(), [](int p) { return p > 0; });
  if (prefers || !req.order.empty()) {
    request.placing = Placing::InOrder;
    auto keys = order_keys(req.order, config, rooms);
    std::stable_sort(request.hosts.begin(), request.hosts.end(), [&](auto a, auto b) {
      return preference[a] != preference[b] ? preference[a] > preference[b] : keys[a] < keys[b];
    });
  }
  request.unit = unit_rule(req.cu, config);
  if (!req.same.empty()) request.groups = same_groups(req.same, config, rooms);
}

// Most clusters see few kinds of requests: comparing with those beats building a key.
std::optional<std::uint32_t> Requests::find(const JobSpec& spec,
                                            const std::vector<HostId>& excluded) const {
  constexpr std::size_t kCompared = 32;
  for (std::size_t i = 0; i < std::min(size(), kCompared); ++i) {
    const Request& request = requests_[i];
    if (request.excluded == excluded && same_request(*request.spec, spec))
      return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

std::uint32_t Requests::intern(const JobSpec& spec, const std::vector<HostCapacity>& rooms,
                               const std::vector<HostId>& excluded) {
  if (auto known = find(spec, excluded)) return *known;
  auto next = static_cast<std::uint32_t>(size());
  auto [it, is_new] = numbers_.try_emplace(key_of(spec, excluded), next);
  if (is_new) {
    Request request;
    request.spec = std::make_shared<const JobSpec>(spec);
    request.queue = config_->queue(spec.queue);
    request.excluded = excluded;
    request.busy = busy_for(spec.queue);
    find_hosts(request, *config_, rooms);
    requests_.push_back(std::move(request));
  }
  return it->second;
}

const std::map<HostId, std::string>* Requests::busy_for(const std::string& queue) const {
  if (!loaded_) return nullptr;
  auto at = loaded_->find(queue);
  return at == loaded_->end() ? nullptr : &at->second;
}

std::vector<std::uint32_t> Requests::set_loaded(std::shared_ptr<const LoadedHosts> loaded,
                                                const std::vector<HostCapacity>& rooms) {
  std::vector<std::uint32_t> changed;
  if (loaded == loaded_) return changed;
  const auto before = std::exchange(loaded_, std::move(loaded));  // what requests borrow till now
  std::set<std::uint32_t> all;
  for (Request& request : requests_) {
    const auto* was = std::exchange(request.busy, busy_for(request.spec->queue));
    if (!was && !request.busy) continue;
    find_hosts(request, *config_, rooms);
    for (std::uint32_t at = 0; at < rooms.size(); ++at) {
      bool concerned = (was && was->contains(rooms[at].id)) ||
                       (request.busy && request.busy->contains(rooms[at].id));
      if (concerned) all.insert(at);
    }
  }
  changed.assign(all.begin(), all.end());
  return changed;
}

void Requests::refresh(const HostChanges& changes, const std::vector<HostCapacity>& rooms) {
  for (Request& request : requests_) {
    if (request.placing == Placing::InOrder || request.binds()) {
      find_hosts(request, *config_, rooms);
      continue;
    }
    // What is used of a host counts where an expression may ask for it.
    const auto& changed = request.spec->asked.select.empty() ? changes.kind : changes.any;
    if (changed.empty()) continue;
    HostRules rules(*request.spec, *config_);
    for (std::uint32_t at : changed) judge_again(request, rules, at, *rooms[at].host);
  }
}

}  // namespace wm::sched
