// Tokens of the web door: revoked ones are kept until they would have ended anyway.
#include "libwm/fsm/edit.h"

namespace wm::fsm {

void apply_to(Cluster& c, const TokensRevoked& e, WallTime now, Touched&) {
  Revocations next = *c.revoked;
  std::erase_if(next.ids, [&](const auto& entry) { return entry.second <= now; });
  std::erase_if(next.users, [&](const auto& entry) { return entry.second.until <= now; });
  if (e.id.empty()) next.users[e.user] = {now, e.until};
  else next.ids[e.id] = e.until;
  next.changed = c.seq;
  c.revoked = std::make_shared<const Revocations>(std::move(next));
}

}  // namespace wm::fsm
