// Role: what this gateway and the master tell each other about tokens. One thread hears which are
// revoked as soon as one is (within 5 s where an answer is lost); another tells of log-offs, at
// once and again (untold.h). A log-off is told by the user's own wuserd: the master believes a user
// about tokens of the user's own, and no gateway about anybody's. Each wait for a wuserd is
// bounded.
//
//   log_off(claims, token) ─► POST /auth/v1/logoff of the user's wuserd ─► the master
//   the master ─► Revoked::heard
#pragma once

#include <memory>
#include <string>

#include "daemons/wgatewayd/doorman.h"
#include "daemons/wgatewayd/revoked.h"
#include "libwm/model/config/config.h"

namespace wm::gateway {

/// See the head of this file. @thread any
class RevocationWatch {
 public:
  /// Begins to listen. @owns both are the caller's, and live as long
  RevocationWatch(const ClusterConf& conf, Doorman& doorman, Revoked& revoked);
  RevocationWatch(const RevocationWatch&) = delete;
  RevocationWatch& operator=(const RevocationWatch&) = delete;
  ~RevocationWatch();

  /// The master is told soon, or as soon as it can be. @cost O(log n), waits for nobody
  void log_off(const rest::Claims& claims, const std::string& token);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace wm::gateway
