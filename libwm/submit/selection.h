// Role: which jobs a command means: the options that select, shared by bjobs, bkill, bhist, bacct,
// bstop, bresume and bswitch. What changes jobs means, without a number, only the newest of those
// that fit; 0 stands for all of them. @source LSF bjobs, bkill (lsf-surface 3.3, 4)
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>

#include "libwm/base/result.h"
#include "libwm/client/master.h"
#include "libwm/model/verbs/acct.h"
#include "libwm/submit/options.h"

namespace wm::cmd {

/// The options by which commands that change jobs select them.
inline constexpr auto kSelecting = std::to_array<Option>({
    {"J", Option::Kind::Text, "name", "Jobs of this name; * at either end stands for anything",
     "Which jobs"},
    {"u", Option::Kind::Text, "user", "Jobs of this user, or of all"},
    {"q", Option::Kind::Text, "queue", "Jobs of this queue"},
    {"m", Option::Kind::Text, "host", "Jobs on this host"},
    {"P", Option::Kind::Text, "project", "Jobs of this project"},
    {"app", Option::Kind::Text, "profile", "Jobs of this application profile"},
    {"g", Option::Kind::Text, "/group", "Jobs of this job group and those below it"},
    {"sla", Option::Kind::Text, "class", "Jobs of this service class"},
});

/// A command's own options, and behind them those that select. @cost O(options)
template <std::size_t N>
constexpr std::array<Option, N + kSelecting.size()> with_selecting(const Option (&own)[N]) {
  std::array<Option, N + kSelecting.size()> all{};
  std::ranges::copy(kSelecting, std::ranges::copy(own, all.begin()).out);
  return all;
}

/// -J -u -q -m -P -app -g and the ids among the words into a selection of unfinished jobs;
/// the id 0 stands for all of the caller's.
/// @errors BadArgument: "x: Illegal job ID."
Result<JobSelection> select_jobs(const Parsed& options);

/// The same of what accounting keeps, with the ranges of -C -S -D. @errors BadArgument
Result<AcctRequest> select_records(const Parsed& options);

/// Has anything been selected: an id, 0, or one of the options. @cost O(1)
bool selects(const Parsed& options);

/// -stat run, pend or susp, in upper case as well, into the selection. @errors BadArgument
Result<void> select_state(const std::string& text, JobSelection& selection);

/// The job, or array, that was submitted last; nothing of none. @cost O(jobs)
std::optional<JobId> newest_of(std::span<const JobView> jobs);

/// `selection` for a command that changes jobs: as it is where there are numbers, or 0, among the
/// words, else the newest of its jobs.
/// @errors NotFound: it has none; as Master::jobs
Result<JobSelection> jobs_to_change(client::Master& master, const Parsed& options,
                                    JobSelection selection);

/// Signal by number or by name with or without SIG.
/// @errors BadArgument: "x: Signal not supported"
Result<int> parse_signal(const std::string& text);

}  // namespace wm::cmd
