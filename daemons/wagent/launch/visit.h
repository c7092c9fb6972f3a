// Role: one connection to what the job serves to browsers on this host: a unix socket, or a port of
// the loopback address. Carries bytes both ways between it and the asker, who is the job's
// owner.
//
//   start ─► connected: Up ─► Output… ─► the application closes: Ended
//
// Invariants: Ended is said once, last; no address but of this host is connected to.
#pragma once

#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemons/wagent/launch/stream_set.h"
#include "libwm/base/result.h"
#include "libwm/model/node/launch.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's   @owns the connection
class Visit {
 public:
  using Say = std::function<void(const FromLaunch&)>;

  /// Begins to connect. @errors BadArgument: no address, or not one of this host; System
  static Result<std::unique_ptr<Visit>> start(boost::asio::io_context& loop,
                                              const LaunchConnect& to, Say say);
  ~Visit();

  /// Input, room.
  void on(const ToLaunch& words);

 private:
  Visit(boost::asio::io_context& loop, Say say);
  void on_connected(const boost::system::error_code& error);

  boost::asio::io_context& loop_;
  Say say_;
  boost::asio::generic::stream_protocol::socket socket_;
  std::shared_ptr<StreamSet> streams_;
  std::vector<std::string> early_;  ///< input that came before the connection was there
  /// Handlers that the loop already holds find out here that we are gone.
  std::shared_ptr<Visit*> self_ = std::make_shared<Visit*>(this);
};

}  // namespace wm::wagent
