// Role: the cluster's identity service as the wire needs it: sign a few bytes as myself, and
// learn who signed some bytes. MUNGE in production (munge.h), one key shared by the agents of
// a job (shared_key.h), a fake in test/support.
// Invariant: decode() succeeds only for a credential that is valid in every respect.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::wire {

/// What a valid credential says. Without uid: the signer is known to hold the shared key only.
struct Signed {
  std::optional<std::uint32_t> uid;
  std::optional<std::uint32_t> gid;
  std::string payload;
  bool operator==(const Signed&) const = default;
};

/// Signs and checks. Calls may block (a daemon answers them): never on a loop thread.
/// @thread any, several at a time
class Credentials {
 public:
  virtual ~Credentials() = default;

  /// A printable or binary credential over `payload`, made as the calling process's user.
  /// @errors Unavailable: the identity service does not answer; System: it refuses
  virtual Result<std::string> encode(std::string_view payload, Duration ttl) = 0;

  /// Who made `credential`, and over what. A credential can be decoded once.
  /// @errors Denied: forged, expired, replayed or for somebody else; Unavailable: as above
  virtual Result<Signed> decode(std::string_view credential) = 0;

  /// As decode(), but for a stored credential: age and an earlier decode() do not matter,
  /// nor that the clock was ahead when it was made and has been mended since.
  /// Proves who signed, never that they are here now: must not open a session.
  /// @errors as decode()
  virtual Result<Signed> verify_signature(std::string_view credential) = 0;
};

}  // namespace wm::wire
