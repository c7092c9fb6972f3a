#include "libwm/sched/demand/eligible.h"

#include <algorithm>
#include <set>

#include "libwm/model/groups.h"
#include "libwm/sched/capacity/kept_slots.h"

namespace wm::sched {
namespace {

expr::JobStanding standing_of(const Job& job) {
  bool waits = job.state == JobState::Pending || job.state == JobState::Held;
  expr::JobStanding standing;
  for (const JobNote& note : job.notes) standing.notes.push_back(note.text);
  standing.over = is_over(job.state);
  standing.done = job.state == JobState::Finished;
  standing.pending = waits;
  standing.held = job.state == JobState::Held;
  standing.running = job.state == JobState::Running || job.state == JobState::Unknown;
  standing.started = job.times.started != WallTime{} || standing.running;
  int signal = job.outcome.status & 0x7f;  // as wait(2) gives it
  standing.exit_code = signal ? 128 + signal : (job.outcome.status >> 8) & 0xff;
  return standing;
}

// An element that its array's base still stands for.
expr::JobStanding standing_in_range(const Job& base) {
  expr::JobStanding standing;
  standing.over = base.kill.has_value();
  standing.done = base.kill && base.kill->done;
  standing.pending = !standing.over;
  standing.held = base.state == JobState::Held;
  return standing;
}

// An open array that was ended or closed before it was given anything.
expr::JobStanding standing_of_none(const Job& base) {
  expr::JobStanding standing;
  standing.over = true;
  standing.done = !base.kill || base.kill->done;
  return standing;
}

std::vector<expr::JobStanding> of_array(const Cluster& cluster, const Job& base) {
  std::vector<expr::JobStanding> all;
  auto count = elements_there(base);
  if (base.spec().open && !takes_no_more(base)) all.push_back(standing_in_range(base));
  for (std::uint32_t p = 0; p < count; ++p) {
    const Job* element = cluster.elements.find(base.elements.first + p);
    all.push_back(element ? standing_of(*element) : standing_in_range(base));
  }
  if (all.empty()) all.push_back(standing_of_none(base));
  return all;
}

std::optional<expr::Depend> condition_of(const Job& job) {
  if (job.spec().when.depend.empty()) return {};
  auto parsed = expr::Depend::parse(job.spec().when.depend);
  return parsed ? std::optional(std::move(*parsed)) : std::nullopt;  // admitted: it is sound
}

// Does each element that the base stands for wait for its like in another array?
bool is_by_element(const Job& job, const expr::Depend& condition) {
  return job.id.index == 0 && !job.spec().array.empty() && condition.by_element();
}

// Told of every element that the base stands for: its index.
template <class Tell>
void each_unmade(const Cluster& cluster, const Job& base, Tell tell) {
  for (std::uint32_t p = base.elements.next_position; p < element_count(base.spec()); ++p)
    if (!cluster.elements.find(base.elements.first + p)) tell(element_index(base.spec(), p));
}

// The element that stands for them all: one with its condition met, else one that may yet start.
struct Standard {
  std::uint32_t index = 0;
  expr::Verdict verdict = expr::Verdict::Never;
};

Standard standard_of(const Cluster& cluster, const Job& base, const expr::Depend& condition) {
  auto standings = standings_of(cluster);
  Standard best;
  each_unmade(cluster, base, [&](std::uint32_t index) {
    if (best.index && best.verdict == expr::Verdict::Met) return;
    auto verdict = condition.evaluate(standings, index);
    if (best.index == 0 || verdict < best.verdict) best = {index, verdict};
  });
  return best;
}

std::vector<std::uint32_t> elements_with(const Cluster& cluster, const Job& base,
                                         const expr::Depend& condition, expr::Verdict verdict) {
  auto standings = standings_of(cluster);
  std::vector<std::uint32_t> found;
  each_unmade(cluster, base, [&](std::uint32_t index) {
    if (condition.evaluate(standings, index) == verdict) found.push_back(index);
  });
  return found;
}

std::string words_for(const Cluster& cluster, const Job& job, const Retry& retry) {
  std::string text = "Pre-execution command failed";
  for (auto id : retry.hosts)
    if (const Host* host = cluster.hosts.find(id.value)) text += " on host " + host->name;
  if (!job.outcome.text.empty()) text += ": " + job.outcome.text;
  return text + "; try " + std::to_string(job.returns.user_requeues + 1) + " of " +
         std::to_string(max_user_requeue(*cluster.config, job) + 1) + " follows after a pause";
}

}  // namespace

expr::Standings standings_of(const Cluster& cluster) {
  return [&cluster](JobId id) -> std::vector<expr::JobStanding> {
    const Job* base = cluster.jobs.find(id.job);
    if (!base) return {};
    if (id.index == 0)
      return base->spec().array.empty() ? std::vector{standing_of(*base)}
                                        : of_array(cluster, *base);
    if (const Job* element = find_job(cluster, id)) return {standing_of(*element)};
    if (!element_position(base->spec(), id.index)) return {};
    return {standing_in_range(*base)};
  };
}

// The tasks of its last attempt are kept till the next: they say where and when it ended.
std::optional<Retry> retry_of(const Job& job) {
  constexpr Duration kFirst = std::chrono::seconds(2), kLongest = std::chrono::minutes(5);
  constexpr Duration kOthersFirst = std::chrono::minutes(1);
  if (job.state != JobState::Pending || job.returns.user_requeues == 0) return {};
  WallTime ended{};
  std::set<HostId> hosts;
  bool failed = false;
  for (const Task& task : job.tasks) {
    failed = failed || task.term == Term::PreExecFail;
    ended = std::max(ended, task.ended);
    hosts.insert(task.host);
  }
  if (!failed) return {};
  auto pause = kFirst;
  for (auto n = job.returns.user_requeues; n > 1 && pause < kLongest; --n) pause *= 2;
  auto at = ended + std::min(pause, kLongest);
  return Retry{at, at + kOthersFirst, {hosts.begin(), hosts.end()}};
}

namespace {

std::optional<NotEligible> group_waits(const Cluster& cluster, const Job& job, WallTime now) {
  if (job.size.wants_none)
    return NotEligible{PendCode::NoneWanted, "The group is to have no task for now"};
  if (is_independent(job) && now < job.size.grow_again)
    return NotEligible{PendCode::StartFailed, job.size.grow_blocked};
  if (groups_are_ready(cluster, job)) return {};
  return NotEligible{PendCode::Groups, is_independent(job)
                                           ? "Starts when the groups that live with the job run"
                                           : "Starts together with the job's other groups"};
}

}  // namespace

std::optional<NotEligible> not_eligible(const Cluster& cluster, const Job& job, WallTime now) {
  if (group_of(job))
    if (auto waits = group_waits(cluster, job, now)) return waits;
  if (job.spec().when.begin > now)
    return NotEligible{PendCode::BeginTime, "The job has a specified start time"};
  if (auto why = reserved_obstacle(cluster, job.spec(), now); !why.empty())
    return NotEligible{PendCode::Reserved, std::move(why)};
  if (auto retry = retry_of(job); retry && retry->at > now)
    return NotEligible{PendCode::StartFailed, words_for(cluster, job, *retry)};
  auto condition = condition_of(job);
  if (!condition) return {};
  auto standings = standings_of(cluster);
  bool by_element = is_by_element(job, *condition);
  Standard standard = by_element
                          ? standard_of(cluster, job, *condition)
                          : Standard{job.id.index, condition->evaluate(standings, job.id.index)};
  if (standard.verdict == expr::Verdict::Met) return {};
  auto unmet = condition->unmet(standings, standard.index);
  if (standard.verdict == expr::Verdict::Never)
    return NotEligible{PendCode::NeverMet,
                       "Dependency condition invalid or never satisfied: " + unmet};
  return NotEligible{PendCode::Dependency, "Job dependency condition not satisfied: " + unmet};
}

std::optional<std::vector<std::uint32_t>> eligible_elements(const Cluster& cluster,
                                                            const Job& base) {
  auto condition = condition_of(base);
  if (!condition || !is_by_element(base, *condition)) return {};
  return elements_with(cluster, base, *condition, expr::Verdict::Met);
}

std::optional<std::vector<std::uint32_t>> lost_elements(const Cluster& cluster, const Job& base) {
  auto condition = condition_of(base);
  if (!condition || !is_by_element(base, *condition)) return {};
  return elements_with(cluster, base, *condition, expr::Verdict::Never);
}

}  // namespace wm::sched
