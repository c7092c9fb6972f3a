// Role: numbers that look random and are a function of where they stand: (seed,
// stream, counter) → number, the same on every platform. No state outlives the
// caller's. Of this folder only.
// @source SplitMix64: Steele, Lea, Flood, OOPSLA 2014; counters instead of
// state: Salmon et al.,
//         SC 2011; inverse of the normal distribution: Acklam's rational
//         approximation, one step of Halley's method.
#pragma once

#include <cstdint>

namespace wm::search {

/// A well mixed function of one word.
std::uint64_t mixed(std::uint64_t word);

/// The sequence of draws of one (seed, stream, substream): copies go on alike.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t stream, std::uint64_t substream = 0);

  std::uint64_t word();
  /// In [0, 1).
  double uniform();
  /// In 0 … count - 1; count > 0.
  std::uint64_t below(std::uint64_t count);
  double normal();

 private:
  std::uint64_t key_, counter_ = 0;
};

/// Of the normal distribution: density and share below x, their logs, the x
/// below which a share is.
double normal_density(double x);
double normal_share(double x);
double normal_quantile(double share);

}  // namespace wm::search
