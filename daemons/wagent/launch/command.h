// Role: one command that the agent runs for somebody else (blaunch, battach): the process, its
// streams, its end. A child of the agent, hence below the shepherd like every task.
//
//   start ─► Up ─► Output… ─► process ends, output is read ─► Ended
//     └ hang_up(): SIGHUP and SIGTERM, 2 s later SIGKILL for all below it
//
// Invariants: Ended is said once, last; the process is reaped before on_over runs.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>

#include "daemons/wagent/launch/part_settings.h"
#include "daemons/wagent/launch/stream_set.h"
#include "libwm/base/result.h"
#include "libwm/model/node/launch.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's   @owns the process
class Command {
 public:
  struct Handlers {
    std::function<void(const FromLaunch&)> say;
    std::function<void()> on_over;  ///< nothing of it is left; it may be destroyed
  };

  /// Starts it. @errors System: no process, no streams; NotFound: no task with this pid
  static Result<std::unique_ptr<Command>> start(boost::asio::io_context& loop,
                                                const LaunchStart& what, const PartSettings& part,
                                                Handlers handlers);
  ~Command();

  /// Input, size, signal, room.
  void on(const ToLaunch& words);
  /// Nobody listens any more: it is to end.
  void hang_up();
  /// SIGKILL, with everything below it.
  void kill();

 private:
  Command(boost::asio::io_context& loop, Handlers handlers);
  void serve(proc::ConsoleEnds ends);
  void watch(pid_t pid);
  void on_exit();
  void wait_for_quiet();
  void on_quiet();
  void finish();

  boost::asio::io_context& loop_;
  Handlers handlers_;
  std::shared_ptr<StreamSet> streams_;
  boost::asio::posix::stream_descriptor process_;  ///< pidfd
  boost::asio::steady_timer timer_;
  Fd trouble_;
  pid_t pid_ = 0;
  std::optional<int> status_;
  bool silent_ = false, spoke_ = false, over_ = false;
  /// Handlers that the loop already holds find out here that we are gone.
  std::shared_ptr<Command*> self_ = std::make_shared<Command*>(this);
};

}  // namespace wm::wagent
