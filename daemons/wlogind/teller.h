// Role: tells the master who logged on and who was refused, for its record of acts. A process of
// its own, started with wlogind: the processes that answer questions hand it lines of a fixed size
// and wait for nothing; it tells them as root, again and again while the master is away, and ends
// when wlogind has ended and all is told, or after two seconds.
#pragma once

#include <sys/types.h>

#include <cstdint>

#include "libwm/base/result.h"
#include "libwm/model/config/config.h"

namespace wm::login {

/// What happened. Texts end with a zero byte.
struct DoorLine {
  std::uint32_t repeated = 0;  ///< name and password come with each request
  char act[16] = "";
  char user[64] = "";
  char address[64] = "";
  char token[40] = "";
  char outcome[160] = "";
};

/// See the head of this file. @thread one
class Teller {
 public:
  /// @errors System
  static Result<Teller> start(const ClusterConf& conf);
  /// Never waits; what finds no room is in the log.
  void tell(const DoorLine& line) const;
  /// Its process.
  pid_t pid() const { return pid_; }

 private:
  Teller(int fd, pid_t pid) : fd_(fd), pid_(pid) {}
  int fd_;
  pid_t pid_;
};

}  // namespace wm::login
