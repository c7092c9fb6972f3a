#include "libwm/wire/endpoint.h"

#include <charconv>

namespace wm::wire {

namespace {

constexpr std::size_t kPathMax = 107;  // sockaddr_un holds 108 with its end

Result<std::uint16_t> parse_port(std::string_view text, std::string_view whole) {
  std::uint16_t port = 0;
  auto [end, err] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || err != std::errc() || end != text.data() + text.size()) {
    return fail(Code::BadArgument, "address '" + std::string(whole) + "': port '" +
                                       std::string(text) + "' is not a number from 0 to 65535");
  }
  return port;
}

Result<Endpoint> local_endpoint(std::string_view path) {
  if (path.empty()) return fail(Code::BadArgument, "address 'unix:' has no path");
  if (path.size() > kPathMax) {
    return fail(Code::Limit, "socket path '" + std::string(path) + "' has " +
                                 std::to_string(path.size()) + " bytes, the system's limit is " +
                                 std::to_string(kPathMax));
  }
  return Endpoint{{}, 0, std::string(path)};
}

}  // namespace

Result<Endpoint> parse_endpoint(std::string_view text) {
  if (text.starts_with("unix:")) return local_endpoint(text.substr(5));
  if (text.starts_with("/")) return local_endpoint(text);
  auto colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return fail(Code::BadArgument, "address '" + std::string(text) + "' has no port");
  }
  WM_TRY(auto port, parse_port(text.substr(colon + 1), text));
  auto host = text.substr(0, colon);
  if (host.starts_with("[") && host.ends_with("]")) host = host.substr(1, host.size() - 2);
  return Endpoint{std::string(host), port, {}};
}

std::string to_string(const Endpoint& endpoint) {
  if (endpoint.is_local()) return "unix:" + endpoint.path;
  bool bare6 = endpoint.host.find(':') != std::string::npos;
  auto host = bare6 ? "[" + endpoint.host + "]" : endpoint.host;
  return host + ":" + std::to_string(endpoint.port);
}

}  // namespace wm::wire
