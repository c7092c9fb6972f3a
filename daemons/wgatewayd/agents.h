// Role: in a private cluster, starts the user's wuserd, and again when it has ended.
#pragma once

#include <sys/types.h>

#include <mutex>
#include <string>
#include <vector>

#include "libwm/base/result.h"

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
  bool is_alive();
  Result<void> start();

  std::vector<std::string> command_;
  std::string socket_;
  std::mutex mutex_;
  pid_t pid_ = 0;
};

}  // namespace wm::gateway
