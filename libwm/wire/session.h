// Role: one secured conversation between two peers as a pure state machine: bytes and answers
// of the identity service go in, actions come out. No sockets, clock or randomness: link.cc
// (Asio) and client/connection.cc (blocking) carry the actions out, tests need neither.
// PROTOCOL.md states the protocol (WIRE-1 …).
//
//   initiator                                       acceptor
//     Hello{version, method, role, key, nonce} ─────────►
//        ◄───────── Hello{version, method, role, key, nonce}, Proof{credential over side, role,
//        key}
//     Proof{credential …}, sealed Confirm, first sealed request ─►   (one flight)
//        ◄───────── sealed frames ───────────────────────►
//
//   Hello ──► Proof ──► (acceptor: Confirm) ──► Open     any ──► Closed (Failed is the last action)
//
// Invariants: nothing of a peer's payload is decrypted, let alone parsed, before its proof and
// its right to the role are checked; no frame is taken while an answer of the identity service
// is needed for it. The initiator's own proof is made while the acceptor's comes and is checked.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/wire/credentials.h"
#include "libwm/wire/frame.h"
#include "libwm/wire/hello.h"

namespace wm::wire {

/// Who the peer proved to be.
struct Identity {
  Role role = Role::Client;
  std::optional<std::uint32_t> uid;  ///< none with Method::SharedKey
  std::optional<std::uint32_t> gid;
  std::int32_t pid = 0;  ///< known on unix sockets only, else 0
  bool operator==(const Identity&) const = default;
};

/// Who may be at the other end: this role, and with a uid only this user.
struct PeerRule {
  Role role = Role::Client;
  std::optional<std::uint32_t> uid;
};

/// What the kernel says of the process at the other end of a unix socket (SO_PEERCRED).
struct LocalPeer {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::int32_t pid = 0;
};

/// How one end wants its session.
struct SessionOptions {
  Side side = Side::Initiator;
  Role role = Role::Client;            ///< ours
  Method method = Method::Munge;       ///< both ends must name the same
  std::vector<PeerRule> peers{};       ///< accepted are those whom any rule fits; none: nobody
  std::optional<LocalPeer> local{};    ///< Method::Local: the peer, from the kernel
  std::size_t hello_limit = 8 << 10;   ///< @units payload bytes of all frames before it is open
  std::size_t frame_limit = 16 << 20;  ///< @units payload bytes of one frame afterwards
  std::uint16_t version = kVersion;    ///< ours; differs in tests only
};

/// Bytes to send, in this order.
struct Write {
  std::string bytes;
};
/// Ask the identity service to sign `payload`; answer with on_proof_made(). An initiator may
/// append 32 bytes that its proof signs as well.
struct MakeProof {
  std::string payload;
};
/// Ask it who signed `credential`; answer with on_proof_checked().
struct CheckProof {
  std::string credential;
};
/// What the initiator proved itself with, and what it signed besides.
struct PeerProof {
  std::string credential, also_signed;
};
/// The peer is who `identity` says and may be here; seal() works from now on.
struct Opened {
  Identity identity;
  PeerProof proof;
};
/// A frame of the peer's, authentic and in order.
struct Deliver {
  Frame frame;
};
/// The session is over: send what was to be written, then close. Always the last action.
struct Failed {
  Error error;
};
/// What the owner of the socket has to do, in order.
using SessionAction = std::variant<Write, MakeProof, CheckProof, Opened, Deliver, Failed>;
/// Actions in the order in which they must be carried out.
using SessionActions = std::vector<SessionAction>;

/// How long a proof is good: it serves one hello of at most 5 s, the rest is for clocks that
/// differ.
inline constexpr Duration kProofTtl = std::chrono::seconds(60);

/// One end of one session.
/// @thread one at a time   @cost sealed bytes: one ChaCha20-Poly1305 pass and one copy
class Session {
 public:
  /// @shape secrets: fresh for every session, from the system's generator
  Session(SessionOptions options, const HelloSecrets& secrets);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;

  /// The initiator's first words and the wish for its proof; nothing for the acceptor. Called
  /// once, first.
  SessionActions start();

  /// Takes received bytes, any pieces.
  /// @errors (as Failed) Version, Denied (role, uid, proof, refused by the peer), Limit,
  ///         Damaged (no WM peer, or a sealed frame that is not the next one)
  SessionActions on_bytes(std::string_view bytes);

  /// The answer to MakeProof. @errors (as Failed) the answer's
  SessionActions on_proof_made(Result<std::string> credential);

  /// The answer to CheckProof. @errors (as Failed) the answer's; Denied: signed something else,
  ///         or no rule accepts that uid in that role
  SessionActions on_proof_checked(Result<Signed> proof);

  /// The bytes that carry one frame to the peer.
  /// @errors Limit: payload above frame_limit; Conflict: the session is not open
  Result<std::string> seal(std::uint16_t type, std::string payload);

  /// True from Opened to Failed. @cost O(1)
  bool is_open() const;

  /// Bytes held of a frame that has come in part. @cost O(1)
  std::size_t buffered() const;

  /// False while nothing can be taken before an answer is there: then read no more from the
  /// socket, which keeps what is held for an unproven peer within hello_limit plus one read.
  /// @cost O(1)
  bool wants_bytes() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wm::wire
