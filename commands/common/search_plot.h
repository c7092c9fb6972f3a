// Role: the course of a search as a picture: each trial's value, and the best so far, as a script
// of gnuplot. Pure.
#pragma once

#include <string>
#include <vector>

namespace wm::cmd {

/// What is drawn.
struct SearchPicture {
  std::string title, metric;
  bool least = true;           ///< the best is the least
  std::vector<double> values;  ///< of each trial in its order; NaN: it has none
};

/// A script for gnuplot. `file`: a picture, by its ending svg or else PNG; empty: for a terminal of
/// so many columns and rows. @cost O(values)
std::string plot_script(const SearchPicture& picture, const std::string& file, unsigned columns,
                        unsigned rows);

}  // namespace wm::cmd
