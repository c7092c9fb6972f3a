// The tree-structured Parzen estimator. Trials are split into the good and the
// others; each half is a mixture of kernels, one a trial over all parameters at
// once, and one that is the space itself. Of the candidates drawn from the good
// half the one is taken where good over bad is greatest. What a trial did not
// have active counts as drawn from the space, so conditions need no case of
// their own. Trials in flight and failed ones are among the others, those in
// flight with narrow kernels: a lie that keeps parallel proposals apart.
// @source Bergstra, Bardenet, Bengio, Kégl, NeurIPS 2011; Bergstra, Yamins,
// Cox, ICML 2013; several
//         parameters in one kernel: Falkner, Klein, Hutter (BOHB), ICML 2018
#include <algorithm>
#include <cmath>
#include <limits>

#include "libwm/search/sampler.h"

namespace wm::search {
namespace {

constexpr double kLogRootTwoPi = 0.9189385332046727;

// A trial in flight keeps others from its own place, not from all that is good round it.
constexpr double kNarrow = 0.25;
constexpr double kSpread = 0.1, kLeastWidth = 0.01;

// One parameter of one kernel: a normal distribution cut off at 0 and 1, or of
// words the share of its own and of each other word, as densities over the even
// distribution.
struct Factor {
  double at = 0, inverse_width = 0, log_scale = 0, log_other = 0;
  bool is_even = true;
};

// A mixture of kernels over points; to all but its last member one trial
// belongs.
class Mixture {
 public:
  Mixture(const Space& space, const std::vector<Point>& centers);

  void add(const Point& center, double narrow = 1);
  Point draw(Draws& draws) const;
  /// Over the even distribution.
  double log_density(const Point& point) const;

 private:
  double width_of(std::size_t i, const std::vector<Point>& centers) const;
  Factor factor_of(std::size_t i, double at, double narrow) const;
  double log_kernel(std::size_t center, const Point& point) const;

  const Space& space_;
  std::size_t count_ = 0;  // that widths are for
  std::size_t size_ = 0;
  std::vector<double> widths_;   // of each parameter
  std::vector<Factor> factors_;  // of one kernel after the other
};

Mixture::Mixture(const Space& space, const std::vector<Point>& centers)
    : space_(space), count_(centers.size()) {
  factors_.reserve((centers.size() + 16) * space.params.size());
  for (std::size_t i = 0; i < space.params.size(); ++i) widths_.push_back(width_of(i, centers));
  for (const auto& center : centers) add(center);
}

void Mixture::add(const Point& center, double narrow) {
  for (std::size_t i = 0; i < center.size(); ++i)
    factors_.push_back(factor_of(i, center[i], narrow));
  ++size_;
}

// Scott's rule for as many dimensions, with how far the centers spread; kSpread
// counts as one more.
double Mixture::width_of(std::size_t i, const std::vector<Point>& centers) const {
  double sum = 0, squares = 0, count = 0;
  for (const auto& center : centers)
    if (!std::isnan(center[i])) sum += center[i], ++count;
  for (const auto& center : centers)
    if (!std::isnan(center[i])) squares += (center[i] - sum / count) * (center[i] - sum / count);
  double spread = std::sqrt((squares + kSpread * kSpread) / (count + 1));
  double d = static_cast<double>(space_.params.size());
  double rule = std::pow(static_cast<double>(std::max<std::size_t>(count_, 1)), -1 / (d + 4));
  auto values = static_cast<double>(space_.params[i].count);
  return std::clamp(spread * rule, std::max(kLeastWidth, values > 0 ? 0.5 / values : 0), 1.0);
}

Factor Mixture::factor_of(std::size_t i, double at, double narrow) const {
  const auto& param = space_.params[i];
  if (std::isnan(at)) return {};
  if (param.kind == Kind::Words) {
    double n = static_cast<double>(param.count), trials = static_cast<double>(count_);
    // As one trial were spread over all words.
    double other = n == 1 ? 1 : 1 / (1 + trials), own = n == 1 ? 1 : n - (n - 1) * other;
    return {at, 0, std::log(own), std::log(other), false};
  }
  double width = std::max(kLeastWidth, widths_[i] * narrow);
  double mass = normal_share((1 - at) / width) - normal_share(-at / width);
  return {at, 1 / width, -std::log(width * mass) - kLogRootTwoPi, 0, false};
}

// Of one parameter of a kernel; `u` is even in [0, 1).
double drawn(const Param& param, const Factor& factor, double u) {
  if (param.kind == Kind::Words) {
    double n = static_cast<double>(param.count);
    double own = factor.is_even ? 0 : std::exp(factor.log_scale) / n;
    if (u < own) return factor.at;
    double rest = (u - own) / (1 - own);
    return factor.is_even ? rest * n : std::fmod(factor.at + 1 + std::floor(rest * (n - 1)), n);
  }
  if (factor.is_even) return u;
  double below = normal_share(-factor.at * factor.inverse_width);
  double above = normal_share((1 - factor.at) * factor.inverse_width);
  return factor.at + normal_quantile(below + u * (above - below)) / factor.inverse_width;
}

Point Mixture::draw(Draws& draws) const {
  auto which = draws.below(size_ + 1);
  if (which == size_) return random_point(space_, draws);
  Point point(space_.params.size());
  for (std::size_t i = 0; i < point.size(); ++i)
    point[i] = drawn(space_.params[i], factors_[which * point.size() + i], draws.uniform());
  settle(space_, point);
  return point;
}

double Mixture::log_kernel(std::size_t center, const Point& point) const {
  const Factor* factor = &factors_[center * point.size()];
  double sum = 0;
  for (double x : point) {
    const auto& f = *factor++;
    if (f.is_even || std::isnan(x)) continue;
    if (f.inverse_width == 0) {
      sum += x == f.at ? f.log_scale : f.log_other;
      continue;
    }
    double z = (x - f.at) * f.inverse_width;
    sum += f.log_scale - 0.5 * z * z;
  }
  return sum;
}

double Mixture::log_density(const Point& point) const {
  double top = 0, sum = 1;  // the even distribution's own
  for (std::size_t c = 0; c < size_; ++c) {
    double log = log_kernel(c, point);
    if (log > top) {
      sum *= std::exp(top - log);
      top = log;
    }
    if (log > top - 40) sum += std::exp(log - top);
  }
  return top + std::log(sum / static_cast<double>(size_ + 1));
}

// The trials in their halves.
struct Halves {
  std::vector<Point> good, others, pending;
  std::size_t valued = 0, live = 0;
};

Halves halves_of(const Options& options, const History& history) {
  std::vector<std::pair<double, const Trial*>> order;
  Halves halves;
  for (const auto& trial : history) {
    if (!trial.point) continue;
    if (trial.value && !trial.is_live()) order.emplace_back(*trial.value, &trial);
    else if (trial.is_live()) halves.pending.push_back(*trial.point);
    else halves.others.push_back(*trial.point);
    halves.live += trial.is_live();
  }
  std::ranges::stable_sort(order, {}, &std::pair<double, const Trial*>::first);
  halves.valued = order.size();
  double share = std::ceil(options.good_ratio * std::sqrt(static_cast<double>(order.size())));
  auto good =
      std::min<std::size_t>({static_cast<std::size_t>(share), options.good_max, order.size()});
  for (std::size_t n = 0; n < order.size(); ++n)
    (n < good ? halves.good : halves.others).push_back(*order[n].second->point);
  return halves;
}

class TpeSampler : public Sampler {
 public:
  TpeSampler(const Search& search, const Halves& halves, bool is_warm)
      : search_(search),
        is_warm_(is_warm),
        good_(search.space, halves.good),
        others_(search.space, halves.others) {
    for (const auto& point : halves.pending) add(point);
  }

  Point next(Draws draws) override {
    if (!is_warm_) return random_point(search_.space, draws);
    Point best;
    double most = -std::numeric_limits<double>::infinity();
    for (std::uint32_t n = 0; n < search_.options.candidates; ++n) {
      auto point = good_.draw(draws);
      double gain = good_.log_density(point) - others_.log_density(point);
      if (gain <= most) continue;
      most = gain;
      best = std::move(point);
    }
    return best;
  }
  void add(const Point& point) override { others_.add(point, kNarrow); }

 private:
  const Search& search_;
  bool is_warm_;
  Mixture good_, others_;
};

}  // namespace

std::unique_ptr<Sampler> tpe_sampler(const Search& search, const History& history) {
  auto halves = halves_of(search.options, history);
  auto warm_up = std::min(search.options.warm_up, search.max_trials.value_or(~0u));
  // As many are drawn at random however many run at once; but some values there have to be.
  bool is_warm = halves.valued + halves.live >= warm_up && 2 * halves.valued >= warm_up;
  return std::make_unique<TpeSampler>(search, halves, is_warm);
}

}  // namespace wm::search
