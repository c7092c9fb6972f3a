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

// The number on the wire is the request's.
template <auto kAct>
constexpr VerbRow row(std::string_view name, May may) {
  return {decltype(request_of(kAct))::kVerb, name, may, serve<kAct>};
}

constexpr VerbRow kTable[] = {
    row<verbs::submit>("submit", May::Anyone),
    row<verbs::pack>("pack", May::Anyone),
    row<verbs::kill>("kill", May::OwnerOrAdmin),
    row<verbs::requeue>("requeue", May::OwnerOrAdmin),
    row<verbs::release>("release", May::OwnerOrAdmin),
    row<verbs::resize>("resize", May::OwnerOrAdmin),
    row<verbs::give>("give", May::Owner),
    row<verbs::peek>("peek", May::OwnerOrAdmin),
    row<verbs::switch_queue>("switch", May::OwnerOrAdmin),
    row<verbs::limit_run>("limit", May::OwnerOrAdmin),
    row<verbs::spec>("spec", May::Owner),
    row<verbs::modify>("modify", May::Owner),
    row<verbs::attach>("attach", May::Owner),
    row<verbs::move>("move", May::OwnerOrAdmin),
    row<verbs::admin>("admin", May::QueueAdmin),
    row<verbs::audit>("audit", May::Admin),
    row<verbs::reserve>("reserve", May::Admin),
    row<verbs::reservations>("reservations", May::Anyone),
    row<verbs::group>("group", May::Anyone),
    row<verbs::groups>("groups", May::Anyone),
    row<verbs::post>("post", May::OwnerOrAdmin),
    row<verbs::notes>("notes", May::OwnerOrAdmin),
    row<verbs::run_now>("run_now", May::QueueAdmin),
    row<verbs::migrate>("migrate", May::OwnerOrAdmin),
    row<verbs::perfmon>("perfmon", May::Admin),
    row<verbs::conf>("conf", May::Anyone),
    row<verbs::state>("state", May::Admin),
    row<verbs::jobs>("jobs", May::Anyone),
    row<verbs::queues>("queues", May::Anyone),
    row<verbs::hosts>("hosts", May::Anyone),
    row<verbs::plans>("plans", May::Anyone),
    row<verbs::budgets>("budgets", May::Anyone),
    row<verbs::history>("history", May::Anyone),
    row<verbs::account>("account", May::Anyone),
    row<verbs::wait>("wait", May::Anyone),
    row<verbs::watch>("watch", May::Anyone),
    row<verbs::await>("await", May::Anyone),
    row<verbs::revoke>("revoke", May::Anyone),
    row<verbs::revoked>("revoked", May::Anyone),
    row<verbs::note>("note", May::Anyone),
    row<verbs::runs>("runs", May::Anyone),
    row<verbs::delete_runs>("delete_runs", May::Anyone),
    row<verbs::describe_run>("describe_run", May::Anyone),
    row<verbs::archive>("archive", May::Admin),
    row<verbs::ping>("ping", May::Anyone),
};

}  // namespace

std::span<const VerbRow> verb_table() { return kTable; }

const VerbRow* find_verb(std::uint16_t type) {
  const auto* row = std::ranges::find(kTable, static_cast<Verb>(type), &VerbRow::verb);
  return row == std::end(kTable) ? nullptr : row;
}

}  // namespace wm::master
