#include "libwm/expr/groups.h"

#include <algorithm>
#include <set>
#include <string>

namespace wm::expr {
namespace {

bool is_name(const std::string& name) {
  auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  bool letter = !name.empty() && name[0] >= 'a' && name[0] <= 'z';
  return letter && name.size() <= 32 && std::ranges::all_of(name, fits);
}

Error bad(const TaskGroup& group, const std::string& why) {
  return fail(Code::BadArgument, "group '" + group.name + "': " + why);
}

Result<void> check_one(const TaskGroup& group) {
  if (!is_name(group.name)) return bad(group, "a name is up to 32 of a-z 0-9 _ -, a letter first");
  if (!group.role.empty() && !is_name(group.role))
    return bad(group, "role '" + group.role + "': up to 32 of a-z 0-9 _ -, a letter first");
  if (group.command.empty()) return bad(group, "no command");
  auto sizes = std::to_string(group.min_tasks) + " to " + std::to_string(group.max_tasks);
  if (group.max_tasks == 0 || group.max_tasks < group.min_tasks)
    return bad(group, sizes + " tasks: at least 1, and the least first");
  bool independent = group.restart == Restart::Independent;
  if (group.min_tasks == 0 && !independent)
    return bad(group, "a minimum of 0 goes with restart = independent only");
  if (independent && group.elastic)
    return bad(group, "elastic training lives together: no restart = independent");
  if (group.min_tasks != group.max_tasks && !independent && !group.elastic)
    return bad(group, sizes + " tasks: say elastic or restart = independent, or one number");
  return {};
}

}  // namespace

Result<void> check_bundle(const Execution& exec) {
  bool hex = exec.bundle.size() == 32 &&
             exec.bundle.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!exec.bundle.empty() && !hex)
    return fail(Code::BadArgument, "bundle '" + exec.bundle + "': 32 hex digits are wanted");
  auto inside = "/" + exec.bundle_dir + "/";
  if (exec.bundle_dir.starts_with('/') || inside.find("/../") != std::string::npos)
    return fail(Code::BadArgument,
                "folder '" + exec.bundle_dir + "': a relative one within the bundle is wanted");
  return {};
}

Result<void> check_groups(const JobSpec& spec) {
  auto together = [](const char* what) {
    return fail(Code::BadArgument, std::string("a job with groups has no ") + what);
  };
  if (spec.open && spec.array.empty())
    return fail(Code::BadArgument, "an open array needs its indexes: -J name[1-n]");
  if (spec.open && spec.groups.empty() &&
      !(spec.array.size() == 1 && spec.array[0].from == 1 && spec.array[0].step == 1))
    return fail(Code::BadArgument, "the indexes of an open array are 1-n");
  if (spec.groups.empty()) return {};
  if (spec.groups.size() > kMostGroups)
    return fail(Code::Limit, std::to_string(spec.groups.size()) + " groups; at most " +
                                 std::to_string(kMostGroups));
  bool derived = spec.array.size() == 1 && spec.array[0].to == spec.groups.size();
  if (spec.open || !(spec.array.empty() || derived)) return together("array");
  if (spec.elastic) return together("-ar of its own: a group may be elastic");
  if (!spec.program.script_hash.empty()) return together("script: each group has its command");
  if (spec.console.streams != Streams::Files) return together("-I");
  if (spec.mpi != Mpi::None) return together("-mpi");
  std::set<std::string> names;
  for (const TaskGroup& group : spec.groups) {
    WM_TRY(check_one(group));
    if (!names.insert(group.name).second) return bad(group, "named twice");
  }
  return {};
}

}  // namespace wm::expr
