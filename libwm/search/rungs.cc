#include "libwm/search/rungs.h"

#include <algorithm>
#include <cmath>

namespace wm::search {
namespace {

constexpr std::size_t kMostLevels = 24;

// A trial has to warm up before it tells anything of its end.
constexpr double kLeastGrace = 10, kGraceShare = 10;

std::optional<double> last_step(const Trial& trial) {
  if (!trial.reports.empty()) return trial.reports.back().step;
  return trial.step;
}

// Steps at which trials are compared, the greatest first.
std::vector<double> rungs(const Search& search, const History& history) {
  double most = 0;
  for (const auto& trial : history)
    if (trial.state == TrialState::Finished) most = std::max(most, last_step(trial).value_or(0));
  const auto& options = search.options;
  double grace = options.grace ? options.grace : std::max(most / kGraceShare, kLeastGrace);
  std::vector<double> found;
  for (double at = most / options.eta; at >= grace && found.size() < kMostLevels; at /= options.eta)
    found.push_back(std::floor(at));
  return found;
}

// The last rung that a trial has passed.
std::optional<double> passed(const std::vector<double>& rungs, const Trial& trial) {
  auto step = last_step(trial);
  auto found = std::ranges::find_if(rungs, [&](double rung) { return step && rung <= *step; });
  return found == rungs.end() ? std::nullopt : std::optional(*found);
}

// The best until a rung, where it is known.
std::optional<double> value_at_rung(const std::vector<double>& rungs, const Trial& trial,
                                    double rung) {
  if (trial.reports.empty()) {
    bool here = trial.state != TrialState::Finished && passed(rungs, trial) == rung;
    return here ? trial.value : std::nullopt;
  }
  if (trial.reports.back().step < rung) return {};
  std::optional<double> best;
  for (const auto& report : trial.reports)
    if (report.step <= rung) best = std::min(best.value_or(report.value), report.value);
  return best;
}

}  // namespace

std::vector<std::uint32_t> levels_of(const Options& options) {
  std::vector<std::uint32_t> levels;
  double at = std::max(options.resource_max, 1u);
  for (; at >= 1 - 1e-9 && levels.size() < kMostLevels; at /= options.eta) {
    auto whole = static_cast<std::uint32_t>(std::lround(at));
    if (levels.empty() || whole < levels.back()) levels.push_back(whole);
  }
  std::ranges::reverse(levels);
  return levels;
}

std::size_t level_of(const std::vector<std::uint32_t>& levels, double resource) {
  auto near = std::ranges::min_element(levels, {},
                                       [&](double level) { return std::abs(level - resource); });
  return static_cast<std::size_t>(near - levels.begin());
}

std::vector<std::uint32_t> losers(const Search& search, const History& history) {
  auto all = rungs(search, history);
  std::vector<std::uint32_t> found;
  for (const auto& trial : history) {
    auto rung = trial.state == TrialState::Running ? passed(all, trial) : std::nullopt;
    auto own = rung ? value_at_rung(all, trial, *rung) : std::nullopt;
    if (!own) continue;
    std::size_t peers = 0, better = 0;
    for (const auto& other : history)
      if (auto value = value_at_rung(all, other, *rung)) {
        ++peers;
        better += *value < *own;
      }
    auto keep = static_cast<double>(peers) / search.options.eta;
    if (keep >= 1 && static_cast<double>(better) >= std::ceil(keep)) found.push_back(trial.index);
  }
  return found;
}

}  // namespace wm::search
