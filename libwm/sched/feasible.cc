#include "libwm/sched/feasible.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "libwm/expr/explain.h"
#include "libwm/expr/resreq.h"
#include "libwm/model/gpu_use.h"
#include "libwm/sched/capacity/host_rules.h"
#include "libwm/sched/capacity/requests.h"
#include "libwm/sched/demand/claim.h"
#include "libwm/sched/shares/plan_tree.h"
#include "libwm/sched/words.h"

namespace wm::sched {
namespace {

std::string describe(const JobSpec& spec) {
  std::string text = count_of(spec.min_tasks, "task");
  if (spec.task.milli_gpus > 0) {
    text += " with " + count_of(gpus_of(spec.task), "GPU");
    if (!spec.task.gpu_model.empty()) text += " " + spec.task.gpu_model;
    text += spec.task.gpus_per_host ? " per host" : " each";
  }
  if (spec.task.mem.value > 0)
    text += ", " + format_bytes(spec.task.mem) + " of memory " +
            (spec.task.mem_per_host ? "on each host" : "each");
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
  cluster.hosts.each_from(0, [&](std::uint32_t, const Host& host) {
    if (most.reach(spec) >= spec.min_tasks) return false;
    if (!rules.asks_for(host) || !rules.meet_empty(host)) return true;
    std::int64_t wanted = spec.span.ptile ? spec.span.ptile : spec.min_tasks;
    if (queue && queue->host_slots) wanted = std::min<std::int64_t>(wanted, queue->host_slots);
    std::int64_t fits = fit(bare_room(host), spec.task, When::Now, wanted);
    if (spec.span.ptile && fits < std::min(spec.span.ptile, spec.min_tasks)) fits = 0;
    ++most.suited;
    most.tasks += fits;
    most.on_one = std::max(most.on_one, fits);
    return true;
  });
  return most;
}

std::uint64_t all_slots(const Cluster& cluster) {
  std::uint64_t slots = 0;
  cluster.hosts.each([&](std::uint32_t, const Host& host) { slots += host.capacity.slots; });
  return slots;
}

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
    for (const auto& term : expr::failing_terms(rules_.spec().asked.select, rules_.lookup(host)))
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
      return task.gpu_model.empty() || is_model(gpu, task.gpu_model);
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
  auto parsed = expr::parse_resreq(spec.asked.resreq);
  if (!parsed || (parsed->cu.empty() && parsed->same.empty())) return {};
  auto type = parsed->cu.count("type") ? parsed->cu.at("type") : std::string();
  if (unit_level(config, type) < 0)
    return fail(Code::Impossible, "cu[type=" + type + "]: no such type of compute unit");
  std::vector<HostCapacity> rooms;
  cluster.hosts.each([&](std::uint32_t, const Host& host) { rooms.push_back(bare_room(host)); });
  Request request;
  request.spec = std::make_shared<const JobSpec>(spec);
  set_layout(request, config, rooms, std::vector<int>(rooms.size()));
  Switches switches(config, rooms);
  HostRules rules(spec, config);
  LayoutRules layout{request.placing, spec.min_tasks, true, request.unit, &switches, {}, {}};
  std::vector<Share> offers;
  for (std::uint32_t i = 0; i < rooms.size(); ++i) {
    if (!rules.asks_for(*rooms[i].host) || !rules.selects_empty(*rooms[i].host)) continue;
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
  return fail(Code::Impossible, "no hosts that same[] or cu[] of \"" + spec.asked.resreq +
                                    "\" allows together hold " + describe(spec) + "; at most " +
                                    count_of(most, "task") + " if nothing else ran");
}

// Does every word of -m name a host or group that is known and used by the queue?
// @source LSF: the texts of lsb_submit's errors
Result<void> check_asked(const Cluster& cluster, const JobSpec& spec) {
  const Config& config = *cluster.config;
  const QueueConf* queue = config.queue(spec.queue);
  WM_TRY(auto words, expr::parse_asked_hosts(spec.asked.hosts));
  for (const expr::AskedHost& word : words) {
    if (word.name == "others") continue;
    const std::vector<std::string> name{word.name};
    bool known = false, used = !queue || queue->hosts.empty() || word.excluded;
    cluster.hosts.each([&](std::uint32_t, const Host& host) {
      if (!names_host(name, config, host)) return;
      known = true;
      used = used || names_host(queue->hosts, config, host);
    });
    const char* why = !known  ? ": Bad host name, host group name or cluster name"
                      : !used ? ": Host or host group is not used by the queue"
                              : nullptr;
    if (why) return fail(Code::BadArgument, word.name + why);
  }
  return {};
}

Result<void> check_room_ever(const Cluster& cluster, const JobSpec& spec) {
  WM_TRY(check_asked(cluster, spec));
  Most most = count_most(cluster, spec);
  if (most.reach(spec) >= spec.min_tasks) return check_layout_ever(cluster, spec);
  std::string text = "no host is able to run it: " + describe(spec) + " asked; ";
  if (most.suited == 0) return fail(Code::Impossible, text + nearest_miss(cluster, spec));
  // More tasks than there are slots, whatever else is asked. @source LSF's words for it
  if (spec.min_tasks > all_slots(cluster)) text = "Too many processors requested: " + text;
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

// A plan's limit holds for all below it, and counts GPUs where GPUs are asked.
Result<void> check_plans(const Config& config, const JobSpec& spec) {
  Claim claim;
  set_price(claim, spec);
  Units cost = claim.price.cost(std::max(1u, spec.min_tasks));
  for (std::string path = spec.plan;; path = parent_of(path)) {
    const PlanConf* plan = config.plan(path);
    if (plan && plan->limit && cost > *plan->limit)
      return fail(Code::Impossible, count_of(cost, claim.price.gpu ? "GPU" : "slot") +
                                        " asked: plan <" + path + "> never has more than " +
                                        std::to_string(*plan->limit));
    if (path == "/" || path.empty()) return {};
  }
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
  return check_plans(config, spec);
}

}  // namespace

Result<void> check_feasible_ever(const Cluster& cluster, const JobSpec& spec) {
  if (auto select = expr::Select::parse(spec.asked.select); !select) return select.error();
  WM_TRY(expr::parse_asked_hosts(spec.asked.hosts));
  WM_TRY(check_limits(*cluster.config, spec));
  auto room = check_room_ever(cluster, spec);
  return room || !is_complete(cluster) ? Result<void>() : room;
}

}  // namespace wm::sched
