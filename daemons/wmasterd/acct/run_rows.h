// Role: what the archive keeps of a run: made of the state in which it has ended, as its owner sees
// it then, and read back as the views that bjobs, pages and REST know. Pure.
//
//   Cluster + job ─row_of_run─► RunRow{found by …, views packed} ─parts_of─► JobView …
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "daemons/wmasterd/verbs/views.h"
#include "libwm/model/verbs/run_verbs.h"
#include "libwm/store/acct/acct_rows.h"
#include "libwm/store/archive/archive_db.h"

namespace wm::master {

/// Elements of an array beyond so many are counted in its record, not shown.
inline constexpr std::uint32_t kMostElementsKept = 10'000;

/// Of a record that was made of accounting, which knows owners by their names.
inline constexpr std::uint32_t kUnknownUid = ~0u;

/// The bytes of a blob. @errors as Store::blob   @thread any
using BlobOf = std::function<Result<std::string>(const std::string& hash)>;

/// Is there to be a record of it? @cost O(log profiles)
bool is_to_be_kept(const Config& config, const Job& job);
/// How long records stay, by the configuration. @cost O(profiles)
store::ArchiveKeep keep_rule(const Config& config);

/// What a run is found by; of one that is live, too. @cost O(elements)
store::RunRow found_by(const Cluster& state, const Job& job);
/// The state of a job, of an array the worst of its elements'; `counts`: of elements, by state.
/// @cost O(elements)
JobState state_of_run(const Cluster& state, const Job& job, RunFacts& facts);
/// The whole record. @cost O(elements), some microseconds each
store::RunRow row_of_run(const ViewSource& source, const Job& job, const BlobOf& blob);
/// The record of a job that accounting alone still knows. @cost O(rows)
store::RunRow row_of_account(const std::vector<store::JobRow>& rows, const Config& config);

/// What a record shows: its parts' bytes, all or the first, without elements that are gone.
/// @errors Damaged   @cost O(elements)
Result<RunViewBytes> parts_of(const store::FoundRun& found, bool whole);
/// The same of a job that is live.
RunViewBytes parts_of_live(const ViewSource& source, const Job& job, const store::FoundRun& found,
                           bool whole);
/// A view as those may see it who see a summary. @errors Damaged
Result<std::string> summary_bytes(const std::string& view);

}  // namespace wm::master
