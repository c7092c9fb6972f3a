// Role: what a worker has said that still holds, and which plans it may still follow: rules
// W-2 and W-3 of libwm/elastic/PROTOCOL.md as a value, so that they are tested without
// sockets. Used by trainer/link.cc under its lock.
#pragma once

#include <vector>

#include "libwm/model/elastic.h"

namespace wm::trainer {

/// The standing facts of one worker.
/// @thread one at a time   @cost every call O(1)
class Standing {
 public:
  explicit Standing(WorkerHello hello) : hello_(hello) {}

  /// It has no task: it says nothing but its progress (W-13).
  bool is_reporter() const { return !hello_.task; }

  /// Remembers words that must be repeated after a reconnect.
  void note(const FromWorker& said);

  /// Everything to say first on a new connection, in the order of the protocol.
  std::vector<FromWorker> again() const;

  /// Takes words of the agent in: notes dead numbers and leads. False: a plan that is dead
  /// or from a lead that has been replaced; it is to be ignored.
  bool admits(const ToWorker& heard);

 private:
  bool admits_plan(const EpochPlan& plan);

  WorkerHello hello_;
  std::vector<FromWorker> ready_;  // at most one
  std::vector<FromWorker> done_;   // at most one, Left or Done
  WorkerSwitched switched_;
  WorkerConnected connected_;
  WorkerFaulted faulted_;
  EpochNumber dead_;     // highest told withdrawn or broken
  EpochNumber planned_;  // highest planned into or trained in
  LeadNumber lead_;      // highest seen
};

}  // namespace wm::trainer
