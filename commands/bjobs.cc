// bjobs: shows jobs. Selection goes to the master, the rest is formatting by
// libwm/view: job_tables (default, -w, -W, -l, -A) and format (-o, -json).
#include <chrono>

#include "commands/common/command.h"
#include "commands/common/selection.h"
#include "commands/common/watching.h"
#include "libwm/view/job_tables.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"a", Kind::Flag, "", "All states, finished jobs too", "Which jobs"},
    {"d", Kind::Flag, "", "Jobs that have finished recently"},
    {"p", Kind::Flag, "", "Pending jobs, with their reasons"},
    {"r", Kind::Flag, "", "Running jobs"},
    {"s", Kind::Flag, "", "Suspended jobs"},
    {"u", Kind::Text, "user", "Jobs of this user, or of all"},
    {"q", Kind::Text, "queue", "Jobs of this queue"},
    {"m", Kind::Text, "host", "Jobs on this host"},
    {"J", Kind::Text, "name", "Jobs of this name; * at either end stands for anything"},
    {"P", Kind::Text, "project", "Jobs of this project"},
    {"app", Kind::Text, "profile", "Jobs of this application profile"},
    {"g", Kind::Text, "/group", "Jobs of this job group and those below it"},
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
    {"G", Kind::Refused, "", "user groups are not supported"},
    {"sla", Kind::Text, "class", "Jobs of this service class"},
    {"Jd", Kind::Refused, "", "not supported, -o job_description shows it"},
    {"hostfile", Kind::Refused, "", "not supported"},
    {"plan", Kind::Flag, "", "Pending jobs, with the time at which they are to start"},
    {"prio", Kind::Refused, "", "not supported, -l shows the priority"},
    {"psum", Kind::Flag, "", "Why pending jobs wait: how many for which reason"},
    {"rusage", Kind::Refused, "", "not supported"},
    {"script", Kind::Refused, "", "not supported"},
    {"sum", Kind::Flag, "", "Slots of unfinished jobs by state"},
};

constexpr const char* kJsonFields =
    "jobid jobindex stat user queue job_name from_host exec_host submit_time start_time "
    "finish_time "
    "exit_code exit_reason pend_reason app_type wm_state plan nalloc_slot min_req_proc "
    "max_req_proc "
    "pids epoch nresize attempt";

Result<JobSelection> selection_of(const Parsed& options) {
  WM_TRY(auto selection, select_jobs(options));
  selection.unfinished = !options.has("d") || options.has("a");
  selection.finished = options.has("a") || options.has("d");
  selection.pending_only = options.has("p") || options.has("psum") || options.has("plan");
  selection.running_only = options.has("r");
  selection.suspended_only = options.has("s");
  return selection;
}

// LSF's sentence for "nothing selected".
std::string nothing_found(const JobSelection& s) {
  std::string kind = "unfinished";
  if (s.finished) kind = s.unfinished ? "" : "DONE/EXIT";
  if (s.pending_only) kind = "pending";
  if (s.running_only) kind = "running";
  if (s.suspended_only) kind = "suspended";
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
  if (!options.has("p")) return text;
  text.clear();  // each pending job is followed by what keeps it
  for (const auto& job : jobs)
    text += view::job_table({&job, 1}, style, header && text.empty(), true) + " " +
            view::pend_reason_text(*job.view) + ";\n";
  return text;
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
    for (const char* other : {"a",   "d", "p",  "r", "s", "m", "J", "P",    "app", "g",
                              "sla", "l", "UF", "w", "W", "A", "o", "json", "sum", "psum"})
      if (options.has(other))
        return fail(
            Code::BadArgument,
            "bjobs: --watch goes with -u, -q, -noheader and job IDs, not -" + std::string(other));
    WM_TRY(watch_jobs(from, selection, !options.has("noheader")));
    return 0;
  }
  WM_TRY(auto reply, from.jobs({selection}));
  auto now = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  std::vector<view::ShownJob> jobs;
  for (const auto& view : reply.jobs) jobs.push_back({&view, now});
  WM_TRY(auto text, shown(options, jobs, reply));
  if (!jobs.empty() || options.has("json")) say(text);
  return exit_code(options, selection, reply);
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({"bjobs", "bjobs [options] [job_id[[index]] ...]", kOptions}, argc, argv, run);
}
