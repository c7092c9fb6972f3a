#include "daemons/wuserd/jobs/runs.h"

namespace wm::user {

Result<RunsReply> runs_page(Site& site, const RunsRequest& request) {
  WM_TRY(auto master, site.masters.take());
  return master->ask(request);
}

Result<std::optional<RunView>> run_of(Site& site, std::uint32_t job) {
  RunsRequest request;
  request.query.jobs = {job};
  request.query.user = "all";
  request.whole = true;
  WM_TRY(auto reply, runs_page(site, request));
  if (reply.runs.empty()) return std::optional<RunView>();
  return std::optional(std::move(reply.runs.front()));
}

Result<void> each_run(Site& site, RunsRequest request, const std::function<bool(RunView&)>& visit) {
  for (;;) {
    WM_TRY(auto reply, runs_page(site, request));
    for (auto& run : reply.runs)
      if (!visit(run)) return {};
    if (reply.next == 0) return {};
    (request.query.oldest_first ? request.query.from : request.query.to) = reply.next;
  }
}

Result<void> delete_record(Site& site, JobId run) {
  WM_TRY(auto master, site.masters.take());
  DeleteRunsRequest request;
  request.runs = {run};
  WM_TRY(auto reply, master->ask(request));
  for (const auto& outcome : reply.jobs)
    if (outcome.code != 0) return fail(static_cast<Code>(outcome.code), outcome.text);
  return {};
}

}  // namespace wm::user
