#include "libwm/sched/amounts/speeds.h"

#include <algorithm>
#include <cmath>

#include "libwm/sched/amounts/targets.h"

namespace wm::sched {
namespace {

// A size counts as faster from here on: less is lost in the noise of measurements.
constexpr double kFaster = 1.03;

// A running job's own size counts for so much more than one that another would have to change
// to: a change costs, and the next arrival or end would often ask for the opposite one. A job that
// has just paid for one counts for more: the price over the time since is added, at most 4.
constexpr double kKept = 1.2, kMostForPrice = 4;

double speed_at(const Claim& claim, std::uint32_t tasks) {
  if (!claim.gain.curve) return tasks;
  const auto& speeds = claim.gain.curve->packed;
  return speeds[std::min<std::size_t>(tasks, speeds.size() - 1)];
}

// The largest size that is faster than every smaller one, and worth its tasks or its own share.
std::uint32_t most_useful(const Claim& claim, double worth) {
  std::uint32_t best = std::max(1u, claim.min);
  double first = speed_at(claim, best) / best;
  std::uint32_t reference = best;
  auto last = static_cast<std::uint32_t>(claim.gain.curve->packed.size() - 1);
  for (std::uint32_t tasks = best + 1; tasks <= last; ++tasks) {
    double speed = speed_at(claim, tasks);
    if (speed < speed_at(claim, reference) * kFaster || !claim.suits(tasks)) continue;
    reference = tasks;
    if (speed >= worth * first * tasks || tasks <= claim.gain.share) best = tasks;
  }
  return best;
}

// The next size above `tasks` that is faster; 0: none.
std::uint32_t next_size(const Claim& claim, std::uint32_t tasks) {
  std::uint32_t most = claim.most();
  if (!claim.gain.curve) {
    for (std::uint32_t size = tasks + 1; size <= most; ++size)
      if (claim.suits(size)) return size;
    return 0;
  }
  double faster = speed_at(claim, tasks) * kFaster;
  for (std::uint32_t size = tasks + 1; size <= most; ++size) {
    if (speed_at(claim, size) >= faster && claim.suits(size)) return size;
  }
  return 0;
}

// How much a claim wants its next size; more goes first.
double wish(const Claim& claim, std::uint32_t size, ElasticShare share) {
  double weight = claim.gain.weight * (size <= claim.now ? claim.gain.kept : 1);
  if (share == ElasticShare::Equal)
    return -static_cast<double>(claim.price.cost(claim.target)) / weight;
  double gain = std::log(speed_at(claim, size) / std::max(1e-12, speed_at(claim, claim.target)));
  return weight * gain /
         static_cast<double>(claim.price.cost(size) - claim.price.cost(claim.target));
}

double kept_of(const Claim& claim, WallTime now) {
  if (claim.gain.resize_cost <= Duration{}) return kKept;
  WallTime last = claim.job->times.dispatched;
  for (const Task& task : claim.job->tasks) last = std::max({last, task.since, task.ended});
  return kKept + std::min(kMostForPrice,
                          seconds(claim.gain.resize_cost) / std::max(1e-6, seconds(now - last)));
}

// Most jobs are short, and a long one makes up for it when others have gone.
double weight_of(const Claim& claim, const SchedConf& conf, WallTime now) {
  double held = 0, half = std::max(1e-6, seconds(conf.elastic_half_weight));
  for (const Task& task : claim.job->tasks) {
    WallTime end = task.holds_slot() ? now : task.ended;
    held += std::max(0.0, seconds(end - task.since));
  }
  return std::max(conf.elastic_least_weight / 100.0, 1 / (1 + held / half));
}

// How long it has run as it does. What has run for a while will run for as long again.
Duration horizon_of(const Claim& claim, WallTime now) {
  WallTime last = claim.job->times.dispatched;
  for (const Task& task : claim.job->tasks) last = std::max(last, task.since);
  return now - last;
}

// What jobs of one class compete for, and how many they are.
struct Contended {
  Units units = 0, jobs = 0;

  std::uint32_t share_of(const Claim& claim) const {
    Units cost = std::max<Units>(1, jobs * claim.price.cost(claim.min));
    Units tasks = (std::max<Units>(0, units) * claim.min + cost - 1) / cost;
    return static_cast<std::uint32_t>(std::min<Units>(tasks, claim.max));
  }
};

}  // namespace

void mark_shares(Claims& claims, const Capacities& capacities) {
  Contended gpus{capacities.gpus}, slots{capacities.slots};
  auto of = [&](bool gpu) -> Contended& { return gpu ? gpus : slots; };
  for (const Steady& group : claims.steady) of(group.gpu).units -= group.cost;
  for (const Claim& claim : claims.all) {
    bool fixed = claim.kind == ClaimKind::Fixed;
    if (fixed) of(claim.price.gpu).units -= claim.price.cost(claim.now);
    else of(claim.price.gpu).jobs += claim.pending() ? claim.copies : 1;
  }
  for (Claim& claim : claims.all)
    if (claim.resizes) claim.gain.share = of(claim.price.gpu).share_of(claim);
}

void attach_curve(Claim& claim, const Curve& curve, double worth) {
  claim.gain.curve = &curve;
  claim.gain.useful = most_useful(claim, worth);
  claim.max = std::max(claim.min, std::min(claim.max, claim.gain.useful));
}

double worth_of(const Claim& claim, const SchedConf& conf) {
  return claim.gain.known ? 0 : conf.elastic_worth / 100.0;
}

void attach_speeds(std::vector<Claim>& claims, const SpeedPolicy& policy, const SchedConf& conf) {
  if (!policy.speeds) return;
  for (Claim& claim : claims) {
    if (!claim.resizes || claim.kind == ClaimKind::Fixed) continue;
    claim.gain.known = policy.share == ElasticShare::Gain;
    claim.gain.resize_cost = policy.cost;
    auto found = policy.speeds->find(claim.id);
    if (found == policy.speeds->end() || found->second.packed.size() < 2) continue;
    attach_curve(claim, found->second, worth_of(claim, conf));
  }
}

void weigh_claims(std::vector<Claim>& claims, const SchedConf& conf, WallTime now) {
  for (Claim& claim : claims) {
    if (!claim.resizes || claim.kind == ClaimKind::Fixed) continue;
    claim.gain.kept = kept_of(claim, now);
    bool by_use = conf.elastic_least_weight < 100 && !claim.gain.known;
    if (by_use) claim.gain.weight = weight_of(claim, conf, now);
  }
}

Units share_by_speed(const std::vector<Claim*>& growing, Units left, ElasticShare share) {
  std::vector<Claim*> open = growing;
  while (left > 0 && !open.empty()) {
    Claim* best = nullptr;
    std::uint32_t best_size = 0;
    double most = 0;
    std::erase_if(open, [&](Claim* claim) {
      std::uint32_t size = next_size(*claim, claim->target);
      return size == 0 || claim->price.cost(size) - claim->price.cost(claim->target) > left;
    });
    for (Claim* claim : open) {
      std::uint32_t size = next_size(*claim, claim->target);
      double wanted = wish(*claim, size, share);
      if (best && wanted <= most) continue;
      best = claim, best_size = size, most = wanted;
    }
    if (!best) break;
    left -= best->price.cost(best_size) - best->price.cost(best->target);
    best->target = best_size;
  }
  return left;
}

bool pays_apart(const Claim& claim, std::uint32_t here, std::uint32_t tasks) {
  if (!claim.gain.curve || tasks >= claim.gain.curve->apart.size()) return true;
  return claim.gain.curve->apart[tasks] >= kFaster * speed_at(claim, here);
}

bool is_faster_together(const Claim& claim, std::uint32_t stay, WallTime now) {
  if (!claim.gain.curve || claim.now >= claim.gain.curve->apart.size()) return false;
  double gain = speed_at(claim, stay) / std::max(1e-12, claim.gain.curve->apart[claim.now]) - 1;
  return gain > 0 && gain * seconds(horizon_of(claim, now)) >= seconds(claim.gain.resize_cost);
}

WallTime keep_what_does_not_pay(std::vector<Claim>& claims, WallTime now) {
  WallTime first{};
  for (Claim& claim : claims) {
    double cost = seconds(claim.gain.resize_cost);
    if (cost <= 0 || claim.kind != ClaimKind::Elastic || !claim.gain.curve) continue;
    if (claim.target == claim.now) continue;
    Duration horizon = horizon_of(claim, now);
    double gain = speed_at(claim, claim.target) / std::max(1e-12, speed_at(claim, claim.now)) - 1;
    bool pays = gain * seconds(horizon) > cost;
    if (claim.target > claim.now && !pays) {
      claim.target = claim.now;
      // A microsecond more, or it would be looked at again when it pays just not yet.
      WallTime then = now - horizon + Duration(1 + std::llround(1e6 * cost / std::max(1e-3, gain)));
      if (first == WallTime{} || then < first) first = then;
    }
    if (claim.gain.useful < claim.now && !pays) claim.gain.useful = claim.now;
  }
  return first;
}

}  // namespace wm::sched
