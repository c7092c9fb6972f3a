// Role: the owner's end of a connection to what a running job serves (LaunchConnect of
// model/node/launch.h): bytes of a connected socket go through the agent's encrypted session to the
// application, and back. What wuserd carries browsers' requests by.
//
//   browser's connection ◄─fd─► Tunnel ◄─session, as the owner─► wagent ◄─unix socket─► application
//
// Invariant: no more than kLaunchWindow bytes are under way in either direction.
#pragma once

#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/client/connection.h"
#include "libwm/client/launch.h"

namespace wm::client {

/// One connection. @thread one; calls block   @owns the session with the agent
class Tunnel {
 public:
  /// Connects to `application` on the agent's host. @errors Refused: nobody listens there;
  /// as Launch::open
  static Result<Tunnel> open(const LaunchDoor& door, const std::string& application);

  /// Sends `first`, then carries both ways between `fd` and the application until one of them
  /// closes. @errors Unavailable: the agent is gone
  Result<void> carry(int fd, std::string_view first);

 private:
  explicit Tunnel(ConnectionOptions options) : connection_(std::move(options)) {}
  Result<void> say(const ToLaunch& words);
  Result<void> take(const wire::Frame& frame, int fd);
  Result<void> take_frames(int fd);
  Result<void> send(std::string_view bytes);
  Result<void> pass_on(int fd);
  Result<void> wait(int fd);

  Connection connection_;
  std::size_t window_ = kLaunchWindow;
  bool over_ = false;
};

}  // namespace wm::client
