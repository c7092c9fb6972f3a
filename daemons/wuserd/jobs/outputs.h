// Role: what executions leave behind: logs of their workers, and the zip of their results.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "daemons/wuserd/jobs/find.h"

namespace wm::user {

/// The last `most` bytes of a regular file; none can be read: "". @cost O(most)
std::string output_end(const std::string& path, off_t most);

/// Sends a regular file as long as it is now. @errors Denied: it is none; System; as
/// Exchange::write
Result<void> send_whole_file(http::Exchange& exchange, const std::string& path,
                             const std::string& type);

/// A log that is known already, as send_logs would send it. @cost O(text)
http::Reply log_reply(const http::Head& head, const std::string& text);

/// Sends the output of all workers, one after another. `type`: outlog, errlog, outerrlog. It is
/// text, or one string of JSON where the client takes JSON and no text.
/// @errors BadArgument: another type
Result<void> send_logs(Call& call, const JobView& exec, const std::string& type);

/// Sends the zip of its results. @errors NotFound: there are none; System
Result<void> send_results(Call& call, const JobView& job);

/// {"workers":[{"task","stdout","stderr"},…]}: sizes of what each worker wrote. @cost a stat each
std::string logs_json(const std::string& result_dir);

/// Sends a part of what a worker wrote: with ?tail=N the last N bytes, else from ?from=N on, with
/// ?most=N no more than that. The fields X-Offset and X-Size say where the part begins, and how
/// long the file is.
/// @errors BadArgument: no number; NotFound: no such worker or stream
Result<void> send_log_part(Call& call, const std::string& result_dir, const std::string& worker,
                           const std::string& stream);

/// The end of what the n-th worker wrote, counted from 1: stdout, stderr, or launcherlog, the job's
/// own report. 16 MiB at most; "": it has not started. @errors NotFound: another kind, or number 0
Result<std::string> log_text(const std::string& result_dir, std::size_t worker,
                             const std::string& kind);

/// What a worker writes.
struct WorkerFolder {
  std::uint32_t number = 0;
  std::string folder;
};
/// Tasks of a job; of one with groups those of its elements, counted through. @cost a listing
std::vector<WorkerFolder> workers_of(const std::string& result_dir);

}  // namespace wm::user
