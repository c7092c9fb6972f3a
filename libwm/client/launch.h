// Role: the starting side of model/node/launch.h for commands: one conversation about a command in
// a job (blaunch, battach) or a console (bsub -I), carried between this process's own streams,
// terminal and signals and an agent.
//
//   stdin ─► Input    SIGWINCH ─► Resize    SIGINT … ─► Signal      stdout, stderr ◄─ Output
//
// Invariant: no more than kLaunchWindow bytes of input are under way; output is acknowledged
// when it has been written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/client/connection.h"
#include "libwm/client/signals.h"
#include "libwm/model/node/launch.h"

namespace wm::client {

/// The way in to an agent.
struct LaunchDoor {
  std::string address;       ///< a unix socket's path, or "127.0.0.1:4711"
  std::string munge_socket;  ///< of the identity service, for the latter; empty: the system's
  Duration patience = std::chrono::seconds(10);  ///< for an agent that is coming up
};

/// How its owner's process talks to an agent. @errors as wire::parse_endpoint
Result<ConnectionOptions> agent_options(const LaunchDoor& door);

/// The host of each task of a group of the job, as its agent knows them now.
/// @errors Unavailable: nobody there within the patience, or the group has no task; the text says
/// why
Result<std::vector<std::string>> slots_of_group(const LaunchDoor& door, const std::string& group);

/// What of this process is carried.
struct LaunchCarry {
  bool input = true;      ///< forward stdin
  bool terminal = false;  ///< stdin is a terminal: its changes of size are told
};

/// One conversation. @thread one   @owns the connection
class Launch {
 public:
  /// Says `first` (LaunchStart or LaunchAttach) and waits for the first answer.
  /// @errors Unavailable: nobody there within the patience; Denied: not this user's
  static Result<Launch> open(const LaunchDoor& door, const ToLaunch& first);

  /// Carries everything to the end; meanwhile signals are the command's, not ours.
  /// @errors Unavailable: the connection broke
  Result<LaunchEnded> run(const LaunchCarry& carry);

  /// The process at the other end; 0: none yet. @cost O(1)
  std::int32_t pid() const { return pid_; }

 private:
  explicit Launch(ConnectionOptions options) : connection_(std::move(options)) {}
  Result<void> say(const ToLaunch& words);
  Result<void> take(const wire::Frame& frame);
  Result<void> take_frames();
  Result<void> read_input();
  Result<void> pass_on(Signals& signals, const LaunchCarry& carry);
  Result<void> wait(Signals& signals, const LaunchCarry& carry);

  Connection connection_;
  std::optional<LaunchEnded> ended_;
  std::int32_t pid_ = 0;
  std::size_t window_ = kLaunchWindow;
  bool input_open_ = false;
};

/// A terminal's size as TIOCGWINSZ says; zeros: `fd` is none.
LaunchResize size_of_terminal(int fd);

}  // namespace wm::client
