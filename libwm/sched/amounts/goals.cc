#include "libwm/sched/amounts/goals.h"

#include <algorithm>
#include <map>

#include "libwm/sched/demand/order.h"

namespace wm::sched {
namespace {

std::uint32_t whole(double jobs) {
  constexpr double kMost = 1e6;
  auto down = static_cast<std::uint32_t>(std::clamp(jobs, 0.0, kMost));
  constexpr double kRounding = 1e-6;
  return down + (jobs - down > kRounding ? 1 : 0);
}

struct ClassSum {
  GoalStanding jobs;
  Duration lengths{};
};

using ClassSums = std::map<std::string, ClassSum>;

void count(ClassSums& tallies, const Claim& claim, std::uint32_t jobs) {
  auto it = tallies.find(claim.spec().service_class);
  if (it == tallies.end() || claim.parked) return;
  (claim.pending() ? it->second.jobs.pending : it->second.jobs.running) += jobs;
  it->second.lengths += (claim.limit > Duration{} ? claim.limit : kUnstated) * jobs;
}

}  // namespace

GoalStanding standing_of(const ServiceClass& sla, const ClockSteps& clock, WallTime now,
                         GoalStanding jobs, Duration lengths) {
  using Hours = std::chrono::duration<double, std::ratio<3600>>;
  auto all = jobs.running + jobs.pending;
  double hours = all ? Hours(lengths).count() / all : 1;
  bool open = is_open(sla.windows, clock, now);
  auto want = [&](double n) { jobs.wanted = std::max(jobs.wanted, whole(n)); };
  jobs.active = open && (sla.velocity > 0 || sla.throughput > 0);
  if (jobs.active) want(sla.velocity);
  if (jobs.active) want(sla.throughput * hours);
  if (!sla.deadline.empty() && is_open(sla.deadline, clock, now)) {
    jobs.active = true;
    auto closes = next_change(sla.deadline, clock, now);
    double left = closes ? std::max(1.0 / 60, Hours(*closes - now).count()) : 24 * 7;
    want(hours * all / left);
  }
  jobs.wanted = std::min(jobs.wanted, all);
  return jobs;
}

WallTime put_goals_first(const Config& config, Claims& claims, WallTime now) {
  WallTime next{};
  if (config.classes.empty()) return next;
  ClassSums tallies;
  for (const ServiceClass& sla : config.classes) {
    tallies[sla.name];
    for (const auto* windows : {&sla.windows, &sla.deadline})
      if (auto edge = next_change(*windows, config.clock, now))
        if (next == WallTime{} || *edge < next) next = *edge;
  }
  for (const Claim& claim : claims.all) count(tallies, claim, claim.pending() ? claim.asked : 1);
  for (const Steady& group : claims.steady)
    for (const Claim& claim : group.claims) count(tallies, claim, 1);
  std::map<std::string, std::uint32_t> more;
  for (const ServiceClass& sla : config.classes) {
    const ClassSum& tally = tallies[sla.name];
    auto standing = standing_of(sla, config.clock, now, tally.jobs, tally.lengths);
    if (standing.active && standing.wanted > standing.running)
      more[sla.name] = standing.wanted - standing.running;
  }
  if (more.empty()) return next;
  for (Claim& claim : claims.all) {
    auto it = more.find(claim.spec().service_class);
    if (it == more.end() || it->second == 0 || !claim.pending() || claim.rest) continue;
    it->second -= std::min(it->second, std::max(1u, claim.copies));
    claim.order.goal = std::max(1u, config.service_class(it->first)->priority);
  }
  put_in_order(claims.all);
  return next;
}

void entitle_goals(Claims& claims) {
  for (Claim& claim : claims.all)
    if (claim.order.goal > 0 && claim.pending() && claim.barred == Barred::No) claim.due = true;
}

}  // namespace wm::sched
