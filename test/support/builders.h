// Role: short ways to make states for tests: a cluster with hosts, jobs in any state, made
// by the real events, so that what a test starts from is always reachable.
#pragma once

#include <string>
#include <vector>

#include "libwm/fsm/fsm.h"
#include "libwm/model/cluster.h"
#include "libwm/model/event.h"

namespace wm::test {

/// A wall time `s` seconds after the tests' epoch.
WallTime at(double s);

/// A specification with sensible defaults: user u1, queue normal, 1 task, "sleep 1".
struct SpecBuilder {
  JobSpec spec;
  std::vector<JobSpec> alternatives;
  SpecBuilder();
  SpecBuilder& user(const std::string& name, std::uint32_t uid);
  SpecBuilder& queue(const std::string& name);
  SpecBuilder& app(const std::string& name);
  SpecBuilder& plan(const std::string& path);
  SpecBuilder& tasks(std::uint32_t min, std::uint32_t max);
  SpecBuilder& gpus(std::uint32_t per_task);
  SpecBuilder& elastic();
  SpecBuilder& rerunnable();
  SpecBuilder& hold();
  SpecBuilder& array(std::uint32_t from, std::uint32_t to, std::uint32_t limit = 0);
  /// A group with the command "sleep 1"; its place in the job's array comes by itself.
  SpecBuilder& group(TaskGroup group);
  SpecBuilder& open();
  std::shared_ptr<const SealedSpec> sealed() const;
};

/// A cluster driven by events, with the built-in configuration. Every step is checked,
/// applied, and its invariants verified; a step that is refused throws.
class ClusterBuilder {
 public:
  ClusterBuilder();

  /// The configuration, to be changed before the first step. Call reconfigure() after.
  Config config;
  void reconfigure();

  /// Registers a host "hN"; returns its id.
  HostId host(std::uint32_t slots, std::uint32_t gpus = 0);
  JobId submit(const SpecBuilder& spec);
  /// Dispatches a pending job, one task on each host given, GPU 0.. as asked and free.
  void dispatch(JobId job, const std::vector<HostId>& hosts);
  /// dispatch, then every task reports its start.
  void run(JobId job, const std::vector<HostId>& hosts);
  /// Says hello and enters epoch `n` with all tasks of the job as members.
  void enter_epoch(JobId job, std::uint32_t n);
  /// One event: check, apply, follow. Returns the actions it makes necessary.
  Actions step(const EventBody& body, double seconds = 0);
  /// Whether it is legal now.
  Result<void> check(const EventBody& body) const { return fsm::check(state, body); }

  const Job& job(JobId id) const;
  const Host& host_of(HostId id) const { return *state.hosts.find(id.value); }

  Cluster state;
  std::vector<Event> history;

 private:
  std::uint32_t hosts_ = 0, jobs_ = 0;
};

/// What wait says of a process that failed or was killed.
constexpr std::int32_t kExit3 = 3 << 8, kSigkill = 9;

/// The end of a task of the job's attempt.
TaskEnded ended(const ClusterBuilder& c, JobId id, std::uint32_t task, std::int32_t status = 0,
                Term term = Term::None);

}  // namespace wm::test
