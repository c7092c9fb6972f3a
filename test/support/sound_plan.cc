#include "test/support/sound_plan.h"

#include <map>
#include <string>
#include <string_view>

#include "libwm/sched/admit.h"

namespace wm::test {
namespace {

Error unsound(JobId job, const std::string& why) {
  return fail(Code::Damaged, "the plan, job " + to_string(job) + ": " + why);
}

// The job of a piece; of an element that is not made yet, its base.
const Job* job_of_piece(const Cluster& state, JobId id) {
  const Job* job = find_job(state, id);
  return job ? job : state.jobs.find(id.job);
}

Result<void> check_starts(const Cluster& state, const sched::Plan& plan) {
  for (const auto& piece : plan.starts) {
    const Job* job = job_of_piece(state, piece.job);
    bool waits = job && (job->state == JobState::Pending || job->state == JobState::Array);
    if (!waits) return unsound(piece.job, "starts, but does not wait");
    if (piece.tasks.empty()) return unsound(piece.job, "starts without a task");
  }
  return {};
}

template <class Pieces>
Result<void> check_running(const Cluster& state, const Pieces& pieces, const char* what) {
  for (const auto& piece : pieces) {
    const Job* job = find_job(state, piece.job);
    if (!job || is_over(job->state) || job->attempt != piece.attempt)
      return unsound(piece.job, std::string(what) + ", but that attempt is over");
  }
  return {};
}

// A job that is not above its target may give a task to clear a newcomer's first host, or to come
// together, and get another one in the same pass.
Result<void> check_once(const sched::Plan& plan) {
  std::map<JobId, std::string> seen;
  Result<void> sound;
  auto note = [&](const auto& pieces, const char* what) {
    for (const auto& piece : pieces) {
      auto [before, is_new] = seen.try_emplace(piece.job, what);
      bool moves = before->second == "grows" && std::string_view(what) == "shrinks";
      if (!is_new && !moves && sound) sound = unsound(piece.job, before->second + " and " + what);
    }
  };
  note(plan.starts, "starts");
  note(plan.grows, "grows");
  note(plan.shrinks, "shrinks");
  note(plan.preempts, "makes way");
  note(plan.resumes, "goes on");
  note(plan.waiting, "waits");
  return sound;
}

Result<void> check_reasons(const sched::Plan& plan) {
  for (const auto& waiting : plan.waiting)
    if (!waiting.reasons || waiting.reasons->empty() || waiting.reasons->front().text.empty())
      return unsound(waiting.job, "waits without a reason");
  return {};
}

// Nothing has happened since it was made.
Result<void> check_admitted(const Cluster& state, const sched::Plan& plan) {
  auto admitted = sched::admit(state, plan);
  auto lost = [](const auto& all, const auto& kept) -> const JobId* {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i == kept.size() || !(kept[i].job == all[i].job)) return &all[i].job;
    return nullptr;
  };
  for (const JobId* job : {lost(plan.starts, admitted.starts), lost(plan.grows, admitted.grows),
                           lost(plan.shrinks, admitted.shrinks)})
    if (job) return unsound(*job, "the state that it was made of does not allow it");
  return {};
}

}  // namespace

Result<void> check_plan(const Cluster& state, const sched::Plan& plan) {
  WM_TRY(check_once(plan));
  WM_TRY(check_starts(state, plan));
  WM_TRY(check_running(state, plan.grows, "grows"));
  WM_TRY(check_running(state, plan.shrinks, "shrinks"));
  WM_TRY(check_running(state, plan.preempts, "makes way"));
  WM_TRY(check_running(state, plan.resumes, "goes on"));
  WM_TRY(check_reasons(plan));
  return check_admitted(state, plan);
}

}  // namespace wm::test
