// Role: what one job asks of a host, whatever else runs there: its size, bsub -m, the queue's
// hosts, the select expression. Called by requests.cc for every host, by feasible.cc for what
// could ever be.
#pragma once

#include <string>
#include <vector>

#include "libwm/expr/asked_hosts.h"
#include "libwm/expr/select.h"
#include "libwm/model/cluster.h"

namespace wm::sched {

/// Is the host among these names: its own, a group of it, or "all"? @cost O(names x groups)
bool names_host(const std::vector<std::string>& names, const Config& config, const Host& host);

/// The host as if nothing ran on it. @cost a copy
Host emptied(Host host);

/// A job's rules for hosts, its expressions parsed once. A broken expression fits nowhere.
/// @owns borrows both   @thread any
class HostRules {
 public:
  /// @cost O(length of the expressions)
  HostRules(const JobSpec& spec, const Config& config);

  /// -m's number for the host, expr::kNotAsked when it or the queue leaves the host out.
  /// @cost O(1) if neither names hosts, else O(words x groups)
  int preference(const Host& host) const;
  /// May the job go there by -m and its queue? @cost as preference
  bool asks_for(const Host& host) const { return preference(host) != expr::kNotAsked; }
  /// Does the select expression hold as the host is now? @cost O(terms)
  bool selects(const Host& host) const {
    return select_ && (select_->empty() || select_->matches(lookup(host)));
  }
  /// Is the host large enough for a task, and selected? @cost O(GPUs + terms)
  bool meet(const Host& host) const;
  /// The same as if nothing ran on it. @cost O(GPUs + terms), a copy of the host if there are any
  bool meet_empty(const Host& host) const;
  /// Whether it is selected as if nothing ran on it. @cost as meet_empty
  bool selects_empty(const Host& host) const;
  /// What the select expression reads of the host. @owns borrows it
  expr::Lookup lookup(const Host& host) const;
  /// The job. @cost O(1)
  const JobSpec& spec() const { return spec_; }

 private:
  const JobSpec& spec_;
  const Config& config_;
  const QueueConf* queue_;
  Result<expr::Select> select_;
  Result<std::vector<expr::AskedHost>> asked_;
  bool takes_any_;
};

}  // namespace wm::sched
