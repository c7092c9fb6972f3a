// Role: hosts that come back to a restored state with jobs that it does not know: where wm.conf
// says unknown_jobs = adopt they are asked what these are, and wait until all that can be known is.
//
//   Register ─lost attempts─► held, Recall of each ─► Recalled, the owner's signature is looked at
//     ─ all hosts of all held jobs have answered, or kPatience is over ─►
//   the hosts register, then each whole job is adopted; what cannot be is ended with words
//
// Invariants: a held host has no session yet, so nothing is ordered there and its slots are
// nobody's; what it says meanwhile is heard in order, afterwards. A job with a signature that does
// not fit is never adopted. Called by hosts.cc.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemons/wmasterd/hosts/adoption.h"
#include "daemons/wmasterd/state/journal.h"

namespace wm::master {

/// How long a job's hosts are waited for, from when the first of all is held.
inline constexpr Duration kRecallPatience = std::chrono::seconds(10);

/// @thread the loop's
class Recalls {
 public:
  /// What goes on when a host is held no more.
  struct Then {
    std::function<void(PeerId, const HostRegister&)> join;
    std::function<void(PeerId, std::uint16_t, const std::string&)> hear;
  };
  Recalls(const Env& env, Journal& journal, Then then)
      : clock_(env.clock),
        peers_(env.peers),
        keys_(env.keys),
        journal_(journal),
        then_(std::move(then)) {}

  /// Holds a host that wants to join, where it has something to say. False: it may join at once.
  bool hold(PeerId peer, const HostRegister& words);
  /// A frame of a host that is held is kept, or is the answer. False: it is not held.
  bool hear(PeerId peer, std::uint16_t type, const std::string& payload);
  /// Its session is gone.
  void on_left(PeerId peer) { held_.erase(peer); }
  /// Called a few times a second: nobody is waited for for ever.
  void on_tick();
  /// Is it to be a job again as soon as that is durable? Then it is not ended.
  bool is_adopting(JobId job) const { return adopting_.contains(job); }

 private:
  struct Asked {
    bool answered = false;
    std::optional<HostOrder> order;  ///< as its owner signed it
  };
  struct Held {
    HostRegister words;
    std::map<JobId, Asked> asked;
    std::vector<std::pair<std::uint16_t, std::string>> frames;
  };
  using Hosts = std::map<PeerId, Held>;

  void on_recalled(PeerId peer, HostRecalled words);
  void settle(PeerId peer, JobId job, std::optional<HostOrder> order);
  static std::vector<SaidOf> said_of(const Hosts& hosts, JobId job);
  bool all_said() const;
  void release();
  void adopt(JobId job, std::span<const SaidOf> said);
  void give_up(JobId job, const std::string& why);

  Clock& clock_;
  Peers& peers_;
  Keys& keys_;
  Journal& journal_;
  Then then_;
  Hosts held_;
  TimePoint since_{};  ///< when the first was held
  std::set<JobId> adopting_;
};

/// Why a job that runs is ended that a restored state does not know.
std::string lost_text(const std::string& more);

}  // namespace wm::master
