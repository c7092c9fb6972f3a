// Field tables of model/node/node.h. Tags are append-only.
#include "libwm/model/node/node.h"

#include <algorithm>
#include <utility>

#include "libwm/codec/codec.h"
#include "libwm/codec/job_fields.h"
#include "libwm/model/node/meter.h"

namespace wm {

WM_FIELDS(MasterRank) { f(1, s.store), f(2, s.term), f(3, s.seq), f(4, s.last_job); }
WM_FIELDS(TaskStatus) { f(1, s.task), f(2, s.pid); }
WM_FIELDS(AttemptStatus) {
  f(1, s.job), f(2, s.attempt), f(3, s.tasks), f(4, s.agent_address), f(5, s.doors);
}
WM_FIELDS(HostRegister) {
  f(1, s.version), f(2, s.name), f(3, s.address), f(4, s.boot), f(5, s.type), f(6, s.model);
  f(7, s.capacity), f(8, s.attempts), f(20, s.gpus), f(541, s.cpus), f(410, s.network),
      f(451, s.obeyed), f(592, s.takes_changes), f(552, s.recalls);
}
WM_FIELDS(TaskMeter) {
  f(1, s.job), f(2, s.attempt), f(3, s.task), f(4, s.seen), f(5, s.busy), f(6, s.energy_mj);
  f(7, s.cpu), f(8, s.cpu_seen), f(9, s.mem_peak);
}
WM_FIELDS(HostUses) { f(1, s.attempts); }
WM_FIELDS(HostMeter) { f(1, s.tasks), f(2, s.cpu_energy_mj), f(3, s.energy_seen); }
WM_FIELDS(GpuReports) { f(1, s.gpus); }
WM_FIELDS(HostWelcome) {
  f(1, s.host), f(2, s.cluster), f(3, s.dirs), f(4, s.times), f(5, s.limits), f(60, s.scripts);
  f(451, s.master);
}
WM_FIELDS(PlacedTask) { f(1, s.task), f(2, s.host), f(3, s.address); }
WM_FIELDS(HostRun) {
  f(1, s.head), f(2, s.tail), f(3, s.first), f(4, s.width), f(5, s.hosts), f(6, s.tasks);
}
WM_FIELDS(JobHosts) {
  f(1, s.runs), f(2, s.first_address), f(3, s.here), f(4, s.hosts_before), f(5, s.tasks_before);
}
WM_FIELDS(OrderedTask) {
  f(1, s.task), f(2, s.gpus), f(3, s.gpu_uuids), f(4, s.has_process), f(5, s.kill), f(6, s.term),
      f(7, s.leave);
}
WM_FIELDS(GroupPlaces) { f(1, s.name), f(2, s.role), f(3, s.at), f(410, s.addresses); }
WM_FIELDS(HostOrder) {
  f(1, s.job), f(2, s.attempt), f(3, s.generation), f(4, s.sealed.spec), f(5, s.sealed.credential);
  f(6, s.sealed.request_key), f.beside(7, 380, s.resolved, s.sealed.spec), f(8, s.blobs.script),
      f(9, s.blobs.env), f(10, s.app), f(11, s.tasks);
  f(12, s.all), f(13, s.key), f(14, s.team.elastic), f(15, s.team.min_tasks),
      f(16, s.team.max_tasks);
  f(17, s.team.restarts), f(18, s.run_left), f(19, s.control.end), f(20, s.control.end_term),
      f(21, s.first_host);
  f(22, s.submitted), f(60, s.control.attach), f(61, s.control.preempt);
  f(80, s.launch), f(81, s.control.suspend), f(82, s.control.relaunches), f(83, s.leave_grace);
  f(84, s.queue_side.pre), f(85, s.queue_side.post), f(86, s.change.notice),
      f(87, s.change.command);
  f(88, s.change.hosts), f(120, s.team.port), f(200, s.team.writer), f(240, s.team.in_place),
      f(381, s.hosts);
  f(400, s.team.groups), f(401, s.blobs.data), f(530, s.queue_controls),
      f(531, s.queue_side.warn_action), f(532, s.queue_side.warn_time);
}
/// Masters before JobHosts told every host of every task; which one is ours its own tasks say.
inline void complete(HostOrder& order) {
  if (order.all.empty()) return;
  auto ours = std::find_if(order.all.begin(), order.all.end(), [&](const PlacedTask& placed) {
    return !order.tasks.empty() && placed.task == order.tasks.front().task;
  });
  std::string host = ours == order.all.end() ? "" : ours->host;
  order.hosts = job_hosts_of(std::exchange(order.all, {}), host);
}
WM_FIELDS(FactStarted) { f(1, s.job), f(2, s.attempt), f(3, s.task), f(4, s.pid), f(5, s.port); }
WM_FIELDS(FactEnded) {
  f(1, s.job), f(2, s.attempt), f(3, s.task), f(4, s.status), f(5, s.term), f(6, s.usage);
  f(7, s.text), f(8, s.at), f(402, s.report), f(550, s.delivers);
}
WM_FIELDS(FactStuck) { f(1, s.job), f(2, s.attempt), f(3, s.task), f(4, s.why); }
WM_FIELDS(FactNotified) { f(1, s.job), f(2, s.attempt), f(3, s.number), f(4, s.ok), f(5, s.text); }
WM_FIELDS(FactMet) { f(1, s.job), f(2, s.attempt); }
WM_FIELDS(Callers) { f(1, s.address), f(2, s.connections); }
WM_FIELDS(Rendezvous) { f(1, s.port), f(2, s.waited), f(3, s.callers); }
WM_FIELDS(FactRendezvous) { f(1, s.job), f(2, s.attempt), f(3, s.meeting); }
WM_FIELDS(FactDelivered) { f(1, s.job), f(2, s.attempt), f(3, s.text); }
WM_FIELDS(FactHostWell) { f(1, s.faults); }
WM_FIELDS(FactGpuOveruse) { f(1, s.job), f(2, s.attempt), f(3, s.use); }
WM_FIELDS(FactScriptFailed) { f(1, s.job), f(2, s.attempt), f(3, s.why); }
WM_FIELDS(HostFact) { f(1, s.number), f(2, s.fact); }
WM_FIELDS(HostAck) { f(1, s.number); }
WM_FIELDS(HostHeartbeat) { f(1, s.load), f(2, s.free_mem), f(370, s.more), f(570, s.mem); }
WM_FIELDS(HostSignal) { f(1, s.job), f(2, s.attempt), f(3, s.signal); }
WM_FIELDS(PeekRequest) {
  f(1, s.id), f(2, s.job), f(3, s.attempt), f(4, s.task), f(5, s.stream), f(6, s.offset),
      f(7, s.limit);
}
WM_FIELDS(PeekReply) { f(1, s.id), f(2, s.bytes), f(3, s.error); }
WM_FIELDS(HostForget) { f(1, s.job), f(2, s.attempt), f(551, s.why); }
WM_FIELDS(HostRecall) { f(1, s.job), f(2, s.attempt); }
WM_FIELDS(HostRecalled) { f(1, s.job), f(2, s.order); }

}  // namespace wm

WM_CODEC(wm::HostRegister)
WM_CODEC(wm::HostWelcome)
WM_CODEC(wm::HostOrder)
WM_CODEC(wm::HostFact)
WM_CODEC(wm::HostAck)
WM_CODEC(wm::HostHeartbeat)
WM_CODEC(wm::HostSignal)
WM_CODEC(wm::PeekRequest)
WM_CODEC(wm::PeekReply)
WM_CODEC(wm::HostForget)
WM_CODEC(wm::HostRecall)
WM_CODEC(wm::HostRecalled)
WM_CODEC(wm::GpuReports)
WM_CODEC(wm::HostMeter)
WM_CODEC(wm::HostUses)
WM_CODEC(wm::MasterRank)
