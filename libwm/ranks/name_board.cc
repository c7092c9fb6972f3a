#include "libwm/ranks/name_board.h"

#include <algorithm>

namespace wm::ranks {

std::vector<NameAnswer> NameBoard::on(const NameAsk& ask) {
  NameAnswer done{.to = ask.from, .number = ask.number};
  if (ask.what == NameAsk::What::TakeBack) {
    take_back(ask);
    return {done};
  }
  if (ask.what == NameAsk::What::LookUp) {
    if (!ask.wait || has_all(ask)) return {look_up(ask)};
    waiting_.push_back(ask);
    return {};
  }
  done.ok = publish(ask);
  std::vector<NameAnswer> answers{done};
  for (auto at = waiting_.begin(); at != waiting_.end();) {
    if (!has_all(*at)) {
      ++at;
      continue;
    }
    answers.push_back(look_up(*at));
    at = waiting_.erase(at);
  }
  return answers;
}

/// All of it or nothing.
bool NameBoard::publish(const NameAsk& ask) {
  for (const auto& value : ask.values)
    if (auto at = kept_.find(value.name); at != kept_.end() && at->second.value.owner != ask.rank)
      return false;
  for (auto value : ask.values) {
    value.owner = ask.rank;
    auto name = value.name;
    kept_[name] = {std::move(value), ask.once};
  }
  return true;
}

void NameBoard::take_back(const NameAsk& ask) {
  for (const auto& value : ask.values)
    if (auto at = kept_.find(value.name); at != kept_.end() && at->second.value.owner == ask.rank)
      kept_.erase(at);
}

bool NameBoard::has_all(const NameAsk& ask) const {
  return std::all_of(ask.values.begin(), ask.values.end(),
                     [&](const auto& value) { return kept_.contains(value.name); });
}

NameAnswer NameBoard::look_up(const NameAsk& ask) {
  NameAnswer answer{.to = ask.from, .number = ask.number, .ok = has_all(ask)};
  for (const auto& wanted : ask.values) {
    auto at = kept_.find(wanted.name);
    if (at == kept_.end()) continue;
    answer.values.push_back(at->second.value);
    if (at->second.once) kept_.erase(at);
  }
  return answer;
}

}  // namespace wm::ranks
