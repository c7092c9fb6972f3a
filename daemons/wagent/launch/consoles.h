// Role: consoles of interactive tasks (bsub -I): takes their streams from starting tasks,
// gives each to the newest who asks for it, keeps what is unread while nobody does.
//
//   task ──descriptors──► Console ◄──Attach── bsub -I, battach
//     unattached for kAbandoned after somebody was there ─► SIGHUP, its terminal is gone
//
// Invariants: a task waits in its exec until its streams are here; output read from it is
// handed to one viewer, once. Called by LaunchPort.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "daemons/wagent/launch/stream_set.h"
#include "daemons/wagent/reception.h"
#include "libwm/base/result.h"
#include "libwm/model/node/launch.h"
#include "libwm/proc/console.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's   @owns the streams
class Consoles {
 public:
  /// Who looks at a console, by a number the caller chooses.
  using Viewer = std::uint64_t;
  using Say = std::function<void(Viewer, const FromLaunch&)>;

  Consoles(boost::asio::io_context& loop, Say say);
  ~Consoles();

  /// Binds `path`, replacing what is left of a former agent. @errors as proc::listen_unix
  Result<void> listen(const std::string& path) { return reception_.listen(path); }
  /// Gives the task's console to this viewer, now or when the task comes.
  void attach(Viewer viewer, const LaunchAttach& words);
  /// Input, size, signal, room of a viewer that has a console.
  void on(Viewer viewer, const ToLaunch& words);
  void leave(Viewer viewer);
  /// No output waits for somebody to read it. @cost O(consoles)
  bool idle() const;
  /// The job is over: what nobody asks for within a few seconds is given up.
  void end();

 private:
  struct Console {
    explicit Console(boost::asio::io_context& loop) : timer(loop) {}
    std::shared_ptr<StreamSet> streams;
    boost::asio::steady_timer timer;
    pid_t pid = 0;
    Viewer viewer = 0;
    bool over = false;
  };
  void admit(Result<proc::ConsoleArrival> arrival);
  void connect(TaskNumber task);
  void on_end(TaskNumber task);
  void expect_viewer(TaskNumber task);
  void abandon(TaskNumber task);

  boost::asio::io_context& loop_;
  Say say_;
  std::map<TaskNumber, Console> consoles_;
  std::map<Viewer, LaunchAttach> viewers_;
  bool ending_ = false;
  Reception reception_;
};

}  // namespace wm::wagent
