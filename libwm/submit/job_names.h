// Role: how users name jobs: array names on submission, ids and index lists afterwards.
//   bsub -J "sweep[1-10:2,20]%3"     bkill 123 "123[4]" "123[1-5,8]"
// Used by bsub and by every command that takes job ids.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/model/job.h"

namespace wm::cmd {

/// What -J asks for.
struct JobName {
  std::string name;
  std::vector<IndexRange> array;  ///< empty: no array; no index is in two of them
  std::uint32_t limit = 0;        ///< %N; 0: none
  bool operator==(const JobName&) const = default;
};

/// Reads -J.
/// @errors BadArgument: "Bad job name", "Job array index error" (LSF's words) naming the text
/// @cost O(length)
Result<JobName> parse_job_name(std::string_view text);

/// Reads ids as commands take them; an index list becomes one id per element.
/// @errors BadArgument: "x: Illegal job ID."; Limit: more than 100,000 ids
/// @cost O(ids)
Result<std::vector<JobId>> parse_job_ids(std::span<const std::string> words);

/// The path of a job group: "/", or names behind slashes, without a '/' at the end.
/// @errors BadArgument: in LSF's words   @cost O(length)
Result<std::string> parse_job_group(const std::string& text);

}  // namespace wm::cmd
