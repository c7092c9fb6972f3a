// Role: what brsvadd, brsvmod, brsvdel and brsvs ask of the master, and what they are told. Values
// only.
#pragma once
#include <string>
#include <vector>

#include "libwm/model/reservation.h"
#include "libwm/model/verbs/verb_numbers.h"

namespace wm {

/// Administrators; users for themselves where limits.conf allows it. Makes, changes or removes an
/// advance reservation. Errors: NotFound (reservation, host), Conflict (its slots are kept for
/// others, jobs use it), BadArgument, Impossible (not so many slots).
struct ReserveRequest {
  using Reply = struct ReserveReply;
  static constexpr Verb kVerb = Verb::Reserve;
  enum class Act : std::uint8_t { Add = 0, Modify = 1, Remove = 2, AddHosts = 3, RemoveHosts = 4 };
  std::string request_key;
  Act act = Act::Add;
  /// Of Add: empty name, one is made from its users. Of Modify: what is to be, all of it. Hosts are
  /// named in `hosts`, not here.
  Reservation what;
  std::vector<std::string> hosts;  ///< the hosts that may be taken, in order; empty: any
  std::string select;              ///< and of them those for which this holds (-R)
  std::uint32_t amount = 0;        ///< slots, or hosts; 0: all of each host named
  bool whole_hosts = false;        ///< amount is of hosts
  bool operator==(const ReserveRequest&) const = default;
};
struct ReserveReply {
  std::string name;
  std::vector<std::string> warnings;  ///< jobs that may still be there when it begins
  bool operator==(const ReserveReply&) const = default;
};

/// Anyone.
struct ReservationsRequest {
  using Reply = struct ReservationsReply;
  static constexpr Verb kVerb = Verb::Reservations;
  std::vector<std::string> names;  ///< empty: all
  bool operator==(const ReservationsRequest&) const = default;
};
/// A reservation, and how it stands.
struct ReservationView {
  Reservation what;
  std::vector<std::string> hosts;   ///< names of what.places
  std::vector<std::uint32_t> used;  ///< slots in use by its jobs, place by place
  bool active = false;
  WallTime from{}, until{};  ///< the span that is active, or else the next
  std::vector<JobId> jobs;   ///< bound to it, not over
  bool operator==(const ReservationView&) const = default;
};
struct ReservationsReply {
  std::vector<ReservationView> reservations;  ///< by name
  std::vector<std::string> missing;
  bool operator==(const ReservationsReply&) const = default;
};

}  // namespace wm
