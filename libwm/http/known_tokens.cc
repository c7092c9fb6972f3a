#include "libwm/http/known_tokens.h"

namespace wm::http {

Result<rest::Claims> KnownTokens::verify(std::string_view token,
                                         const std::vector<rest::TokenPublicKey>& keys,
                                         std::string_view cluster, std::int64_t now) {
  {
    std::lock_guard hold(mutex_);
    if (keys != keys_ || known_.size() >= kMost) known_.clear();
    keys_ = keys;
    auto found = known_.find(token);
    bool good =
        found != known_.end() && found->second.expires > now && found->second.cluster == cluster;
    if (good) return found->second;
  }
  WM_TRY(auto claims, rest::verify_token(token, keys, cluster, now));
  std::lock_guard hold(mutex_);
  if (keys == keys_) known_.emplace(token, claims);
  return claims;
}

}  // namespace wm::http
