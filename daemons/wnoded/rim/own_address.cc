#include "daemons/wnoded/rim/own_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <memory>

#include "libwm/proc/channel.h"

namespace wm::node {
namespace {

bool is_loopback(const std::string& address) { return address.starts_with("127."); }

std::string text_of(const sockaddr* address) {
  char text[INET_ADDRSTRLEN] = {};
  const auto& v4 = *reinterpret_cast<const sockaddr_in*>(address);
  return ::inet_ntop(AF_INET, &v4.sin_addr, text, sizeof(text)) ? text : "";
}

std::vector<std::string> resolve(const std::string& name) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  std::vector<std::string> addresses;
  if (::getaddrinfo(name.c_str(), nullptr, &hints, &found) != 0) return addresses;
  std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, ::freeaddrinfo);
  for (const auto* at = found; at != nullptr; at = at->ai_next)
    addresses.push_back(text_of(at->ai_addr));
  return addresses;
}

/// Connecting a datagram socket sends nothing: the kernel only says from where it would.
std::string source_towards(const std::string& numeric) {
  constexpr std::uint16_t kAnyPort = 9;
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(kAnyPort);
  if (::inet_pton(AF_INET, numeric.c_str(), &to.sin_addr) != 1) return {};
  Fd fd(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in from{};
  socklen_t size = sizeof(from);
  auto* own = reinterpret_cast<sockaddr*>(&from);
  bool known = fd && ::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0 &&
               ::getsockname(fd.get(), own, &size) == 0;
  return known ? text_of(own) : std::string();
}

}  // namespace

std::string choose_address(const Ways& ways, const std::string& now) {
  const auto& found = ways.of_name;
  auto reachable = std::find_if_not(found.begin(), found.end(), is_loopback);
  bool stays = std::find(found.begin(), found.end(), now) != found.end();
  if (reachable != found.end()) return stays && !is_loopback(now) ? now : *reachable;
  if (!ways.to_master.empty() && !is_loopback(ways.to_master)) return ways.to_master;
  if (stays) return now;
  return found.empty() ? ways.to_master : found.front();
}

bool is_numeric(const std::string& address) {
  in_addr number{};
  return ::inet_pton(AF_INET, address.c_str(), &number) == 1;
}

Ways look_for_ways(const std::string& name, const std::string& master_host) {
  Ways ways{resolve(name), {}};
  auto master = resolve(master_host);
  if (!master.empty()) ways.to_master = source_towards(master.front());
  return ways;
}

}  // namespace wm::node
