// Verbs that wait for changes: Watch tells what becomes of jobs, Await when a condition is met.
#include "daemons/wmasterd/verbs/privacy.h"
#include "daemons/wmasterd/verbs/verbs.h"
#include "libwm/expr/depend.h"
#include "libwm/sched/demand/eligible.h"

namespace wm::master::verbs {
namespace {

// What bjobs would tell of it. False: nothing.
bool show(const InfoRule& info, const std::string& caller, JobChange& change) {
  auto shown = info(change.user == caller, change.queue);
  if (shown == JobInfo::Summary) change.name.clear();
  return shown != JobInfo::None;
}

WatchReply changes_for(const Service& service, const Identity& who, const WatchRequest& request) {
  auto reply = service.watchers.changes().since(request.after, [&](const JobChange& change) {
    return is_meant(request.filter, who.user, change);
  });
  if (reply.changes.empty()) return reply;
  auto info = info_for(service.journal.published().config, service.rights, who);
  std::erase_if(reply.changes, [&](JobChange& change) { return !show(info, who.user, change); });
  return reply;
}

AwaitReply stand_of(const Cluster& state, const expr::Depend& condition) {
  AwaitReply reply;
  reply.condition = condition.text();
  auto standings = sched::standings_of(state);
  auto verdict = condition.evaluate(standings);
  if (verdict == expr::Verdict::Met) reply.outcome = AwaitReply::Outcome::Met;
  if (verdict == expr::Verdict::Never) reply.outcome = AwaitReply::Outcome::Never;
  if (verdict != expr::Verdict::Met) reply.unmet = condition.unmet(standings);
  return reply;
}

Result<expr::Depend> condition_of(const Service& service, const Call& call,
                                  const std::string& text) {
  const Cluster& state = service.journal.published();
  WM_TRY(auto condition, expr::Depend::parse(text));
  if (condition.empty()) return fail(Code::BadArgument, "no condition is given");
  if (condition.by_element())
    return fail(Code::BadArgument, text + ": [*] means something in a job array only");
  WM_TRY(condition.resolve(
      [&](const std::string& name) { return jobs_named(state, call.caller(), name); }));
  for (JobId id : condition.jobs()) {
    const Job* job = job_or_base(state, id);
    if (!job || service.hides(call, job->spec()))
      return fail(Code::NotFound, named(id) + ": No matching job found");
  }
  return condition;
}

}  // namespace

void watch(Service& service, const Call& call, const WatchRequest& request) {
  if (!request.after) return call.reply(WatchReply{{}, service.journal.published().seq, false});
  // Equal questions of one user get equal answers.
  auto question = std::to_string(call.caller().uid) + "," + std::to_string(request.after.value) +
                  codec::encode(request);
  auto look = [&service, who = call.caller(), request, question](
                  bool over, Watchers::Made& made) -> std::optional<Result<std::string>> {
    if (auto known = made.find(question); known != made.end()) return known->second;
    auto reply = changes_for(service, who, request);
    if (reply.changes.empty() && !reply.missed && !over) return std::nullopt;
    return made.emplace(question, Call::encoded(reply)).first->second;
  };
  service.watchers.add(call, request.patience, std::move(look));
}

void await(Service& service, const Call& call, const AwaitRequest& request) {
  auto condition = condition_of(service, call, request.condition);
  if (!condition) return call.refuse(condition.error());
  auto look = [&service, condition = *std::move(condition)](
                  bool over, Watchers::Made&) -> std::optional<Result<std::string>> {
    auto reply = stand_of(service.journal.published(), condition);
    if (reply.outcome == AwaitReply::Outcome::NotYet && !over) return std::nullopt;
    return Call::encoded(reply);
  };
  service.watchers.add(call, request.patience, std::move(look));
}

}  // namespace wm::master::verbs
