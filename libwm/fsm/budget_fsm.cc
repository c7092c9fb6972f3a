// What jobs draw on their budgets: changed wherever holdings change, to the millisecond.
//
//   slot taken, given back, parked ─► draw    an attempt that the system ended ─► credited
//   stuck: nobody's to pay                    an end that was heard late       ─► credited from it
//   on
#include <utility>

#include "libwm/fsm/edit.h"
#include "libwm/model/credit.h"
#include "libwm/model/gpu_use.h"

namespace wm::fsm {
namespace {

bool has_budgets(const Cluster& c) { return !c.config->budgets.list.empty(); }

void bring_up(AttemptDraw& draw, WallTime now) {
  draw.drawn += draw.rate * whole_ms(draw.as_of, now);
  draw.as_of = std::max(draw.as_of, now);
}

BudgetAccount& edit_budget(Cluster& c, const BudgetConf& conf) {
  auto number = c.budget_numbers->find(conf.name);
  if (number != c.budget_numbers->end()) return c.budgets.edit(number->second);
  auto numbers = std::make_shared<BudgetNumbers>(*c.budget_numbers);
  auto next = c.budgets.last() + 1;
  numbers->emplace(conf.name, next);
  c.budget_numbers = std::move(numbers);
  BudgetAccount made;
  made.name = conf.name;
  made.as_of = c.time - c.clock_doubt;
  c.budgets.set(next, std::move(made));
  return c.budgets.edit(next);
}

BudgetAccount& settled(Cluster& c, const BudgetConf& conf) {
  auto& account = edit_budget(c, conf);
  settle(c.config->budgets, conf, account, c.time - c.clock_doubt);
  return account;
}

void credit(Cluster& c, Job& job, const Drawn& amount) {
  if (!amount) return;
  for (const auto* conf : budgets_of(*c.config, job.spec())) settled(c, *conf).refunded += amount;
  job.holding.draw.drawn -= amount;
}

Drawn rate_of(const Cluster& c, const Job& job) {
  Drawn sum;
  for (const auto& task : job.tasks)
    if (task.holds_slot()) sum += draw_of(c, job, task);
  return sum;
}

}  // namespace

Drawn draw_of(const Cluster& c, const Job& job, const Task& task) {
  if (task.state == TaskState::Stuck) return {};
  const auto& need = job.spec().task;
  Drawn rate{0, job.parked ? 0 : std::int64_t{need.milli_cpus}};
  const Host* host = c.hosts.find(task.host.value);
  for (auto index : task.gpus) {
    if (!host || index >= host->capacity.gpus.size()) continue;
    const auto& gpus = host->capacity.gpus;
    rate.gpu += whole_gpu_part(gpus, index) * milli_of(gpus[index], need) / 1000;
  }
  return rate;
}

void draw(Cluster& c, Job& job, const Drawn& change) {
  if (!has_budgets(c) || !change) return;
  bring_up(job.holding.draw, c.time);
  job.holding.draw.rate += change;
  for (const auto* conf : budgets_of(*c.config, job.spec())) settled(c, *conf).rate += change;
}

void begin_draw(Job& job) {
  job.holding.draw.drawn = {};
  job.holding.draw.status = job.holding.draw.term = 0;
}

void note_end(Cluster& c, Job& job, const Task& task, const TaskEnded& e) {
  if (!has_budgets(c)) return;
  auto& draw = job.holding.draw;
  bool leaving = task.state == TaskState::Leaving;
  bool fails = e.term != Term::Left && (e.term != Term::None || (e.status != 0 && !leaving));
  if (fails && draw.term == 0 && draw.status == 0) {
    draw.term = static_cast<std::uint8_t>(e.term);
    draw.status = e.status;
  }
  bring_up(draw, c.time);
  if (e.at != WallTime{}) credit(c, job, draw_of(c, job, task) * late_ms(e, task.since, c.time));
}

void end_draw(Cluster& c, Job& job) {
  if (!has_budgets(c)) return;
  auto term = is_over(job.state) ? job.outcome.term : static_cast<Term>(job.holding.draw.term);
  bring_up(job.holding.draw, c.time);
  if (is_credited(term)) credit(c, job, job.holding.draw.drawn);
  begin_draw(job);
}

void end_doubt(Cluster& c) {
  auto by = std::exchange(c.clock_doubt, {});
  if (by == Duration{}) return;
  std::vector<std::uint64_t> numbers;
  c.budgets.each([&](std::uint64_t number, const BudgetAccount&) { numbers.push_back(number); });
  for (auto number : numbers) c.budgets.edit(number).as_of += by;
}

void settle_budgets(Cluster& c) {
  for (const auto& conf : c.config->budgets.list) settled(c, conf).rate = {};
}

void draw_anew(Cluster& c) {
  for (const auto& conf : c.config->budgets.list) settled(c, conf);
  std::vector<JobId> holding;
  each_job(c, [&](const Job& job) {
    if (job.holding.draw.rate || slots_held(job) > 0) holding.push_back(job.id);
  });
  for (auto id : holding) {
    Job& job = edit_job(c, id);
    auto rate = has_budgets(c) ? rate_of(c, job) : Drawn{};
    bring_up(job.holding.draw, c.time);
    job.holding.draw.rate = rate;
    if (!has_budgets(c)) job.holding.draw = {};
    for (const auto* conf : budgets_of(*c.config, job.spec())) settled(c, *conf).rate += rate;
  }
}

}  // namespace wm::fsm
