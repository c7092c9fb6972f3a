// Role: the rows of archive.db as values, and what is asked of them, for those who make rows of
// jobs and show them (wmasterd). The store does not know what `views` means; its maker knows no
// SQL. Invariant: one row a job; of an array the elements are in the array's. A row that is written
// again takes the place of the older one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/units.h"
#include "libwm/model/config/config_words.h"
#include "libwm/model/job.h"
#include "libwm/model/run_events.h"
#include "libwm/model/verbs/run_query.h"

namespace wm::store {

/// A run that has ended: what it is found by, and what is shown of it.
struct RunRow {
  std::uint32_t job = 0;
  Seq seq;  ///< of the state that it was made of
  std::uint32_t uid = 0;
  std::string user, name, queue, app, plan, project, framework, service, bundle;
  JobState state = JobState::Finished;  ///< of an array: the worst of its elements'
  AppType kind = AppType::Batch;
  bool search = false;
  WallTime submitted, started, ended;
  std::vector<std::string> labels;  ///< "key=value"
  std::string text;                 ///< in which words are looked for, beside what its owner says
  std::string views;                ///< what is shown, packed by its maker
  bool operator==(const RunRow&) const = default;
};

/// What becomes of one run, in the order in which it happened.
struct ArchiveStep {
  std::optional<RunRow> row;  ///< it has ended, or is to be kept as it is now
  std::optional<RunDescribed> said;
  JobId deleted;              ///< 0: none
  bool unless_there = false;  ///< the row only where there is none
};

/// How long records stay after their runs' ends. @units 0: for ever; of `batch`: none is kept
struct ArchiveKeep {
  Duration runs{}, batch{};
  std::vector<std::pair<std::string, Duration>> apps;  ///< of these profiles otherwise
  bool operator==(const ArchiveKeep&) const = default;
};

/// Does a run answer to the query, its user included? @cost O(words)
bool fits(const RunQuery& query, const RunRow& row, const RunWords& words);
/// Does a name answer to a pattern with '*' at its ends? @cost O(length)
bool fits_run_name(const std::string& wanted, const std::string& name);
/// Is `wanted` in `text`, ASCII letters of either case alike? @cost O(length)
bool has_words(const std::string& text, const std::string& wanted);
/// The name under which a run is shown.
inline const std::string& shown_name(const RunRow& row, const RunWords& words) {
  return words.name.empty() ? row.name : words.name;
}
/// All in which words are looked for. @cost O(length)
std::string whole_text(const RunRow& row, const RunWords& words);

}  // namespace wm::store
