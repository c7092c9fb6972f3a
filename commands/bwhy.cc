// bwhy: says why jobs do not start: each constraint that binds, how many hosts it alone
// removes, and what would make the job start. Without an id, of the caller's pending jobs.
#include <map>
#include <vector>

#include "commands/common/command.h"
#include "commands/common/listing.h"
#include "libwm/rest/search_task.h"
#include "libwm/submit/search_acts.h"
#include "libwm/submit/selection.h"
#include "libwm/view/why_fields.h"

namespace wm::cmd::bwhy {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"u", Kind::Text, "user", "Pending jobs of this user, or of all"},
    {"q", Kind::Text, "queue", "Pending jobs of this queue"},
    {"J", Kind::Text, "name", "Pending jobs of this name; * at either end stands for anything"},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
};

constexpr Listing kListing{"bwhy", "REASONS", "jobid code text hosts_removed fix"};

// Behind what is said of its trials: why a search as a whole waits or has failed.
Result<std::string> of_searches(client::Master& from, std::span<const JobView> jobs) {
  std::map<std::uint32_t, std::vector<JobView>> searches;
  for (const auto& view : jobs)
    if (!view.job->spec().exec.search.empty()) searches[view.id.job].push_back(view);
  std::string text;
  for (const auto& [job, views] : searches) {
    WM_TRY(auto given, given_to(from, {job, 0}));
    auto why = rest::reason_of(rest::search_task(views, given));
    if (!why.empty()) text += "Search <" + std::to_string(job) + ">: " + why + "\n";
  }
  return text;
}

Result<std::string> shown(const Parsed& options, std::span<const JobView> jobs) {
  auto rows = view::reasons_of(jobs);
  WM_TRY(auto listing, listed<view::ShownReason>(options, kListing, view::reason_fields(), rows));
  if (listing) return *listing;
  std::string text;
  for (const auto& view : jobs) text += view::why_text(view);
  return text;
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto selection, select_jobs(options));
  selection.pending_only = selection.ids.empty();
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.ask(JobsRequest{selection}));
  WM_TRY(auto text, shown(options, reply.jobs));
  say(text);
  bool table = options.has("json") || options.has("o");
  if (!table && !selection.ids.empty()) {
    WM_TRY(auto searches, of_searches(from, reply.jobs));
    say(searches);
  }
  for (auto id : reply.missing) complain("Job <" + to_string(id) + "> is not found\n");
  bool json = options.has("json");
  if (reply.jobs.empty() && reply.missing.empty() && !json) complain("No pending job found\n");
  return reply.missing.empty() ? 0 : kRefused;
}

}  // namespace
}  // namespace wm::cmd::bwhy

int main(int argc, char** argv) {
  using namespace wm::cmd::bwhy;
  return main_of({"bwhy", "bwhy [options] [job_id[[index]] ...]", kOptions}, argc, argv, run);
}
