// bhist: tells what has happened to jobs, from the record of events: also of jobs that bjobs
// has forgotten.
#include <chrono>

#include "commands/common/command.h"
#include "libwm/base/clock.h"
#include "libwm/submit/selection.h"
#include "libwm/submit/times.h"
#include "libwm/view/history.h"

namespace wm::cmd::bhist {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"l", Kind::Flag, "", "Every event of each job", "How they are shown"},
    {"json", Kind::Flag, "", "JSON, with every event"},
    {"a", Kind::Flag, "", "Finished jobs too", "Which jobs"},
    {"d", Kind::Flag, "", "Finished jobs only"},
    {"e", Kind::Flag, "", "Only jobs that exited"},
    {"p", Kind::Flag, "", "Pending jobs"},
    {"r", Kind::Flag, "", "Running jobs"},
    {"s", Kind::Flag, "", "Suspended jobs"},
    {"u", Kind::Text, "user", "Jobs of this user, or of all"},
    {"q", Kind::Text, "queue", "Jobs of this queue"},
    {"m", Kind::Text, "host", "Jobs on this host"},
    {"J", Kind::Text, "name", "Jobs of this name; * at either end stands for anything"},
    {"P", Kind::Text, "project", "Jobs of this project"},
    {"app", Kind::Text, "profile", "Jobs of this application profile"},
    {"C", Kind::Text, "t0,t1", "Jobs that ended in this time"},
    {"S", Kind::Text, "t0,t1", "Jobs submitted in this time"},
    {"D", Kind::Text, "t0,t1", "Jobs dispatched in this time"},
    {"t", Kind::Flag, "", "The events of all of them in the order of their times"},
    {"T", Kind::Text, "t0,t1", "The same, those of this time, of finished jobs too"},
    {"n", Kind::Ignored, "", ""},
    {"b", Kind::IgnoredFlag, "", ""},
    {"w", Kind::Flag, "", "Wide: nothing is cut off; with -l lines are not wrapped"},
    {"UF", Kind::Flag, "", "As -l, lines not wrapped"},
    {"cname", Kind::IgnoredFlag, "", ""},
    {"aff", Kind::IgnoredFlag, "", ""},
    {"gpu", Kind::IgnoredFlag, "", ""},
    {"hostfile", Kind::IgnoredFlag, "", ""},
    {"data", Kind::IgnoredFlag, "", ""},
};

Result<HistoryRequest> request_of(const Parsed& options) {
  WM_TRY(auto records, select_records(options));
  HistoryRequest request{std::move(records)};
  bool only_ended = options.has("d") || options.has("e") || options.has("C");
  bool all = options.has("a") || options.has("T");
  request.jobs.unfinished = all || !only_ended;
  request.jobs.finished = all || only_ended;
  request.done = all || !options.has("e");
  request.jobs.pending_only = options.has("p");
  request.jobs.running_only = options.has("r");
  request.jobs.suspended_only = options.has("s");
  return request;
}

std::string shown(const Parsed& options, const HistoryReply& reply, const TimeRange& range) {
  auto now = wall_now();
  if (options.has("json")) return view::history_json(reply.jobs);
  if (options.has("t") || options.has("T"))
    return view::history_events(reply.jobs, range.from, range.to);
  if (!options.has("l") && !options.has("UF"))
    return view::history_table(reply.jobs, now, options.has("w"));
  std::string text;
  for (const auto& job : reply.jobs)
    text += (text.empty() ? "" : std::string(78, '-') + "\n") +
            view::history_long(job, now, options.has("w") || options.has("UF"));
  return text;
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto request, request_of(options));
  TimeRange range;
  if (auto text = options.first("T")) {
    WM_TRY(range, parse_range(*text, wall_now()));
  }
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.ask(request));
  if (!reply.jobs.empty() || options.has("json")) say(shown(options, reply, range));
  for (auto id : reply.missing) complain("Job <" + to_string(id) + ">: No matching job found\n");
  if (!reply.missing.empty()) return kRefused;
  if (reply.jobs.empty() && !options.has("json"))
    return fail(Code::NotFound, "No matching job found");
  return 0;
}

}  // namespace
}  // namespace wm::cmd::bhist

int main(int argc, char** argv) {
  using namespace wm::cmd::bhist;
  return main_of({"bhist", "bhist [options] [job_id[[index]] ...]", kOptions}, argc, argv, run);
}
