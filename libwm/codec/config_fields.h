// Role: field tables of model/config/config.h, included by codec/*.cc only.
// Tags are append-only: an old reader skips what it does not know.
#pragma once

#include "libwm/codec/archive.h"
#include "libwm/model/config/config.h"

namespace wm {

WM_FIELDS(DirConf) {
  f(1, s.state), f(2, s.run), f(3, s.log), f(4, s.results), f(5, s.data), f(281, s.default_output);
  f(282, s.sendmail), f(530, s.report_sender);
}
WM_FIELDS(TimeConf) {
  f(1, s.clean_period), f(2, s.kill_grace), f(3, s.reclaim_grace), f(4, s.silent_after);
  f(5, s.heartbeat), f(6, s.start_window), f(7, s.connect_limit), f(8, s.hang_limit);
  f(9, s.lead_heartbeat), f(10, s.lead_silent), f(11, s.resize_quiet), f(12, s.usage_half_life);
  f(40, s.gpu_check);
  f(60, s.fence_limit), f(61, s.fence_retry);
  f(140, s.restart_quiet);
  f(280, s.stray_grace);
  f(220, s.fence_after), f(530, s.usage_interval);
  f(570, s.keep_runs), f(571, s.keep_batch_runs);
}
WM_FIELDS(LimitConf) {
  f(2, s.max_array_size), f(3, s.newcomer_tries), f(4, s.max_requeue);
  f(5, s.job_port_first), f(6, s.job_port_last), f(7, s.store_reserve), f(8, s.history_weight);
  f(60, s.store_queue);
  f(80, s.max_user_requeue), f(81, s.max_preempt);
  f(530, s.max_user_priority), f(531, s.max_pend_jobs);
  f(400, s.group_port_first), f(401, s.group_port_last);
  f(550, s.host_faults), f(551, s.fault_hosts);
  f(570, s.gpu_memory_overuse), f(580, s.results_quota);
}
WM_FIELDS(SchedConf) {
  f(1, s.backfill), f(2, s.promises), f(3, s.promise_tolerance), f(4, s.elastic_worth);
  f(5, s.elastic_least_weight), f(6, s.elastic_half_weight);
  f(530, s.priority_step);
}
WM_FIELDS(SiteScripts) {
  f(1, s.prolog), f(2, s.epilog), f(3, s.time_limit), f(4, s.copy);
  f(500, s.submit_filter), f(501, s.submit_filter_time), f(502, s.groups);
  f(530, s.notify), f(540, s.notify_urls), f(541, s.pre_exec_limit), f(542, s.post_exec_limit);
  f(550, s.copy_limit);
}
WM_FIELDS(JobLimits) {
  f(1, s.cpu), f(2, s.mem), f(3, s.file), f(4, s.data), f(5, s.stack), f(6, s.core), f(7, s.swap);
  f(8, s.processes), f(9, s.threads);
  f(262, s.mem_per_host);
}
WM_FIELDS(LsfConf) {
  f(1, s.reserve_per_task), f(2, s.unit), f(3, s.banner), f(4, s.share_dir), f(370, s.events);
  f(530, s.dep_last_sub);
}
WM_FIELDS(MonitorConf) {
  f(1, s.metrics), f(2, s.node_metrics), f(3, s.acct_keep), f(4, s.history_keep);
}
WM_FIELDS(SubmitPolicyConf) { f(1, s.command), f(2, s.limit), f(3, s.at_once), f(4, s.failure); }
WM_FIELDS(ClusterConf) {
  f(1, s.name), f(2, s.master_host), f(3, s.master_port), f(4, s.master_user), f(5, s.host_user);
  f(6, s.munge_socket), f(7, s.admins), f(8, s.default_queue), f(9, s.default_plan);
  f(10, s.default_app), f(11, s.default_project), f(12, s.log_level), f(13, s.fence_command);
  f(14, s.cgroup_root), f(15, s.dirs), f(16, s.times), f(17, s.limits);
  f(18, s.sched);
  f(40, s.nvml_library), f(41, s.mps_program);
  f(60, s.unit_types);
  f(80, s.scripts);
  f(263, s.lsf);
  f(240, s.job_info);
  f(421, s.monitor);
  f(500, s.log_to);
  f(550, s.lost_output_fails), f(551, s.unknown_jobs), f(570, s.folder_limit);
  f(560, s.submit_policy);
}
WM_FIELDS(WeekWindow) { f(1, s.from), f(2, s.to); }
WM_FIELDS(ClockStep) { f(1, s.from), f(2, s.ahead); }
WM_FIELDS(TimedShares) { f(1, s.shares), f(2, s.windows); }
WM_FIELDS(Consumers) { f(1, s.names), f(2, s.each); }
WM_FIELDS(LimitRule) {
  f(1, s.name), f(2, s.users), f(3, s.queues), f(4, s.projects), f(5, s.apps), f(6, s.plans);
  f(7, s.hosts), f(8, s.slots), f(9, s.jobs), f(10, s.mem), f(11, s.windows), f(12, s.description);
  f(540, s.reserve);
}
WM_FIELDS(ServiceClass) {
  f(1, s.name), f(2, s.velocity), f(3, s.throughput), f(4, s.deadline), f(5, s.windows);
  f(6, s.priority), f(7, s.users), f(8, s.description);
}
WM_FIELDS(RunLimit) { f(1, s.usual), f(2, s.max); }
WM_FIELDS(JobControls) {
  f(1, s.starter), f(2, s.suspend), f(3, s.resume), f(4, s.terminate), f(5, s.nice);
}
WM_FIELDS(LoadLimit) { f(1, s.index), f(2, s.sched), f(3, s.stop); }
WM_FIELDS(TerminateWhen) { f(1, s.load), f(2, s.preempt), f(3, s.window); }
WM_FIELDS(QueueConf) {
  f(1, s.name), f(2, s.priority), f(3, s.description), f(4, s.users), f(5, s.hosts), f(6, s.admins);
  f(7, s.app), f(8, s.plan), f(9, s.run_limit), f(10, s.min_tasks), f(11, s.max_tasks);
  f(12, s.max_slots), f(13, s.user_slots), f(14, s.host_slots), f(15, s.mem_limit);
  f(17, s.rerunnable), f(18, s.exclusive), f(19, s.interactive), f(20, s.res_req);
  f(21, s.order);
  f.word(60, s.place), f(61, s.preempts), f.word(62, s.preempt_by), f(63, s.preempt_grace);
  f(80, s.limits), f(81, s.pre_exec), f(82, s.post_exec), f(83, s.requeue_exits.codes);
  f.word(140, s.elastic), f(141, s.requeue_exits.excluding);
  f(520, s.run_window), f(521, s.dispatch_window);
  f(530, s.controls), f(531, s.load), f(532, s.terminate_when);
  f(533, s.gpu), f(534, s.run_estimate), f(535, s.warn_action), f(536, s.warn_time);
  f(537, s.max_preempt), f(538, s.max_requeue);
  f(541, s.pre_exec_limit), f(542, s.post_exec_limit), f(543, s.default_tasks);
}
WM_FIELDS(HostConf) {
  f(1, s.name), f(2, s.address), f(3, s.slots), f(4, s.cpus), f(5, s.mem), f(6, s.gpus);
  f(7, s.gpu_model), f(8, s.gpu_mem), f(9, s.groups), f(10, s.resources);
  f(60, s.switches);
  f(521, s.dispatch_window), f(531, s.load);
}
WM_FIELDS(PlanConf) {
  f(1, s.path), f(2, s.shares), f(3, s.owns), f(4, s.limit), f(5, s.lend), f(6, s.borrow);
  f(7, s.borrow_from), f(8, s.reclaim_grace), f(9, s.policy), f(10, s.users), f(11, s.description);
  f.word(140, s.elastic, "queue");
  f(520, s.run_window), f(521, s.shares_at);
}
WM_FIELDS(Container) { f(1, s.driver), f(2, s.image), f(3, s.binds), f(4, s.options); }
WM_FIELDS(IdleRule) { f(1, s.limit), f(2, s.warning), f(3, s.cpu); }
WM_FIELDS(AppConf) {
  f(1, s.name), f(2, s.type), f(3, s.description), f(4, s.resize), f(5, s.resize_command);
  f(6, s.gpu_mode), f(7, s.gpu), f(8, s.res_req), f(9, s.env), f(10, s.run_limit);
  f(11, s.rerunnable), f(12, s.reclaim_grace), f(13, s.kill_grace), f(14, s.pre_exec);
  f(15, s.post_exec), f(16, s.success_exits), f(17, s.requeue_exits.codes), f(18, s.warm_imports);
  f(40, s.gpu_check);
  f.word(60, s.place, "queue");
  f(80, s.container), f(81, s.requeue_exits.excluding);
  f(440, s.command), f(441, s.idle);
  f(530, s.controls), f(531, s.min_tasks), f(532, s.max_tasks), f(533, s.limits);
  f(534, s.run_estimate), f(543, s.default_tasks), f(570, s.keep_runs);
}
WM_FIELDS(UserConf) {
  f(1, s.name), f(2, s.groups), f(3, s.max_slots), f(5, s.plan), f(6, s.shares);
  f(530, s.max_pend_jobs);
}
WM_FIELDS(BudgetConf) {
  f(1, s.name), f(2, s.gpu_hours), f(3, s.cpu_hours), f(4, s.period), f(5, s.from), f(6, s.to);
  f(7, s.carry), f(8, s.warn), f(9, s.at_end), f(10, s.within);
}
WM_FIELDS(Budgets) { f(1, s.list), f(2, s.months); }
WM_FIELDS(Config) {
  f(1, s.cluster), f(2, s.queues), f(3, s.hosts), f(4, s.plans), f(5, s.apps), f(6, s.users);
  f(420, s.budgets);
  f(520, s.limits), f(521, s.classes), f(522, s.clock);
}

}  // namespace wm
