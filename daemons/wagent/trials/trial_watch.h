// Role: looks once a second at what a trial writes of itself and says what is new. Reads as the
// job's user, in its own folder. Made by main.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <string>

namespace wm::wagent {

/// @thread the loop's
class TrialWatch {
 public:
  using Say = std::function<bool(const std::string& report)>;  ///< false: nobody hears it now

  /// `folder`: RESULT_DIR; its val_dict_list.json and log/1/evaluation-metrics.txt are read.
  TrialWatch(boost::asio::io_context& loop, std::string folder, Say say);

  void start() { wait(); }
  /// The trial has ended: looks once more, sees to it that what is new is heard, then `then`;
  /// within two seconds at the latest. @cost two stats, two reads if they have changed
  void finish(std::function<void()> then);

 private:
  void wait();
  bool look();
  void finish_by(std::chrono::steady_clock::time_point until, std::function<void()> then);

  boost::asio::steady_timer timer_;
  std::string folder_;
  Say say_;
  std::string stamp_;  // of the files as they were read last
  std::string said_;
};

}  // namespace wm::wagent
