// Role: MPS control daemons: one per owner and set of GPUs, started when the first task with
// mps=yes comes, ended when the last has gone. Each runs in a shepherd of its own, as its owner,
// under the number 0 that no job has: confinement, the end of all that it started and finding
// it again after a restart of wnoded are those of jobs.
//
//   need() → starting ──its control pipe is there──► ready ──nobody needs it──► ending → gone
//               └─ ended, or not there after kStartLimit ─► failed (till nobody needs it)
//
// Part of core.h. @source NVIDIA Multi-Process Service: control daemon, its pipe and variables
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "daemons/wnoded/env.h"
#include "daemons/wnoded/probe.h"
#include "libwm/launch/launch_env.h"

namespace wm::node {

/// The user that is served, and on which GPUs.
struct MpsKey {
  std::uint32_t uid = 0;
  std::vector<std::string> uuids;
  auto operator<=>(const MpsKey&) const = default;
};

/// @thread the loop's
class Mps {
 public:
  enum class Stand : std::uint8_t { Starting, Ready, Failed };

  Mps(Env& env, const launch::HostFacts& host) : env_(env), host_(host) {}

  /// How the daemon stands; the first call starts it. @cost O(log daemons)
  Stand need(const MpsKey& key, const launch::Account& account, Duration grace);
  /// Ends what is not in `wanted`; looks whether those that start are ready. True: a daemon
  /// stands otherwise than before, tasks that wait should ask again. @cost O(daemons)
  bool on_tick(const std::set<MpsKey>& wanted);
  /// GPUs that a daemon may be holding. @cost O(daemons)
  std::set<std::string> held() const;
  /// Variables of a client, "NAME=value". @cost O(1)
  std::vector<std::string> variables(const MpsKey& key, const TaskRequest& request) const;

  /// The attempt is one of these daemons.
  static bool owns(const launch::AttemptKey& key) { return key.job.job == 0 && !Probe::owns(key); }
  /// A daemon that a former wnoded left.
  void adopt(const launch::ShepherdUp& word);
  void on_word(const launch::AttemptKey& key, const launch::ShepherdWord& word);
  void on_shepherd_lost(const launch::AttemptKey& key, Duration grace);

 private:
  enum class Stage : std::uint8_t { Starting, Ready, Failed, Ending };
  struct Daemon {
    launch::AttemptKey key;
    Stage stage = Stage::Starting;
    TimePoint since{};
  };
  std::map<MpsKey, Daemon>::iterator find(const launch::AttemptKey& key);
  bool look(Daemon& daemon);
  std::string folder(const launch::AttemptKey& key) const;
  launch::AttemptSpec spec(const MpsKey& key, const Daemon& daemon, const launch::Account& account,
                           Duration grace) const;

  Env& env_;
  const launch::HostFacts& host_;
  std::map<MpsKey, Daemon> daemons_;
  bool changed_ = false;  ///< one has ended since the last tick
  std::uint32_t last_ = 0;
};

}  // namespace wm::node
