#include "daemons/wmasterd/hosts/fence.h"

#include <algorithm>
#include <sstream>

#include "libwm/base/log.h"
#include "libwm/fsm/part.h"

namespace wm::master {
namespace {

constexpr const char* kWho = "fence_command";

// Where nothing runs nothing is gained by switching the host off.
bool holds_something(const Cluster& state, HostId host) {
  return state.indexes.jobs_on.find(host.value) != nullptr;
}

std::vector<std::string> words_of(const std::string& command, const std::string& host) {
  std::istringstream text(command);
  std::vector<std::string> words;
  for (std::string word; text >> word;) words.push_back(word);
  words.push_back(host);
  return words;
}

}  // namespace

std::vector<EventBody> death_of(const Cluster& state, const Host& host, const std::string& by,
                                const std::string& why) {
  std::vector<EventBody> events{HostDied{host.id, by, why}};
  each_job_on(state, host.id, [&](const Job& job) {
    for (const auto& task : job.tasks)
      if (task.host == host.id && task.holds_slot() &&
          (task.has_process || fsm::is_part(job, task)))
        events.push_back(TaskEnded{job.id,
                                   job.attempt,
                                   task.number,
                                   kKilled,
                                   Term::HostLost,
                                   {},
                                   "host " + host.name + " was declared dead by " + by});
  });
  return events;
}

void Fence::on_tick() {
  const Cluster& state = journal_.newest();
  if (state.config->cluster.fence_command.empty() || !journal_.works()) return;
  std::vector<HostId> due;
  state.hosts.each([&](std::uint32_t, const Host& host) {
    if (is_due(host)) due.push_back(host.id);
  });
  if (attended_.now() < time_to_register(*state.config)) return;
  for (auto id : due)
    if (holds_something(state, id)) begin(*state.hosts.find(id.value));
}

bool Fence::is_due(const Host& host) {
  if (host.state != HostState::Silent || under_way_.count(host.id)) return false;
  const auto& times = journal_.newest().config->cluster.times;
  Silence seen{host.silent_since, attended_.now()};
  auto& silence = silences_.try_emplace(host.id, seen).first->second;
  if (silence.since != host.silent_since) silence = seen;
  if (attended_.now() - silence.seen < times.fence_after) return false;
  auto tried = tried_.find(host.id);
  return tried == tried_.end() || clock_.mono() - tried->second >= times.fence_retry;
}

void Fence::begin(const Host& host) {
  const auto& command = journal_.newest().config->cluster.fence_command;
  under_way_.insert(host.id);
  log::warn("fence_begins", {{"host", host.name}, {"command", command}});
  auto done = [this, id = host.id, since = host.silent_since](const Result<void>& kept) {
    if (kept) return run(id, since);
    under_way_.erase(id);
  };
  journal_.propose({{HostFenceBegan{host.id, command}}, {}, {}, std::move(done)});
}

void Fence::run(HostId id, WallTime silent_since) {
  const Cluster& state = journal_.newest();
  const auto& conf = state.config->cluster;
  const Host* host = state.hosts.find(id.value);
  if (!host || host->state != HostState::Silent || conf.fence_command.empty()) {
    under_way_.erase(id);
    return;
  }
  processes_.run(
      words_of(conf.fence_command, host->name), conf.times.fence_limit,
      [this, id, silent_since](const Result<std::string>& said) { take(id, silent_since, said); });
}

void Fence::take(HostId id, WallTime silent_since, const Result<std::string>& said) {
  under_way_.erase(id);
  tried_[id] = clock_.mono();
  const Cluster& state = journal_.newest();
  const Host* host = state.hosts.find(id.value);
  if (!host || host->state != HostState::Silent || host->silent_since != silent_since) {
    log::warn("fence_overtaken", {{"host", std::to_string(id.value)}});
    return;
  }
  log::warn(said ? "fence_succeeded" : "fence_failed",
            {{"host", host->name}, {"said", said ? *said : said.error().text}});
  std::vector<EventBody> events;
  if (said) events = death_of(state, *host, kWho, said->empty() ? "switched off" : *said);
  else events.push_back(HostFenceFailed{id, said.error().text});
  journal_.propose({std::move(events), {}, {}, nullptr});
}

}  // namespace wm::master
