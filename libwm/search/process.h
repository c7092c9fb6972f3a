// Role: a Gaussian process over rows of numbers: fitted, asked for means and
// deviations, told of rows that are believed to come out at their mean. Eigen
// stays in process.cc. Of this folder only.
// @source Rasmussen, Williams, Gaussian Processes for Machine Learning, MIT
// Press 2006; Matérn 5/2
//         with a length for each input: Snoek, Larochelle, Adams, NeurIPS 2012;
//         lengths expected to grow with the dimension d: Hvarfner, Hellsten,
//         Nardi, ICML 2024, but shorter and surer: the median is sqrt(d), not
//         sqrt(d)·exp(sqrt 2), the variance of the logarithm 1.5, not 3. Theirs
//         finds no more here (test/bench/search/RESULTS.md)
#pragma once

#include <memory>
#include <span>
#include <vector>

namespace wm::search {

using Row = std::vector<double>;

class Process {
 public:
  struct Guess {
    double mean = 0, deviation = 0;
  };

  /// `group[i]`: which length input i is measured by; groups from 0 without a
  /// gap. Targets have mean 0 and deviation 1.
  Process(std::vector<Row> rows, std::vector<double> targets, std::vector<std::size_t> group);
  ~Process();

  /// Lengths and noise of the greatest posterior. @cost O(rows³) a step
  void fit(bool noiseless);
  /// Believes in the mean at `row`, and says it.
  double add(const Row& row);
  std::vector<Guess> guess(std::span<const Row> rows) const;
  /// Of each group; what is longer matters less.
  std::vector<double> lengths() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace wm::search
