// Role: in a private cluster, starts the user's wuserd, and again when it has ended.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/proc/process.h"

namespace wm::gateway {

/// The wuserd of the account that we are. @thread any   @owns the process
class Agent {
 public:
  /// `command`: the program and its words.
  Agent(std::vector<std::string> command, std::string socket)
      : command_(std::move(command)), socket_(std::move(socket)) {}
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;
  ~Agent();

  /// Its socket, listening; one that outlived an earlier gateway is taken over. @errors System: it
  /// does not start   @cost 50 ms at first
  Result<std::string> socket();

 private:
  bool runs() { return child_ && !child_->wait(Duration{}); }
  Result<void> start();

  std::vector<std::string> command_;
  std::string socket_;
  std::mutex mutex_;
  std::optional<proc::Process> child_;
};

}  // namespace wm::gateway
