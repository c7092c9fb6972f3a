#include "daemons/wmasterd/hosts/load_watch.h"

#include <algorithm>

#include "libwm/model/config/calendar.h"
#include "libwm/model/stoppers.h"

namespace wm::master {
namespace {

bool same_places(const sched::LoadedHosts& a, const sched::LoadedHosts& b) {
  auto same_hosts = [](const auto& x, const auto& y) {
    auto same_id = [](const auto& one, const auto& other) { return one.first == other.first; };
    return x.first == y.first && std::ranges::equal(x.second, y.second, same_id);
  };
  return std::ranges::equal(a, b, same_hosts);
}

// What hosts themselves say, by name, of those that say anything.
using OwnRules = std::map<std::string_view, const HostConf*>;

OwnRules own_rules(const Config& config) {
  OwnRules rules;
  for (const HostConf& host : config.hosts)
    if (!host.load.empty() || !host.dispatch_window.empty()) rules.emplace(host.name, &host);
  return rules;
}

std::vector<LoadLimit> both(const std::vector<LoadLimit>& queue, const HostConf* host) {
  std::vector<LoadLimit> limits = queue;
  if (host) limits.insert(limits.end(), host->load.begin(), host->load.end());
  return limits;
}

}  // namespace

bool LoadWatch::idle(const Config& config) const {
  bool none =
      std::ranges::all_of(config.queues, [](const auto& queue) { return queue.load.empty(); }) &&
      own_rules(config).empty();
  return none && looked_ && judged_.empty() && stopped_.empty();
}

std::vector<EventBody> LoadWatch::look(const Cluster& state, const Table<HostStanding>& standings,
                                       WallTime now) {
  if (!std::exchange(looked_, true))
    each_job(state, [this](const Job& job) {
      if (is_stopped_for_load(job)) stopped_.insert(job.id);
    });
  judge(state, standings, now);
  publish();
  std::vector<EventBody> events;
  stop(state, now, events);
  go_on(state, standings, now, events);
  return events;
}

std::string LoadWatch::why_busy(HostId host) const {
  for (const auto& [queue, hosts] : *loaded_)
    if (auto at = hosts.find(host); at != hosts.end()) return at->second + ", queue " + queue;
  return {};
}

void LoadWatch::judge(const Cluster& state, const Table<HostStanding>& standings, WallTime now) {
  const Config& config = *state.config;
  const OwnRules own = own_rules(config);
  std::map<Place, sched::LoadState> judged;
  auto look_at = [&](const QueueConf& queue, const Host& host, const HostConf* rules) {
    auto before = judged_.find({queue.name, host.id});
    const HostStanding* standing = standings.find(host.id.value);
    sched::LoadState found = before == judged_.end() ? sched::LoadState() : before->second;
    if (standing && standing->connected) {
      Measured measured{standing->load, standing->more, host.capacity.milli_cpus};
      found = sched::judge_load(both(queue.load, rules), measured, found.stops);
    }
    if (rules && !is_open(rules->dispatch_window, config.clock, now)) {
      found.busy = true;
      if (found.why.empty()) found.why = window_closer(host.name) + " is closed";
    }
    if (found.busy) judged.emplace(Place{queue.name, host.id}, std::move(found));
  };
  for (const QueueConf& queue : config.queues) {
    if (queue.load.empty() && own.empty()) continue;
    state.hosts.each([&](std::uint32_t, const Host& host) {
      auto rules = own.find(host.name);
      if (rules != own.end()) look_at(queue, host, rules->second);
      else if (!queue.load.empty()) look_at(queue, host, nullptr);
    });
  }
  judged_ = std::move(judged);
}

void LoadWatch::publish() {
  auto loaded = std::make_shared<sched::LoadedHosts>();
  for (const auto& [place, load] : judged_) (*loaded)[place.first][place.second] = load.why;
  if (!same_places(*loaded, *loaded_)) loaded_ = std::move(loaded);
}

void LoadWatch::stop(const Cluster& state, WallTime now, std::vector<EventBody>& events) {
  for (const auto& [place, load] : judged_) {
    const Host* host = state.hosts.find(place.second.value);
    const QueueConf* queue = state.config->queue(place.first);
    if (!load.stops || !host || !queue) continue;
    const std::string by = load_stopper(host->name);
    each_job_on(state, host->id, [&](const Job& job) {
      bool runs = job.state == JobState::Running && !job.kill && !job.ending;
      if (!runs || job.spec().queue != queue->name || is_stopped(job)) return;
      if (queue->terminate_when.load) {
        events.push_back(KillRequested{job.id, {kTermLoad, "wm", by + ": " + load.why, now}});
      } else if (stopped_.insert(job.id).second) {
        events.push_back(JobSuspended{job.id, by});
      }
    });
  }
}

/// Is any of its hosts one that stops it, or that is not heard?
bool LoadWatch::keeps(const Job& job, const Table<HostStanding>& standings) const {
  return std::any_of(job.tasks.begin(), job.tasks.end(), [&](const Task& task) {
    if (!task.holds_slot()) return false;
    const HostStanding* standing = standings.find(task.host.value);
    auto load = judged_.find({job.spec().queue, task.host});
    return !standing || !standing->connected || (load != judged_.end() && load->second.stops);
  });
}

// Not outside of its queue's run window: that found it stopped already.
void LoadWatch::go_on(const Cluster& state, const Table<HostStanding>& standings, WallTime now,
                      std::vector<EventBody>& events) {
  const Config& config = *state.config;
  std::erase_if(stopped_, [&](JobId id) {
    const Job* job = find_job(state, id);
    if (!job || is_over(job->state)) return true;
    const QueueConf* queue = config.queue(job->spec().queue);
    bool open = !queue || is_open(queue->run_window, config.clock, now);
    if (!open || keeps(*job, standings)) return false;
    bool ours = job->state == JobState::Suspended && is_stopped_for_load(*job);
    if (ours) events.push_back(JobResumed{id, job->suspension.by});
    return true;
  });
}

}  // namespace wm::master
