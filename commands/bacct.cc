// bacct: what finished jobs used and how long they waited, from accounting. Without ids the
// caller's own jobs; a job that has not ended is in bhist.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>

#include "commands/common/command.h"
#include "libwm/base/clock.h"
#include "libwm/submit/selection.h"
#include "libwm/view/acct_tables.h"
#include "libwm/view/lsb_acct.h"

namespace wm::cmd::bacct {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"l", Kind::Flag, "", "A block for each job", "How they are shown"},
    {"b", Kind::IgnoredFlag, "", ""},
    {"json", Kind::Flag, "", "JSON: a record for each job, to the millisecond"},
    {"d", Kind::Flag, "", "Only jobs that completed normally", "Which jobs"},
    {"e", Kind::Flag, "", "Only jobs that exited"},
    {"u", Kind::Text, "user", "Jobs of this user, or of all"},
    {"q", Kind::Text, "queue", "Jobs of this queue"},
    {"m", Kind::Text, "host", "Jobs that ran on this host"},
    {"J", Kind::Text, "name", "Jobs of this name; * at either end stands for anything"},
    {"P", Kind::Text, "project", "Jobs of this project"},
    {"app", Kind::Text, "profile", "Jobs of this application profile"},
    {"sla", Kind::Text, "class", "Jobs of this service class"},
    {"U", Kind::Text, "reservation", "Jobs of this advance reservation"},
    {"plan", Kind::Text, "plan", "Jobs of this resource plan and those below it"},
    {"by", Kind::Text, "user|plan|project|queue|app|host|month", "Sums by it instead"},
    {"C", Kind::Text, "t0,t1", "Jobs that ended in this time"},
    {"S", Kind::Text, "t0,t1", "Jobs submitted in this time"},
    {"D", Kind::Text, "t0,t1", "Jobs dispatched in this time"},
    {"f", Kind::Text, "file", "Jobs that a log of LSF (lsb.acct, lsb.events) tells of instead"},
    {"UF", Kind::Flag, "", "As -l, lines not wrapped"},
    {"w", Kind::IgnoredFlag, "", ""},
    {"cname", Kind::IgnoredFlag, "", ""},
    {"aff", Kind::IgnoredFlag, "", ""},
    {"gpu", Kind::IgnoredFlag, "", ""},
    {"x", Kind::IgnoredFlag, "", ""},
};

// What is shown needs the jobs themselves.
bool of_each(const Parsed& options) {
  return options.has("l") || options.has("UF") || options.has("json");
}

Result<AcctRequest> request_of(const Parsed& options) {
  WM_TRY(auto request, select_records(options));
  if (options.has("json") && options.has("by"))
    return fail(Code::BadArgument, "-json shows jobs, -by sums: give one of them");
  request.done = options.has("d") || !options.has("e");
  request.exited = options.has("e") || !options.has("d");
  request.plan = options.first("plan").value_or("");
  if (auto word = options.first("by")) {
    WM_TRY(request.sums, view::acct_by_named(*word));
  } else if (!of_each(options)) {
    request.sums = AcctBy::All;
  }
  if (request.sums == AcctBy::Month) request.months = view::acct_months(wall_now());
  return request;
}

std::string own_name() {
  return environment("LOGNAME").value_or(environment("USER").value_or("the caller"));
}

// The master adds up where it can; of the others, single jobs come.
std::string told(const AcctRequest& request, const AcctReply& reply, bool by_key) {
  auto by = request.sums;
  if (by_key && reply.jobs.empty())
    return view::acct_sums(view::acct_key_sums(reply.sums, by, request.months), by);
  if (by_key) return view::acct_sums(view::acct_key_sums(reply.jobs, by), by);
  auto sum = view::acct_sum_of(reply.jobs);
  for (const auto& row : reply.sums) merge(sum, row.sum);
  return view::acct_summary(sum);
}

Result<AcctReply> answer(const Parsed& options, AcctRequest request) {
  auto file = options.first("f");
  if (!file) {
    WM_TRY(auto from, master());
    return from.ask(request);
  }
  std::ifstream log(*file, std::ios::binary);
  if (!log) return fail(Code::NotFound, *file + ": " + std::strerror(errno));
  std::string text{std::istreambuf_iterator<char>(log), {}};
  WM_TRY(auto jobs, view::jobs_of_lsb(*file, text));
  if (request.jobs.user.empty()) request.jobs.user = own_name();
  std::erase_if(jobs, [&](const AcctJob& job) { return !view::is_asked(request, job); });
  return AcctReply{std::move(jobs), {}, {}};
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto request, request_of(options));
  WM_TRY(auto reply, answer(options, request));
  std::erase_if(reply.jobs, [&](const AcctJob& job) {
    return !request.plan.empty() && !view::is_of_plan(job, request.plan);
  });
  if (options.has("json")) {
    say(view::acct_json(reply.jobs));
    return 0;
  }
  if (reply.jobs.empty() && reply.sums.empty())
    return fail(Code::NotFound, "No matching job found");
  bool everybody = !request.jobs.ids.empty();
  auto user = everybody                   ? std::string("all")
              : request.jobs.user.empty() ? own_name()
                                          : request.jobs.user;
  say(view::acct_heading(request, user));
  if (options.has("l") || options.has("UF"))
    for (const auto& job : reply.jobs) say(view::acct_long(job));
  say(told(request, reply, options.has("by")));
  return 0;
}

}  // namespace
}  // namespace wm::cmd::bacct

int main(int argc, char** argv) {
  using namespace wm::cmd::bacct;
  return main_of({"bacct", "bacct [options] [job_id[[index]] ...]", kOptions}, argc, argv, run);
}
