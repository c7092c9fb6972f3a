// Role: answers GET /metrics over plain HTTP, one request a connection. All who can connect may
// read: it listens on this machine alone unless it is told otherwise.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "libwm/base/result.h"

namespace boost::asio {
class io_context;
}

namespace wm::http {

/// @thread the loop's   @owns its socket and connections
class MetricsDoor {
 public:
  /// Gives the text to `tell`, now or later. `open_metrics`: in that form
  using Ask = std::function<void(bool open_metrics, std::function<void(std::string)> tell)>;

  /// `place`: "127.0.0.1:6887"; ":6887": at `own`. @errors BadArgument: no such place; System: it
  /// is taken
  static Result<std::unique_ptr<MetricsDoor>> open(boost::asio::io_context& loop,
                                                   const std::string& place, Ask ask,
                                                   const std::string& own = "127.0.0.1");
  ~MetricsDoor();
  /// Where it listens: the port that was given for 0, too.
  std::string place() const;

 private:
  class Impl;
  explicit MetricsDoor(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

}  // namespace wm::http
