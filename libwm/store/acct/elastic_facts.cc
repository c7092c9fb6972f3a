#include "libwm/store/acct/elastic_facts.h"

#include <algorithm>

namespace wm::store {
namespace {

constexpr std::size_t kMost = 50;

bool is_asked_for(const std::string& plan, const std::string& top) {
  return top.empty() || plan == top || top == "/" || plan.starts_with(top + "/");
}

/// One job's parts, summed.
struct Sizes {
  WallTime began = WallTime::max(), ended;
  bool lasts = false;
  double slot_s = 0, cost = 0;
  std::map<Attempt, WallTime> firsts;

  void add(const AllocationRow& row, WallTime until) {
    auto end = row.end == WallTime{} ? until : row.end;
    lasts = lasts || row.end == WallTime{};
    began = std::min(began, row.start);
    ended = std::max(ended, end);
    auto length = seconds(std::max(Duration{}, end - row.start));
    slot_s += length * static_cast<double>(row.slots) / 1000;
    if (row.held == HoldClass::Leaving) cost += length;
    auto [first, fresh] = firsts.try_emplace(row.attempt, row.start);
    if (row.part != 0 || row.start == first->second) return;
    auto member = row.member_at == WallTime{} ? end : row.member_at;
    cost += seconds(std::max(Duration{}, member - row.start));
  }
};

Result<void> add_job(AcctScan& acct, Window window, report::ElasticFacts& job, JobId id) {
  Sizes sizes;
  WallTime until{Duration(window.to)};
  WM_TRY(acct.parts_of(id, [&](const AllocationRow& row) { sizes.add(row, until); }));
  WM_TRY(acct.epochs_of(id, [&](const JobEventRow& row) {
    if (row.pause.count() > 0)
      sizes.cost += seconds(row.pause) * static_cast<double>(std::min(row.from, row.to));
  }));
  auto length = seconds(sizes.ended - sizes.began);
  job.began = report::seconds_of(sizes.began);
  job.ended = sizes.lasts ? 0 : report::seconds_of(sizes.ended);
  job.mean = length > 0 ? sizes.slot_s / length : 0;
  job.cost = sizes.cost;
  job.cost_part = sizes.slot_s > 0 ? sizes.cost / sizes.slot_s : 0;
  return {};
}

}  // namespace

Result<void> add_elastic(AcctScan& acct, Window window, report::Facts& facts) {
  std::map<JobId, report::ElasticFacts> jobs;
  WM_TRY(acct.lines(Word::Resize, window, [&](const JobEventRow& row) {
    jobs[row.job].resizes.push_back({report::seconds_of(row.time), row.from, row.to, row.reason});
  }));
  std::vector<std::pair<double, report::ElasticFacts>> order;
  for (auto& [id, job] : jobs) {
    WM_TRY(auto known, acct.job(id));
    if (!known || !is_asked_for(known->plan, facts.about)) continue;
    job.id = to_string(id), job.name = known->name, job.user = known->user;
    order.emplace_back(-seconds(known->slot_time), std::move(job));
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    if (order.size() > kMost) order.pop_back();
  }
  for (auto& [size, job] : order) {
    WM_TRY(auto id, parse_job_id(job.id));
    WM_TRY(add_job(acct, window, job, id));
    facts.elastic.push_back(std::move(job));
  }
  return {};
}

}  // namespace wm::store
