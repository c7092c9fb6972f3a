#include "daemons/wnoded/host_ports.h"

#include <unistd.h>

namespace wm::node {

void RealPorts::release(const launch::AttemptKey& key) {
  if (auto at = guarded_.find(key); at != guarded_.end()) {
    guard_.open(at->second);
    guarded_.erase(at);
  }
  ports_.release(key);
}

Result<void> RealPorts::guard(const launch::AttemptKey& key, std::uint16_t port,
                              std::uint32_t uid) {
  if (::geteuid() != 0) return fail(Code::Denied, "rules for a port need root");
  WM_TRY(guard_.keep(port, uid));
  guarded_[key] = port;
  return {};
}

void RealPorts::drop_old_rules() {
  if (::geteuid() == 0) guard_.drop_others(ports_.held());
}

}  // namespace wm::node
