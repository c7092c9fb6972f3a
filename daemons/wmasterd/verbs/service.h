// Role: what the verbs work with: the master's parts, the answers that come once, who waits.
#pragma once

#include <functional>

#include "daemons/wmasterd/hosts/hosts.h"
#include "daemons/wmasterd/state/cycle.h"
#include "daemons/wmasterd/state/journal.h"
#include "daemons/wmasterd/state/searches.h"
#include "daemons/wmasterd/verbs/answers.h"
#include "daemons/wmasterd/verbs/perfmon.h"
#include "daemons/wmasterd/verbs/policy_desk.h"
#include "daemons/wmasterd/verbs/privacy.h"
#include "daemons/wmasterd/verbs/selection.h"
#include "daemons/wmasterd/verbs/waiters.h"
#include "daemons/wmasterd/verbs/watchers.h"
#include "libwm/model/verbs/acct.h"
#include "libwm/model/verbs/audit.h"

namespace wm::master {

class Archive;

/// Reads accounting for bhist or bacct; runs on a worker. @errors Store; Timeout: not yet
template <class Reply>
using AcctReading = std::function<Result<Reply>(const AcctRequest&)>;

/// Makes accounting again from all events, elsewhere; tells the last one on the loop.
using AcctRebuilder = std::function<void(std::function<void(Result<Seq>)> done)>;

/// The record of what administrators do.
struct AuditTrail {
  std::function<void(AuditEntry entry)> keep;  ///< on disk before later answers go out
  std::function<Result<AuditReply>(const AuditRequest& request)> look_up;  ///< runs on a worker
};

/// The master's parts.
struct Context {
  Env env;
  Journal& journal;
  Hosts& hosts;
  Cycle& cycle;
  Rights rights;
  AcctReading<HistoryReply> history;
  AcctRebuilder rebuild_acct = nullptr;
  AcctReading<AcctReply> account = nullptr;
  const Searches* searches = nullptr;
  AuditTrail audit = {};
  Archive* archive = nullptr;  ///< of what has run; null: none is kept
};

/// @thread the loop's
struct Service : Context {
  explicit Service(Context context)
      : Context(std::move(context)),
        answers(env.store, env.workers, journal),
        watchers(env.clock, journal),
        policy(env.clock) {}

  Answers answers;
  Waiters waiters;
  Watchers watchers;
  Perfmon perfmon;
  PolicyDesk policy;

  /// What the caller is to a job, by the published configuration.
  Roles roles(const Call& call, const JobSpec& job) const {
    return roles_in_job(*journal.published().config, rights, call.caller(), job);
  }
  /// May the caller do to this job what the call asks for?
  bool hides(const Call& call, const JobSpec& job) const {
    return is_hidden(*journal.published().config, rights, call.caller(), job);
  }
  bool permits(const Call& call, const JobSpec& job) const {
    return allows(call.may(), roles(call, job));
  }
};

/// each_to_change() of the jobs that the caller may change: of the others `reply` says so.
/// @shape void visit(const Job&, JobId)
Walked each_permitted(const Service& service, const Call& call, const JobSelection& selection,
                      OutcomeReply& reply, const std::function<void(const Job&, JobId)>& visit);

}  // namespace wm::master
