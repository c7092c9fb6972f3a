#include "libwm/proc/connected_ports.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace wm::proc {
namespace {

constexpr std::string_view kEstablished = "01";

/// The next word of the line, which loses it; empty: there is none.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  auto word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

/// "0: 0100007F:1F90 0200007F:9C40 01 …": number, local end, far end, state; addresses and ports
/// in hexadecimal.
std::optional<std::uint16_t> connected_port(std::string_view line) {
  next_word(line);
  auto local = next_word(line);
  next_word(line);
  auto colon = local.rfind(':');
  if (next_word(line) != kEstablished || colon == local.npos) return {};
  std::uint16_t port = 0;
  auto digits = local.substr(colon + 1);
  auto read = std::from_chars(digits.data(), digits.data() + digits.size(), port, 16);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return {};
  return port;
}

}  // namespace

void add_connected_ports(std::string_view table, std::set<std::uint16_t>& ports) {
  while (!table.empty()) {
    auto line = table.substr(0, table.find('\n'));
    table.remove_prefix(std::min(line.size() + 1, table.size()));
    if (auto port = connected_port(line)) ports.insert(*port);
  }
}

std::set<std::uint16_t> connected_ports() {
  std::set<std::uint16_t> ports;
  for (const char* path : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::ifstream file(path);
    std::string table{std::istreambuf_iterator<char>(file), {}};
    add_connected_ports(table, ports);
  }
  return ports;
}

}  // namespace wm::proc
