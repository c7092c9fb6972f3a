// Role: field tables of model/elastic.h, included by codec/*.cc only.
// Tags are append-only: an old reader skips what it does not know.
#pragma once

#include "libwm/codec/archive.h"
#include "libwm/model/elastic.h"

namespace wm {

WM_FIELDS(WorkerHello) {
  f(1, s.version), f(2, s.task), f(3, s.pid), f(4, s.max_tasks);
  f(360, s.trainings);
}
WM_FIELDS(WorkerReady) { f(1, s.rendezvous); }
WM_FIELDS(WorkerConnected) { f(1, s.epoch); }
WM_FIELDS(WorkerConnectFailed) { f(1, s.epoch), f(2, s.text); }
WM_FIELDS(WorkerSwitched) { f(1, s.epoch), f(2, s.step), f(3, s.pause), f(4, s.pause_known); }
WM_FIELDS(WorkerFaulted) { f(1, s.epoch), f(2, s.step), f(3, s.text); }
WM_FIELDS(BatchRange) { f(1, s.initial), f(2, s.most), f(3, s.at_once); }
WM_FIELDS(WorkerProgress) {
  f(1, s.epoch), f(2, s.step), f(3, s.samples), f(4, s.data_epoch), f(5, s.loss), f(6, s.accuracy);
  f(7, s.step_time), f(8, s.samples_per_s), f(9, s.noise), f(10, s.in_collective);
  f(140, s.exchange), f(141, s.batch);
}
WM_FIELDS(WorkerLeft) { f(1, s.last_epoch); }
WM_FIELDS(WorkerDone) { f(1, s.step), f(360, s.trainings); }

WM_FIELDS(EpochPlan) {
  f(1, s.epoch), f(2, s.lead), f(3, s.members), f(4, s.rendezvous), f(5, s.emergency),
      f(6, s.reason);
  f(7, s.survivors);
  f(240, s.cause);
}
/// Programs before EpochCause said it by the first word of the reason.
inline EpochCause cause_in_words(std::string_view reason) {
  if (reason == "start") return EpochCause::Start;
  bool chosen = reason.starts_with("grow") || reason.starts_with("shrink");
  return chosen ? EpochCause::Resize : EpochCause::Loss;
}
inline void complete(EpochPlan& plan) {
  if (plan.cause == EpochCause::Untold) plan.cause = cause_in_words(plan.reason);
}
WM_FIELDS(EpochWithdrawn) { f(1, s.epoch), f(2, s.reason); }
WM_FIELDS(EpochBroken) { f(1, s.epoch), f(2, s.reason); }
WM_FIELDS(WorkerLeave) { f(1, s.reason), f(360, s.trainings); }
WM_FIELDS(WorkerStand) { f(1, s.stand); }
WM_FIELDS(WorkerCheckpoint) { f(1, s.reason); }

WM_FIELDS(WantedTask) { f(1, s.task), f(2, s.host), f(3, s.leaving); }
WM_FIELDS(AgentDoors) { f(1, s.launch), f(2, s.owner); }
WM_FIELDS(AgentPlace) { f(1, s.host), f(2, s.name), f(3, s.launch), f(404, s.tasks); }
WM_FIELDS(AgentGroup) { f(1, s.name), f(2, s.key), f(3, s.agents); }
WM_FIELDS(AgentOrder) {
  f(1, s.job.job), f(2, s.job.index), f(3, s.attempt), f(4, s.lead), f(5, s.lead_host);
  f(6, s.lead_address), f(7, s.generation), f(8, s.tasks), f(9, s.start_window);
  f(10, s.connect_limit), f(11, s.hang_limit), f(12, s.last_epoch), f(13, s.agents);
  f(382, s.world), f(405, s.groups), f(590, s.since), f(591, s.gone);
}
/// Masters before `world` told everybody all tasks.
inline void complete(AgentOrder& order) {
  auto stays = [](const WantedTask& task) { return !task.leaving; };
  if (order.world == 0)
    order.world =
        static_cast<std::uint32_t>(std::count_if(order.tasks.begin(), order.tasks.end(), stays));
}
WM_FIELDS(NodeHeartbeat) { f(1, s.master); }
WM_FIELDS(TaskGone) { f(1, s.task), f(2, s.reason); }

WM_FIELDS(EndedConsole) { f(1, s.attempt), f(2, s.task), f(3, s.host), f(4, s.door); }
WM_FIELDS(AgentUp) { f(1, s.address), f(2, s.doors); }
WM_FIELDS(EpochFormed) {
  f(1, s.epoch), f(2, s.lead), f(3, s.members), f(4, s.step), f(5, s.pause), f(6, s.steps_lost);
  f(7, s.reason), f(8, s.pause_known);
  f(240, s.cause);
}
inline void complete(EpochFormed& formed) {
  if (formed.cause == EpochCause::Untold) formed.cause = cause_in_words(formed.reason);
}
WM_FIELDS(WorkersCapped) { f(1, s.max_tasks); }
WM_FIELDS(WorkerSeen) { f(1, s.task); }
WM_FIELDS(TaskFaulty) { f(1, s.task), f(2, s.reason); }
WM_FIELDS(JobProgress) { f(1, s.progress), f(2, s.world); }
WM_FIELDS(TrialSaid) { f(1, s.report); }
WM_FIELDS(AgentReport) {
  f(1, s.job.job), f(2, s.job.index), f(3, s.attempt), f(4, s.host), f(5, s.fact);
}

WM_FIELDS(WorkerStatus) {
  f(1, s.task), f(2, s.rendezvous), f(3, s.epoch), f(4, s.connected), f(5, s.faulted), f(6, s.step);
  f(7, s.left), f(8, s.done);
  f(360, s.trainings);
}
WM_FIELDS(AgentStatus) {
  f(1, s.host), f(2, s.lead), f(3, s.workers), f(4, s.gone), f(5, s.plans), f(6, s.broken);
  f(7, s.withdrawn);
}
WM_FIELDS(WorkerSaid) { f(1, s.task), f(2, s.words); }
WM_FIELDS(Heartbeat) { f(1, s.lead); }
WM_FIELDS(TellWorker) { f(1, s.lead), f(2, s.task), f(3, s.words); }

}  // namespace wm
