// Role: a multi-layer perceptron with one hidden layer for digits, in float64: tanh, softmax with
// cross-entropy, SGD with momentum. The Model of gloo_train.
#pragma once

#include <string>
#include <vector>

#include "libwm/trainer/groups/train.h"
#include "test/examples/digits.h"

namespace example {

/// @thread one at a time
class Mlp final : public wm::groups::Model {
 public:
  /// `train` and `test` must outlive it. The weights follow from nothing but their numbers.
  Mlp(const Digits& train, const Digits& test, std::size_t hidden);

  std::size_t parameters() const override { return weights_.size(); }
  wm::groups::Score gradient(std::span<const std::uint64_t> samples,
                             std::span<const std::uint64_t> seeds,
                             std::span<double> gradient) override;
  void step(std::span<const double> mean_gradient) override;
  wm::groups::Score test(std::span<const std::uint64_t> samples) override;
  std::string state() const override;
  [[nodiscard]] bool take_over(const std::string& state) override;

  const std::vector<double>& weights() const { return weights_; }
  /// FNV-1a of the weights' bytes: equal on all members after every step.
  std::uint64_t hash() const;

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

}  // namespace example
