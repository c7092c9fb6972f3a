// Role: where others come into this host's part of the job (doors.h says how). Gives each to a
// command, a console, another host, or a connection to what the job serves here.
//
//   link ─first frame─► Start here: Command │ Start elsewhere: Relay │ Attach: Consoles │ Connect:
//   Visit
//
// Invariants: what a lost link started is ended; a link is closed by the side that asked, once it
// has read how things ended.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "daemons/wagent/launch/command.h"
#include "daemons/wagent/launch/consoles.h"
#include "daemons/wagent/launch/doors.h"
#include "daemons/wagent/launch/groups.h"
#include "daemons/wagent/launch/part_settings.h"
#include "daemons/wagent/launch/relay.h"
#include "daemons/wagent/launch/visit.h"
#include "libwm/model/elastic.h"
#include "libwm/wire/transport.h"

namespace wm::wagent {

/// See the head of this file. @thread the loop's
class LaunchPort {
 public:
  LaunchPort(boost::asio::io_context& loop, const Settings& settings, const PartSettings& part);
  ~LaunchPort();

  /// Listens on all ways in; returns where. @errors of Doors::open
  Result<AgentDoors> listen();
  /// How this job's agents reach each other.
  Doors& doors() { return doors_; }
  /// From now on tasks may bring their consoles. To be called once the host has heard of the doors:
  /// a task that ends at once must not be told of before them, or nobody finds its output. Repeats
  /// do nothing.
  void open_consoles();
  /// Takes over links that have a first frame about ranks.
  using OnRankLink = std::function<void(std::unique_ptr<wire::Link>, const wire::Frame& first)>;
  void pass_rank_links(OnRankLink to) { on_rank_link_ = std::move(to); }
  /// Who else is to hear where the job's agents are.
  void pass_orders(std::function<void(const AgentOrder&)> to) { on_order_ = std::move(to); }
  /// Where the job's other agents are.
  void on_order(const AgentOrder& order);
  /// The job is over here: commands are killed, consoles drained; then `on_idle`, once.
  void end(std::function<void()> on_idle);

 private:
  using Number = std::uint64_t;
  struct Guest {
    std::unique_ptr<wire::Link> link;  ///< null: gone, its command is being ended
    std::unique_ptr<Command> command;
    std::unique_ptr<Relay> relay;
    std::unique_ptr<Visit> visit;
    std::optional<std::string> asks;  ///< where the tasks of this group are, once that is known
    bool console = false;
    bool done = false;  ///< Ended was said: the other end closes, when it has read it
  };
  void admit(std::unique_ptr<wire::Link> link);
  void on_frame(Number number, const wire::Frame& frame);
  void on_first(Number number, const wire::Frame& frame);
  void start(Number number, const LaunchStart& words);
  void connect(Number number, const LaunchConnect& words);
  void start_elsewhere(Number number, LaunchStart words);
  void look_up(Number number);
  void tell_slots(Number number);
  void say(Number number, const FromLaunch& words);
  void refuse(Number number, const std::string& why);
  void on_closed(Number number);
  void finish(Number number);
  void forget(Number number);
  bool is_idle() const;
  void expire(Number number);
  void wait_until_idle();

  boost::asio::io_context& loop_;
  const PartSettings& part_;
  Doors doors_;
  Consoles consoles_;
  std::map<Number, Guest> guests_;
  Number next_ = 1;
  bool consoles_open_ = false;
  std::optional<AgentOrder> order_;
  OnRankLink on_rank_link_;
  std::function<void(const AgentOrder&)> on_order_;
  std::function<void()> on_idle_;  ///< set: the job is over here
  boost::asio::steady_timer idle_timer_;
};

}  // namespace wm::wagent
