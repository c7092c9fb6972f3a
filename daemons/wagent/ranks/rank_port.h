// Role: what an agent does for the ranks that its host starts: tells each how to find the
// others, serves their fences and questions together with the agents of the job's other hosts.
//
//   rank ──call──► environment            PmixServer ──► RankTable ──► agents above and below
//
// The links to other agents form a tree (base/fan_out.h); each agent dials the one above it.
// Invariant: a rank is answered only when the server is up, or cannot be. Called by main,
// LaunchPort and PlainBody.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "daemons/wagent/launch/relay.h"
#include "daemons/wagent/ranks/pmix_server.h"
#include "daemons/wagent/ranks/tagged_output.h"
#include "daemons/wagent/reception.h"
#include "daemons/wagent/settings.h"
#include "libwm/model/elastic.h"
#include "libwm/model/node/ranks.h"
#include "libwm/proc/channel.h"
#include "libwm/proc/rank_call.h"
#include "libwm/ranks/name_board.h"
#include "libwm/ranks/rank_table.h"
#include "libwm/wire/transport.h"

namespace wm::wagent {

/// What the agent is told of ranks. @shape hosts: as ranks::parse_rank_map reads it
struct RankSettings {
  std::string hosts;   ///< empty: the job has no such ranks
  std::string host;    ///< this one's name
  std::string socket;  ///< where ranks call
  bool tag = false;    ///< their output goes through the agents, each line with its rank
  int tag_err = -1;    ///< on the first host: for error output; -1: as the rest, to stdout
};

/// See the head of this file. @thread the loop's
class RankPort {
 public:
  /// The ranks cannot go on, and this task here is one that waits in vain.
  using OnBroken = std::function<void(TaskNumber task, const std::string& why)>;

  RankPort(boost::asio::io_context& loop, wire::Transport& transport, wire::LinkOptions by_key,
           const Settings& settings);

  /// Opens the socket, then makes the server: what keeps that from being, ranks are told.
  /// @errors BadArgument: hosts; of proc::listen_unix
  Result<void> start(const RankSettings& settings, OnBroken on_broken);
  /// Where the job's other agents are.
  void on_order(const AgentOrder& order);
  /// Another agent's link, with its first frame.
  void admit(std::unique_ptr<wire::Link> link, const wire::Frame& first);
  /// A task of this host has ended.
  void on_gone(TaskNumber task);
  /// No rank runs here any more; `on_idle` runs once what they wrote is passed on.
  void end(std::function<void()> on_idle);

 private:
  struct Rank {
    std::uint32_t number = 0;
    bool ended = false;
  };
  Reception::OnLoop hear_rank(Fd caller);
  void answer(int fd, Result<proc::RankArrival> arrival);
  proc::RankAnswer answer_for(const proc::RankCall& call);
  void make_server(const std::string& folder);
  PmixServer::Handlers handlers();
  void hear(std::uint32_t from, const wire::Frame& frame);
  void on_ask(const ModexAsk& words);
  void on_names(const NameAsk& words);
  void on_names(const NameAnswer& words);
  void on_answer(const ModexAnswer& words);
  void send(std::uint32_t place, const RankWords& words);
  void send_towards(std::uint32_t place, const RankWords& words);
  void carry_out(const ranks::RankTable::Actions& actions);
  void act(const ranks::RankTable::Send& action) { send(action.place, action.words); }
  void act(const ranks::RankTable::Complete& action);
  void act(const ranks::RankTable::Broken& action);
  void dial_up();
  void lose(std::uint32_t from);
  void wait_for_output();

  boost::asio::io_context& loop_;
  wire::Transport& transport_;
  wire::LinkOptions by_key_;
  const Settings& settings_;
  OnBroken on_broken_;
  ranks::RankMap map_;
  std::uint32_t here_ = 0;
  FanOut tree_;
  std::optional<ranks::RankTable> table_;
  std::unique_ptr<PmixServer> server_;
  std::string trouble_;  ///< why there is no server
  std::vector<std::string> defaults_;
  std::map<TaskNumber, Rank> tasks_;
  std::unique_ptr<Relay> above_;
  std::map<std::uint32_t, std::unique_ptr<wire::Link>> below_;
  std::map<std::uint32_t, std::vector<RankWords>> unsent_;  ///< until who is below has called
  std::map<std::uint64_t, PmixServer::Ticket> asked_;
  ranks::NameBoard names_;  ///< on the first host
  std::uint64_t next_ask_ = 1;
  std::optional<TaggedOutput> tagged_;
  boost::asio::steady_timer patience_;
  Reception reception_;
};

}  // namespace wm::wagent
