#include "test/examples/mlp.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace example {
namespace {

constexpr std::size_t kClasses = 10;

// Number k of a sequence in [-1, 1), the same everywhere.
double spread(std::uint64_t k) {
  std::uint64_t x = (k + 1) * 0x9e3779b97f4a7c15ull;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 32;
  return static_cast<double>(x >> 11) * (1.0 / (1ull << 52)) - 1.0;
}

}  // namespace

std::vector<double> first_weights(std::size_t pixels, std::size_t hidden) {
  std::size_t second = (pixels + 1) * hidden;
  std::vector<double> weights(second + (hidden + 1) * kClasses);
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = spread(i) / std::sqrt(static_cast<double>(i < second ? pixels : hidden));
  return weights;
}

Mlp::Mlp(const Digits& train, const Digits& test, std::size_t hidden)
    : train_(train),
      test_(test),
      pixels_(train.pixels),
      hidden_count_(hidden),
      weights_(first_weights(pixels_, hidden)),
      momentum_(weights_.size(), 0.0),
      hidden_(hidden),
      shares_(kClasses) {}

double Mlp::forward(const Digits& digits, std::uint64_t sample) {
  const double* x = digits.images.data() + sample * pixels_;
  const double* row = weights_.data();
  for (auto& h : hidden_) {
    double sum = row[pixels_];
    for (std::size_t i = 0; i < pixels_; ++i) sum += row[i] * x[i];
    h = std::tanh(sum);
    row += pixels_ + 1;
  }
  for (auto& share : shares_) {
    share = row[hidden_count_];
    for (std::size_t i = 0; i < hidden_count_; ++i) share += row[i] * hidden_[i];
    row += hidden_count_ + 1;
  }
  double top = *std::max_element(shares_.begin(), shares_.end()), total = 0;
  for (auto& share : shares_) total += share = std::exp(share - top);
  for (auto& share : shares_) share /= total;
  return -std::log(shares_[digits.labels[sample]]);
}

bool Mlp::right(const Digits& digits, std::uint64_t sample) const {
  auto best = std::max_element(shares_.begin(), shares_.end()) - shares_.begin();
  return best == digits.labels[sample];
}

wm::groups::Score Mlp::gradient(std::span<const std::uint64_t> samples,
                                std::span<const std::uint64_t>, std::span<double> gradient) {
  wm::groups::Score score;
  std::vector<double> back(hidden_count_);
  for (auto sample : samples) {
    score.loss += forward(train_, sample);
    score.right += right(train_, sample);
    shares_[train_.labels[sample]] -= 1.0;  // derivative of the loss by the outputs
    std::fill(back.begin(), back.end(), 0.0);
    for (std::size_t c = 0; c < kClasses; ++c) {
      std::size_t row = second_at() + c * (hidden_count_ + 1);
      for (std::size_t i = 0; i < hidden_count_; ++i) {
        gradient[row + i] += shares_[c] * hidden_[i];
        back[i] += shares_[c] * weights_[row + i];
      }
      gradient[row + hidden_count_] += shares_[c];
    }
    const double* x = train_.images.data() + sample * pixels_;
    for (std::size_t h = 0; h < hidden_count_; ++h) {
      double d = back[h] * (1.0 - hidden_[h] * hidden_[h]);
      for (std::size_t i = 0; i < pixels_; ++i) gradient[h * (pixels_ + 1) + i] += d * x[i];
      gradient[h * (pixels_ + 1) + pixels_] += d;
    }
  }
  return score;
}

void Mlp::step(std::span<const double> mean_gradient) {
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    momentum_[i] = kMomentum * momentum_[i] + mean_gradient[i];
    weights_[i] -= kRate * momentum_[i];
  }
}

wm::groups::Score Mlp::test(std::span<const std::uint64_t> samples) {
  wm::groups::Score score;
  for (auto sample : samples) {
    score.loss += forward(test_, sample);
    score.right += right(test_, sample);
  }
  return score;
}

std::string Mlp::state() const {
  std::string out(2 * sizeof(double) * weights_.size(), '\0');
  std::memcpy(out.data(), weights_.data(), out.size() / 2);
  std::memcpy(out.data() + out.size() / 2, momentum_.data(), out.size() / 2);
  return out;
}

bool Mlp::take_over(const std::string& state) {
  if (state.size() != 2 * sizeof(double) * weights_.size()) return false;
  std::memcpy(weights_.data(), state.data(), state.size() / 2);
  std::memcpy(momentum_.data(), state.data() + state.size() / 2, state.size() / 2);
  return true;
}

std::unique_ptr<DigitsModel> make_mlp(const Digits& train, const Digits& test) {
  return std::make_unique<Mlp>(train, test, kHidden);
}

}  // namespace example
