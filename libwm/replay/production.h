// Role: the master's own decisions in virtual time, for a list of jobs: its machines (twin.h)
// hold the cluster and decide. What a start or a resize costs a job is the engine's.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "libwm/replay/engine.h"
#include "libwm/replay/run.h"
#include "libwm/replay/twin.h"
#include "libwm/sched/plan/goodput.h"

namespace wm::replay {

/// Scheduler and state machines.
class Production : public Decider {
 public:
  /// `pass_s` gets the duration of every pass when there is a stopwatch.
  /// @owns borrows all; they outlive it   @cost O(hosts)
  Production(const std::vector<JobRun>& jobs, const Setup& setup, const Options& options,
             std::vector<double>& pass_s);

  void arrive(std::uint32_t job, double now) override;
  void end(std::uint32_t job, double now) override;
  void wish(std::uint32_t job, std::uint32_t tasks, double now) override;
  std::vector<std::uint32_t> decide(double now) override;
  Placement placement(std::uint32_t job) const override;
  double wake_at() const override;
  bool wants_progress() const override { return listens_; }

 private:
  void add_hosts(const Setup& setup);
  std::shared_ptr<const SealedSpec> spec_of(const JobRun& run) const;
  Duration limit_of(const JobRun& run, std::uint32_t tasks) const;
  void apply(const EventBody& body, double now);
  sched::Plan pass(double now);
  void hear_reports();
  bool hear(std::uint32_t job);
  void foretell(std::uint32_t job);

  const std::vector<JobRun>& jobs_;
  const Options& options_;
  std::vector<double>& pass_s_;
  Twin twin_{Cluster{}};
  sched::SchedPolicy policy_;
  WallTime wake_at_{};  // the last pass asked for another then; 0: it did not
  std::set<std::uint32_t> touched_;
  bool listens_ = false;  // some jobs report their speed, and the policy cares
  std::uint32_t per_host_;
  std::set<std::uint32_t> live_;
  std::map<std::string, sched::Profile> profiles_;  // by program
  std::map<std::uint32_t, double> noise_;           // reported by live jobs
  std::shared_ptr<sched::Speeds> speeds_ = std::make_shared<sched::Speeds>();
};

}  // namespace wm::replay
