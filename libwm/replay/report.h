// Role: an outcome in words: JSON for scripts, a table for people, pictures. Texts out; the rim
// writes them. Numbers are printed with fixed digits, so that equal outcomes give equal texts.
#pragma once

#include <map>
#include <string>

#include "libwm/replay/metrics.h"

namespace wm::replay {

/// Figures and one record per job. `max_rss_mb`: measured by the rim.
/// @cost O(jobs)
std::string to_json(const Outcome& outcome, const Setup& setup, const Options& options,
                    double max_rss_mb);

/// The figures, 80 columns wide. @cost O(jobs log jobs)
std::string to_table(const Outcome& outcome, const Setup& setup, const Options& options);

/// Pictures as SVG by file name: utilisation.svg, queue.svg, plans.svg.
/// @cost O(samples)
std::map<std::string, std::string> to_pictures(const Outcome& outcome, const Setup& setup);

}  // namespace wm::replay
