// bjgroup: shows job groups, as bsub -g and bgadd have made them: their jobs by state, those of
// groups below them among them, and how far their limits are used.
#include <algorithm>
#include <map>

#include "commands/common/command.h"
#include "commands/common/listing.h"
#include "libwm/submit/job_names.h"
#include "libwm/submit/selection.h"
#include "libwm/view/format.h"

namespace wm::cmd::bjgroup {
namespace {

using Kind = Option::Kind;

constexpr Option kOptions[] = {
    {"u", Kind::Text, "user", "Jobs of this user; all, the default, of everybody"},
    {"s", Kind::Flag, "", "By name, those that bgadd made without jobs, too; the default"},
    {"N", Kind::IgnoredFlag, "", ""},
    {"o", Kind::Text, "\"field[:width] ... delimiter='c'\"", "These fields; \"all\" for every one"},
    {"json", Kind::Flag, "", "JSON"},
    {"noheader", Kind::Flag, "", "No heading"},
};

// A group and its jobs.
struct Group {
  std::string name, owner;
  std::string limit = "-";  // running of at most
  std::uint32_t jobs = 0, pending = 0, running = 0, parked = 0, stopped = 0, finished = 0;
};

constexpr view::Field<Group> kFields[] = {
    {{"group_name", "group name", 16}, view::kBrief, [](const Group& g) { return g.name; }},
    {{"njobs", "", 7}, view::kBrief, [](const Group& g) { return g.jobs; }},
    {{"pend", "", 7}, view::kBrief, [](const Group& g) { return g.pending; }},
    {{"run", "", 7}, view::kBrief, [](const Group& g) { return g.running; }},
    {{"ssusp", "", 7}, view::kBrief, [](const Group& g) { return g.parked; }},
    {{"ususp", "", 7}, view::kBrief, [](const Group& g) { return g.stopped; }},
    {{"finish", "", 7}, view::kBrief, [](const Group& g) { return g.finished; }},
    {{"sla", "", 6}, view::kText, [](const Group&) { return std::string("()"); }},
    {{"jlimit", "", 8}, view::kText, [](const Group& g) { return g.limit; }},
    {{"owner", "", 8}, view::kBrief, [](const Group& g) { return g.owner; }},
};
constexpr Listing kListing{"bjgroup", "GROUPS",
                           "group_name njobs pend run ssusp ususp finish sla jlimit owner"};

void count(Group& group, const JobView& view) {
  auto word = lsf_state(*view.job);
  ++group.jobs;
  if (is_over(view.job->state)) ++group.finished;
  else if (word == "PEND" || word == "PSUSP") ++group.pending;
  else if (word == "SSUSP") ++group.parked;
  else if (word == "USUSP") ++group.stopped;
  else ++group.running;
  const auto& user = view.job->spec().owner.user;
  if (group.owner.empty()) group.owner = user;
  else if (group.owner != user) group.owner = "()";  // of several
}

// Each group and those above it.
std::vector<Group> groups_of(std::span<const JobView> jobs, const GroupsReply& made) {
  std::map<std::string, Group> groups;
  for (const auto& view : jobs) {
    std::string path = view.job->spec().job_group;
    if (path.empty()) continue;
    for (; !path.empty(); path.resize(path.rfind('/'))) {
      auto& group = groups[path];
      group.name = path;
      count(group, view);
    }
  }
  for (const auto& [path, group] : made.groups) {
    auto& shown = groups[path];
    shown.name = path;
    shown.owner = group.owner;
    auto active = made.active.find(path);
    if (group.limit)
      shown.limit = std::to_string(active == made.active.end() ? 0 : active->second) + "/" +
                    std::to_string(*group.limit);
  }
  std::vector<Group> list;
  for (auto& [path, group] : groups) list.push_back(std::move(group));
  return list;
}

std::string table(std::span<const Group> groups, bool with_header) {
  std::string text =
      with_header
          ? "GROUP_NAME    NJOBS   PEND    RUN  SSUSP  USUSP FINISH     SLA   JLIMIT  OWNER\n"
          : "";
  for (const auto& group : groups) {
    auto name = view::printable(group.name);
    if (name.size() < 12) name.resize(12, ' ');
    text += name;
    for (auto n :
         {group.jobs, group.pending, group.running, group.parked, group.stopped, group.finished})
      text += view::fit(std::to_string(n), 7, true);
    text +=
        "      ()" + view::fit(group.limit, 9, true) + "  " + view::printable(group.owner) + "\n";
  }
  return text;
}

Result<int> run(const Parsed& options) {
  JobSelection selection;
  selection.user = options.first("u").value_or("all");
  selection.finished = true;
  selection.job_group = "/";
  if (options.words.size() > 1) return fail(Code::BadArgument, "bjgroup: name one group");
  if (!options.words.empty()) {
    WM_TRY(selection.job_group, parse_job_group(options.words[0]));
  }
  WM_TRY(auto from, master());
  WM_TRY(auto reply, from.ask(JobsRequest{selection}));
  WM_TRY(auto made, from.ask(GroupsRequest{}));
  auto groups = groups_of(reply.jobs, made);
  const auto& top = selection.job_group;
  std::erase_if(groups, [&](const Group& group) {
    return top != "/" && group.name != top && !group.name.starts_with(top + "/");
  });
  WM_TRY(auto listing,
         listed<Group>(options, kListing, std::span<const view::Field<Group>>(kFields),
                       std::span<const Group>(groups)));
  if (listing) return say(*listing), 0;
  if (groups.empty()) {
    complain(options.words.empty() ? "No job group found\n" : top + ": No such job group\n");
    return options.words.empty() ? 0 : kRefused;
  }
  say(table(groups, !options.has("noheader")));
  return 0;
}

}  // namespace
}  // namespace wm::cmd::bjgroup

int main(int argc, char** argv) {
  using namespace wm::cmd::bjgroup;
  return main_of({"bjgroup", "bjgroup [options] [/group]", kOptions}, argc, argv, run);
}
