#include "daemons/wnoded/meetings.h"

#include <map>

#include "libwm/base/log.h"

namespace wm::node {
namespace {

/// Between two looks at who is missing.
constexpr Duration kLook = std::chrono::seconds(1);

/// Its tasks are resized one by one until it is known that they have met.
bool may_have_met(const LocalAttempt& attempt) {
  const auto& team = attempt.order.team;
  return !attempt.met && team.elastic && team.port != 0 && attempt.order.launch == Launch::PerSlot;
}

}  // namespace

bool serves_port(const HostOrder& order, const launch::HostFacts& host) {
  return launch::master_address(order) == host.address && launch::meets_at_port(order);
}

Result<void> Meetings::lease(const launch::AttemptKey& key, HostOrder& order) {
  if (!serves_port(order, host_.facts)) return {};
  const auto& limits = host_.facts.limits;
  proc::PortRange range{limits.job_port_first, limits.job_port_last};
  WM_TRY(order.team.port, host_.env.job_ports().lease(key, range, order.team.port));
  return {};
}

void Meetings::hold(const LocalAttempt& attempt) {
  auto port = attempt.order.team.port;
  if (port == 0 || !serves_port(attempt.order, host_.facts)) return;
  if (auto held = host_.env.job_ports().hold(attempt.key, port); !held)
    log::warn("port_not_held", {{"attempt", to_string(attempt.key)}, {"why", held.error().text}});
}

/// The port where this attempt meets, if it is here; 0: it does not.
std::uint16_t Meetings::place_of(const LocalAttempt& attempt) const {
  const auto& order = attempt.order;
  bool may = attempt.stage == LocalAttempt::Stage::Up && order.launch != Launch::Once;
  if (!may || launch::master_address(order) != host_.facts.address) return 0;
  return static_cast<std::uint16_t>(launch::meeting_port(order));
}

void Meetings::on_tick(Attempts& attempts, bool session) {
  auto now = host_.env.mono();
  bool all = now >= due_;
  if (all) due_ = now + kLook;
  std::map<std::uint16_t, PortUse> uses;
  std::map<launch::AttemptKey, std::uint16_t> ports;
  for (const auto& [key, attempt] : attempts.all()) {
    if (!all && !may_have_met(attempt)) continue;
    auto port = ports[key] = place_of(attempt);
    if (port != 0 && (may_have_met(attempt) || !attempt.meeting.is_settled(port))) uses[port];
  }
  if (!uses.empty()) host_.env.job_ports().look_at(uses);
  for (const auto& [key, port] : ports) {
    auto& attempt = *attempts.find(key);
    auto use = uses.find(port);
    bool seen = use != uses.end();
    if (seen && may_have_met(attempt) && !use->second.callers.empty()) {
      attempt.met = true;
      reporter_.say(attempt, FactMet{key.job, key.attempt});
    }
    if (session && all && (seen || port == 0))
      tell_missing(attempt, seen ? use->second : PortUse{});
  }
}

void Meetings::tell_missing(LocalAttempt& attempt, const PortUse& use) {
  auto report = attempt.meeting.look(attempt.order, use, host_.env.mono(), host_.times.hang_limit);
  if (report) reporter_.pass_on(FactRendezvous{attempt.key.job, attempt.key.attempt, *report});
}

}  // namespace wm::node
