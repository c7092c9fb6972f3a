// Role: where the tasks of a training meet, and which of them have not come: a rendezvous that
// nobody joins looks like work from outside. Values, and one decision; the job's first host looks,
// the master knows which host has which address.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"

namespace wm {

/// Connections that come from one address.
struct Callers {
  std::string address;  ///< numeric, of the far end
  std::uint32_t connections = 0;
  bool operator==(const Callers&) const = default;
};

/// What is at one local port.
struct PortUse {
  bool listens = false;
  std::vector<Callers> callers;  ///< established connections there, by address
  bool operator==(const PortUse&) const = default;
};

/// Somebody listens at the port of the job's first host where its processes meet.
struct Rendezvous {
  std::uint32_t port = 0;        ///< 0: nobody does, or all have come
  Duration waited{};             ///< since somebody listens there
  std::vector<Callers> callers;  ///< by address
  bool operator==(const Rendezvous&) const = default;
};

/// Processes that are to meet, on one host.
struct Expected {
  std::string host, address;  ///< name, empty: it has none; numeric
  std::uint32_t processes = 1;
  bool operator==(const Expected&) const = default;
};

/// "2 of 4 tasks have met at node1:28001 after 30s; not connected: 2 of node2". A host has no more
/// there than it is to have; callers from an address of no host (another network card) may be
/// anybody's, and while there are some nobody is named. Empty: nobody is missing.
/// `expected`: the host where they meet first; `what`: "tasks", "hosts"
/// @cost O(callers log hosts + hosts)
std::string meeting_text(const std::vector<Expected>& expected, const Rendezvous& meeting,
                         const std::string& what);

}  // namespace wm
