#include "daemons/wuserd/execs/end.h"

#include <chrono>
#include <filesystem>
#include <thread>

#include "daemons/wuserd/data/staging.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/jobs/run_files.h"
#include "daemons/wuserd/jobs/runs.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr int kLooksForEnd = 150;
constexpr auto kBetweenEndLooks = std::chrono::milliseconds(100);

Result<void> wait_for_end(Site& site, const JobView& exec) {
  for (int i = 0; i < kLooksForEnd; ++i) {
    auto view = job_of(site, exec.id);
    if (!view && view.error().code == Code::NotFound) return {};
    if (!view) return view.error();
    if (is_over(view->job->state)) return {};
    std::this_thread::sleep_for(kBetweenEndLooks);
  }
  return fail(Code::Conflict, "its job has not ended yet, try again");
}

}  // namespace

Result<void> stop_exec(Site& site, const JobView& exec) {
  {
    WM_TRY(auto master, site.masters.take());
    KillRequest request;
    request.jobs.ids = {exec.id};
    request.reason = "stopped at the web door";
    WM_TRY(auto reply, master->ask(request));
    for (const auto& outcome : reply.jobs)
      if (outcome.code != 0) return fail(static_cast<Code>(outcome.code), outcome.text);
  }
  // After it: who waits for a fetch that fails is ended for that reason, which nobody has stopped.
  return stop_fetching(site, exec);
}

Result<void> remove_results(Site& site, const JobView& job) {
  for (const auto& [of, path] : result_folders(job)) {
    std::error_code ec, none;
    auto link = fs::path(path).parent_path() / exec_id(site.conf.name, of);
    fs::remove_all(path, ec);
    if (ec) return fail(Code::System, path + ": " + ec.message());
    if (fs::is_symlink(link, none)) fs::remove(link, none);
    site.results.removed();
  }
  return {};
}

// First what nobody could find again, then the record. Of an element the code serves the others.
Result<void> delete_exec(Site& site, const JobView& exec) {
  if (!is_over(exec.job->state)) {
    WM_TRY(stop_exec(site, exec));
    WM_TRY(wait_for_end(site, exec));
  }
  WM_TRY(remove_results(site, exec));
  if (exec.id.index == 0) {
    forget_data(site, exec);
    WM_TRY(site.records.remove_files(exec.job->spec().exec.bundle));
  }
  return delete_record(site, exec.id);
}

}  // namespace wm::user
