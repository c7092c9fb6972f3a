// Role: answers GET /metrics over plain HTTP, by the server of this folder. All who can connect may
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
  /// Called on the loop: gives the text to `tell`, now or later, once. `open_metrics`: in that form
  using Ask = std::function<void(bool open_metrics, std::function<void(std::string)> tell)>;

  /// `place`: "127.0.0.1:6887"; ":6887": at `own`. @errors BadArgument: no such place; System: it
  /// is taken
  static Result<std::unique_ptr<MetricsDoor>> open(boost::asio::io_context& loop,
                                                   const std::string& place, Ask ask,
                                                   const std::string& own = "127.0.0.1");
  ~MetricsDoor();
  /// Where it listens: the port that was given for 0, too.
  const std::string& place() const { return place_; }

 private:
  class Impl;
  MetricsDoor(std::shared_ptr<Impl> impl, std::string place)
      : impl_(std::move(impl)), place_(std::move(place)) {}
  std::shared_ptr<Impl> impl_;
  std::string place_;
};

}  // namespace wm::http
