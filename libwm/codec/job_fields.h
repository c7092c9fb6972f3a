// Role: field tables of model/{job,host,reason,cluster}.h, included by codec/*.cc only.
// Tags are append-only.
#pragma once

#include "libwm/codec/archive.h"
#include "libwm/codec/config_fields.h"
#include "libwm/codec/elastic_fields.h"
#include "libwm/model/attempt_use.h"
#include "libwm/model/cluster.h"

namespace wm {

WM_FIELDS(JobId) { f(1, s.job), f(2, s.index); }
WM_FIELDS(Identity) { f(1, s.uid), f(2, s.gid), f(3, s.user); }
WM_FIELDS(TaskRequest) {
  f(1, s.milli_cpus), f(2, s.mem), f(3, s.milli_gpus), f(4, s.gpus_per_host), f(5, s.gpu_model);
  f(20, s.gpu_shared), f(21, s.gpu_mem), f(22, s.gpu_vendor), f(23, s.gpu_mig);
  f(24, s.gpu_linked), f(25, s.gpu_pack), f(26, s.gpu_tile), f(27, s.mps_uid);
  f(260, s.mem_per_host), f(430, s.gpu_see_all);
}
WM_FIELDS(Span) { f(1, s.one_host), f(2, s.ptile), f(60, s.block); }
WM_FIELDS(IndexRange) { f(1, s.from), f(2, s.to), f(3, s.step); }
WM_FIELDS(FileCopy) {
  f(1, s.local), f(2, s.remote), f(3, s.before), f(4, s.after), f(5, s.append);
}
WM_FIELDS(NotifyAt) { f(1, s.start), f(2, s.done), f(3, s.exit), f(4, s.suspend); }
WM_FIELDS(MailWish) { f(1, s.at_start), f(2, s.at_end), f(3, s.to), f(530, s.notify); }
WM_FIELDS(Execution) {
  f(1, s.args), f(2, s.framework), f(3, s.version), f(4, s.image), f(5, s.bundle);
  f(6, s.bundle_dir), f(7, s.data), f(8, s.labels), f(9, s.pending_limit), f(10, s.search),
      f(11, s.service), f(12, s.profile);
  f(475, s.image_policy), f(476, s.image_secret);
}
WM_FIELDS(TaskGroup) {
  f(1, s.name), f(2, s.role), f(3, s.command), f(4, s.min_tasks), f(5, s.max_tasks);
  f(6, s.resreq), f(7, s.gpu), f(8, s.restart), f(9, s.elastic);
}
WM_FIELDS(Checkpoint) { f(1, s.dir), f(2, s.period), f(3, s.method); }
WM_FIELDS(JobSpec) {
  f(1, s.owner), f(2, s.name), f(3, s.queue), f(4, s.app), f(5, s.plan), f(6, s.project);
  f(7, s.description), f(8, s.program.command), f(9, s.program.script_hash),
      f(10, s.program.env_hash), f(11, s.program.cwd);
  f(12, s.program.submit_host), f(13, s.program.home), f(14, s.program.shell),
      f(15, s.program.umask), f(16, s.files.in);
  f(17, s.files.out), f(18, s.files.err), f(19, s.files.out_overwrite),
      f(20, s.files.err_overwrite);
  f(21, s.min_tasks), f(22, s.max_tasks), f(23, s.task), f(24, s.span), f(25, s.asked.resreq);
  f(26, s.asked.select), f(27, s.asked.hosts), f(28, s.run_limit), f(29, s.elastic),
      f(30, s.when.hold);
  f(31, s.rerunnable), f(32, s.exclusive), f(33, s.array), f(34, s.array_limit);
  f(35, s.asked.gpu), f(36, s.user_priority);
  f(60, s.console.streams), f(61, s.console.rows), f(62, s.console.columns), f(63, s.mem_for);
  f(80, s.limits), f(81, s.side.pre), f(82, s.side.post), f(83, s.side.warn_action),
      f(84, s.side.warn_time);
  f(85, s.side.notify), f(86, s.requeue_exits.codes);
  f(100, s.when.depend), f(101, s.when.orphan_kill), f(102, s.when.begin), f(103, s.when.deadline);
  f(120, s.mpi), f(121, s.files.tag);
  f(122, s.files.copies), f(123, s.files.in_spooled);
  f(140, s.sizes), f(141, s.requeue_exits.excluding);
  f(370, s.mail);
  f(400, s.exec), f(401, s.groups), f(402, s.open), f(403, s.group);
  f(500, s.job_group);
  f(520, s.reservation), f(521, s.service_class), f(522, s.run_estimate), f(523, s.checkpoint);
  f(530, s.files.outdir), f(531, s.side.window_signal);
  f(540, s.program.spooled), f(541, s.default_tasks);
}
WM_FIELDS(SealedSpec) {
  f(1, s.spec), f(2, s.bytes), f(3, s.credential), f(4, s.request_key), f(60, s.alternatives);
}
WM_FIELDS(PendReason) { f(1, s.code), f(2, s.text), f(3, s.hosts_removed), f(4, s.fix); }
WM_FIELDS(Usage) {
  f(1, s.cpu), f(2, s.max_mem), f(3, s.read), f(4, s.written), f(5, s.by_cgroup);
  f(530, s.mean_mem), f(531, s.max_swap), f(570, s.gpu_energy_mj);
}
WM_FIELDS(GpuOveruse) { f(1, s.task), f(2, s.gpu), f(3, s.used), f(4, s.asked); }
WM_FIELDS(AttemptUse) {
  f(1, s.job), f(2, s.attempt), f(3, s.cpu), f(4, s.mem), f(5, s.max_mem), f(6, s.mean_mem);
  f(7, s.swap), f(8, s.max_swap), f(9, s.processes), f(10, s.threads), f(11, s.pids);
  f(570, s.gpu_over), f(571, s.gpu_energy_mj);
}
WM_FIELDS(Drawn) { f(1, s.gpu), f(2, s.cpu); }
WM_FIELDS(AttemptDraw) { f(1, s.rate), f(2, s.drawn), f(3, s.as_of), f(4, s.status), f(5, s.term); }
WM_FIELDS(Holding) {
  f(1, s.slots), f(2, s.milli_gpus), f(3, s.most_slots), f(4, s.most_milli_gpus);
  f(5, s.slot_time), f(6, s.gpu_time), f(7, s.as_of);
  f(420, s.draw);
}
WM_FIELDS(ResizeNotice) { f(1, s.number), f(2, s.grow), f(3, s.tasks); }
WM_FIELDS(Task) {
  f(1, s.number), f(2, s.host), f(3, s.gpus), f(4, s.state), f(5, s.has_process), f(6, s.kill);
  f(7, s.pid), f(8, s.status), f(9, s.term), f(10, s.since), f(11, s.leave_by), f(12, s.ended);
  f(261, s.mem_elsewhere), f(400, s.port), f(570, s.moves), f(571, s.serves);
}
WM_FIELDS(Membership) {
  f(1, s.lead), f(2, s.lead_host), f(3, s.epoch), f(4, s.members), f(5, s.agents), f(6, s.resizes);
  f(7, s.in_place), f(8, s.doors), f(9, s.consoles), f(430, s.met);
}
WM_FIELDS(KillWish) { f(1, s.term), f(2, s.by), f(3, s.text), f(4, s.at), f(5, s.done); }
WM_FIELDS(Preempted) {
  f(1, s.by), f(2, s.leave_by), f(3, s.requeue), f(4, s.text), f(370, s.hold);
}
namespace codec {
/// Written as the list of Task that it was.
class TasksShape final : public Shape {
 public:
  void write(std::string& out, int tag, const void* value, bool) const override {
    for (const Task& task : *static_cast<const Tasks*>(value))
      kShape<Task>.write(out, tag, &task, true);
  }
  bool read(const Field& field, void* value, int depth) const override {
    Task task;
    bool ok = kShape<Task>.read(field, &task, depth);
    static_cast<Tasks*>(value)->push_back(std::move(task));
    return ok;
  }
};
template <>
struct ShapeOf<Tasks> {
  static constexpr TasksShape value{};
};
}  // namespace codec
WM_FIELDS(PromisedPlace) { f(1, s.host), f(2, s.tasks); }
WM_FIELDS(StepReport) {
  f(1, s.hosts), f(2, s.tasks), f(3, s.local_batch), f(4, s.step), f(5, s.exchange);
}
WM_FIELDS(Pace) {
  f(1, s.reports), f(2, s.noise), f(3, s.batch), f(4, s.resize_cost), f(5, s.resizes);
}
WM_FIELDS(Parked) { f(1, s.by), f(2, s.text); }
WM_FIELDS(Setback) { f(1, s.host), f(2, s.failures), f(3, s.until), f(4, s.why); }
WM_FIELDS(JobNote) {
  f(1, s.index), f(2, s.by), f(3, s.text), f(4, s.at), f(5, s.file), f(6, s.data);
}
WM_FIELDS(Reservation) {
  f(1, s.name), f(2, s.text), f(3, s.kind), f(4, s.users), f(5, s.open), f(6, s.begin), f(7, s.end);
  f(8, s.windows), f(9, s.places), f(10, s.by), f(11, s.made);
}
WM_FIELDS(JobGroup) { f(1, s.owner), f(2, s.limit), f(3, s.made); }
WM_FIELDS(Job) {
  f(1, s.id), f(2, s.sealed), f(3, s.state), f(4, s.attempt), f(5, s.tasks), f(6, s.last_task);
  f(7, s.key), f(8, s.membership), f(9, s.size.cap), f(10, s.size.script_cap),
      f(11, s.size.failed_starts);
  f(12, s.size.grow_blocked), f(13, s.kill), f(14, s.finishing), f(15, s.generation),
      f(16, s.returns.requeues);
  f(17, s.times.submitted), f(18, s.times.dispatched), f(19, s.times.started), f(20, s.times.ended),
      f(21, s.outcome.status);
  f(22, s.outcome.term), f(23, s.outcome.text), f(24, s.usage), f(25, s.elements.first),
      f(26, s.elements.next_position);
  f(27, s.elements.active), f(28, s.ending), f(29, s.waits.promised), f(30, s.waits.first_promised);
  f(31, s.waits.place), f(32, s.account);
  f(60, s.alternative), f(61, s.mem_released), f(62, s.waits.preempted);
  f(80, s.suspension.by), f(81, s.suspension.since), f(82, s.suspension.earlier),
      f(83, s.size.relaunches);
  f(84, s.size.notices), f(85, s.size.notice), f(86, s.size.notify_command);
  f(120, s.port);
  f(87, s.returns.user_requeues), f(88, s.returns.preemptions);
  f(150, s.waits.places);
  f(140, s.pace), f(141, s.parked), f(151, s.waits.excluded_hosts);
  f(152, s.revision), f(153, s.holding);
  f(200, s.size.grow_again), f(201, s.size.setbacks), f(370, s.waits.turn);
  f(400, s.elements.closed), f(401, s.trial.data_hash), f(402, s.trial.report),
      f(403, s.trial.reported), f(404, s.size.wants_none);
  f(520, s.waits.only_hosts), f(521, s.notes);
  f(550, s.outcome.delivers_on);
}

WM_FIELDS(HostLoad) {
  f(1, s.r15s), f(2, s.r15m), f(3, s.idle), f(4, s.tmp), f(5, s.swp), f(6, s.mem);
  f(7, s.max_tmp), f(8, s.max_swp), f(530, s.pg), f(531, s.io), f(532, s.logins);
}
WM_FIELDS(Cpu) { f(1, s.number), f(2, s.core), f(3, s.numa), f(4, s.socket); }
WM_FIELDS(Gpu) {
  f(1, s.uuid), f(2, s.model), f(3, s.mem), f(4, s.vendor), f(5, s.pci), f(6, s.driver);
  f(7, s.capability), f(8, s.mig), f(9, s.parent), f(10, s.numa), f(11, s.links);
}
WM_FIELDS(GpuReport) {
  f(1, s.uuid), f(2, s.sick), f(3, s.sticky), f(4, s.why), f(5, s.since), f(6, s.used);
  f(7, s.busy), f(8, s.celsius), f(530, s.mem_busy), f(531, s.watts), f(532, s.pstate);
  f(533, s.mode), f(534, s.ecc), f(570, s.over);
}
WM_FIELDS(GpuMark) {
  f(1, s.closed), f(2, s.closed_by), f(3, s.closed_why), f(4, s.sick), f(5, s.sticky);
  f(6, s.sick_why), f(7, s.sick_since), f(8, s.opened);
}
WM_FIELDS(Capacity) { f(1, s.slots), f(2, s.milli_cpus), f(3, s.mem), f(4, s.gpus); }
WM_FIELDS(GpuOwner) { f(1, s.job), f(2, s.task); }
WM_FIELDS(GpuShare) { f(1, s.gpu), f(2, s.owner), f(3, s.milli), f(4, s.mem), f(5, s.mps_uid); }
WM_FIELDS(HostFaults) { f(1, s.in_row), f(2, s.owners), f(3, s.closed), f(4, s.gaps); }
WM_FIELDS(Host) {
  f(1, s.id), f(2, s.name), f(3, s.address), f(4, s.state), f(5, s.closed), f(6, s.closed_by);
  f(7, s.closed_why), f(8, s.boot), f(9, s.type), f(10, s.model), f(11, s.capacity);
  f(12, s.used_slots), f(13, s.stuck_slots), f(14, s.used_milli_cpus), f(15, s.used_mem);
  f(16, s.gpu_owners), f(17, s.registered), f(18, s.silent_since), f(40, s.gpu_shares);
  f(41, s.gpu_marks);
  f(60, s.fence_tries), f(61, s.fence_text), f(410, s.network);
  f(550, s.faults), f(570, s.drains);
}
WM_FIELDS(Held) { f(1, s.slots), f(2, s.milli_gpus), f(3, s.mem); }
WM_FIELDS(Used) { f(1, s.slots), f(2, s.gpus), f(3, s.mem); }
WM_FIELDS(UsageAccount) { f(1, s.plan), f(2, s.user), f(3, s.held), f(4, s.used), f(5, s.as_of); }
WM_FIELDS(QueueStanding) { f(1, s.closed), f(2, s.inactive), f(3, s.by), f(4, s.why); }

}  // namespace wm
