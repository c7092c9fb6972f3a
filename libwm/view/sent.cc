// One row per member.
#include "libwm/view/sent.h"

#include <algorithm>
#include <memory>

namespace wm::view {
namespace {

template <class S, class T>
struct MemberTypes {
  using Struct = S;
  using Type = T;
};
template <class S, class T>
MemberTypes<S, T> types_of(T S::*);

template <auto Member>
consteval auto part(Reach reach) {
  using Types = decltype(types_of(Member));
  using S = typename Types::Struct;
  return Part<S>{reach, [](S& to, const S& from) { to.*Member = from.*Member; },
                 [](const S& from) -> const void* { return &(from.*Member); },
                 sizeof(typename Types::Type)};
}

using enum Reach;

constexpr Part<Job> kJob[] = {
    part<&Job::id>(Anyone),
    part<&Job::sealed>(Nobody),  // kSealed
    part<&Job::revision>(Image),
    part<&Job::state>(Anyone),
    part<&Job::attempt>(Anyone),
    part<&Job::tasks>(Anyone),
    part<&Job::last_task>(Image),
    part<&Job::key>(Nobody),
    part<&Job::membership>(Nobody),  // kMembership
    part<&Job::cap>(Anyone),
    part<&Job::script_cap>(Anyone),
    part<&Job::failed_starts>(Image),
    part<&Job::grow_blocked>(Owner),
    part<&Job::grow_again>(Owner),
    part<&Job::setbacks>(Owner),
    part<&Job::kill>(Owner),
    part<&Job::finishing>(Image),
    part<&Job::ending>(Image),
    part<&Job::generation>(Image),
    part<&Job::requeues>(Anyone),
    part<&Job::user_requeues>(Anyone),
    part<&Job::preemptions>(Anyone),
    part<&Job::excluded_hosts>(Image),  // JobView has their names
    part<&Job::submitted>(Anyone),
    part<&Job::dispatched>(Anyone),
    part<&Job::started>(Anyone),
    part<&Job::ended>(Anyone),
    part<&Job::exit_status>(Anyone),
    part<&Job::term>(Anyone),
    part<&Job::end_text>(Owner),
    part<&Job::usage>(Anyone),
    part<&Job::holding>(Anyone),
    part<&Job::first_element>(Image),
    part<&Job::next_position>(Image),
    part<&Job::active_elements>(Image),
    part<&Job::alternative>(Owner),
    part<&Job::mem_released>(Image),
    part<&Job::preempted>(Image),
    part<&Job::promised>(Anyone),
    part<&Job::first_promised>(Anyone),
    part<&Job::promised_places>(Image),
    part<&Job::place>(Image),
    part<&Job::turn>(Image),
    part<&Job::account>(Image),
    part<&Job::suspended_by>(Anyone),
    part<&Job::suspended_at>(Anyone),
    part<&Job::suspended>(Anyone),
    part<&Job::relaunches>(Image),
    part<&Job::notices>(Image),
    part<&Job::notice>(Image),
    part<&Job::notify_command>(Image),
    part<&Job::port>(Image),
    part<&Job::pace>(Owner),
    part<&Job::parked>(Anyone),
    part<&Job::closed>(Anyone),
    part<&Job::data_hash>(Nobody),
    part<&Job::report>(Owner),
    part<&Job::reported>(Owner),
    part<&Job::wants_none>(Owner),
};

constexpr Part<Membership> kMembership[] = {
    part<&Membership::lead>(Image),     part<&Membership::lead_host>(Image),
    part<&Membership::epoch>(Owner),    part<&Membership::members>(Owner),
    part<&Membership::agents>(Image),   part<&Membership::resizes>(Owner),
    part<&Membership::in_place>(Image), part<&Membership::doors>(Image),
    part<&Membership::consoles>(Image),
};

constexpr Part<SealedSpec> kSealed[] = {
    part<&SealedSpec::spec>(Nobody),  // kSpec
    part<&SealedSpec::bytes>(Nobody),       part<&SealedSpec::credential>(Nobody),
    part<&SealedSpec::request_key>(Nobody), part<&SealedSpec::alternatives>(Nobody),  // kSpec
};

constexpr Part<JobSpec> kSpec[] = {
    part<&JobSpec::owner>(Anyone),        part<&JobSpec::name>(Owner),
    part<&JobSpec::queue>(Anyone),        part<&JobSpec::app>(Anyone),
    part<&JobSpec::plan>(Anyone),         part<&JobSpec::project>(Anyone),
    part<&JobSpec::description>(Owner),   part<&JobSpec::command>(Owner),
    part<&JobSpec::script_hash>(Nobody),  part<&JobSpec::env_hash>(Nobody),
    part<&JobSpec::cwd>(Owner),           part<&JobSpec::submit_host>(Anyone),
    part<&JobSpec::home>(Owner),          part<&JobSpec::shell>(Nobody),
    part<&JobSpec::umask>(Nobody),        part<&JobSpec::in_file>(Owner),
    part<&JobSpec::out_file>(Owner),      part<&JobSpec::err_file>(Owner),
    part<&JobSpec::out_overwrite>(Owner), part<&JobSpec::err_overwrite>(Owner),
    part<&JobSpec::min_tasks>(Anyone),    part<&JobSpec::max_tasks>(Anyone),
    part<&JobSpec::task>(Anyone),         part<&JobSpec::span>(Owner),
    part<&JobSpec::resreq>(Owner),        part<&JobSpec::select>(Owner),
    part<&JobSpec::gpu>(Owner),           part<&JobSpec::ask_hosts>(Owner),
    part<&JobSpec::run_limit>(Anyone),    part<&JobSpec::elastic>(Anyone),
    part<&JobSpec::hold>(Owner),          part<&JobSpec::rerunnable>(Owner),
    part<&JobSpec::exclusive>(Anyone),    part<&JobSpec::array>(Anyone),
    part<&JobSpec::array_limit>(Anyone),  part<&JobSpec::user_priority>(Anyone),
    part<&JobSpec::streams>(Anyone),      part<&JobSpec::rows>(Nobody),
    part<&JobSpec::columns>(Nobody),      part<&JobSpec::mem_for>(Owner),
    part<&JobSpec::limits>(Owner),        part<&JobSpec::pre_exec>(Owner),
    part<&JobSpec::post_exec>(Owner),     part<&JobSpec::warn_action>(Owner),
    part<&JobSpec::warn_time>(Owner),     part<&JobSpec::notify_command>(Owner),
    part<&JobSpec::requeue_exits>(Owner), part<&JobSpec::depend>(Owner),
    part<&JobSpec::orphan_kill>(Owner),   part<&JobSpec::begin>(Owner),
    part<&JobSpec::deadline>(Owner),      part<&JobSpec::mpi>(Owner),
    part<&JobSpec::tag>(Owner),           part<&JobSpec::copies>(Owner),
    part<&JobSpec::in_spooled>(Nobody),   part<&JobSpec::sizes>(Owner),
    part<&JobSpec::mail>(Owner),          part<&JobSpec::exec>(Owner),
    part<&JobSpec::groups>(Owner),        part<&JobSpec::group>(Anyone),
    part<&JobSpec::open>(Anyone),
};

constexpr Part<Host> kHost[] = {
    part<&Host::id>(Anyone),          part<&Host::name>(Anyone),
    part<&Host::address>(Anyone),     part<&Host::state>(Anyone),
    part<&Host::closed>(Anyone),      part<&Host::closed_by>(Anyone),
    part<&Host::closed_why>(Anyone),  part<&Host::boot>(Nobody),
    part<&Host::type>(Anyone),        part<&Host::model>(Anyone),
    part<&Host::capacity>(Anyone),    part<&Host::used_slots>(Anyone),
    part<&Host::stuck_slots>(Anyone), part<&Host::used_milli_cpus>(Anyone),
    part<&Host::used_mem>(Anyone),    part<&Host::gpu_owners>(Anyone),
    part<&Host::registered>(Anyone),  part<&Host::silent_since>(Anyone),
    part<&Host::gpu_shares>(Anyone),  part<&Host::gpu_marks>(Anyone),
    part<&Host::fence_tries>(Nobody), part<&Host::fence_text>(Nobody),
};

constexpr Part<QueueConf> kQueue[] = {
    part<&QueueConf::name>(Anyone),          part<&QueueConf::priority>(Anyone),
    part<&QueueConf::description>(Anyone),   part<&QueueConf::users>(Anyone),
    part<&QueueConf::hosts>(Anyone),         part<&QueueConf::admins>(Anyone),
    part<&QueueConf::app>(Anyone),           part<&QueueConf::plan>(Anyone),
    part<&QueueConf::run_limit>(Anyone),     part<&QueueConf::min_tasks>(Anyone),
    part<&QueueConf::max_tasks>(Anyone),     part<&QueueConf::max_slots>(Anyone),
    part<&QueueConf::user_slots>(Anyone),    part<&QueueConf::host_slots>(Anyone),
    part<&QueueConf::mem_limit>(Anyone),     part<&QueueConf::rerunnable>(Anyone),
    part<&QueueConf::exclusive>(Anyone),     part<&QueueConf::interactive>(Anyone),
    part<&QueueConf::order>(Anyone),         part<&QueueConf::res_req>(Anyone),
    part<&QueueConf::place>(Anyone),         part<&QueueConf::preempts>(Anyone),
    part<&QueueConf::preempt_by>(Anyone),    part<&QueueConf::elastic>(Anyone),
    part<&QueueConf::preempt_grace>(Anyone), part<&QueueConf::limits>(Anyone),
    part<&QueueConf::pre_exec>(Nobody),      part<&QueueConf::post_exec>(Nobody),
    part<&QueueConf::requeue_exits>(Anyone),
};

template <class S>
S copied(std::span<const Part<S>> parts, const S& from, Reach to) {
  S copy;
  for (const auto& part : parts)
    if (part.reach >= to) part.copy(copy, from);
  return copy;
}

JobSpec sent(const JobSpec& spec, Reach to) {
  JobSpec copy = copied<JobSpec>(kSpec, spec, to);
  if (to == Anyone) copy.name = kNoName;
  return copy;
}

}  // namespace

Job sent(const Job& job, Reach to) {
  Job copy = copied<Job>(kJob, job, to);
  copy.membership = copied<Membership>(kMembership, job.membership, to);
  auto sealed = std::make_shared<SealedSpec>();
  // Who sees a summary does not learn that there are others.
  sealed->spec = sent(to == Anyone ? job.spec() : job.sealed->spec, to);
  if (to != Anyone)
    for (const auto& other : job.sealed->alternatives)
      sealed->alternatives.push_back(sent(other, to));
  copy.sealed = std::move(sealed);
  return copy;
}

Host sent(const Host& host) { return copied<Host>(kHost, host, Anyone); }
QueueConf sent(const QueueConf& queue) { return copied<QueueConf>(kQueue, queue, Anyone); }

HistoryJob summary_of(const HistoryJob& job) {
  HistoryJob shown{.id = job.id, .user = job.user, .name = kNoName, .queue = job.queue};
  shown.project = job.project, shown.app = job.app, shown.plan = job.plan;
  shown.submitted = job.submitted, shown.started = job.started, shown.ended = job.ended;
  shown.state = job.state, shown.exit_status = job.exit_status, shown.term = job.term;
  for (const auto& event : job.events) {
    auto& copy = shown.events.emplace_back();
    copy.time = event.time, copy.event = event.event;
    copy.from = event.from, copy.to = event.to;
    copy.pause_ms = event.pause_ms, copy.steps_lost = event.steps_lost;
  }
  return shown;
}

AcctJob summary_of(const AcctJob& job) {
  AcctJob shown{.id = job.id, .user = job.user, .name = kNoName, .queue = job.queue};
  shown.app = job.app, shown.plan = job.plan, shown.project = job.project;
  shown.submit_host = job.submit_host, shown.exec_hosts = job.exec_hosts, shown.state = job.state;
  shown.submitted = job.submitted, shown.dispatched = job.dispatched;
  shown.started = job.started, shown.ended = job.ended;
  shown.exit_status = job.exit_status, shown.term = job.term;
  shown.attempt = job.attempt, shown.resizes = job.resizes;
  shown.slots = job.slots, shown.milli_gpus = job.milli_gpus;
  shown.cpu = job.cpu, shown.slot_time = job.slot_time, shown.gpu_time = job.gpu_time;
  shown.max_mem = job.max_mem, shown.promise_error = job.promise_error;
  return shown;
}

std::span<const Part<Job>> job_parts() { return kJob; }
std::span<const Part<Membership>> membership_parts() { return kMembership; }
std::span<const Part<SealedSpec>> sealed_parts() { return kSealed; }
std::span<const Part<JobSpec>> spec_parts() { return kSpec; }
std::span<const Part<Host>> host_parts() { return kHost; }
std::span<const Part<QueueConf>> queue_parts() { return kQueue; }

}  // namespace wm::view
