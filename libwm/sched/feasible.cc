#include "libwm/sched/feasible.h"

#include <algorithm>

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

bool is_asked(const JobSpec& spec, const QueueConf* queue, const Config& config, const Host& host) {
  if (!spec.ask_hosts.empty() && !names_host(spec.ask_hosts, config, host)) return false;
  return !queue || queue->hosts.empty() || names_host(queue->hosts, config, host);
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

Room empty_room(const Host& host) {
  Room room = room_of(emptied(host));
  room.host = &host;
  return room;
}

bool is_big_enough(const JobSpec& spec, const Host& host) {
  return fit(empty_room(host), spec.task, When::Now, 1) > 0;
}

// A job's rules for hosts, its expression parsed once. A broken expression fits nowhere.
class HostRules {
 public:
  HostRules(const JobSpec& spec, const Config& config)
      : spec_(spec),
        config_(config),
        queue_(config.queue(spec.queue)),
        select_(expr::Select::parse(spec.select)) {}

  bool asks_for(const Host& host) const { return is_asked(spec_, queue_, config_, host); }
  bool meet(const Host& host) const {
    if (!select_ || !is_big_enough(spec_, host)) return false;
    if (select_->empty()) return true;
    const HostConf* conf = config_.host(host.name);
    return select_->matches(
        [&](std::string_view name) { return expr::host_value(host, conf, name); });
  }

 private:
  const JobSpec& spec_;
  const Config& config_;
  const QueueConf* queue_;
  Result<expr::Select> select_;
};

std::string key_of(const JobSpec& spec) {
  std::string key;
  auto add = [&](const std::string& word) { key.append(word).push_back('\0'); };
  auto number = [&](std::int64_t n) { add(std::to_string(n)); };
  for (const auto* word : {&spec.queue, &spec.select, &spec.task.gpu_model}) add(*word);
  number(spec.task.milli_cpus);
  number(spec.task.mem.value);
  number(spec.task.milli_gpus);
  number(spec.task.gpus_per_host * 4 + spec.span.one_host * 2 + spec.exclusive);
  number(spec.span.ptile);
  const TaskRequest& task = spec.task;
  for (const auto* word : {&task.gpu_vendor, &task.gpu_mig}) add(*word);
  number(task.gpu_mem.value);
  number(task.gpu_shared * 4 + task.gpu_linked * 2 + task.gpu_pack);
  number(task.gpu_tile);
  number(task.mps_uid ? std::int64_t{*task.mps_uid} : -1);
  for (const auto& host : spec.ask_hosts) add(host);
  return key;
}

bool same_request(const JobSpec& a, const JobSpec& b) {
  return a.task == b.task && a.span == b.span && a.exclusive == b.exclusive && a.queue == b.queue &&
         a.select == b.select && a.ask_hosts == b.ask_hosts;
}

void find_hosts(Request& request, const Config& config, const std::vector<Room>& rooms) {
  HostRules rules(*request.spec, config);
  Removed& removed = request.removed;
  for (std::uint32_t i = 0; i < rooms.size(); ++i) {
    const Host& host = *rooms[i].host;
    if (!rules.asks_for(host)) {
      ++removed.not_asked;
    } else if (!rules.meet(host)) {
      ++removed.requirement;
    } else if (host.state != HostState::Ok) {
      ++removed.silent;
    } else if (host.closed) {
      ++removed.closed;
    } else {
      request.hosts.push_back(i);
    }
  }
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

// What the whole cluster, empty, could hold of this job.
struct Most {
  std::uint32_t suited = 0;  // hosts
  std::int64_t tasks = 0;    // on all of them, spans kept
  std::int64_t on_one = 0;   // on the best one
};

Most count_most(const Cluster& cluster, const JobSpec& spec) {
  Most most;
  const QueueConf* queue = cluster.config->queue(spec.queue);
  HostRules rules(spec, *cluster.config);
  cluster.hosts.each([&](std::uint32_t, const Host& host) {
    if (!rules.asks_for(host) || !rules.meet(emptied(host))) return;
    std::int64_t wanted = spec.span.ptile ? spec.span.ptile : spec.min_tasks;
    if (queue && queue->host_slots) wanted = std::min<std::int64_t>(wanted, queue->host_slots);
    std::int64_t fits = fit(empty_room(host), spec.task, When::Now, wanted);
    if (spec.span.ptile && fits < std::min(spec.span.ptile, spec.min_tasks)) fits = 0;
    ++most.suited;
    most.tasks += fits;
    most.on_one = std::max(most.on_one, fits);
  });
  return most;
}

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
std::optional<std::uint32_t> Requests::find(const JobSpec& spec) const {
  constexpr std::size_t kCompared = 32;
  for (std::size_t i = 0; i < std::min(size(), kCompared); ++i) {
    if (same_request(*requests_[i].spec, spec)) return static_cast<std::uint32_t>(i);
  }
  return std::nullopt;
}

std::uint32_t Requests::intern(const JobSpec& spec, const std::vector<Room>& rooms) {
  if (auto known = find(spec)) return *known;
  auto [it, is_new] = numbers_.try_emplace(key_of(spec), static_cast<std::uint32_t>(size()));
  if (is_new) {
    Request request;
    request.spec = &spec;
    request.queue = config_.queue(spec.queue);
    find_hosts(request, config_, rooms);
    requests_.push_back(std::move(request));
  }
  return it->second;
}

Result<void> check_feasible_ever(const Cluster& cluster, const JobSpec& spec) {
  if (auto select = expr::Select::parse(spec.select); !select) return select.error();
  WM_TRY(check_limits(*cluster.config, spec));
  if (!is_complete(cluster)) return {};
  Most most = count_most(cluster, spec);
  std::int64_t reach = spec.span.one_host ? most.on_one : most.tasks;
  if (reach >= spec.min_tasks) return {};
  std::string text = "no host is able to run it: " + describe(spec) + " asked; ";
  if (most.suited == 0)
    return fail(Code::Impossible, text + "none of the hosts meets the requirements");
  text += count_of(most.suited, "host") + " would do";
  std::string where = spec.span.one_host ? " on the largest" : " on all together";
  return fail(Code::Impossible,
              text + ", at most " + count_of(reach, "task") + where + " if nothing else ran");
}

}  // namespace wm::sched
