// Role: the ways in to this host's part of the job: a unix socket for its own tasks (the kernel
// names who connects), the job's key for agents of its other hosts, the identity service for the
// owner's commands and wuserd. And the way out, to those other agents. Invariant: only the job's
// user gets in, on every way.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>

#include "daemons/wagent/launch/groups.h"
#include "daemons/wagent/launch/part_settings.h"
#include "libwm/model/elastic.h"
#include "libwm/wire/transport.h"

namespace wm::wagent {

/// @thread the loop's
class Doors {
 public:
  using OnLink = std::function<void(std::unique_ptr<wire::Link>)>;

  Doors(boost::asio::io_context& loop, const Settings& settings, const PartSettings& part);

  /// Listens on all ways in, and gives who comes to `admit`; returns where.
  /// @errors of wire::Transport::listen
  Result<AgentDoors> open(OnLink admit);
  /// How this job's agents reach each other.
  wire::Transport& transport() { return transport_; }
  const wire::LinkOptions& by_key() const { return by_key_; }
  /// How the agents at this place are reached: those of another group let in who has that group's
  /// key. @errors Damaged: the key of that group
  Result<wire::LinkOptions> link_to(const AgentAt& at) const;

 private:
  Result<std::unique_ptr<wire::Listener>> listen_at(const wire::Endpoint& at,
                                                    wire::LinkOptions options, OnLink admit);

  const Settings& settings_;
  const PartSettings& part_;
  wire::Transport transport_;
  wire::LinkOptions by_key_;
  std::unique_ptr<wire::Listener> local_, agents_, owner_;
};

}  // namespace wm::wagent
