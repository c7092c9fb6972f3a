// Role: what the peers of one account may hold at a listener, so that one account's processes shut
// nobody out: sessions, and bytes of frames that have come in part. Pure.
//
//   enter ─ of its account, of all accounts together ─► session ─ hold ─► bytes of half frames
//     └─ too many: refused with Unavailable, so that a client waits and comes again
//
// Counted are clients: hosts, and the accounts that the cluster lives by, have what is left of the
// descriptors for themselves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "libwm/base/result.h"
#include "libwm/wire/session.h"

namespace wm::wire {

/// Bounds for clients of accounts that are not in `reserved`.
struct PeerLimits {
  std::size_t sessions = 256;             ///< of one account
  std::size_t all_sessions = 32768;       ///< of all of them; the rest of the descriptors is kept
  std::size_t half_frames = 64u << 20;    ///< @units bytes, of one account
  std::set<std::uint32_t> reserved = {};  ///< root, the master's, the door's
};

/// See the head of this file. @thread the loop's
class PeerRoom {
 public:
  explicit PeerRoom(PeerLimits limits) : limits_(std::move(limits)) {}

  /// One session more. @errors Unavailable: too many, of the account or of all   @cost O(log
  /// accounts)
  Result<void> enter(const Identity& who);
  /// A session that entered is over; it held `bytes` of a half frame.
  void leave(const Identity& who, std::size_t bytes);
  /// A session holds `now` bytes of a half frame instead of `before`.
  /// @errors Unavailable: too many of the account's do; what it held counts until it leaves
  Result<void> hold(const Identity& who, std::size_t before, std::size_t now);

  /// Sessions of that account's clients. @cost O(log accounts)
  std::size_t sessions_of(std::uint32_t uid) const;

 private:
  struct Account {
    std::size_t sessions = 0, bytes = 0;
  };
  bool counts(const Identity& who) const;

  PeerLimits limits_;
  std::map<std::uint32_t, Account> accounts_;
  std::size_t sessions_ = 0;
};

}  // namespace wm::wire
