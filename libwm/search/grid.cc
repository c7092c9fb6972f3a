// Exhaustive search: trial k is the k-th experiment.
#include <algorithm>
#include <charconv>

#include "libwm/search/strategy.h"

namespace wm::search {
namespace {

constexpr std::uint64_t kMostPoints = 1000000;

// The points from number `first` on.
std::vector<Config> points_from(const Space& space, std::uint64_t first, std::uint32_t count) {
  std::vector<Config> configs;
  Wheels wheels(space.params.size());
  bool more = true;
  for (std::uint64_t n = 0; more && n < first; ++n) more = advance(space, wheels);
  for (; more && configs.size() < count; more = advance(space, wheels))
    configs.push_back(config_at(space, point_at(space, wheels)));
  return configs;
}

std::vector<Config> experiments_from(const std::vector<Config>& all, std::size_t first,
                                     std::uint32_t count) {
  auto begin = std::min(first, all.size()), end = std::min(begin + count, all.size());
  return {all.begin() + static_cast<std::ptrdiff_t>(begin),
          all.begin() + static_cast<std::ptrdiff_t>(end)};
}

}  // namespace

Answer next_of_grid(const Search& search, const History& history, std::uint32_t wanted) {
  auto may = within_limit(search, history, wanted);
  // One more than may be given: whether it is there says whether these are all.
  auto configs = search.experiments.empty()
                     ? points_from(search.space, history.size(), may + 1)
                     : experiments_from(search.experiments, history.size(), may + 1);
  bool all = configs.size() <= may;
  if (!all) configs.pop_back();
  auto given = history.size() + configs.size();
  return {std::move(configs), {}, all || (search.max_trials && given >= *search.max_trials)};
}

Result<void> check_grid(const Search& search) {
  if (!search.experiments.empty()) return {};
  for (const auto& param : search.space.params)
    if (param.count == 0)
      return fail(Code::BadArgument,
                  "parameter '" + param.name + "': ExperimentGridSearch wants a list or a step");
  if (!count_up_to(search.space, kMostPoints))
    return fail(Code::Limit, "the grid has more than 1000000 points");
  return {};
}

}  // namespace wm::search
