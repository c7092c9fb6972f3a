// Role: functions with a known least value, for searches to find: branin, hartmann6, rosenbrock5,
// ackley10 and a mixed surface with conditions, as tuning a network has. The first four are turned
// and shifted by a seed, so that no search profits from axes or middles; the least value stays in
// the box.
// @source Branin 1972; Hartman 1973; Rosenbrock 1960; Ackley 1987
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace wm::surfaces {

struct Surface {
  std::string name;
  std::string space;                                          ///< hyperParams, JSON
  double best = 0;                                            ///< the least value
  double (*numbers)(const std::vector<double>& x) = nullptr;  ///< of x0, x1 …; or none
  double low = 0, high = 1;                                   ///< of each number, plus `offset`
  std::vector<double> middle;                                 ///< of the box
  std::vector<std::vector<double>> least;                     ///< where the least value is
  std::uint32_t trials = 60;                                  ///< that a search of it has
};

/// A function turned and shifted by a seed. @cost of value: O(d²)
class Turned {
 public:
  /// Seed 0: as it is.
  Turned(const Surface& surface, std::uint64_t seed);
  double value(const std::vector<double>& x) const;

 private:
  bool holds_least() const;

  const Surface& surface_;
  std::vector<std::vector<double>> turn_;
  std::vector<double> shift_;
};

/// All five, in the order above; the last is "mlsurface".
const std::vector<Surface>& all();

/// The mixed surface: numbers and words by name.
double mixed(const std::map<std::string, double>& numbers,
             const std::map<std::string, std::string>& words);

}  // namespace wm::surfaces
