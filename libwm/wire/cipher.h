// Role: keys of one session and the sealing of its frames: X25519 by crypto_kx, the session's
// binding hashed in, then one libsodium secretstream each way. Pure; used by session.cc and,
// to make the keys that are kept, by key_keeper.cc.
// Invariants: a stream's key is used for one direction of one session; every frame depends on
// all before it, so a lost, doubled, reordered or altered one does not open.
#pragma once

#include <sodium.h>

#include <array>
#include <string>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/wire/frame.h"
#include "libwm/wire/hello.h"

namespace wm::wire {

/// Bytes that sealing adds to a payload: the type, and secretstream's tag and MAC.
inline constexpr std::size_t kSealBytes = 2 + crypto_secretstream_xchacha20poly1305_ABYTES;

/// A key pair; wiped when destroyed.
class SessionKey {
 public:
  /// @shape seed: 32 fresh random bytes
  explicit SessionKey(const std::array<std::uint8_t, 32>& seed);
  ~SessionKey();
  SessionKey(const SessionKey&) = delete;
  SessionKey& operator=(const SessionKey&) = delete;

  /// The half that is sent.
  const std::array<std::uint8_t, 32>& public_key() const { return public_; }

 private:
  friend class Cipher;
  std::array<std::uint8_t, 32> public_{};
  std::array<std::uint8_t, 32> secret_{};
};

/// Both directions of one open session; wiped when destroyed.
class Cipher {
 public:
  Cipher() = default;
  ~Cipher();
  Cipher(const Cipher&) = delete;
  Cipher& operator=(const Cipher&) = delete;

  /// Agrees with the peer on a secret. Called once, first.
  /// @errors Damaged: the peer's public key is a weak one   @cost one X25519
  Result<void> agree(Side side, const SessionKey& own,
                     const std::array<std::uint8_t, 32>& peer_public);

  /// Makes the two streams of the secret and of `binding`. Called once, second.
  void begin(const Digest& binding);

  /// The whole Sealed frame, header included, that carries (type, payload).
  std::string seal(std::uint16_t type, std::string payload);

  /// The frame inside the payload of a Sealed frame.
  /// @errors Damaged: not the next frame that the peer sealed
  Result<Frame> open(std::string_view sealed);

 private:
  std::array<std::uint8_t, 32> send_secret_{};  // from agree() to begin()
  std::array<std::uint8_t, 32> receive_secret_{};
  crypto_secretstream_xchacha20poly1305_state send_{};
  crypto_secretstream_xchacha20poly1305_state receive_{};
};

}  // namespace wm::wire
