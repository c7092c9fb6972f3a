// Role: the dialling side of Transport: resolve, connect to each address in turn, run the
// hello, hand the open link over. Made by Transport::dial only.
#pragma once

#include <memory>

#include "libwm/wire/prover.h"
#include "libwm/wire/transport.h"

namespace wm::wire {

/// As Transport::dial, which it implements. @thread the loop
std::unique_ptr<Dialing> start_dial(boost::asio::io_context& loop, Prover& prover,
                                    const Endpoint& to, DialOptions options,
                                    Transport::OnDialled on_dialled);

}  // namespace wm::wire
