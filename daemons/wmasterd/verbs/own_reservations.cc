#include "daemons/wmasterd/verbs/own_reservations.h"

#include <algorithm>

#include "libwm/model/limit_match.h"
#include "libwm/sched/capacity/host_rules.h"
#include "libwm/sched/capacity/set_aside.h"

namespace wm::master {
namespace {

using Names = std::vector<std::string>;

std::uint64_t slots_of(const Reservation& what) {
  std::uint64_t slots = 0;
  for (const PromisedPlace& place : what.places) slots += place.tasks;
  return slots;
}

bool lies_within(const WeekWindows& windows, const WeekWindow& inner) {
  auto minutes = (inner.to + kWeekMinutes - inner.from - 1) % kWeekMinutes + 1;
  for (std::uint32_t i = 0; i < minutes; ++i)
    if (!holds_minute(windows, (inner.from + i) % kWeekMinutes)) return false;
  return true;
}

// Is it active only while these are open?
bool is_within(const WeekWindows& windows, const Reservation& what, const ClockSteps& clock) {
  if (windows.empty()) return true;
  if (!what.windows.empty())
    return std::ranges::all_of(
        what.windows, [&](const WeekWindow& inner) { return lies_within(windows, inner); });
  auto span = open_span(windows, clock, what.begin);
  return span && span->from <= what.begin && what.end <= span->until;
}

}  // namespace

std::vector<const LimitRule*> reserve_rules(const Config& config, const Identity& who) {
  std::vector<const LimitRule*> rules;
  auto listed = [&](const Names& names) { return !names.empty() && is_listed(config, names, who); };
  for (const LimitRule& rule : config.limits)
    if (rule.reserve && wm::is_meant(rule.users.names, listed)) rules.push_back(&rule);
  return rules;
}

bool allows_host(const Config& config, const LimitRule& rule, const Host& host) {
  return wm::is_meant(rule.hosts.names,
                      [&](const Names& names) { return sched::names_host(names, config, host); });
}

bool is_own(const Reservation& what, const Identity& who) {
  return what.kind == ReservedFor::User && what.users == Names{who.user} && what.by == who.user;
}

Result<void> check_reserve_rule(const Cluster& state, const LimitRule& rule,
                                const Reservation& what, const Identity& who) {
  auto denied = [&](const std::string& why) {
    return fail(Code::Denied, why + " (limits.conf: " + rule.name + ")");
  };
  const Config& config = *state.config;
  if (what.kind != ReservedFor::User || what.users != Names{who.user})
    return denied("a reservation for yourself alone is allowed: -u " + who.user);
  if (!is_within(rule.windows, what, config.clock))
    return denied("reservations are allowed within " + show_windows(rule.windows));
  for (const PromisedPlace& place : what.places) {
    const Host* host = state.hosts.find(place.host.value);
    if (host && !allows_host(config, rule, *host))
      return denied("host " + host->name + " may not be reserved");
  }
  std::uint64_t slots = slots_of(what);
  for (const auto& [name, other] : *state.reservations)
    if (name != what.name && is_own(other, who) && sched::meet_in_time(what, other, config.clock))
      slots += slots_of(other);
  if (!rule.slots || slots <= *rule.slots) return {};
  return fail(Code::Limit, "you would keep " + std::to_string(slots) + " slots at a time, " +
                               std::to_string(*rule.slots) +
                               " are allowed (limits.conf: " + rule.name + ")");
}

}  // namespace wm::master
