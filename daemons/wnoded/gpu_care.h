// Role: what wnoded does for the GPUs of its tasks: their end waits until the devices are free
// (gpus.h), MPS daemons are there before the tasks that need them (mps.h).
#pragma once

#include <string>
#include <vector>

#include "daemons/wnoded/attempts/attempts.h"
#include "daemons/wnoded/gpus.h"
#include "daemons/wnoded/mps.h"
#include "daemons/wnoded/own_host.h"
#include "daemons/wnoded/reporter.h"

namespace wm::node {

/// @thread the loop's
class GpuCare {
 public:
  /// `ended`, `looked`: as Gpus has them.
  GpuCare(const OwnHost& host, Reporter& reporter, Gpus::Ended ended, Gpus::Looked looked)
      : host_(host),
        reporter_(reporter),
        gpus_(host.env, host.gpus, std::move(ended), std::move(looked)),
        mps_(host.env, host.facts) {}

  /// The end of a task. True: it is told later, when the GPUs that the task had to itself are free.
  /// Of shared ones, that its processes are gone is all that can be proven. Tasks that see each
  /// other's GPUs are told together: none of these is free while one of the tasks runs.
  bool keep_back(LocalAttempt& attempt, const FactEnded& fact);
  /// The attempt's end, or that task's, is kept back until GPUs are free. @cost O(kept back)
  bool drains(const launch::AttemptKey& key) const { return gpus_.drains(key); }
  bool drains(const launch::AttemptKey& key, TaskNumber task) const {
    return gpus_.drains(key, task);
  }
  /// Nobody wants to know its ends any more.
  void forget(const launch::AttemptKey& key) { gpus_.forget(key); }

  /// How the daemons stand that tasks of the order still lack; those that are not there are
  /// started.
  Mps::Stand mps_for(const LocalAttempt& attempt);
  /// Variables by which a task finds its daemon. @cost O(1)
  void add_mps(const HostOrder& order, const OrderedTask& task, launch::TaskSpec& spec) const;
  /// Words about the daemons' own shepherds go to them.
  Mps& mps() { return mps_; }

  /// Ends daemons that no task needs. True: a daemon stands otherwise than before, so attempts that
  /// need one should be looked at again. @cost O(tasks of the host)
  bool look_at_daemons(const Attempts& attempts);
  /// A task begins to use devices.
  void look_soon() { gpus_.look_soon(); }
  /// Starts a reading of the devices when one is due. @cost O(tasks of the host)
  void look_at_devices(const Attempts& attempts, bool session);
  /// How the devices are: for a registration; as the driver told at the last look.
  std::vector<GpuReport> reports() const { return gpus_.reports(); }
  const std::vector<gpu::GpuReading>& readings() const { return gpus_.readings(); }
  Bytes base(const std::string& uuid) const { return gpus_.base(uuid); }

 private:
  void tell_together(LocalAttempt& attempt);

  const OwnHost& host_;
  Reporter& reporter_;
  Gpus gpus_;
  Mps mps_;
};

}  // namespace wm::node
