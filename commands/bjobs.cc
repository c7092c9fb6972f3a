// bjobs: shows jobs. Selection goes to the master, the rest is formatting by
// libwm/view: job_tables (default, -w, -W, -l, -A) and format (-o, -json).
#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>

#include "commands/common/command.h"
#include "commands/common/watching.h"
#include "libwm/base/clock.h"
#include "libwm/expr/alternatives.h"
#include "libwm/submit/selection.h"
#include "libwm/view/job_tables.h"

namespace wm::cmd::bjobs {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"a", Kind::Flag, "", "All states, finished jobs too", "Which jobs"},
    {"d", Kind::Flag, "", "Jobs that have finished recently"},
    {"p", Kind::Flag, "", "Pending jobs, with their reasons"},
    {"p0", Kind::Flag, "", ""},
    {"p1", Kind::Flag, "", ""},
    {"p2", Kind::Flag, "", ""},
    {"p3", Kind::Flag, "", ""},
    {"pe", Kind::Flag, "", "Pending jobs that are eligible to start"},
    {"pi", Kind::Flag, "", "Pending jobs that are not: held, or waiting for a job or a time"},
    {"r", Kind::Flag, "", "Running jobs"},
    {"s", Kind::Flag, "", "Suspended jobs"},
    {"u", Kind::Text, "user", "Jobs of this user, of these users or groups, or of all"},
    {"G", Kind::Text, "user_group", "Jobs of the users of this group"},
    {"q", Kind::Text, "queue", "Jobs of this queue"},
    {"m", Kind::Text, "host", "Jobs on this host, or on those of this group"},
    {"J", Kind::Text, "name", "Jobs of this name; * at either end stands for anything"},
    {"P", Kind::Text, "project", "Jobs of this project"},
    {"app", Kind::Text, "profile", "Jobs of this application profile"},
    {"g", Kind::Text, "/group", "Jobs of this job group and those below it"},
    {"sla", Kind::Text, "class", "Jobs of this service class"},
    {"U", Kind::Text, "reservation", "Jobs of this advance reservation"},
    {"rusage", Kind::Text, "\"resource ...\"", "Jobs that reserve each of these"},
    {"l", Kind::Flag, "", "Everything about each job", "How they are shown"},
    {"UF", Kind::Flag, "", "The same, lines not wrapped"},
    {"w", Kind::Flag, "", "Wide: nothing is cut off"},
    {"W", Kind::Flag, "", "Wide, with project, usage and times"},
    {"WL", Kind::Flag, "", "Also the time that is left of its run limit"},
    {"WP", Kind::Flag, "", "Also how much of it is over, in percent"},
    {"WF", Kind::Flag, "", "Also when it is to end"},
    {"A", Kind::Flag, "", "One line per job array"},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"-watch", Kind::Flag, "", "A line for each change from now on"},
    {"noheader", Kind::Flag, "", "No heading"},
    {"X", Kind::IgnoredFlag, "", ""},
    {"aff", Kind::IgnoredFlag, "", ""},
    {"cname", Kind::IgnoredFlag, "", ""},
    {"gpu", Kind::IgnoredFlag, "", ""},
    {"hms", Kind::IgnoredFlag, "", ""},
    {"Jd", Kind::Refused, "", "not supported, -o job_description shows it"},
    {"plan", Kind::Flag, "", "Pending jobs, with the time at which they are to start"},
    {"prio", Kind::Refused, "", "not supported, -l shows the priority"},
    {"psum", Kind::Flag, "", "Why pending jobs wait: how many for which reason"},
    {"sum", Kind::Flag, "", "Slots of unfinished jobs by state"},
    {"script", Kind::Flag, "", "The script of each job named, or its command"},
    {"hostfile", Kind::Flag, "", "The hosts of each job, a line for each slot"},
    {"data", Kind::IgnoredFlag, "", ""},
    {"N", Kind::Ignored, "", ""},
    {"Lp", Kind::Refused, "", "licence projects are not supported"},
};

constexpr const char* kJsonFields =
    "jobid jobindex stat user queue job_name from_host exec_host submit_time start_time "
    "finish_time "
    "exit_code exit_reason pend_reason app_type wm_state plan nalloc_slot min_req_proc "
    "max_req_proc "
    "pids epoch nresize attempt";

bool any_of(const Parsed& options, std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(names, [&](auto name) { return options.has(name); });
}

// -p3 and its like ask for more of the reasons, which are all shown.
bool asks_for_reasons(const Parsed& options) {
  return any_of(options, {"p", "p0", "p1", "p2", "p3"});
}

bool asks_for_pending(const Parsed& options) {
  return asks_for_reasons(options) || any_of(options, {"pe", "pi"});
}

bool is_waiting(JobState state) { return state == JobState::Pending || state == JobState::Held; }

// Options of states add up. An array that is not over is shown with all its elements.
void select_states(const Parsed& options, JobSelection& selection) {
  selection.finished = any_of(options, {"a", "d", "A"});
  if (options.has("a")) return;
  selection.pending_only = asks_for_pending(options) || any_of(options, {"psum", "plan"});
  selection.running_only = options.has("r");
  selection.suspended_only = options.has("s");
  bool some = selection.pending_only || selection.running_only || selection.suspended_only;
  selection.unfinished = some || !options.has("d");
}

Result<JobSelection> selection_of(const Parsed& options) {
  WM_TRY(auto selection, select_jobs(options));
  selection.reservation = options.first("U").value_or("");
  if (options.has("G") && options.has("u"))
    return fail(Code::BadArgument, "bjobs: -G and -u exclude each other");
  if (auto group = options.first("G")) selection.user = *group;
  select_states(options, selection);
  return selection;
}

// Does one of its alternatives reserve every one of these resources?
bool reserves(const JobSpec& spec, const std::string& names) {
  auto alternatives = expr::parse_alternatives(spec.asked.resreq);
  return alternatives && std::ranges::any_of(*alternatives, [&](const expr::ResReq& req) {
           std::istringstream words(names);
           for (std::string name; words >> name;)
             if (!req.usage_of(name)) return false;
           return true;
         });
}

// Arrays of which no element is left to run.
std::set<std::uint32_t> arrays_over(const std::vector<JobView>& jobs) {
  std::set<std::uint32_t> over, left;
  for (const auto& view : jobs) (is_over(view.job->state) ? over : left).insert(view.id.job);
  for (auto array : left) over.erase(array);
  return over;
}

// What the master does not look for.
void leave_out(const Parsed& options, std::vector<JobView>& jobs) {
  bool by_number = !options.words.empty();
  auto over = options.has("A") && !by_number && !any_of(options, {"a", "d"})
                  ? arrays_over(jobs)
                  : std::set<std::uint32_t>();
  auto names = options.first("rusage").value_or("");
  std::ranges::replace(names, ',', ' ');
  std::erase_if(jobs, [&](const JobView& view) {
    bool waits = is_waiting(view.job->state), ineligible = view::is_ineligible(view);
    return (options.has("rusage") && !reserves(view.job->spec(), names)) ||
           over.contains(view.id.job) || (options.has("pe") && waits && ineligible) ||
           (options.has("pi") && waits && !ineligible);
  });
}

// A group of nobody is none.
Result<void> check_group(client::Master& from, const Parsed& options) {
  auto group = options.first("G");
  if (!group) return {};
  WM_TRY(auto config, from.conf());
  bool known = std::ranges::any_of(config->users, [&](const UserConf& user) {
    return std::ranges::find(user.groups, *group) != user.groups.end();
  });
  return known ? Result<void>{} : fail(Code::NotFound, *group + ": No such user/host group");
}

// LSF's sentence for "nothing selected".
std::string nothing_found(const JobSelection& s) {
  std::string kind = "unfinished";
  if (s.finished) kind = s.unfinished ? "" : "DONE/EXIT";
  if (s.pending_only + s.running_only + s.suspended_only == 1 && !s.finished)
    kind = s.pending_only ? "pending" : s.running_only ? "running" : "suspended";
  std::string text = "No " + (kind.empty() ? "" : kind + " ") + "job found";
  if (!s.queue.empty()) text += " in queue <" + s.queue + ">";
  if (!s.host.empty()) text += " on host/group <" + s.host + ">";
  return text + "\n";
}

std::string not_found(JobId id) { return "Job <" + to_string(id) + "> is not found"; }

Result<std::string> formatted(const Parsed& options, std::span<const view::ShownJob> jobs,
                              const JobsReply& reply, const std::string& format_text) {
  auto names = view::names_of(view::job_fields());
  WM_TRY(auto format, view::parse_format(format_text, names));
  auto headings = view::headings_of(format, names);
  auto rows = view::cells_of(format, view::job_fields(), jobs);
  if (!options.has("json"))
    return view::table_text(format, headings, rows, !options.has("noheader"));
  auto records = view::records_of(headings, rows);
  for (auto id : reply.missing)
    records.push_back({{"JOBID", to_string(id)}, {"ERROR", not_found(id)}});
  return view::json_text("bjobs", "JOBS", records);
}

// The columns of an option that is a listing of its own.
std::optional<std::string> own_format(const Parsed& options) {
  constexpr const char* kUsual =
      "jobid:7 user:7 stat:5 queue:10 from_host:11 exec_host:11 job_name:10";
  for (auto [option, more] : {std::pair{"WL", " submit_time:12 time_left:11"},
                              {"WP", " submit_time:12 %complete:11"},
                              {"WF", " submit_time:12 finish_time:16"},
                              {"plan", " submit_time:12 estimated_start_time:20"}})
    if (options.has(option)) return std::string(kUsual) + more;
  return {};
}

Result<std::string> shown(const Parsed& options, std::span<const view::ShownJob> jobs,
                          const JobsReply& reply) {
  auto format = options.first("o");
  bool other_form = options.has("l") || options.has("UF") || options.has("w") || options.has("W") ||
                    options.has("A") || options.has("sum") || options.has("psum") ||
                    own_format(options).has_value();
  if (!format && !other_form) format = environment("LSB_BJOBS_FORMAT");
  if (!format) format = own_format(options);
  if (!format && options.has("json")) format = kJsonFields;
  if (format) return formatted(options, jobs, reply, *format);
  bool header = !options.has("noheader");
  if (options.has("l") || options.has("UF")) return view::long_texts(jobs, options.has("UF"));
  if (options.has("A")) return view::array_table(jobs, header);
  if (options.has("sum")) return view::sum_table(jobs, header);
  if (options.has("psum")) return view::pend_sum_text(jobs);
  auto style = options.has("W")   ? view::TableStyle::WideMore
               : options.has("w") ? view::TableStyle::Wide
                                  : view::TableStyle::Narrow;
  auto text = view::job_table(jobs, style, header, environment("LSB_SHORT_HOSTLIST") == "1");
  if (!asks_for_reasons(options)) return text;
  text.clear();  // each pending job is followed by what keeps it
  for (const auto& job : jobs) {
    text += view::job_table({&job, 1}, style, header && text.empty(), true);
    if (is_waiting(job.view->job->state)) text += " " + view::pend_reason_text(*job.view) + ";\n";
  }
  return text;
}

Result<std::string> script_of(client::Master& from, JobId id) {
  ClientPeek peek{.job = id, .stream = kScriptStream};
  for (std::string text;;) {
    WM_TRY(auto reply, from.ask(peek));
    if (reply.bytes.empty()) return text;
    peek.offset += reply.bytes.size();
    text += reply.bytes;
  }
}

// As LSB_DJOB_HOSTFILE has them.
Result<std::string> hosts_of(const JobView& view) {
  auto text = view::exec_hosts_text(view);
  if (text.empty())
    return fail(Code::Conflict, "Job <" + to_string(view.id) + "> : Not yet started.");
  std::ranges::replace(text, ':', '\n');
  return text + "\n";
}

// One text a job, below its number where there are several; what has none, on stderr.
class Texts {
 public:
  explicit Texts(bool with_numbers) : with_numbers_(with_numbers) {}
  void add(JobId id, const Result<std::string>& text) {
    if (!text) {
      complain(text.error().text + "\n");
      code_ = kRefused;
      return;
    }
    if (with_numbers_) say("Job <" + to_string(id) + ">\n");
    say(*text + (text->ends_with('\n') ? "" : "\n"));
  }
  int code() const { return code_; }

 private:
  bool with_numbers_;
  int code_ = 0;
};

Result<int> show_scripts(client::Master& from, const JobSelection& selection) {
  if (selection.ids.empty()) return fail(Code::BadArgument, "bjobs: -script: a job ID is wanted");
  Texts texts(selection.ids.size() > 1);
  for (JobId id : selection.ids) texts.add(id, script_of(from, id));
  return texts.code();
}

int show_hosts(const JobsReply& reply) {
  Texts texts(reply.jobs.size() > 1);
  for (const JobView& view : reply.jobs) texts.add(view.id, hosts_of(view));
  return texts.code();
}

// What was not found, on stderr; the exit code that goes with it.
int exit_code(const Parsed& options, const JobSelection& selection, const JobsReply& reply) {
  bool json = options.has("json");
  for (auto id : reply.missing)
    if (!json) complain(not_found(id) + "\n");
  if (!reply.missing.empty()) return json && !reply.jobs.empty() ? 0 : kRefused;
  if (!reply.jobs.empty()) return 0;
  if (!json) complain(nothing_found(selection));
  return !json && environment("LSB_BJOBS_CONSISTENT_EXIT_CODE") == "Y" ? kRefused : 0;
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto selection, selection_of(options));
  WM_TRY(auto from, master());
  if (options.has("-watch")) {
    for (const char* other :
         {"a", "d",   "p", "pe",   "pi",  "r",    "s",      "m",      "J",
          "P", "app", "g", "sla",  "U",   "G",    "l",      "UF",     "w",
          "W", "A",   "o", "json", "sum", "psum", "rusage", "script", "hostfile"})
      if (options.has(other))
        return fail(
            Code::BadArgument,
            "bjobs: --watch goes with -u, -q, -noheader and job IDs, not -" + std::string(other));
    WM_TRY(watch_jobs(from, selection, !options.has("noheader")));
    return 0;
  }
  if (options.has("script")) return show_scripts(from, selection);
  WM_TRY(check_group(from, options));
  WM_TRY(auto reply, from.ask(JobsRequest{selection}));
  leave_out(options, reply.jobs);
  if (options.has("hostfile") && !reply.jobs.empty())
    return std::max(show_hosts(reply), exit_code(options, selection, reply));
  auto now = wall_now();
  std::vector<view::ShownJob> jobs;
  bool short_hosts = environment("LSB_SHORT_HOSTLIST") == "1";
  for (const auto& view : reply.jobs) jobs.push_back({&view, now, short_hosts});
  WM_TRY(auto text, shown(options, jobs, reply));
  if (!jobs.empty() || options.has("json")) say(text);
  return exit_code(options, selection, reply);
}

}  // namespace
}  // namespace wm::cmd::bjobs

int main(int argc, char** argv) {
  using namespace wm::cmd::bjobs;
  return main_of({"bjobs", "bjobs [options] [job_id[[index]] ...]", kOptions}, argc, argv, run);
}
