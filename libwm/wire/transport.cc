#include "libwm/wire/transport.h"

#include "libwm/wire/dial.h"
#include "libwm/wire/listener.h"

namespace wm::wire {

Transport::Transport(boost::asio::io_context& loop, int prover_threads)
    : loop_(loop), prover_(std::make_unique<Prover>(loop, prover_threads)) {}
Transport::~Transport() = default;

Result<std::unique_ptr<Listener>> Transport::listen(const Endpoint& at, ListenOptions options,
                                                    OnLink on_link) {
  return open_listener(loop_, *prover_, at, std::move(options), std::move(on_link));
}

std::unique_ptr<Dialing> Transport::dial(const Endpoint& to, DialOptions options,
                                         OnDialled on_dialled) {
  return start_dial(loop_, *prover_, to, std::move(options), std::move(on_dialled));
}

}  // namespace wm::wire
