// Role: the master's verbs as functions: what commands and the gateway call. Finds the
// master from the configuration, signs specifications, gives every write its request key,
// turns VerbError back into Error.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "libwm/base/result.h"
#include "libwm/model/config/config.h"
#include "libwm/model/verbs/acct.h"
#include "libwm/model/verbs/audit.h"
#include "libwm/model/verbs/budget_verbs.h"
#include "libwm/model/verbs/change_verbs.h"
#include "libwm/model/verbs/group_verbs.h"
#include "libwm/model/verbs/pack_verbs.h"
#include "libwm/model/verbs/reservation_verbs.h"
#include "libwm/model/verbs/token_verbs.h"
#include "libwm/model/verbs/verbs.h"
#include "libwm/model/verbs/watch_verbs.h"

namespace wm::client {

class Connection;

/// A job of a pack: what is asked for, and its script; empty: none.
struct PackJob {
  JobSpec spec;
  std::string script;
};

/// A conversation with the master of one cluster.
/// @thread one at a time; calls block, and retry while the master is away (LSF's way)
class Master {
 public:
  /// For the cluster that `conf` describes. Nothing is connected yet. `give_up_after`: of trying
  /// while the master is away, silently; none: never, and it is said.
  /// @errors NotFound: the account master_user does not exist
  static Result<Master> of(const ClusterConf& conf, std::optional<Duration> give_up_after = {});
  Master(Master&&) noexcept;
  ~Master();

  /// Begins the session ahead: the master answers while the caller makes its request. No error
  /// here: the request tries again, and tells it.
  void greet();

  /// Submits a job: `spec` with hashes of script and environment filled in by us, signed.
  /// Safe to repeat inside: one job whatever is lost on the way.
  /// @errors as SubmitRequest; System: the identity service does not answer
  Result<SubmitReply> submit(JobSpec spec, const std::string& script, const std::string& env);

  /// Submits many at once, all with the environment `env`: signed once, durable together, a result
  /// for each. @errors as PackRequest; System: the identity service does not answer
  Result<PackReply> pack(std::vector<PackJob> jobs, const std::string& env);

  /// The other verbs. Request keys are filled in here; what one answer has no room for is asked
  /// for again, so that replies have no rest. @errors as model/verbs/verbs.h says of each
  Result<OutcomeReply> kill(KillRequest request);
  Result<OutcomeReply> release(ReleaseRequest request);
  Result<ResizeReply> resize(ResizeRequest request);
  Result<JobsReply> jobs(const JobsRequest& request);
  Result<QueuesReply> queues(const QueuesRequest& request);
  Result<HostsReply> hosts(const HostsRequest& request);
  Result<PlansReply> plans(const PlansRequest& request);
  Result<BudgetsReply> budgets();
  /// What a job would draw, that is not submitted. @errors as submit
  Result<BudgetsReply> cost_of(const JobSpec& spec);
  Result<HistoryReply> history(const AcctRequest& request);
  Result<ClientPeekReply> peek(const ClientPeek& request);
  Result<AdminReply> admin(AdminRequest request);
  /// All that was asked for, however much. @errors as AuditRequest
  Result<AuditReply> audit(AuditRequest request);
  Result<AcctReply> account(const AcctRequest& request);
  Result<PingReply> ping();
  Result<AttachReply> attach(const AttachRequest& request);
  /// Codec bytes of the whole live Cluster. @errors Limit: more than 1 GiB, or than a frame packed
  Result<std::string> state();
  Result<OutcomeReply> move(MoveRequest request);
  Result<OutcomeReply> switch_queue(SwitchRequest request);
  Result<OutcomeReply> limit_run(LimitRequest request);
  Result<OutcomeReply> requeue(RequeueRequest request);
  Result<SpecReply> spec(JobId job);
  Result<GiveReply> give(GiveRequest request);
  /// `spec` is signed here. @errors as ModifyRequest; System: the identity service does not answer
  Result<OutcomeReply> modify(JobId job, std::uint32_t revision, const JobSpec& spec);
  /// Waits, for as long as it takes, until the job's state is not `known` any more.
  Result<WaitReply> wait(const WaitRequest& request);
  /// Changes, or none when patience ends.
  Result<WatchReply> watch(const WatchRequest& request);
  Result<AwaitReply> await(const AwaitRequest& request);
  Result<ReserveReply> reserve(ReserveRequest request);
  Result<ReservationsReply> reservations(const ReservationsRequest& request);
  Result<GroupReply> group(GroupRequest request);
  Result<GroupsReply> groups();
  Result<PostReply> post(PostRequest request);
  Result<NotesReply> notes(JobId job);
  Result<RunNowReply> run_now(RunNowRequest request);
  Result<OutcomeReply> migrate(MigrateRequest request);
  /// What anybody may know of the configuration that the master has. Never null.
  Result<std::shared_ptr<const Config>> conf();
  Result<PerfmonReply> perfmon(const PerfmonRequest& request);
  Result<RevokeReply> revoke(RevokeRequest request);
  /// Which tokens are revoked, or the same as known when patience ends.
  Result<RevokedReply> revoked(const RevokedRequest& request);
  Result<NoteReply> note(NoteRequest request);

 private:
  struct Parts;
  explicit Master(std::unique_ptr<Parts> parts);
  template <class Reply, class Request>
  Result<Reply> ask(Verb verb, const Request& request, std::optional<Duration> timeout = {});
  template <class Reply, class Request>
  Result<Reply> ask_all(Verb verb, Request request);

  std::unique_ptr<Parts> parts_;
};

}  // namespace wm::client
