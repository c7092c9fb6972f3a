// Role: the key of a listener that its sessions of the next minute share, with proofs of who has
// it made ahead on a prover's thread: a hello then waits for no identity service here.
// Used by listener.cc.
//
//   none ──(proof made)──► kept ──(half its life)──► renewed …   too old, or no service: none
//   proofs: one is taken by each session and another asked for; all taken: none
//
// Invariants: a key is handed out for kKeyLife at the most and is wiped with the last session
// that has not yet agreed on its keys, so what was recorded is safe a minute later (WIRE-4). No
// proof is handed out twice: its peer's identity service would take it for a replay (WIRE-5).
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>

#include "libwm/wire/prover.h"
#include "libwm/wire/transport.h"

namespace wm::wire {

/// How long a key is used for new sessions.
inline constexpr Duration kKeyLife = std::chrono::seconds(60);
/// Proofs made ahead: so many sessions may begin while the identity service makes one.
inline constexpr std::size_t kProofsAhead = 16;

/// @thread the loop's
class KeyKeeper {
 public:
  /// Asks for the first key at once. @shape link: role and credentials of the listener
  KeyKeeper(boost::asio::io_context& loop, Prover& prover, const LinkOptions& link);
  ~KeyKeeper();
  KeyKeeper(const KeyKeeper&) = delete;
  KeyKeeper& operator=(const KeyKeeper&) = delete;

  /// The key for a session that begins now, with a proof that is this session's alone; none: the
  /// session makes its own. @cost O(1)
  std::shared_ptr<const KeptKey> take();

 private:
  struct Renewing;
  std::shared_ptr<Renewing> renewing_;
};

}  // namespace wm::wire
