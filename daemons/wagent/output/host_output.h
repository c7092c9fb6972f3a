// Role: what an agent does so that the output of launchers on all hosts of a job is in the job's
// files, which the first host alone writes (bsub -o, -e, or where they go without).
//
//   first host:  agents of the others ──links──► OutputDesk ──lines──► -o, -e
//   other hosts: copiers (wshepherd/output.h) ──call──► OutputSender ──► the first host's agent
//
// The first is the host that the master names first. Called by main, LaunchPort.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "daemons/wagent/output/output_desk.h"
#include "daemons/wagent/output/output_sender.h"
#include "daemons/wagent/reception.h"
#include "daemons/wagent/settings.h"
#include "libwm/model/elastic.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's
class HostOutput {
 public:
  /// `by_key`: how this job's agents let each other in.
  HostOutput(boost::asio::io_context& loop, wire::Transport& transport, wire::LinkOptions by_key,
             const Settings& settings, const OutputSettings& output);

  /// Opens the socket where copiers call, if output is passed on.
  /// @errors of proc::listen_unix
  Result<void> start();
  /// Where the job's agents are.
  void on_order(const AgentOrder& order);
  /// Another agent's link, with its first frame.
  void admit(std::unique_ptr<wire::Link> link, const wire::Frame& first);
  /// No task runs here any more; `on_idle` is called once, when all that is to be written is.
  void end(std::function<void()> on_idle);

 private:
  Reception::OnLoop hear(Fd caller);
  void serve(int fd, Result<proc::RankArrival> arrival);
  void dial();

  boost::asio::io_context& loop_;
  HostId here_;
  const OutputSettings& output_;
  OutputDesk desk_;
  OutputSender sender_;
  std::optional<AgentPlace> first_;  ///< of the job's agents
  Reception reception_;
};

}  // namespace wm::wagent
