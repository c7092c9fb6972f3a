// Role: brings an execution's data here before it begins: a job of its own that runs wmfetch and
// that the execution waits for, or a step before each task. The job is CPUs only: no GPU waits for
// a download.
//
//   <results>/<user>/data/<bundle>            leads to what was fetched, once it is whole
//   <results>/<user>/data/<bundle>.progress   how far it is, JSON
//   <results>/<user>/data/cache/…             kept: equal sources of equal versions are fetched
//   once
//   <volume>/wm-data-<user>/…                 the same, on a storage volume
//   $TMPDIR/wm-data-<cluster>-<uid>-<job>      of a step before each task: goes with the job
#pragma once

#include <map>
#include <string>
#include <vector>

#include "daemons/wuserd/site/site.h"
#include "libwm/rest/data_sources.h"
#include "libwm/rest/exec_request.h"

namespace wm::user {

/// The label of an execution that says which job fetches its data.
inline constexpr const char* kDataLabel = "wm-data-job";

/// The program that fetches: beside us; hosts have it at the same place. @cost a look at /proc
std::string fetcher();

/// What an execution's job is given besides, once its data is on its way.
struct Staged {
  std::string depend;   ///< what it waits for, as bsub -w; empty: nothing
  std::string prelude;  ///< before each task's command
  bool operator==(const Staged&) const = default;
};

/// Begins to bring what the request's dataSource names; sets DATA_DIR and the label in the request.
/// Data of a shared project is its owner's to bring (member_data.h).
/// @errors as rest::data_wish, ask_for_data; NotFound: no such connection or volume; BadArgument: a
/// read-only volume; as submit
Result<Staged> stage_data(Site& site, rest::ExecRequest& request, const std::string& bundle);

/// How far the data of a job is, as JSON; "null": it wants none. @errors as find_job
Result<std::string> data_json(Site& site, const JobView& view);

/// Why an execution that is ERROR never had its data; empty: that is not why. @cost reads a file
std::string why_no_data(const Site& site, const JobView& view);

/// Ends the job that fetches, if it has not ended. @errors as Master::kill
Result<void> stop_fetching(Site& site, const JobView& exec);
/// The execution goes: its data need not be kept for it. Who cannot be told now keeps it.
void forget_data(Site& site, const JobView& exec);

/// Asks the server by a job of the user's. @errors NotFound; Unavailable: the server's own words,
/// or the job found no place in time and was ended; as submit   @cost blocks, up to 40 s
Result<void> test_connection(Site& site, const std::string& name);

}  // namespace wm::user
