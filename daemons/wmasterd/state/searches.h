// Role: a search is an open array whose elements a suggester decides: this gives them out, ahead of
// time, as their slots come free. What was given, how each went, and that it is closed are events;
// nothing else is kept, so a restart goes on where it was.
//
//   element ends, reports ──► history ──ask──► wsuggest ──► ElementGiven… | ArrayClosed | Kill
//
// Called by core.cc.
#pragma once

#include <map>
#include <set>
#include <string>

#include "daemons/wmasterd/state/journal.h"

namespace wm::master {

/// How a search stands, for a question: counted from the state.
struct SearchStanding {
  std::uint32_t given = 0;    ///< elements
  std::uint32_t live = 0;     ///< of them not over
  std::uint32_t settled = 0;  ///< of them over, their last words heard or waited for
};

/// So many elements are to be asked for: those that may run at once and one ahead, less those that
/// are not over, within what is reserved. @cost O(1)
std::uint32_t wanted(const Job& base, const SearchStanding& standing);

/// @thread the loop's
class Searches {
 public:
  Searches(const World& world, Journal& journal)
      : clock_(world.clock),
        store_(world.store),
        processes_(world.processes),
        keys_(world.keys),
        journal_(journal) {}

  /// Every search is looked at anew. @cost O(jobs)
  void on_reload();
  void on_jobs_changed(const std::set<JobId>& jobs);
  void on_tick();

 private:
  struct Search {
    std::map<std::uint32_t, std::string> configs;  // by index, as they were given
    bool asking = false;
    bool stale = true;    // something has changed since the last question
    WallTime look_at{};   // a trial's last words are waited for until then
    WallTime retry_at{};  // the suggester has failed
  };
  void look(std::uint32_t number, Search& search);
  void ask(const Job& base, Search& search, std::uint32_t wanted);
  void take(std::uint32_t number, const Result<std::string>& answer);
  std::string history_of(const Job& base, Search& search);

  Clock& clock_;
  Store& store_;
  Processes& processes_;
  Keys& keys_;
  Journal& journal_;
  std::map<std::uint32_t, Search> searches_;
};

}  // namespace wm::master
