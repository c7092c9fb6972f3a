// Role: calls of the identity service, which block, on threads of their own; answers come back
// on the loop. Used by channel.cc. The queue needs no bound of its own: a session waits for at
// most one answer, and half-open sessions are bounded by their listener.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <functional>
#include <memory>
#include <string>

#include "libwm/wire/credentials.h"
#include "libwm/wire/session.h"

namespace wm::wire {

/// A few threads for Credentials calls.
/// @thread the loop's; handlers run on the loop   @owns its threads; destroying it waits for the
///         calls under way and drops the rest
class Prover {
 public:
  /// @shape threads: 1 or more
  Prover(boost::asio::io_context& loop, int threads);
  ~Prover();

  /// Credentials::encode elsewhere, then `done` on the loop.
  void encode(std::shared_ptr<Credentials> with, std::string payload, Duration ttl,
              std::function<void(Result<std::string>)> done);

  /// What CheckProof asks, elsewhere, then `done` on the loop.
  void check(std::shared_ptr<Credentials> with, CheckProof proof,
             std::function<void(Result<Signed>)> done);

 private:
  template <class Ask, class Done>
  void run(Ask ask, Done done);

  boost::asio::io_context& loop_;
  boost::asio::thread_pool threads_;
};

}  // namespace wm::wire
