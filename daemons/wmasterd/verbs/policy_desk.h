// Role: requests that wait for the site's policy of submissions: a few are with it at a time, those
// of the others wait, one account's behind its own and the accounts in turn, within bounds of
// bytes.
//
//   ask ─► waits (by uid) ─► with the policy ─► verdicts, one a job
//
// Invariant: nothing is accepted because the policy failed, unless submit_policy_failure says so.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "daemons/wmasterd/verbs/policy_words.h"
#include "libwm/env/env.h"
#include "libwm/view/metrics_page.h"

namespace wm::master {

/// What was asked and answered since the master started.
struct PolicyCounts {
  std::map<std::string, std::uint64_t> verdicts;  ///< accepted, refused, options, failed
  view::Histogram runs;                           ///< of the command. @units s
};

/// One question: `lines` to a run of `command` that may take `limit`.
struct PolicyQuestion {
  std::string command;
  Duration limit{};
  std::string lines;
};
/// Asks it off the loop; `done` gets, on the loop and never inside the call, what the command
/// wrote.
using PolicyAsk =
    std::function<void(PolicyQuestion question, std::function<void(Result<std::string>)> done)>;

/// A request's part of what waits. @units bytes
inline constexpr std::size_t kMostWaiting = 256u << 20, kMostWaitingOfOne = 64u << 20;

/// @thread the loop's
class PolicyDesk {
 public:
  using Then = std::function<void(std::vector<Verdict>)>;

  explicit PolicyDesk(Clock& clock) : clock_(clock) {}
  /// Without it every question fails.
  void set_asker(PolicyAsk asker) { asker_ = std::move(asker); }

  /// Asks about these jobs, a line each, of a request of `uid`'s that holds `bytes` meanwhile.
  /// `then` gets a verdict a job, never inside this call; Failed there means that the request is
  /// refused. @errors Unavailable: too much waits; `then` is not called
  Result<void> ask(const SubmitPolicyConf& conf, std::uint32_t uid, std::size_t bytes,
                   std::vector<std::string> lines, Then then);
  const PolicyCounts& counts() const { return counts_; }

 private:
  struct Waiting {
    SubmitPolicyConf conf;
    std::size_t bytes;
    std::vector<std::string> lines;
    Then then;
  };
  struct Account {
    std::deque<Waiting> waits;
    std::size_t bytes = 0;  // also of what is with the policy
  };

  void begin_next();
  void begin(std::uint32_t uid, Waiting request);
  void end(std::uint32_t uid, std::size_t bytes);
  std::vector<Verdict> judged(const Waiting& request, const Result<std::string>& said);

  Clock& clock_;
  PolicyAsk asker_;
  std::map<std::uint32_t, Account> accounts_;  // that have a request here
  std::uint32_t last_ = 0;                     // the account that had its turn last
  std::size_t bytes_ = 0;
  std::uint32_t running_ = 0;
  PolicyCounts counts_;
};

}  // namespace wm::master
