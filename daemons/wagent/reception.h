// Role: a unix socket at which tasks call before their exec, each with words and descriptors. They
// are read on a thread of its own: a caller that is stopped in the middle of its words keeps the
// next one waiting, but never the loop: a silent loop would cost the host its place in the job.
//
//   caller ──► hear (own thread, patience 2 s) ──► what it returned (loop)
//
// Invariant: one caller at a time, in the order of their calls. Called by Consoles and RankPort.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "libwm/base/result.h"
#include "libwm/proc/channel.h"
#include "libwm/wire/local_door.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's   @owns the socket, its path and the thread
class Reception {
 public:
  using OnLoop = std::function<void()>;
  /// Takes in what the caller says, and returns what the loop is to do with it. Called on the
  /// reception's thread: touches nothing of the loop's.
  using Hear = std::function<OnLoop(Fd caller)>;

  Reception(boost::asio::io_context& loop, Hear hear);
  /// @cost waits for a caller that is being heard, up to 2 s
  ~Reception();

  /// Binds `path`, replacing what is left of a former agent. @errors as proc::listen_unix
  Result<void> listen(const std::string& path);
  bool is_open() const { return door_.is_open(); }
  /// Somebody has called of whom the loop has not heard yet. @cost O(1)
  bool is_hearing() const { return hearing_ > 0; }

 private:
  void admit(wire::LocalDoor::Socket socket);

  boost::asio::io_context& loop_;
  Hear hear_;
  wire::LocalDoor door_;
  std::string path_;
  std::size_t hearing_ = 0;  ///< callers on the thread, or on their way back
  std::optional<boost::asio::thread_pool> thread_;
};

}  // namespace wm::wagent
