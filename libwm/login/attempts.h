// Role: which log-on is asked about now, which waits, and which is refused before anything is
// asked. An attempt counts when it begins, so that a hundred at once are no more guesses than a
// hundred one after another. Pure: numbers and times come in. Used by wgatewayd, under a lock of
// its own.
//
//   enter ─► Wait ─► Go ─► end(failed?)        at most `at_once` Go, of one address `of_address`
//               └──► Refused                   too many failures, or no room: who failed most goes
//
// Invariant: an address that floods the door is behind all others: who waits is sorted by the
// failures of the address, of its network and of the user within the last minute; an address and a
// user that logged on within a day are before all.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "libwm/base/units.h"

namespace wm::rest {

/// @units failures: within a minute
struct AttemptRules {
  std::uint32_t pair_failures = 5;       ///< of one user from one address
  std::uint32_t address_failures = 100;  ///< of one address, under any name
  std::size_t at_once = 12;              ///< asked about; less than wlogind answers at a time
  std::size_t of_address = 6;
  std::size_t waiting = 96;
};

/// Where an attempt stands.
enum class Turn : std::uint8_t { Wait, Go, Refused };

/// See the head of this file. @thread one
class Attempts {
 public:
  explicit Attempts(AttemptRules rules = {}) : rules_(rules) {}

  /// A new attempt; its number. @cost O(attempts under way)
  std::uint64_t enter(std::string_view address, std::string_view user, TimePoint now);
  /// Of one that has not ended. @cost O(log n)
  Turn turn(std::uint64_t number) const;
  /// It was answered, or is given up. What was Refused or waits counts nothing.
  /// @cost O(attempts under way)
  void end(std::uint64_t number, bool failed, TimePoint now);
  /// Of one who failed too often: true once a minute, for the record of acts. @cost O(log n)
  bool is_first_refusal(std::string_view address, std::string_view user, TimePoint now);

 private:
  struct Attempt {
    std::string address, pair;
    Turn turn = Turn::Wait;
  };
  struct Count {
    TimePoint since{};
    std::uint32_t failures = 0;
    bool told = false;
  };
  using Rank = std::pair<std::uint32_t, std::uint64_t>;  // failures, number

  std::uint32_t failures(const std::string& who, TimePoint now) const;
  std::size_t going(const std::string Attempt::*field, const std::string& who) const;
  bool is_known(const std::string& pair, TimePoint now) const;
  std::uint32_t score(const Attempt& attempt, TimePoint now) const;
  std::set<Rank> waiting(TimePoint now) const;
  Turn decide(const Attempt& attempt, TimePoint now) const;
  void advance(TimePoint now);
  void count(const std::string& who, TimePoint now);

  AttemptRules rules_;
  std::uint64_t next_ = 1;
  std::map<std::uint64_t, Attempt> attempts_;
  std::map<std::string, Count> counts_;     // of addresses, networks, users and pairs
  std::map<std::string, TimePoint> known_;  // pairs that logged on
};

/// The network of an address, as far as one person may own it: of IPv4 the first three numbers, of
/// IPv6 the first four groups. @cost O(length)
std::string_view network_of(std::string_view address);

/// When a refusal is answered: a whole number of `step` after `begun`, so that its time tells
/// nothing about what was wrong.
TimePoint refusal_time(TimePoint begun, TimePoint now, Duration step);

}  // namespace wm::rest
