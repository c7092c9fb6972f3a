#include "daemons/wnoded/agent_talk.h"

#include "libwm/elastic/agent_change.h"
#include "libwm/launch/warm.h"

namespace wm::node {

bool AgentTalk::admits(const launch::AttemptKey& key, std::uint32_t uid) const {
  const auto* attempt = attempts_.find(key);
  return attempt && attempt->account && attempt->account->uid == uid;
}

void AgentTalk::on_report(const launch::AttemptKey& key, const AgentReport& report) {
  auto* attempt = attempts_.find(key);
  if (!attempt) return;
  for (const auto& told : attempt->agent.flow.say(report, host_.env.mono())) hear(*attempt, told);
}

void AgentTalk::hear(LocalAttempt& attempt, const AgentReport& report) {
  if (std::get_if<JobProgress>(&report.fact)) return reporter_.pass_on(report);
  // What its agent read before is older, however late it comes.
  if (std::get_if<TrialSaid>(&report.fact) && attempt.reported) return;
  if (std::get_if<WorkerSeen>(&report.fact)) {
    attempt.order.team.in_place = true;
    if (auto warm = launch::plan_warm(attempt.order, host_.facts))
      host_.env.launcher().tell(attempt.key, *warm);
  }
  if (auto* up = std::get_if<AgentUp>(&report.fact)) on_up(attempt, *up);
  reporter_.say(attempt, report);
  // What starts behind the agent's doors ends after this report, and is told after it.
  if (std::get_if<AgentUp>(&report.fact)) host_.env.tell_agent(attempt.key, NodeHeartbeat{seen_});
}

void AgentTalk::on_up(LocalAttempt& attempt, const AgentUp& up) {
  auto& env = host_.env;
  attempt.agent.address = up.address;
  attempt.agent.doors = up.doors;
  if (attempt.agent.order) env.tell_agent(attempt.key, *attempt.agent.order);
  for (const auto& [number, task] : attempt.tasks)
    if (task.ended) env.tell_agent(attempt.key, TaskGone{number, "ended"});
}

void AgentTalk::on_order(const AgentOrder& order) {
  auto* attempt = attempts_.find({order.job, order.attempt});
  if (!attempt) return;
  auto whole = elastic::completed(order, attempt->agent.order);
  if (!whole) return;
  attempt->agent.order = *whole;
  host_.env.tell_agent(attempt->key, *whole);
}

bool AgentTalk::on_tick(MasterSeen seen) {
  auto now = host_.env.mono();
  seen_ = seen;
  bool any = false;
  for (auto& [key, attempt] : attempts_.all()) {
    for (const auto& told : attempt.agent.flow.due(now)) hear(attempt, told);
    if (attempt.agent.address.empty() || !attempt.order.team.elastic) continue;
    any = true;
    host_.env.tell_agent(key, NodeHeartbeat{seen});
  }
  return any;
}

}  // namespace wm::node
