#include "daemons/wagent/launch/doors.h"

#include <unistd.h>

#include <algorithm>

#include "libwm/wire/munge.h"
#include "libwm/wire/shared_key.h"

namespace wm::wagent {
namespace {

constexpr std::size_t kFrameLimit = 16 << 20;  ///< an environment goes into a Start

wire::LinkOptions link_options(wire::Method method, wire::PeerRule peer) {
  wire::LinkOptions options;
  options.session.role = wire::Role::Agent;
  options.session.method = method;
  options.session.peers = {peer};
  options.session.frame_limit = kFrameLimit;
  return options;
}

}  // namespace

Doors::Doors(boost::asio::io_context& loop, const Settings& settings, const PartSettings& part)
    : settings_(settings),
      part_(part),
      transport_(loop, 1),
      by_key_(link_options(wire::Method::SharedKey, {wire::Role::Agent, std::nullopt})) {
  by_key_.credentials = wire::shared_key_credentials(settings.key);
}

Result<std::unique_ptr<wire::Listener>> Doors::listen_at(const wire::Endpoint& at,
                                                         wire::LinkOptions options, OnLink admit) {
  wire::ListenOptions how;
  how.link = std::move(options);
  return transport_.listen(at, std::move(how), std::move(admit));
}

Result<AgentDoors> Doors::open(OnLink admit) {
  const wire::PeerRule owner{wire::Role::Client, ::geteuid()};
  if (!part_.launch_socket.empty()) {
    ::unlink(part_.launch_socket.c_str());  // a former agent's
    wire::Endpoint here{"", 0, part_.launch_socket};
    WM_TRY(local_, listen_at(here, link_options(wire::Method::Local, owner), admit));
  }
  wire::Endpoint any{settings_.address, 0, ""};
  WM_TRY(agents_, listen_at(any, by_key_, admit));
  auto options = link_options(wire::Method::Munge, owner);
  options.credentials = wire::munge_credentials(part_.munge_socket);
  WM_TRY(owner_, listen_at(any, std::move(options), std::move(admit)));
  return AgentDoors{to_string(agents_->endpoint()), to_string(owner_->endpoint())};
}

Result<wire::LinkOptions> Doors::link_to(const AgentAt& at) const {
  if (at.key.empty()) return by_key_;
  wire::SharedKey key{};
  if (at.key.size() != key.size()) return fail(Code::Damaged, "a key of the wrong length");
  std::copy(at.key.begin(), at.key.end(), key.begin());
  auto options = by_key_;
  options.credentials = wire::shared_key_credentials(key);
  return options;
}

}  // namespace wm::wagent
