#include "daemons/wmasterd/acct/waits.h"

#include <algorithm>

#include "libwm/base/exit_status.h"
#include "libwm/expr/depend.h"

namespace wm::master {
namespace {

using Stretch = std::pair<WallTime, WallTime>;

// How a job stood at `at`, as far as its times tell.
expr::JobStanding standing_at(const Job& job, WallTime at) {
  expr::JobStanding standing;
  auto by = [&](WallTime time) { return time != WallTime{} && time <= at; };
  standing.over = is_over(job.state) && by(job.times.ended);
  standing.done = standing.over && job.state == JobState::Finished;
  standing.started = by(job.times.started);
  standing.running = standing.started && !standing.over;
  standing.pending = !standing.started && !standing.over;
  standing.exit_code = shell_status(job.outcome.status);
  return standing;
}

// The jobs that an id of a condition means: itself, or the elements of its array.
std::vector<const Job*> meant(const Cluster& cluster, JobId id) {
  const Job* job = find_job(cluster, id);
  if (!job) return {};
  if (job->spec().array.empty() || id.index) return {job};
  std::vector<const Job*> all;
  for (std::uint32_t p = 0; p < element_count(job->spec()); ++p)
    if (const Job* element = cluster.elements.find(job->elements.first + p)) all.push_back(element);
  return all;
}

// When the condition was first met; the epoch: nothing of it is known any more.
WallTime met_at(const Job& job, const Cluster& cluster, WallTime now) {
  auto condition = expr::Depend::parse(job.spec().when.depend);
  if (!condition) return {};
  std::vector<WallTime> times;
  for (JobId id : condition->jobs())
    for (const Job* other : meant(cluster, id)) {
      times.push_back(other->times.started);
      times.push_back(other->times.ended);
    }
  std::erase_if(times, [&](WallTime time) { return time == WallTime{} || time > now; });
  std::sort(times.begin(), times.end());
  auto holds = [&](WallTime at) {
    auto standings = [&](JobId id) {
      std::vector<expr::JobStanding> all;
      for (const Job* other : meant(cluster, id)) all.push_back(standing_at(*other, at));
      return all;
    };
    return condition->evaluate(standings, job.id.index) == expr::Verdict::Met;
  };
  auto first =
      std::partition_point(times.begin(), times.end(), [&](WallTime time) { return !holds(time); });
  if (first != times.end()) return *first;
  return times.empty() ? WallTime{} : times.back();
}

// Length of what the stretches cover of [from, to).
Duration covered(std::vector<Stretch> stretches, WallTime from, WallTime to) {
  std::sort(stretches.begin(), stretches.end());
  Duration sum{};
  for (auto [begin, end] : stretches) {
    begin = std::max(begin, from);
    end = end == WallTime{} ? to : std::min(end, to);
    if (end <= begin) continue;
    sum += end - begin;
    from = end;
  }
  return sum;
}

const OpenWait* wait_of(const OpenJobs& open, JobId id) {
  auto own = open.waits.find(id);
  if (own != open.waits.end()) return &own->second;
  auto base = id.index ? open.waits.find({id.job, 0}) : open.waits.end();
  return base == open.waits.end() ? nullptr : &base->second;
}

}  // namespace

void add_holds_of(OpenJobs& open, const Job& job, const std::vector<store::JobEventRow>& lines) {
  const OpenWait* known = wait_of(open, job.id);
  OpenWait wait{known ? known->since : job.times.submitted, {}};
  if (job.spec().when.hold && wait.since == job.times.submitted)
    wait.held.emplace_back(wait.since, WallTime{});
  for (const auto& line : lines) {
    bool lasts = !wait.held.empty() && wait.held.back().second == WallTime{};
    if (line.time < wait.since) continue;
    if (line.event == "HOLD" && !lasts) wait.held.emplace_back(line.time, WallTime{});
    if (line.event == "RELEASE" && lasts) wait.held.back().second = line.time;
  }
  if (!wait.held.empty()) open.waits[job.id] = std::move(wait);
}

WaitParts wait_parts(const OpenJobs& open, const Job& job, const Cluster& after, WallTime now) {
  const OpenWait* wait = wait_of(open, job.id);
  WallTime since = wait ? wait->since : job.times.submitted;
  auto stretches = wait ? wait->held : std::vector<Stretch>();
  WallTime until = job.spec().when.begin;
  if (!job.spec().when.depend.empty()) until = std::max(until, met_at(job, after, now));
  if (auto left = open.limit_left.find(job.id.job); job.id.index && left != open.limit_left.end())
    until = std::max(until, left->second);
  if (until > since) stretches.emplace_back(since, until);
  auto whole = std::max(Duration{}, now - since);
  auto own = covered(std::move(stretches), since, now);
  return {own, whole - own};
}

}  // namespace wm::master
