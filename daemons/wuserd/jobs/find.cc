#include "daemons/wuserd/jobs/find.h"

#include <unistd.h>

#include <algorithm>

#include "daemons/wuserd/jobs/runs.h"

namespace wm::user {
namespace {

Error unknown_exec(const std::string& id) {
  return fail(Code::NotFound, "execution " + id + " does not exist");
}

// What was asked of the whole job: what a group runs under names no groups.
bool has_groups(const JobView& view) { return !view.job->sealed->spec.groups.empty(); }

// The state of a job, from the states of its groups.
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

// The driver is the first of the workers where it is a group of its own: what they are together is
// what the job is.
void add_workers(JobView& view, Job& job, const std::vector<JobView>& groups) {
  bool known = job.alternative != 0 && job.alternative <= job.sealed->alternatives.size();
  if (!rest::has_driver(view) || groups.size() < 2 || !known) return;
  const auto& workers = groups[1];
  auto sealed = std::make_shared<SealedSpec>(*job.sealed);
  auto& spec = sealed->alternatives[job.alternative - 1];
  spec.min_tasks += workers.job->spec().min_tasks;
  spec.max_tasks += workers.job->spec().max_tasks;
  job.sealed = std::move(sealed);
  view.task_hosts.resize(job.tasks.size());
  auto before = static_cast<std::uint32_t>(job.tasks.size());
  for (auto task : workers.job->tasks) {
    task.number.value += before;
    job.tasks.push_back(std::move(task));
  }
  view.task_hosts.insert(view.task_hosts.end(), workers.task_hosts.begin(),
                         workers.task_hosts.end());
}

// The elements that are the groups of one job, as that job; its size is the workers', and how it
// ended the one says that decided it.
JobView as_one(const std::vector<JobView>& groups) {
  auto view = groups.front();
  auto job = std::make_shared<Job>(*view.job);
  job->state = state_of(groups);
  for (const auto& group : groups)
    if (group.job->state == job->state && job->state == JobState::Failed) {
      job->outcome = group.job->outcome;
      break;
    }
  add_workers(view, *job, groups);
  view.job = std::move(job);
  auto element = "." + std::to_string(view.id.index);
  if (view.id.index != 0 && view.result_dir.ends_with(element))
    view.result_dir.resize(view.result_dir.size() - element.size());
  view.id.index = 0;
  return view;
}

// The one that an id means; of several groups the whole.
JobView part_of(const std::vector<JobView>& views, JobId id) {
  return id.index == 0 && has_groups(views.front()) ? as_one(views) : views.front();
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

// An execution of this user's that is not deleted; of a search its trials are some.
bool is_shown(Site& site, const JobView& view) {
  bool search = !view.job->spec().exec.search.empty() && view.id.index == 0;
  return is_own(view) && rest::is_execution(view) && !search &&
         !site.records.is_deleted(view.job->spec().exec.bundle);
}

// Beside executions: what is no array as a whole, of which the elements are shown.
bool is_app(Site& site, const JobView& view) {
  if (is_own(view) && rest::is_execution(view)) return is_shown(site, view);
  bool whole_array = view.job->state == JobState::Array && !has_groups(view);
  return !whole_array;
}

}  // namespace

bool is_own(const JobView& view) { return view.job->spec().owner.uid == ::getuid(); }

std::vector<JobState> live_states() {
  return {JobState::Held,      JobState::Pending, JobState::Launching, JobState::Running,
          JobState::Suspended, JobState::Unknown, JobState::Array};
}

Result<JobView> job_of(Site& site, JobId id) {
  WM_TRY(auto master, site.masters.take());
  JobsRequest request;
  request.jobs.ids = {id};
  WM_TRY(auto reply, master->ask(request));
  if (!reply.jobs.empty()) return part_of(reply.jobs, id);
  // What the master has forgotten its archive keeps.
  WM_TRY(auto run, run_of(site, id.job));
  auto none = fail(Code::NotFound, "job " + to_string(id) + " does not exist");
  if (!run || run->parts.empty()) return none;
  if (id.index) std::erase_if(run->parts, [&](const JobView& view) { return view.id != id; });
  return run->parts.empty() ? Result<JobView>(none) : part_of(run->parts, id);
}

Result<JobView> find_job(Site& site, const std::string& id) {
  auto job = rest::parse_exec_id(site.conf.name, id);
  if (!job) job = parse_job_id(id);  // as lists name an element: "12[3]"
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

Result<void> each_exec(Site& site, const RunQuery& query,
                       const std::function<bool(JobView&)>& visit) {
  RunsRequest request;
  request.query = query;
  request.query.executions = true;
  request.whole = true;
  return each_run(site, request, [&](RunView& run) {
    auto& views = run.parts;
    std::erase_if(views, [&](const JobView& view) { return !is_shown(site, view); });
    fold_groups(views);
    if (!query.oldest_first) std::reverse(views.begin(), views.end());
    return std::all_of(views.begin(), views.end(), visit);
  });
}

Result<std::vector<JobView>> all_execs(Site& site) {
  std::vector<JobView> execs;
  WM_TRY(each_exec(site, {}, [&](JobView& exec) {
    execs.push_back(std::move(exec));
    return true;
  }));
  return execs;
}

Result<void> each_app(Site& site, RunQuery query, const std::function<bool(JobView&)>& visit) {
  RunsRequest request;
  request.query = std::move(query);
  if (request.query.user.empty()) request.query.user = "all";
  request.whole = true;
  return each_run(site, request, [&](RunView& run) {
    auto& views = run.parts;
    std::erase_if(views, [&](const JobView& view) { return !is_app(site, view); });
    fold_groups(views);
    std::ranges::sort(views, [](const JobView& a, const JobView& b) { return b.id < a.id; });
    return std::all_of(views.begin(), views.end(), visit);
  });
}

Result<JobView> find_app(Site& site, const std::string& id) {
  auto none = fail(Code::NotFound, "application " + id + " does not exist");
  auto job = rest::parse_exec_id(site.conf.name, id);
  if (!job) return none;
  auto view = job_of(site, *job);
  if (!view && view.error().code != Code::NotFound) return view.error();
  if (!view || !is_app(site, *view)) return none;
  return view;
}

}  // namespace wm::user
