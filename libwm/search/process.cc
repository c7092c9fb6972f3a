#include "libwm/search/process.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cmath>

namespace wm::search {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

const double kRootFive = std::sqrt(5.0);
constexpr double kJitter = 1e-9;
constexpr double kLeastNoise = 1e-7, kMostNoise = 0.2;
constexpr int kSteps = 35;

// Sign-following descent: each coordinate has its own step, which grows while
// the sign stays.
// @source Igel, Hüsken, iRprop-, NC 2000
class Descent {
 public:
  explicit Descent(Eigen::Index size)
      : step_(Vector::Constant(size, 0.25)), before_(Vector::Zero(size)) {}

  void move(Vector& at, Vector slope) {
    for (Eigen::Index i = 0; i < at.size(); ++i) {
      double turn = slope[i] * before_[i];
      if (turn > 0) step_[i] = std::min(step_[i] * 1.3, 1.0);
      if (turn < 0) step_[i] = std::max(step_[i] * 0.5, 1e-4), slope[i] = 0;
      if (slope[i] != 0) at[i] -= slope[i] > 0 ? step_[i] : -step_[i];
    }
    before_ = slope;
  }

 private:
  Vector step_, before_;
};

}  // namespace

struct Process::Parts {
  std::vector<Row> rows;
  Vector targets;
  std::vector<std::size_t> group;
  std::size_t groups = 0;
  Vector logs;  // of the lengths, and of the noise
  double least_noise = kLeastNoise;
  // Of the fitted process.
  double middle = 0, scale = 1;
  Eigen::LLT<Matrix> factor;
  Vector weights;

  std::vector<Matrix> squares() const;
  double correlation(double squared) const;
  Matrix cross(std::span<const Row> other) const;
  void solve();
  double cost(const std::vector<Matrix>& squares, const Vector& at, Vector& slope) const;
  Vector descend(const std::vector<Matrix>& squares, double length, double& least) const;
};

// Squared distances of the rows, for each group.
std::vector<Matrix> Process::Parts::squares() const {
  auto n = static_cast<Eigen::Index>(rows.size());
  std::vector<Matrix> list(groups, Matrix::Zero(n, n));
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < i; ++j)
      for (std::size_t k = 0; k < group.size(); ++k) {
        double d = rows[static_cast<std::size_t>(i)][k] - rows[static_cast<std::size_t>(j)][k];
        list[group[k]](i, j) += d * d;
        list[group[k]](j, i) += d * d;
      }
  return list;
}

double Process::Parts::correlation(double squared) const {
  double r = kRootFive * std::sqrt(squared);
  return (1 + r + r * r / 3) * std::exp(-r);
}

Matrix Process::Parts::cross(std::span<const Row> other) const {
  Matrix k(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(other.size()));
  std::vector<double> weight;
  for (auto g : group) weight.push_back(std::exp(-2 * logs[static_cast<Eigen::Index>(g)]));
  for (Eigen::Index j = 0; j < k.cols(); ++j)
    for (Eigen::Index i = 0; i < k.rows(); ++i) {
      const auto &a = rows[static_cast<std::size_t>(i)], &b = other[static_cast<std::size_t>(j)];
      double squared = 0;
      for (std::size_t n = 0; n < weight.size(); ++n)
        squared += (a[n] - b[n]) * (a[n] - b[n]) * weight[n];
      k(i, j) = correlation(squared);
    }
  return k;
}

// Factor, mean and scale under `logs`.
void Process::Parts::solve() {
  Matrix k = cross(rows);
  k.diagonal().array() += std::exp(logs[logs.size() - 1]) + kJitter;
  factor.compute(k);
  Vector one = factor.solve(Vector::Ones(targets.size()));
  middle = one.dot(targets) / one.sum();
  Vector rest = (targets.array() - middle).matrix();
  weights = factor.solve(rest);
  scale = (rest.dot(weights) + 1) / (static_cast<double>(targets.size()) + 1);
}

// Negative log of the posterior of lengths and noise, the mean and the scale at
// their best, and its slope.
double Process::Parts::cost(const std::vector<Matrix>& squares, const Vector& at,
                            Vector& slope) const {
  auto n = targets.size();
  Matrix squared = Matrix::Zero(n, n);
  for (std::size_t g = 0; g < groups; ++g)
    squared += squares[g] * std::exp(-2 * at[static_cast<Eigen::Index>(g)]);
  Eigen::ArrayXXd r = kRootFive * squared.array().sqrt(), e = (-r).exp();
  Matrix k = ((1 + r + r * r / 3) * e).matrix();
  double noise = std::exp(at[at.size() - 1]);
  k.diagonal().array() += noise + kJitter;
  Eigen::LLT<Matrix> llt(k);
  Matrix inverse = llt.solve(Matrix::Identity(n, n));
  Vector one = inverse.rowwise().sum();
  double mean = one.dot(targets) / one.sum();
  Vector rest = (targets.array() - mean).matrix(), alpha = inverse * rest;
  double count = static_cast<double>(n), size = rest.dot(alpha) + 1, s = size / (count + 1);
  double found = 0.5 * (count + 1) * std::log(s) +
                 llt.matrixL().toDenseMatrix().diagonal().array().log().sum();
  Eigen::ArrayXXd weight = (inverse - alpha * alpha.transpose() / s).array();
  Eigen::ArrayXXd common = weight * (5.0 / 3) * (1 + r) * e;
  double expected = 0.5 * std::log(static_cast<double>(groups));
  for (std::size_t g = 0; g < groups; ++g) {
    auto i = static_cast<Eigen::Index>(g);
    double off = at[i] - expected;
    found += off * off / 3;
    slope[i] = 0.5 * std::exp(-2 * at[i]) * (common * squares[g].array()).sum() + off / 1.5;
  }
  double off = at[at.size() - 1] - std::log(1e-5);
  found += off * off / 18;
  slope[at.size() - 1] = 0.5 * noise * weight.matrix().trace() + off / 9;
  return std::isfinite(found) ? found : 1e300;
}

Vector Process::Parts::descend(const std::vector<Matrix>& squares, double length,
                               double& least) const {
  auto size = static_cast<Eigen::Index>(groups) + 1;
  Vector at = Vector::Constant(size, std::log(length)), best = at, slope(size);
  at[size - 1] = std::log(std::max(1e-4, least_noise));
  least = 1e301;
  Descent descent(size);
  for (int step = 0; step < kSteps; ++step) {
    double found = cost(squares, at, slope);
    if (found < least) least = found, best = at;
    descent.move(at, slope);
    for (Eigen::Index i = 0; i + 1 < size; ++i) at[i] = std::clamp(at[i], -4.0, 4.0);
    at[size - 1] = std::clamp(at[size - 1], std::log(least_noise), std::log(kMostNoise));
  }
  return best;
}

Process::Process(std::vector<Row> rows, std::vector<double> targets, std::vector<std::size_t> group)
    : parts_(std::make_unique<Parts>()) {
  parts_->rows = std::move(rows);
  parts_->targets = Eigen::Map<Vector>(targets.data(), static_cast<Eigen::Index>(targets.size()));
  parts_->groups = group.empty() ? 0 : *std::max_element(group.begin(), group.end()) + 1;
  parts_->group = std::move(group);
}
Process::~Process() = default;

void Process::fit(bool noiseless) {
  if (!noiseless) parts_->least_noise = 1e-3;
  auto squares = parts_->squares();
  double root = std::sqrt(static_cast<double>(parts_->groups)), one = 0, two = 0;
  Vector from_long = parts_->descend(squares, 0.5 * root, one);
  Vector from_short = parts_->descend(squares, 0.15 * root, two);
  parts_->logs = one <= two ? from_long : from_short;
  parts_->solve();
}

double Process::add(const Row& row) {
  auto believed = guess({&row, 1}).front().mean;
  auto n = parts_->targets.size();
  parts_->rows.push_back(row);
  parts_->targets.conservativeResize(n + 1);
  parts_->targets[n] = believed;
  double scale = parts_->scale;
  parts_->solve();
  parts_->scale = scale;  // a belief is no evidence of how much targets vary
  return believed;
}

std::vector<Process::Guess> Process::guess(std::span<const Row> rows) const {
  Matrix k = parts_->cross(rows);
  Vector mean = (k.transpose() * parts_->weights).array() + parts_->middle;
  parts_->factor.matrixL().solveInPlace(k);
  std::vector<Guess> guesses;
  for (Eigen::Index j = 0; j < k.cols(); ++j) {
    double variance = std::max(1 - k.col(j).squaredNorm(), 1e-12) * parts_->scale;
    guesses.push_back({mean[j], std::sqrt(variance)});
  }
  return guesses;
}

std::vector<double> Process::lengths() const {
  std::vector<double> list;
  for (std::size_t g = 0; g < parts_->groups; ++g)
    list.push_back(std::exp(parts_->logs[static_cast<Eigen::Index>(g)]));
  return list;
}

}  // namespace wm::search
