#include "libwm/sched/plan/goodput.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace wm::sched {
namespace {

constexpr std::array<double, 8> kOverlaps = {1, 1.5, 2, 3, 4, 6, 8, 10};
constexpr double kBatchesPerDoubling = 4;
constexpr double kTiny = 1e-9;
// A further overlap must explain the reports better by more than rounding: one report, or any
// number of one size, says nothing of it.
constexpr double kBetter = 1e-9;

// y ~ base + per x, both at least 0, relative errors squared.
struct Fit {
  double base = 0, per = 0;
};

struct Point {
  double x = 0, y = 0;
};

Fit fit_line(const std::vector<Point>& points) {
  double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;
  for (const Point& p : points) {
    double weight = 1 / std::max(kTiny, p.y * p.y);
    w += weight, wx += weight * p.x, wy += weight * p.y;
    wxx += weight * p.x * p.x, wxy += weight * p.x * p.y;
  }
  if (w == 0) return {};
  double spread = wxx * w - wx * wx;
  // One x only: all of it is proportional, nothing is base.
  if (spread <= 1e-9 * wxx * w) return wx > 0 ? Fit{0, wy / wx} : Fit{wy / w, 0};
  Fit fit;
  fit.per = (wxy * w - wx * wy) / spread;
  fit.base = (wy - fit.per * wx) / w;
  if (fit.per < 0) return {wy / w, 0};
  if (fit.base < 0) return {0, wxx > 0 ? wxy / wxx : 0};
  return fit;
}

double joined(double compute, double exchange, double overlap) {
  return std::pow(std::pow(compute, overlap) + std::pow(exchange, overlap), 1 / overlap);
}

// What the exchange takes by itself when `overlap` hides a part of it.
double unhidden(const StepSample& s, double overlap) {
  double whole = std::pow(s.compute_s + s.exchange_s, overlap) - std::pow(s.compute_s, overlap);
  return std::pow(std::max(0.0, whole), 1 / overlap);
}

double further(std::uint32_t tasks) { return tasks > 2 ? tasks - 2.0 : 0.0; }

StepModel fit_exchange(std::span<const StepSample> samples, StepModel model, double overlap) {
  std::vector<Point> local, remote;
  for (const StepSample& s : samples) {
    if (s.tasks < 2) continue;
    (s.hosts > 1 ? remote : local).push_back({further(s.tasks), unhidden(s, overlap)});
  }
  auto constant_for_one = [](const std::vector<Point>& points) {
    // Tasks seen in one number only: more of them are taken to cost no more.
    bool one =
        std::all_of(points.begin(), points.end(), [&](auto& p) { return p.x == points[0].x; });
    if (points.empty() || !one) return fit_line(points);
    double sum = 0;
    for (const Point& p : points) sum += p.y;
    return Fit{sum / static_cast<double>(points.size()), 0};
  };
  Fit near = constant_for_one(local), far = constant_for_one(remote);
  // Between hosts it never takes less than within one.
  if (remote.empty()) far = near;
  model.local_base = near.base, model.local_per = near.per;
  model.remote_base = far.base, model.remote_per = far.per;
  model.overlap = overlap;
  return model;
}

double error_of(const StepModel& model, std::span<const StepSample> samples) {
  double sum = 0;
  for (const StepSample& s : samples) {
    double foretold = model.step_s(s.hosts, s.tasks, s.local_batch, 1);
    double error =
        std::log(std::max(kTiny, foretold) / std::max(kTiny, s.compute_s + s.exchange_s));
    sum += error * error;
  }
  return sum;
}

// What it trains with unless it may choose.
double own_batch(const BatchTerms& terms, std::uint32_t tasks) {
  return terms.per_task ? terms.own * tasks : terms.own;
}

// Goodput with one batch; at most `most` samples at once.
double goodput_at(const StepModel& model, const BatchTerms& terms, std::uint32_t hosts,
                  std::uint32_t tasks, double batch) {
  double share = std::ceil(batch / tasks - 1e-8);
  double rounds = std::max(1.0, std::ceil(share / terms.local_most - 1e-8));
  double local = std::max(1.0, std::ceil(share / rounds - 1e-8));
  double whole = std::min(local * rounds * tasks, std::max(terms.most, own_batch(terms, tasks)));
  return whole / model.step_s(hosts, tasks, local, rounds) * efficiency(terms, whole);
}

// How much faster than its model a job was: model's time / reported time, by tasks.
using Corrections = std::map<std::uint32_t, double>;

// Of a size, the report on the fewest hosts counts, of those on at least so many.
Corrections corrections_of(std::span<const StepSample> sorted, const StepModel& model,
                           std::uint32_t least_hosts) {
  Corrections seen;
  for (const StepSample& s : sorted) {
    if (s.hosts < least_hosts) continue;
    double foretold = model.step_s(s.hosts, s.tasks, s.local_batch, 1);
    seen.try_emplace(s.tasks, foretold / (s.compute_s + s.exchange_s));
  }
  return seen;
}

// The same of any size: where the model errs it errs nearby, too, or a size never seen would look
// better or worse than the one beside it for no reason but that.
double correction_of(const Corrections& seen, std::uint32_t tasks) {
  auto above = seen.lower_bound(tasks);
  if (above == seen.end()) return std::prev(above)->second;
  if (above == seen.begin()) return above->second;
  auto below = std::prev(above);
  auto from = [&](std::uint32_t size) {
    return std::log2(static_cast<double>(size) / below->first);
  };
  return below->second * std::pow(above->second / below->second, from(tasks) / from(above->first));
}

// A part of a further host is no size to aim at: two jobs that both exchange gradients over one
// host's network slow each other down.
bool is_whole(std::uint32_t tasks, std::uint32_t per_host) {
  return tasks <= per_host || tasks % per_host == 0;
}

// Speed rises less with every task, so between two sizes it is not below the line between them;
// a model that says so would keep a job from ever trying.
void lift_between(const Corrections& seen, std::uint32_t per_host, std::vector<double>& speeds) {
  std::uint32_t low = 0;
  for (const auto& [high, correction] : seen) {
    if (high >= speeds.size()) return;
    if (!is_whole(high, per_host)) continue;
    double slope = (speeds[high] - speeds[low]) / (high - low);
    for (std::uint32_t size = low + 1; low > 0 && size < high; ++size) {
      bool whole = is_whole(size, per_host);
      speeds[size] =
          whole ? std::max(speeds[size], speeds[low] + slope * (size - low)) : speeds[size - 1];
    }
    low = high;
  }
}

// Like those of packed tasks, by what was seen of several hosts alone.
std::vector<double> speeds_apart(std::span<const StepSample> sorted, const StepModel& model,
                                 const BatchTerms& terms, std::uint32_t per_host) {
  Corrections seen = corrections_of(sorted, model, 2);
  if (seen.empty()) return {};
  std::vector<double> speeds{0, 0};
  for (std::uint32_t tasks = 2; tasks <= per_host; ++tasks)
    speeds.push_back(correction_of(seen, tasks) * best_goodput(model, terms, 2, tasks));
  return speeds;
}

}  // namespace

double StepModel::step_s(std::uint32_t hosts, std::uint32_t tasks, double local,
                         double rounds) const {
  double compute = std::max(kTiny, compute_base + compute_per * local);
  double exchange = 0;
  if (tasks > 1 && hosts > 1) exchange = remote_base + remote_per * further(tasks);
  else if (tasks > 1) exchange = local_base + local_per * further(tasks);
  return (rounds - 1) * compute + joined(compute, exchange, overlap);
}

StepModel fit_steps(std::span<const StepSample> samples) {
  std::vector<Point> compute;
  for (const StepSample& s : samples) compute.push_back({s.local_batch, s.compute_s});
  Fit line = fit_line(compute);
  StepModel model, best;
  model.compute_base = line.base, model.compute_per = line.per;
  double least = std::numeric_limits<double>::infinity();
  for (double overlap : kOverlaps) {
    StepModel fitted = fit_exchange(samples, model, overlap);
    double error = error_of(fitted, samples);
    if (error + kBetter < least) best = fitted, least = error;
  }
  return best;
}

double efficiency(const BatchTerms& terms, double batch) {
  return (terms.noise + terms.initial) / std::max(kTiny, terms.noise + batch);
}

double best_goodput(const StepModel& model, const BatchTerms& terms, std::uint32_t hosts,
                    std::uint32_t tasks) {
  if (!terms.may_choose) return goodput_at(model, terms, hosts, tasks, own_batch(terms, tasks));
  double best = 0, least = std::max(terms.initial, terms.local_least * tasks);
  for (int i = 0;; ++i) {
    double batch = std::min(terms.most, std::ceil(least * std::exp2(i / kBatchesPerDoubling)));
    best = std::max(best, goodput_at(model, terms, hosts, tasks, batch));
    if (batch >= terms.most) return best;
  }
}

bool Profile::add(const StepSample& sample) {
  seen_ = std::max(seen_, sample.tasks);
  auto [it, is_new] =
      samples_.try_emplace({sample.hosts, sample.tasks, sample.local_batch}, sample);
  if (!is_new && it->second == sample) return false;
  it->second = sample;
  return true;
}

Curve Profile::curve(const BatchTerms& terms, std::uint32_t per_host, std::uint32_t most) const {
  if (samples_.empty()) return {};
  std::vector<StepSample> samples;
  for (const auto& [key, sample] : samples_) samples.push_back(sample);
  StepModel model = fit_steps(samples);
  Corrections seen = corrections_of(samples, model, 1);
  Curve curve{{0}, speeds_apart(samples, model, terms, per_host)};
  std::vector<double>& speeds = curve.packed;
  std::uint32_t last = std::min(most, std::max(2u, 2 * seen_));
  for (std::uint32_t tasks = 1; tasks <= last; ++tasks) {
    if (!is_whole(tasks, per_host)) {
      speeds.push_back(speeds.back());
      continue;
    }
    std::uint32_t hosts = (tasks + per_host - 1) / per_host;
    speeds.push_back(correction_of(seen, tasks) * best_goodput(model, terms, hosts, tasks));
  }
  lift_between(seen, per_host, speeds);
  return curve;
}

}  // namespace wm::sched
