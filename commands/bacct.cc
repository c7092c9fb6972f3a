// bacct: what finished jobs used and how long they waited, from accounting. Without ids the
// caller's own jobs; a job that has not ended is in bhist.
#include "commands/common/command.h"
#include "commands/common/selection.h"
#include "libwm/view/acct_tables.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"l", Kind::Flag, "", "A block for each job", "How they are shown"},
    {"b", Kind::IgnoredFlag, "", ""},
    {"d", Kind::Flag, "", "Only jobs that completed normally", "Which jobs"},
    {"e", Kind::Flag, "", "Only jobs that exited"},
    {"u", Kind::Text, "user", "Jobs of this user, or of all"},
    {"q", Kind::Text, "queue", "Jobs of this queue"},
    {"m", Kind::Text, "host", "Jobs that ran on this host"},
    {"J", Kind::Text, "name", "Jobs of this name; * at either end stands for anything"},
    {"P", Kind::Text, "project", "Jobs of this project"},
    {"app", Kind::Text, "profile", "Jobs of this application profile"},
    {"plan", Kind::Text, "plan", "Jobs of this resource plan and those below it"},
    {"by", Kind::Text, "user|plan|project|queue|app|host|month", "Sums by it instead"},
    {"C", Kind::Text, "t0,t1", "Jobs that ended in this time"},
    {"S", Kind::Text, "t0,t1", "Jobs submitted in this time"},
    {"D", Kind::Text, "t0,t1", "Jobs dispatched in this time"},
    {"w", Kind::IgnoredFlag, "", ""},
    {"x", Kind::IgnoredFlag, "", ""},
};

Result<AcctRequest> request_of(const Parsed& options) {
  WM_TRY(auto request, select_records(options));
  request.done = options.has("d") || !options.has("e");
  request.exited = options.has("e") || !options.has("d");
  return request;
}

std::string own_name() {
  return environment("LOGNAME").value_or(environment("USER").value_or("the caller"));
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto request, request_of(options));
  auto word = options.first("by");
  WM_TRY(auto by, view::acct_by_named(word.value_or("user")));
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.account(request));
  auto jobs = std::move(reply.jobs);
  if (auto plan = options.first("plan"))
    std::erase_if(jobs, [&](const AcctJob& job) { return !view::is_of_plan(job, *plan); });
  if (jobs.empty()) return fail(Code::NotFound, "No matching job found");
  bool everybody = !request.jobs.ids.empty();
  auto user = everybody                   ? std::string("all")
              : request.jobs.user.empty() ? own_name()
                                          : request.jobs.user;
  say(view::acct_heading(request, user));
  if (word) {
    say(view::acct_sums(jobs, by));
    return 0;
  }
  if (options.has("l"))
    for (const auto& job : jobs) say(view::acct_long(job));
  say(view::acct_summary(jobs));
  return 0;
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({"bacct", "bacct [options] [job_id[[index]] ...]", kOptions}, argc, argv, run);
}
