// Role: tokens with a signature verified already: a client sends the same one with each request,
// and to verify it takes longer than most answers. Used by wgatewayd and wuserd.
//
// Invariant: what is answered is what rest::verify_token would. The caller has to look each time
// whether the token is revoked.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "libwm/login/token.h"

namespace wm::http {

/// @thread any
class KnownTokens {
 public:
  /// As rest::verify_token. @errors Denied   @cost a look in a map; of a new one a verification
  Result<rest::Claims> verify(std::string_view token, const std::vector<rest::TokenPublicKey>& keys,
                              std::string_view cluster, std::int64_t now);

 private:
  static constexpr std::size_t kMost = 4096;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::vector<rest::TokenPublicKey> keys_;  // that they were verified with
  std::map<std::string, rest::Claims, std::less<>> known_;
};

}  // namespace wm::http
