// Role: the body of an agent of a job that is not elastic: tells the host where it can be reached,
// learns where the job's other agents are. The elastic one is elastic/elastic_body.h.
#pragma once

#include <boost/asio/io_context.hpp>

#include "daemons/wagent/launch/launch_port.h"
#include "daemons/wagent/node_port.h"
#include "daemons/wagent/ranks/rank_port.h"
#include "daemons/wagent/settings.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's
class PlainBody {
 public:
  /// `ranks`: null: the job has none that its hosts start.
  PlainBody(boost::asio::io_context& loop, const Settings& settings, LaunchPort& launch,
            AgentDoors doors, RankPort* ranks);

  /// Begins to connect to the host.
  void start() { node_.start(); }
  /// What else the host is to hear. False: it does not hear now.
  bool say(const AgentFact& fact) {
    return node_.send({settings_.job, settings_.attempt, settings_.host, fact});
  }
  /// As NodePort::connection.
  std::uint64_t connection() const { return node_.connection(); }
  /// This task waits in vain: the master is to end the job.
  void report(TaskNumber task, const std::string& why);

 private:
  void introduce();
  void on(const NodeToAgent& words);

  const Settings& settings_;
  LaunchPort& launch_;
  AgentDoors doors_;
  RankPort* ranks_;
  NodePort node_;
};

}  // namespace wm::wagent
