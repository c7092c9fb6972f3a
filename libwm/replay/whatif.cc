#include "libwm/replay/whatif.h"

#include <algorithm>
#include <future>
#include <map>
#include <optional>
#include <set>

#include "libwm/fsm/reconfig.h"
#include "libwm/replay/twin.h"
#include "libwm/sched/admit.h"

namespace wm::replay {
namespace {

constexpr int kMostPasses = 20'000;  // of one future
constexpr int kMostAtOnce = 64;      // decisions that follow from one another
// A start that moves by less than this was not moved by the change.
constexpr Duration kSlack = std::chrono::seconds(1);

using Starts = std::map<JobId, WallTime>;

bool waits(const Job& job) {
  return job.state == JobState::Pending || job.state == JobState::Array;
}
bool runs(const Job& job) {
  return job.state == JobState::Running || job.state == JobState::Launching;
}

// Nobody has to be told of a new size here, except where a job is started anew for it.
std::shared_ptr<const Config> at_once(const Config& given) {
  Config config = given;
  for (AppConf& app : config.apps) {
    bool started_anew = app.resize == ResizeMode::Restart || app.resize == ResizeMode::Notify;
    if (!started_anew) app.resize = ResizeMode::Tasks;
  }
  config.cluster.times.reclaim_grace = Duration{};
  return std::make_shared<const Config>(std::move(config));
}

// Its tables are written to nobody else's: a plain copy shares what it has not frozen.
Cluster own_copy(const Cluster& live) {
  Cluster copy = live;
  copy.freeze();
  return copy;
}

// One future of a cluster.
class Future {
 public:
  Future(const Cluster& live, WallTime now) : twin_(own_copy(live)), now_(now) {
    twin_.cluster().config = at_once(*live.config);
    read_policy(*live.config);
    policy_.explains = false;
  }
  Result<void> change(const Change& change);
  /// `progress` is told which part of those that wait has started. Nothing: `goes_on` said no.
  std::optional<Starts> run(const std::function<void(double)>& progress,
                            const std::function<bool()>& goes_on);

 private:
  Result<void> add_hosts(std::int32_t count);
  Result<void> drain_hosts(std::int32_t count);
  Result<void> move(const Change& change);
  void read_policy(const Config& config);
  Result<void> reconfigure(const Config& next);
  void tidy();
  WallTime decide();
  void watch(JobId id);
  void end_due();
  bool anybody_waits();
  std::size_t waiting() const;

  Twin twin_;
  WallTime now_;
  sched::SchedPolicy policy_;
  Starts starts_;
  std::map<JobId, WallTime> ends_;  // of those that run and will end
  JobId waits_;                     // somebody who was found waiting
};

// When a running job ends by its limit; max: never.
WallTime end_of(const Cluster& cluster, const Job& job) {
  Duration limit = run_limit_of(*cluster.config, job.spec());
  if (limit <= Duration{} || !runs(job)) return WallTime::max();
  return std::max(job.times.started, job.times.dispatched) + limit + job.suspension.earlier;
}

// The open host of which there are most alike, by slots and GPUs.
const Host* usual_host(const Cluster& cluster) {
  std::map<std::pair<std::uint32_t, std::size_t>, std::pair<int, const Host*>> kinds;
  cluster.hosts.each([&](std::uint32_t, const Host& host) {
    if (!is_open(host)) return;
    auto& [count, first] = kinds[{host.capacity.slots, host.capacity.gpus.size()}];
    if (count++ == 0) first = &host;
  });
  const std::pair<int, const Host*>* best = nullptr;
  for (const auto& [kind, found] : kinds) {
    if (!best || found.first >= best->first) best = &found;
  }
  return best ? best->second : nullptr;
}

Result<void> Future::add_hosts(std::int32_t count) {
  const Host* like = usual_host(twin_.cluster());
  if (!like) return fail(Code::Impossible, "the cluster has no open host to add another like");
  Host copy = *like;
  for (std::int32_t i = 1; i <= count; ++i) {
    HostId id{static_cast<std::uint32_t>(twin_.cluster().hosts.last() + 1)};
    auto name = "whatif" + std::to_string(i);
    twin_.apply(HostRegistered{id, name, name, "whatif", copy.type, copy.model, copy.capacity},
                now_);
  }
  return {};
}

// Those with the fewest tasks, the last of them first: nothing more starts there.
Result<void> Future::drain_hosts(std::int32_t count) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open;  // used slots, how late
  twin_.cluster().hosts.each([&](std::uint32_t number, const Host& host) {
    if (is_open(host)) open.push_back({host.used_slots, ~number});
  });
  if (std::ssize(open) < count) {
    return fail(Code::Impossible, "the cluster has only " + std::to_string(open.size()) +
                                      " open hosts, " + std::to_string(count) +
                                      " cannot be taken away");
  }
  std::sort(open.begin(), open.end());
  for (std::int32_t i = 0; i < count; ++i) {
    twin_.apply(HostClosed{HostId{~open[i].second}, "bwhatif", ""}, now_);
  }
  return {};
}

Result<void> Future::move(const Change& change) {
  Cluster& cluster = twin_.cluster();
  std::string id = to_string(change.job);
  const Job* job = change.job.index == 0 ? cluster.jobs.find(change.job.job) : nullptr;
  if (!job) return fail(Code::NotFound, "Job <" + id + "> is not found");
  if (!waits(*job)) return fail(Code::Conflict, "Job <" + id + "> does not wait");
  if (!change.queue.empty() && !cluster.config->queue(change.queue))
    return fail(Code::NotFound, "queue <" + change.queue + "> is not found");
  if (!change.plan.empty() && !cluster.config->plan(change.plan))
    return fail(Code::NotFound, "plan <" + change.plan + "> is not found");
  auto place = [&](JobSpec& spec) {
    auto unless_said = [&] {
      return plan_unless_said(*cluster.config, spec.queue, spec.owner.user);
    };
    bool open = spec.plan == unless_said();
    if (!change.queue.empty()) spec.queue = change.queue;
    if (open) spec.plan = unless_said();
    if (!change.plan.empty()) spec.plan = change.plan;
  };
  SealedSpec sealed = *job->sealed;
  place(sealed.spec);
  for (JobSpec& alternative : sealed.alternatives) place(alternative);
  Job& moved = cluster.jobs.edit(change.job.job);
  moved.sealed = std::make_shared<const SealedSpec>(std::move(sealed));
  // What it was promised, it was where it stood.
  moved.waits.promised = moved.waits.first_promised = {};
  return {};
}

void Future::read_policy(const Config& config) {
  policy_.backfill = config.cluster.sched.backfill;
  policy_.max_promises = config.cluster.sched.promises;
  policy_.promise_tolerance = config.cluster.sched.promise_tolerance;
}

// As the master does it.
Result<void> Future::reconfigure(const Config& next) {
  read_policy(next);
  for (const auto& event : fsm::reconfigured(twin_.cluster(), at_once(next)))
    if (!twin_.apply(event, now_))
      return fail(Code::Conflict, "the configuration cannot be put in force as the cluster is");
  return {};
}

Result<void> Future::change(const Change& change) {
  bool moves = !change.queue.empty() || !change.plan.empty();
  if (change.hosts == 0 && !moves && !change.config)
    return fail(Code::BadArgument, "nothing is to be changed");
  if (change.config) WM_TRY(reconfigure(*change.config));
  if (change.hosts > 0) WM_TRY(add_hosts(change.hosts));
  if (change.hosts < 0) WM_TRY(drain_hosts(-change.hosts));
  return moves ? move(change) : Result<void>{};
}

// What is under way has happened: starts, leavings, ends that were asked for.
void Future::tidy() {
  std::vector<JobId> live, ending;
  each_job(twin_.cluster(), [&](const Job& job) {
    if (job.tasks.empty() || is_over(job.state)) return;
    bool ends = job.kill || job.ending || job.waits.preempted;
    (ends && runs(job) ? ending : live).push_back(job.id);
  });
  for (JobId id : ending) twin_.end(id, now_);
  for (JobId id : live) twin_.settle(id, now_);
  for (JobId id : live) watch(id);
}

void Future::watch(JobId id) {
  const Job* job = find_job(twin_.cluster(), id);
  WallTime end = job ? end_of(twin_.cluster(), *job) : WallTime::max();
  if (end == WallTime::max()) ends_.erase(id);
  else ends_[id] = end;
}

// Returns when another decision is due though nothing happens.
WallTime Future::decide() {
  WallTime again{};
  for (int i = 0; i < kMostAtOnce; ++i) {
    auto plan = sched::admit(twin_.cluster(), twin_.pass(policy_, now_));
    again = plan.look_again;
    for (const auto& start : plan.starts) starts_[start.job] = now_;
    bool frees = !plan.shrinks.empty() || !plan.preempts.empty();
    for (JobId job : twin_.carry_out(plan, now_)) watch(job);
    if (!frees) break;
  }
  return again > now_ ? again : WallTime::max();
}

void Future::end_due() {
  std::vector<JobId> due;
  for (auto [job, at] : ends_)
    if (at <= now_) due.push_back(job);
  for (JobId id : due) {
    twin_.end(id, now_);
    watch(id);
  }
}

// Looks for somebody only where the last one found does not wait any more: the last in order, who
// is likely to wait longest.
bool Future::anybody_waits() {
  const Job* known = find_job(twin_.cluster(), waits_);
  if (known && waits(*known)) return true;
  waits_ = {};
  auto look = [&](std::uint32_t, const Job& job) {
    if (waits(job)) waits_ = job.id;
  };
  twin_.cluster().jobs.each(look);
  twin_.cluster().elements.each(look);
  return waits_.job != 0;
}

std::size_t Future::waiting() const {
  std::size_t count = 0;
  twin_.cluster().jobs.each([&](std::uint32_t, const Job& job) {
    if (waits(job)) count += std::max(1u, element_count(job.spec()));
  });
  return count;
}

std::optional<Starts> Future::run(const std::function<void(double)>& progress,
                                  const std::function<bool()>& goes_on) {
  tidy();
  each_job(twin_.cluster(), [&](const Job& job) {
    if (runs(job)) starts_[job.id] = job.times.dispatched;
  });
  auto ran = starts_.size(), before = std::max<std::size_t>(1, waiting());
  for (int i = 0; i < kMostPasses; ++i) {
    if (goes_on && !goes_on()) return std::nullopt;
    end_due();
    WallTime again = decide();
    auto started = static_cast<double>(starts_.size() - ran);
    if (progress) progress(std::min(1.0, started / static_cast<double>(before)));
    WallTime next = again;
    for (auto [job, at] : ends_) next = std::min(next, std::max(now_, at));
    if (!anybody_waits() || next == WallTime::max() || next <= now_) break;
    now_ = next;
  }
  if (progress) progress(1);
  return std::move(starts_);
}

WallTime start_in(const Starts& starts, JobId job) {
  auto it = starts.find(job);
  return it == starts.end() ? WallTime{} : it->second;
}

}  // namespace

Result<std::vector<Foretold>> foretell(const Cluster& live, const Change& change, WallTime now,
                                       const std::function<void(double)>& progress,
                                       const std::function<bool()>& goes_on) {
  Future as_is(live, now), changed(live, now);
  WM_TRY(changed.change(change));
  auto meanwhile = std::async(std::launch::async, [&] { return as_is.run({}, goes_on); });
  auto then = changed.run(progress, goes_on), otherwise = meanwhile.get();
  if (!then || !otherwise) return fail(Code::Timeout, "it was not told to its end");
  const Starts &after = *then, &before = *otherwise;
  std::set<JobId> jobs;
  for (const auto& [job, at] : before) jobs.insert(job);
  for (const auto& [job, at] : after) jobs.insert(job);
  live.jobs.each([&](std::uint32_t, const Job& job) {
    if (job.state == JobState::Pending) jobs.insert(job.id);
  });
  std::vector<Foretold> all;
  for (JobId job : jobs) {
    const Job* known = find_job(live, job);
    Foretold row{job, start_in(before, job), start_in(after, job)};
    bool never = row.start_then == WallTime{} && row.start_now != WallTime{};
    row.displaced =
        never || (row.start_now != WallTime{} && row.start_then > row.start_now + kSlack);
    if (!known || waits(*known) || row.displaced) all.push_back(row);
  }
  return all;
}

}  // namespace wm::replay
