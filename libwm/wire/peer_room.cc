#include "libwm/wire/peer_room.h"

#include <string>

namespace wm::wire {
namespace {

Error too_many(std::uint32_t uid, const std::string& what) {
  return fail(Code::Unavailable, "uid " + std::to_string(uid) + ": " + what);
}

}  // namespace

bool PeerRoom::counts(const Identity& who) const {
  return who.role == Role::Client && who.uid && !limits_.reserved.contains(*who.uid);
}

Result<void> PeerRoom::enter(const Identity& who) {
  if (!counts(who)) return {};
  auto have = sessions_of(*who.uid);
  if (have >= limits_.sessions)
    return too_many(*who.uid, "has " + std::to_string(have) + " sessions, as many as it may");
  if (sessions_ >= limits_.all_sessions)
    return too_many(*who.uid,
                    std::to_string(sessions_) + " sessions of all users, as many as may be");
  ++accounts_[*who.uid].sessions;
  ++sessions_;
  return {};
}

void PeerRoom::leave(const Identity& who, std::size_t bytes) {
  auto at = counts(who) ? accounts_.find(*who.uid) : accounts_.end();
  if (at == accounts_.end()) return;
  at->second.bytes -= bytes;
  --sessions_;
  if (--at->second.sessions == 0) accounts_.erase(at);
}

Result<void> PeerRoom::hold(const Identity& who, std::size_t before, std::size_t now) {
  auto at = counts(who) ? accounts_.find(*who.uid) : accounts_.end();
  if (at == accounts_.end()) return {};
  auto& bytes = at->second.bytes;
  bytes += now;
  bytes -= before;
  if (now <= before || bytes <= limits_.half_frames) return {};
  return too_many(*who.uid, "has sent parts of requests, " + std::to_string(bytes) +
                                " bytes, more than the " + std::to_string(limits_.half_frames) +
                                " that are kept");
}

std::size_t PeerRoom::sessions_of(std::uint32_t uid) const {
  auto at = accounts_.find(uid);
  return at == accounts_.end() ? 0 : at->second.sessions;
}

}  // namespace wm::wire
