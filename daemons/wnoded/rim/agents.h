// Role: the unix socket where the agents of elastic jobs speak to their host
// (libwm/elastic/PROTOCOL.md, link 1): admits an attempt's user only, passes words on.
//
//   connect → SO_PEERCRED → first AgentReport names the attempt → admitted ⇄ words
//                                                                └ refused, unreadable → closed
//
// Invariant: nothing is heard of a connection once it is refused; one user cannot hold all places.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "libwm/frames/stream.h"
#include "libwm/launch/launcher.h"
#include "libwm/model/elastic.h"
#include "libwm/proc/channel.h"
#include "libwm/wire/local_door.h"

namespace wm::node {

/// @thread the loop's   @owns the listening socket and its connections
class Agents {
 public:
  using Admit = std::function<bool(const launch::AttemptKey&, std::uint32_t uid)>;
  using OnReport = std::function<void(const launch::AttemptKey&, const AgentReport&)>;

  /// `max_of_one_user`: connections of one account; more are closed at once.
  Agents(boost::asio::io_context& loop, Admit admit, OnReport on_report,
         std::size_t max_of_one_user = 1024);

  /// Listens where every user may connect. @errors as proc::listen_unix
  Result<void> listen(const std::string& path);
  /// Connections that are open now, for tests.
  std::size_t connections() const { return connections_.size(); }
  /// Words for the attempt's agent; dropped when none is connected.
  void tell(const launch::AttemptKey& key, const NodeToAgent& words);

 private:
  struct Connection {
    std::unique_ptr<frames::Stream> socket;
    std::uint32_t uid = 0;
    launch::AttemptKey key;  ///< job 0: it has not said yet
  };
  void serve(Fd fd);
  void on_frame(std::uint64_t id, const std::string& bytes);
  void drop(std::uint64_t id);

  boost::asio::io_context& loop_;
  Admit admit_;
  OnReport on_report_;
  std::size_t max_of_one_user_;
  wire::LocalDoor door_;
  std::map<std::uint64_t, Connection> connections_;
  std::map<launch::AttemptKey, std::uint64_t> by_attempt_;
  std::uint64_t next_ = 1;
};

}  // namespace wm::node
