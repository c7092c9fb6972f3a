// Role: API keys: what a user shows in place of a password. Only a hash is kept, in the user's own
// file, one key a line. Pure; the random secret and the time come in. Used by wmkey, which makes
// them, and wlogind, which checks them under the user's account.
//
//   NAME HASH SCOPES CREATED EXPIRES        ~/.config/wm/keys, mode 0600
//
// A secret has 256 random bits, so that its plain hash can be kept: there is nothing to guess.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::rest {

/// Begins every secret, so that it is told from a password.
inline constexpr std::string_view kKeyPrefix = "wmkey_";

/// One line. @units created, expires: seconds since the epoch
struct ApiKey {
  std::string name;
  std::string hash;    ///< BLAKE2b-256 of the secret, hexadecimal
  std::string scopes;  ///< "read,submit,inference" or some of them
  std::int64_t created = 0, expires = 0;
  bool operator==(const ApiKey&) const = default;
};

/// The secret that these random bytes make. @shape random: 32 bytes
std::string key_secret(std::string_view random);
/// What is kept of a secret. @cost one hash
std::string key_hash(std::string_view secret);

/// Lines that are no key are passed over: the file is the user's. @cost O(length)
std::vector<ApiKey> parse_keys(std::string_view text);
std::string to_text(const std::vector<ApiKey>& keys);

/// The key that has this secret and has not expired. @cost one hash, O(keys)
std::optional<ApiKey> find_key(const std::vector<ApiKey>& keys, std::string_view secret,
                               std::int64_t now);

/// What a password gives.
inline constexpr std::string_view kAllScopes = "read,submit,inference";

/// "submit,read" checked and in order. @errors BadArgument: another word, or none at all
Result<std::string> parse_scopes(std::string_view text);
/// Does a list of scopes hold this one? An empty list holds none. @cost O(length)
bool has_scope(std::string_view scopes, std::string_view scope);

/// The scope that a request to a wuserd needs: "inference" of what clients of a service alone ask
/// and look at before; else "read" or "submit". Who holds the latter two needs no "inference".
/// @shape segments: of the path as it is routed, unescaped and without the query   @cost O(1)
std::string_view needed_scope(std::string_view method, std::span<const std::string> segments);
/// Do these scopes allow the request? @shape, @cost as needed_scope
bool allows(std::string_view scopes, std::string_view method,
            std::span<const std::string> segments);

}  // namespace wm::rest
