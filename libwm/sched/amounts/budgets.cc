#include "libwm/sched/amounts/budgets.h"

#include <algorithm>
#include <limits>

#include "libwm/sched/demand/order.h"

namespace wm::sched {
namespace {

constexpr Duration kAhead = std::chrono::hours(1);  // reserved by a job without a run limit
constexpr int kLast = std::numeric_limits<int>::max();

bool runs(const Job& job) {
  return job.state == JobState::Launching || job.state == JobState::Running ||
         job.state == JobState::Suspended || job.state == JobState::Unknown;
}

std::uint32_t least_tasks(const JobSpec& spec) { return std::max(1u, spec.min_tasks); }

std::int64_t ms_of(Duration d) {
  return std::chrono::floor<std::chrono::milliseconds>(std::max(Duration{}, d)).count();
}

// What tasks of such a request draw together. GPUs per host: by the hosts that the tasks need.
Drawn rate_of(const JobSpec& spec, std::uint32_t tasks) {
  std::int64_t gpus = spec.task.milli_gpus;
  std::int64_t times = tasks;
  if (spec.task.gpus_per_host)
    times = spec.span.ptile ? (tasks + spec.span.ptile - 1) / spec.span.ptile : 1;
  return {gpus * times, std::int64_t{spec.task.milli_cpus} * tasks};
}

// "4", "0.5": thousandths.
std::string count_text(std::int64_t milli) {
  auto text = std::to_string(milli / 1000);
  if (milli % 1000 == 0) return text;
  auto rest = std::to_string(1000 + milli % 1000).substr(1);
  while (rest.back() == '0') rest.pop_back();
  return text + "." + rest;
}

// "1:05": as -W reads it.
std::string limit_text(Duration limit) {
  auto minutes = std::chrono::floor<std::chrono::minutes>(limit).count();
  return std::to_string(minutes / 60) + ":" + std::to_string(100 + minutes % 60).substr(1);
}

bool has_room(bool bounded, std::int64_t cost, std::int64_t room) {
  return !bounded || cost == 0 || cost <= room;
}

}  // namespace

bool BudgetNow::is_empty(const Drawn& of) const {
  auto left = room();
  return (conf->gpu_hours && of.gpu > 0 && left.gpu <= 0) ||
         (conf->cpu_hours && of.cpu > 0 && left.cpu <= 0);
}

bool BudgetNow::fits(const Drawn& cost) const {
  auto left = room();
  return has_room(conf->gpu_hours.has_value(), cost.gpu, left.gpu) &&
         has_room(conf->cpu_hours.has_value(), cost.cpu, left.cpu);
}

BudgetBook::BudgetBook(const Cluster& cluster, WallTime now) : cluster_(cluster), now_(now) {
  const auto& budgets = cluster.config->budgets;
  for (const auto& conf : budgets.list) {
    BudgetNow made;
    made.conf = &conf;
    if (const auto* account = find_budget(cluster, conf.name)) made.account = *account;
    else made.account.as_of = now;
    settle(budgets, conf, made.account, now);
    made.period = period_at(budgets, conf, now);
    made.surplus = made.account.rate;
    now_of_.push_back(std::move(made));
  }
  if (empty()) return;
  each_job(cluster, [&](const Job& job) {
    if (runs(job) && job.holding.draw.rate) reserve(job);
  });
}

std::vector<BudgetNow*> BudgetBook::of(const JobSpec& spec) {
  std::vector<BudgetNow*> found;
  if (empty()) return found;
  for (const auto* conf : budgets_of(*cluster_.config, spec)) {
    auto& budget = now_of_[static_cast<std::size_t>(conf - cluster_.config->budgets.list.data())];
    if (budget.period.from != budget.period.to) found.push_back(&budget);
  }
  return found;
}

// How long it may still run, as far as its run limit says.
Duration BudgetBook::covered(const Job& job) const {
  auto limit = run_limit_of(*cluster_.config, job.spec());
  if (limit == Duration{}) return kAhead;
  if (job.times.started < job.times.dispatched) return limit;
  auto ran = now_ - job.times.started - job.suspension.earlier;
  if (job.suspension.since != WallTime{} && !job.suspension.by.empty())
    ran -= now_ - job.suspension.since;
  return std::max(Duration{}, limit - ran);
}

void BudgetBook::reserve(const Job& job) {
  auto rate = job.holding.draw.rate;
  auto held = std::int64_t{slots_held(job)}, least = std::int64_t{least_tasks(job.spec())};
  if (job.spec().elastic && held > least) rate = {rate.gpu * least / held, rate.cpu * least / held};
  auto time = covered(job);
  for (auto* budget : of(job.spec())) {
    auto ms = std::min(ms_of(time), ms_of(budget->period.to - now_));
    budget->reserved += rate * ms;
    if (run_limit_of(*cluster_.config, job.spec()) != Duration{} && ms > 0) budget->surplus -= rate;
  }
}

Drawn BudgetBook::cost(const JobSpec& spec, std::uint32_t tasks, const BudgetSpan& period) const {
  auto limit = run_limit_of(*cluster_.config, spec);
  auto time = limit == Duration{} ? kAhead : limit;
  return rate_of(spec, tasks) * std::min(ms_of(time), ms_of(period.to - now_));
}

WallTime BudgetBook::next_change() const {
  WallTime next{};
  auto take = [&](WallTime at) {
    if (at > now_ && at != WallTime::max() && (next == WallTime{} || at < next)) next = at;
  };
  auto ends = [&](bool bounded, std::int64_t room, std::int64_t rate) {
    if (bounded && room > 0 && rate > 0) take(now_ + std::chrono::milliseconds(room / rate + 1));
  };
  for (const auto& budget : now_of_) {
    if (budget.period.from == budget.period.to) {
      if (budget.conf->from > now_) take(budget.conf->from);
      continue;
    }
    take(budget.period.to);
    ends(budget.conf->gpu_hours.has_value(), budget.room().gpu, budget.surplus.gpu);
    ends(budget.conf->cpu_hours.has_value(), budget.room().cpu, budget.surplus.cpu);
  }
  return next;
}

std::string BudgetBook::text(const BudgetNow& budget, const JobSpec& spec,
                             std::uint32_t tasks) const {
  auto need = cost(spec, tasks, budget.period), rate = rate_of(spec, tasks), room = budget.room();
  const auto& conf = *budget.conf;
  bool gpu = conf.gpu_hours && !has_room(true, need.gpu, room.gpu);
  if (!gpu && !(conf.cpu_hours && !has_room(true, need.cpu, room.cpu)))
    gpu = conf.gpu_hours.has_value() && need.gpu > 0;
  auto of = gpu ? &Drawn::gpu : &Drawn::cpu;
  auto grant = grant_of(conf) + budget.account.carried;
  auto left = grant.*of - budget.account.used().*of;
  std::string unit = gpu ? "GPU" : "CPU";
  std::string made = conf.name + " has " + hours_text(left) + " of " + hours_text(grant.*of) + " " +
                     unit + " hours left in " + period_words(conf, budget.period);
  if (budget.reserved.*of > 0) made += " (" + hours_text(budget.reserved.*of) + " reserved)";
  auto limit = run_limit_of(*cluster_.config, spec);
  made += "; this job may need " + hours_text(need.*of) + " = " + count_text(rate.*of) + " " +
          unit + (rate.*of == 1000 ? "" : "s") + " x " +
          hours_text(rate.*of ? need.*of / (rate.*of) * 1000 : 0) + " h";
  auto fits =
      rate.*of > 0 ? Duration(std::chrono::milliseconds(room.*of / (rate.*of))) : Duration{};
  if (limit != Duration{} && fits >= std::chrono::minutes(1) && fits < limit)
    made += "; it fits with -W " + limit_text(fits);
  return made;
}

BudgetView BudgetBook::view(const BudgetNow& budget) const {
  const auto& conf = *budget.conf;
  BudgetView made;
  made.name = conf.name;
  made.at_end = conf.at_end;
  made.within = conf.within;
  bool in_force = budget.period.from != budget.period.to;
  made.period = in_force ? period_words(conf, budget.period) : conf.period + " (not now)";
  made.from = budget.period.from;
  made.to = budget.period.to;
  made.gpu_bounded = conf.gpu_hours.has_value();
  made.cpu_bounded = conf.cpu_hours.has_value();
  made.grant = grant_of(conf);
  made.carried = budget.account.carried;
  made.drawn = budget.account.drawn;
  made.refunded = budget.account.refunded;
  made.reserved = budget.reserved;
  made.rate = budget.account.rate;
  made.percent = percent_used(conf, budget.account);
  made.warn = conf.warn;
  auto ends = [&](bool bounded, std::int64_t left, std::int64_t rate) {
    if (!bounded || rate <= 0) return;
    auto at = now_ + std::chrono::milliseconds(std::max<std::int64_t>(0, left) / rate);
    if (at < budget.period.to && (made.empty_at == WallTime{} || at < made.empty_at))
      made.empty_at = at;
  };
  ends(made.gpu_bounded, made.left().gpu, made.rate.gpu);
  ends(made.cpu_bounded, made.left().cpu, made.rate.cpu);
  return made;
}

namespace {

// Of a running elastic job: what budgets that are used up leave it.
void bound(BudgetBook& book, Claim& claim) {
  for (const auto* budget : book.of(claim.spec())) {
    if (!budget->is_empty(rate_of(claim.spec(), 1))) continue;
    const auto& end = budget->conf->at_end;
    if (end == "lowest") claim.order.rank = kLast;
    else claim.max = end == "shrink" ? claim.min : std::clamp(claim.now, claim.min, claim.max);
    if (end == "shrink") claim.barrier = PendCode::Budget;
  }
}

// So many copies have room; those that start draw it.
void admit(BudgetBook& book, Claim& claim) {
  auto tasks = claim.min;
  auto budgets = book.of(claim.spec());
  std::uint32_t copies = 0;
  auto all_fit = [&] {
    return std::all_of(budgets.begin(), budgets.end(), [&](const BudgetNow* budget) {
      return budget->conf->at_end == "lowest" ||
             budget->fits(book.cost(claim.spec(), tasks, budget->period));
    });
  };
  for (; copies < claim.copies && all_fit(); ++copies)
    for (auto* budget : budgets)
      if (!claim.rest) budget->reserved += book.cost(claim.spec(), tasks, budget->period);
  if (copies == 0) {
    claim.barred = Barred::Limit;
    claim.barrier = PendCode::Budget;
    return;
  }
  claim.copies = copies;
}

void put_last(BudgetBook& book, Claim& claim) {
  for (const auto* budget : book.of(claim.spec()))
    if (budget->conf->at_end == "lowest" && budget->is_empty(rate_of(claim.spec(), 1)))
      claim.order.rank = kLast;
}

}  // namespace

void apply_budgets(BudgetBook& book, std::vector<Claim>& claims) {
  if (book.empty()) return;
  for (auto& claim : claims)
    if (claim.kind == ClaimKind::Elastic) bound(book, claim);
    else if (claim.pending() && !claim.parked) put_last(book, claim);
  put_in_order(claims);
  for (auto& claim : claims)
    if (claim.pending() && !claim.parked && claim.copies > 0) admit(book, claim);
}

PendReason budget_reason(BudgetBook& book, const Claim& claim) {
  const BudgetNow* found = nullptr;
  for (const auto* budget : book.of(claim.spec())) {
    if (budget->conf->at_end == "lowest") continue;
    bool short_of = !budget->fits(book.cost(claim.spec(), claim.min, budget->period));
    if (!found || short_of) found = budget;
    if (short_of) break;
  }
  if (!found) return {PendCode::Budget, "No budget has room for it", 0, ""};
  return {
      PendCode::Budget, "Budget: " + book.text(*found, claim.spec(), claim.min), 0,
      "starts when " + found->conf->name + " has room again, at the latest with its next period"};
}

namespace {

// "/a: 120 of 5,000 GPU hours are left in November 2026": of the resource that is scarcer.
std::string left_text(const BudgetConf& conf, const BudgetAccount& account,
                      const BudgetSpan& period) {
  auto have = grant_of(conf) + account.carried, left = have - account.used();
  auto scarcer = [&](auto of, auto other) {
    return static_cast<double>(left.*of) * static_cast<double>(have.*other) <=
           static_cast<double>(left.*other) * static_cast<double>(have.*of);
  };
  bool gpu = conf.gpu_hours && (!conf.cpu_hours || scarcer(&Drawn::gpu, &Drawn::cpu));
  auto of = gpu ? &Drawn::gpu : &Drawn::cpu;
  return "budget " + conf.name + ": " + hours_text(left.*of) + " of " + hours_text(have.*of) +
         (gpu ? " GPU" : " CPU") + " hours are left in " + period_words(conf, period);
}

// Of the whole job, were it to run through a whole period.
Result<void> could_ever_fit(const Cluster& cluster, const BudgetConf& conf,
                            const BudgetSpan& period, const JobSpec& spec) {
  auto limit = run_limit_of(*cluster.config, spec);
  if (limit == Duration{} || conf.at_end == "lowest") return {};
  auto ms = std::min(ms_of(limit),
                     period.to == WallTime::max() ? ms_of(limit) : ms_of(period.to - period.from));
  auto need = rate_of(spec, least_tasks(spec)) * ms;
  auto grant = grant_of(conf);
  bool gpu = conf.gpu_hours && need.gpu > grant.gpu;
  if (!gpu && !(conf.cpu_hours && need.cpu > grant.cpu)) return {};
  auto of = gpu ? &Drawn::gpu : &Drawn::cpu;
  return fail(Code::Limit, "budget " + conf.name + " grants " + hours_text(grant.*of) +
                               (gpu ? " GPU" : " CPU") + " hours in a period; this job may need " +
                               hours_text(need.*of) +
                               ": ask for fewer tasks, or less time with -W");
}

}  // namespace

Result<std::vector<std::string>> budget_warnings(const Cluster& cluster, const JobSpec& spec,
                                                 WallTime now) {
  std::vector<std::string> warnings;
  const auto& budgets = cluster.config->budgets;
  for (const auto* conf : budgets_of(*cluster.config, spec)) {
    auto period = period_at(budgets, *conf, now);
    const auto* known = find_budget(cluster, conf->name);
    if (!known || period.from == period.to) continue;
    auto account = *known;
    settle(budgets, *conf, account, now);
    WM_TRY(could_ever_fit(cluster, *conf, period, spec));
    auto percent = percent_used(*conf, account, rate_of(spec, 1));
    if (percent < conf->warn) continue;
    auto text = left_text(*conf, account, period);
    if (percent >= 100 && conf->at_end == "refuse")
      return fail(Code::Limit, text + "; it takes new jobs again in its next period");
    if (percent < 100) text += ", " + std::to_string(percent) + " % is used";
    else if (conf->at_end == "lowest") text += ": the job starts after all others";
    else text += ": the job waits until there is room";
    warnings.push_back(std::move(text));
  }
  return warnings;
}

}  // namespace wm::sched
