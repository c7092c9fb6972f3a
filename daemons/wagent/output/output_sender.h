// Role: on every other host: takes the output of its launchers from those who copy it and passes it
// to the agent of the host that writes the job's files.
//
//   copier ──pipes, `hold`──► streams ──RankOutput──► the first host's agent (output_desk.h)
//                               ◄──────RankTaken────── written: so much more is read
//   both pipes at their end ──RankSilent──► … ──RankTaken of no bytes──► `hold` is closed
//
// Invariants: no more than kLaunchWindow bytes of a task are read and not yet written, so a fast
// talker waits; a link that is lost closes the pipes and `hold`: who copies goes on without us.
// Called by HostOutput.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "daemons/wagent/launch/relay.h"
#include "daemons/wagent/launch/stream_set.h"
#include "libwm/model/node/ranks.h"
#include "libwm/proc/rank_call.h"
#include "libwm/wire/transport.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's   @owns the streams and the link
class OutputSender {
 public:
  /// `here`: this host, by its number.
  OutputSender(boost::asio::io_context& loop, wire::Transport& transport, wire::LinkOptions by_key,
               HostId here);
  ~OutputSender();

  /// The agent of the host that writes; empty address: it is not up yet.
  void found(const std::string& host, const std::string& address);
  /// The streams of a task of this host.
  void serve(TaskNumber task, proc::ConsoleEnds ends, Fd hold);
  /// `on_idle` is called once, when no task's output is under way.
  void end(std::function<void()> on_idle);

 private:
  struct Source {
    std::shared_ptr<StreamSet> streams;
    Fd hold;
  };
  void send(const RankWords& words);
  void hear(const wire::Frame& frame);
  void cut_off(const std::string& why);
  void look();

  boost::asio::io_context& loop_;
  wire::Transport& transport_;
  wire::LinkOptions by_key_;
  HostId here_;
  std::unique_ptr<Relay> first_;
  std::string address_;             ///< where that is; empty: not known
  std::vector<wire::Frame> early_;  ///< said before anybody was found
  std::map<std::uint32_t, Source> sources_;
  std::function<void()> on_idle_;
};

}  // namespace wm::wagent
