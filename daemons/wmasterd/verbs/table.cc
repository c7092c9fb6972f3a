#include "daemons/wmasterd/verbs/table.h"

#include <algorithm>

#include "daemons/wmasterd/verbs/own_reservations.h"
#include "daemons/wmasterd/verbs/record.h"
#include "daemons/wmasterd/verbs/verbs.h"

namespace wm::master {
namespace {

Error denied(const std::string& what) {
  return fail(Code::Denied, what + ": User permission denied");
}

// A job that is not there is the verb's to tell.
Result<void> check_job(const Service& service, const Call& call, JobId id) {
  const Job* job = job_or_base(service.journal.newest(), id);
  if (!job) return {};
  if (service.permits(call, job->spec())) return {};
  if (!service.hides(call, job->spec())) return denied(named(id));
  bool reads = call.verb() == Verb::Peek || call.verb() == Verb::Attach;  // as those verbs say it
  return fail(Code::NotFound, named(id) + (reads ? " is not found" : ": No matching job found"));
}

Result<void> check_queue(const Service& service, const Call& call, const std::string& queue) {
  const Config& config = *service.journal.published().config;
  if (allows(call.may(), roles_in_queue(config, service.rights, call.caller(), queue))) return {};
  return fail(Code::Denied, call.caller().user + ": User permission denied, not an administrator");
}

// What is meant is one job, or queues, or the cluster as a whole. Of a selection each job is
// looked at when it comes (each_permitted).
template <class Request>
Result<void> check(const Service& service, const Call& call, const Request& request) {
  if (call.may() == May::Anyone) return {};
  if constexpr (std::is_same_v<Request, ReserveRequest>)
    if (!reserve_rules(*service.journal.published().config, call.caller()).empty()) return {};
  if constexpr (std::is_same_v<Request, AdminRequest>) {
    if (!verbs::is_about_queues(request.act) || request.names.empty())
      return check_queue(service, call, "");
    for (const auto& queue : request.names) WM_TRY(check_queue(service, call, queue));
  } else if constexpr (requires { request.job; }) {
    return check_job(service, call, request.job);
  } else if constexpr (requires { request.jobs.size(); }) {
    for (JobId id : request.jobs) WM_TRY(check_job(service, call, id));
  } else if constexpr (!requires { request.jobs; }) {
    return check_queue(service, call, "");
  }
  return {};
}

// A write about one job that is another's.
void note_one(const Service& service, const Call& call, JobId id) {
  const Job* job = job_or_base(service.journal.newest(), id);
  bool own = !job || service.roles(call, job->spec()).owner;
  bool told = call.verb() == Verb::RunNow;  // by itself
  if (!own && !told) record_as_admin(service, call, {id});
}

template <class Request>
Request request_of(void (*)(Service&, const Call&, const Request&));

template <auto kAct>
void serve(Service& service, const Call& call, const std::string& payload) {
  using Request = decltype(request_of(kAct));
  auto request = codec::decode<Request>(payload);
  if (!request) return call.refuse(request.error());
  if (auto may = check(service, call, *request); !may) return call.refuse(may.error());
  if constexpr (requires {
                  request->request_key;
                  request->job.job;
                })
    note_one(service, call, request->job);
  if constexpr (requires { request->request_key; }) {
    auto once = std::make_shared<const Request>(*std::move(request));
    service.answers.unless_answered(call, once->request_key,
                                    [&service, call, once] { kAct(service, call, *once); });
  } else {
    kAct(service, call, *request);
  }
}

constexpr VerbRow kTable[] = {
    {Verb::Submit, "submit", May::Anyone, serve<verbs::submit>},
    {Verb::Pack, "pack", May::Anyone, serve<verbs::pack>},
    {Verb::Kill, "kill", May::OwnerOrAdmin, serve<verbs::kill>},
    {Verb::Requeue, "requeue", May::OwnerOrAdmin, serve<verbs::requeue>},
    {Verb::Release, "release", May::OwnerOrAdmin, serve<verbs::release>},
    {Verb::Resize, "resize", May::OwnerOrAdmin, serve<verbs::resize>},
    {Verb::Give, "give", May::Owner, serve<verbs::give>},
    {Verb::Peek, "peek", May::OwnerOrAdmin, serve<verbs::peek>},
    {Verb::Switch, "switch", May::OwnerOrAdmin, serve<verbs::switch_queue>},
    {Verb::Limit, "limit", May::OwnerOrAdmin, serve<verbs::limit_run>},
    {Verb::Spec, "spec", May::Owner, serve<verbs::spec>},
    {Verb::Modify, "modify", May::Owner, serve<verbs::modify>},
    {Verb::Attach, "attach", May::Owner, serve<verbs::attach>},
    {Verb::Move, "move", May::OwnerOrAdmin, serve<verbs::move>},
    {Verb::Admin, "admin", May::QueueAdmin, serve<verbs::admin>},
    {Verb::Audit, "audit", May::Admin, serve<verbs::audit>},
    {Verb::Reserve, "reserve", May::Admin, serve<verbs::reserve>},
    {Verb::Reservations, "reservations", May::Anyone, serve<verbs::reservations>},
    {Verb::Group, "group", May::Anyone, serve<verbs::group>},
    {Verb::Groups, "groups", May::Anyone, serve<verbs::groups>},
    {Verb::Post, "post", May::OwnerOrAdmin, serve<verbs::post>},
    {Verb::Notes, "notes", May::OwnerOrAdmin, serve<verbs::notes>},
    {Verb::RunNow, "run_now", May::QueueAdmin, serve<verbs::run_now>},
    {Verb::Migrate, "migrate", May::OwnerOrAdmin, serve<verbs::migrate>},
    {Verb::Perfmon, "perfmon", May::Admin, serve<verbs::perfmon>},
    {Verb::Conf, "conf", May::Anyone, serve<verbs::conf>},
    {Verb::State, "state", May::Admin, serve<verbs::state>},
    {Verb::Jobs, "jobs", May::Anyone, serve<verbs::jobs>},
    {Verb::Queues, "queues", May::Anyone, serve<verbs::queues>},
    {Verb::Hosts, "hosts", May::Anyone, serve<verbs::hosts>},
    {Verb::Plans, "plans", May::Anyone, serve<verbs::plans>},
    {Verb::Budgets, "budgets", May::Anyone, serve<verbs::budgets>},
    {Verb::History, "history", May::Anyone, serve<verbs::history>},
    {Verb::Account, "account", May::Anyone, serve<verbs::account>},
    {Verb::Wait, "wait", May::Anyone, serve<verbs::wait>},
    {Verb::Watch, "watch", May::Anyone, serve<verbs::watch>},
    {Verb::Await, "await", May::Anyone, serve<verbs::await>},
    {Verb::Revoke, "revoke", May::Anyone, serve<verbs::revoke>},
    {Verb::Revoked, "revoked", May::Anyone, serve<verbs::revoked>},
    {Verb::Note, "note", May::Anyone, serve<verbs::note>},
    {Verb::Ping, "ping", May::Anyone, serve<verbs::ping>},
};

}  // namespace

std::span<const VerbRow> verb_table() { return kTable; }

const VerbRow* find_verb(std::uint16_t type) {
  const auto* row = std::ranges::find(kTable, static_cast<Verb>(type), &VerbRow::verb);
  return row == std::end(kTable) ? nullptr : row;
}

}  // namespace wm::master
