// Hyperband and asynchronous halving. A trial runs with so much of the
// resource; the best of a level are promoted: a new trial with the same config,
// more of the resource, and the index of the one it goes on from. All is read
// from the history: who was promoted has a trial that resumes it.
//
//   Hyperband  brackets one after the other, the first with the most configs
//   and the least resource
//              each; the best 1/eta of a level go on when all of it have ended.
//              No barrier but that: while a level is waited for the next
//              bracket begins.
//   ASHA       one bracket without an end; a trial in the best 1/eta of a
//   level goes on at once
//
// @source Li, Jamieson, DeSalvo, Rostamizadeh, Talwalkar, JMLR 18, 2018; Li et
// al., MLSys 2020;
//         configs of later brackets by a model: Falkner, Klein, Hutter (BOHB),
//         ICML 2018
#include <algorithm>
#include <cmath>
#include <set>

#include "libwm/search/rungs.h"
#include "libwm/search/strategy.h"

namespace wm::search {
namespace {

struct Bracket {
  std::size_t first_level = 0;
  std::size_t configs = 0;
};

std::vector<Bracket> brackets_of(const Options& options, std::size_t levels) {
  std::vector<Bracket> brackets;
  for (std::size_t first = 0; first < levels; ++first) {
    double s = static_cast<double>(levels - 1 - first), all = static_cast<double>(levels);
    double configs = std::ceil(all / (s + 1) * std::pow(options.eta, s) - 1e-9);
    brackets.push_back({first, static_cast<std::size_t>(std::max(configs, 1.0))});
  }
  return brackets;
}

using Trials = std::vector<const Trial*>;

class Halving {
 public:
  Halving(const Search& search, const History& history)
      : search_(search), history_(history), levels_(levels_of(search.options)) {
    for (const auto& trial : history) {
      if (trial.resumed_from) promoted_.insert(trial.resumed_from);
      else begun_.push_back(&trial);
    }
    auto left = Seen(search.space, history).left(0);
    is_used_up_ = left && left->empty();
  }

  Answer next(std::uint32_t wanted);

 private:
  bool is_hyperband() const { return search_.algorithm == Algorithm::Hyperband; }
  std::size_t level(const Trial& trial) const { return level_of(levels_, trial.resource); }
  bool is_full() const { return may_ == 0; }

  void promote_asynchronously();
  void promote_brackets();
  std::size_t promote_level(const Trials& trials, std::size_t of, bool at_once);
  Trials next_level(const Trials& trials) const;
  void promote(const Trial& trial);
  History known_best() const;
  void begin();
  std::size_t free_begins(std::size_t& first_level) const;
  bool is_waiting() const;

  const Search& search_;
  const History& history_;
  std::vector<std::uint32_t> levels_;
  std::set<std::uint32_t> promoted_;  // indices that another trial goes on from
  Trials begun_;                      // trials that go on from none
  std::size_t new_begun_ = 0;
  bool is_used_up_ = false;  // the space
  std::uint32_t may_ = 0;
  Answer answer_;
};

void Halving::promote(const Trial& trial) {
  auto config = trial.config;
  auto resource = static_cast<std::int64_t>(levels_[level(trial) + 1]);
  config.push_back({search_.options.resource, resource});
  config.push_back({kResume, static_cast<std::int64_t>(trial.index)});
  answer_.configs.push_back(std::move(config));
  promoted_.insert(trial.index);
  --may_;
}

// The best of one level's `trials`, out of `of` that it has or will have. How many of them go on,
// in the end.
std::size_t Halving::promote_level(const Trials& trials, std::size_t of, bool at_once) {
  Trials order;
  for (const auto* trial : trials)
    if (trial->value && !trial->is_live()) order.push_back(trial);
  auto best = static_cast<std::size_t>(static_cast<double>(of) / search_.options.eta + 1e-9);
  bool all_ended = std::ranges::none_of(trials, [](auto* t) { return t->is_live(); });
  if (!at_once && (trials.size() < of || !all_ended)) return best;
  std::ranges::stable_sort(order, {}, [](const Trial* trial) { return *trial->value; });
  order.resize(std::min(best, order.size()));
  std::erase_if(order, [](const Trial* trial) { return trial->state != TrialState::Finished; });
  for (const auto* trial : order)
    if (!is_full() && !promoted_.contains(trial->index)) promote(*trial);
  return order.size();
}

// From the top, since who is further is nearer to a result.
void Halving::promote_asynchronously() {
  for (std::size_t at = levels_.size() - 1; at-- > 0;) {
    Trials here;
    for (const auto& trial : history_)
      if (trial.value && !trial.is_live() && level(trial) == at) here.push_back(&trial);
    promote_level(here, here.size(), true);
  }
}

// Those that go on from one of `trials`.
Trials Halving::next_level(const Trials& trials) const {
  std::set<std::uint32_t> from;
  for (const auto* trial : trials) from.insert(trial->index);
  Trials found;
  for (const auto& trial : history_)
    if (from.contains(trial.resumed_from)) found.push_back(&trial);
  return found;
}

void Halving::promote_brackets() {
  auto brackets = brackets_of(search_.options, levels_.size());
  for (std::size_t b = 0, done = 0; done < begun_.size(); ++b) {
    const auto& bracket = brackets[b % brackets.size()];
    auto count = std::min(bracket.configs, begun_.size() - done);
    auto first = begun_.begin() + static_cast<std::ptrdiff_t>(done);
    Trials here(first, first + static_cast<std::ptrdiff_t>(count));
    done += count;
    // The last one stays smaller when the space has no more.
    auto of = done == begun_.size() && is_used_up_ ? count : bracket.configs;
    for (auto at = bracket.first_level; at + 1 < levels_.size(); ++at) {
      of = promote_level(here, of, false);
      here = next_level(here);
    }
  }
}

// How many configs the bracket that is being begun still lacks, and where it
// begins.
std::size_t Halving::free_begins(std::size_t& first_level) const {
  first_level = 0;
  if (!is_hyperband()) return may_;
  auto brackets = brackets_of(search_.options, levels_.size());
  std::size_t begun = begun_.size() + new_begun_, done = 0;
  for (std::size_t b = 0; search_.max_trials || b < brackets.size(); ++b) {
    const auto& bracket = brackets[b % brackets.size()];
    done += bracket.configs;
    first_level = bracket.first_level;
    if (begun < done) return std::min<std::size_t>(done - begun, may_);
  }
  return 0;
}

// What the model learns from: the trials of one level, the highest that has enough of them, and
// those in flight.
History Halving::known_best() const {
  auto enough = std::max<std::size_t>(search_.options.warm_up, search_.space.params.size() + 2);
  std::vector<std::size_t> counts(levels_.size());
  for (const auto& trial : history_) counts[level(trial)] += trial.value && !trial.is_live();
  std::size_t best = 0;
  for (std::size_t at = 0; at < counts.size(); ++at)
    if (counts[at] >= enough) best = at;
  History learned;
  for (const auto& trial : history_)
    if (trial.is_live() || level(trial) == best) learned.push_back(trial);
  return learned;
}

void Halving::begin() {
  auto learned = known_best();
  auto model = is_hyperband() ? random_sampler(search_) : tpe_sampler(search_, learned);
  std::size_t first_level = 0;
  History known = history_;
  while (auto count = free_begins(first_level)) {
    auto points = propose(search_, known, *model, static_cast<std::uint32_t>(count));
    for (const auto& point : points) {
      auto config = config_at(search_.space, point);
      auto resource = static_cast<std::int64_t>(levels_[first_level]);
      config.push_back({search_.options.resource, resource});
      answer_.configs.push_back(std::move(config));
      known.push_back({});
      known.back().point = point;
      ++new_begun_;
      --may_;
    }
    if (points.size() < count) return;
  }
}

// Whether a promotion may still come.
bool Halving::is_waiting() const {
  auto top = levels_.size() - 1;
  if (!answer_.configs.empty()) return true;
  return std::ranges::any_of(
      history_, [&](const Trial& trial) { return trial.is_live() && level(trial) < top; });
}

Answer Halving::next(std::uint32_t wanted) {
  may_ = within_limit(search_, history_, wanted);
  bool limited = search_.max_trials && history_.size() >= *search_.max_trials;
  if (is_hyperband()) promote_brackets();
  else promote_asynchronously();
  begin();
  auto given = history_.size() + answer_.configs.size();
  bool all = search_.max_trials && given >= *search_.max_trials;
  bool none_left = wanted > 0 && may_ > 0 && !is_waiting();
  answer_.done = limited || all || none_left;
  return std::move(answer_);
}

}  // namespace

Answer next_of_halving(const Search& search, const History& history, std::uint32_t wanted) {
  return Halving(search, history).next(wanted);
}

Result<void> check_halving(const Search& search) {
  if (search.algorithm == Algorithm::Hyperband &&
      (search.options.resource.empty() || search.options.resource_max == 0))
    return fail(Code::BadArgument, "Hyperband wants ResourceName and ResourceValue");
  if (search.options.resource.empty() != (search.options.resource_max == 0))
    return fail(Code::BadArgument, "ResourceName and ResourceValue go together");
  return {};
}

}  // namespace wm::search
