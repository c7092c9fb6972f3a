// Role: real agents (sbin/wagent) with a fake wnoded and fake workers around them, all on
// one loop in this process: shows sockets, reconnects and milliseconds without a master, a
// node daemon or PyTorch. Used by test/fault and test/bench.
//
//   ElasticRig ── fake wnoded k ── wagent k ── fake workers of host k
//
// Fake workers follow PROTOCOL.md: they connect at once and switch when all members of the plan
// have connected. Invariant: everything started is killed by the destructor.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libwm/model/elastic.h"

namespace wm::test {

class ElasticRig {
 public:
  /// `hosts` agents, told by heartbeats that the master is heard.
  explicit ElasticRig(int hosts);
  ~ElasticRig();
  ElasticRig(const ElasticRig&) = delete;
  ElasticRig& operator=(const ElasticRig&) = delete;

  /// Runs the loop until `done` says so. @errors false: `limit` passed first
  bool run_until(const std::function<bool()>& done, Duration limit = std::chrono::minutes(2));

  /// All agents have said where they are.
  bool agents_up() const;
  /// Appoints the agent of `host` and wants these tasks, each on host 1 + (task - 1) % hosts.
  void order(std::uint32_t lead, std::uint32_t lead_host, const std::vector<std::uint32_t>& tasks,
             const std::vector<std::uint32_t>& leaving = {});
  /// A fake worker connects to its agent, says hello and ready.
  void start_worker(std::uint32_t task);
  /// Its connection closes and its wnoded says that it has ended.
  void kill_worker(std::uint32_t task);
  /// The connection of a worker or of the fake wnoded breaks; both come back.
  void break_worker_link(std::uint32_t task);
  void break_node_link(std::uint32_t host);
  void kill_agent(std::uint32_t host);
  void start_agent(std::uint32_t host);

  /// The newest epoch reported, or an empty one.
  EpochFormed formed() const;
  /// Tasks reported faulty.
  std::vector<TaskNumber> faulty() const;
  /// The epoch a fake worker trains in.
  EpochNumber epoch_of(std::uint32_t task) const;
  /// The newest epoch a fake worker was planned into.
  EpochNumber planned_for(std::uint32_t task) const;
  /// What its agent has given a fake worker to know the others by.
  std::string key_of(std::uint32_t task) const;
  /// The path that workers of `host` connect to.
  std::string socket_of(std::uint32_t host) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace wm::test
