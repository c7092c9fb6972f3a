// Role: the configuration in this host's own folder, as it is on disk now: what a host believes of
// profiles and queues, whatever the master says. Read again when a file has changed.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "libwm/base/result.h"
#include "libwm/model/config/config.h"

namespace wm::node {

/// @thread any; calls wait for each other
class OwnConfig {
 public:
  OwnConfig(std::string dir, std::string host) : dir_(std::move(dir)), host_(std::move(host)) {}

  /// What does not read keeps the last that did, with a warning in the log.
  /// @errors as conf::load, while none has been read   @cost six stats; blocks
  Result<std::shared_ptr<const Config>> read();

 private:
  std::string dir_, host_;
  std::mutex mutex_;
  std::string stamp_;  // of the files as they were read last
  std::shared_ptr<const Config> config_;
};

}  // namespace wm::node
