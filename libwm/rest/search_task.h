// Role: a search as it stands, for people and programs: what WMLA's clients read of a tuning task
// and its experiments, and what our own pages and bsearch read. Pure: made of what the master shows
// of the search's array and its elements.
// @source wmla-surface 5.2
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/model/verbs/change_verbs.h"
#include "libwm/model/verbs/verbs.h"

namespace wm::rest {

/// One trial.
struct SearchTrial {
  JobId id;
  JobState state = JobState::Pending;
  std::string exec_id;
  std::string config, report;  ///< JSON; empty: none
  std::string why;             ///< more about its end
  bool stopped = false;        ///< by the search itself: others do better
  bool in_turn = true;         ///< pending: not because as many run as may
  WallTime started{}, ended{};
};

/// A search.
struct SearchTask {
  JobId job;
  std::string name, creator, bundle;
  std::string search;  ///< what is searched for, JSON (libwm/search)
  std::string waits;   ///< why the next trial does not come; empty: it does
  bool lost = false;   ///< its optimizer has failed: nothing comes any more, `waits` says why
  WallTime submitted{}, ended{};
  std::uint32_t reserved = 0, at_once = 0;
  bool held = false, killed = false, closed = false;
  std::vector<SearchTrial> trials;  ///< in order
};

/// Of the views of one search's array, in order, and what its elements were given.
/// @shape views: one at least
SearchTask search_task(const std::vector<JobView>& views, const GiveReply& given);

/// The job that is the optimizer of a plugin's search. @cost O(1)
std::string optimizer_name(JobId search);
/// Is it a search of a plugin's? @cost O(search)
bool has_plugin(const SearchTask& task);
/// What a plugin's search learns of its optimizer; null: it is not there. `said`: the end of its
/// standard error.
void add_optimizer(SearchTask& task, const JobView* optimizer, std::string_view said);

/// SUBMITTED, RUNNING, STOPPED, FINISHED, FAILED. @cost O(trials)
std::string_view tuning_state(const SearchTask& task);

/// Why it waits, or why it has failed, never empty then; empty: there is nothing to tell. A metric
/// that no trial reported is told as soon as one has finished, with those that were.
/// @cost O(trials)
std::string reason_of(const SearchTask& task);

/// The position of the best finished trial with a number; the earliest of equal ones.
std::optional<std::size_t> best_trial(const SearchTask& task);

/// WMLA's tuning task. @cost O(trials)
std::string tuning_json(const SearchTask& task, WallTime now);
/// Ours: the search as it was asked for, and each trial. `whole`: with the trials.
std::string search_json(const SearchTask& task, bool whole);

}  // namespace wm::rest
