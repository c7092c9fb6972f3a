#include "libwm/model/meeting.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace wm {
namespace {

constexpr std::size_t kNamed = 5;

bool is_loopback(std::string_view address) {
  return address.starts_with("127.") || address == "::1";
}

/// Who has come, as far as addresses tell.
struct Present {
  std::vector<std::uint32_t> of_host;  ///< by place in the list of those expected
  std::uint32_t unknown = 0;
};

Present present_of(const std::vector<Expected>& expected, const Rendezvous& meeting) {
  std::map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < expected.size(); ++i) places.try_emplace(expected[i].address, i);
  Present present{std::vector<std::uint32_t>(expected.size()), 0};
  for (const auto& callers : meeting.callers) {
    auto place = places.find(callers.address);
    // What calls there by the loopback is on that host, unless hosts share one.
    bool own = place == places.end() && is_loopback(callers.address) &&
               !is_loopback(expected.front().address);
    if (own) place = places.find(expected.front().address);
    if (place == places.end()) present.unknown += callers.connections;
    else present.of_host[place->second] += callers.connections;
  }
  for (std::size_t i = 0; i < expected.size(); ++i)
    present.of_host[i] = std::min(present.of_host[i], expected[i].processes);
  return present;
}

std::string missing_hosts(const std::vector<Expected>& expected, const Present& present) {
  std::string text;
  std::size_t hosts = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const auto& host = expected[i];
    auto missing = host.processes - present.of_host[i];
    if (missing == 0 || host.host.empty() || ++hosts > kNamed) continue;
    bool whole = missing == 1 && host.processes == 1;
    text += (text.empty() ? "" : ", ") +
            (whole ? host.host : std::to_string(missing) + " of " + host.host);
  }
  if (hosts > kNamed) text += " and " + std::to_string(hosts - kNamed) + " hosts more";
  return text;
}

}  // namespace

std::string meeting_text(const std::vector<Expected>& expected, const Rendezvous& meeting,
                         const std::string& what) {
  if (meeting.port == 0 || expected.empty()) return "";
  auto present = present_of(expected, meeting);
  std::uint32_t wanted = 0, come = present.unknown;
  for (const auto& host : expected) wanted += host.processes;
  for (auto processes : present.of_host) come += processes;
  if (come >= wanted) return "";
  auto text = std::to_string(come) + " of " + std::to_string(wanted) + " " + what +
              " have met at " + expected.front().host + ":" + std::to_string(meeting.port) +
              " after " + format_duration(meeting.waited);
  auto missing = present.unknown > 0 ? "" : missing_hosts(expected, present);
  return missing.empty() ? text : text + "; not connected: " + missing;
}

}  // namespace wm
