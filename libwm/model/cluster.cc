#include "libwm/model/cluster.h"

namespace wm {

Cluster Cluster::freeze() {
  Cluster copy;
  copy.seq = seq;
  copy.time = time;
  copy.config = config;
  copy.jobs = jobs.freeze();
  copy.elements = elements.freeze();
  copy.hosts = hosts.freeze();
  copy.queues = queues;
  copy.next_element = next_element;
  copy.last_job = last_job;
  copy.accounts = accounts.freeze();
  copy.account_numbers = account_numbers;
  return copy;
}

const Job* find_job(const Cluster& cluster, JobId id) {
  const Job* base = cluster.jobs.find(id.job);
  if (!base || id.index == 0) return base;
  if (base->spec().array.empty()) return nullptr;
  auto position = element_position(base->spec(), id.index);
  return position ? cluster.elements.find(base->first_element + *position) : nullptr;
}

const Host* find_host(const Cluster& cluster, const std::string& name) {
  const Host* found = nullptr;
  cluster.hosts.each([&](std::uint32_t, const Host& host) {
    if (host.name == name) found = &host;
  });
  return found;
}

const AppConf& app_of(const Config& config, const JobSpec& spec) {
  static const AppConf kBatch{.name = "batch"};
  const auto* app = config.app(spec.app);
  return app ? *app : kBatch;
}

bool is_resizable(const Cluster& cluster, const Job& job) {
  if (!job.spec().elastic || job.ending || job.finishing || job.kill || job.preempted) return false;
  if (job.state != JobState::Launching && job.state != JobState::Running) return false;
  auto mode = app_of(*cluster.config, job.spec()).resize;
  return mode == ResizeMode::InPlace || mode == ResizeMode::Auto || mode == ResizeMode::Tasks;
}

bool starts_every_task(const Config& config, const JobSpec& spec) {
  return app_of(config, spec).type != AppType::Batch;
}

Duration run_limit_of(const Config& config, const JobSpec& spec) {
  if (spec.run_limit > Duration{}) return spec.run_limit;
  const auto* queue = config.queue(spec.queue);
  return queue ? queue->run_limit.usual : Duration{};
}

}  // namespace wm
