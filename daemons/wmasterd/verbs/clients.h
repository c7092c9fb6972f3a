// Role: what clients ask: finds the verb in the table, asks whether the caller may, and hands the
// request to its function. Writes answer after their events are durable; reads answer from the
// published state. A write's request key is looked up first: a repeat gets the first answer again.
#pragma once

#include <string>

#include "daemons/wmasterd/verbs/service.h"
#include "libwm/view/metrics_page.h"

namespace wm::master {

/// @thread the loop's
class Clients {
 public:
  explicit Clients(Context context) : service_(std::move(context)) {}

  /// A request. Answered in time, in any order; a malformed one is refused.
  void on_frame(PeerId peer, const Caller& caller, std::uint16_t type, const std::string& payload);
  /// The client is gone: nothing is waited for on its behalf.
  void on_left(PeerId peer);
  /// What badmin rebuild-acct and bacct work with; without it both are refused.
  void set_accounting(AcctRebuilder rebuild, AcctReading<AcctReply> account);
  /// Where acts of administrators are kept; without it they are not.
  void set_audit(AuditTrail audit);
  /// What has run and is kept; without it that is what the state knows.
  void set_archive(Archive* archive) { service_.archive = archive; }
  /// How the site's policy of submissions is asked; without it all that it is asked about fails.
  void set_policy(PolicyAsk ask) { service_.policy.set_asker(std::move(ask)); }
  void on_start() { service_.watchers.on_start(); }
  /// Answers those who wait for a job (bsub -K) or watch.
  void on_published(const Journal::Published& published);
  /// How long the loop worked on requests, and how many there were, by verb.
  const view::Histogram& worked() const { return worked_; }
  const std::map<std::string, std::uint64_t>& asked() const { return asked_; }
  /// What the site's policy of submissions was asked and said.
  const PolicyCounts& policy() const { return service_.policy.counts(); }

 private:
  Service service_;
  view::Histogram worked_;
  std::map<std::string, std::uint64_t> asked_;
};

}  // namespace wm::master
