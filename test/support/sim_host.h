// Role: a host in a simulation of the master: follows orders, reports facts until they are
// acknowledged, registers again after every break, forgets everything at a reboot. Its
// agents form epochs as soon as they can. It checks what a real host relies on.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>

#include "libwm/model/node/node.h"
#include "test/support/sim_env.h"

namespace wm::test {

/// Where hosts find the master of this moment; null while it is down.
struct SimNet {
  SimEnv* master = nullptr;
  std::function<void(PeerId, std::uint16_t, const std::string&)> to_master_from_host;
  std::function<void(PeerId)> host_left;
  /// Attempts of a job with a running task, over all hosts: must never be two.
  std::map<JobId, std::map<Attempt, int>> running;
  std::vector<std::string> violations;
  /// What trials had to report when a task of them ended, by attempt.
  std::map<std::pair<JobId, Attempt>, std::string> last_reports;
};

class SimHost final : public SimPeer {
 public:
  SimHost(Sim& sim, SimNet& net, std::string name, std::uint32_t slots, std::uint32_t gpus);

  /// Tries to connect, for ever.
  void start();
  /// All processes are gone; the host comes back with another boot.
  void reboot();
  /// wnoded is killed and comes back: processes live on, the session breaks.
  void restart_daemon();

  /// Its network is cut: it runs on, unheard, and follows no orders.
  void isolate();
  /// The network is back; the session that broke is made anew.
  void rejoin();
  /// Everything on it ends, and it stays off until power_on().
  void power_off();
  void power_on();
  bool is_on() const { return on_; }

  void on_frame(std::uint16_t type, const std::string& payload) override;
  void on_closed() override;

  std::uint32_t running_tasks() const;
  /// So many orders from now on are not signed by a key that it knows.
  void forget_the_key(int orders) { unproven_ = orders; }

 private:
  struct Task {
    std::int32_t pid = 0;
    bool running = false, ended = false, acknowledged = false;
    std::int32_t status = 0;
    Term term = Term::None;
    std::string report;  // of a trial: what it has to say at its end
  };
  using Key = std::pair<JobId, Attempt>;

  void end_everything();
  void try_connect();
  void heartbeat();
  void say(NodeVerb verb, const std::string& payload);
  void report(Fact fact);
  void obey(const HostOrder& order);
  void start_task(const HostOrder& order, TaskNumber number);
  void report_on_the_way(Key key, TaskNumber number);
  void end_task(Key key, TaskNumber number, std::int32_t status, Term term);
  void lead(const AgentOrder& order);
  void forget(Key key);

  Sim& sim_;
  SimNet& net_;
  std::string name_;
  std::uint32_t slots_, gpus_, boot_ = 1;
  bool isolated_ = false, on_ = true;
  HostId id_;
  PeerId peer_;
  std::map<Key, std::map<TaskNumber, Task>> attempts_;
  std::map<JobId, Attempt> newest_;
  std::map<Key, EpochNumber> epochs_;
  std::set<Key> no_workers_;  ///< of a group of tasks that are each for itself
  std::map<std::uint64_t, Fact> unacknowledged_;
  std::uint64_t facts_ = 0;
  std::int32_t pids_ = 100;
  int unproven_ = 0;
};

}  // namespace wm::test
