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

// A member, or one of its members.
template <auto Member, auto... Inner>
consteval auto part(Reach reach) {
  using S = typename decltype(types_of(Member))::Struct;
  using Type = std::remove_cvref_t<decltype(((std::declval<S&>().*Member).*....*Inner))>;
  return Part<S>{
      reach,
      [](S& to, const S& from) { ((to.*Member).*....*Inner) = ((from.*Member).*....*Inner); },
      [](const S& from) -> const void* { return &((from.*Member).*....*Inner); }, sizeof(Type)};
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
    part<&Job::size, &Sizing::cap>(Anyone),
    part<&Job::size, &Sizing::script_cap>(Anyone),
    part<&Job::size, &Sizing::failed_starts>(Image),
    part<&Job::size, &Sizing::grow_blocked>(Owner),
    part<&Job::size, &Sizing::grow_again>(Owner),
    part<&Job::size, &Sizing::setbacks>(Owner),
    part<&Job::kill>(Owner),
    part<&Job::finishing>(Image),
    part<&Job::ending>(Image),
    part<&Job::generation>(Image),
    part<&Job::returns, &Returns::requeues>(Anyone),
    part<&Job::returns, &Returns::user_requeues>(Anyone),
    part<&Job::returns, &Returns::preemptions>(Anyone),
    part<&Job::waits, &PendState::excluded_hosts>(Image),  // JobView has their names
    part<&Job::times, &Times::submitted>(Anyone),
    part<&Job::times, &Times::dispatched>(Anyone),
    part<&Job::times, &Times::started>(Anyone),
    part<&Job::times, &Times::ended>(Anyone),
    part<&Job::outcome, &Outcome::status>(Anyone),
    part<&Job::outcome, &Outcome::term>(Anyone),
    part<&Job::outcome, &Outcome::text>(Owner),
    part<&Job::outcome, &Outcome::delivers_on>(Image),
    part<&Job::usage>(Anyone),
    part<&Job::holding>(Anyone),
    part<&Job::elements, &Elements::first>(Image),
    part<&Job::elements, &Elements::next_position>(Image),
    part<&Job::elements, &Elements::active>(Image),
    part<&Job::alternative>(Owner),
    part<&Job::mem_released>(Image),
    part<&Job::waits, &PendState::preempted>(Image),
    part<&Job::waits, &PendState::promised>(Anyone),
    part<&Job::waits, &PendState::first_promised>(Anyone),
    part<&Job::waits, &PendState::places>(Image),
    part<&Job::waits, &PendState::place>(Image),
    part<&Job::waits, &PendState::turn>(Image),
    part<&Job::account>(Image),
    part<&Job::suspension, &Suspension::by>(Anyone),
    part<&Job::suspension, &Suspension::since>(Anyone),
    part<&Job::suspension, &Suspension::earlier>(Anyone),
    part<&Job::size, &Sizing::relaunches>(Image),
    part<&Job::size, &Sizing::notices>(Image),
    part<&Job::size, &Sizing::notice>(Image),
    part<&Job::size, &Sizing::notify_command>(Image),
    part<&Job::port>(Image),
    part<&Job::pace>(Owner),
    part<&Job::parked>(Anyone),
    part<&Job::elements, &Elements::closed>(Anyone),
    part<&Job::trial, &Trial::data_hash>(Nobody),
    part<&Job::trial, &Trial::report>(Owner),
    part<&Job::trial, &Trial::reported>(Owner),
    part<&Job::size, &Sizing::wants_none>(Owner),
    part<&Job::waits, &PendState::only_hosts>(Image),
    part<&Job::notes>(Owner),
};

constexpr Part<Membership> kMembership[] = {
    part<&Membership::lead>(Image),     part<&Membership::lead_host>(Image),
    part<&Membership::epoch>(Owner),    part<&Membership::members>(Owner),
    part<&Membership::agents>(Image),   part<&Membership::resizes>(Owner),
    part<&Membership::in_place>(Image), part<&Membership::doors>(Image),
    part<&Membership::consoles>(Image), part<&Membership::met>(Image),
};

constexpr Part<SealedSpec> kSealed[] = {
    part<&SealedSpec::spec>(Nobody),  // kSpec
    part<&SealedSpec::bytes>(Nobody),       part<&SealedSpec::credential>(Nobody),
    part<&SealedSpec::request_key>(Nobody), part<&SealedSpec::alternatives>(Nobody),  // kSpec
};

constexpr Part<JobSpec> kSpec[] = {
    part<&JobSpec::owner>(Anyone),
    part<&JobSpec::name>(Owner),
    part<&JobSpec::queue>(Anyone),
    part<&JobSpec::app>(Anyone),
    part<&JobSpec::plan>(Anyone),
    part<&JobSpec::project>(Anyone),
    part<&JobSpec::description>(Owner),
    part<&JobSpec::job_group>(Owner),
    part<&JobSpec::program, &Program::command>(Owner),
    part<&JobSpec::program, &Program::script_hash>(Nobody),
    part<&JobSpec::program, &Program::env_hash>(Nobody),
    part<&JobSpec::program, &Program::cwd>(Owner),
    part<&JobSpec::program, &Program::submit_host>(Anyone),
    part<&JobSpec::program, &Program::home>(Owner),
    part<&JobSpec::program, &Program::shell>(Nobody),
    part<&JobSpec::program, &Program::umask>(Nobody),
    part<&JobSpec::program, &Program::spooled>(Nobody),
    part<&JobSpec::files, &Files::in>(Owner),
    part<&JobSpec::files, &Files::out>(Owner),
    part<&JobSpec::files, &Files::err>(Owner),
    part<&JobSpec::files, &Files::out_overwrite>(Owner),
    part<&JobSpec::files, &Files::err_overwrite>(Owner),
    part<&JobSpec::min_tasks>(Anyone),
    part<&JobSpec::max_tasks>(Anyone),
    part<&JobSpec::default_tasks>(Owner),
    part<&JobSpec::task>(Anyone),
    part<&JobSpec::span>(Owner),
    part<&JobSpec::asked, &Asked::resreq>(Owner),
    part<&JobSpec::asked, &Asked::select>(Owner),
    part<&JobSpec::asked, &Asked::gpu>(Owner),
    part<&JobSpec::asked, &Asked::hosts>(Owner),
    part<&JobSpec::run_limit>(Anyone),
    part<&JobSpec::elastic>(Anyone),
    part<&JobSpec::when, &Timing::hold>(Owner),
    part<&JobSpec::rerunnable>(Owner),
    part<&JobSpec::exclusive>(Anyone),
    part<&JobSpec::array>(Anyone),
    part<&JobSpec::array_limit>(Anyone),
    part<&JobSpec::user_priority>(Anyone),
    part<&JobSpec::console, &Console::streams>(Anyone),
    part<&JobSpec::console, &Console::rows>(Nobody),
    part<&JobSpec::console, &Console::columns>(Nobody),
    part<&JobSpec::mem_for>(Owner),
    part<&JobSpec::limits>(Owner),
    part<&JobSpec::side, &SideCommands::pre>(Owner),
    part<&JobSpec::side, &SideCommands::post>(Owner),
    part<&JobSpec::side, &SideCommands::warn_action>(Owner),
    part<&JobSpec::side, &SideCommands::warn_time>(Owner),
    part<&JobSpec::side, &SideCommands::notify>(Owner),
    part<&JobSpec::requeue_exits>(Owner),
    part<&JobSpec::when, &Timing::depend>(Owner),
    part<&JobSpec::when, &Timing::orphan_kill>(Owner),
    part<&JobSpec::when, &Timing::begin>(Owner),
    part<&JobSpec::when, &Timing::deadline>(Owner),
    part<&JobSpec::mpi>(Owner),
    part<&JobSpec::files, &Files::tag>(Owner),
    part<&JobSpec::files, &Files::copies>(Owner),
    part<&JobSpec::files, &Files::in_spooled>(Nobody),
    part<&JobSpec::files, &Files::outdir>(Owner),
    part<&JobSpec::side, &SideCommands::window_signal>(Owner),
    part<&JobSpec::sizes>(Owner),
    part<&JobSpec::mail>(Owner),
    part<&JobSpec::exec>(Owner),
    part<&JobSpec::groups>(Owner),
    part<&JobSpec::group>(Anyone),
    part<&JobSpec::open>(Anyone),
    part<&JobSpec::reservation>(Anyone),
    part<&JobSpec::service_class>(Anyone),
    part<&JobSpec::run_estimate>(Anyone),
    part<&JobSpec::checkpoint>(Owner),
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
    part<&Host::network>(Nobody),     part<&Host::faults>(Nobody),
    part<&Host::drains>(Anyone),
};

constexpr Part<QueueConf> kQueue[] = {
    part<&QueueConf::name>(Anyone),
    part<&QueueConf::priority>(Anyone),
    part<&QueueConf::description>(Anyone),
    part<&QueueConf::users>(Anyone),
    part<&QueueConf::hosts>(Anyone),
    part<&QueueConf::admins>(Anyone),
    part<&QueueConf::app>(Anyone),
    part<&QueueConf::plan>(Anyone),
    part<&QueueConf::run_limit>(Anyone),
    part<&QueueConf::pre_exec_limit>(Anyone),
    part<&QueueConf::post_exec_limit>(Anyone),
    part<&QueueConf::min_tasks>(Anyone),
    part<&QueueConf::max_tasks>(Anyone),
    part<&QueueConf::default_tasks>(Anyone),
    part<&QueueConf::max_slots>(Anyone),
    part<&QueueConf::user_slots>(Anyone),
    part<&QueueConf::host_slots>(Anyone),
    part<&QueueConf::mem_limit>(Anyone),
    part<&QueueConf::rerunnable>(Anyone),
    part<&QueueConf::exclusive>(Anyone),
    part<&QueueConf::interactive>(Anyone),
    part<&QueueConf::order>(Anyone),
    part<&QueueConf::res_req>(Anyone),
    part<&QueueConf::place>(Anyone),
    part<&QueueConf::preempts>(Anyone),
    part<&QueueConf::preempt_by>(Anyone),
    part<&QueueConf::elastic>(Anyone),
    part<&QueueConf::preempt_grace>(Anyone),
    part<&QueueConf::limits>(Anyone),
    part<&QueueConf::pre_exec>(Nobody),
    part<&QueueConf::post_exec>(Nobody),
    part<&QueueConf::requeue_exits>(Anyone),
    part<&QueueConf::run_window>(Anyone),
    part<&QueueConf::dispatch_window>(Anyone),
    part<&QueueConf::controls>(Anyone),
    part<&QueueConf::gpu>(Anyone),
    part<&QueueConf::run_estimate>(Anyone),
    part<&QueueConf::warn_action>(Nobody),
    part<&QueueConf::warn_time>(Anyone),
    part<&QueueConf::max_preempt>(Anyone),
    part<&QueueConf::max_requeue>(Anyone),
    part<&QueueConf::load>(Anyone),
    part<&QueueConf::terminate_when>(Anyone),
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
  for (JobNote& note : copy.notes) note.data.clear();  // bread fetches it
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
  shown.term_number = job.term_number, shown.submit_host = job.submit_host;
  shown.cpu = job.cpu, shown.max_mem = job.max_mem, shown.mean_mem = job.mean_mem;
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
  shown.gpu_energy_mj = job.gpu_energy_mj;
  return shown;
}

std::span<const Part<Job>> job_parts() { return kJob; }
std::span<const Part<Membership>> membership_parts() { return kMembership; }
std::span<const Part<SealedSpec>> sealed_parts() { return kSealed; }
std::span<const Part<JobSpec>> spec_parts() { return kSpec; }
std::span<const Part<Host>> host_parts() { return kHost; }
std::span<const Part<QueueConf>> queue_parts() { return kQueue; }

}  // namespace wm::view
