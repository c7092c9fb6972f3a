// Role: what each host has been told of where a large job's agents are, so that it is sent only
// what has changed since. Pure but for that memory, which ends with a host's session.
//
//   first time, a new session, another attempt ─► the whole order      later ─► what differs
//
// A host with no agent of the job yet is told when the agent has come. Used by ordering.h.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libwm/model/elastic.h"

namespace wm::master {

/// @thread the loop's
class AgentNews {
 public:
  /// Bytes of an AgentOrder for one host; those who are told the same share them.
  struct Word {
    HostId host;
    std::shared_ptr<const std::string> bytes;
  };

  /// What these hosts are to be sent now, which counts as told. `takes`: understands a change.
  /// @cost O(places log places + hosts)
  std::vector<Word> words(const AgentOrder& order, const std::vector<HostId>& hosts,
                          const std::function<bool(HostId)>& takes);
  /// The host's session has ended: it is told everything again. @cost O(jobs with news)
  void forget_told(HostId host);
  /// The job is over. @cost O(log jobs)
  void forget(JobId job) { jobs_.erase(job); }

 private:
  struct Told {
    Attempt attempt;
    std::string head;  // of the newest order: all of it but the places
    std::vector<AgentPlace> places;
    std::map<HostId, std::uint64_t> hosts;  // the generation of what each keeps
  };
  std::map<JobId, Told> jobs_;
};

}  // namespace wm::master
