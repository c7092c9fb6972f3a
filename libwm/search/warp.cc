#include "libwm/search/warp.h"

#include <algorithm>
#include <cmath>

namespace wm::search {
namespace {

struct Moments {
  double mean = 0, deviation = 0;
};

Moments moments(const std::vector<double>& values) {
  double n = static_cast<double>(values.size()), sum = 0, squares = 0;
  for (double v : values) sum += v;
  for (double v : values) squares += (v - sum / n) * (v - sum / n);
  return {sum / n, std::sqrt(squares / n)};
}

// log(1 + (v - least) / knee): even near the least, logarithmic far above it.
std::vector<double> bent(const std::vector<double>& values, double least, double knee) {
  std::vector<double> out;
  for (double v : values) out.push_back(std::log1p((v - least) / knee));
  return out;
}

// How normal the bent values look, as a log likelihood.
double normality(const std::vector<double>& values, double least, double knee) {
  auto out = bent(values, least, knee);
  double n = static_cast<double>(values.size());
  double found = -n * std::log(std::max(moments(out).deviation, 1e-300));
  for (double v : values) found -= std::log(v - least + knee);
  return found;
}

}  // namespace

std::vector<double> warped(const std::vector<double>& values) {
  auto sorted = values;
  std::ranges::sort(sorted);
  double least = sorted.front(), middle = sorted[sorted.size() / 2] - least;
  auto out = values;
  if (middle > 0) {
    double best_knee = 1e6 * middle, most = normality(values, least, best_knee);
    for (double share : {10.0, 3.0, 1.0, 0.3, 0.1, 0.03, 0.01}) {
      double found = normality(values, least, share * middle);
      if (found > most) most = found, best_knee = share * middle;
    }
    out = bent(values, least, best_knee);
  }
  auto [mean, deviation] = moments(out);
  for (auto& v : out) v = deviation > 0 ? (v - mean) / deviation : 0;
  return out;
}

}  // namespace wm::search
