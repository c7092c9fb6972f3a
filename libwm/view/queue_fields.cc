// One row per field; the table and the long form are made of the same texts.
#include "libwm/view/queue_fields.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

#include "libwm/base/joined.h"
#include "libwm/base/units.h"
#include "libwm/view/texts.h"

namespace wm::view {
namespace {

using Q = QueueView;

// In tables "-" is no limit; in JSON and -o an empty text is.
std::string limit(std::uint32_t n) { return n == 0 ? "" : std::to_string(n); }

std::string all_or(const std::vector<std::string>& words) {
  return words.empty() ? "all" : joined(words);
}

std::string unlimited(const Q&) { return ""; }

std::string interactive(const Q& q) {
  switch (q.conf.interactive) {
    case Interactive::Yes: return "YES";
    case Interactive::No: return "NO";
    case Interactive::Only: return "ONLY";
  }
  return "";
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
    {{"ususp", "", 10}, kText, [](const Q& q) { return count(q.suspended - q.parked); }},
    {{"ssusp", "", 10}, kText, [](const Q& q) { return count(q.parked); }},
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
    {{"min_tasks", "min_tasklimit", 10, "MIN_TASKLIMIT"},
     kFull,
     [](const Q& q) { return if_set(q.conf.min_tasks); }},
    {{"max_tasks", "max_tasklimit tasklimit", 10, "MAX_TASKLIMIT"},
     kFull,
     [](const Q& q) { return if_set(q.conf.max_tasks); }},
    {{"def_runlimit", "default_runlimit", 12, "DEFAULT_RUNLIMIT"},
     kFull,
     [](const Q& q) { return if_set(q.conf.run_limit.usual); },
     [](const Q& q) { return minutes(q.conf.run_limit.usual); }},
    {{"runlimit", "max_runlimit", 12, "MAX_RUNLIMIT"},
     kFull,
     [](const Q& q) { return if_set(q.conf.run_limit.max); },
     [](const Q& q) { return minutes(q.conf.run_limit.max); }},
    {{"memlimit", "max_memlimit", 12, "MAX_MEMLIMIT"},
     kFull,
     [](const Q& q) { return if_set(q.conf.mem_limit); }},
    {{"default_memlimit", "def_memlimit", 12}, kText, unlimited},
    {{"default_tasks", "default_tasklimit def_tasklimit", 6, "DEFAULT_TASKLIMIT"},
     kFull,
     [](const Q& q) { return if_set(q.conf.default_tasks); }},
    {{"max_cpulimit", "cpulimit", 12},
     kText,
     [](const Q& q) { return minutes(q.conf.limits.cpu); }},
    {{"default_cpulimit", "def_cpulimit", 12}, kText, unlimited},
    {{"max_corelimit", "corelimit", 8}, kFull, [](const Q& q) { return q.conf.limits.core; }},
    {{"max_datalimit", "datalimit", 8},
     kFull,
     [](const Q& q) { return if_set(q.conf.limits.data); }},
    {{"default_datalimit", "def_datalimit", 8}, kText, unlimited},
    {{"max_filelimit", "filelimit", 8},
     kFull,
     [](const Q& q) { return if_set(q.conf.limits.file); }},
    {{"max_stacklimit", "stacklimit", 8},
     kFull,
     [](const Q& q) { return if_set(q.conf.limits.stack); }},
    {{"max_swaplimit", "swaplimit", 8},
     kFull,
     [](const Q& q) { return if_set(q.conf.limits.swap); }},
    {{"max_processlimit", "processlimit", 8},
     kFull,
     [](const Q& q) { return if_set(q.conf.limits.processes); }},
    {{"default_processlimit", "def_processlimit", 8}, kText, unlimited},
    {{"max_threadlimit", "threadlimit", 8},
     kFull,
     [](const Q& q) { return if_set(q.conf.limits.threads); }},
    {{"default_threadlimit", "def_threadlimit", 8}, kText, unlimited},
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

}  // namespace

std::string queue_status(const QueueView& view) {
  return std::string(view.closed ? "Closed" : "Open") + ":" + (view.inactive ? "Inact" : "Active");
}

std::string queue_statistics(const QueueView& q) {
  return "PRIO NICE STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN SSUSP USUSP  RSV\n" +
         right(q.conf.priority, 3) + fit(std::to_string(q.conf.controls.nice), 5, true) + "  " +
         fit(queue_status(q), 15) + limits(q) + right(q.jobs, 6) + right(q.pending, 6) +
         right(q.running, 6) + right(q.parked, 6) + right(q.suspended - q.parked, 6) + right(0, 5) +
         "\n";
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
