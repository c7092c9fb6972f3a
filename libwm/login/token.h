// Role: tokens of the web door: JWTs that all have one fixed header, signed by Ed25519. Pure: keys
// and the time come in. Signed by who checks passwords (wgatewayd in a private cluster, wlogind
// else), verified by wgatewayd and again by wuserd.
//
// Invariant: the header is compared byte for byte, so that no token chooses how it is checked.
// @source RFC 7519, RFC 8037
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::rest {

/// Whom a token speaks for, where, and how long.
struct Claims {
  std::string user, cluster;
  std::string id;  ///< jti: names the token when it is revoked
  std::uint32_t uid = 0;
  std::int64_t issued = 0, expires = 0;  ///< @units seconds since the epoch
  std::string scopes;                    ///< "read,submit,inference", or some; empty: none
  bool operator==(const Claims&) const = default;
};

/// The id of a token that is narrower than the one of `id`, and revoked with it: `id`, a dot,
/// `own`.
/// @errors Limit: it was made narrower too often
Result<std::string> narrower_id(const std::string& id, const std::string& own);
/// The ids that a token is revoked by: its own, and those before its dots. @cost O(length)
std::vector<std::string> ids_of(const std::string& id);

using TokenKey = std::array<unsigned char, 64>;        ///< Ed25519, secret
using TokenPublicKey = std::array<unsigned char, 32>;  ///< of the same

/// The key pair that this seed makes. @shape seed: 32 bytes
struct TokenKeys {
  TokenKey secret{};
  TokenPublicKey open{};
};
/// @errors BadArgument: a seed that is not 32 bytes long
Result<TokenKeys> token_keys(std::string_view seed);

/// The token's text, three parts. @cost one signature, 50 µs
std::string sign_token(const Claims& claims, const TokenKey& key);

/// What a token says, once one of `keys` (a new one and, while it is changed, the old) has signed
/// it for `cluster` and it has not expired. One error for all that is wrong with it.
/// @errors Denied
Result<Claims> verify_token(std::string_view token, std::span<const TokenPublicKey> keys,
                            std::string_view cluster, std::int64_t now);

}  // namespace wm::rest
