// Role: the body of an agent of an elastic job: gives elastic::Agent its events and carries out its
// actions.
//
//   WorkerPort, NodePort, LeadPort, tick ──event──► Agent ──actions──► the ports
//
// Invariant: one event at a time; an action never makes an event before it has returned.
// Called by main.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>
#include <string>

#include "daemons/wagent/elastic/lead_port.h"
#include "daemons/wagent/elastic/worker_port.h"
#include "daemons/wagent/launch/launch_port.h"
#include "daemons/wagent/node_port.h"
#include "daemons/wagent/settings.h"
#include "libwm/elastic/agent.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's   @owns the ports and the machine
class ElasticBody {
 public:
  ElasticBody(boost::asio::io_context& loop, const Settings& settings);

  /// Listens and connects. `launch` (not null) hears of the job's agents, its doors are told.
  /// @errors of WorkerPort::listen and LeadPort::listen
  Result<void> start(LaunchPort* launch = nullptr, AgentDoors doors = {});
  /// What else the host is to hear. False: it does not hear now.
  bool say(const AgentFact& fact) {
    return node_.send({settings_.job, settings_.attempt, settings_.host, fact});
  }
  /// As NodePort::connection.
  std::uint64_t connection() const { return node_.connection(); }

 private:
  void on(const elastic::AgentEvent& event);
  void act(const elastic::SendNode& action);
  void act(const elastic::SendWorker& action);
  void act(const elastic::SendLead& action);
  void act(const elastic::SendAgent& action);
  void act(const elastic::FollowLead& action);
  void act(const elastic::DropAgent& action);
  void tick();

  Settings settings_;
  boost::asio::steady_timer timer_;
  WorkerPort workers_;
  NodePort node_;
  LeadPort lead_;
  std::optional<elastic::Agent> agent_;
  LaunchPort* launch_ = nullptr;
  AgentDoors doors_;
};

}  // namespace wm::wagent
