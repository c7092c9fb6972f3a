// Role: one function a verb. Each is called from the table (table.h) once its caller may, and
// answers `call` in time; what is asked and answered, and the errors, are said in
// model/verbs/verbs.h.
#pragma once

#include "daemons/wmasterd/verbs/service.h"
#include "libwm/model/verbs/budget_verbs.h"
#include "libwm/model/verbs/change_verbs.h"
#include "libwm/model/verbs/group_verbs.h"
#include "libwm/model/verbs/pack_verbs.h"
#include "libwm/model/verbs/reservation_verbs.h"
#include "libwm/model/verbs/run_verbs.h"
#include "libwm/model/verbs/token_verbs.h"
#include "libwm/model/verbs/watch_verbs.h"

namespace wm::master::verbs {

// submit.cc
void submit(Service& service, const Call& call, const SubmitRequest& request);
// pack.cc
void pack(Service& service, const Call& call, const PackRequest& request);
// jobs.cc
void kill(Service& service, const Call& call, const KillRequest& request);
void requeue(Service& service, const Call& call, const RequeueRequest& request);
void release(Service& service, const Call& call, const ReleaseRequest& request);
void resize(Service& service, const Call& call, const ResizeRequest& request);
void peek(Service& service, const Call& call, const ClientPeek& request);
void wait(Service& service, const Call& call, const WaitRequest& request);
// watch.cc
void watch(Service& service, const Call& call, const WatchRequest& request);
void await(Service& service, const Call& call, const AwaitRequest& request);
// lists.cc
void jobs(Service& service, const Call& call, const JobsRequest& request);
void queues(Service& service, const Call& call, const QueuesRequest& request);
void hosts(Service& service, const Call& call, const HostsRequest& request);
void plans(Service& service, const Call& call, const PlansRequest& request);
void history(Service& service, const Call& call, const HistoryRequest& request);
void account(Service& service, const Call& call, const AcctRequest& request);
void ping(Service& service, const Call& call, const PingRequest& request);
void state(Service& service, const Call& call, const StateRequest& request);
// budgets.cc
void budgets(Service& service, const Call& call, const BudgetsRequest& request);
// modify.cc
void switch_queue(Service& service, const Call& call, const SwitchRequest& request);
void limit_run(Service& service, const Call& call, const LimitRequest& request);
void spec(Service& service, const Call& call, const SpecRequest& request);
void modify(Service& service, const Call& call, const ModifyRequest& request);
// arrays.cc
void give(Service& service, const Call& call, const GiveRequest& request);
// order.cc
void move(Service& service, const Call& call, const MoveRequest& request);
// attach.cc
void attach(Service& service, const Call& call, const AttachRequest& request);
// reservations.cc
void reserve(Service& service, const Call& call, const ReserveRequest& request);
void reservations(Service& service, const Call& call, const ReservationsRequest& request);
// job_groups.cc
void group(Service& service, const Call& call, const GroupRequest& request);
void groups(Service& service, const Call& call, const GroupsRequest& request);
// notes.cc
void post(Service& service, const Call& call, const PostRequest& request);
void notes(Service& service, const Call& call, const NotesRequest& request);
// place.cc
void run_now(Service& service, const Call& call, const RunNowRequest& request);
void migrate(Service& service, const Call& call, const MigrateRequest& request);
// conf.cc
void conf(Service& service, const Call& call, const ConfRequest& request);
// perfmon.cc
void perfmon(Service& service, const Call& call, const PerfmonRequest& request);
// admin.cc
void admin(Service& service, const Call& call, const AdminRequest& request);
void audit(Service& service, const Call& call, const AuditRequest& request);
// run_verbs.cc
void runs(Service& service, const Call& call, const RunsRequest& request);
void delete_runs(Service& service, const Call& call, const DeleteRunsRequest& request);
void describe_run(Service& service, const Call& call, const DescribeRunRequest& request);
void archive(Service& service, const Call& call, const ArchiveRequest& request);
// tokens.cc
void revoke(Service& service, const Call& call, const RevokeRequest& request);
void revoked(Service& service, const Call& call, const RevokedRequest& request);
void note(Service& service, const Call& call, const NoteRequest& request);

/// `then`, once the caller is known to have signed `text`; else the write is refused.
void check_signer(Service& service, const Call& call, const std::string& key,
                  const std::string& credential, const std::string& text,
                  std::function<void()> then);

/// Is the act one that administrators of the queues named may do, too?
bool is_about_queues(AdminRequest::Act act);

}  // namespace wm::master::verbs
