// Role: the agent's connection to its host's wnoded (PROTOCOL link 1), made again for ever.
// Invariant: words sent while there is no connection are dropped; on_up says when to repeat
// them. Called by ElasticBody.
#pragma once

#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "libwm/base/backoff.h"
#include "libwm/frames/stream.h"
#include "libwm/model/elastic.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's
class NodePort {
 public:
  struct Handlers {
    std::function<void()> on_up;
    std::function<void(const NodeToAgent&)> on_words;
  };

  NodePort(boost::asio::io_context& loop, std::string path, Handlers handlers);

  /// Begins to connect.
  void start() { connect(); }
  /// False: there is no connection now. @cost one write
  bool send(const AgentReport& report);
  /// Which connection it is, from 1; 0: there is none now.
  std::uint64_t connection() const { return stream_ ? connections_ : 0; }

 private:
  void connect();
  void retry();

  boost::asio::io_context& loop_;
  boost::asio::steady_timer timer_;
  Backoff tries_;
  boost::asio::local::stream_protocol::socket dialling_;
  std::string path_;
  Handlers handlers_;
  std::unique_ptr<frames::Stream> stream_;
  std::uint64_t connections_ = 0;
};

}  // namespace wm::wagent
