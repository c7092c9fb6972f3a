#include "libwm/wire/address.h"

#include <netinet/in.h>
#include <sys/un.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cstring>

namespace wm::wire {

namespace {

namespace ip = boost::asio::ip;

ip::tcp::endpoint tcp_endpoint(const Address& address) {
  ip::tcp::endpoint tcp;
  std::memcpy(tcp.data(), address.data(), std::min(address.size(), tcp.capacity()));
  return tcp;
}

}  // namespace

Result<Address> numeric_address(const Endpoint& endpoint) {
  if (endpoint.is_local()) {
    return Address(boost::asio::local::stream_protocol::endpoint(endpoint.path));
  }
  if (endpoint.host.empty()) return Address(ip::tcp::endpoint(ip::tcp::v4(), endpoint.port));
  boost::system::error_code ec;
  auto host = ip::make_address(endpoint.host, ec);
  if (ec) return fail(Code::BadArgument, "'" + endpoint.host + "' is not a numeric address");
  return Address(ip::tcp::endpoint(host, endpoint.port));
}

Endpoint endpoint_of(const Address& address) {
  if (address.protocol().family() == AF_UNIX) {
    const auto* local = reinterpret_cast<const sockaddr_un*>(address.data());
    auto most = address.size() - offsetof(sockaddr_un, sun_path);
    return {{}, 0, std::string(local->sun_path, strnlen(local->sun_path, most))};
  }
  auto tcp = tcp_endpoint(address);
  return {tcp.address().to_string(), tcp.port(), {}};
}

}  // namespace wm::wire
