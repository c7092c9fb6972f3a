// bjdepinfo: shows which jobs a job waits for, and which wait for it.
#include <algorithm>

#include "commands/common/aligned.h"
#include "commands/common/command.h"
#include "commands/common/dependencies.h"
#include "libwm/submit/selection.h"

namespace wm::cmd::bjdepinfo {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"l", Kind::Flag, "", "The condition, too"},
    {"c", Kind::Flag, "", "Jobs that wait for the job, instead of those that it waits for"},
    {"p", Kind::Flag, "", "Jobs that it waits for; the default"},
    {"r", Kind::Text, "levels", "Those of these, too, so many levels; 0: all"},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
};

constexpr int kLevels = 100;  // of a chain; deeper ones are cut off

// A line: `job` waits for `parent`, or the other way round, `level` steps from the job asked for.
struct Link {
  std::string job, other, status, name, condition;
  int level = 1;
};

constexpr view::Field<Link> kParents[] = {
    {{"jobid", "", 10}, view::kBrief, [](const Link& l) { return l.job; }},
    {{"parent", "", 10}, view::kBrief, [](const Link& l) { return l.other; }},
    {{"parent_status", "", 14}, view::kBrief, [](const Link& l) { return l.status; }},
    {{"parent_name", "", 16}, view::kBrief, [](const Link& l) { return l.name; }},
    {{"level", "", 6}, view::kBrief, [](const Link& l) { return l.level; }},
    {{"dependency", "", 30}, view::kBrief, [](const Link& l) { return l.condition; }},
};
constexpr view::Field<Link> kChildren[] = {
    {{"jobid", "", 10}, view::kBrief, [](const Link& l) { return l.job; }},
    {{"child", "", 10}, view::kBrief, [](const Link& l) { return l.other; }},
    {{"child_status", "", 14}, view::kBrief, [](const Link& l) { return l.status; }},
    {{"child_name", "", 16}, view::kBrief, [](const Link& l) { return l.name; }},
    {{"level", "", 6}, view::kBrief, [](const Link& l) { return l.level; }},
    {{"dependency", "", 30}, view::kBrief, [](const Link& l) { return l.condition; }},
};

const JobView* find(std::span<const JobView> jobs, JobId id) {
  auto at = std::ranges::find(jobs, id, &JobView::id);
  if (at == jobs.end())
    at = std::ranges::find_if(jobs, [&](auto& v) { return v.id.job == id.job; });
  return at == jobs.end() ? nullptr : &*at;
}

Link link(JobId from, JobId to, const JobView* view, const std::string& condition, int level) {
  Link made{to_string(from), to_string(to), "-", "-", condition, level};
  if (!view) return made;
  made.status = lsf_state(*view->job);
  made.name = view->job->spec().name;
  return made;
}

std::vector<Link> parents(std::span<const JobView> jobs, JobId id, int level, int levels) {
  const JobView* view = find(jobs, id);
  std::vector<Link> links;
  if (!view || level > levels) return links;
  const auto& condition = view->job->spec().when.depend;
  for (JobId parent : jobs_named_in(condition)) {
    links.push_back(link(id, parent, find(jobs, parent), condition, level));
    for (auto& more : parents(jobs, parent, level + 1, levels)) links.push_back(std::move(more));
  }
  return links;
}

std::vector<Link> children(std::span<const JobView> jobs, JobId id, int level, int levels) {
  std::vector<Link> links;
  if (level > levels) return links;
  for (const auto& view : jobs) {
    auto named = jobs_named_in(view.job->spec().when.depend);
    bool waits = std::ranges::any_of(named, [&](JobId one) { return one.job == id.job; });
    if (!waits) continue;
    links.push_back(link(id, view.id, &view, view.job->spec().when.depend, level));
    for (auto& more : children(jobs, view.id, level + 1, levels)) links.push_back(std::move(more));
  }
  return links;
}

Result<int> levels_of(const Parsed& options) {
  auto text = options.first("r");
  if (!text) return 1;
  if (text->empty() || text->find_first_not_of("0123456789") != std::string::npos ||
      text->size() > 3)
    return fail(Code::BadArgument, "-r " + *text + ": a number of levels is wanted");
  int levels = std::stoi(*text);
  return levels == 0 ? kLevels : std::min(levels, kLevels);
}

Result<int> run(const Parsed& options) {
  WM_TRY(auto selection, select_jobs(options));
  if (selection.ids.size() != 1) return fail(Code::BadArgument, "bjdepinfo: one job ID is wanted");
  WM_TRY(int levels, levels_of(options));
  WM_TRY(auto from, master());
  JobSelection every;
  every.user = "all";
  every.finished = true;
  WM_TRY(auto reply, from.ask(JobsRequest{every}));
  JobId id = selection.ids[0];
  if (!find(reply.jobs, id)) {
    complain("Job <" + to_string(id) + "> is not found\n");
    return kRefused;
  }
  bool down = options.has("c");
  auto links = down ? children(reply.jobs, id, 1, levels) : parents(reply.jobs, id, 1, levels);
  if (links.empty() && !options.has("json")) {
    complain("Job <" + to_string(id) + "> " +
             (down ? "is depended on by no job\n" : "does not depend on any jobs\n"));
    return 0;
  }
  std::string fields = down ? "jobid child child_status child_name level"
                            : "jobid parent parent_status parent_name level";
  if (options.has("l")) fields += " dependency";
  Listing listing{"bjdepinfo", "DEPENDENCIES", fields};
  std::span<const view::Field<Link>> table = down ? std::span(kChildren) : std::span(kParents);
  WM_TRY(auto text, listed_or_aligned<Link>(options, listing, table, links));
  say(text);
  return 0;
}

}  // namespace
}  // namespace wm::cmd::bjdepinfo

int main(int argc, char** argv) {
  using namespace wm::cmd::bjdepinfo;
  return main_of({"bjdepinfo", "bjdepinfo [-p | -c] [-r levels] [-l] job_id[[index]]", kOptions},
                 argc, argv, run);
}
