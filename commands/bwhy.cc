// bwhy: says why a job does not start: each constraint that binds, how many hosts it alone
// removes, and what would make the job start.
#include "commands/common/command.h"
#include "commands/common/job_names.h"
#include "commands/common/listing.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
};

// One reason of one job.
struct Row {
  JobId job;
  PendReason reason;
};

constexpr Shown<Row> kFields[] = {
    {{"jobid", "id", 8}, [](const Row& r) { return to_string(r.job); }},
    {{"code", "", 14}, [](const Row& r) { return std::string(pend_code_name(r.reason.code)); }},
    {{"text", "", 50}, [](const Row& r) { return r.reason.text; }},
    {{"hosts_removed", "", 13}, [](const Row& r) { return std::to_string(r.reason.hosts_removed); }},
    {{"fix", "", 50}, [](const Row& r) { return r.reason.fix; }},
};

constexpr Listing kListing{"bwhy", "REASONS", "jobid code text hosts_removed fix"};

std::string told(const JobView& view) {
  std::string text = "Job <" + to_string(view.id) + "> is " + std::string(state_name(view.job->state)) + "\n";
  if (view.reasons.empty() && !view.job->grow_blocked.empty() && !is_over(view.job->state))
    text += "  it does not grow: " + view.job->grow_blocked + "\n";
  for (const auto& reason : view.reasons) {
    text += "  " + reason.text;
    if (reason.hosts_removed > 0) text += " (" + std::to_string(reason.hosts_removed) + " hosts)";
    text += "\n";
    if (!reason.fix.empty()) text += "    to change that: " + reason.fix + "\n";
  }
  return text;
}

Result<int> run(const Parsed& options) {
  JobsRequest request;
  WM_TRY(request.jobs.ids, parse_job_ids(options.words));
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.jobs(request));
  std::vector<Row> rows;
  for (const auto& view : reply.jobs)
    for (const auto& reason : view.reasons) rows.push_back({view.id, reason});
  WM_TRY(auto text, listed<Row>(options, kListing, kFields, rows));
  if (!text) {
    text.emplace();
    for (const auto& view : reply.jobs) *text += told(view);
  }
  say(*text);
  for (auto id : reply.missing) complain("Job <" + to_string(id) + "> is not found\n");
  return reply.missing.empty() ? 0 : kRefused;
}

}  // namespace
}  // namespace wm::cmd

int main(int argc, char** argv) {
  using namespace wm::cmd;
  return main_of({"bwhy", "bwhy [options] [job_id[[index]] ...]", kOptions}, argc, argv, run);
}
