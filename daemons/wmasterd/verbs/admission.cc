// What the master makes of a specification, and whether it takes it.
#include "daemons/wmasterd/verbs/admission.h"

#include <algorithm>
#include <set>

#include "daemons/wmasterd/verbs/privacy.h"
#include "daemons/wmasterd/verbs/selection.h"
#include "libwm/codec/codec.h"
#include "libwm/expr/depend.h"
#include "libwm/expr/groups.h"
#include "libwm/expr/request.h"
#include "libwm/model/config/recipients.h"
#include "libwm/model/elements.h"
#include "libwm/sched/feasible.h"

namespace wm::master {
namespace {

bool may_use(const Config& config, const std::vector<std::string>& users, const Identity& who) {
  return users.empty() || is_listed(config, users, who);
}

// What the names in a specification stand for, looked up once. Null: there is none such, which
// check_queue and check_names refuse.
struct Resolved {
  const QueueConf* queue = nullptr;
  const AppConf* app = nullptr;
};

Resolved resolve(const Config& config, const JobSpec& spec) {
  return {config.queue(spec.queue), config.app(spec.app)};
}

// What a job without -n has by a queue or profile; 0: that says nothing. As LSF takes TASKLIMIT,
// the least is the default of one that names none.
template <class Conf>
std::uint32_t default_tasks_of(const Conf* conf) {
  if (!conf) return 0;
  return conf->default_tasks ? conf->default_tasks : conf->min_tasks;
}

void fill_tasks(const Resolved& resolved, JobSpec& spec) {
  if (!spec.default_tasks || !spec.groups.empty()) return;
  auto tasks = default_tasks_of(resolved.app);
  if (tasks == 0) tasks = default_tasks_of(resolved.queue);
  spec.min_tasks = spec.max_tasks = std::max(1u, tasks);
}

// What the submitter left open is decided here, once, and kept in the event.
Resolved fill_defaults(const Config& config, JobSpec& spec) {
  if (spec.queue.empty()) spec.queue = config.cluster.default_queue;
  const auto* queue = config.queue(spec.queue);
  if (spec.app.empty())
    spec.app = queue && !queue->app.empty() ? queue->app : config.cluster.default_app;
  if (spec.plan.empty()) spec.plan = plan_unless_said(config, spec.queue, spec.owner.user);
  if (spec.project.empty()) spec.project = config.cluster.default_project;
  if (spec.name.empty())
    spec.name = spec.groups.empty() ? spec.program.command : spec.groups[0].command;
  if (spec.name.empty() && spec.program.script_hash.empty()) spec.name = spec.app;
  const auto* app = config.app(spec.app);
  if (spec.run_estimate == Duration{} && app) spec.run_estimate = app->run_estimate;
  if (spec.run_estimate == Duration{} && queue) spec.run_estimate = queue->run_estimate;
  if (!spec.groups.empty()) spec.array = {{1, static_cast<std::uint32_t>(spec.groups.size()), 1}};
  fill_tasks({queue, app}, spec);
  return {queue, app};
}

// A limit is that of jobs which ask for none, and the most that one may ask for.
template <class T>
Result<void> fill_limit(T& asked, const T& most, const char* option, const std::string& whose) {
  if (most == T{}) return {};
  if (asked == T{}) asked = most;
  if (asked <= most) return {};
  return fail(Code::Limit, std::string(option) + ": Cannot exceed " + whose);
}

Result<void> fill_limits(JobLimits& limits, const JobLimits& most, const std::string& whose) {
  WM_TRY(fill_limit(limits.cpu, most.cpu, "-c", whose));
  WM_TRY(fill_limit(limits.mem, most.mem, "-M", whose));
  WM_TRY(fill_limit(limits.file, most.file, "-F", whose));
  WM_TRY(fill_limit(limits.data, most.data, "-D", whose));
  WM_TRY(fill_limit(limits.stack, most.stack, "-S", whose));
  WM_TRY(fill_limit(limits.core, most.core, "-C", whose));
  WM_TRY(fill_limit(limits.swap, most.swap, "-v", whose));
  WM_TRY(fill_limit(limits.processes, most.processes, "-p", whose));
  return fill_limit(limits.threads, most.threads, "-T", whose);
}

std::string hard_limits_of(const QueueConf& queue) {
  return "queue's hard limit(s): queue '" + queue.name + "'";
}
std::string hard_limits_of(const AppConf& app) {
  return "profile's hard limit(s): application profile '" + app.name + "'";
}

// What -R and -gpu ask for, with what queue and application profile add.
Result<std::vector<JobSpec>> fill_request(const LsfConf& lsf, const Resolved& resolved,
                                          JobSpec& spec) {
  const auto& queue = *resolved.queue;
  const auto& app = *resolved.app;
  WM_TRY(auto others, expr::fill_request(spec, queue, app, {lsf.reserve_per_task, lsf.mem_unit()}));
  auto limit = [&](JobSpec& one) -> Result<void> {
    if (one.task.mem.value == 0) {
      one.task.mem = queue.mem_limit;
      one.task.mem_per_host = one.limits.mem_per_host;
    }
    WM_TRY(fill_limits(one.limits, app.limits, hard_limits_of(app)));
    if (one.limits.mem.value == 0) one.limits.mem = queue.mem_limit;
    return fill_limits(one.limits, queue.limits, hard_limits_of(queue));
  };
  WM_TRY(limit(spec));
  for (auto& other : others) {
    WM_TRY(limit(other));
  }
  return others;
}

// What each group asks for; the job itself asks for nothing that is placed.
Result<std::vector<JobSpec>> fill_groups(const LsfConf& lsf, const Resolved& resolved,
                                         const JobSpec& spec) {
  std::vector<JobSpec> groups;
  for (std::uint32_t n = 1; n <= spec.groups.size(); ++n) {
    groups.push_back(group_spec(spec, n));
    auto others = fill_request(lsf, resolved, groups.back());
    auto whose = "group '" + spec.groups[n - 1].name + "'";
    if (!others) return others.error().within(whose);
    if (!others->empty())
      return fail(Code::BadArgument, whose + ": a group has one requirement, no alternatives");
  }
  return groups;
}

Result<void> check_groups_ever(const Cluster& state, const std::vector<JobSpec>& groups) {
  for (const JobSpec& group : groups) WM_TRY(sched::check_feasible_ever(state, group));
  return {};
}

// One alternative that the cluster could run is enough; else the first is explained.
Result<void> check_ever(const Cluster& state, const JobSpec& spec,
                        const std::vector<JobSpec>& others) {
  auto first = sched::check_feasible_ever(state, spec);
  if (first) return first;
  for (const auto& other : others)
    if (sched::check_feasible_ever(state, other)) return {};
  return first;
}

Result<void> check_run_limit(const Config& config, const Resolved& resolved, const JobSpec& spec) {
  auto check = [&](Duration most, const std::string& whose) -> Result<void> {
    if (most == Duration{} || run_limit_of(config, spec) <= most) return {};
    return fail(Code::Limit,
                "RUNLIMIT: Cannot exceed " + whose + " allows " + format_duration(most));
  };
  if (resolved.queue) WM_TRY(check(resolved.queue->run_limit.max, hard_limits_of(*resolved.queue)));
  if (resolved.app) WM_TRY(check(resolved.app->run_limit.max, hard_limits_of(*resolved.app)));
  return {};
}

// `Conf`: of a queue or a profile.
template <class Conf>
Result<void> check_task_count(const JobSpec& spec, const Conf& conf, const std::string& whose) {
  if (conf.max_tasks && spec.min_tasks > conf.max_tasks)
    return fail(Code::Limit, "Too many processors requested: " + std::to_string(spec.min_tasks) +
                                 ", " + whose + " allows " + std::to_string(conf.max_tasks));
  if (conf.min_tasks && spec.max_tasks < conf.min_tasks)
    return fail(Code::Limit, "Too few processors requested: " + std::to_string(spec.max_tasks) +
                                 ", " + whose + " asks for " + std::to_string(conf.min_tasks));
  return {};
}

Result<void> check_queue(const Cluster& state, const QueueConf* queue, const JobSpec& spec) {
  if (!queue) return fail(Code::NotFound, spec.queue + ": No such queue");
  if (!may_use(*state.config, queue->users, spec.owner))
    return fail(Code::Denied, spec.queue + ": User cannot use the queue");
  auto standing = state.queues.find(spec.queue);
  if (standing != state.queues.end() && standing->second.closed)
    return fail(Code::Denied, spec.queue + ": Queue has been closed");
  WM_TRY(check_task_count(spec, *queue, "queue '" + spec.queue + "'"));
  if (spec.exclusive && !queue->exclusive)
    return fail(Code::Denied, spec.queue + ": Queue does not accept EXCLUSIVE jobs");
  bool interactive = spec.console.streams != Streams::Files;
  if (interactive && queue->interactive == Interactive::No)
    return fail(Code::Denied, spec.queue + ": Queue does not accept interactive jobs");
  if (!interactive && queue->interactive == Interactive::Only)
    return fail(Code::Denied, spec.queue + ": Queue only accepts interactive jobs");
  return {};
}

// Is anything of it not over? What has groups is over when they are.
bool is_there(const Cluster& state, const Job& job) {
  if (job.spec().groups.empty()) return !is_over(job.state);
  for (std::uint32_t n = 1; n <= job.spec().groups.size(); ++n) {
    JobId id{job.id.job, n};
    const Job* one = job_or_base(state, id);
    if (one && !is_over(state_of(*one, id))) return true;
  }
  return false;
}

// Names of services are one in the cluster, also of those that are held.
Result<void> check_service(const Cluster& state, const JobSpec& spec) {
  Result<void> free;
  if (spec.exec.service.empty()) return free;
  const auto key = key_of(spec.exec.service);
  each_keyed(state.jobs, state.indexes.services, key, 0, [&](const Job& job) {
    if (job.spec().exec.service == spec.exec.service && is_there(state, job))
      free = fail(Code::Conflict, "service " + spec.exec.service + " is there already: Job <" +
                                      to_string(job.id) + ">");
    return true;
  });
  return free;
}

// What it names beside queue and plan: an advance reservation, a service class.
Result<void> check_arranged(const Cluster& state, const JobSpec& spec) {
  const Config& config = *state.config;
  if (!spec.service_class.empty()) {
    const ServiceClass* sla = config.service_class(spec.service_class);
    if (!sla) return fail(Code::NotFound, spec.service_class + ": No such service class");
    if (!may_use(config, sla->users, spec.owner))
      return fail(Code::Denied, spec.service_class + ": User cannot use the service class");
  }
  if (spec.reservation.empty()) return {};
  const Reservation* reservation = find_reservation(state, spec.reservation);
  if (!reservation) return fail(Code::NotFound, spec.reservation + ": No such reservation");
  if (reservation->kind == ReservedFor::System ||
      !is_listed(config, reservation->users, spec.owner))
    return fail(Code::Denied, spec.reservation + ": User cannot use the reservation");
  std::uint64_t slots = 0;
  for (const PromisedPlace& place : reservation->places) slots += place.tasks;
  if (spec.min_tasks <= slots) return {};
  return fail(Code::Limit, "Too many processors requested: " + std::to_string(spec.min_tasks) +
                               ", reservation '" + spec.reservation + "' has " +
                               std::to_string(slots));
}

Result<void> check_names(const Config& config, const AppConf* app, const JobSpec& spec) {
  if (!app) return fail(Code::NotFound, spec.app + ": No such application profile");
  WM_TRY(check_task_count(spec, *app, "application profile '" + spec.app + "'"));
  if (!config.plan(spec.plan)) return fail(Code::NotFound, spec.plan + ": No such resource plan");
  if (!may_use_plan(config, spec.plan, spec.owner))
    return fail(Code::Denied, spec.plan + ": User cannot use the resource plan");
  if (!is_below_users_plan(config, spec.queue, spec.plan, spec.owner))
    return fail(Code::Denied, spec.plan + ": User cannot use the resource plan: that of " +
                                  spec.owner.user + " is " + config.user(spec.owner.user)->plan +
                                  ", and those below it (users.conf)");
  return {};
}

Result<void> check_sizes(const Config& config, const AppConf& app, const JobSpec& spec) {
  const auto& limits = config.cluster.limits;
  bool grouped = !spec.groups.empty();
  bool has_own = !spec.program.command.empty() || !spec.program.script_hash.empty();
  if (!grouped && !has_own && app.command.empty()) return fail(Code::BadArgument, "Empty job");
  if (limits.max_user_priority && spec.user_priority > limits.max_user_priority)
    return fail(Code::Limit, "-sp " + std::to_string(spec.user_priority) +
                                 ": Bad user priority: at most " +
                                 std::to_string(limits.max_user_priority));
  if (spec.min_tasks == 0 || spec.max_tasks < spec.min_tasks)
    return fail(Code::BadArgument, "-n " + std::to_string(spec.min_tasks) + "," +
                                       std::to_string(spec.max_tasks) + ": Bad argument");
  for (const auto& range : spec.array)
    if (range.from == 0 || range.to < range.from || range.step == 0)
      return fail(Code::BadArgument, "Job array index error: " + std::to_string(range.from) + "-" +
                                         std::to_string(range.to) + ":" +
                                         std::to_string(range.step));
  const auto elements = element_count(std::span<const IndexRange>(spec.array));
  if (elements > limits.max_array_size)
    return fail(Code::Limit, "Job array index too large: " + std::to_string(elements) +
                                 " elements, the limit is " +
                                 std::to_string(limits.max_array_size));
  if (element_count(each_once(spec.array)) != elements)
    return fail(Code::BadArgument, "Job array index error: an index is named twice");
  return {};
}

// So that what hosts and users are told of the job fits into a frame: its command three times,
// script and environment, or every alternative.
Result<void> check_bytes(const Admitted& made) {
  std::size_t bytes = codec::encode(made.spec).size();
  for (const auto& other : made.alternatives) bytes += codec::encode(other).size();
  if (bytes <= kMaxSpec) return {};
  return fail(Code::Limit, "the job's command, name and requests have " + std::to_string(bytes) +
                               " bytes with all alternatives; at most " + std::to_string(kMaxSpec) +
                               ": put the command into a script");
}

Result<void> check_dependency(const Cluster& state, const JobSpec& spec,
                              const expr::Depend& condition) {
  for (auto id : condition.jobs()) {
    const Job* job = state.jobs.find(id.job);
    bool hidden = job && is_hidden(*state.config, {{0u}}, spec.owner, job->spec());
    if (!job || hidden || (id.index && !element_position(job->spec(), id.index)))
      return fail(Code::NotFound, to_string(id) + ": No matching job found");
    if (condition.by_element() && element_count(job->spec()) != element_count(spec))
      return fail(Code::BadArgument, "Dependent arrays do not have the same size");
  }
  return {};
}

// Does what the condition is about wait for the job, one for another?
bool comes_back_to(const Cluster& state, std::uint32_t job, const std::string& depend) {
  std::set<std::uint32_t> seen;
  std::vector<std::string> todo = {depend};
  while (!todo.empty()) {
    auto condition = expr::Depend::parse(todo.back());
    todo.pop_back();
    if (!condition) continue;
    for (JobId id : condition->jobs()) {
      if (id.job == job) return true;
      const Job* next = seen.insert(id.job).second ? state.jobs.find(id.job) : nullptr;
      if (next && !is_over(next->state)) todo.push_back(next->spec().when.depend);
    }
  }
  return false;
}

// What -w names becomes numbers now: a job of the same name that comes later is not meant.
Result<void> fill_dependency(const Cluster& state, JobSpec& spec) {
  WM_TRY(auto condition, expr::Depend::parse(spec.when.depend));
  WM_TRY(condition.resolve(
      [&](const std::string& name) { return jobs_named(state, spec.owner, name); }));
  WM_TRY(check_dependency(state, spec, condition));
  spec.when.depend = condition.text();
  return {};
}

Result<void> check_dates(const JobSpec& spec, WallTime now) {
  if (spec.when.deadline == WallTime{}) return {};
  if (spec.when.begin >= spec.when.deadline)
    return fail(Code::BadArgument, "Start time is later than termination time");
  if (spec.when.deadline <= now)
    return fail(Code::BadArgument, "Bad time specification: the termination time is over");
  return {};
}

// Whom it notifies: what a client should have refused, and where this site posts nothing.
Result<void> check_mail(const Config& config, const MailWish& mail) {
  if (mail.to.empty()) return {};
  WM_TRY(auto to, parse_recipients(mail.to));
  for (const auto& url : to.urls)
    if (!is_allowed_url(url, config.cluster.scripts.notify_urls))
      return fail(
          Code::Denied,
          "-u " + url + ": it begins with none of notify_urls (wm.conf), nothing is posted");
  return {};
}

// "Never" can only be said of a job once every configured host has told its size.
bool all_hosts_known(const Cluster& state) { return state.indexes.hosts_missing == 0; }

// `depend`: the condition with numbers for names, where they are known from before.
Result<Admitted> fill(const Cluster& state, JobSpec spec, WallTime now, const std::string* depend) {
  Admitted made;
  const Config& config = *state.config;
  const Resolved resolved = fill_defaults(config, spec);
  WM_TRY(check_queue(state, resolved.queue, spec));
  WM_TRY(check_names(config, resolved.app, spec));
  WM_TRY(check_arranged(state, spec));
  WM_TRY(check_mail(config, spec.mail));
  WM_TRY(check_run_limit(config, resolved, spec));
  WM_TRY(expr::check_groups(spec));
  WM_TRY(expr::check_bundle(spec.exec));
  WM_TRY(check_sizes(config, *resolved.app, spec));
  if (depend) spec.when.depend = *depend;
  else WM_TRY(fill_dependency(state, spec));
  bool grouped = !spec.groups.empty();
  const LsfConf& lsf = config.cluster.lsf;
  WM_TRY(made.alternatives,
         grouped ? fill_groups(lsf, resolved, spec) : fill_request(lsf, resolved, spec));
  WM_TRY(check_dates(spec, now));
  if (all_hosts_known(state))
    WM_TRY(grouped ? check_groups_ever(state, made.alternatives)
                   : check_ever(state, spec, made.alternatives));
  made.spec = std::move(spec);
  WM_TRY(check_bytes(made));
  return made;
}

}  // namespace

Result<Admitted> admit(const Cluster& state, JobSpec spec, WallTime now) {
  WM_TRY(check_service(state, spec));
  return fill(state, std::move(spec), now, nullptr);
}

Result<Admitted> admit_to_queue(const Cluster& state, const Job& job, const std::string& queue,
                                WallTime now) {
  WM_TRY(auto spec, codec::decode<JobSpec>(job.sealed->bytes));
  spec.owner = job.spec().owner;
  spec.queue = queue;
  spec.run_limit = job.spec().run_limit;
  return fill(state, std::move(spec), now, &job.spec().when.depend);
}

Result<Admitted> admit_change(const Cluster& state, const Job& job, JobSpec spec, WallTime now) {
  WM_TRY(auto before, codec::decode<JobSpec>(job.sealed->bytes));
  if (spec.program.script_hash != before.program.script_hash ||
      spec.program.env_hash != before.program.env_hash)
    return fail(Code::Damaged, "another script or environment than it was submitted with");
  spec.owner = job.spec().owner;
  if (spec.queue == before.queue) spec.queue = job.spec().queue;
  if (spec.run_limit == before.run_limit) spec.run_limit = job.spec().run_limit;
  bool same = spec.when.depend == before.when.depend;
  WM_TRY(auto made, fill(state, std::move(spec), now, same ? &job.spec().when.depend : nullptr));
  if (same || !comes_back_to(state, job.id.job, made.spec.when.depend)) return made;
  return fail(Code::BadArgument, "-w " + made.spec.when.depend + ": the job would wait for itself");
}

Result<Admitted> admit_live_change(const Job& job, const JobSpec& spec) {
  WM_TRY(auto before, codec::decode<JobSpec>(job.sealed->bytes));
  before.side.notify = spec.side.notify;
  if (!(before == spec))
    return fail(Code::Conflict, "Job <" + to_string(job.id) + ">: Job has already started");
  Admitted made{job.sealed->spec, job.sealed->alternatives};
  made.spec.side.notify = spec.side.notify;
  for (JobSpec& other : made.alternatives) other.side.notify = spec.side.notify;
  return made;
}

Result<Admitted> admit_limit(const Cluster& state, const Job& job, Duration limit, bool by_admin) {
  const Config& config = *state.config;
  Admitted made{job.sealed->spec, job.sealed->alternatives};
  Duration before = run_limit_of(config, made.spec);
  made.spec.run_limit = limit;
  for (JobSpec& other : made.alternatives) other.run_limit = limit;
  bool waits =
      job.state == JobState::Pending || job.state == JobState::Held || job.state == JobState::Array;
  if (!waits && by_admin) return made;
  Duration after = run_limit_of(config, made.spec);
  bool raises = before > Duration{} && (after == Duration{} || after > before);
  if (!waits && raises)
    return fail(Code::Denied, "Job has started: only an administrator can raise its run limit of " +
                                  format_duration(before));
  WM_TRY(check_run_limit(config, resolve(config, made.spec), made.spec));
  return made;
}

std::string change_words(const JobSpec& before, const JobSpec& after) {
  std::string text;
  auto say = [&](const char* what, const std::string& from, const std::string& to) {
    if (from == to) return;
    text += (text.empty() ? "" : "; ") + std::string(what) + " " + (from.empty() ? "none" : from) +
            " -> " + (to.empty() ? "none" : to);
  };
  auto tasks = [](const JobSpec& s) {
    auto min = std::to_string(s.min_tasks);
    return s.min_tasks == s.max_tasks ? min : min + "," + std::to_string(s.max_tasks);
  };
  auto limit = [](const JobSpec& s) {
    return s.run_limit == Duration{} ? "" : format_duration(s.run_limit);
  };
  say("queue", before.queue, after.queue);
  say("plan", before.plan, after.plan);
  say("profile", before.app, after.app);
  say("name", before.name, after.name);
  say("tasks", tasks(before), tasks(after));
  say("run limit", limit(before), limit(after));
  say("requirement", before.asked.resreq, after.asked.resreq);
  say("GPUs", before.asked.gpu, after.asked.gpu);
  say("condition", before.when.depend, after.when.depend);
  say("priority", std::to_string(before.user_priority), std::to_string(after.user_priority));
  return text.empty() && !(before == after) ? "other parameters" : text;
}

}  // namespace wm::master
