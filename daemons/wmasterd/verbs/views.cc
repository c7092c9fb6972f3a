#include "daemons/wmasterd/verbs/views.h"

#include <algorithm>
#include <map>
#include <set>

#include "daemons/wmasterd/hosts/host_names.h"
#include "daemons/wmasterd/hosts/missing.h"
#include "libwm/model/exec_id.h"
#include "libwm/model/groups.h"
#include "libwm/model/stoppers.h"
#include "libwm/sched/reasons.h"
#include "libwm/view/sent.h"

namespace wm::master {
namespace {

std::string name_of(const Cluster& cluster, HostId id) {
  const Host* host = cluster.hosts.find(id.value);
  return host ? host->name : "?";
}

void drop_old_setbacks(Job& job, WallTime now) {
  std::erase_if(job.size.setbacks, [&](const Setback& setback) { return setback.until <= now; });
  if (!is_grow_blocked(job, now)) job.size.grow_blocked.clear();
}

// Of what is still to come of an open array.
PendReason reason_of_rest(const ViewSource& source, const Job& base) {
  if (base.spec().exec.search.empty())
    return {PendCode::New, "The array waits for its next element", 0, "bgive it, or close it"};
  if (!has_suggester(base.spec()))
    return {PendCode::New, "The search's own optimizer brings its next trial", 0, ""};
  auto waits = source.waits ? source.waits->find(base.id.job) : SearchWaits::const_iterator();
  if (!source.waits || waits == source.waits->end())
    return {PendCode::New, "The search brings its next trial when one has ended", 0, ""};
  return {PendCode::New, "The search cannot bring its next trial: " + waits->second, 0,
          "it is asked again every few seconds"};
}

std::vector<PendReason> reasons_of(const ViewSource& source, const Job& job, JobId id) {
  auto state = state_of(job, id);
  if (state == JobState::Held) return {sched::held_reason(job, id)};
  if (job.parked && !is_over(state))
    return {{PendCode::Priority, "Suspended by the system: " + job.parked->text, 0,
             "goes on when its slots are free again"}};
  if (state != JobState::Pending) return {};
  if (job.spec().open && id.index == 0) return {reason_of_rest(source, job)};
  for (auto key : {id, job.id})
    if (auto* reasons = find_reasons(*source.reasons, key); reasons && !reasons->empty())
      return *reasons;
  return {{PendCode::New, "New job is waiting for scheduling", 0,
           "starts or is explained by the next scheduling pass"}};
}

std::string result_dir(const Config& config, const JobSpec& spec, JobId id) {
  auto root = config.cluster.dirs.results.empty() ? spec.program.home : config.cluster.dirs.results;
  return root + "/" + spec.owner.user + "/batchworkdir/" + id_part(id);
}

// What active reservations keep there and nobody uses: what is lent is in use.
std::uint32_t reserved_idle(const Cluster& state, const Host& host, WallTime now) {
  std::uint32_t idle = 0, slots = host.capacity.slots;
  for (const auto& [name, what] : *state.reservations) {
    auto kept = slots_on(what, host.id);
    if (kept == 0 || !is_active(what, state.config->clock, now)) continue;
    idle += kept - std::min(kept, used_of(state, what, host.id));
  }
  return std::min(idle, slots - std::min(slots, host.used_slots));
}

QueueView empty_view(const Cluster& state, const QueueConf& queue) {
  QueueView view;
  view.conf = view::sent(queue);
  if (auto it = state.queues.find(queue.name); it != state.queues.end()) {
    view.closed = it->second.closed;
    view.inactive = it->second.inactive;
    view.why = it->second.why;
  }
  return view;
}

// As LSF counts it: a job on a silent host is what it was before.
bool is_suspended(const Job& job, JobState state) {
  return state == JobState::Suspended || (state == JobState::Unknown && is_stopped(job));
}

void count(QueueView& view, const Job& job, JobId id) {
  auto state = state_of(job, id);
  if (is_over(state)) return;
  auto slots = job.id == id && slots_held(job) ? slots_held(job) : job.spec().min_tasks;
  view.jobs += slots;
  if (state == JobState::Pending) view.pending += slots;
  else if (state == JobState::Held || is_suspended(job, state)) {
    view.suspended += slots;
    if (state != JobState::Held && is_stopped_by_system(job)) view.parked += slots;
  } else view.running += slots;
}

/// Shows a host as closed while its dispatch window is.
void close_by_window(const Config& config, WallTime now, HostView& view) {
  const HostConf* conf = config.host(view.host.name);
  if (!conf || view.host.closed || is_open(conf->dispatch_window, config.clock, now)) return;
  view.host.closed = true;
  view.host.closed_by = window_closer(conf->name);
  view.host.closed_why = "it is open at " + show_windows(conf->dispatch_window);
}

HostView empty_view(const ViewSource& source, const Host& host, WallTime now) {
  HostView view;
  view.host = view::sent(host);
  close_by_window(*source.state->config, now, view);
  if (const HostStanding* standing = source.hosts.find(host.id.value)) {
    view.connected = standing->connected;
    view.load = standing->load;
    view.more = standing->more;
    view.gpus = standing->gpus;
    bool busy = !standing->busy.empty() && !view.host.closed;
    if (busy) {
      view.host.closed = true;
      view.host.closed_by = load_stopper(host.name);
      view.host.closed_why = standing->busy;
    }
  }
  return view;
}

HostView never_seen(const HostConf& conf) {
  HostView view;
  view.host.name = conf.name;
  view.host.state = HostState::Silent;
  view.host.capacity.slots = conf.slots;
  return view;
}

void count(HostView& view, const Job& job, const Task& task) {
  if (!task.holds_slot()) return;
  if (job.parked) {
    ++view.parked;
    return;
  }
  ++view.jobs;
  if (task.moves || (view.host.drains && task.state == TaskState::Leaving)) ++view.moving;
  ++(is_suspended(job, job.state) ? view.suspended : view.running);
  if (task.state == TaskState::Stuck)
    view.stuck_gpus += static_cast<std::uint32_t>(task.gpus.size());
}

// Each host tells of all its tasks together.
std::optional<AttemptUse> use_of(const ViewSource& source, const Job& job) {
  std::set<HostId> hosts;
  for (const Task& task : job.tasks)
    if (task.holds_slot()) hosts.insert(task.host);
  std::optional<AttemptUse> all;
  for (HostId host : hosts) {
    const HostStanding* standing = source.hosts.find(host.value);
    const AttemptUse* use =
        standing && standing->uses ? standing->uses->of(job.id, job.attempt) : nullptr;
    if (!use) continue;
    if (!all) {
      all = *use;
      continue;
    }
    all->cpu += use->cpu;
    all->mem = all->mem + use->mem, all->max_mem = all->max_mem + use->max_mem;
    all->mean_mem = all->mean_mem + use->mean_mem;
    all->gpu_energy_mj += use->gpu_energy_mj;
    all->swap = all->swap + use->swap, all->max_swap = all->max_swap + use->max_swap;
    all->gpu_over.insert(all->gpu_over.end(), use->gpu_over.begin(), use->gpu_over.end());
    all->processes += use->processes, all->threads += use->threads;
    all->pids.insert(all->pids.end(), use->pids.begin(), use->pids.end());
  }
  return all;
}

void add_what_its_owner_sees(const ViewSource& source, const Job& job, JobView& view) {
  const Cluster& state = *source.state;
  view.excluded_hosts = names_of(state, job.waits.excluded_hosts);
  for (const auto& setback : view.job->size.setbacks)
    view.setback_hosts.push_back(name_of(state, setback.host));
  if (auto it = source.progress->find(view.id); it != source.progress->end())
    view.progress = it->second;
  if (auto it = source.meetings->find(view.id);
      it != source.meetings->end() && it->second.attempt == job.attempt && !it->second.complete)
    view.meeting = missing_text(state, job, it->second.meeting);
  if (!is_over(job.state) && !job.tasks.empty()) view.use = use_of(source, job);
  view.result_dir = result_dir(*state.config, job.spec(), results_owner(job, view.id));
  if (view.job->state != JobState::Pending) return;
  if (!source.order) source.order = std::make_shared<sched::FairOrder>(state, state.time);
  view.priority = sched::priority_terms(state, job, *source.order);
}

}  // namespace

JobView view_of(const ViewSource& source, const Job& job, JobId id, JobInfo info) {
  const Cluster& state = *source.state;
  const auto& config = *state.config;
  const auto& app = app_of(config, job.spec());
  bool whole = info == JobInfo::All;
  JobView view;
  auto shown =
      std::make_shared<Job>(view::sent(job, whole ? view::Reach::Owner : view::Reach::Anyone));
  shown->state = state_of(job, id);
  drop_old_setbacks(*shown, state.time);
  view.job = std::move(shown);
  view.id = id;
  view.app = app.name;
  view.app_type = to_string(app.type);
  view.plan = job.spec().plan;
  view.resize = to_string(resize_mode_of(config, job));
  for (const auto& task : job.tasks) view.task_hosts.push_back(name_of(state, task.host));
  view.exec_id = exec_id(config.cluster.name, id);
  view.run_limit = run_limit_of(config, job.spec());
  view.reasons = reasons_of(source, job, id);
  if (whole) add_what_its_owner_sees(source, job, view);
  else
    for (auto& reason : view.reasons)
      reason = {reason.code, std::string(pend_code_name(reason.code)), 0, ""};
  return view;
}

std::vector<QueueView> view_queues(const Cluster& state, const std::vector<std::string>& names) {
  std::vector<QueueView> views;
  std::map<std::string, std::size_t> places;
  for (const auto& queue : state.config->queues) {
    if (!is_asked(names, queue.name)) continue;
    places[queue.name] = views.size();
    views.push_back(empty_view(state, queue));
  }
  state.jobs.each([&](std::uint32_t, const Job& base) {
    auto place = places.find(base.spec().queue);
    if (place == places.end()) return;
    each_part(state, base, [&](const Job& job, JobId id) { count(views[place->second], job, id); });
  });
  std::stable_sort(views.begin(), views.end(),
                   [](auto& a, auto& b) { return a.conf.priority > b.conf.priority; });
  return views;
}

std::uint32_t used_of(const Cluster& state, const Reservation& what, HostId host) {
  std::uint32_t used = 0;
  each_job_on(state, host, [&](const Job& job) {
    if (job.spec().reservation != what.name) return;
    for (const Task& task : job.tasks) used += task.host == host && task.holds_slot();
  });
  return used;
}

std::vector<HostView> view_hosts(const ViewSource& source, const HostsRequest& asked,
                                 WallTime now) {
  std::vector<HostView> views;
  auto wanted = [&](const std::string& name) {
    return is_asked(asked.names, name) && name > asked.after;
  };
  std::set<std::string> registered;
  source.state->hosts.each([&](std::uint32_t, const Host& host) {
    if (wanted(host.name)) views.push_back(empty_view(source, host, now));
    registered.insert(host.name);
  });
  for (const auto& conf : source.state->config->hosts)
    if (wanted(conf.name) && !registered.count(conf.name)) views.push_back(never_seen(conf));
  std::sort(views.begin(), views.end(), [](auto& a, auto& b) { return a.host.name < b.host.name; });
  for (auto& view : views) {
    each_job_on(*source.state, view.host.id, [&](const Job& job) {
      for (const auto& task : job.tasks)
        if (task.host == view.host.id) count(view, job, task);
    });
    view.reserved = reserved_idle(*source.state, view.host, now);
    const HostStanding* standing = source.hosts.find(view.host.id.value);
    if (asked.with_cpus && standing) view.cpus = standing->cpus;
  }
  return views;
}

}  // namespace wm::master
