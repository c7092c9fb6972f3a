// Role: takes questions to the site's policy of submissions, off the loop: to wpolicyd where the
// cluster has one, else to the command itself. Built and owned by main.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "daemons/wmasterd/verbs/policy_desk.h"

namespace wm::master {

/// @thread the loop's
class PolicyAsker {
 public:
  /// `socket`: wpolicyd's; empty: the command is run here.
  PolicyAsker(boost::asio::io_context& loop, std::string socket);
  PolicyAsker(const PolicyAsker&) = delete;
  PolicyAsker& operator=(const PolicyAsker&) = delete;
  /// What has not begun never does; one under way ends by its limit.
  ~PolicyAsker();

  /// Asks with the errors of proc::ask_policy_at. @owns this object's pool: it lives as long
  PolicyAsk asker();

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
};

}  // namespace wm::master
