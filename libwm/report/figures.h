// Role: the figures of a report: each as a table of comma separated values and as a script that
// gnuplot makes an SVG of. Pure; who runs gnuplot is the caller. Names of users, plans and hosts
// are in the scripts as data only, never as text of a command.
#pragma once

#include <string>
#include <vector>

#include "libwm/report/facts.h"

namespace wm::report {

/// A figure. `svg`: what gnuplot made of `script`, ready for the page; empty: not made.
struct Figure {
  std::string id;     ///< "util": of its files, and before the ids in its SVG
  std::string title;  ///< above it
  std::string says;   ///< for who cannot see it
  std::string csv, script, svg;
};

/// Those that this report has data for, in their order. @cost O(facts)
std::vector<Figure> figures_of(const Facts& facts);

/// gnuplot's SVG as a part of a page: without prolog, its ids told apart by `id`.
/// Empty: it is no SVG. @cost O(text)
std::string svg_part(const std::string& id, const std::string& svg, const std::string& says);

}  // namespace wm::report
