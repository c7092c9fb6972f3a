#include "daemons/wnoded/web_port.h"

#include "libwm/base/log.h"
#include "libwm/launch/placing.h"

namespace wm::node {

bool owns_web_port(Env& env, const launch::AttemptKey& key, const HostOrder& order,
                   const launch::Account& account) {
  auto port = launch::web_port(order);
  if (port == 0 || !order.first_host) return false;
  auto kept = env.job_ports().guard(key, static_cast<std::uint16_t>(port), account.uid);
  if (!kept)
    log::info("web_port_open",
              {{"attempt", to_string(key)}, {"port", port}, {"why", kept.error().text}});
  return kept.has_value();
}

}  // namespace wm::node
