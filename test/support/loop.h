// Role: an Asio loop for tests of real sockets: turns until a condition holds, with a deadline.
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>

namespace wm::test {

/// Owns the io_context; no sleeps, no fixed waits.
class Loop {
 public:
  /// Runs handlers until `done()`; false when it did not hold within two minutes.
  template <class Done>
  bool until(Done done) {
    auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!done()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      context.restart();
      context.run_one_for(std::chrono::milliseconds(20));
    }
    return true;
  }

  boost::asio::io_context context;
};

}  // namespace wm::test
