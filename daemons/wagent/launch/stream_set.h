// Role: our ends of one process's standard streams: a terminal's master or three pipes. Reads
// only as much as the listener has room for, so that a slow reader slows the process.
//
// Invariants: no more than kLaunchWindow bytes are read and not yet taken; without a listener
// nothing is read; handlers run from the loop, none after leave(). Called by Command, Consoles.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>
#include <memory>
#include <string>

#include "libwm/model/node/launch.h"
#include "libwm/proc/console.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's   @owns the descriptors
class StreamSet : public std::enable_shared_from_this<StreamSet> {
 public:
  struct Handlers {
    std::function<void(std::uint32_t stream, std::string bytes)> on_output;
    std::function<void(std::uint64_t bytes)> on_taken;  ///< of input, by the process's pipe
    std::function<void()> on_end;                       ///< every output is at its end
  };
  using Descriptor = boost::asio::posix::stream_descriptor;

  StreamSet(boost::asio::io_context& loop, proc::ConsoleEnds ends);

  /// Begins, or goes on, with a new listener that has the whole window free.
  void serve(Handlers handlers);
  /// Nobody listens any more.
  void leave();
  /// Queues input; empty: there will be none after this.
  void write(const std::string& bytes);
  /// The listener has room for so much more.
  void taken(std::uint64_t bytes);
  void resize(const proc::TerminalSize& size);
  /// Every output is at its end and was handed over. @cost O(1)
  bool at_end() const { return open_ == 0; }
  /// Output waits for room at the listener. @cost O(1)
  bool waits() const { return window_ == 0; }
  void close();

 private:
  struct Source {
    explicit Source(boost::asio::io_context& loop) : fd(loop) {}
    Descriptor fd;
    std::uint32_t stream = 1;
    bool waiting = false, open = false;
  };
  void open(Source& source, int fd, std::uint32_t stream);
  void read(Source& source);
  void on_readable(Source& source);
  void end(Source& source);
  void flush();
  void drop_input();

  Source out_, err_;
  Descriptor in_;
  bool terminal_ = false, listening_ = false, in_ends_ = false, writing_ = false;
  int open_ = 0;
  std::size_t window_ = 0;
  std::string input_;
  Handlers handlers_;
};

}  // namespace wm::wagent
