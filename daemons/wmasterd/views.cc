#include "daemons/wmasterd/views.h"

#include <algorithm>

#include "daemons/wmasterd/host_names.h"

namespace wm::master {
namespace {

bool matches(const std::string& pattern, const std::string& name) {
  if (pattern.empty()) return true;
  bool front = pattern.front() == '*', back = pattern.size() > 1 && pattern.back() == '*';
  if (pattern == "*") return true;
  auto core = pattern.substr(front, pattern.size() - front - back);
  if (front && back) return name.find(core) != std::string::npos;
  if (front) return name.ends_with(core);
  if (back) return name.starts_with(core);
  return name == pattern;
}

bool on_host(const Cluster& state, const Job& job, const std::string& name) {
  if (name.empty()) return true;
  const Host* host = find_host(state, name);
  return host && std::any_of(job.tasks.begin(), job.tasks.end(),
                             [&](auto& t) { return t.host == host->id && t.holds_slot(); });
}

// Of jobs that are named all, unless a state is, too: the elements of an array that run.
bool wanted_state(const JobSelection& s, JobState state) {
  bool any = !s.pending_only && !s.running_only && !s.suspended_only;
  if (any && !s.ids.empty()) return true;
  bool over = is_over(state);
  if (over ? !s.finished : !s.unfinished) return false;
  bool waiting = state == JobState::Pending || state == JobState::Held;
  if (s.pending_only) return waiting;
  if (s.running_only) return !over && !waiting && state != JobState::Suspended;
  if (s.suspended_only) return state == JobState::Held || state == JobState::Suspended;
  return true;
}

bool fits(const Cluster& state, const JobSelection& s, const std::string& caller, const Job& job,
          JobId id) {
  const auto& spec = job.spec();
  const auto& user = s.user.empty() ? caller : s.user;
  if (s.ids.empty() && user != "all" && spec.owner.user != user) return false;
  if (!s.queue.empty() && spec.queue != s.queue) return false;
  if (!s.project.empty() && spec.project != s.project) return false;
  if (!s.app.empty() && spec.app != s.app) return false;
  if (!matches(s.name, spec.name) &&
      !matches(s.name, spec.name + "[" + std::to_string(id.index) + "]"))
    return false;
  return on_host(state, job, s.host) && wanted_state(s, state_of(job, id));
}

// A plain job once, an array element by element.
void each_part(const Cluster& state, const Job& base,
               const std::function<void(const Job&, JobId)>& visit) {
  if (base.spec().array.empty()) return visit(base, base.id);
  for (std::uint32_t p = 0; p < element_count(base.spec()); ++p) {
    const Job* made = state.elements.find(base.first_element + p);
    visit(made ? *made : base, {base.id.job, element_index(base.spec(), p)});
  }
}

std::vector<PendReason> reasons_of(const Seen& seen, const Job& job, JobId id) {
  auto state = state_of(job, id);
  if (state == JobState::Held)
    return {{PendCode::Held, "The job was suspended by the user while pending", 0, "bresume it"}};
  if (job.parked && !is_over(state))
    return {{PendCode::Priority, "Suspended by the system: " + job.parked->text, 0,
             "goes on when its slots are free again"}};
  if (state != JobState::Pending) return {};
  for (auto key : {id, job.id})
    if (auto* reasons = find_reasons(seen.reasons, key); reasons && !reasons->empty())
      return *reasons;
  return {{PendCode::New, "New job is waiting for scheduling", 0,
           "starts or is explained by the next scheduling pass"}};
}

std::string result_dir(const Config& config, const JobSpec& spec, JobId id) {
  auto root = config.cluster.dirs.results.empty() ? spec.home : config.cluster.dirs.results;
  auto name = std::to_string(id.job) + (id.index ? "." + std::to_string(id.index) : "");
  return root + "/" + spec.owner.user + "/batchworkdir/" + name;
}

}  // namespace

JobState state_of(const Job& job, JobId id) {
  if (job.id == id && job.spec().array.empty()) return job.state;
  if (job.id == id && id.index) return job.state;
  if (job.kill) return JobState::Killed;
  return job.state == JobState::Held ? JobState::Held : JobState::Pending;
}

void each_selected(const Cluster& state, const JobSelection& selection, const std::string& caller,
                   const std::function<void(const Job&, JobId)>& visit) {
  auto consider = [&](const Job& job, JobId id) {
    if (fits(state, selection, caller, job, id)) visit(job, id);
  };
  if (selection.ids.empty()) {
    state.jobs.each([&](std::uint32_t, const Job& base) { each_part(state, base, consider); });
    return;
  }
  for (auto id : selection.ids) {
    const Job* base = state.jobs.find(id.job);
    if (!base) continue;
    each_part(state, *base, [&](const Job& job, JobId part) {
      if (id.index == 0 || part == id) consider(job, part);
    });
  }
}

std::vector<JobId> missing_ids(const Cluster& state, const JobSelection& selection) {
  std::vector<JobId> missing;
  for (auto id : selection.ids) {
    const Job* base = state.jobs.find(id.job);
    if (!base || (id.index && !element_position(base->spec(), id.index))) missing.push_back(id);
  }
  return missing;
}

JobView view_of(const Seen& seen, const Job& job, JobId id) {
  const auto& config = *seen.state.config;
  const auto& app = app_of(config, job.spec());
  JobView view;
  auto shown = std::make_shared<Job>(job);
  shown->state = state_of(job, id);
  view.job = std::move(shown);
  view.id = id;
  view.app = app.name;
  view.app_type = to_string(app.type);
  view.plan = job.spec().plan;
  view.resize = to_string(resize_mode_of(config, job));
  for (const auto& task : job.tasks) {
    const Host* host = seen.state.hosts.find(task.host.value);
    view.task_hosts.push_back(host ? host->name : "?");
  }
  view.excluded_hosts = names_of(seen.state, job.excluded_hosts);
  view.reasons = reasons_of(seen, job, id);
  const auto& progress = seen.hosts.progress();
  if (auto it = progress.find(id); it != progress.end()) view.progress = it->second;
  view.result_dir = result_dir(config, job.spec(), id);
  view.run_limit = run_limit_of(config, job.spec());
  if (view.job->state == JobState::Pending) {
    if (!seen.order) seen.order = std::make_shared<sched::FairOrder>(seen.state, seen.state.time);
    view.priority = sched::priority_terms(seen.state, job, *seen.order);
  }
  return view;
}

QueueView view_of(const Seen& seen, const QueueConf& queue) {
  QueueView view;
  view.conf = queue;
  if (auto it = seen.state.queues.find(queue.name); it != seen.state.queues.end()) {
    view.closed = it->second.closed;
    view.inactive = it->second.inactive;
    view.why = it->second.why;
  }
  seen.state.jobs.each([&](std::uint32_t, const Job& base) {
    if (base.spec().queue != queue.name) return;
    each_part(seen.state, base, [&](const Job& job, JobId id) {
      auto state = state_of(job, id);
      if (is_over(state)) return;
      auto slots = job.id == id && slots_held(job) ? slots_held(job) : job.spec().min_tasks;
      view.jobs += slots;
      if (state == JobState::Pending) view.pending += slots;
      else if (state == JobState::Held || state == JobState::Suspended) view.suspended += slots;
      else view.running += slots;
    });
  });
  return view;
}

HostView view_of(const Seen& seen, const Host& host) {
  HostView view;
  view.host = host;
  view.connected = seen.hosts.connected(host.id);
  view.load = seen.hosts.load(host.id);
  view.gpus = seen.hosts.gpus(host.id);
  each_job(seen.state, [&](const Job& job) {
    for (const auto& task : job.tasks) {
      if (task.host != host.id || !task.holds_slot()) continue;
      if (job.parked) {
        ++view.parked;
        continue;
      }
      ++view.jobs;
      ++(job.state == JobState::Suspended ? view.suspended : view.running);
      if (task.state == TaskState::Stuck)
        view.stuck_gpus += static_cast<std::uint32_t>(task.gpus.size());
    }
  });
  return view;
}

}  // namespace wm::master
