#include "libwm/submit/stated.h"

#include <algorithm>
#include <ctime>

#include "libwm/base/local_time.h"
#include "libwm/expr/requeue_exits.h"
#include "libwm/submit/modification.h"

namespace wm::cmd {
namespace {

// In the order in which people name them.
constexpr std::string_view kPolicys[] = {"q", "n",   "ar", "sizes", "app", "plan", "gpu", "R",
                                         "W", "M",   "c",  "F",     "D",   "S",    "C",   "v",
                                         "p", "T",   "m",  "x",     "r",   "sp",   "P",   "Jd",
                                         "g", "sla", "We", "U",     "ptl", "H",    "b",   "t"};

/// Options that are not there where their text is empty.
struct TextOption {
  std::string_view name;
  std::string JobSpec::*field;
};
constexpr TextOption kTexts[] = {{"q", &JobSpec::queue},       {"app", &JobSpec::app},
                                 {"plan", &JobSpec::plan},     {"P", &JobSpec::project},
                                 {"g", &JobSpec::job_group},   {"Jd", &JobSpec::description},
                                 {"U", &JobSpec::reservation}, {"sla", &JobSpec::service_class}};

/// What is stated so far.
struct Stated {
  std::vector<OptionChange> all = {};

  void text(std::string_view name, const std::string& value) {
    if (!value.empty()) all.push_back({std::string(name), {value}});
  }
  void flag(std::string_view name, bool is) {
    if (is) all.push_back({std::string(name), {""}});
  }
  void number(std::string_view name, std::uint64_t value) {
    if (value != 0) text(name, std::to_string(value));
  }
  void size(std::string_view name, Bytes bytes) {
    if (bytes.value == 0) return;
    bool whole = bytes.value % 1024 == 0;
    text(name,
         whole ? std::to_string(bytes.value / 1024) + "K" : std::to_string(bytes.value) + "B");
  }
  void time(std::string_view name, Duration time);
  void date(std::string_view name, WallTime at);
};

// Minutes, with what parse_run_limit reads of them.
void Stated::time(std::string_view name, Duration time) {
  using std::chrono::duration_cast;
  if (time == Duration{}) return;
  auto seconds = duration_cast<std::chrono::seconds>(time).count();
  auto two = [](std::int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  if (seconds % 60 == 0) return text(name, std::to_string(seconds / 60));
  text(name,
       std::to_string(seconds / 3600) + ":" + two(seconds / 60 % 60) + ":" + two(seconds % 60));
}

void Stated::date(std::string_view name, WallTime at) {
  if (at == WallTime{}) return;
  auto parts = local_parts(at);
  text(name, std::to_string(parts.tm_year + 1900) + ":" + std::to_string(parts.tm_mon + 1) + ":" +
                 std::to_string(parts.tm_mday) + ":" + std::to_string(parts.tm_hour) + ":" +
                 std::to_string(parts.tm_min));
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

// "name[1-10:2,20]%3"
std::string name_text(const JobSpec& spec) {
  std::string ranges;
  for (const auto& range : spec.array) {
    ranges += (ranges.empty() ? "" : ",") + std::to_string(range.from);
    if (range.to != range.from) ranges += "-" + std::to_string(range.to);
    if (range.step != 1) ranges += ":" + std::to_string(range.step);
  }
  if (ranges.empty()) return spec.name;
  return spec.name + "[" + ranges + "]" +
         (spec.array_limit ? "%" + std::to_string(spec.array_limit) : "");
}

void size_of(const JobSpec& spec, Stated& to) {
  to.text("J", name_text(spec));
  auto least = std::to_string(spec.min_tasks);
  bool one = spec.min_tasks == spec.max_tasks;
  bool said = spec.groups.empty() && !spec.default_tasks;
  if (said) to.text("n", one ? least : least + "," + std::to_string(spec.max_tasks));
  to.flag("ar", spec.elastic);
  if (spec.sizes != UsefulSizes::Any)
    to.text("sizes", spec.sizes == UsefulSizes::WholeHosts ? "hosts" : "pow2");
  to.text("app", spec.app);
  to.text("plan", spec.plan);
  to.text("gpu", spec.asked.gpu);
  to.text("R", spec.asked.resreq);
}

void limits_of(const JobSpec& spec, Stated& to) {
  const auto& limits = spec.limits;
  to.time("W", spec.run_limit);
  to.size("M", limits.mem);
  to.time("c", limits.cpu);
  to.size("F", limits.file);
  to.size("D", limits.data);
  to.size("S", limits.stack);
  if (limits.core) {
    if (limits.core->value == 0) to.text("C", "0");
    else to.size("C", *limits.core);
  }
  to.size("v", limits.swap);
  to.number("p", limits.processes);
  to.number("T", limits.threads);
  to.text("wa", spec.side.warn_action);
  to.time("wt", spec.side.warn_time);
  to.number("s", spec.side.window_signal);
}

void files_of(const JobSpec& spec, Stated& to) {
  to.text("cwd", spec.program.cwd);
  to.text(spec.files.in_spooled ? "is" : "i", spec.files.in);
  OptionChange copies{"f", {}};
  for (const auto& copy : spec.files.copies) {
    auto op = copy.before ? (copy.after ? "><" : ">") : copy.append ? "<<" : "<";
    copies.values.push_back(copy.local + " " + op + " " + copy.remote);
  }
  if (!copies.values.empty()) to.all.push_back(std::move(copies));
  to.text(spec.files.out_overwrite ? "oo" : "o", spec.files.out);
  to.text(spec.files.err_overwrite ? "eo" : "e", spec.files.err);
  to.text("outdir", spec.files.outdir);
  to.flag("Zs", spec.program.spooled);
  to.text("L", spec.program.shell);
}

void course_of(const JobSpec& spec, Stated& to) {
  to.flag("H", spec.when.hold);
  to.flag("I", spec.console.streams == Streams::Pipes);
  to.flag("Ip", spec.console.streams == Streams::Terminal);
  to.flag("Is", spec.console.streams == Streams::Shell);
  to.flag("r", spec.rerunnable);
  to.number("sp", spec.user_priority);
  to.text("P", spec.project);
  to.text("Jd", spec.description);
  to.text("w", spec.when.depend);
  to.flag("ti", spec.when.orphan_kill);
  to.date("b", spec.when.begin);
  to.date("t", spec.when.deadline);
  to.flag("N", spec.mail.at_end);
  to.flag("B", spec.mail.at_start);
  to.text("u", spec.mail.to);
  std::vector<std::string> notify;
  const auto& at = spec.mail.notify;
  for (auto [is, word] : {std::pair(at.start, "start"), std::pair(at.done, "done"),
                          std::pair(at.exit, "exit"), std::pair(at.suspend, "suspend")})
    if (is) notify.emplace_back(word);
  to.text("notify", joined(notify));
  to.text("g", spec.job_group);
  to.text("sla", spec.service_class);
  to.time("We", spec.run_estimate);
  to.text("U", spec.reservation);
  to.time("ptl", spec.exec.pending_limit);
  to.flag("open", spec.open);
}

void around_of(const JobSpec& spec, Stated& to) {
  to.text("E", spec.side.pre);
  to.text("Ep", spec.side.post);
  if (!(spec.requeue_exits == RequeueExits{}))
    to.text("Q", expr::format_requeue_exits(spec.requeue_exits));
  to.text("rnc", spec.side.notify);
  to.text("m", joined(spec.asked.hosts));
  to.flag("x", spec.exclusive);
  if (spec.mpi == Mpi::Pmix) to.text("mpi", "pmix");
  to.flag("tag", spec.files.tag);
  if (spec.checkpoint.dir.empty()) return;
  auto minutes = std::chrono::duration_cast<std::chrono::minutes>(spec.checkpoint.period).count();
  to.text("k", spec.checkpoint.dir + (minutes ? " " + std::to_string(minutes) : "") +
                   (spec.checkpoint.method.empty() ? "" : " method=" + spec.checkpoint.method));
}

// What bmod's word for taking it away is, or the empty text of one that has none.
Result<void> take_away(const std::string& name, Parsed& options, JobSpec& spec) {
  auto reset = name + "n";
  auto listed = std::ranges::any_of(modify_options(),
                                    [&](const Option& option) { return option.name == reset; });
  auto text = std::ranges::find(kTexts, name, &TextOption::name);
  if (text != std::end(kTexts)) spec.*text->field = "";
  else if (listed) options.options[reset] = {""};
  else if (name == "H") spec.when.hold = false;
  else return fail(Code::BadArgument, "-" + name + " cannot be taken away");
  return {};
}

Result<void> take_each(std::span<const OptionChange> changes, Parsed& options, JobSpec& spec) {
  for (const auto& change : changes) {
    if (!is_policys(change.name))
      return fail(Code::Denied, "-" + change.name + " is not for a policy to change");
    if (change.values.empty()) {
      WM_TRY(take_away(change.name, options, spec));
      continue;
    }
    if (change.name == "q") spec.queue = change.values.front();
    else if (change.name == "H") spec.when.hold = true;
    else options.options[change.name] = change.values;
  }
  return {};
}

}  // namespace

std::vector<OptionChange> stated_options(const JobSpec& spec) {
  Stated to;
  to.text("q", spec.queue);
  size_of(spec, to);
  limits_of(spec, to);
  around_of(spec, to);
  files_of(spec, to);
  course_of(spec, to);
  return std::move(to.all);
}

bool is_policys(std::string_view option) {
  return std::ranges::find(kPolicys, option) != std::end(kPolicys);
}

Result<void> take_options(std::span<const OptionChange> changes, const Surroundings& here,
                          JobSpec& spec) {
  Parsed options;
  JobSpec changed = spec;
  WM_TRY(take_each(changes, options, changed));
  if (!options.options.empty()) WM_TRY(change_spec(options, here, changed));
  spec = std::move(changed);
  return {};
}

std::string change_text(std::span<const OptionChange> changes) {
  std::string with, without;
  for (const auto& [name, values] : changes) {
    if (values.empty()) without += (without.empty() ? "without -" : " -") + name;
    for (const auto& value : values) {
      bool plain = value.find_first_of(" \t\"'") == value.npos;
      with += (with.empty() ? "-" : " -") + name;
      if (!value.empty()) with += plain ? " " + value : " \"" + value + "\"";
    }
  }
  return with + (with.empty() || without.empty() ? "" : ", ") + without;
}

}  // namespace wm::cmd
