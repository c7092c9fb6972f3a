// Role: the way from a copier to the agent of its host, which passes a task's output on to the host
// that writes the job's files (wagent/output/output_sender.h). Used by user parts.
//
//   Passage ──two pipes, `hold`──► agent
//   write ─► … ─► finish: the pipes are closed ─► all is written there: so is `hold`
//
// Invariant: an agent that is not there, or goes, keeps nobody: what is said meanwhile is not
// passed on, and after a pause the one that is there by then is called.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/proc/channel.h"

namespace wm::shepherd {

/// See the head of this file. @thread one   @owns the pipes
class Passage {
 public:
  /// Calls the agent at `socket`, again no sooner than `pause` after it was lost.
  /// @cost blocks until it listens, at most 10 s
  Passage(const std::string& socket, TaskNumber task, Duration pause = std::chrono::seconds(1));
  /// `stream`: 1 stdout, 2 stderr. @cost blocks while the agent has no room
  void write(std::uint32_t stream, std::string_view bytes);
  /// Waits until all is written where it is to be. False: some of it was lost on the way.
  bool finish();
  /// Some of it was lost by now. @cost O(1)
  bool has_lost() const { return lost_; }

 private:
  bool call();
  void lose(Duration pause);

  std::string socket_;
  TaskNumber task_;
  Duration pause_;
  std::array<Fd, 2> streams_;
  Fd held_;  ///< read end: closed when all is written
  bool lost_ = false;
  std::chrono::steady_clock::time_point again_{};  ///< not called before
};

}  // namespace wm::shepherd
