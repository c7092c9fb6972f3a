// Role: digests, their text, random bytes and the comparison of secrets: the one place that calls
// libsodium for them. Keys, signatures and seals stay with wire and login, which own them.
// Of these only what is random is no function of its arguments: pure folders do not call it.
// @source BLAKE2b: RFC 7693, as libsodium's crypto_generichash; base64: RFC 4648
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm {

/// BLAKE2b over parts that come one after another. A copy goes on from where it was copied.
/// @units bytes: length of the digest, 16 to 64; key: 0 to 64 bytes   @thread one at a time
class Hasher {
 public:
  explicit Hasher(std::size_t bytes = 32, std::string_view key = {});

  /// One more part. Where it begins is not hashed: "ab" and "c" are as "a" and "bc".
  /// @cost O(part), about 1 GB/s
  Hasher& add(std::string_view part);
  /// One more part with its length in front: no two lists of parts hash alike. @cost as add
  Hasher& add_sized(std::string_view part);
  /// The digest, of as many bytes as were asked for. Nothing is added after it. @cost O(1)
  std::string finish();

 private:
  alignas(64) std::array<unsigned char, 384> state_;
  std::size_t bytes_;
};

/// The BLAKE2b digest of `text`. @units bytes: its length, 16 to 64   @cost O(text)   @thread any
std::string hash_of(std::string_view text, std::size_t bytes = 32);

/// Two digits a byte, 0-9 and a-f. @cost O(bytes)   @thread any
std::string hex(std::string_view bytes);
/// The bytes of such digits, in either case.
/// @errors BadArgument: an odd number of digits, or something else than a digit   @thread any
Result<std::string> unhex(std::string_view digits);

/// The standard alphabet with padding. @cost O(bytes)   @thread any
std::string base64(std::string_view bytes);
/// The alphabet for addresses, without padding. @cost O(bytes)   @thread any
std::string base64_url(std::string_view bytes);
/// What `base64` made. @errors BadArgument: another alphabet, or without padding   @thread any
Result<std::string> from_base64(std::string_view text);
/// What `base64_url` made. @errors BadArgument: another alphabet, or with padding   @thread any
Result<std::string> from_base64_url(std::string_view text);

/// Bytes that nobody can foretell: for keys and names. @cost O(bytes)   @thread any
std::string random_bytes(std::size_t bytes);
/// The same as hexadecimal digits: names that are used once. @units bytes: half the digits
std::string random_hex(std::size_t bytes);
/// 64 random bits: for seeds. @thread any
std::uint64_t random_number();

/// Whether two secrets are the same. The time that this takes says nothing of where they differ;
/// it says whether their lengths do. @thread any
bool same_secret(std::string_view a, std::string_view b);

}  // namespace wm
