// Role: the master's verbs as functions: what commands and the gateway call. Finds the
// master from the configuration, signs specifications, gives every write its request key,
// turns VerbError back into Error.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "libwm/base/result.h"
#include "libwm/client/asking.h"
#include "libwm/codec/codec.h"
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
  /// Safe to repeat inside: one job whatever is lost on the way. `round`: as SubmitRequest has it;
  /// libwm/submit's submit_signed() takes the options that the site's policy wants.
  /// @errors as SubmitRequest; System: the identity service does not answer
  Result<SubmitReply> submit(JobSpec spec, const std::string& script, const std::string& env,
                             PolicyRound round = 0);

  /// Submits many at once, all with the environment `env`: signed once, durable together, a result
  /// for each. @errors as PackRequest; System: the identity service does not answer
  Result<PackReply> pack(std::vector<PackJob> jobs, const std::string& env, PolicyRound round = 0);

  /// Any other verb: the request's type says which. Its request key is filled in here; what one
  /// answer has no room for is asked for again, so that replies have no rest. A request that waits
  /// (`patience`, or WaitRequest) is answered when that ends.
  /// @errors as model/verbs says of the request; Version: the master is of another version
  template <class Request>
  Result<typename Request::Reply> ask(Request request) {
    renew_key(request);
    WM_TRY(auto all, ask_once(request));
    while (go_on(request, all)) {
      renew_key(request);
      WM_TRY(auto part, ask_once(request));
      append_reply(all, part);
    }
    return all;
  }

  /// Codec bytes of the whole live Cluster. @errors Limit: more than 1 GiB, or than a frame packed
  Result<std::string> state();
  /// `spec` is signed here. @errors as ModifyRequest; System: the identity service does not answer
  Result<OutcomeReply> modify(JobId job, std::uint32_t revision, const JobSpec& spec,
                              PolicyRound round = 0);
  /// What anybody may know of the configuration that the master has. Never null.
  Result<std::shared_ptr<const Config>> conf();

 private:
  struct Parts;
  explicit Master(std::unique_ptr<Parts> parts);
  // One question, one answer, as bytes.
  Result<std::string> call(Verb verb, const std::string& request, std::optional<Duration> timeout);
  template <class Request>
  Result<typename Request::Reply> ask_once(const Request& request) {
    WM_TRY(auto bytes, call(Request::kVerb, codec::encode(request), patience_of(request)));
    return codec::decode<typename Request::Reply>(bytes);
  }

  std::unique_ptr<Parts> parts_;
};

}  // namespace wm::client
