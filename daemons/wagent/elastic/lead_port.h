// Role: links between the agents of one job (PROTOCOL link 3): listens for agents that follow
// this host's lead, and keeps one link to the lead when that is elsewhere. Encrypted, admitted by
// the job's key.
//
// Invariants: an agent is known by the host in its first AgentStatus; the newest link of a host
// counts. A lead link that carries nothing for kLinkSilence is dialled anew. Called by ElasticBody.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "libwm/base/backoff.h"
#include "libwm/base/result.h"
#include "libwm/elastic/lead.h"
#include "libwm/model/elastic.h"
#include "libwm/wire/shared_key.h"
#include "libwm/wire/transport.h"

namespace wm::wagent {

/// A link with no word for this long is dead, whatever TCP thinks.
inline constexpr std::chrono::milliseconds kLinkSilence{1500};

/// See the head of this file. @thread the loop's
class LeadPort {
 public:
  struct Handlers {
    std::function<void(const elastic::FromAgent&)> on_agent;
    std::function<void()> on_lead_up;
    std::function<void(const LeadToAgent&)> on_lead;
  };

  LeadPort(boost::asio::io_context& loop, const wire::SharedKey& key, Handlers handlers);
  ~LeadPort();

  /// Listens on a free port of `address`; returns "address:port".
  /// @errors as wire::Transport::listen
  Result<std::string> listen(const std::string& address);
  /// Connects to the lead there, for ever again; empty: hangs up.
  void follow(const std::string& address);
  void send_lead(const AgentToLead& words);
  void send_agent(HostId host, const LeadToAgent& words);
  /// Closes the link of an agent that looks for its lead at the wrong place.
  void drop(HostId host);

 private:
  struct Follower {
    std::unique_ptr<wire::Link> link;
    HostId host;
  };
  void admit(std::unique_ptr<wire::Link> link);
  void take(std::uint64_t number, const wire::Frame& frame);
  void dial();
  void retry();
  void take_up(std::unique_ptr<wire::Link> link);
  void watch_silence();

  boost::asio::io_context& loop_;
  Handlers handlers_;
  wire::LinkOptions options_;
  wire::Transport transport_;
  std::unique_ptr<wire::Listener> listener_;
  std::map<std::uint64_t, Follower> followers_;
  std::uint64_t next_follower_ = 1;
  std::string lead_address_;
  std::unique_ptr<wire::Dialing> dialing_;
  std::unique_ptr<wire::Link> lead_;
  boost::asio::steady_timer timer_;
  Backoff tries_;
  std::chrono::steady_clock::time_point lead_spoke_{};
};

}  // namespace wm::wagent
