// Bayesian search: a Gaussian process over the trials says where the next one
// is expected to improve most. Trials in flight are believed to come out as the
// process guesses. After a row of trials without an improvement the search
// keeps to a box round the best one, which shrinks with failures and grows with
// successes.
// @source expected improvement: Jones, Schonlau, Welch, J. Global Optim. 13,
// 1998; its logarithm:
//         Ament et al., NeurIPS 2023; kriging believer: Ginsbourger, Le Riche,
//         Carraro 2010; the box: Eriksson et al. (TuRBO), NeurIPS 2019; first
//         points: McKay, Beckman, Conover 1979
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "libwm/search/process.h"
#include "libwm/search/sampler.h"
#include "libwm/search/warp.h"

namespace wm::search {
namespace {

constexpr std::size_t kMostRows = 300;  // beyond that the best and the latest
constexpr double kNarrowest = 1.0 / 128;

// Numbers that the process sees: of words one for each, of what is not active
// the middle.
Row row_of(const Space& space, const Point& point) {
  Row row;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const auto& param = space.params[i];
    bool active = !std::isnan(point[i]);
    if (param.kind != Kind::Words) {
      row.push_back(active ? point[i] : 0.5);
      continue;
    }
    for (std::uint64_t k = 0; k < param.count; ++k)
      row.push_back(active && point[i] == static_cast<double>(k) ? std::sqrt(0.5) : 0);
  }
  return row;
}

std::vector<std::size_t> groups_of(const Space& space) {
  std::vector<std::size_t> group;
  for (std::size_t i = 0; i < space.params.size(); ++i) {
    const auto& param = space.params[i];
    group.insert(group.end(), param.kind == Kind::Words ? param.count : 1, i);
  }
  return group;
}

// log of z·share(z) + density(z), also where both vanish.
double log_gain(double z) {
  if (z > -1) return std::log(z * normal_share(z) + normal_density(z));
  if (z > -25) {
    double ratio = normal_share(z) / normal_density(z);
    return std::log(std::max(1 + z * ratio, 1e-300)) - 0.5 * z * z - 0.9189385332046727;
  }
  return -0.5 * z * z - 0.9189385332046727 - 2 * std::log(-z);
}

// A trial's point and its value; worst of all where it failed.
struct Known {
  std::vector<const Trial*> trials;
  std::vector<double> values;
};

Known known_of(const History& history) {
  Known known;
  double worst = -std::numeric_limits<double>::infinity();
  for (const auto& trial : history)
    if (trial.point && trial.value && !trial.is_live()) worst = std::max(worst, *trial.value);
  if (!std::isfinite(worst)) return known;
  for (const auto& trial : history)
    if (trial.point && !trial.is_live()) {
      known.trials.push_back(&trial);
      known.values.push_back(trial.value.value_or(worst));
    }
  return known;
}

// The best and the latest, in their order, when there are too many.
Known bounded(const Known& all) {
  if (all.values.size() <= kMostRows) return all;
  std::vector<std::size_t> order(all.values.size());
  std::iota(order.begin(), order.end(), 0);
  auto half = static_cast<std::ptrdiff_t>(kMostRows / 2);
  std::stable_sort(order.begin(), order.end() - half,
                   [&](auto a, auto b) { return all.values[a] < all.values[b]; });
  order.erase(order.begin() + half, order.end() - half);
  std::ranges::sort(order);
  Known some;
  for (auto i : order) {
    some.trials.push_back(all.trials[i]);
    some.values.push_back(all.values[i]);
  }
  return some;
}

// Side of the box that the search keeps to, as the course of the trials makes
// it; 1: none.
double side_of(const Known& known, std::size_t first, std::size_t patience) {
  double side = 1, best = std::numeric_limits<double>::infinity(), worst = -best;
  std::size_t failures = 0, successes = 0;
  for (std::size_t i = 0; i < known.values.size(); ++i) {
    double value = known.values[i];
    bool better = value < best - 1e-3 * std::abs(best) || i < first;
    best = std::min(best, value);
    worst = std::max(worst, value);
    successes = better ? successes + 1 : 0;
    failures = better ? 0 : failures + 1;
    if (successes >= 3) side = std::min(1.0, side * 2), successes = 0;
    if (failures >= patience) side /= 2, failures = 0;
    if (side < kNarrowest) side = 1;
  }
  return side;
}

class BayesianSampler : public Sampler {
 public:
  BayesianSampler(const Search& search, const History& history);
  Point next(Draws draws) override;
  void add(const Point& point) override;

 private:
  struct Rated {
    Point point;
    double gain = 0;
  };

  void believe(const Point& point);
  void rank_by_mean();
  Point first_point(std::size_t number) const;
  Point somewhere(Draws& draws) const;
  Point beside(const Point& center, double distance, Draws& draws) const;
  void keep_inside(Point& point) const;
  std::vector<Rated> rate(std::vector<Point> points) const;
  std::vector<Point> seeds(Draws& draws) const;

  const Search& search_;
  std::size_t given_ = 0;  // trials, with those in flight
  std::size_t first_ = 0;  // that are spread evenly
  std::unique_ptr<Process> process_;
  std::vector<Point> best_;  // trials from the best on
  double least_ = 0;         // the best target
  double side_ = 1;
  std::vector<double> reach_;  // of the box, in each parameter
};

BayesianSampler::BayesianSampler(const Search& search, const History& history)
    : search_(search), given_(history.size()) {
  auto most = std::max<std::uint32_t>(search.max_trials.value_or(~0u) / 3, 2);
  first_ = std::min(search.options.init_points, most);
  auto all = known_of(history);
  // Trials in flight do not know yet what those before them found.
  auto live = static_cast<std::size_t>(std::ranges::count_if(history, &Trial::is_live));
  side_ = side_of(all, first_, std::max<std::size_t>(4, search.space.params.size()) + 2 * live);
  auto known = bounded(all);
  if (known.values.size() < 2 || given_ < first_) return;
  auto targets = warped(known.values);
  std::vector<Row> rows;
  for (const auto* trial : known.trials) rows.push_back(row_of(search.space, *trial->point));
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](auto i) { return targets[i]; });
  for (auto i : order) best_.push_back(*known.trials[i]->point);
  least_ = targets[order.front()];
  process_ =
      std::make_unique<Process>(std::move(rows), std::move(targets), groups_of(search.space));
  process_->fit(search.is_noiseless());
  if (!search.is_noiseless()) rank_by_mean();
  for (const auto& trial : history)
    if (trial.point && trial.is_live()) believe(*trial.point);
  reach_ = process_->lengths();
  double log_sum = 0;
  for (double length : reach_) log_sum += std::log(length);
  double middle = std::exp(log_sum / static_cast<double>(reach_.size()));
  for (auto& reach : reach_)
    reach = std::min(1.0, side_ * std::clamp(reach / middle, 0.5, 2.0)) / 2;
}

// Where values are noisy the best is where the process expects the least, not who was lucky.
void BayesianSampler::rank_by_mean() {
  std::vector<Row> rows;
  for (const auto& point : best_) rows.push_back(row_of(search_.space, point));
  auto guesses = process_->guess(rows);
  std::vector<std::size_t> order(best_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](auto i) { return guesses[i].mean; });
  std::vector<Point> ranked;
  for (auto i : order) ranked.push_back(std::move(best_[i]));
  best_ = std::move(ranked);
  least_ = guesses[order.front()].mean;
}

// One point of a Latin hypercube.
Point BayesianSampler::first_point(std::size_t number) const {
  Point point(search_.space.params.size());
  for (std::size_t i = 0; i < point.size(); ++i) {
    std::vector<std::size_t> place(first_);
    std::iota(place.begin(), place.end(), 0);
    Draws draws(search_.seed, 0, i);
    for (std::size_t n = first_; n > 1; --n) std::swap(place[n - 1], place[draws.below(n)]);
    double u = Draws(search_.seed, number + 1, i).uniform();
    point[i] = (static_cast<double>(place[number]) + u) / static_cast<double>(first_);
    const auto& param = search_.space.params[i];
    if (param.kind == Kind::Words) point[i] *= static_cast<double>(param.count);
  }
  settle(search_.space, point);
  return point;
}

void BayesianSampler::keep_inside(Point& point) const {
  if (side_ >= 1) return;
  for (std::size_t i = 0; i < point.size(); ++i) {
    double center = best_.front()[i];
    if (search_.space.params[i].kind == Kind::Words || std::isnan(center) || std::isnan(point[i]))
      continue;
    point[i] = std::clamp(point[i], center - reach_[i], center + reach_[i]);
  }
  settle(search_.space, point);
}

// Anywhere in the box.
Point BayesianSampler::somewhere(Draws& draws) const {
  auto point = random_point(search_.space, draws);
  if (side_ >= 1) return point;
  const auto& center = best_.front();
  for (std::size_t i = 0; i < point.size(); ++i) {
    double u = draws.uniform(), keep = draws.uniform();
    if (std::isnan(center[i])) continue;
    if (search_.space.params[i].kind == Kind::Words) {
      if (keep < 0.8) point[i] = center[i];
    } else {
      point[i] = std::clamp(center[i] + (2 * u - 1) * reach_[i], 0.0, 1.0);
    }
  }
  // What a word of the center makes active has a coordinate of its own from
  // above.
  for (auto& at : point)
    if (std::isnan(at)) at = draws.uniform();
  settle(search_.space, point);
  return point;
}

// Some coordinates moved, words changed now and then.
Point BayesianSampler::beside(const Point& center, double distance, Draws& draws) const {
  auto point = center;
  double share = std::max(2.0 / static_cast<double>(point.size()), 0.3);
  for (std::size_t i = 0; i < point.size(); ++i) {
    const auto& param = search_.space.params[i];
    double choose = draws.uniform(), normal = draws.normal(), u = draws.uniform();
    if (param.kind == Kind::Words) {
      double count = static_cast<double>(param.count);
      if (std::isnan(point[i]) || choose < 0.3 * share * std::min(1.0, 4 * distance))
        point[i] = u * count;
    } else if (std::isnan(point[i])) {
      point[i] = u;
    } else if (choose < share) {
      double least = param.count ? 1.0 / static_cast<double>(param.count) : 0;
      point[i] = std::clamp(point[i] + normal * std::max(distance, least), 0.0, 1.0);
    }
  }
  settle(search_.space, point);
  keep_inside(point);
  return point;
}

std::vector<BayesianSampler::Rated> BayesianSampler::rate(std::vector<Point> points) const {
  std::vector<Row> rows;
  for (const auto& point : points) rows.push_back(row_of(search_.space, point));
  auto guesses = process_->guess(rows);
  std::vector<Rated> rated;
  for (std::size_t i = 0; i < points.size(); ++i) {
    auto [mean, deviation] = guesses[i];
    double gain = log_gain((least_ - mean) / deviation) + std::log(deviation);
    rated.push_back({std::move(points[i]), gain});
  }
  return rated;
}

// Where the climb may begin: anywhere, and beside good trials.
std::vector<Point> BayesianSampler::seeds(Draws& draws) const {
  constexpr int kAnywhere = 600, kBeside = 300;
  std::vector<Point> points;
  for (int n = 0; n < kAnywhere; ++n) points.push_back(somewhere(draws));
  for (int n = 0; n < kBeside; ++n) {
    auto which = draws.below(std::min<std::size_t>(best_.size(), n % 2 ? 1 : 6));
    points.push_back(beside(best_[which], std::pow(10, -0.7 - 2 * draws.uniform()), draws));
  }
  return points;
}

Point BayesianSampler::next(Draws draws) {
  if (given_ < first_) return first_point(given_);
  if (!process_) return random_point(search_.space, draws);
  constexpr std::size_t kClimbers = 6, kTries = 14;
  constexpr int kRounds = 16;
  auto order = [](const Rated& a, const Rated& b) { return a.gain > b.gain; };
  auto rated = rate(seeds(draws));
  std::ranges::stable_sort(rated, order);
  rated.resize(std::min(rated.size(), kClimbers));
  double distance = 0.15;
  for (int round = 0; round < kRounds; ++round, distance *= 0.65) {
    std::vector<Point> tries;
    for (const auto& climber : rated)
      for (std::size_t n = 0; n < kTries; ++n)
        tries.push_back(beside(climber.point, distance, draws));
    auto found = rate(std::move(tries));
    for (std::size_t n = 0; n < found.size(); ++n)
      if (auto& climber = rated[n / kTries]; found[n].gain > climber.gain)
        climber = std::move(found[n]);
  }
  return std::ranges::min_element(rated, order)->point;
}

// What is believed to become the best is what the next one has to improve on.
void BayesianSampler::believe(const Point& point) {
  least_ = std::min(least_, process_->add(row_of(search_.space, point)));
}

void BayesianSampler::add(const Point& point) {
  ++given_;
  if (process_) believe(point);
}

}  // namespace

std::unique_ptr<Sampler> bayesian_sampler(const Search& search, const History& history) {
  return std::make_unique<BayesianSampler>(search, history);
}

}  // namespace wm::search
