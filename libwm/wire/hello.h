// Role: the words exchanged in the clear before a session is open (hello, proof, refusal), and
// the hashes that tie them together. Pure; used by session.cc only. Layout: PROTOCOL.md.
// Invariant: magic and version keep their place in every version to come (WIRE-3).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::wire {

/// The protocol version spoken here.
inline constexpr std::uint16_t kVersion = 2;

/// Frame types of the wire itself.
enum class WireType : std::uint16_t {
  Hello = 1,
  Refusal = 2,
  Proof = 3,
  Sealed = 4,
  Confirm = 5,  ///< travels sealed only: the initiator has the key that it proved
};

/// Which end dialled.
enum class Side : std::uint8_t { Initiator = 1, Acceptor = 2 };

/// In which capacity a peer speaks. Numbers travel: append-only.
enum class Role : std::uint8_t {
  Client = 1,  ///< a command or the gateway, for its user
  Host = 2,    ///< wnoded
  Master = 3,  ///< wmasterd
  Agent = 4,   ///< a shepherd, towards its host and the job's other shepherds
};

/// How identity is proved. Numbers travel: append-only.
enum class Method : std::uint8_t {
  Munge = 1,      ///< credential of the identity service; sealed
  SharedKey = 2,  ///< the job's key; sealed
  Local = 3,      ///< unix socket: the kernel names the peer; frames in the clear
};

class SessionKey;

/// An acceptor's key that serves the sessions of a short while, and one session's proof of who has
/// it: made ahead, so that no session waits for the identity service (WIRE-4, WIRE-5).
struct KeptKey {
  std::shared_ptr<const SessionKey> key;
  std::string proof;
};

/// Fresh random bytes for one session. @units bytes
struct HelloSecrets {
  std::array<std::uint8_t, 32> key_seed{};
  std::array<std::uint8_t, 32> nonce{};
  std::shared_ptr<const KeptKey> kept;  ///< of an acceptor: used instead of key_seed
};

/// Either side's first frame.
struct Hello {
  std::uint16_t version = kVersion;
  Method method = Method::Munge;
  Role role = Role::Client;
  std::array<std::uint8_t, 32> key{};  ///< X25519 public key
  std::array<std::uint8_t, 32> nonce{};
  bool operator==(const Hello&) const = default;
};

/// 32 bytes of BLAKE2b.
using Digest = std::array<std::uint8_t, 32>;

/// "client", "host", "master", "agent", "role 9". @cost O(1)
std::string role_name(Role role);
/// "munge", "shared key", "unix socket", "method 9". @cost O(1)
std::string method_name(Method method);

/// The payload of a Hello frame. @cost O(1)
std::string encode_hello(const Hello& hello);

/// Reads one. `version` is ours.
/// @errors Damaged: not WM's hello or of another length; Version: both are named in the text
Result<Hello> decode_hello(std::string_view payload, std::uint16_t version);

/// Names this pair of hellos: covers every byte of both frames' payloads.
Digest transcript_of(std::string_view initiator_hello, std::string_view acceptor_hello);

/// What a peer signs to prove who has a key: its side and role, and the public key. 32 bytes,
/// which an initiator may follow by 32 more of its own that it wants to have signed as well.
std::string proof_payload(Side side, Role role, const std::array<std::uint8_t, 32>& key);

/// What a session's keys depend on: every byte of both hellos and of both proofs, so that no
/// proof can be exchanged for somebody else's.
Digest binding_of(const Digest& transcript, std::string_view initiator_proof,
                  std::string_view acceptor_proof);

/// The payload of a Refusal frame: why the peer is sent away, in words, cut at 1,000 bytes.
std::string encode_refusal(const Error& error);

/// Reads one; unauthenticated, so good for a message only.
/// @errors none: damage reads as Denied
Error decode_refusal(std::string_view payload);

}  // namespace wm::wire
