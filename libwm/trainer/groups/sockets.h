// Role: the sockets of a communicator that has no abort of its own, so that it can be aborted
// from another thread. gloo publishes the addresses that each rank listens on; a connection of
// the group has one of these at one of its ends. shutdown(2) makes gloo's own thread see the end
// of the stream and fail all that waits, here and at the peers.
//
// Who leaves in peace ends its own direction only: a connection shut both ways answers what a
// slower peer still sends with a reset, which takes along what that peer has not read yet.
// Invariant: a descriptor is touched only while it still is the socket that was found.
#pragma once

#include <netinet/in.h>
#include <sys/types.h>

#include <compare>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace wm::groups {

/// An address in a form that compares.
struct End {
  std::string address;  ///< network byte order, 4 or 16 bytes
  std::uint16_t port = 0;
  auto operator<=>(const End&) const = default;
};

/// A connection as found: descriptor and the socket behind it.
struct Connection {
  int fd = -1;
  ino_t inode = 0;
};

/// Addresses in one rank's published record. @shape text: n records of 136 bytes: a
/// sockaddr_storage and a sequence number   @cost O(n)
/// @source gloo 2022-05, transport/tcp/address: Address::bytes
std::set<End> published(std::span<const char> text);

/// This process's connections with an end in `ends`. @cost two system calls a descriptor
std::vector<Connection> find(const std::set<End>& ends);

/// Ends connections both ways, or (`write_only`) says that nothing more will be sent.
/// @thread any   @errors none: what is gone is gone
void shut(std::span<const Connection> connections, bool write_only);

/// Whether every peer has ended its side. @thread any
bool all_ended(std::span<const Connection> connections);

}  // namespace wm::groups
