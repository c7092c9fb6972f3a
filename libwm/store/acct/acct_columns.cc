#include "libwm/store/acct/acct_columns.h"

namespace wm::store {

void read(Columns c, JobRow& r) {
  r.id = c.job();
  for (auto* text : {&r.user, &r.name, &r.queue, &r.app, &r.plan, &r.project, &r.command, &r.cwd,
                     &r.submit_host, &r.exec_hosts, &r.state, &r.reason})
    *text = c.text();
  for (auto* time : {&r.submitted, &r.dispatched, &r.started, &r.ended}) *time = c.time();
  r.exit_status = static_cast<std::int32_t>(c.number());
  r.term = static_cast<std::int32_t>(c.number());
  r.attempt.value = c.small();
  r.resizes = c.small();
  r.slots = c.small();
  r.gpus = c.number();
  for (auto* amount : {&r.cpu, &r.slot_time, &r.gpu_time}) *amount = c.duration();
  r.max_mem.value = c.number();
  r.service_class = c.text();
  r.reservation = c.text();
  r.gpu_energy_mj = c.number();
}

void read(Columns c, AllocationRow& r) {
  r.job = c.job();
  r.attempt.value = c.small();
  r.task.value = c.small();
  r.part = c.small();
  r.host = c.text();
  r.held = static_cast<HoldClass>(c.number());
  for (auto* amount : {&r.slots, &r.milli_cpus, &r.gpus, &r.gpueq, &r.mem.value})
    *amount = c.number();
  r.gpu_list = c.text();
  for (auto* time : {&r.start, &r.end, &r.member_at}) *time = c.time();
  r.seq.value = static_cast<std::uint64_t>(c.number());
}

void read(Columns c, AttemptRow& r) {
  r.job = c.job();
  r.attempt.value = c.small();
  for (auto* text : {&r.user, &r.plan, &r.queue, &r.project, &r.app}) *text = c.text();
  r.tasks = c.small();
  for (auto* time : {&r.dispatched, &r.started, &r.ended}) *time = c.time();
  r.outcome = c.text();
  r.term = static_cast<std::int32_t>(c.number());
  r.exit_status = static_cast<std::int32_t>(c.number());
  r.host = c.text();
  r.cpu = c.duration();
  r.max_mem.value = c.number();
  r.own_wait = c.duration();
  r.queue_wait = c.duration();
  for (auto* sum : {&r.slot_ms, &r.cpu_mms, &r.gpu_mms, &r.gpueq_mms, &r.mem_mib_s, &r.late.slot_ms,
                    &r.late.cpu_mms, &r.late.gpu_mms, &r.late.gpueq_mms, &r.late.mem_mib_s})
    *sum = c.number();
  r.ask_run = c.duration();
  r.min_tasks = c.small();
  r.max_tasks = c.small();
  r.elastic = c.number() != 0;
}

void read(Columns c, HostSpanRow& r) {
  r.host = c.text();
  r.since = c.time();
  r.until = c.time();
  for (auto* text : {&r.state, &r.by, &r.why}) *text = c.text();
  for (auto* amount : {&r.slots, &r.milli_cpus, &r.mem.value}) *amount = c.number();
  r.seq.value = static_cast<std::uint64_t>(c.number());
}

void read(Columns c, GpuSpanRow& r) {
  r.host = c.text();
  r.uuid = c.text();
  r.since = c.time();
  r.until = c.time();
  r.idx = c.small();
  r.model = c.text();
  r.gpueq = c.number();
  for (auto* text : {&r.state, &r.why}) *text = c.text();
  r.seq.value = static_cast<std::uint64_t>(c.number());
}

void read(Columns c, PlanSpanRow& r) {
  r.path = c.text();
  r.since = c.time();
  r.until = c.time();
  for (auto* amount : {&r.shares, &r.owns, &r.limit, &r.lend}) *amount = c.number();
  r.seq.value = static_cast<std::uint64_t>(c.number());
}

void read(Columns c, JobEventRow& r) {
  r.job = c.job();
  r.seq.value = static_cast<std::uint64_t>(c.number());
  r.part = c.small();
  r.time = c.time();
  r.event = c.text();
  r.from = c.number();
  r.to = c.number();
  r.reason = c.text();
  r.pause = c.duration();
  r.steps_lost = c.number();
}

void read(Columns c, UsageRow& r) {
  r.day = c.time();
  for (auto* text : {&r.user, &r.plan, &r.queue}) *text = c.text();
  r.jobs_done = c.small();
  r.jobs_exited = c.small();
  for (auto* amount : {&r.cpu, &r.slot_time, &r.gpu_time}) *amount = c.duration();
}

}  // namespace wm::store
