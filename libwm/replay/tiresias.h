// Role: discretised least attained service with two queues, as published: a job that has held
// more than a threshold of GPU time sinks to the second queue; within a queue the earlier job goes
// first; the first in line run at the size they asked for, the others are preempted. To
// calibrate the simulator by: its results on the same lists are published.
// @source Tiresias: Gu et al., NSDI 2019; used as in Pollux: Qiao et al., OSDI 2021
#pragma once

#include <vector>

#include "libwm/replay/run.h"

namespace wm::replay {

/// The policy.
class Tiresias : public Decider {
 public:
  Tiresias(const std::vector<JobRun>& jobs, const Setup& setup)
      : jobs_(jobs),
        setup_(setup),
        free_(setup.hosts, setup.units_per_host()),
        placements_(jobs.size()) {}

  void arrive(std::uint32_t job, double now) override;
  void end(std::uint32_t job, double now) override;
  std::vector<std::uint32_t> decide(double now) override;
  Placement placement(std::uint32_t job) const override { return placements_[job]; }
  bool wants_progress() const override { return true; }

 private:
  void release(std::uint32_t job);
  Placement place(std::uint32_t tasks);

  const std::vector<JobRun>& jobs_;
  Setup setup_;
  std::vector<std::uint32_t> free_;  // by host
  std::vector<Placement> placements_;
  std::vector<std::uint32_t> live_;  // by submission
};

}  // namespace wm::replay
