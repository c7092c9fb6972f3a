#include "libwm/ranks/rank_table.h"

#include <algorithm>

namespace wm::ranks {
namespace {

using Actions = RankTable::Actions;

void append(Actions& actions, Actions more) {
  actions.insert(actions.end(), std::make_move_iterator(more.begin()),
                 std::make_move_iterator(more.end()));
}

std::string broke_off(std::uint32_t rank) {
  return "rank " + std::to_string(rank) + " ended without MPI_Finalize";
}

}  // namespace

RankTable::RankTable(RankMap map, std::uint32_t here, FanOut tree)
    : map_(std::move(map)), here_(here), tree_(tree) {}

/// Hosts with ranks that take part.
std::set<std::uint32_t> RankTable::places(const FenceName& name) const {
  std::set<std::uint32_t> found;
  for (auto rank : name.ranks) found.insert(map_.place_of(rank));
  if (name.ranks.empty())
    for (std::uint32_t place = 0; place < map_.hosts.size(); ++place) found.insert(place);
  return found;
}

bool RankTable::has_any_below(const std::set<std::uint32_t>& places, std::uint32_t top) const {
  return std::any_of(places.begin(), places.end(),
                     [&](auto place) { return tree_.is_below(place, top); });
}

/// How many parts make the whole, here: one of this host's ranks, one of each subtree.
std::uint32_t RankTable::wanted_parts(const FenceName& name) const {
  auto all = places(name);
  std::uint32_t parts = all.contains(here_) ? 1 : 0;
  for (auto child : tree_.children(here_)) parts += has_any_below(all, child);
  return parts;
}

Actions RankTable::arrive(const std::vector<std::uint32_t>& ranks, std::uint64_t ticket,
                          std::string bytes, Meeting kind) {
  if (broken_ || cut_off_) return {Complete{ticket, false, {}}};
  FenceName name{ranks, arrivals_[{kind, ranks}]++, kind};
  return add(name, bytes, ticket);
}

Actions RankTable::on(const FencePart& words) { return add(words.fence, words.bytes, {}); }

Actions RankTable::add(const FenceName& name, const std::string& bytes,
                       std::optional<std::uint64_t> ticket) {
  if (broken_) return {};
  auto& fence = open_[name];
  fence.bytes += bytes;
  if (ticket) fence.ticket = ticket;
  bool whole = ++fence.parts == wanted_parts(name);
  if (whole && here_ == 0) return finish(name, std::move(fence.bytes));
  if (whole) return {Send{tree_.parent(here_), FencePart{name, std::exchange(fence.bytes, {})}}};
  return judge();
}

Actions RankTable::on(const FenceDone& words) { return finish(words.fence, words.bytes); }

Actions RankTable::finish(const FenceName& name, std::string bytes) {
  auto fence = open_.extract(name);
  if (!fence) return {};
  Actions actions;
  auto all = places(name);
  for (auto child : tree_.children(here_))
    if (has_any_below(all, child)) actions.push_back(Send{child, FenceDone{name, bytes}});
  if (fence.mapped().ticket)
    actions.push_back(Complete{*fence.mapped().ticket, true, std::move(bytes)});
  return actions;
}

Actions RankTable::ended(std::uint32_t rank) {
  auto standing = standing_[rank];
  if (standing == Standing::Finalized || broken_) return {};
  auto any_connected = [](const auto& known) { return known.second == Standing::Connected; };
  if (std::any_of(standing_.begin(), standing_.end(), any_connected))
    return break_off(broke_off(rank), {});
  return on(RankLeft{rank});
}

/// Only the first host hears of all fences that more than one host takes part in.
Actions RankTable::on(const RankLeft& words) {
  if (here_ != 0) return {Send{tree_.parent(here_), words}};
  left_.insert(words.rank);
  return judge();
}

/// Does a fence wait for a rank that is not there any more?
Actions RankTable::judge() {
  for (const auto& [name, fence] : open_)
    for (auto rank : left_) {
      bool takes_part = name.ranks.empty() ||
                        std::find(name.ranks.begin(), name.ranks.end(), rank) != name.ranks.end();
      if (takes_part) return break_off(broke_off(rank), {});
    }
  return {};
}

Actions RankTable::on(const RanksBroken& words, std::uint32_t from) {
  return break_off(words.why, from);
}

Actions RankTable::break_off(const std::string& why, std::optional<std::uint32_t> from) {
  if (broken_) return {};
  broken_ = true;
  Actions actions;
  auto neighbours = tree_.children(here_);
  if (here_ != 0) neighbours.push_back(tree_.parent(here_));
  for (auto place : neighbours)
    if (place != from) actions.push_back(Send{place, RanksBroken{why}});
  actions.push_back(Broken{why, !from});
  append(actions, fail_all());
  return actions;
}

Actions RankTable::fail_all() {
  Actions actions;
  for (const auto& [name, fence] : open_)
    if (fence.ticket) actions.push_back(Complete{*fence.ticket, false, {}});
  open_.clear();
  return actions;
}

Actions RankTable::cut_off() {
  cut_off_ = true;
  return fail_all();
}

}  // namespace wm::ranks
