#include "libwm/search/draws.h"

#include <cmath>

namespace wm::search {
namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;
constexpr double kRootTwo = 1.4142135623730951, kRootTwoPi = 2.5066282746310002;

// Acklam: relative error below 1.2e-9 everywhere.
double rough_quantile(double share) {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02,
                          6.680131188771972e+01, -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00,
                          3.754408661907416e+00};
  constexpr double kTail = 0.02425;
  if (share > 1 - kTail) return -rough_quantile(1 - share);
  if (share < kTail) {
    double q = std::sqrt(-2 * std::log(share));
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  }
  double q = share - 0.5, r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}

}  // namespace

std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

Draws::Draws(std::uint64_t seed, std::uint64_t stream, std::uint64_t substream)
    : key_(mixed(mixed(mixed(seed + kGolden) + stream * kGolden + 1) + substream * kGolden + 2)) {}

std::uint64_t Draws::word() { return mixed(key_ + ++counter_ * kGolden); }

double Draws::uniform() { return static_cast<double>(word() >> 11) * 0x1p-53; }

std::uint64_t Draws::below(std::uint64_t count) {
  auto high = static_cast<unsigned __int128>(word()) * count;
  return static_cast<std::uint64_t>(high >> 64);
}

double Draws::normal() { return normal_quantile(uniform() + 0x1p-54); }

double normal_density(double x) { return std::exp(-0.5 * x * x) / kRootTwoPi; }

double normal_share(double x) { return 0.5 * std::erfc(-x / kRootTwo); }

double normal_quantile(double share) {
  if (share <= 0) return -38;
  if (share >= 1) return 8.3;
  double x = rough_quantile(share);
  double error = normal_share(x) - share;
  double step = error * kRootTwoPi * std::exp(x * x / 2);
  if (!std::isfinite(step)) return x;
  return x - step / (1 + x * step / 2);
}

}  // namespace wm::search
