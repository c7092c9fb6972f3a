// What wnoded sees of where a job's processes meet, on its first host: that they have met, and that
// some do not come.
#include <map>

#include "daemons/wnoded/core.h"
#include "libwm/codec/codec.h"

namespace wm::node {
namespace {

/// Between two looks at who is missing.
constexpr Duration kLook = std::chrono::seconds(1);

}  // namespace

/// The port where this attempt meets, if it is here; 0: it does not.
std::uint16_t Core::meets_here_at(const Entry& entry) const {
  const auto& order = entry.order;
  bool may = entry.stage == Stage::Up && order.launch != Launch::Once;
  if (!may || launch::master_address(order) != host_.address) return 0;
  return static_cast<std::uint16_t>(launch::meeting_port(order));
}

/// Its tasks are resized one by one until it is known that they have met.
bool Core::may_have_met(const Entry& entry) {
  const auto& team = entry.order.team;
  return !entry.met && team.elastic && team.port != 0 && entry.order.launch == Launch::PerSlot;
}

/// Tells once that tasks have met: from then on every process is started again at a new size; a
/// restart of ours may repeat it. And tells who does not come.
void Core::look_for_meetings() {
  auto now = outside_.mono();
  bool all = now >= meetings_due_;
  if (all) meetings_due_ = now + kLook;
  std::map<std::uint16_t, PortUse> uses;
  std::map<launch::AttemptKey, std::uint16_t> ports;
  for (const auto& [key, entry] : attempts_) {
    if (!all && !may_have_met(entry)) continue;
    auto port = meets_here_at(entry);
    ports[key] = port;
    if (port != 0 && (may_have_met(entry) || !entry.meeting.is_settled(port))) uses[port];
  }
  if (!uses.empty()) outside_.job_ports().look_at(uses);
  for (const auto& [key, port] : ports) {
    auto& entry = attempts_[key];
    auto use = uses.find(port);
    bool seen = use != uses.end();
    if (seen && may_have_met(entry) && !use->second.callers.empty()) {
      entry.met = true;
      say(entry, FactMet{key.job, key.attempt});
    }
    if (all && (seen || port == 0)) tell_meeting(key, entry, seen ? use->second : PortUse{});
  }
}

void Core::tell_meeting(const launch::AttemptKey& key, Entry& entry, const PortUse& use) {
  if (!session_) return;
  auto report = entry.meeting.look(entry.order, use, outside_.mono(), times_.hang_limit);
  if (!report) return;
  HostFact fact{0, FactRendezvous{key.job, key.attempt, *report}};
  outside_.send(NodeVerb::Fact, codec::encode(fact));
}

}  // namespace wm::node
