// Role: looks once a second at what a trial writes of itself and says what is new, and to a host
// that came back what holds. What it has to report at its end is not said here: that goes with the
// end itself (daemons/wshepherd/trial_words.h). Reads as the job's user. Made by main.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <string>

namespace wm::wagent {

/// @thread the loop's
class TrialWatch {
 public:
  /// How the host is told.
  struct Host {
    std::function<std::uint64_t()> connection;  ///< number of the present one; 0: there is none
    std::function<bool(const std::string& report)> say;  ///< false: nobody hears it now
  };

  /// `folder`: RESULT_DIR; what trial_files.h names is read.
  TrialWatch(boost::asio::io_context& loop, std::string folder, Host host);

  /// Looks from now on.
  void start() { wait(); }
  /// Looks once: says what is new, or what holds if the host has not heard it on this connection.
  /// @cost two stats, two reads if they have changed
  void look();

 private:
  void wait();

  boost::asio::steady_timer timer_;
  std::string folder_;
  Host host_;
  std::string stamp_;  // of the files as they were read last
  std::string said_;   // on connection `heard_by_`
  std::uint64_t heard_by_ = 0;
};

}  // namespace wm::wagent
