// Role: everything wnoded's core may ask of the environment: time, the master, agents, root acts,
// accounts, ports, the record file. The real one is real_outside.h; tests and the simulation
// use one that only remembers.
// Threads: every call and callback on the loop thread. Invariant: a callback never runs inside
// the call that registered it.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemons/wnoded/attempts/signed_order.h"
#include "daemons/wnoded/host_ports.h"
#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/gpu/gpu_reading.h"
#include "libwm/launch/launcher.h"
#include "libwm/model/node/node.h"

namespace wm::node {

/// What an attempt is started with.
struct Authorised {
  launch::Account account;
  OwnCommands own;
};

/// See the file comment. @thread the loop's
class Env {
 public:
  virtual ~Env() = default;

  virtual WallTime wall() = 0;
  virtual TimePoint mono() = 0;

  /// Queues a frame to the master; without a session it is dropped.
  virtual void send(NodeVerb verb, std::string payload) = 0;
  /// Words for the attempt's agent; without one connected they are dropped.
  virtual void tell_agent(const launch::AttemptKey& key, const NodeToAgent& words) = 0;

  /// The root acts.
  virtual launch::Launcher& launcher() = 0;
  /// Checks that the submitter signed what is ordered, looks up the account's groups and what
  /// this host's configuration says of the job's profile and queue.
  /// @errors (to done) Denied: signature, or the order is not what was signed; Version: no such
  ///         profile or queue here; else the host's: NotFound: no such account here; Unavailable:
  ///         munged, the name service
  virtual void authorise(const HostOrder& order, std::function<void(Result<Authorised>)> done) = 0;

  /// Does what authorise does, for a job of this host's own: asks the identity service, looks up
  /// the account that it runs as (nobody, where wnoded is root), reads the configuration.
  /// @errors (to done) as of those
  virtual void prove(std::function<void(Result<launch::Account>)> done) = 0;

  /// Ports of attempts.
  virtual HostPorts& job_ports() = 0;

  /// Whether there is such a file. @cost one stat
  virtual bool exists(const std::string& path) = 0;
  /// CPUs that a task's process may use now; empty: it is gone. @cost one system call
  virtual std::vector<std::uint32_t> cpus_of(std::int32_t pid) = 0;
  /// Reads all GPUs; a sick driver may take seconds. `done` gets nothing without a driver.
  virtual void read_gpus(std::function<void(std::vector<gpu::GpuReading>)> done) = 0;

  /// What the processor packages used since it was asked last; none at first, and where nothing
  /// counts it. @units mJ   @cost a read a package
  virtual std::optional<std::int64_t> cpu_energy_mj() = 0;

  /// Remembers over a restart which master was obeyed. One that cannot is told in the log: a
  /// restored store might then be obeyed. @cost two fsync, seldom
  virtual void keep_obeyed(const MasterRank& master) = 0;

  /// Keeps what is known of the energy that jobs' GPUs used over a restart of wnoded, and what one
  /// before kept; empty: nothing. It is written beside the loop, the newest in the end.
  virtual void keep_gpu_energy(std::string text) = 0;
  virtual std::string kept_gpu_energy() = 0;

  /// Shrinks the exit records to those wanted. @cost O(file); called seldom
  virtual void keep_records(const std::function<bool(const launch::ExitRecord&)>& keep) = 0;
};

}  // namespace wm::node
