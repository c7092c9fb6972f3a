// Role: the output of all workers of a run at once: looked through to the end of every file, and
// the newest of each side by side, for a page that shows them as one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/rest/log_lines.h"

namespace wm::user {

/// Past these a page shows the first of them, and says how many are left out.
inline constexpr std::size_t kMostMergedWorkers = 256;

/// {"matches":[{task,stream,at,line,text}],"count":…,"complete":…}: lines of all workers' files
/// that are looked for. Ends when `until` is past; complete says whether it came to the end.
/// @cost reads the files, 1 GiB at most
std::string found_lines_json(const std::string& result_dir, const rest::LineWish& wish,
                             TimePoint until);

/// What a page has of the files already.
struct MergedWish {
  std::uint64_t tail = 8192;        ///< bytes of each file that is new to it
  std::vector<std::uint64_t> have;  ///< bytes of each part of the answer before, in its order
};
/// ?tail=N&have=1,2,3. @errors BadArgument: no numbers, a tail beyond 1 MiB
Result<MergedWish> merged_wish(const std::string& tail, const std::string& have);

/// {"parts":[{task,stream,from,to,size,changed,text}],"left_out":…}: of each file, whole lines.
/// @cost reads what is new
std::string merged_json(const std::string& result_dir, const MergedWish& wish);

}  // namespace wm::user
