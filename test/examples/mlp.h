// Role: a multi-layer perceptron with one hidden layer for digits, in float64: tanh, softmax with
// cross-entropy, SGD with momentum. The model of
// the programs that train on CPUs.
#pragma once

#include <string>
#include <vector>

#include "test/examples/course.h"

namespace example {

/// Of the optimizer.
inline constexpr double kRate = 0.1, kMomentum = 0.9;
/// The weights at the start: they follow from nothing but their numbers.
std::vector<double> first_weights(std::size_t pixels, std::size_t hidden);

/// @thread one at a time
class Mlp final : public DigitsModel {
 public:
  /// `train` and `test` must outlive it.
  Mlp(const Digits& train, const Digits& test, std::size_t hidden);

  std::size_t parameters() const override { return weights_.size(); }
  wm::groups::Score gradient(std::span<const std::uint64_t> samples,
                             std::span<const std::uint64_t> seeds,
                             std::span<double> gradient) override;
  void step(std::span<const double> mean_gradient) override;
  wm::groups::Score test(std::span<const std::uint64_t> samples) override;
  std::string state() const override;
  [[nodiscard]] bool take_over(const std::string& state) override;

  const std::vector<double>& weights() const override { return weights_; }

 private:
  // One sample forward: fills hidden_ and shares_. Its loss.
  double forward(const Digits& digits, std::uint64_t sample);
  bool right(const Digits& digits, std::uint64_t sample) const;
  std::size_t second_at() const { return (pixels_ + 1) * hidden_count_; }

  const Digits& train_;
  const Digits& test_;
  const std::size_t pixels_, hidden_count_;
  std::vector<double> weights_, momentum_;  // hidden layer row by row, bias last; then the output's
  std::vector<double> hidden_, shares_;     // of the sample at hand
};

/// One with kHidden nodes, as the programs make it.
std::unique_ptr<DigitsModel> make_mlp(const Digits& train, const Digits& test);

}  // namespace example
