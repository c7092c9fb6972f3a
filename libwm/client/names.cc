#include "libwm/client/names.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>

#include "libwm/base/units.h"
#include "libwm/proc/process.h"

namespace wm::client {

namespace {

constexpr Duration kAskLimit = std::chrono::seconds(30);

// The fields of a line, cut at any of `separators`; with blanks as separators no empty ones.
std::vector<std::string> cut(const std::string& line, const char* separators, bool keep_empty) {
  std::vector<std::string> fields;
  for (std::size_t from = 0; from <= line.size();) {
    auto end = std::min(line.find_first_of(separators, from), line.size());
    if (keep_empty || end > from) fields.push_back(line.substr(from, end - from));
    from = end + 1;
  }
  return fields;
}

std::optional<Account> account_in(const std::string& line, const std::string& wanted) {
  auto fields = cut(line, ":", true);
  if (fields.size() < 6 || (fields[0] != wanted && fields[2] != wanted)) return {};
  Account found{fields[0], fields[5], 0};
  auto [end, error] =
      std::from_chars(fields[2].data(), fields[2].data() + fields[2].size(), found.uid);
  if (error != std::errc() || *end != '\0') return {};
  return found;
}

bool is_numeric(const std::string& host) {
  in6_addr any{};
  return ::inet_pton(AF_INET, host.c_str(), &any) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &any) == 1;
}

// hosts(5), and what getent ahosts prints: address, then names or the kind of socket.
void add_addresses(std::istream& lines, const std::string* host, std::vector<std::string>& found) {
  for (std::string line; std::getline(lines, line);) {
    auto words = cut(line.substr(0, line.find('#')), " \t\r", false);
    if (words.size() < 2 || !is_numeric(words[0])) continue;
    bool meant = !host || std::find(words.begin() + 1, words.end(), *host) != words.end();
    if (meant && std::find(found.begin(), found.end(), words[0]) == found.end())
      found.push_back(words[0]);
  }
}

}  // namespace

Result<Account> find_account(const std::string& name_or_uid) {
  std::ifstream file("/etc/passwd");
  for (std::string line; std::getline(file, line);)
    if (auto found = account_in(line, name_or_uid)) return *found;
  if (auto line = proc::run_command({"getent", "passwd", name_or_uid}, kAskLimit))
    if (auto found = account_in(proc::last_line(*line), name_or_uid)) return *found;
  return fail(Code::NotFound, "no account '" + name_or_uid + "' on this host");
}

Result<std::vector<std::string>> find_addresses(const std::string& host) {
  if (is_numeric(host)) return std::vector{host};
  std::vector<std::string> found;
  std::ifstream file("/etc/hosts");
  add_addresses(file, &host, found);
  if (found.empty()) {
    if (auto said = proc::run_command({"getent", "ahosts", host}, kAskLimit)) {
      std::istringstream lines(*said);
      add_addresses(lines, nullptr, found);
    }
  }
  if (found.empty()) return fail(Code::NotFound, "host '" + host + "': unknown name");
  return found;
}

}  // namespace wm::client
