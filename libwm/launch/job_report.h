// Role: the report block at the end of a job's -o file, in the layout that clients parse.
// Pure: head and end in, text out. Called by the shepherd's user part.
// Invariant: "Resource usage summary:" stands within the last 30 lines, one blank line below
// the verdict ("Successfully completed." or "Exited with exit code N.").
#pragma once

#include <string>

#include "libwm/launch/launcher.h"

namespace wm::launch {

/// How the job ended here, for the report.
struct ReportEnd {
  AttemptKey key;
  std::int32_t status = 0;  ///< as wait(2)
  std::string term;         ///< "TERM_RUNLIMIT: job killed after reaching …"; empty: none
  WallTime started{}, ended{}, reported{};
  wm::Usage usage;
  Bytes mean_mem{-1};  ///< resident, over time; negative: it was too short to be looked at
  std::string note;    ///< a line that stands before the verdict; empty: none
};

/// The block, first line to last, times in local time.
/// @source LSF's job report as clients read it (Sender, Subject, "Your job looked like",
///   "Resource usage summary:"), direct-output form: the block follows the output
/// @cost O(text)
std::string job_report(const ReportHead& head, const ReportEnd& end);

/// The same as a mail, headers first; what `head.mailed` holds, up to a megabyte of each file, is
/// to follow. Of output that went to a file (bsub -N) the file is named instead.
/// @source RFC 5322; LSF mails the output of jobs without -o   @cost O(text)
std::string job_mail(const ReportHead& head, const ReportEnd& end);

/// The mail that the job has started. @source LSF bsub -B   @cost O(text)
std::string start_mail(const ReportHead& head, JobId job, WallTime started);

}  // namespace wm::launch
