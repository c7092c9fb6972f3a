#include "libwm/sched/feasible.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>
#include <utility>

#include "libwm/expr/asked_hosts.h"
#include "libwm/expr/explain.h"
#include "libwm/expr/resreq.h"

namespace wm::sched {
namespace {

bool names_host(const std::vector<std::string>& names, const Config& config, const Host& host) {
  auto named = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (named(host.name) || named("all")) return true;
  const HostConf* conf = config.host(host.name);
  return conf && std::any_of(conf->groups.begin(), conf->groups.end(), named);
}

// The host as if nothing ran on it.
Host emptied(Host host) {
  host.used_slots = host.used_milli_cpus = host.stuck_slots = 0;
  host.used_mem = Bytes{0};
  host.gpu_owners.clear();
  host.gpu_shares.clear();
  host.gpu_marks.clear();
  return host;
}

// A job's rules for hosts, its expressions parsed once. A broken expression fits nowhere.
class HostRules {
 public:
  HostRules(const JobSpec& spec, const Config& config)
      : spec_(spec),
        config_(config),
        queue_(config.queue(spec.queue)),
        select_(expr::Select::parse(spec.select)),
        asked_(expr::parse_asked_hosts(spec.ask_hosts)),
        takes_any_(spec.ask_hosts.empty() && (!queue_ || queue_->hosts.empty())) {}

  /// -m's number for the host, expr::kNotAsked when it or the queue leaves the host out.
  int preference(const Host& host) const {
    static const std::vector<std::string> kNoGroups;
    if (takes_any_) return 0;
    bool open = !queue_ || queue_->hosts.empty() || names_host(queue_->hosts, config_, host);
    if (!open || !asked_) return expr::kNotAsked;
    const HostConf* conf = config_.host(host.name);
    return expr::preference_of(*asked_, host.name, conf ? conf->groups : kNoGroups);
  }
  bool asks_for(const Host& host) const { return preference(host) != expr::kNotAsked; }
  bool selects(const Host& host) const {
    return select_ && (select_->empty() || select_->matches(lookup(host)));
  }
  bool meet(const Host& host) const { return fits_bare(host, spec_.task) && selects(host); }
  /// As if nothing ran on it.
  bool meet_empty(const Host& host) const {
    if (!fits_bare(host, spec_.task)) return false;
    return select_ && (select_->empty() || selects(emptied(host)));
  }
  expr::Lookup lookup(const Host& host) const {
    return [&host, conf = config_.host(host.name)](std::string_view name) {
      return expr::host_value(host, conf, name);
    };
  }
  const JobSpec& spec() const { return spec_; }

 private:
  const JobSpec& spec_;
  const Config& config_;
  const QueueConf* queue_;
  Result<expr::Select> select_;
  Result<std::vector<expr::AskedHost>> asked_;
  bool takes_any_;
};

const std::string& place_word(const JobSpec& spec, const Config& config) {
  static const std::string kPack = "pack";
  const AppConf* app = config.app(spec.app);
  if (app && app->place != "queue") return app->place;
  const QueueConf* queue = config.queue(spec.queue);
  return queue ? queue->place : kPack;
}

std::string key_of(const JobSpec& spec, const std::vector<HostId>& excluded) {
  std::string key;
  auto add = [&](const std::string& word) { key.append(word).push_back('\0'); };
  auto number = [&](std::int64_t n) { add(std::to_string(n)); };
  for (const auto* word : {&spec.queue, &spec.select, &spec.task.gpu_model}) add(*word);
  number(spec.task.milli_cpus);
  number(spec.task.mem.value);
  number(spec.task.milli_gpus);
  number(spec.task.gpus_per_host * 4 + spec.span.one_host * 2 + spec.exclusive);
  number(spec.span.ptile);
  number(spec.span.block);
  add(spec.app);
  add(spec.resreq);
  const TaskRequest& task = spec.task;
  for (const auto* word : {&task.gpu_vendor, &task.gpu_mig}) add(*word);
  number(task.gpu_mem.value);
  number(task.gpu_shared * 4 + task.gpu_linked * 2 + task.gpu_pack);
  number(task.gpu_tile);
  number(task.mps_uid ? std::int64_t{*task.mps_uid} : -1);
  for (const auto& host : spec.ask_hosts) add(host);
  add("");
  for (HostId host : excluded) number(host.value);
  return key;
}

bool same_request(const JobSpec& a, const JobSpec& b) {
  return a.task == b.task && a.span == b.span && a.exclusive == b.exclusive && a.queue == b.queue &&
         a.select == b.select && a.ask_hosts == b.ask_hosts && a.app == b.app &&
         a.resreq == b.resreq;
}

// ---- how hosts relate to each other ---------------------------------------------------------

using Keys = std::vector<std::vector<double>>;

// LSF: the least loaded and the fullest first; of what there is to have the most first.
const std::set<std::string_view> kLeastFirst = {"r15s", "r1m", "r15m", "ut",
                                                "pg",   "io",  "ls",   "slots"};

// order[]: by host, what its terms are worth; smaller goes first. Texts do not order.
Keys order_keys(const std::vector<expr::OrderTerm>& order, const Config& config,
                const std::vector<Room>& rooms) {
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
                                       const std::vector<Room>& rooms) {
  std::map<std::vector<std::optional<expr::Value>>, std::uint32_t> known;
  std::vector<std::uint32_t> groups;
  for (const Room& room : rooms) {
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

Placing placing_of(const std::string& word) {
  if (word == "spread") return Placing::Spread;
  return word == "topology" ? Placing::Topology : Placing::Pack;
}

// Prefers hosts as -m and order[] say, and notes what binds hosts to each other.
void set_layout(Request& request, const Config& config, const std::vector<Room>& rooms,
                const std::vector<int>& preference) {
  request.placing = placing_of(place_word(*request.spec, config));
  auto parsed = expr::parse_resreq(request.spec->resreq);
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

// What nobody can mend goes first: an excluded host that is opened is of no use.
Suits suits(const Request& request, const HostRules& rules, const Host& host) {
  if (!rules.asks_for(host)) return Suits::NotAsked;
  if (!rules.meet(host)) return Suits::Lacks;
  const auto& excluded = request.excluded;
  if (std::binary_search(excluded.begin(), excluded.end(), host.id)) return Suits::Excluded;
  if (host.state != HostState::Ok) return Suits::Silent;
  return host.closed ? Suits::Closed : Suits::Yes;
}

std::uint32_t& count_of(Removed& removed, Suits why) {
  if (why == Suits::NotAsked) return removed.not_asked;
  if (why == Suits::Lacks) return removed.requirement;
  if (why == Suits::Excluded) return removed.excluded;
  return why == Suits::Silent ? removed.silent : removed.closed;
}

void find_hosts(Request& request, const Config& config, const std::vector<Room>& rooms) {
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
    else ++count_of(request.removed, request.suits[i]);
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
  else --count_of(request.removed, before);
  if (after == Suits::Yes) hosts.insert(place, at);
  else ++count_of(request.removed, after);
}

// ---- never ---------------------------------------------------------------------------------

std::string count_of(std::int64_t n, const std::string& what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

std::string describe(const JobSpec& spec) {
  std::string text = count_of(spec.min_tasks, "task");
  if (spec.task.milli_gpus > 0) {
    text += " with " + count_of(gpus_of(spec.task), "GPU");
    if (!spec.task.gpu_model.empty()) text += " " + spec.task.gpu_model;
    text += spec.task.gpus_per_host ? " per host" : " each";
  }
  if (spec.task.mem.value > 0) text += ", " + format_bytes(spec.task.mem) + " of memory each";
  if (spec.span.one_host) text += ", all on one host";
  if (spec.span.ptile) text += ", " + std::to_string(spec.span.ptile) + " per host";
  return text;
}

// What the whole cluster, empty, could hold of this job; no more is counted than it asks for.
struct Most {
  std::uint32_t suited = 0;  // hosts
  std::int64_t tasks = 0;    // on all of them, spans kept
  std::int64_t on_one = 0;   // on the best one

  std::int64_t reach(const JobSpec& spec) const { return spec.span.one_host ? on_one : tasks; }
};

Most count_most(const Cluster& cluster, const JobSpec& spec) {
  Most most;
  const QueueConf* queue = cluster.config->queue(spec.queue);
  HostRules rules(spec, *cluster.config);
  cluster.hosts.each([&](std::uint32_t, const Host& host) {
    if (most.reach(spec) >= spec.min_tasks) return;
    if (!rules.asks_for(host) || !rules.meet_empty(host)) return;
    std::int64_t wanted = spec.span.ptile ? spec.span.ptile : spec.min_tasks;
    if (queue && queue->host_slots) wanted = std::min<std::int64_t>(wanted, queue->host_slots);
    std::int64_t fits = fit(bare_room(host), spec.task, When::Now, wanted);
    if (spec.span.ptile && fits < std::min(spec.span.ptile, spec.min_tasks)) fits = 0;
    ++most.suited;
    most.tasks += fits;
    most.on_one = std::max(most.on_one, fits);
  });
  return most;
}

// ---- the nearest miss ----

// What one host lacks; fewer and smaller lacks are nearer.
struct Miss {
  const Host* host = nullptr;
  std::vector<std::string> lacks;
  double distance = 0;  // sum of the shortfalls, each as a part of what is asked
};

class MissFinder {
 public:
  explicit MissFinder(const HostRules& rules) : rules_(rules) {}
  Miss of(const Host& host) {
    miss_ = {&host, {}, 0};
    const TaskRequest& task = rules_.spec().task;
    const Capacity& c = host.capacity;
    if (!rules_.asks_for(host)) lack("it is not among the hosts that -m or the queue names", 1);
    std::int64_t cpus = std::max<std::int64_t>(c.milli_cpus, std::int64_t{c.slots} * 1000);
    shortage(task.milli_cpus / 1000, cpus / 1000, "CPU");
    if (task.mem.value > c.mem.value) {
      lack(format_bytes(task.mem) + " of memory asked, it has " + format_bytes(c.mem) + " (" +
               format_bytes(Bytes{task.mem.value - c.mem.value}) + " short)",
           part(task.mem.value, c.mem.value));
    }
    gpus(task, c);
    for (const auto& term : expr::failing_terms(rules_.spec().select, rules_.lookup(host)))
      lack("select " + term, 1);
    return miss_;
  }

 private:
  static double part(std::int64_t asked, std::int64_t has) {
    return static_cast<double>(asked - has) / static_cast<double>(std::max<std::int64_t>(1, asked));
  }
  void lack(std::string text, double distance) {
    miss_.lacks.push_back(std::move(text));
    miss_.distance += distance;
  }
  void shortage(std::int64_t asked, std::int64_t has, const std::string& what) {
    if (asked <= has) return;
    lack(count_of(asked, what) + " asked, it has " + std::to_string(has) + " (" +
             std::to_string(asked - has) + " short)",
         part(asked, has));
  }
  void gpus(const TaskRequest& task, const Capacity& c) {
    auto fits = [&](const Gpu& gpu) {
      return task.gpu_model.empty() || gpu.model == task.gpu_model;
    };
    std::string what = task.gpu_model.empty() ? "GPU" : task.gpu_model + " GPU";
    shortage(gpus_of(task), std::count_if(c.gpus.begin(), c.gpus.end(), fits), what);
  }

  const HostRules& rules_;
  Miss miss_;
};

// "nearest is host <h2>: 32G of memory asked, it has 16G (16G short)".
std::string nearest_miss(const Cluster& cluster, const JobSpec& spec) {
  HostRules rules(spec, *cluster.config);
  MissFinder finder(rules);
  Miss best;
  cluster.hosts.each([&](std::uint32_t, const Host& host) {
    Host empty = emptied(host);
    Miss miss = finder.of(empty);
    miss.host = &host;
    auto rank = [](const Miss& m) { return std::make_tuple(m.lacks.size(), m.distance); };
    if (!best.host || rank(miss) < rank(best)) best = std::move(miss);
  });
  if (!best.host || best.lacks.empty()) return "none of the hosts meets the requirements";
  std::string text = "none of the hosts would do, nearest is host <" + best.host->name + ">: ";
  for (std::size_t i = 0; i < best.lacks.size(); ++i) text += (i ? "; " : "") + best.lacks[i];
  return text;
}

// Rules that bind hosts to each other, on an empty cluster with every host open.
Result<void> check_layout_ever(const Cluster& cluster, const JobSpec& spec) {
  const Config& config = *cluster.config;
  auto parsed = expr::parse_resreq(spec.resreq);
  if (!parsed || (parsed->cu.empty() && parsed->same.empty())) return {};
  auto type = parsed->cu.count("type") ? parsed->cu.at("type") : std::string();
  if (unit_level(config, type) < 0)
    return fail(Code::Impossible, "cu[type=" + type + "]: no such type of compute unit");
  std::vector<Room> rooms;
  cluster.hosts.each([&](std::uint32_t, const Host& host) { rooms.push_back(bare_room(host)); });
  Request request;
  request.spec = std::make_shared<const JobSpec>(spec);
  set_layout(request, config, rooms, std::vector<int>(rooms.size()));
  Switches switches(config, rooms);
  HostRules rules(spec, config);
  LayoutRules layout{request.placing, spec.min_tasks, true, request.unit, &switches, {}, {}};
  std::vector<Share> offers;
  for (std::uint32_t i = 0; i < rooms.size(); ++i) {
    if (!rules.asks_for(*rooms[i].host) || !rules.selects(emptied(*rooms[i].host))) continue;
    std::int64_t wanted = spec.span.ptile ? spec.span.ptile : spec.min_tasks;
    std::int64_t fits = fit(rooms[i], spec.task, When::Now, wanted);
    if (fits == 0) continue;
    offers.push_back({i, fits});
    if (!request.groups.empty()) layout.groups.push_back(request.groups[i]);
  }
  if (!lay_out(offers, layout).empty()) return {};
  layout.whole = false;
  std::int64_t most = 0;
  for (const Share& share : lay_out(offers, layout)) most += share.tasks;
  return fail(Code::Impossible, "no hosts that same[] or cu[] of \"" + spec.resreq +
                                    "\" allows together hold " + describe(spec) + "; at most " +
                                    count_of(most, "task") + " if nothing else ran");
}

Result<void> check_room_ever(const Cluster& cluster, const JobSpec& spec) {
  Most most = count_most(cluster, spec);
  if (most.reach(spec) >= spec.min_tasks) return check_layout_ever(cluster, spec);
  std::string text = "no host is able to run it: " + describe(spec) + " asked; ";
  if (most.suited == 0) return fail(Code::Impossible, text + nearest_miss(cluster, spec));
  text += count_of(most.suited, "host") + " would do";
  std::string where = spec.span.one_host ? " on the largest" : " on all together";
  return fail(Code::Impossible, text + ", at most " + count_of(most.reach(spec), "task") + where +
                                    " if nothing else ran");
}

// Has every host of the configuration registered?
bool is_complete(const Cluster& cluster) {
  std::size_t known = 0;
  cluster.hosts.each([&](std::uint32_t, const Host& host) {
    known += cluster.config->host(host.name) != nullptr;
  });
  return cluster.hosts.last() > 0 && known >= cluster.config->hosts.size();
}

Result<void> check_limits(const Config& config, const JobSpec& spec) {
  auto refuse = [&](const std::string& whose, std::uint32_t limit) {
    return fail(Code::Impossible, count_of(spec.min_tasks, "slot") + " asked: " + whose +
                                      " never has more than " + std::to_string(limit));
  };
  if (const QueueConf* queue = config.queue(spec.queue)) {
    if (queue->max_slots && spec.min_tasks > queue->max_slots) {
      return refuse("queue <" + spec.queue + ">", queue->max_slots);
    }
    if (queue->user_slots && spec.min_tasks > queue->user_slots) {
      return refuse("a user of queue <" + spec.queue + ">", queue->user_slots);
    }
  }
  const UserConf* user = config.user(spec.owner.user);
  if (!user) user = config.user("default");
  if (user && user->max_slots && spec.min_tasks > user->max_slots) {
    return refuse("user <" + spec.owner.user + ">", user->max_slots);
  }
  const PlanConf* plan = config.plan(spec.plan);
  if (plan && plan->limit && spec.min_tasks > *plan->limit) {
    return refuse("plan <" + spec.plan + ">", *plan->limit);
  }
  return {};
}

}  // namespace

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

std::uint32_t Requests::intern(const JobSpec& spec, const std::vector<Room>& rooms,
                               const std::vector<HostId>& excluded) {
  if (auto known = find(spec, excluded)) return *known;
  auto next = static_cast<std::uint32_t>(size());
  auto [it, is_new] = numbers_.try_emplace(key_of(spec, excluded), next);
  if (is_new) {
    Request request;
    request.spec = std::make_shared<const JobSpec>(spec);
    request.queue = config_->queue(spec.queue);
    request.excluded = excluded;
    find_hosts(request, *config_, rooms);
    requests_.push_back(std::move(request));
  }
  return it->second;
}

void Requests::refresh(const HostChanges& changes, const std::vector<Room>& rooms) {
  for (Request& request : requests_) {
    if (request.placing == Placing::InOrder || request.binds()) {
      find_hosts(request, *config_, rooms);
      continue;
    }
    // What is used of a host counts where an expression may ask for it.
    const auto& changed = request.spec->select.empty() ? changes.kind : changes.any;
    if (changed.empty()) continue;
    HostRules rules(*request.spec, *config_);
    for (std::uint32_t at : changed) judge_again(request, rules, at, *rooms[at].host);
  }
}

Result<void> check_feasible_ever(const Cluster& cluster, const JobSpec& spec) {
  if (auto select = expr::Select::parse(spec.select); !select) return select.error();
  WM_TRY(expr::parse_asked_hosts(spec.ask_hosts));
  WM_TRY(check_limits(*cluster.config, spec));
  auto room = check_room_ever(cluster, spec);
  return room || !is_complete(cluster) ? Result<void>() : room;
}

}  // namespace wm::sched
