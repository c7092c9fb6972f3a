// Role: what a run has left on disk, as a page lists it: results, models, checkpoints, logs, code,
// with their sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "daemons/wuserd/site/site.h"
#include "libwm/model/verbs/run_verbs.h"

namespace wm::user {

/// A file below a folder of a run.
struct RunFile {
  std::string path;  ///< below the folder; of an array's element "[3]/…" before it
  std::string kind;  ///< checkpoint, model, log, code, metrics, result
  std::uint64_t size = 0;
  std::int64_t time = 0;  ///< of its last change, in seconds
};

/// The largest first; sums are of all that were looked at.
struct RunFiles {
  std::vector<RunFile> files;
  std::uint64_t count = 0, bytes = 0;
  bool complete = true;  ///< false: there are more files than are looked at
};

/// Where a job has written: its own folder, and those of its groups. `job` may be an execution's
/// view, which is its first group's under the id of the whole. Empty: it has none. @cost O(groups)
struct ResultFolder {
  JobId of;
  std::string path;
};
std::vector<ResultFolder> result_folders(const JobView& job);

/// A folder, and what its files' paths begin with.
struct RunFolder {
  std::string prefix, path;
};
/// Those in which a run wrote: of each part its own, and those of its groups. @cost O(parts)
std::vector<RunFolder> folders_of(const RunView& run);

/// At most `most` of them, of at most 200,000 that are looked at; links are not followed.
/// @cost a stat a file
RunFiles files_in(const std::vector<RunFolder>& folders, std::size_t most);
/// What a file is, by its path below the folder. @cost O(length)
std::string kind_of_file(const std::string& path);
/// {"files":[…],"count":n,"bytes":n,"complete":…}. @cost O(files)
std::string run_files_json(const RunFiles& found);

}  // namespace wm::user
