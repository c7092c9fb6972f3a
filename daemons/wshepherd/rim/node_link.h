// Role: a shepherd's connection to wnoded: the socket it was forked with, later whatever
// connects to its listening socket. Never blocks: words wait in a buffer, and when nobody
// takes them they are dropped, because everything that matters is in the exit records.
// Invariant: at most one connection; the newest wins; only wnoded's own user is admitted.
#pragma once

#include <string>
#include <vector>

#include "libwm/frames/cutter.h"
#include "libwm/launch/launcher.h"
#include "libwm/proc/channel.h"

namespace wm::shepherd {

class NodeLink {
 public:
  /// Serves `connection` and listens on `path`. @errors as proc::listen_unix
  static Result<NodeLink> open(Fd connection, std::string path);
  NodeLink(NodeLink&&) = default;

  /// Descriptors to poll; -1 when absent. `wants_write` tells whether words wait.
  int connection() const { return connection_.get(); }
  int listener() const { return listener_.get(); }
  bool wants_write() const { return !out_.empty() && connection_; }

  /// Takes a new connection if there is one. True: it must be told who we are.
  bool accept();
  /// Orders that have arrived whole; a damaged stream closes the connection.
  std::vector<launch::ShepherdOrder> take_orders();
  /// Queues a word and sends what the socket takes.
  void say(const launch::ShepherdWord& word);
  void flush();
  /// Takes the socket's name away: nobody shall find us any more.
  void unlisten();

 private:
  NodeLink(Fd connection, Fd listener, std::string path)
      : connection_(std::move(connection)),
        listener_(std::move(listener)),
        path_(std::move(path)) {}
  void close();

  Fd connection_, listener_;
  std::string path_, out_;
  frames::Cutter in_{frames::kLongest};
};

}  // namespace wm::shepherd
