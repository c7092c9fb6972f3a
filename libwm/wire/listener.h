// Role: the listening side of Transport: accepts, runs each newcomer's hello within the bounds
// for half-open sessions, hands open links over. Made by Transport::listen only.
#pragma once

#include <memory>

#include "libwm/wire/prover.h"
#include "libwm/wire/transport.h"

namespace wm::wire {

/// As Transport::listen, which it implements. @errors as there
Result<std::unique_ptr<Listener>> open_listener(boost::asio::io_context& loop, Prover& prover,
                                                const Endpoint& at, ListenOptions options,
                                                Transport::OnLink on_link);

}  // namespace wm::wire
