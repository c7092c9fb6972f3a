// Role: the session with the master: dialled for ever, with back-off and jitter.
//
//   dial ─► open ─► frames … ─► closed ─► wait (0.05 s … 1.5 s, a little off) ─► dial
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <string>

#include "libwm/base/backoff.h"
#include "libwm/wire/transport.h"

namespace wm::node {

/// @thread the loop's   @owns link and timer; `transport` is borrowed and outlives it
class MasterLink {
 public:
  /// What happens. `down`: the master's host refused the connection.
  struct Handlers {
    std::function<void()> on_open;
    std::function<void(std::uint16_t type, const std::string& payload)> on_frame;
    std::function<void(bool down)> on_lost;
  };

  MasterLink(boost::asio::io_context& loop, wire::Transport& transport, wire::Endpoint master,
             wire::DialOptions options, Handlers handlers);

  /// Begins dialling.
  void start() { dial(); }
  /// Queues a frame; without a session it is dropped.
  void send(std::uint16_t type, std::string payload);
  /// Ends the session because of what the peer said; dials again later.
  void give_up();

 private:
  void dial();
  void on_dialled(Result<std::unique_ptr<wire::Link>> link);
  void on_closed(const Error& error);
  void dial_after(Duration pause);

  wire::Transport& transport_;
  wire::Endpoint master_;
  wire::DialOptions options_;
  Handlers handlers_;
  boost::asio::steady_timer timer_;
  std::unique_ptr<wire::Dialing> dialing_;
  std::unique_ptr<wire::Link> link_;
  Backoff pauses_, refusals_;
  bool refused_ = false;  // the last session ended so
};

}  // namespace wm::node
