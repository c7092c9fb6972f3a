#include "daemons/wmasterd/verbs/selection.h"

#include <algorithm>
#include <set>
#include <utility>

#include "daemons/wmasterd/verbs/portion.h"
#include "libwm/sched/capacity/host_rules.h"

namespace wm::master {
namespace {

using Visit = std::function<bool(const Job&, JobId)>;

constexpr std::size_t kMostLookedAt = 100'000;  // in one answer: the loop serves others, too

// On the host, or on one of the group of hosts.
bool on_host(const Cluster& state, const Job& job, const std::string& name) {
  if (name.empty()) return true;
  return std::ranges::any_of(job.tasks, [&](const Task& task) {
    const Host* host = task.holds_slot() ? state.hosts.find(task.host.value) : nullptr;
    return host && sched::names_host({name}, *state.config, *host);
  });
}

// Users and groups of users, with blanks or commas between.
bool is_owner(const Config& config, const std::string& users, const Identity& owner) {
  if (users == owner.user) return true;
  std::vector<std::string> names;
  for (std::size_t at = 0; at < users.size();) {
    auto end = std::min(users.find_first_of(", ", at), users.size());
    if (end > at) names.push_back(users.substr(at, end - at));
    at = end + 1;
  }
  return is_listed(config, names, owner);
}

// Is it the group that is wanted, or one below it? "/" is above all that there are.
bool fits_group(const std::string& wanted, const std::string& group) {
  if (wanted.empty()) return true;
  if (wanted == "/") return !group.empty();
  return group == wanted || group.starts_with(wanted + "/");
}

bool fits(const Cluster& state, const JobSelection& s, const std::string& caller, const Job& job,
          JobId id) {
  const auto& spec = job.spec();
  if (s.ids.empty() && s.user.empty() && spec.owner.user != caller) return false;
  bool of_some = s.ids.empty() && !s.user.empty() && s.user != "all";
  if (of_some && !is_owner(*state.config, s.user, spec.owner)) return false;
  if (!s.queue.empty() && spec.queue != s.queue) return false;
  if (!s.project.empty() && spec.project != s.project) return false;
  if (!s.app.empty() && spec.app != s.app) return false;
  if (!fits_group(s.job_group, spec.job_group)) return false;
  if (!s.service_class.empty() && spec.service_class != s.service_class) return false;
  if (!s.reservation.empty() && spec.reservation != s.reservation) return false;
  if (!fits_name(s.name, spec.name) &&
      !fits_name(s.name, spec.name + "[" + std::to_string(id.index) + "]"))
    return false;
  return on_host(state, job, s.host) && fits_state(s, state_of(job, id));
}

bool visit_element(const Cluster& state, const Job& base, std::uint32_t position,
                   const Visit& visit) {
  const Job* made = state.elements.find(base.elements.first + position);
  return visit(made ? *made : base, {base.id.job, element_index(base.spec(), position)});
}

// The job or the elements of an array, those that come after `after` where that is one of them.
bool visit_parts(const Cluster& state, const Job& base, JobId after, const Visit& visit) {
  bool begun = after.job == base.id.job;
  if (base.spec().array.empty()) return begun || visit(base, base.id);
  auto had = begun ? element_position(base.spec(), after.index) : std::nullopt;
  for (std::uint32_t p = had ? *had + 1 : 0; p < elements_there(base); ++p)
    if (!visit_element(state, base, p, visit)) return false;
  // Of what is still to come it is the array itself that can be seen, held and ended; and where it
  // was ended before anything came.
  bool nothing = elements_there(base) == 0 && !begun;
  return (takes_no_more(base) && !nothing) || visit(base, base.id);
}

// One user by name, no list and no group of users; empty: not so.
std::string only_user(const Cluster& state, const JobSelection& s, const std::string& caller) {
  if (s.user.empty()) return caller;
  bool list = s.user.find_first_of(", ") != std::string::npos;
  bool group = s.user == "all" || std::ranges::any_of(state.config->users, [&](const auto& user) {
                 return std::ranges::find(user.groups, s.user) != user.groups.end();
               });
  return list || group ? "" : s.user;
}

// Visits the jobs, arrays by their base, that may fit a selection without ids: those of that name
// or of that user by the indexes, else all. Were all visited?
bool each_base(const Cluster& state, const JobSelection& s, const std::string& caller,
               const std::function<bool(const Job&)>& visit) {
  const auto first = s.after.job;
  bool exact = !s.name.empty() && s.name.find('*') == std::string::npos && !s.name.ends_with(']');
  if (exact) return each_keyed(state.jobs, state.indexes.by_name, key_of(s.name), first, visit);
  auto user = only_user(state, s, caller);
  if (!user.empty())
    return each_keyed(state.jobs, state.indexes.by_user, key_of(user), first, visit);
  return state.jobs.each_from(first, [&](std::uint32_t, const Job& base) { return visit(base); });
}

// What one id means: a job, an array or an element.
bool visit_id(const Cluster& state, JobId id, JobId after, Walked& walked, const Visit& visit) {
  const Job* base = state.jobs.find(id.job);
  if (base && id.index == 0) return visit_parts(state, *base, after, visit);
  auto position = base ? element_position(base->spec(), id.index) : std::nullopt;
  if (position) return visit_element(state, *base, *position, visit);
  walked.missing.push_back(id);
  return true;
}

}  // namespace

bool is_asked(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

bool fits_name(const std::string& wanted, const std::string& name) {
  if (wanted.empty() || wanted == "*") return true;
  bool front = wanted.front() == '*', back = wanted.back() == '*';
  auto core = wanted.substr(front, wanted.size() - front - back);
  if (front && back) return name.find(core) != std::string::npos;
  if (front) return name.ends_with(core);
  return back ? name.starts_with(core) : name == wanted;
}

bool fits_state(const JobSelection& s, JobState state) {
  bool any = !s.pending_only && !s.running_only && !s.suspended_only;
  if (any && !s.ids.empty()) return true;
  bool over = is_over(state);
  if (over ? !s.finished : !s.unfinished) return false;
  if (any || over) return true;
  bool waiting = state == JobState::Pending || state == JobState::Held;
  bool stopped = state == JobState::Held || state == JobState::Suspended;
  return (s.pending_only && waiting) || (s.suspended_only && stopped) ||
         (s.running_only && !waiting && state != JobState::Suspended);
}

JobState state_of(const Job& job, JobId id) {
  if (job.id == id && job.spec().array.empty()) return job.state;
  if (job.id == id && id.index) return job.state;
  if (job.kill) return job.kill->end();
  return job.state == JobState::Held ? JobState::Held : JobState::Pending;
}

Result<std::vector<std::uint32_t>> jobs_named(const Cluster& state, const Identity& who,
                                              const std::string& name) {
  std::vector<std::uint32_t> found;
  bool prefix = name.ends_with('*');
  auto stem = name.substr(0, name.size() - (prefix ? 1 : 0));
  auto look = [&](const Job& job) {
    const auto& have = job.spec().name;
    bool fits = prefix ? have.starts_with(stem) : have == stem;
    if (fits && job.spec().owner.uid == who.uid) found.push_back(job.id.job);
    return true;
  };
  if (prefix) each_keyed(state.jobs, state.indexes.by_user, key_of(who.user), 0, look);
  else each_keyed(state.jobs, state.indexes.by_name, key_of(stem), 0, look);
  if (found.empty()) return fail(Code::NotFound, name + ": No matching job found");
  if (state.config->cluster.lsf.dep_last_sub) return std::vector{found.back()};
  return found;
}

const Job* job_or_base(const Cluster& state, JobId id) {
  const Job* job = find_job(state, id);
  const Job* base = job ? nullptr : state.jobs.find(id.job);
  return base && element_position(base->spec(), id.index) ? base : job;
}

void each_part(const Cluster& state, const Job& base,
               const std::function<void(const Job&, JobId)>& visit) {
  visit_parts(state, base, {}, [&](const Job& job, JobId id) {
    visit(job, id);
    return true;
  });
}

JobSelection rest_of(JobSelection selection, std::size_t ids_done, JobId last) {
  auto& ids = selection.ids;
  ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(ids_done));
  selection.after = last;
  return selection;
}

Walked each_selected(const Cluster& state, const JobSelection& selection, const std::string& caller,
                     const Visit& visit) {
  Walked walked;
  JobId last = selection.after;
  std::uint32_t number = last.job;
  std::size_t looked_at = 0;
  auto consider = [&](const Job& job, JobId id) {
    bool another = std::exchange(number, id.job) != id.job;
    if (looked_at++ >= kMostLookedAt && another) return false;
    if (fits(state, selection, caller, job, id) && !visit(job, id)) return false;
    last = id;
    return true;
  };
  std::set<JobId> visited;
  auto stop = [&](std::size_t ids_done) {
    auto& rest = walked.rest.emplace(rest_of(selection, ids_done, last)).ids;
    auto others = rest.begin() + (rest.empty() ? 0 : 1);
    rest.erase(std::remove_if(others, rest.end(), [&](JobId id) { return visited.count(id); }),
               rest.end());
    return walked;
  };
  if (selection.ids.empty()) {
    bool all = each_base(state, selection, caller, [&](const Job& base) {
      return visit_parts(state, base, selection.after, consider);
    });
    return all ? walked : stop(0);
  }
  for (std::size_t i = 0; i < selection.ids.size(); ++i) {
    if (!visited.insert(selection.ids[i]).second) continue;
    if (!visit_id(state, selection.ids[i], last, walked, consider)) return stop(i);
    last = {};
  }
  return walked;
}

Walked each_to_change(const Cluster& state, const JobSelection& selection,
                      const std::string& caller,
                      const std::function<void(const Job&, JobId)>& visit) {
  std::size_t visited = 0;
  std::uint32_t number = 0;
  std::set<std::uint32_t> whole, over, left;  // arrays
  for (JobId id : selection.ids)
    if (id.index == 0) whole.insert(id.job);
  auto walked = each_selected(state, selection, caller, [&](const Job& job, JobId id) {
    bool another = std::exchange(number, id.job) != id.job;
    if (another && visited >= kMostInAnswer) return false;
    ++visited;
    bool part = whole.count(id.job) != 0;
    bool done = part && id.index != 0 && !selection.finished && is_over(state_of(job, id));
    if (part) (done ? over : left).insert(id.job);
    if (!done) visit(job, id);
    return true;
  });
  for (auto array : over)
    if (!left.count(array)) walked.over.push_back({array, 0});
  return walked;
}

}  // namespace wm::master
