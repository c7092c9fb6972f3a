// One row per field; the table and the long form are made of the same texts.
#include "libwm/view/queue_fields.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "libwm/base/joined.h"
#include "libwm/base/units.h"
#include "libwm/model/load_limits.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

using Q = QueueView;

// In tables "-" is no limit; in JSON and -o an empty text is.
std::string limit(std::uint32_t n) { return n == 0 ? "" : std::to_string(n); }

std::string all_or(const std::vector<std::string>& words) {
  return words.empty() ? "all" : joined(words);
}

std::string minutes(Duration d) {
  if (d.count() == 0) return "";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f",
                std::chrono::duration<double, std::ratio<60>>(d).count());
  return text.data();
}

std::string interactive(const Q& q) {
  switch (q.conf.interactive) {
    case Interactive::Yes: return "YES";
    case Interactive::No: return "NO";
    case Interactive::Only: return "ONLY";
  }
  return "";
}

std::string policies(const Q& q) {
  std::string text = "FAIRSHARE";
  if (q.conf.exclusive) text += " EXCLUSIVE";
  if (q.conf.interactive == Interactive::No) text += " NO_INTERACTIVE";
  if (q.conf.interactive == Interactive::Only) text += " ONLY_INTERACTIVE";
  return text;
}

constexpr Field<Q> kQueueFields[] = {
    {{"queue_name", "qname queue", 15}, kBrief, [](const Q& q) { return q.conf.name; }},
    {{"priority", "prio", 10}, kBrief, [](const Q& q) { return q.conf.priority; }},
    {{"status", "stat", 15}, kBrief, queue_status},
    {{"max", "", 10}, kBrief, [](const Q& q) { return if_set(q.conf.max_slots); }},
    {{"jl_u", "jlu", 10}, kBrief, [](const Q& q) { return if_set(q.conf.user_slots); }},
    {{"jl_p", "jlp", 10}, kText, [](const Q&) { return std::string(); }},
    {{"jl_h", "jlh", 10}, kBrief, [](const Q& q) { return if_set(q.conf.host_slots); }},
    {{"njobs", "", 10}, kBrief, [](const Q& q) { return q.jobs; }},
    {{"pend", "", 10}, kBrief, [](const Q& q) { return q.pending; }},
    {{"run", "", 10}, kBrief, [](const Q& q) { return q.running; }},
    {{"susp", "", 10}, kBrief, [](const Q& q) { return q.suspended; }},
    {{"rsv", "", 10}, kText, [](const Q&) { return count(0); }},
    {{"nice", "", 6}, kText, [](const Q& q) { return std::to_string(q.conf.controls.nice); }},
    {{"description", "desc", 50}, kFull, [](const Q& q) { return q.conf.description; }},
    {{"users", "", 50},
     kFull,
     [](const Q& q) { return q.conf.users; },
     [](const Q& q) { return all_or(q.conf.users); }},
    {{"hosts", "", 50},
     kFull,
     [](const Q& q) { return q.conf.hosts; },
     [](const Q& q) { return all_or(q.conf.hosts); }},
    {{"administrators", "admins", 50}, kFull, [](const Q& q) { return q.conf.admins; }},
    {{"application", "app", 13}, kFull, [](const Q& q) { return q.conf.app; }},
    {{"plan", "", 20}, kFull, [](const Q& q) { return q.conf.plan; }},
    {{"min_tasks", "", 10}, kFull, [](const Q& q) { return if_set(q.conf.min_tasks); }},
    {{"max_tasks", "", 10}, kFull, [](const Q& q) { return if_set(q.conf.max_tasks); }},
    {{"def_runlimit", "", 12},
     kFull,
     [](const Q& q) { return if_set(q.conf.run_limit.usual); },
     [](const Q& q) { return minutes(q.conf.run_limit.usual); }},
    {{"runlimit", "", 12},
     kFull,
     [](const Q& q) { return if_set(q.conf.run_limit.max); },
     [](const Q& q) { return minutes(q.conf.run_limit.max); }},
    {{"memlimit", "", 12}, kFull, [](const Q& q) { return if_set(q.conf.mem_limit); }},
    {{"interactive", "", 11}, kFull, interactive},
    {{"rerunnable", "", 10},
     kFull,
     [](const Q& q) { return q.conf.rerunnable; },
     [](const Q& q) { return std::string(q.conf.rerunnable ? "yes" : "no"); }},
    {{"res_req", "", 20}, kFull, [](const Q& q) { return q.conf.res_req; }},
    {{"elastic", "", 10}, kFull, [](const Q& q) { return to_string(q.conf.elastic); }},
    {{"preempt_by", "", 10}, kFull, [](const Q& q) { return to_string(q.conf.preempt_by); }},
    {{"comments", "comment", 30}, kBrief, [](const Q& q) { return q.why; }},
};

constexpr Field<Q> kMoreQueueFields[] = {
    {{"closed", ""}, kFull, [](const Q& q) { return q.closed; }},
    {{"inactive", ""}, kFull, [](const Q& q) { return q.inactive; }},
    {{"exclusive", ""}, kFull, [](const Q& q) { return q.conf.exclusive; }},
    {{"preempts", ""}, kFull, [](const Q& q) { return q.conf.preempts; }},
};

// Limits: MAX JL/U JL/P JL/H.
std::string limits(const Q& q) {
  return fit(or_dash(limit(q.conf.max_slots)), 4, true) + " " +
         fit(or_dash(limit(q.conf.user_slots)), 4, true) + "    - " +
         fit(or_dash(limit(q.conf.host_slots)), 4, true);
}

std::string terminate_when(const TerminateWhen& when) {
  std::vector<std::string> words;
  if (when.load) words.emplace_back("LOAD");
  if (when.preempt) words.emplace_back("PREEMPT");
  if (when.window) words.emplace_back("WINDOW");
  return joined(words, " ");
}

// "SUSPEND[SIGTSTP] TERMINATE[./end it]"
std::string job_controls(const JobControls& controls) {
  std::string text;
  auto add = [&](const char* name, const std::string& act) {
    if (!act.empty()) text += (text.empty() ? "" : " ") + std::string(name) + "[" + act + "]";
  };
  add("SUSPEND", controls.suspend);
  add("RESUME", controls.resume);
  add("TERMINATE", controls.terminate);
  return text;
}

// @source LSF: bqueues -l, which has WM's columns among its own
std::string load_table(const std::vector<LoadLimit>& limits) {
  struct Column {
    const char* name;
    int width;
  };
  constexpr Column kColumns[] = {{"r15s", 15}, {"r1m", 6}, {"r15m", 6}, {"ut", 5},
                                 {"pg", 8},    {"io", 6},  {"ls", 5},   {"it", 6},
                                 {"tmp", 7},   {"swp", 7}, {"mem", 7}};
  std::string heads, sched = " loadSched", stop = " loadStop ";
  for (const Column& column : kColumns) {
    auto limit = std::find_if(limits.begin(), limits.end(),
                              [&](const LoadLimit& one) { return one.index == column.name; });
    auto shown = [&](std::optional<double> LoadLimit::*value) {
      bool set = limit != limits.end() && (*limit).*value;
      return set ? show_load(column.name, *((*limit).*value)) : std::string("-");
    };
    bool first = heads.empty();
    heads += fit(column.name, column.width, true);
    int width = first ? column.width - 10 : column.width;
    sched += fit(shown(&LoadLimit::sched), width, true);
    stop += fit(shown(&LoadLimit::stop), width, true);
  }
  return "SCHEDULING PARAMETERS\n" + heads + "\n" + sched + "\n" + stop + "\n\n";
}

std::string right(std::uint32_t n, int width) {
  auto text = count(n);
  return std::string(text.size() < static_cast<std::size_t>(width) ? width - text.size() : 1, ' ') +
         text;
}

std::string row(const Q& q, bool wide) {
  auto name = wide && q.conf.name.size() > 14 ? q.conf.name : fit(q.conf.name, 14);
  return name + right(q.conf.priority, 4) + "  " + fit(queue_status(q), 15) + limits(q) +
         right(q.jobs, 6) + right(q.pending, 6) + right(q.running, 6) + right(q.suspended, 6) +
         "\n";
}

// The line of -l with the numbers of the moment.
std::string statistics(const Q& q) {
  return "PRIO NICE STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN SSUSP USUSP  RSV\n" +
         right(q.conf.priority, 3) + fit(std::to_string(q.conf.controls.nice), 5, true) + "  " +
         fit(queue_status(q), 15) + limits(q) + right(q.jobs, 6) + right(q.pending, 6) +
         right(q.running, 6) + right(q.suspended, 6) + right(0, 6) + right(0, 5) + "\n";
}

}  // namespace

std::string queue_status(const QueueView& view) {
  return std::string(view.closed ? "Closed" : "Open") + ":" + (view.inactive ? "Inact" : "Active");
}

std::span<const Field<QueueView>> queue_fields() { return kQueueFields; }
std::span<const Field<QueueView>> more_queue_fields() { return kMoreQueueFields; }

std::string queue_table(std::span<const QueueView> queues, bool wide, bool with_header) {
  std::string text;
  if (with_header)
    text = "QUEUE_NAME     PRIO STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN  SUSP\n";
  for (const auto& view : queues) text += row(view, wide);
  return text;
}

std::string queue_long_text(const QueueView& view) {
  const auto& conf = view.conf;
  std::string text = "\nQUEUE: " + conf.name + "\n  -- " +
                     (conf.description.empty() ? "No description provided." : conf.description) +
                     "\n\nPARAMETERS/STATISTICS\n" + statistics(view);
  auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += std::string(name) + "  " + value + "\n";
  };
  line("ADMIN ACTION COMMENT:", view.why.empty() ? "" : "\"" + view.why + "\"");
  text += "\n";
  line("DEFAULT RUNLIMIT:",
       conf.run_limit.usual.count() ? minutes(conf.run_limit.usual) + " min" : "");
  line("RUNLIMIT:", conf.run_limit.max.count() ? minutes(conf.run_limit.max) + " min" : "");
  bool bounded = conf.min_tasks || conf.max_tasks;
  line("TASKLIMIT:",
       bounded ? count(conf.min_tasks ? conf.min_tasks : 1) + " " + or_dash(limit(conf.max_tasks))
               : "");
  line("MEMLIMIT:", conf.mem_limit.value ? format_bytes(conf.mem_limit) : "");
  if (!conf.load.empty()) text += "\n" + load_table(conf.load);
  line("SCHEDULING POLICIES:", policies(view));
  line("ELASTIC SIZES:", std::string(to_string(conf.elastic)));
  if (!conf.preempts.empty()) line("PREEMPTS:", joined(conf.preempts));
  line("MAKES WAY BY:", std::string(to_string(conf.preempt_by)));
  line("USERS:", all_or(conf.users));
  line("HOSTS:", all_or(conf.hosts));
  line("ADMINISTRATORS:", joined(conf.admins));
  line("APPLICATION:", conf.app);
  line("PLAN:", conf.plan);
  line("RES_REQ:", conf.res_req);
  line("GPU_REQ:", conf.gpu);
  line("RUNTIME:", conf.run_estimate.count() ? minutes(conf.run_estimate) + " min" : "");
  line("MAX_JOB_REQUEUE:", conf.max_requeue ? count(*conf.max_requeue) : "");
  line("MAX_JOB_PREEMPT:", conf.max_preempt ? count(*conf.max_preempt) : "");
  if (conf.rerunnable) line("RERUNNABLE:", "yes");
  line("JOB_STARTER:", conf.controls.starter);
  line("JOB_CONTROLS:", job_controls(conf.controls));
  line("TERMINATE_WHEN:", terminate_when(conf.terminate_when));
  line("RUN_WINDOW:", show_windows(conf.run_window));
  line("DISPATCH_WINDOW:", show_windows(conf.dispatch_window));
  return text;
}

std::string share_info(const std::string& queue, std::span<const PlanView> plans) {
  auto folder = [](const std::string& path) { return path.substr(0, path.rfind('/') + 1); };
  std::string text;
  for (const PlanView& above : plans) {
    auto prefix = above.path == "/" ? above.path : above.path + "/";
    std::string rows;
    for (const PlanView& plan : plans) {
      if (plan.path == "/" || folder(plan.path) != prefix) continue;
      std::array<char, 160> row{};
      std::snprintf(row.data(), row.size(), "%-12s %6u %9.3f %8u %9u %9.1f %9.0f %8.3f\n",
                    printable(plan.path.substr(prefix.size())).c_str(), plan.shares,
                    plan.weight_now / 1000.0, plan.used, 0u, 0.0, plan.used_lately, 0.0);
      rows += row.data();
    }
    if (rows.empty()) continue;
    text += (text.empty() ? "" : "\n") + std::string("SHARE_INFO_FOR: ") + queue + prefix +
            "\nUSER/GROUP   SHARES  PRIORITY  STARTED  RESERVED  CPU_TIME  RUN_TIME   ADJUST\n" +
            rows;
  }
  return text;
}

}  // namespace wm::view
