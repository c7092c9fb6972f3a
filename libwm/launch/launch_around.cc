// What an attempt may use, and the commands that run around its tasks.
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <map>

#include "libwm/base/signals.h"
#include "libwm/launch/container.h"
#include "libwm/launch/group_team.h"
#include "libwm/model/exec_id.h"

namespace wm::launch {
namespace {

/// Limits that the kernel keeps for each process.
std::vector<ResourceCap> caps_of(const JobLimits& limits) {
  std::vector<ResourceCap> caps;
  auto add = [&](int resource, Bytes amount) {
    if (amount.value > 0) caps.push_back({resource, static_cast<std::uint64_t>(amount.value)});
  };
  add(RLIMIT_FSIZE, limits.file);
  add(RLIMIT_DATA, limits.data);
  add(RLIMIT_STACK, limits.stack);
  if (limits.core) caps.push_back({RLIMIT_CORE, static_cast<std::uint64_t>(limits.core->value)});
  return caps;
}

std::uint32_t cpu_weight_of(const HostOrder& o) {
  return o.resolved.task.milli_cpus / 10 * static_cast<std::uint32_t>(o.tasks.size());
}

/// The site's commands get nothing of the user's.
SideCommand site_command(const HostOrder& o, const HostFacts& host, const std::string& what,
                         const std::string& command) {
  std::map<std::string, std::string> v{{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"},
                                       {"HOSTNAME", host.name}};
  v["LSB_JOBID"] = std::to_string(o.job.job);
  v["LSB_JOBINDEX"] = std::to_string(o.job.index);
  v["LSB_SUB_USER"] = o.resolved.owner.user;
  v["LSB_QUEUE"] = o.resolved.queue;
  v["WM_JOB_UID"] = std::to_string(o.resolved.owner.uid);
  std::vector<std::string> entries;
  for (const auto& [name, value] : v) entries.push_back(name + "=" + value);
  return {what, {"/bin/sh", "-c", command}, entries, true, host.scripts.time_limit};
}

/// Puts what was uploaded where the job works, once for all its elements and attempts: a rename is
/// whole or not at all, and the next to come finds it done. A trial has a copy of its own, with
/// its data as config.json. Its results are found under its exec id, too. @source WMLA
/// (wmla-surface 5.3): the trial contract
std::optional<SideCommand> bundle_move(const HostOrder& o, const HostFacts& host) {
  if (!o.first_host || o.resolved.exec.bundle.empty()) return {};
  constexpr const char* kMove =
      R"sh(mkdir -p -- "$(dirname -- "$7")" && ln -sfnT -- "$6" "$7" || exit 1
has() { [ -d "$1" ] || { mkdir -p -- "$(dirname -- "$1")" && false; }; }
has "$2" || mv -T -- "$1" "$2" || [ -d "$2" ] || exit 1
[ "$2" = "$3" ] && exit 0
has "$3" || { cp -a -- "$2" "$3.$$" && mv -T -- "$3.$$" "$3"; } || [ -d "$3" ] || exit 1
[ ! -e "$4" ] || cp -- "$4" "$5/config.json")sh";
  auto whole = result_dir(o, host, {o.job.job, 0}) + "/_submitted_code";
  SideCommand move{"the bundle's move to " + bundle_dir(o, host),
                   {"/bin/sh", "-c", kMove, "sh", incoming_dir(o, host), whole, bundle_dir(o, host),
                    attempt_dir(o, host) + "/config.json", work_dir(o, host),
                    id_part(results_id(o)), named_result_dir(o, host)},
                   {"PATH=/usr/bin:/bin"},
                   false,
                   {}};
  move.cwd = "/";
  return move;
}

/// The first task here that has a process; null: none has.
const OrderedTask* first_process(const HostOrder& o) {
  auto at = std::find_if(o.tasks.begin(), o.tasks.end(),
                         [](const OrderedTask& t) { return t.has_process && !t.kill; });
  return at == o.tasks.end() ? nullptr : &*at;
}

/// One file of -f. Hosts that see the same files, or the submission host itself, need only cp.
/// @source LSF: bsub -f; LSF_REMOTE_COPY_CMD
SideCommand copy_of(const HostOrder& o, const HostFacts& host, const FileCopy& file, bool before) {
  const auto& here =
      o.resolved.program.submit_host == host.name ? std::string() : host.scripts.copy;
  auto local = here.empty() ? file.local : o.resolved.program.submit_host + ":" + file.local;
  auto from = before ? local : file.remote, to = before ? file.remote : local;
  std::string script = file.append && !before ? R"(cat -- "$1" >>"$2")"
                       : here.empty()         ? R"(cp -- "$1" "$2")"
                                              : here + R"( "$1" "$2")";
  if (file.append && !before) to = file.local;  // nothing appends over there
  return {"the copy of '" + from + "'", {"/bin/sh", "-c", script, "sh", from, to}, {}, false, {}};
}

void plan_copies(const HostOrder& o, const HostFacts& host, bool before,
                 std::vector<SideCommand>& list) {
  const auto* task = first_process(o);
  if (!o.first_host || !task) return;
  for (auto file : o.resolved.files.copies) {
    if (!(before ? file.before : file.after)) continue;
    for (auto* name : {&file.local, &file.remote}) *name = expand_output(*name, o, host.name);
    list.push_back(copy_of(o, host, file, before));
    list.back().env = task_environment(o, host, *task);
  }
}

void plan_removal(const HostOrder& o, const HostFacts& host, std::vector<SideCommand>& list) {
  const auto* task = first_process(o);
  if (!o.first_host || !task || !o.resolved.files.in_spooled) return;
  list.push_back({"the removal of the spooled input",
                  {"/bin/rm", "-f", "--", o.resolved.files.in},
                  task_environment(o, host, *task),
                  false,
                  {}});
}

/// Site, queue, job before; the other way round after. The user's run on the first host only.
void plan_side_commands(const HostOrder& o, const HostFacts& host, AttemptSpec& spec) {
  const auto& job = o.resolved;
  const auto* task = first_process(o);
  auto user = [&](std::vector<SideCommand>& list, const char* what, const std::string& command) {
    if (o.first_host && task && !command.empty())
      list.push_back(user_command(o, host, *task, what, command));
  };
  auto site = [&](std::vector<SideCommand>& list, const char* what, const std::string& command) {
    if (!command.empty()) list.push_back(site_command(o, host, what, command));
  };
  auto limit = [](Duration queues, Duration sites) { return queues > Duration{} ? queues : sites; };
  spec.before_limit = limit(o.queue_side.pre_limit, host.scripts.pre_exec_limit);
  spec.after_limit = limit(o.queue_side.post_limit, host.scripts.post_exec_limit);
  site(spec.before, "prolog", host.scripts.prolog);
  if (auto move = bundle_move(o, host)) spec.before.push_back(*std::move(move));
  if (auto look = image_check(o, host)) spec.before.push_back(*std::move(look));
  plan_copies(o, host, true, spec.before);
  user(spec.before, "pre-execution command of the queue", o.queue_side.pre);
  user(spec.before, "pre-execution command", job.side.pre.empty() ? o.app.pre_exec : job.side.pre);
  user(spec.after, "post-execution command",
       job.side.post.empty() ? o.app.post_exec : job.side.post);
  user(spec.after, "post-execution command of the queue", o.queue_side.post);
  plan_copies(o, host, false, spec.copies);
  spec.copy_limit = host.scripts.copy_limit;
  plan_removal(o, host, spec.after);
  site(spec.after, "epilog", host.scripts.epilog);
}

void plan_warning(const HostOrder& o, const HostFacts& host, AttemptSpec& spec) {
  const auto& side = o.resolved.side.warn_action.empty() ? o.queue_side : o.resolved.side;
  const auto& action = side.warn_action;
  const auto* task = first_process(o);
  if (action.empty() || side.warn_time == Duration{} || !task) return;
  spec.warning.lead = side.warn_time;
  bool is_number = action.find_first_not_of("0123456789") == action.npos;
  if (is_number) spec.warning.signal = std::atoi(action.c_str());
  else if (o.first_host)
    spec.warning.command = user_command(o, host, *task, "warning command", action);
  else spec.warning.lead = {};
}

/// The profile's, or else the queue's. A command is for the first host; others do as usual.
/// @source LSF: JOB_CONTROLS
JobAct act_of(const HostOrder& o, const HostFacts& host, std::string JobControls::*which,
              const char* what) {
  const auto& own = o.app.controls.*which;
  const auto& text = own.empty() ? o.queue_controls.*which : own;
  JobAct act;
  if (text.empty()) return act;
  if (auto signal = signal_number(text)) act.signal = *signal;
  else if (const auto* task = first_process(o); task && o.first_host)
    act.command = user_command(o, host, *task, what, text);
  return act;
}

void plan_acts(const HostOrder& o, const HostFacts& host, AttemptSpec& spec) {
  spec.acts.suspend = act_of(o, host, &JobControls::suspend, "suspend control");
  spec.acts.resume = act_of(o, host, &JobControls::resume, "resume control");
  spec.acts.terminate = act_of(o, host, &JobControls::terminate, "terminate control");
}

/// On the first host: of what comes of it on others its tasks know.
/// @source LSF: bsub -k; echkpnt -c -d checkpoint_dir process_group
void plan_checkpoints(const HostOrder& o, const HostFacts& host, AttemptSpec& spec) {
  constexpr const char* kWrite =
      R"sh(mkdir -p -- "$LSB_CHKPNT_DIR" && exec "echkpnt.$LSB_ECHKPNT_METHOD" -c -d "$LSB_CHKPNT_DIR" "${LSB_JOBPGIDS%% *}")sh";
  const auto& wish = o.resolved.checkpoint;
  const auto* task = first_process(o);
  if (wish.dir.empty() || wish.period == Duration{} || !o.first_host || !task) return;
  spec.acts.checkpoints.period = wish.period;
  if (!wish.method.empty() && wish.method != "wm")
    spec.acts.checkpoints.command = user_command(o, host, *task, "checkpoint", kWrite);
}

}  // namespace

UseLimits limits_of(const HostOrder& order) {
  const auto& asked = order.resolved.limits;
  std::uint64_t slots = 0;
  for (const auto& task : order.tasks) slots += !task.kill;
  UseLimits limits;
  limits.cpu = asked.cpu;
  if (asked.mem_per_host || slots == 0) slots = 1;
  limits.mem = static_cast<std::uint64_t>(asked.mem.value) * slots;
  limits.swap = static_cast<std::uint64_t>(asked.swap.value);
  limits.processes = asked.processes;
  limits.threads = asked.threads;
  return limits;
}

SideCommand user_command(const HostOrder& order, const HostFacts& host, const OrderedTask& task,
                         const std::string& what, const std::string& command) {
  return {what, {"/bin/sh", "-c", command}, task_environment(order, host, task), false, {}};
}

void plan_around(const HostOrder& order, const HostFacts& host, AttemptSpec& spec) {
  spec.limits = limits_of(order);
  spec.suspended = order.control.suspend;
  spec.caps = caps_of(order.resolved.limits);
  spec.nice = order.app.controls.nice ? order.app.controls.nice : order.queue_controls.nice;
  spec.cpu_weight = cpu_weight_of(order);
  plan_side_commands(order, host, spec);
  plan_warning(order, host, spec);
  plan_acts(order, host, spec);
  plan_checkpoints(order, host, spec);
}

}  // namespace wm::launch
