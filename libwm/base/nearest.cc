// Edit distance with one row of the table kept.
#include "libwm/base/nearest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace wm {
namespace {

constexpr std::size_t kLongest = 100;  // what is longer is no slip of the pen

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> known) {
  std::string_view best;
  if (word.size() > kLongest) return best;
  std::size_t least = word.size() / 2 + 1;
  for (auto candidate : known) {
    auto d = distance(word, candidate);
    if (d >= least) continue;
    least = d;
    best = candidate;
  }
  return best;
}

}  // namespace wm
