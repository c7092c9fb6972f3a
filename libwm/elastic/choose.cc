// When epochs with newcomers could not be connected, newcomers are tried one by one, least tried
// first, so that one bad host cannot keep good ones out.
#include "libwm/elastic/choose.h"

#include <algorithm>

namespace wm::elastic {
namespace {

std::vector<TaskNumber> newcomers(const Roster& roster, const std::vector<TaskNumber>& current) {
  std::vector<TaskNumber> list;
  const TaskSet members(current);
  for (const auto& wanted : roster.order.tasks) {
    if (!members.has(wanted.task) && is_newcomer(roster, wanted.task)) {
      list.push_back(wanted.task);
    }
  }
  auto tries = [&](TaskNumber t) { return find(roster, t).tries; };
  if (std::ranges::any_of(list, [&](TaskNumber t) { return tries(t) > 0; })) {
    list = {*std::ranges::min_element(list, {}, tries)};
  }
  return list;
}

Choice join(std::vector<TaskNumber> survivors, const std::vector<TaskNumber>& joining) {
  Choice choice{std::move(survivors), 0, false};
  choice.survivors = static_cast<std::uint32_t>(choice.members.size());
  choice.members.insert(choice.members.end(), joining.begin(), joining.end());
  return choice;
}

}  // namespace

Choice choose_next(const Roster& roster, const std::vector<TaskNumber>& current) {
  std::vector<TaskNumber> staying;
  for (auto task : current) {
    if (is_wanted(roster, task)) staying.push_back(task);
  }
  auto joining = newcomers(roster, current);
  if (!staying.empty()) return join(staying, joining);
  Choice choice = join(current, joining);
  choice.keeps_leavers = true;
  return choice;
}

Choice choose_survivors(const Roster& roster, const std::vector<TaskNumber>& answered) {
  std::uint64_t newest = 0;
  bool somebody_stays = false;
  for (auto task : answered) {
    if (!is_wanted(roster, task)) continue;
    newest = std::max(newest, find(roster, task).status.step);
    somebody_stays = true;
  }
  std::vector<TaskNumber> members;
  for (auto task : answered) {
    bool needed = !somebody_stays || find(roster, task).status.step > newest;
    if (needed || is_wanted(roster, task)) members.push_back(task);
  }
  return join(members, {});
}

Choice choose_first(const Roster& roster) { return join({}, newcomers(roster, {})); }

bool is_complete(const Roster& roster) {
  return std::ranges::all_of(roster.order.tasks, [&](const WantedTask& w) {
    const Task& task = find(roster, w.task);
    return w.leaving || task.gone || task.expelled || is_newcomer(roster, w.task);
  });
}

}  // namespace wm::elastic
