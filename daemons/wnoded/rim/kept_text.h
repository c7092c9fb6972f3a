// Role: a text of the host's state folder that is written anew now and then, beside the loop: one
// write at a time, and the newest in the end.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <optional>
#include <string>

namespace wm::node {

/// @thread the loop's
class KeptText {
 public:
  /// `workers` have ended before this is gone.
  KeptText(boost::asio::io_context& loop, boost::asio::thread_pool& workers, std::string path)
      : loop_(loop), workers_(workers), path_(std::move(path)) {}

  /// Writes it soon; one that cannot be written is told in the log. @cost O(size), two fsync beside
  void keep(std::string text);
  /// What was kept; empty: nothing. @cost one read
  std::string read() const;

 private:
  void write();

  boost::asio::io_context& loop_;
  boost::asio::thread_pool& workers_;
  std::string path_;
  std::optional<std::string> waits_;  ///< until what is being written is written
  bool writing_ = false;
};

}  // namespace wm::node
