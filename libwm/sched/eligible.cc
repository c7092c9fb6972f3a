#include "libwm/sched/eligible.h"

namespace wm::sched {
namespace {

expr::JobStanding standing_of(const Job& job) {
  bool waits = job.state == JobState::Pending || job.state == JobState::Held;
  expr::JobStanding standing;
  standing.over = is_over(job.state);
  standing.done = job.state == JobState::Finished;
  standing.pending = waits;
  standing.held = job.state == JobState::Held;
  standing.running = job.state == JobState::Running || job.state == JobState::Unknown;
  standing.started = job.started != WallTime{} || standing.running;
  int signal = job.exit_status & 0x7f;  // as wait(2) gives it
  standing.exit_code = signal ? 128 + signal : (job.exit_status >> 8) & 0xff;
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

std::vector<expr::JobStanding> of_array(const Cluster& cluster, const Job& base) {
  std::vector<expr::JobStanding> all;
  auto count = element_count(base.spec());
  for (std::uint32_t p = 0; p < count; ++p) {
    const Job* element = cluster.elements.find(base.first_element + p);
    all.push_back(element ? standing_of(*element) : standing_in_range(base));
  }
  return all;
}

std::optional<expr::Depend> condition_of(const Job& job) {
  if (job.spec().depend.empty()) return {};
  auto parsed = expr::Depend::parse(job.spec().depend);
  return parsed ? std::optional(std::move(*parsed)) : std::nullopt;  // admitted: it is sound
}

// The index that [*] means for this job: of a base the next element's.
std::uint32_t index_of(const Job& job) {
  if (job.id.index || job.spec().array.empty()) return job.id.index;
  return job.next_position < element_count(job.spec())
             ? element_index(job.spec(), job.next_position)
             : 0;
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

std::optional<NotEligible> not_eligible(const Cluster& cluster, const Job& job, WallTime now) {
  if (job.spec().begin > now)
    return NotEligible{PendCode::BeginTime, "The job has a specified start time"};
  auto condition = condition_of(job);
  if (!condition) return {};
  auto standings = standings_of(cluster);
  auto verdict = condition->evaluate(standings, index_of(job));
  if (verdict == expr::Verdict::Met) return {};
  auto unmet = condition->unmet(standings, index_of(job));
  if (verdict == expr::Verdict::Never)
    return NotEligible{PendCode::NeverMet,
                       "Dependency condition invalid or never satisfied: " + unmet};
  return NotEligible{PendCode::Dependency, "Job dependency condition not satisfied: " + unmet};
}

std::uint32_t eligible_elements(const Cluster& cluster, const Job& base) {
  auto condition = condition_of(base);
  if (!condition || !condition->by_element()) return ~0u;
  auto standings = standings_of(cluster);
  std::uint32_t eligible = 0;
  for (std::uint32_t p = base.next_position; p < element_count(base.spec()); ++p) {
    if (cluster.elements.find(base.first_element + p)) continue;
    if (condition->evaluate(standings, element_index(base.spec(), p)) != expr::Verdict::Met) break;
    ++eligible;
  }
  return eligible;
}

}  // namespace wm::sched
