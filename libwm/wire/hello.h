// Role: the words exchanged in the clear before a session is open (hello, proof, refusal), and
// the hashes that tie them together. Pure; used by session.cc only. Layout: PROTOCOL.md.
// Invariant: magic and version keep their place in every version to come (WIRE-3).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "libwm/base/result.h"

namespace wm::wire {

/// The protocol version spoken here.
inline constexpr std::uint16_t kVersion = 1;

/// Frame types of the wire itself.
enum class WireType : std::uint16_t { Hello = 1, Refusal = 2, Proof = 3, Sealed = 4 };

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

/// Fresh random bytes for one session. @units bytes
struct HelloSecrets {
  std::array<std::uint8_t, 32> key_seed{};
  std::array<std::uint8_t, 32> nonce{};
};

/// Either side's first frame.
struct Hello {
  std::uint16_t version = kVersion;
  Method method = Method::Munge;
  Role role = Role::Client;
  std::array<std::uint8_t, 32> key{};  ///< X25519 public key, made for this session
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

/// What a peer signs to prove who it is: its side and role, and the transcript.
std::string proof_payload(Side side, Role role, const Digest& transcript);

/// The payload of a Refusal frame: why the peer is sent away, in words, cut at 1,000 bytes.
std::string encode_refusal(const Error& error);

/// Reads one; unauthenticated, so good for a message only.
/// @errors none: damage reads as Denied
Error decode_refusal(std::string_view payload);

}  // namespace wm::wire
