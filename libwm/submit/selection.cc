// selection: what its header promises, smallest pieces first.
#include "libwm/submit/selection.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "libwm/base/clock.h"
#include "libwm/base/signals.h"
#include "libwm/submit/job_names.h"
#include "libwm/submit/times.h"

namespace wm::cmd {
Result<JobSelection> select_jobs(const Parsed& options) {
  JobSelection selection;
  std::vector<std::string> ids;
  std::copy_if(options.words.begin(), options.words.end(), std::back_inserter(ids),
               [](const std::string& word) { return word != "0"; });
  WM_TRY(selection.ids, parse_job_ids(ids));
  selection.name = options.first("J").value_or("");
  selection.user = options.first("u").value_or("");
  selection.queue = options.first("q").value_or("");
  selection.host = options.first("m").value_or("");
  selection.project = options.first("P").value_or("");
  selection.app = options.first("app").value_or("");
  selection.service_class = options.first("sla").value_or("");
  if (auto group = options.first("g")) {
    WM_TRY(selection.job_group, parse_job_group(*group));
  }
  return selection;
}

Result<AcctRequest> select_records(const Parsed& options) {
  struct Row {
    const char* option;
    WallTime *from, *to;
  };
  AcctRequest request;
  WM_TRY(request.jobs, select_jobs(options));
  request.jobs.reservation = options.first("U").value_or("");
  auto now = wall_now();
  for (const auto& row : {Row{"C", &request.ended_from, &request.ended_to},
                          Row{"S", &request.submitted_from, &request.submitted_to},
                          Row{"D", &request.dispatched_from, &request.dispatched_to}}) {
    auto text = options.first(row.option);
    if (!text) continue;
    WM_TRY(auto range, parse_range(*text, now));
    *row.from = range.from;
    *row.to = range.to;
  }
  return request;
}

bool selects(const Parsed& options) {
  for (auto name : {"J", "u", "q", "m", "P", "app", "g", "sla", "stat"})
    if (options.has(name)) return true;
  return !options.words.empty();
}

Result<void> select_state(const std::string& text, JobSelection& selection) {
  std::string state = text;
  std::transform(state.begin(), state.end(), state.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (state == "run") selection.running_only = true;
  else if (state == "pend") selection.pending_only = true;
  else if (state == "susp") selection.suspended_only = true;
  else
    return fail(Code::BadArgument, "-stat " + text + ": Bad argument, run, pend or susp is wanted");
  return {};
}

std::optional<JobId> newest_of(std::span<const JobView> jobs) {
  auto older = [](const JobView& a, const JobView& b) {
    return std::pair(a.job->times.submitted, a.id.job) <
           std::pair(b.job->times.submitted, b.id.job);
  };
  auto newest = std::max_element(jobs.begin(), jobs.end(), older);
  if (newest == jobs.end()) return std::nullopt;
  return JobId{newest->id.job, 0};
}

Result<JobSelection> jobs_to_change(client::Master& master, const Parsed& options,
                                    JobSelection selection) {
  if (!options.words.empty()) return selection;
  WM_TRY(auto reply, master.ask(JobsRequest{selection}));
  auto newest = newest_of(reply.jobs);
  if (!newest) return fail(Code::NotFound, "No matching job found");
  selection.ids = {*newest};
  return selection;
}

Result<int> parse_signal(const std::string& text) {
  if (auto number = signal_number(text)) return *number;
  return fail(Code::BadArgument, text + ": Signal not supported");
}

}  // namespace wm::cmd
