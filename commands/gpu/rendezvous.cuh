// Role: one small message from rank 0 to all other ranks over TCP: how NCCL's unique id gets
// to the tasks of a job before anything else connects them. Rank 0 listens at the address that
// the tasks were given (MASTER_ADDR, MASTER_PORT), which its host holds for the job.
#pragma once

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <string>
#include <thread>

#include "commands/gpu/check.cuh"

namespace wm::gpu {

/// Where a process stands among those of its job, from torchrun's variables.
struct Place {
  int rank = 0, world = 1;
  std::string address = "127.0.0.1";  ///< numeric
  int port = 0;
};

inline sockaddr_in address_of(const Place& place) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(place.port));
  if (::inet_pton(AF_INET, place.address.c_str(), &at.sin_addr) != 1)
    die("rendezvous", "MASTER_ADDR is not numeric: " + place.address);
  return at;
}

/// Rank 0: gives the bytes to every other rank. @errors ends the program
inline void give_to_all(const Place& place, const void* bytes, std::size_t size) {
  int listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
  ::setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  timeval limit{60, 0};  // an accept that waits longer: a task never came
  ::setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
  auto at = address_of(place);
  if (::bind(listener, reinterpret_cast<sockaddr*>(&at), sizeof(at)) != 0 ||
      ::listen(listener, place.world) != 0)
    die("rendezvous", "cannot listen at " + place.address + ":" + std::to_string(place.port));
  for (int others = place.world - 1; others > 0; --others) {
    int peer = ::accept(listener, nullptr, nullptr);
    if (peer < 0 || ::send(peer, bytes, size, MSG_NOSIGNAL) != static_cast<ssize_t>(size))
      die("rendezvous", std::to_string(others) + " tasks did not come within 60 s");
    ::close(peer);
  }
  ::close(listener);
}

/// The other ranks: takes the bytes. @errors ends the program after 60 s
inline void take_from_first(const Place& place, void* bytes, std::size_t size) {
  auto at = address_of(place);
  for (int tries = 0; tries < 600; ++tries) {
    int peer = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool got = ::connect(peer, reinterpret_cast<sockaddr*>(&at), sizeof(at)) == 0 &&
               ::recv(peer, bytes, size, MSG_WAITALL) == static_cast<ssize_t>(size);
    ::close(peer);
    if (got) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  die("rendezvous", "rank 0 at " + place.address + " does not answer");
}

}  // namespace wm::gpu
