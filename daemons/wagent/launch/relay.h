// Role: passes the frames of one launch on to the agent of another host of the job, and back.
// Connects as soon as that agent's address is known; the starting side counts the flow.
//
//   waiting for an address ─► dialling (again while its agent is coming up) ─► passing on ─► over
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libwm/base/backoff.h"
#include "libwm/model/node/launch.h"
#include "libwm/wire/transport.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's
class Relay {
 public:
  struct Handlers {
    std::function<void(const wire::Frame&)> pass;  ///< to whoever asked
    std::function<void(const std::string& why)> fail;
  };
  /// A host of the job, by its name; of another group of it, or of the agent's own.
  struct Target {
    std::string host, group;
  };
  Relay(boost::asio::io_context& loop, wire::Transport& transport, Target target,
        Handlers handlers);

  const Target& target() const { return target_; }
  /// A frame for the other host; kept until there is a link.
  void send(const wire::Frame& frame);
  /// Where its agent listens, and by whose key; another one after it was started again.
  void found(const std::string& address, const wire::LinkOptions& options);

 private:
  void dial();
  void take_up(std::unique_ptr<wire::Link> link);
  void retry(const Error& error);

  wire::Transport& transport_;
  wire::LinkOptions options_;
  Target target_;
  std::string address_;
  Handlers handlers_;
  boost::asio::steady_timer timer_;
  Backoff tries_;
  std::chrono::steady_clock::time_point until_;
  std::unique_ptr<wire::Dialing> dialing_;
  std::unique_ptr<wire::Link> link_;
  std::vector<wire::Frame> waiting_;
  /// Handlers that the loop already holds find out here that we are gone.
  std::shared_ptr<Relay*> self_ = std::make_shared<Relay*>(this);
};

}  // namespace wm::wagent
