// One small reader per kind of value.
#include "libwm/submit/submission.h"

#include <algorithm>
#include <charconv>

#include "libwm/expr/alternatives.h"
#include "libwm/expr/asked_hosts.h"
#include "libwm/expr/depend.h"
#include "libwm/expr/gpu.h"
#include "libwm/expr/requeue_exits.h"
#include "libwm/submit/checkpoints.h"
#include "libwm/submit/directives.h"
#include "libwm/submit/file_copies.h"
#include "libwm/submit/job_names.h"
#include "libwm/submit/mail_wishes.h"
#include "libwm/submit/selection.h"
#include "libwm/submit/times.h"

namespace wm::cmd {
namespace {

Error bad(const std::string& option, const std::string& value, const std::string& why) {
  return fail(Code::BadArgument, "-" + option + " " + value + ": " + why);
}

Result<std::uint32_t> count(const std::string& option, const std::string& whole,
                            std::string_view text) {
  std::uint32_t value = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size() || value == 0 || value > 1000000)
    return bad(option, whole, "Bad argument, a number from 1 to 1000000 is wanted");
  return value;
}

Result<void> read_tasks(const Parsed& options, JobSpec& spec) {
  if (auto n = options.first("n")) {
    auto comma = n->find(',');
    WM_TRY(spec.min_tasks, count("n", *n, std::string_view(*n).substr(0, comma)));
    spec.max_tasks = spec.min_tasks;
    if (comma != std::string::npos) {
      WM_TRY(spec.max_tasks, count("n", *n, std::string_view(*n).substr(comma + 1)));
    }
    if (spec.max_tasks < spec.min_tasks) return bad("n", *n, "Bad argument, max is below min");
    spec.default_tasks = false;
  }
  return {};
}

Result<void> read_sizes(const Parsed& options, JobSpec& spec) {
  auto text = options.first("sizes");
  if (!text) return {};
  if (*text == "pow2") spec.sizes = UsefulSizes::PowersOfTwo;
  else if (*text == "hosts") spec.sizes = UsefulSizes::WholeHosts;
  else return bad("sizes", *text, "Bad argument, pow2 or hosts is wanted");
  if (!spec.elastic) return bad("sizes", *text, "It goes with -ar");
  return {};
}

Result<void> read_mpi(const Parsed& options, JobSpec& spec) {
  auto text = options.first("mpi");
  spec.files.tag = options.has("tag");
  if (spec.files.tag && (!text || spec.console.streams != Streams::Files))
    return fail(Code::BadArgument, "-tag: goes with -mpi pmix, and not with -I, -Ip, -Is");
  if (!text) return {};
  if (*text != "pmix") return bad("mpi", *text, "Bad argument, pmix is wanted");
  spec.mpi = Mpi::Pmix;
  return check_ranks(spec);
}

// -nnodes spreads -n tasks evenly; alone it is one task a host.
Result<void> read_nodes(const Parsed& options, JobSpec& spec, std::vector<std::string>& resreqs) {
  auto text = options.first("nnodes");
  if (!text) return {};
  WM_TRY(auto nodes, count("nnodes", *text, *text));
  if (!options.has("n")) spec.min_tasks = spec.max_tasks = nodes;
  spec.default_tasks = false;
  if (spec.min_tasks % nodes != 0)
    return bad("nnodes", *text, "Bad argument, -n is not a multiple of it");
  resreqs.push_back("span[ptile=" + std::to_string(spec.min_tasks / nodes) + "]");
  return {};
}

Result<void> read_gpus(const Parsed& options, JobSpec& spec) {
  auto gpu = options.first("gpu");
  if (!gpu) return {};
  WM_TRY(expr::parse_gpu(*gpu));
  spec.asked.gpu = *gpu;
  return {};
}

// What parse_run_limit takes.
constexpr const char* kWantsMinutes = "Bad argument, [hours:]minutes up to 1000000000 is wanted";

Result<void> read_run_limit(const Parsed& options, JobSpec& spec) {
  auto text = options.first("W");
  if (!text) return {};
  auto limit = parse_run_limit(text->substr(0, text->find('/')));
  if (!limit || limit->count() == 0) return bad("W", *text, kWantsMinutes);
  spec.run_limit = *limit;
  return {};
}

Result<void> read_priority(const Parsed& options, JobSpec& spec) {
  if (auto text = options.first("sp")) {
    WM_TRY(spec.user_priority, count("sp", *text, *text));
  }
  return {};
}

// [hours:]minutes, as with -W.
Result<void> read_time(const Parsed& options, const char* name, Duration& value) {
  auto text = options.first(name);
  if (!text) return {};
  auto time = parse_run_limit(*text);
  if (!time || time->count() == 0) return bad(name, *text, kWantsMinutes);
  value = *time;
  return {};
}

constexpr const char* kWantsSize = "Bad argument, a size such as 4G is wanted";

Result<void> read_size(const Parsed& options, const char* name, Bytes unit, Bytes& value) {
  auto text = options.first(name);
  if (!text) return {};
  auto size = parse_bytes(*text, unit);
  if (!size) return bad(name, *text, kWantsSize);
  value = *size;
  return {};
}

// "4G!": a limit that is enforced, which every one is here. @source LSF bsub -M
Result<void> read_memory(const Parsed& options, Bytes unit, Bytes& value) {
  if (auto text = options.first("M")) {
    WM_TRY(value, memory_limit(*text, unit));
  }
  return {};
}

Result<void> read_limits(const Parsed& options, Bytes unit, JobLimits& limits) {
  constexpr Bytes kKilo{1 << 10};
  WM_TRY(read_time(options, "c", limits.cpu));
  WM_TRY(read_memory(options, unit, limits.mem));
  WM_TRY(read_size(options, "F", kKilo, limits.file));
  WM_TRY(read_size(options, "D", kKilo, limits.data));
  WM_TRY(read_size(options, "S", unit, limits.stack));
  WM_TRY(read_size(options, "v", unit, limits.swap));
  if (options.has("C")) WM_TRY(read_size(options, "C", unit, limits.core.emplace()));
  if (auto text = options.first("p")) {
    WM_TRY(limits.processes, count("p", *text, *text));
  }
  if (auto text = options.first("T")) {
    WM_TRY(limits.threads, count("T", *text, *text));
  }
  return {};
}

// A signal travels as its number. CHKPNT: the signal that programs take for "save your state".
Result<void> read_warning(const Parsed& options, JobSpec& spec) {
  WM_TRY(read_time(options, "wt", spec.side.warn_time));
  auto action = options.first("wa");
  if (action.has_value() != options.has("wt"))
    return bad(action ? "wa" : "wt", action.value_or(*options.first(action ? "wa" : "wt")),
               "Bad argument, -wa and -wt belong together");
  if (!action) return {};
  auto signal = parse_signal(*action == "CHKPNT" ? "USR1" : *action);
  spec.side.warn_action = signal ? std::to_string(*signal) : *action;
  return {};
}

Result<void> read_window_signal(const Parsed& options, JobSpec& spec) {
  auto text = options.first("s");
  if (!text) return {};
  WM_TRY(int signal, parse_signal(*text));
  spec.side.window_signal = static_cast<std::uint32_t>(signal);
  return {};
}

Result<void> read_name(const Parsed& options, JobSpec& spec) {
  auto text = options.first("J");
  if (!text) return {};
  WM_TRY(auto name, parse_job_name(*text));
  spec.name = name.name;
  spec.array = name.array;
  spec.array_limit = name.limit;
  return {};
}

Result<void> read_dates(const Parsed& options, WallTime now, JobSpec& spec) {
  if (auto text = options.first("b")) {
    WM_TRY(spec.when.begin, parse_date(*text, now));
  }
  if (auto text = options.first("t")) {
    WM_TRY(spec.when.deadline, parse_date(*text, now));
  }
  if (spec.when.deadline != WallTime{} && spec.when.begin >= spec.when.deadline)
    return fail(Code::BadArgument, "Start time is later than termination time");
  return {};
}

void read_text(const Parsed& options, const char* name, std::string& value) {
  if (auto text = options.first(name)) value = *text;
}

void read_flag(const Parsed& options, const char* name, bool& value) {
  value = value || options.has(name);
}

Result<void> read_dependency(const Parsed& options, JobSpec& spec) {
  read_text(options, "w", spec.when.depend);
  read_flag(options, "ti", spec.when.orphan_kill);
  WM_TRY(expr::Depend::parse(spec.when.depend));
  return {};
}

// A file to be appended to, or, by the other option, replaced.
void read_output(const Parsed& options, const char* append, const char* replace, std::string& file,
                 bool& overwrite) {
  if (options.has(append) || options.has(replace)) overwrite = options.has(replace);
  read_text(options, overwrite ? replace : append, file);
}

// Longer commands could not be run on any host.
Result<void> check_lengths(const Parsed& options) {
  struct Most {
    const char* name;
    std::size_t bytes;
  };
  constexpr std::size_t kPath = 4095, kCommand = 64 << 10;
  constexpr Most kMost[] = {{"i", kPath},      {"is", kPath}, {"o", kPath},    {"oo", kPath},
                            {"e", kPath},      {"eo", kPath}, {"cwd", kPath},  {"L", kPath},
                            {"outdir", kPath}, {"rnc", 4096}, {"E", kCommand}, {"Ep", kCommand},
                            {"wa", kCommand}};
  for (const auto& [name, bytes] : kMost)
    if (auto text = options.first(name)) WM_TRY(check_length(name, *text, bytes));
  return {};
}

Result<void> read_files(const Parsed& options, JobSpec& spec) {
  if (options.has("i") && options.has("is"))
    return bad("is", *options.first("is"), "Bad argument, -i and -is exclude each other");
  if (options.has("i") || options.has("is")) spec.files.in_spooled = options.has("is");
  read_text(options, spec.files.in_spooled ? "is" : "i", spec.files.in);
  for (const auto& text : options.all("f")) {
    WM_TRY(auto copy, parse_file_copy(text));
    copy.local = absolute(copy.local, spec.program.cwd);
    spec.files.copies.push_back(std::move(copy));
  }
  read_output(options, "o", "oo", spec.files.out, spec.files.out_overwrite);
  read_output(options, "e", "eo", spec.files.err, spec.files.err_overwrite);
  read_text(options, "outdir", spec.files.outdir);
  return {};
}

// With a terminal as large as the one here.
Result<void> read_streams(const Parsed& options, const Surroundings& here, JobSpec& spec) {
  if (options.has("I")) spec.console.streams = Streams::Pipes;
  if (options.has("Ip")) spec.console.streams = Streams::Terminal;
  if (options.has("Is")) spec.console.streams = Streams::Shell;
  if (spec.console.streams == Streams::Files) return {};
  if (!spec.array.empty()) return fail(Code::BadArgument, "A job array cannot be interactive");
  if (spec.rerunnable) return fail(Code::BadArgument, "Interactive job cannot be rerunnable");
  spec.console.rows = here.rows;
  spec.console.columns = here.columns;
  return {};
}

std::vector<std::string> split(std::string_view text, std::string_view separators) {
  std::vector<std::string> parts;
  while (true) {
    auto first = text.find_first_not_of(separators);
    if (first == std::string_view::npos) return parts;
    text.remove_prefix(first);
    auto end = std::min(text.find_first_of(separators), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

std::string variable(const Surroundings& surroundings, std::string_view name) {
  for (const auto& entry : surroundings.environment)
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name))
      return entry.substr(name.size() + 1);
  return "";
}

Result<RequeueExits> requeue_exits(const std::string& text) {
  auto exits = expr::parse_requeue_exits(text);
  if (!exits) return bad("Q", text, "Bad argument, " + exits.error().text);
  return exits;
}

Result<void> read_around(const Parsed& options, JobSpec& spec) {
  read_text(options, "E", spec.side.pre);
  read_text(options, "Ep", spec.side.post);
  read_text(options, "rnc", spec.side.notify);
  if (auto text = options.first("Q")) {
    WM_TRY(spec.requeue_exits, requeue_exits(*text));
  }
  return {};
}

std::string trimmed(const std::string& text) {
  auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// Options of which one says what the others of its row say, or that it is not so.
const std::vector<std::string_view> kOneOf[] = {{"o", "oo"}, {"e", "eo"},       {"i", "is"},
                                                {"r", "rn"}, {"I", "Ip", "Is"}, {"env"}};

}  // namespace

std::string absolute(const std::string& path, const std::string& base) {
  if (path.empty() || path[0] == '/') return path;
  return path == "." ? base : base + "/" + path;
}

Result<Bytes> memory_limit(const std::string& text, Bytes unit) {
  auto size =
      parse_bytes(std::string_view(text).substr(0, text.size() - text.ends_with('!')), unit);
  if (!size || size->value == 0) return bad("M", text, kWantsSize);
  return *size;
}

Result<void> check_length(std::string_view option, const std::string& text, std::size_t most) {
  if (text.size() <= most) return {};
  return bad(std::string(option), text.substr(0, 60) + "...",
             "Bad argument, at most " + std::to_string(most) + " bytes are taken");
}

void append_directives(Parsed& options, Parsed script) {
  for (const auto& row : kOneOf) {
    bool said = std::ranges::any_of(row, [&](auto name) { return options.has(name); });
    for (auto name : row)
      if (auto at = script.options.find(name); said && at != script.options.end())
        script.options.erase(at);
  }
  options.append(script);
}

Result<void> read_requirements(const Parsed& options, const Surroundings& here, JobSpec& spec) {
  auto resreqs = options.all("R");
  WM_TRY(read_nodes(options, spec, resreqs));
  WM_TRY(auto reqs, expr::parse_requirements(resreqs, here.mem_unit));
  set_requirements(std::move(reqs), spec);
  return {};
}

void set_requirements(std::vector<expr::ResReq> reqs, JobSpec& spec) {
  double mem = static_cast<double>(spec.limits.mem.value) / (1 << 20);
  for (auto& req : reqs)
    if (mem > 0 && !req.usage_of("mem")) req.rusage.push_back({.resource = "mem", .amount = mem});
  spec.asked.resreq = expr::to_string(reqs);
  spec.asked.select = reqs.front().select;
}

Result<void> check_ranks(const JobSpec& spec) {
  bool fixed = !spec.elastic && spec.min_tasks == spec.max_tasks;
  if (spec.mpi == Mpi::None || fixed) return {};
  return bad("mpi", "pmix", "Its ranks are a fixed number; -ar and -n min,max do not go with it");
}

Result<void> read_options(const Parsed& options, const Surroundings& here, JobSpec& spec) {
  WM_TRY(check_lengths(options));
  if (auto path = options.first("cwd")) spec.program.cwd = absolute(*path, here.cwd);
  read_text(options, "L", spec.program.shell);
  if (options.has("L") && !spec.program.shell.starts_with('/'))
    return bad("L", spec.program.shell, "Bad argument, the path of a shell is wanted");
  read_text(options, "app", spec.app);
  read_text(options, "plan", spec.plan);
  read_text(options, "P", spec.project);
  read_text(options, "Jd", spec.description);
  if (auto group = options.first("g")) {
    WM_TRY(spec.job_group, parse_job_group(*group));
  }
  read_text(options, "U", spec.reservation);
  read_text(options, "sla", spec.service_class);
  WM_TRY(read_time(options, "We", spec.run_estimate));
  WM_TRY(read_checkpoint(options, spec));
  read_flag(options, "ar", spec.elastic);
  read_flag(options, "H", spec.when.hold);
  read_flag(options, "x", spec.exclusive);
  read_flag(options, "r", spec.rerunnable);
  if (options.has("rn")) spec.rerunnable = false;
  if (auto hosts = options.first("m")) spec.asked.hosts = split(*hosts, " \t,");
  WM_TRY(expr::parse_asked_hosts(spec.asked.hosts));
  WM_TRY(read_files(options, spec));
  WM_TRY(read_name(options, spec));
  WM_TRY(read_streams(options, here, spec));
  WM_TRY(read_tasks(options, spec));
  WM_TRY(read_sizes(options, spec));
  WM_TRY(read_run_limit(options, spec));
  WM_TRY(read_priority(options, spec));
  WM_TRY(read_limits(options, here.limit_unit, spec.limits));
  WM_TRY(read_warning(options, spec));
  WM_TRY(read_window_signal(options, spec));
  WM_TRY(read_around(options, spec));
  WM_TRY(read_mail(options, spec.mail));
  WM_TRY(read_gpus(options, spec));
  WM_TRY(read_dependency(options, spec));
  WM_TRY(read_time(options, "ptl", spec.exec.pending_limit));
  read_flag(options, "open", spec.open);
  return read_dates(options, here.now, spec);
}

JobSpec spec_from(const Surroundings& surroundings) {
  JobSpec spec;
  spec.owner = surroundings.who;
  spec.program.submit_host = surroundings.host;
  spec.program.home = surroundings.home;
  spec.program.umask = surroundings.umask;
  spec.program.cwd = surroundings.cwd;
  spec.project = variable(surroundings, "LSB_DEFAULTPROJECT");
  return spec;
}

Result<JobSpec> make_spec(const Parsed& options, const Source& source,
                          const Surroundings& surroundings) {
  JobSpec spec = spec_from(surroundings);
  spec.program.command = source.command;
  spec.program.spooled = source.spooled;
  spec.default_tasks = true;
  WM_TRY(read_options(options, surroundings, spec));
  WM_TRY(read_requirements(options, surroundings, spec));
  WM_TRY(read_mpi(options, spec));
  return spec;
}

// A number that was meant in megabytes ends the job at once.
std::string doubt_about(const Parsed& options, const Surroundings& here) {
  constexpr Bytes kMega{1 << 20};
  auto text = options.first("M");
  if (!text || text->empty()) return "";
  std::string_view size(*text);
  if (size.ends_with('!')) size.remove_suffix(1);
  auto plain = parse_bytes(size, Bytes{1});
  auto value = parse_bytes(size, here.limit_unit);
  bool has_unit = plain && value && *plain == *value;
  if (!value || has_unit || value->value == 0 || *value >= kMega) return "";
  return "bsub: -M " + *text + " is " + format_bytes(*value) +
         " of memory: without a unit it is in " + format_bytes(here.limit_unit).substr(1) +
         "B, -M " + std::string(size) + "M is megabytes";
}

std::vector<std::string> asked_queues(const Parsed& options, const Surroundings& surroundings) {
  return asked_queues(options.first("q").value_or(""), surroundings);
}

std::vector<std::string> asked_queues(std::string_view text, const Surroundings& surroundings) {
  auto queues =
      text.empty() ? split(variable(surroundings, "LSB_DEFAULTQUEUE"), " \t") : split(text, " \t");
  if (queues.empty()) queues.emplace_back();
  return queues;
}

bool is_script(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return false;
  if (text.starts_with("#!")) return true;
  auto found = directives_of(text);
  return !found || !found->empty();
}

std::string first_command_of(std::string_view script) {
  while (!script.empty()) {
    auto end = std::min(script.find('\n'), script.size());
    auto line = trimmed(std::string(script.substr(0, end)));
    if (!line.empty() && line[0] != '#') return line;
    script.remove_prefix(std::min(end + 1, script.size()));
  }
  return "";
}

}  // namespace wm::cmd
