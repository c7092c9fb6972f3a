#include "daemons/wuserd/jobs/find.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "daemons/wuserd/data/staging.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

constexpr int kLooksForEnd = 150;
constexpr auto kBetweenEndLooks = std::chrono::milliseconds(100);

Error unknown_exec(const std::string& id) {
  return fail(Code::NotFound, "execution " + id + " does not exist");
}

// What was asked of the whole job: what a group runs under names no groups.
bool has_groups(const JobView& view) { return !view.job->sealed->spec.groups.empty(); }

// How a job stands whose groups stand so.
JobState state_of(const std::vector<JobView>& groups) {
  auto any = [&](std::initializer_list<JobState> states) {
    return std::any_of(groups.begin(), groups.end(), [&](const JobView& view) {
      return std::find(states.begin(), states.end(), view.job->state) != states.end();
    });
  };
  bool over = std::all_of(groups.begin(), groups.end(),
                          [](const JobView& view) { return is_over(view.job->state); });
  if (over && any({JobState::Failed, JobState::Error})) return JobState::Failed;
  if (over) return any({JobState::Killed}) ? JobState::Killed : JobState::Finished;
  if (any({JobState::Running, JobState::Unknown, JobState::Suspended})) return JobState::Running;
  return any({JobState::Held}) ? JobState::Held : JobState::Pending;
}

// The elements that are the groups of one job, as that job; its size is the first one's, the
// workers.
JobView as_one(const std::vector<JobView>& groups) {
  auto view = groups.front();
  auto job = std::make_shared<Job>(*view.job);
  job->state = state_of(groups);
  view.job = std::move(job);
  auto element = "." + std::to_string(view.id.index);
  if (view.id.index != 0 && view.result_dir.ends_with(element))
    view.result_dir.resize(view.result_dir.size() - element.size());
  view.id.index = 0;
  return view;
}

// Lists have such a job once. The order stays.
void fold_groups(std::vector<JobView>& views) {
  std::vector<JobView> folded;
  for (std::size_t i = 0; i < views.size();) {
    auto end = i + 1;
    if (has_groups(views[i]))
      while (end < views.size() && views[end].id.job == views[i].id.job) ++end;
    if (has_groups(views[i]))
      folded.push_back(as_one({views.begin() + static_cast<std::ptrdiff_t>(i),
                               views.begin() + static_cast<std::ptrdiff_t>(end)}));
    else folded.push_back(std::move(views[i]));
    i = end;
  }
  views = std::move(folded);
}

Result<JobView> job_of(Site& site, JobId id) {
  WM_TRY(auto master, site.masters.take());
  JobsRequest request;
  request.jobs.ids = {id};
  WM_TRY(auto reply, master->jobs(request));
  if (reply.jobs.empty()) return fail(Code::NotFound, "job " + to_string(id) + " does not exist");
  if (id.index == 0 && has_groups(reply.jobs.front())) return as_one(reply.jobs);
  return reply.jobs.front();
}

// An execution of this user's that he has not deleted; of a search its trials are some.
bool is_shown(Site& site, const JobView& view) {
  bool search = !view.job->spec().exec.search.empty() && view.id.index == 0;
  return is_own(view) && rest::is_execution(view) && !search &&
         !site.records.is_deleted(view.job->spec().exec.bundle);
}

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

bool is_own(const JobView& view) { return view.job->spec().owner.uid == ::getuid(); }

Result<JobView> find_job(Site& site, const std::string& id) {
  auto job = rest::parse_exec_id(site.conf.name, id);
  if (!job) return fail(Code::NotFound, "job " + id + " does not exist");
  return job_of(site, *job);
}

Result<JobView> find_own_job(Site& site, const std::string& id) {
  WM_TRY(auto view, find_job(site, id));
  if (!is_own(view)) return fail(Code::NotFound, "job " + id + " does not exist");
  return view;
}

Result<JobView> find_exec(Site& site, const std::string& id) {
  auto job = rest::parse_exec_id(site.conf.name, id);
  if (!job) return unknown_exec(id);
  auto view = job_of(site, *job);
  if (!view && view.error().code == Code::NotFound) return unknown_exec(id);
  if (!view) return view.error();
  if (!is_shown(site, *view)) return unknown_exec(id);
  return view;
}

Result<std::vector<JobView>> all_execs(Site& site) {
  WM_TRY(auto master, site.masters.take());
  JobsRequest request;
  request.jobs.finished = true;
  WM_TRY(auto reply, master->jobs(request));
  std::erase_if(reply.jobs, [&](const JobView& view) { return !is_shown(site, view); });
  fold_groups(reply.jobs);
  std::sort(reply.jobs.begin(), reply.jobs.end(),
            [](const JobView& a, const JobView& b) { return b.id < a.id; });
  return std::move(reply.jobs);
}

Result<void> stop_exec(Site& site, const JobView& exec) {
  WM_TRY(stop_fetching(site, exec));
  WM_TRY(auto master, site.masters.take());
  KillRequest request;
  request.jobs.ids = {exec.id};
  request.reason = "stopped at the web door";
  WM_TRY(auto reply, master->kill(request));
  for (const auto& outcome : reply.jobs)
    if (outcome.code != 0) return fail(static_cast<Code>(outcome.code), outcome.text);
  return {};
}

Result<void> delete_exec(Site& site, const JobView& exec) {
  if (!is_over(exec.job->state)) {
    WM_TRY(stop_exec(site, exec));
    WM_TRY(wait_for_end(site, exec));
  }
  std::error_code ec;
  if (!exec.result_dir.empty()) fs::remove_all(exec.result_dir, ec);
  auto groups = exec.id.index == 0 ? exec.job->sealed->spec.groups.size() : 0;
  for (std::size_t n = 1; n <= groups && !ec && !exec.result_dir.empty(); ++n)
    fs::remove_all(exec.result_dir + "." + std::to_string(n), ec);
  if (ec) return fail(Code::System, exec.result_dir + ": " + ec.message());
  return site.records.mark_deleted(exec.job->spec().exec.bundle);
}

}  // namespace wm::user
