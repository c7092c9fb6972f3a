#include "libwm/proc/job_ports.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace wm::proc {
namespace {

constexpr const char* kEveryAddress = "0.0.0.0";

Result<sockaddr_in> endpoint(const std::string& address, std::uint32_t port) {
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<std::uint16_t>(port));
  if (::inet_pton(AF_INET, address.c_str(), &at.sin_addr) != 1)
    return fail(Code::BadArgument, "not a numeric address: '" + address + "'");
  return at;
}

/// Binds without SO_REUSEADDR, which finds everybody who has the port; sets it then, so that the
/// job may bind it beside us.
Result<Fd> bind_alone(const std::string& address, std::uint32_t port) {
  WM_TRY(auto at, endpoint(address, port));
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return system_error("socket");
  if (::bind(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof(at)) != 0)
    return fail(Code::Conflict,
                "port " + address + ":" + std::to_string(port) + ": " + std::strerror(errno));
  int on = 1;
  if (::setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0)
    return system_error("SO_REUSEADDR");
  return fd;
}

}  // namespace

Result<std::uint32_t> JobPorts::lease(const launch::AttemptKey& key, const PortRange& range,
                                      std::uint32_t wanted) {
  if (auto known = held_.find(key); known != held_.end()) return known->second.first;
  if (wanted != 0) {
    WM_TRY(bool free, take(key, wanted));
    if (free) return wanted;
  }
  auto blocks = launch::port_blocks(range.first, range.last);
  for (std::uint32_t tried = 0; tried < blocks; ++tried) {
    auto block = launch::block_to_try(key.job, key.attempt, blocks, tried);
    auto first = range.first + block * launch::kPortsPerLease;
    WM_TRY(bool free, take(key, first));
    if (free) return first;
  }
  return fail(Code::Limit, "no " + std::to_string(launch::kPortsPerLease) +
                               " ports together are free in " + std::to_string(range.first) + "-" +
                               std::to_string(range.last) + " (job_ports in wm.conf)");
}

// False: somebody has one of them.
Result<bool> JobPorts::take(const launch::AttemptKey& key, std::uint32_t first) {
  if (is_held(first)) return false;
  auto block = bind_block(first);
  if (block) held_[key] = std::move(*block);
  else if (block.error().code != Code::Conflict) return block.error();
  return block.has_value();
}

bool JobPorts::is_held(std::uint32_t first) const {
  return std::any_of(held_.begin(), held_.end(),
                     [&](const auto& entry) { return entry.second.first == first; });
}

Result<JobPorts::Held> JobPorts::bind_block(std::uint32_t first) {
  Held block;
  block.first = first;
  for (std::uint32_t i = 0; i < launch::kPortsPerLease; ++i) {
    WM_TRY(block.sockets[i], bind_alone(kEveryAddress, first + i));
  }
  return block;
}

Result<void> JobPorts::hold(const launch::AttemptKey& key, const std::string& address,
                            std::uint32_t first) {
  if (auto known = held_.find(key); known != held_.end() && known->second.first == first) return {};
  if (is_held(first))
    return fail(Code::Conflict, "port " + std::to_string(first) + " is another attempt's");
  auto& block = held_[key];
  block.first = first;
  for (std::uint32_t i = 0; i < launch::kPortsPerLease; ++i) {
    auto fd = bind_alone(kEveryAddress, first + i);
    if (!fd) fd = bind_alone(address, first + i);
    if (fd) block.sockets[i] = std::move(*fd);
  }
  return {};
}

std::set<std::uint16_t> JobPorts::held() const {
  std::set<std::uint16_t> ports;
  for (const auto& [key, held] : held_)
    for (std::uint32_t n = 0; n < launch::kPortsPerLease; ++n)
      ports.insert(static_cast<std::uint16_t>(held.first + n));
  return ports;
}

}  // namespace wm::proc
