// Which algorithm answers, and what holds for all.
#include <algorithm>

#include "libwm/search/rungs.h"
#include "libwm/search/search.h"
#include "libwm/search/strategy.h"

namespace wm::search {
namespace {

constexpr std::uint32_t kMostAtOnce = 10000;

// Beyond so many trials a Gaussian process takes longer than it is worth.
constexpr std::size_t kMostOfProcess = 250;

// `auto`, and what an algorithm leaves open. Small spaces need no model:
// propose() goes through all of theirs.
Algorithm model_of(const Search& search, const History& history) {
  switch (search.algorithm) {
    case Algorithm::Auto: {
      constexpr std::uint64_t kSmall = 64;
      auto small = std::max<std::uint64_t>(search.max_trials.value_or(0), kSmall);
      if (count_up_to(search.space, small)) return Algorithm::Random;
      return history.size() < kMostOfProcess ? Algorithm::Bayesian : Algorithm::Tpe;
    }
    case Algorithm::Halving: return Algorithm::Tpe;  // without a resource: it stops who is behind
    default: return search.algorithm;
  }
}

std::unique_ptr<Sampler> sampler_of(const Search& search, const History& history) {
  switch (model_of(search, history)) {
    case Algorithm::Random: return random_sampler(search);
    case Algorithm::Bayesian: return bayesian_sampler(search, history);
    default: return tpe_sampler(search, history);
  }
}

bool is_halving(const Search& search) {
  bool may = search.algorithm == Algorithm::Auto || search.algorithm == Algorithm::Halving;
  return search.algorithm == Algorithm::Hyperband || (may && !search.options.resource.empty());
}

bool stops_early(const Search& search) {
  return search.algorithm == Algorithm::Auto || search.algorithm == Algorithm::Halving;
}

Result<void> check_whole(const Search& search) {
  const auto& resource = search.options.resource;
  for (const auto& param : search.space.params)
    if (param.name == resource)
      return fail(Code::BadArgument, "parameter '" + resource + "' is the resource, too");
  if (search.algorithm == Algorithm::Grid) return check_grid(search);
  return check_halving(search);
}

Answer answer_of(const Search& search, const History& history, std::uint32_t wanted) {
  if (search.algorithm == Algorithm::Grid) return next_of_grid(search, history, wanted);
  if (is_halving(search)) return next_of_halving(search, history, wanted);
  auto answer = next_of_model(search, history, wanted);
  if (stops_early(search)) answer.stop = losers(search, history);
  return answer;
}

}  // namespace

std::uint32_t within_limit(const Search& search, const History& history, std::uint32_t wanted) {
  if (!search.max_trials) return wanted;
  auto given = std::min<std::size_t>(history.size(), *search.max_trials);
  return std::min<std::uint32_t>(wanted, *search.max_trials - static_cast<std::uint32_t>(given));
}

Answer next_of_model(const Search& search, const History& history, std::uint32_t wanted) {
  auto may = within_limit(search, history, wanted);
  auto with_known = search.known;
  if (!with_known.empty()) with_known.insert(with_known.end(), history.begin(), history.end());
  const auto& evidence = with_known.empty() ? history : with_known;
  auto sampler = sampler_of(search, evidence);
  auto points = propose(search, evidence, *sampler, may);
  Answer answer;
  for (const auto& point : points) answer.configs.push_back(config_at(search.space, point));
  auto given = history.size() + points.size();
  answer.done = points.size() < may || (search.max_trials && given >= *search.max_trials);
  return answer;
}

Result<std::string> suggest(std::string_view search_json, std::string_view history_json,
                            std::uint32_t wanted) {
  WM_TRY(auto search, read_search(search_json));
  WM_TRY(check_whole(search));
  WM_TRY(auto history, read_history(history_json, search));
  wanted = std::min(wanted, kMostAtOnce);
  return written(answer_of(search, history, wanted));
}

Result<void> check(std::string_view search_json) {
  WM_TRY(auto search, read_search(search_json));
  return check_whole(search);
}

Result<std::optional<Best>> best(std::string_view search_json, std::string_view history_json) {
  WM_TRY(auto search, read_search(search_json));
  WM_TRY(auto history, read_history(history_json, search));
  const Trial* least = nullptr;
  for (const auto& trial : history)
    if (trial.state == TrialState::Finished && trial.value &&
        (!least || *trial.value < *least->value))
      least = &trial;
  if (!least) return std::optional<Best>();
  return std::optional(Best{least->index, search.maximize ? -*least->value : *least->value});
}

}  // namespace wm::search
