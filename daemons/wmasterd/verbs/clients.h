// Role: what clients ask: one function a verb, found in one table with who may call it.
// Writes answer after their events are durable; reads answer from the published state.
// A write's request key is looked up first: a repeat gets the first answer again.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemons/wmasterd/hosts/hosts.h"
#include "daemons/wmasterd/state/cycle.h"
#include "daemons/wmasterd/state/journal.h"
#include "daemons/wmasterd/verbs/admission.h"
#include "libwm/model/acct.h"
#include "libwm/model/change_verbs.h"
#include "libwm/model/verbs.h"

namespace wm::master {

/// Who counts as an administrator besides the configured names.
struct Rights {
  std::set<std::uint32_t> admin_uids;  ///< root and the master's own account
};

/// Reads accounting for bhist or bacct; runs on a worker. @errors Store; Timeout: not yet
template <class Reply>
using AcctReading = std::function<Result<Reply>(const AcctRequest&)>;

/// Makes accounting again from all events, elsewhere; tells the last one on the loop.
using AcctRebuilder = std::function<void(std::function<void(Result<Seq>)> done)>;

struct Seen;  // views.h

/// What the verbs work with.
struct Context {
  World& world;
  Journal& journal;
  Hosts& hosts;
  Cycle& cycle;
  Rights rights;
  AcctReading<HistoryReply> history;
  AcctRebuilder rebuild_acct = nullptr;
  AcctReading<AcctReply> account = nullptr;
};

/// Who asks: the account, and the proof of the session, which may have signed a specification.
struct Caller {
  Identity who;
  std::string credential;   ///< empty: none was seen (simulation)
  std::string also_signed;  ///< what it signs besides the session; empty: nothing
};

/// One request on its way: who asked, and how to answer.
class Call {
 public:
  Call(World& world, PeerId peer, Verb verb, Caller caller)
      : world_(&world), peer_(peer), verb_(verb), caller_(std::move(caller)) {}
  const Identity& caller() const { return caller_.who; }
  /// The session's credential, when it signs exactly `digest` as well.
  std::string session_credential(const std::string& digest) const {
    return caller_.also_signed == digest ? caller_.credential : "";
  }
  PeerId peer() const { return peer_; }
  /// Sends a reply struct, or the error as a VerbError.
  template <class Reply>
  void reply(const Reply& value) const;
  /// The bytes that reply() would send. @errors Limit   @thread any
  template <class Reply>
  static Result<std::string> encoded(const Reply& value);
  /// Sends them, or the error.
  void send(Result<std::string> bytes) const;
  void refuse(const Error& error) const;
  /// The frame that reply() would send, for keeping under the request key.
  template <class Reply>
  KeptReply kept(const std::string& key, const Reply& value) const;
  void resend(const std::string& kept) const;

 private:
  World* world_;
  PeerId peer_;
  Verb verb_;
  Caller caller_;
};

/// @thread the loop's
class Clients {
 public:
  explicit Clients(Context context) : c_(std::move(context)) {}

  /// A request. Answered in time, in any order; a malformed one is refused.
  void on_frame(PeerId peer, const Caller& caller, std::uint16_t type, const std::string& payload);
  /// The client is gone: nothing is waited for on its behalf.
  void on_left(PeerId peer);
  /// What badmin rebuild-acct and bacct work with; without it both are refused.
  void set_accounting(AcctRebuilder rebuild, AcctReading<AcctReply> account) {
    c_.rebuild_acct = std::move(rebuild);
    c_.account = std::move(account);
  }
  /// Answers those who wait for a job (bsub -K).
  void on_jobs_changed(const std::set<JobId>& jobs);

 private:
  struct Waiter {
    Call call;
    WaitRequest request;
  };

  // Acts on a write, unless its key has been answered or is under way.
  void unless_answered(const Call& call, const std::string& key, std::function<void()> act);
  // Makes an answer off the loop and sends it. `make` may look at values of its own only.
  template <class Make>
  void answer(const Call& call, Make make) const;
  // What a write answers, made of what became of each of its events. An error is not kept: the
  // request may come again.
  template <class Reply>
  using Answer = std::function<Result<Reply>(const std::vector<Result<void>>&)>;
  // Commits a write with its answer; then does `then` and tells whoever asked meanwhile.
  template <class Reply>
  void commit(const Call& call, const std::string& key, Proposal proposal, Answer<Reply> answer,
              std::function<void()> then = nullptr);
  // The same where the answer is known before: it is given unless an event is refused.
  template <class Reply>
  void commit_all(const Call& call, const std::string& key, Proposal proposal, const Reply& reply);
  // The same answer for whoever asked meanwhile.
  void refuse(const Call& call, const std::string& key, const Error& error);
  // `then`, once the caller is known to have signed `text`.
  void check_signer(const Call& call, const std::string& key, const std::string& credential,
                    const std::string& text, std::function<void()> then);
  bool is_admin(const Identity& who) const;
  bool runs_queue(const Identity& who, const std::string& queue) const;  // as an administrator
  bool may_touch(const Identity& who, const Job& job) const;
  // What `who` sees of a job, by whether it is his own and its queue; for any thread.
  using InfoRule = std::function<JobInfo(bool own, const std::string& queue)>;
  InfoRule info_for(const Identity& who) const;

  void submit(Call call, const SubmitRequest& request);
  void admit_by_session(Call call, SubmitRequest request, const std::string& signed_text,
                        JobSpec spec);
  void admit(Call call, const SubmitRequest& request, JobSpec spec);
  void kill(Call call, const KillRequest& request);
  void release(Call call, const ReleaseRequest& request);
  void resize(Call call, const ResizeRequest& request);
  Seen seen() const;
  void jobs(Call call, const JobsRequest& request);
  void queues(Call call, const QueuesRequest& request);
  void hosts(Call call, const HostsRequest& request);
  void plans(Call call, const PlansRequest& request);
  void history(Call call, const AcctRequest& request);
  void peek(Call call, const ClientPeek& request);
  bool may_ask(const Identity& who, const AdminRequest& request) const;
  void admin(Call call, const AdminRequest& request);
  void account(Call call, const AcctRequest& request);
  template <class Reply>
  void read_acct(const Call& call, const AcctReading<Reply>& read, AcctRequest request,
                 TimePoint until);
  void rebuild_acct(Call call, const AdminRequest& request);
  void wait(Call call, const WaitRequest& request);
  void ping(Call call, const PingRequest& request);
  void attach(Call call, const AttachRequest& request);
  void state(Call call, const StateRequest& request);
  void move(Call call, const MoveRequest& request);
  void switch_queue(Call call, const SwitchRequest& request);
  void limit_run(Call call, const LimitRequest& request);
  void requeue(Call call, const RequeueRequest& request);
  /// What a job asks for from now on; whether it, or an element of it, waits.
  using MakeAnew = std::function<Result<Admitted>(const Job&, bool waits)>;
  using SayDone = std::function<std::string(JobId)>;
  void change_each(Call call, const std::string& request_key, const JobSelection& jobs,
                   const MakeAnew& make, const SayDone& done);
  void spec(Call call, const SpecRequest& request);
  void modify(Call call, const ModifyRequest& request);
  void change(Call call, const ModifyRequest& request, JobSpec spec);

  std::vector<EventBody> admin_events(const AdminRequest& request, const Identity& who,
                                      std::vector<std::string>& lines, Error& error);
  bool answer_wait(const Waiter& waiter);

  Context c_;
  std::vector<Waiter> waiters_;
  std::map<std::string, std::vector<Call>> in_flight_;  ///< request key → repeats meanwhile
  struct Repeat {
    Call call;
    std::function<void()> act;
  };
  std::map<std::string, std::vector<Repeat>>
      looked_for_;  ///< key → repeats, while it is looked for
};

}  // namespace wm::master
