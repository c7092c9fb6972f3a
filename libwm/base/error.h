// Role: the one closed list of things that can go wrong in production, with what each
// means to a shell (exit code) and to a peer (wire number). Used by every layer.
// Invariant: wire numbers are append-only.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wm {

/// Why an operation failed. The value is the wire number.
enum class Code : std::uint8_t {
  Ok = 0,
  BadArgument = 1,  ///< the caller's input is malformed
  NotFound = 2,     ///< the named object does not exist
  Denied = 3,       ///< the caller may not do this
  Conflict = 4,     ///< illegal in the object's present state
  Impossible = 5,   ///< can never be satisfied by this cluster
  Unavailable = 6,  ///< a peer does not answer; trying again may help
  Timeout = 7,      ///< a deadline passed
  Store = 8,        ///< the database refused or failed
  Damaged = 9,      ///< stored or received bytes are not what they should be
  Version = 10,     ///< the peer speaks another version
  Limit = 11,       ///< a bound (size, count) was exceeded
  System = 12,      ///< the operating system refused; text holds errno's words
  Stale = 13,       ///< membership or attempt has moved on; look again
  Refused = 14,     ///< the peer's host answers, and nothing listens there
};

/// The code's name as logs and JSON show it, for example "not_found".
/// @cost O(1)   @thread any
std::string_view code_name(Code code);

/// A failure: what kind, and a sentence for the user naming object, value and limit.
struct Error {
  Code code = Code::Ok;
  std::string text;

  bool operator==(const Error&) const = default;

  /// The same failure with more context in front: "context: text".
  /// @cost O(length)
  Error within(std::string_view context) const;
};

}  // namespace wm
