#include "libwm/proc/port_uses.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace wm::proc {
namespace {

constexpr std::string_view kEstablished = "01", kListens = "0A";
constexpr std::size_t kWord = 8;  // digits

/// The next word of the line, which loses it; empty: there is none.
std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  auto word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

template <class Number>
std::optional<Number> from_hex(std::string_view digits) {
  Number number = 0;
  auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number, 16);
  if (read.ec != std::errc{} || read.ptr != digits.data() + digits.size()) return {};
  return number;
}

std::optional<std::uint16_t> port_of(std::string_view end) {
  auto colon = end.rfind(':');
  if (colon == end.npos) return {};
  return from_hex<std::uint16_t>(end.substr(colon + 1));
}

/// "0200007F:9C40", or the same with an address of IPv6: 32-bit words in this machine's order.
/// Empty: it is none. An address of IPv4 within IPv6 is told as that.
std::string address_of(std::string_view end) {
  auto digits = end.substr(0, end.rfind(':'));
  std::array<std::uint32_t, 4> words{};
  if (digits.size() != kWord && digits.size() != 4 * kWord) return "";
  for (std::size_t i = 0; i * kWord < digits.size(); ++i) {
    auto word = from_hex<std::uint32_t>(digits.substr(i * kWord, kWord));
    if (!word) return "";
    words[i] = *word;
  }
  bool mapped =
      digits.size() > kWord && words[0] == 0 && words[1] == 0 && words[2] == htonl(0xffff);
  bool v4 = digits.size() == kWord || mapped;
  std::array<char, INET6_ADDRSTRLEN> text{};
  const void* from = mapped ? &words[3] : words.data();
  if (inet_ntop(v4 ? AF_INET : AF_INET6, from, text.data(), text.size()) == nullptr) return "";
  return text.data();
}

void add_caller(PortUse& use, std::string address) {
  auto known = std::ranges::find(use.callers, address, &Callers::address);
  if (known == use.callers.end()) use.callers.push_back({std::move(address), 1});
  else ++known->connections;
}

/// "0: 0100007F:1F90 0200007F:9C40 01 …": number, local end, far end, state; addresses and ports
/// in hexadecimal.
void add_line(std::string_view line, PortUses& uses) {
  next_word(line);
  auto port = port_of(next_word(line));
  auto far = next_word(line), state = next_word(line);
  auto use = port ? uses.find(*port) : uses.end();
  if (use == uses.end()) return;
  if (state == kListens) use->second.listens = true;
  if (state != kEstablished) return;
  if (auto address = address_of(far); !address.empty()) add_caller(use->second, std::move(address));
}

}  // namespace

void add_port_uses(std::string_view table, PortUses& uses) {
  while (!table.empty()) {
    auto line = table.substr(0, table.find('\n'));
    table.remove_prefix(std::min(line.size() + 1, table.size()));
    add_line(line, uses);
  }
  for (auto& [port, use] : uses) std::ranges::sort(use.callers, {}, &Callers::address);
}

void look_at_ports(PortUses& uses) {
  for (const char* path : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
    std::ifstream file(path);
    std::string table{std::istreambuf_iterator<char>(file), {}};
    add_port_uses(table, uses);
  }
}

}  // namespace wm::proc
