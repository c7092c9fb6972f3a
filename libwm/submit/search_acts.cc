#include "libwm/submit/search_acts.h"

#include <unistd.h>

namespace wm::cmd {
namespace {

constexpr const char* kStopped = "its search was stopped";  // why a trial was ended

bool is_own(const JobView& view) { return view.job->spec().owner.uid == ::getuid(); }

Result<void> no_refusal(const Result<OutcomeReply>& reply) {
  if (!reply) return reply.error();
  for (const auto& outcome : reply->jobs)
    if (outcome.code != 0) return fail(static_cast<Code>(outcome.code), outcome.text);
  return {};
}

Error refusal(const rest::SearchTask& task, const std::string& why) {
  return fail(Code::BadArgument, "Model tuning " + task.name + " " + why);
}

// What is done to the optimizer with its search.
enum class Optimizer : std::uint8_t { Hold, Release, End };

// One that is over, or that is so already, stays as it is.
void tell_optimizer(client::Master& master, const rest::SearchTask& task, Optimizer what) {
  if (!rest::has_plugin(task)) return;
  auto found = optimizers_of(master, task.job);
  if (!found || found->empty() || is_over(found->front().job->state)) return;
  auto id = found->front().id;
  if (what == Optimizer::End) {
    KillRequest request;
    request.jobs.ids = {id};
    request.reason = "its search was ended";
    (void)master.ask(request);
  } else if (what == Optimizer::Hold) {
    RequeueRequest request;
    request.jobs.ids = {id};
    request.hold = true;
    (void)master.ask(request);
  } else {
    ReleaseRequest request;
    request.jobs.ids = {id};
    (void)master.ask(request);
  }
}

// What the archive kept of what its elements were given.
GiveReply given_of(RunView& run) {
  GiveReply given;
  given.given = run.facts.elements;
  given.closed = run.facts.closed;
  given.data = std::move(run.facts.given);
  return given;
}

// Those that live now: what was given between two questions ends as well.
Result<std::vector<JobId>> live_now(client::Master& master, JobId search) {
  JobsRequest request;
  request.jobs.ids = {search};
  WM_TRY(auto reply, master.ask(request));
  std::vector<JobId> ids;
  for (const auto& view : reply.jobs)
    if (view.id.index != 0 && !is_over(view.job->state)) ids.push_back(view.id);
  return ids;
}

// Trials that were under way when their search was stopped.
std::vector<JobId> ended_by_stop(const rest::SearchTask& task) {
  std::vector<JobId> ids;
  for (const auto& trial : task.trials)
    if (trial.state == JobState::Killed && trial.why == kStopped) ids.push_back(trial.id);
  return ids;
}

}  // namespace

Result<GiveReply> given_to(client::Master& master, JobId job) {
  GiveReply whole;
  for (;;) {
    GiveRequest request{.job = {job.job, 0}};
    request.tell_from = static_cast<std::uint32_t>(whole.data.size()) + 1;
    WM_TRY(auto reply, master.ask(request));
    whole.given = reply.given;
    whole.closed = reply.closed;
    if (reply.data.empty()) return whole;
    whole.data.insert(whole.data.end(), reply.data.begin(), reply.data.end());
    if (whole.data.size() >= whole.given) return whole;
  }
}

Result<std::vector<rest::SearchTask>> searches_of(client::Master& master, RunQuery query) {
  RunsRequest request;
  request.query = std::move(query);
  request.query.search = true;
  request.whole = true;
  std::vector<rest::SearchTask> tasks;
  do {
    WM_TRY(auto reply, master.ask(request));
    for (auto& run : reply.runs) {
      if (run.parts.empty() || !is_own(run.parts.front())) continue;
      auto given =
          run.facts.kept ? Result<GiveReply>(given_of(run)) : given_to(master, {run.facts.job, 0});
      if (!given && given.error().code == Code::NotFound) continue;  // it was deleted in between
      if (!given) return given.error();
      tasks.push_back(rest::search_task(run.parts, *given));
      if (!rest::has_plugin(tasks.back())) continue;
      WM_TRY(auto found, optimizers_of(master, tasks.back().job));
      rest::add_optimizer(tasks.back(), found.empty() ? nullptr : &found.front(), "");
    }
    (request.query.oldest_first ? request.query.from : request.query.to) = reply.next;
  } while ((request.query.oldest_first ? request.query.from : request.query.to) != 0);
  return tasks;
}

// The newest first.
Result<std::vector<JobView>> optimizers_of(client::Master& master, JobId search) {
  RunsRequest request;
  request.query.name = rest::optimizer_name(search);
  WM_TRY(auto reply, master.ask(request));
  std::vector<JobView> found;
  for (auto& run : reply.runs)
    if (!run.parts.empty() && is_own(run.parts.front())) found.push_back(run.parts.front());
  return found;
}

std::vector<JobId> live_trials(const rest::SearchTask& task) {
  std::vector<JobId> ids;
  for (const auto& trial : task.trials)
    if (!is_over(trial.state)) ids.push_back(trial.id);
  return ids;
}

bool search_is_over(const rest::SearchTask& task) {
  auto state = rest::tuning_state(task);
  return task.killed || state == "FINISHED" || state == "FAILED";
}

Result<void> hold_search(client::Master& master, const rest::SearchTask& task, bool kill) {
  if (search_is_over(task) || (task.held && (!kill || live_trials(task).empty())))
    return refusal(task, "is already stopped.");
  tell_optimizer(master, task, Optimizer::Hold);
  if (!task.held && !task.closed) {
    ReleaseRequest request;
    request.jobs.ids = {task.job};
    request.hold = true;
    auto held = no_refusal(master.ask(request));
    if (!held && held.error().code != Code::Conflict) return held;
  }
  if (!kill) return {};
  WM_TRY(auto live, live_now(master, task.job));
  if (live.empty()) return {};
  KillRequest request;
  request.jobs.ids = live;
  request.reason = kStopped;
  (void)master.ask(request);  // those that have ended meanwhile are refused
  return {};
}

// What the stop ended is run after all, with the settings that it had: it was never tried.
Result<void> release_search(client::Master& master, const rest::SearchTask& task) {
  auto again = ended_by_stop(task);
  if (task.killed) return refusal(task, "was ended: start a new one.");
  if (search_is_over(task) && again.empty()) return refusal(task, "is finished.");
  if (!task.held && again.empty()) return refusal(task, "is running.");
  if (task.held) {
    ReleaseRequest request;
    request.jobs.ids = {task.job};
    WM_TRY(no_refusal(master.ask(request)));
  }
  if (!again.empty()) {
    RequeueRequest request;
    request.jobs.ids = std::move(again);
    request.exited = true;
    WM_TRY(no_refusal(master.ask(request)));
  }
  tell_optimizer(master, task, Optimizer::Release);
  return {};
}

Result<void> end_search(client::Master& master, const rest::SearchTask& task) {
  bool stopped = task.held && live_trials(task).empty();
  if (!search_is_over(task) && !stopped)
    return fail(Code::Conflict, "search " + task.name + " is in use: stop it first");
  if ((!stopped && !task.lost) || task.closed) return {};
  KillRequest request;
  request.jobs.ids = {task.job};
  request.reason = "its search was deleted";
  tell_optimizer(master, task, Optimizer::End);
  return no_refusal(master.ask(request));
}

std::string mark_of_search(JobId job) { return "search-" + std::to_string(job.job); }

}  // namespace wm::cmd
