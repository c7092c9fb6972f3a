// bqueues -l: a queue in sections, as LSF lays them out.
#include <algorithm>
#include <cctype>
#include <optional>

#include "libwm/base/joined.h"
#include "libwm/base/units.h"
#include "libwm/view/group_tables.h"
#include "libwm/view/queue_fields.h"
#include "libwm/view/texts.h"
#include "libwm/view/thresholds.h"

namespace wm::view {
namespace {

using Q = QueueView;

std::string policies(const Q& q) {
  std::string text = "FAIRSHARE";
  if (q.conf.exclusive) text += " EXCLUSIVE";
  if (q.conf.interactive == Interactive::No) text += " NO_INTERACTIVE";
  if (q.conf.interactive == Interactive::Only) text += " ONLY_INTERACTIVE";
  return text;
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

// "4000 K", "2 G": the largest unit in which it is whole, or the number to one place.
std::string size_with_unit(Bytes bytes) {
  auto text = format_bytes(bytes);
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text.back()))) return text + " B";
  return text.substr(0, text.size() - 1) + " " + text.back();
}

// The name above, the value below: how programs find a limit. @source LSF bqueues -l
struct Limits {
  std::string text;
  void add(const char* name, const std::string& value) {
    if (!value.empty()) text += " " + std::string(name) + "\n " + value + "\n\n";
  }
  void size(const char* name, Bytes value) {
    if (value.value > 0) add(name, size_with_unit(value));
  }
  void number(const char* name, std::uint32_t value) {
    if (value != 0) add(name, count(value));
  }
  void minutes_of(const char* name, Duration value) {
    if (value.count() > 0) add(name, minutes(value) + " min");
  }
  std::string below(const char* title) const {
    return text.empty() ? "" : std::string(title) + "\n" + text;
  }
};

std::string default_limits(const QueueConf& conf) {
  Limits limits;
  limits.minutes_of("RUNLIMIT", conf.run_limit.usual);
  return limits.below("DEFAULT LIMITS:");
}

std::string maximum_limits(const QueueConf& conf) {
  Limits limits;
  const JobLimits& most = conf.limits;
  limits.minutes_of("CPULIMIT", most.cpu);
  limits.minutes_of("RUNLIMIT", conf.run_limit.max);
  const auto least = std::max(1u, conf.min_tasks);
  const auto usual = conf.default_tasks ? conf.default_tasks : least;
  if (usual > 1)
    limits.add("TASKLIMIT", count(least) + " " + count(usual) + " " +
                                (conf.max_tasks ? count(conf.max_tasks) : "-"));
  else limits.number("TASKLIMIT", conf.max_tasks);
  limits.size("FILELIMIT", most.file);
  limits.size("DATALIMIT", most.data);
  limits.size("STACKLIMIT", most.stack);
  if (most.core) limits.add("CORELIMIT", most.core->value ? size_with_unit(*most.core) : "0 K");
  limits.size("MEMLIMIT", conf.mem_limit.value ? conf.mem_limit : most.mem);
  limits.size("SWAPLIMIT", most.swap);
  limits.number("PROCESSLIMIT", most.processes);
  limits.number("THREADLIMIT", most.threads);
  return limits.below("MAXIMUM LIMITS:");
}

}  // namespace

QueueView with_slashes(QueueView view, const Config& config) {
  auto named = [](std::span<const GroupRow> groups, const std::string& name) {
    return std::ranges::find(groups, name, &GroupRow::name) != groups.end();
  };
  // "~grp+2": the name in it.
  auto mark = [&](std::span<const GroupRow> groups, std::string& word) {
    auto first = word.find_first_not_of("~@");
    if (first == word.npos) return;
    auto last = std::min(word.find_first_of("+!", first), word.size());
    auto name = word.substr(first, last - first);
    if (!named(groups, name)) return;
    word.insert(last, "/");
    std::erase(word, '@');
  };
  const auto users = user_groups(config), hosts = host_groups(config);
  for (auto& word : view.conf.users) mark(users, word);
  for (auto& word : view.conf.hosts) mark(hosts, word);
  return view;
}

std::string queue_long_text(const QueueView& view) {
  const auto& conf = view.conf;
  std::string text = "\nQUEUE: " + conf.name + "\n  -- " +
                     (conf.description.empty() ? "No description provided." : conf.description) +
                     "\n\nPARAMETERS/STATISTICS\n" + queue_statistics(view);
  auto line = [&](const char* name, const std::string& value) {
    if (!value.empty()) text += std::string(name) + "  " + value + "\n";
  };
  line("ADMIN ACTION COMMENT:", view.why.empty() ? "" : "\"" + view.why + "\"");
  text += "\n";
  text += default_limits(conf) + maximum_limits(conf) + "SCHEDULING PARAMETERS\n" +
          load_thresholds(conf.load) + "\n";
  line("SCHEDULING POLICIES:", policies(view));
  line("ELASTIC SIZES:", std::string(to_string(conf.elastic)));
  if (!conf.preempts.empty()) line("PREEMPTS:", joined(conf.preempts));
  line("MAKES WAY BY:", std::string(to_string(conf.preempt_by)));
  line("USERS:", conf.users.empty() ? "all" : joined(conf.users));
  line("HOSTS:", conf.hosts.empty() ? "all" : joined(conf.hosts));
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

}  // namespace wm::view
