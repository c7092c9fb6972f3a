// Role: a search is an open array with elements from a suggester: this gives them out, ahead of
// time, as their slots come free. What was given, how each went, and that it is closed are events;
// nothing else is kept, so a restart goes on where it was.
//
//   element ends, reports ──► history ──ask──► wsuggest ──► ElementGiven… | ArrayClosed | Kill
//
// Called by core.cc.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>

#include "daemons/wmasterd/state/journal.h"

namespace wm::master {

/// How a search stands, for a question: counted from the state.
struct SearchStanding {
  std::uint32_t given = 0;  ///< elements
  std::uint32_t live = 0;   ///< of them not over
};

/// What a search's JSON says of how it goes on.
struct SearchTerms {
  bool learns = true;     ///< suggestions look at what came before; others are made long ahead
  bool suggested = true;  ///< by the suggester, not by an optimizer of its owner's
  Duration run_limit{};   ///< maxRunTime: it ends so long after its submission; 0: never
};

/// So many elements are to be asked for: those that may run at once and one ahead, less those that
/// are not over, within what is reserved. @cost O(1)
std::uint32_t wanted(const Job& base, const SearchTerms& terms, const SearchStanding& standing);

/// Is it a search that has its trials from the suggester, rather than from an optimizer of its
/// owner's, which gives them (bgive)? @cost O(search)
bool has_suggester(const JobSpec& spec);

/// Why the next trial of a search does not come, by the number of its array; those where it comes
/// are not there.
using SearchWaits = std::map<std::uint32_t, std::string>;

/// @thread the loop's
class Searches {
 public:
  Searches(const Env& env, Journal& journal)
      : clock_(env.clock),
        store_(env.store),
        workers_(env.workers),
        processes_(env.processes),
        keys_(env.keys),
        journal_(journal) {}

  /// Every search is looked at anew. @cost O(jobs)
  void on_reload();
  /// Those searches alone. @cost O(jobs + trials of the searches among them)
  void on_jobs_changed(const std::set<JobId>& jobs);
  /// Those that wait for their time. @cost O(searches)
  void on_tick();
  /// The suggester's failures that last. A value, replaced whole. @cost O(1)
  std::shared_ptr<const SearchWaits> waits() const { return waits_; }

 private:
  struct Search {
    std::shared_ptr<const SealedSpec> of;  // what `terms` were read from, once
    SearchTerms terms;
    std::map<std::uint32_t, std::string> configs;  // by index, as they were given
    bool asking = false;
    bool stale = true;    // something has changed since the last question
    WallTime retry_at{};  // the suggester has failed
  };
  static const SearchTerms& terms_of(const Job& base, Search& search);
  bool is_watched(const Job& base, Search& search);
  void watch(const Job& base);
  void forget(std::uint32_t number);
  void look(std::uint32_t number, Search& search);
  void ask(const Job& base, Search& search, std::uint32_t wanted);
  void take(std::uint32_t number, const Result<std::string>& answer);
  void fail_with(std::uint32_t number, Search& search, const std::string& why);
  void note(std::uint32_t number, const std::string& why);
  bool end_if_due(const Job& base, const SearchTerms& terms);
  bool reads_configs(const Job& base, const Search& search);
  std::string history_of(const Job& base, const Search& search) const;

  Clock& clock_;
  Store& store_;
  Workers& workers_;
  Processes& processes_;
  Keys& keys_;
  Journal& journal_;
  std::map<std::uint32_t, Search> searches_;
  std::shared_ptr<const SearchWaits> waits_ = std::make_shared<const SearchWaits>();
};

}  // namespace wm::master
