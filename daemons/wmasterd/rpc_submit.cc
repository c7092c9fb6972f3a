// The verb Submit: signature, defaults, limits, feasibility; then one durable event.
#include <algorithm>

#include "daemons/wmasterd/call.h"
#include "daemons/wmasterd/clients.h"
#include "daemons/wmasterd/orders.h"
#include "libwm/expr/depend.h"
#include "libwm/expr/request.h"
#include "libwm/sched/feasible.h"

namespace wm::master {
namespace {

constexpr std::size_t kMaxBlob = 8u << 20;

bool is_listed(const Config& config, const std::vector<std::string>& users, const Identity& who) {
  if (users.empty()) return true;
  auto named = [&](const std::string& n) {
    return std::find(users.begin(), users.end(), n) != users.end();
  };
  if (named(who.user) || named("all")) return true;
  const auto* user = config.user(who.user);
  return user && std::any_of(user->groups.begin(), user->groups.end(), named);
}

// What the submitter left open is decided here, once, and kept in the event.
void fill_defaults(const Config& config, JobSpec& spec) {
  if (spec.queue.empty()) spec.queue = config.cluster.default_queue;
  const auto* queue = config.queue(spec.queue);
  if (spec.app.empty())
    spec.app = queue && !queue->app.empty() ? queue->app : config.cluster.default_app;
  const auto* user = config.user(spec.owner.user);
  if (spec.plan.empty() && queue) spec.plan = queue->plan;
  if (spec.plan.empty() && user) spec.plan = user->plan;
  if (spec.plan.empty()) spec.plan = config.cluster.default_plan;
  if (spec.project.empty()) spec.project = config.cluster.default_project;
  if (spec.name.empty()) spec.name = spec.command;
}

// A queue's limit is that of jobs which ask for none, and the most that one may ask for.
template <class T>
Result<void> fill_limit(T& asked, const T& most, const char* option, const QueueConf& queue) {
  if (most == T{}) return {};
  if (asked == T{}) asked = most;
  if (asked <= most) return {};
  return fail(Code::Limit, std::string(option) + ": Cannot exceed queue's hard limit(s): queue '" +
                               queue.name + "'");
}

Result<void> fill_limits(JobLimits& limits, const QueueConf& queue) {
  const auto& most = queue.limits;
  WM_TRY(fill_limit(limits.cpu, most.cpu, "-c", queue));
  WM_TRY(fill_limit(limits.mem, most.mem, "-M", queue));
  WM_TRY(fill_limit(limits.file, most.file, "-F", queue));
  WM_TRY(fill_limit(limits.data, most.data, "-D", queue));
  WM_TRY(fill_limit(limits.stack, most.stack, "-S", queue));
  WM_TRY(fill_limit(limits.core, most.core, "-C", queue));
  WM_TRY(fill_limit(limits.swap, most.swap, "-v", queue));
  WM_TRY(fill_limit(limits.processes, most.processes, "-p", queue));
  return fill_limit(limits.threads, most.threads, "-T", queue);
}

// What -R and -gpu ask for, with what queue and application profile add.
Result<std::vector<JobSpec>> fill_request(const Config& config, JobSpec& spec) {
  const auto& queue = *config.queue(spec.queue);
  WM_TRY(auto others, expr::fill_request(spec, queue, *config.app(spec.app)));
  auto limit = [&](JobSpec& one) -> Result<void> {
    if (one.task.mem.value == 0) one.task.mem = queue.mem_limit;
    if (one.limits.mem.value == 0) one.limits.mem = queue.mem_limit;
    return fill_limits(one.limits, queue);
  };
  WM_TRY(limit(spec));
  for (auto& other : others) {
    WM_TRY(limit(other));
  }
  return others;
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

Result<void> check_queue(const Cluster& state, const JobSpec& spec) {
  const auto* queue = state.config->queue(spec.queue);
  if (!queue) return fail(Code::NotFound, spec.queue + ": No such queue");
  if (!is_listed(*state.config, queue->users, spec.owner))
    return fail(Code::Denied, spec.queue + ": User cannot use the queue");
  auto standing = state.queues.find(spec.queue);
  if (standing != state.queues.end() && standing->second.closed)
    return fail(Code::Denied, spec.queue + ": Queue has been closed");
  auto limit = queue->run_limit.max;
  if (limit > Duration{} && run_limit_of(*state.config, spec) > limit)
    return fail(Code::Limit, "RUNLIMIT: Cannot exceed queue's hard limit(s): queue '" + spec.queue +
                                 "' allows " + format_duration(limit));
  if (queue->max_tasks && spec.min_tasks > queue->max_tasks)
    return fail(Code::Limit, "Too many processors requested: " + std::to_string(spec.min_tasks) +
                                 ", queue '" + spec.queue + "' allows " +
                                 std::to_string(queue->max_tasks));
  if (queue->min_tasks && spec.max_tasks < queue->min_tasks)
    return fail(Code::Limit, "Too few processors requested: " + std::to_string(spec.max_tasks) +
                                 ", queue '" + spec.queue + "' asks for " +
                                 std::to_string(queue->min_tasks));
  if (spec.exclusive && !queue->exclusive)
    return fail(Code::Denied, spec.queue + ": Queue does not accept EXCLUSIVE jobs");
  bool interactive = spec.streams != Streams::Files;
  if (interactive && queue->interactive == Interactive::No)
    return fail(Code::Denied, spec.queue + ": Queue does not accept interactive jobs");
  if (!interactive && queue->interactive == Interactive::Only)
    return fail(Code::Denied, spec.queue + ": Queue only accepts interactive jobs");
  return {};
}

Result<void> check_names(const Config& config, const JobSpec& spec) {
  if (!config.app(spec.app))
    return fail(Code::NotFound, spec.app + ": No such application profile");
  const auto* plan = config.plan(spec.plan);
  if (!plan) return fail(Code::NotFound, spec.plan + ": No such resource plan");
  if (!is_listed(config, plan->users, spec.owner))
    return fail(Code::Denied, spec.plan + ": User cannot use the resource plan");
  return {};
}

Result<void> check_sizes(const Cluster& state, const JobSpec& spec) {
  const auto& limits = state.config->cluster.limits;
  if (spec.command.empty() && spec.script_hash.empty()) return fail(Code::BadArgument, "Empty job");
  if (spec.min_tasks == 0 || spec.max_tasks < spec.min_tasks)
    return fail(Code::BadArgument, "-n " + std::to_string(spec.min_tasks) + "," +
                                       std::to_string(spec.max_tasks) + ": Bad argument");
  auto elements = element_count(spec);
  if (!spec.array.empty() && elements == 0) return fail(Code::BadArgument, "Job array index error");
  if (elements > limits.max_array_size)
    return fail(Code::Limit, "Job array index too large: " + std::to_string(elements) +
                                 " elements, the limit is " +
                                 std::to_string(limits.max_array_size));
  if (spec.elastic && !spec.array.empty())
    return fail(Code::BadArgument, "-ar: a job array cannot be elastic");
  return {};
}

// The own jobs of that name; "name*" begins like that.
Result<std::vector<std::uint32_t>> jobs_named(const Cluster& state, const Identity& who,
                                              const std::string& name) {
  std::vector<std::uint32_t> found;
  bool prefix = name.ends_with('*');
  auto stem = name.substr(0, name.size() - (prefix ? 1 : 0));
  state.jobs.each([&](std::uint32_t number, const Job& job) {
    const auto& have = job.spec().name;
    bool fits = prefix ? have.starts_with(stem) : have == stem;
    if (fits && job.spec().owner.uid == who.uid) found.push_back(number);
  });
  if (found.empty()) return fail(Code::NotFound, name + ": No matching job found");
  return found;
}

Result<void> check_dependency(const Cluster& state, const JobSpec& spec,
                              const expr::Depend& condition) {
  for (auto id : condition.jobs()) {
    const Job* job = state.jobs.find(id.job);
    if (!job || (id.index && !element_position(job->spec(), id.index)))
      return fail(Code::NotFound, to_string(id) + ": No matching job found");
    if (condition.by_element() && element_count(job->spec()) != element_count(spec))
      return fail(Code::BadArgument, "Dependent arrays do not have the same size");
  }
  return {};
}

// What -w names becomes numbers now: a job of the same name that comes later is not meant.
Result<void> fill_dependency(const Cluster& state, JobSpec& spec) {
  WM_TRY(auto condition, expr::Depend::parse(spec.depend));
  WM_TRY(condition.resolve(
      [&](const std::string& name) { return jobs_named(state, spec.owner, name); }));
  WM_TRY(check_dependency(state, spec, condition));
  spec.depend = condition.text();
  return {};
}

Result<void> check_dates(const JobSpec& spec, WallTime now) {
  if (spec.deadline == WallTime{}) return {};
  if (spec.begin >= spec.deadline)
    return fail(Code::BadArgument, "Start time is later than termination time");
  if (spec.deadline <= now)
    return fail(Code::BadArgument, "Bad time specification: the termination time is over");
  return {};
}

// "Never" can only be said of a job once every configured host has told its size.
bool all_hosts_known(const Cluster& state) {
  const auto& hosts = state.config->hosts;
  return std::all_of(hosts.begin(), hosts.end(),
                     [&](const HostConf& conf) { return find_host(state, conf.name) != nullptr; });
}

}  // namespace

void Clients::submit(Call call, const SubmitRequest& request) {
  auto spec = codec::decode<JobSpec>(request.spec);
  if (!spec) return call.refuse(spec.error());
  if (request.script.size() > kMaxBlob || request.env.size() > kMaxBlob)
    return call.refuse(fail(Code::Limit, "script or environment larger than 8M"));
  if (c_.world.low_space())
    return call.refuse(
        fail(Code::Store, "the master's disk is full: no new jobs until there is room"));
  bool hashes =
      (request.script.empty() ? "" : c_.world.hash(request.script)) == spec->script_hash &&
      c_.world.hash(request.env) == spec->env_hash;
  if (!hashes)
    return call.refuse(fail(Code::Damaged, "script or environment do not match the signed hashes"));
  auto signed_text = c_.world.hash(request.spec + request.request_key);
  if (request.credential.empty()) return admit_by_session(call, request, signed_text, *spec);
  in_flight_[request.request_key];
  c_.world.verify(request.credential, signed_text,
                  [this, call, request, spec = *spec](Result<Identity> who) mutable {
                    if (who && who->uid != call.caller().uid)
                      who = fail(Code::Denied, "the job was signed by another account");
                    if (who) {
                      spec.owner = call.caller();
                      return admit(call, request, std::move(spec));
                    }
                    in_flight_.erase(request.request_key);
                    call.refuse(who.error());
                  });
}

// The session's proof signed the specification as well: nothing is left to be asked.
void Clients::admit_by_session(Call call, SubmitRequest request, const std::string& signed_text,
                               JobSpec spec) {
  request.credential = call.session_credential(signed_text);
  if (request.credential.empty())
    return call.refuse(fail(Code::Denied, "the job is not signed by its submitter"));
  in_flight_[request.request_key];
  spec.owner = call.caller();
  admit(call, request, std::move(spec));
}

void Clients::admit(Call call, const SubmitRequest& request, JobSpec spec) {
  const Cluster& state = c_.journal.newest();
  bool default_queue = spec.queue.empty();
  fill_defaults(*state.config, spec);
  std::vector<JobSpec> others;
  auto verdict = [&]() -> Result<void> {
    WM_TRY(check_queue(state, spec));
    WM_TRY(check_names(*state.config, spec));
    WM_TRY(check_sizes(state, spec));
    WM_TRY(others, fill_request(*state.config, spec));
    WM_TRY(fill_dependency(state, spec));
    for (auto& other : others) other.depend = spec.depend;
    WM_TRY(check_dates(spec, c_.world.wall()));
    return all_hosts_known(state) ? check_ever(state, spec, others) : Result<void>{};
  }();
  if (!verdict) {
    in_flight_.erase(request.request_key);
    return call.refuse(verdict.error());
  }
  JobId id{state.last_job + 1, 0};
  auto sealed = std::make_shared<const SealedSpec>(
      SealedSpec{spec, request.spec, request.credential, request.request_key, std::move(others)});
  SubmitReply reply{id, spec.queue, default_queue};
  Proposal proposal;
  proposal.events = {JobSubmitted{id, sealed}};
  proposal.blobs = {{spec.env_hash, request.env}};
  if (!spec.script_hash.empty()) proposal.blobs.push_back({spec.script_hash, request.script});
  commit(call, request.request_key, reply, std::move(proposal));
}

}  // namespace wm::master
