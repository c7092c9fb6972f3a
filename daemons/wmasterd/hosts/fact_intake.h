// Role: what hosts and agents tell becomes events. What holds for a moment only (progress, who has
// come to a meeting) is kept here beside the state.
#pragma once

#include <map>
#include <vector>

#include "daemons/wmasterd/hosts/paces.h"
#include "daemons/wmasterd/state/journal.h"
#include "libwm/model/meeting.h"
#include "libwm/model/node/node.h"

namespace wm::master {

/// A training job's last words about how far it is; not durable.
using Progress = std::map<JobId, JobProgress>;

/// What a job's first host has seen where its processes meet; not durable.
struct SeenMeeting {
  Attempt attempt;
  Rendezvous meeting;
  bool complete = false;  ///< at this port all were there
};
using Meetings = std::map<JobId, SeenMeeting>;

/// @thread the loop's
class FactIntake {
 public:
  FactIntake(Clock& clock, Journal& journal) : clock_(clock), journal_(journal) {}

  /// Takes a fact of a host's in. Returns the events that it means, none where it says nothing new.
  /// `began`: when the host's session began.
  std::vector<EventBody> events_of(HostId host, const Fact& fact, WallTime began);
  Frozen<Progress> progress() { return progress_.freeze(); }
  Frozen<Meetings> meetings() { return meetings_.freeze(); }
  /// Drops what is kept about a job that is over.
  void forget(JobId job);

 private:
  std::vector<EventBody> events_of_end(HostId host, const FactEnded& ended, WallTime began) const;
  std::vector<EventBody> events_of(const AgentReport& report);
  std::vector<EventBody> events_of(const FactGpuOveruse& fact) const;
  std::vector<EventBody> on_progress(JobId job, const JobProgress& report);
  void hear(const FactRendezvous& fact);

  Clock& clock_;
  Journal& journal_;
  Frozen<Progress> progress_;
  Frozen<Meetings> meetings_;
  Paces paces_;
};

}  // namespace wm::master
