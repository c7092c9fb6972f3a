// Role: proves that a host which could not start jobs by its own fault is well again: by a job of
// its own, started as a user's is started: identity service, account, configuration, port, folder,
// process.
//
//   fault ─► due ─30 s─► asks ─proven─► runs for a second as nobody ─exit 0─► well: told, quiet
//             ▲            └ refused        └ failed, or silent for a minute
//             └───────────────┴──────────────────────┘
//
// A user's job that runs meanwhile proves the same. Where wnoded is one account's, it is that
// account's job. Part of core.h.
#pragma once

#include <functional>

#include "daemons/wnoded/env.h"
#include "libwm/launch/launch_env.h"

namespace wm::node {

/// @thread the loop's
class Probe {
 public:
  /// Of no job, and of no MPS daemon (mps.h).
  static constexpr JobId kJob{0, 0xffffffff};

  /// `well`: called with the number of faults that there were, when one of these jobs has run.
  Probe(Env& env, const launch::HostFacts& host, std::function<void(std::uint32_t)> well)
      : env_(env), host_(host), well_(std::move(well)) {}

  /// The attempt is one of these jobs. @cost O(1)
  static bool owns(const launch::AttemptKey& key) { return key.job == kJob; }
  /// A job could not be started by this host's fault.
  void note_fault();
  /// wnoded has started: what was before is not known, so one is run.
  void note_start() { note_fault(); }
  void on_tick(Duration kill_grace);
  void on_word(const launch::AttemptKey& key, const launch::ShepherdWord& word);
  void on_shepherd_lost(const launch::AttemptKey& key);

 private:
  enum class Stage : std::uint8_t { Quiet, Due, Asking, Running };
  void ask(Duration kill_grace);
  void start(const launch::Account& account, Duration kill_grace);
  void again(const std::string& why);

  Env& env_;
  const launch::HostFacts& host_;
  std::function<void(std::uint32_t)> well_;
  Stage stage_ = Stage::Quiet;
  std::uint32_t faults_ = 0;
  launch::AttemptKey key_{kJob, Attempt{0}};
  TimePoint until_{};  ///< due: it is asked then; running: it has failed then
  bool exited_well_ = false;
};

}  // namespace wm::node
