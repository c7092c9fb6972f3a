// Parts of holdings over random histories: they follow one another, they are what the state was
// charged, and neither a start in the middle nor how events were grouped changes a row.
#include <gtest/gtest.h>

#include <map>

#include "daemons/wmasterd/acct/acct_state.h"
#include "test/prop/course.h"

namespace wm::master {
namespace {

using store::AllocationRow;
using test::at;

using PartKey = std::tuple<JobId, Attempt, TaskNumber, std::uint32_t>;

/// What acct.db would hold.
struct Ledger {
  std::map<PartKey, AllocationRow> parts;
  std::map<std::pair<JobId, Attempt>, store::AttemptRow> attempts;
  std::map<std::pair<std::string, WallTime>, store::HostSpanRow> hosts;

  void put(const store::AcctRows& rows) {
    for (const auto& r : rows.allocations) parts[{r.job, r.attempt, r.task, r.part}] = r;
    for (const auto& r : rows.attempts) attempts[{r.job, r.attempt}] = r;
    for (const auto& r : rows.hosts) hosts[{r.host, r.since}] = r;
  }
  store::AcctRows lasting(Seq seq) const {
    store::AcctRows rows;
    rows.seq = seq;
    for (const auto& [key, r] : parts)
      if (r.end == WallTime{}) rows.allocations.push_back(r);
    for (const auto& [key, r] : attempts)
      if (r.ended == WallTime{}) rows.attempts.push_back(r);
    for (const auto& [key, r] : hosts)
      if (r.until == WallTime{}) rows.hosts.push_back(r);
    return rows;
  }
};

Ledger folded(const Course& course, std::size_t group, std::size_t start) {
  Cluster state;
  Ledger ledger;
  AcctState acct_state;
  for (std::size_t i = 0; i < course.history.size(); i += group) {
    if (start > 0 && i >= start) {
      acct_state = acct_state_of(state, ledger.lasting(state.seq));
      start = 0;
    }
    auto end = std::min(i + group, course.history.size());
    for (std::size_t k = i; k < end; ++k) fsm::apply(state, course.history[k]);
    for (std::size_t k = i; k < end; ++k) ledger.put(fold(acct_state, course.history[k], state));
  }
  return ledger;
}

constexpr unsigned kSeeds = 60;

TEST(spans_of_random_histories, are_what_the_state_was_charged) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    Course course(seed);
    std::map<JobId, Duration> sums;
    for (const auto& [key, row] : folded(course, 1, 0).parts)
      sums[row.job] +=
          ((row.end == WallTime{} ? course.state.time : row.end) - row.start) * row.slots / 1000;
    each_job(course.state, [&](const Job& job) {
      auto holding = job.holding;
      charge(holding, {}, course.state.time);
      EXPECT_EQ(sums[job.id], holding.slot_time) << "seed " << seed << " job " << to_string(job.id);
    });
  }
}

// Of milli-CPUs, what a budget of everything was charged by the rows.
std::int64_t charged(const Ledger& ledger, WallTime now) {
  std::map<std::pair<JobId, Attempt>, std::int64_t> by_attempt;
  for (const auto& [key, row] : ledger.parts)
    if (row.held != store::HoldClass::Stuck)
      by_attempt[{row.job, row.attempt}] +=
          row.milli_cpus * whole_ms(row.start, row.end == WallTime{} ? now : row.end);
  std::int64_t sum = 0;
  for (const auto& [key, row] : ledger.attempts) {
    bool lost = row.ended != WallTime{} && row.term == static_cast<int>(Term::HostLost);
    if (!lost) sum += by_attempt[key] - row.late.cpu_mms;
  }
  return sum;
}

TEST(spans_of_random_histories, are_what_a_budget_of_everything_was_charged) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    if (seed % 3 == 0) continue;  // it came in the middle
    Course course(seed);
    const auto& config = *course.state.config;
    auto account = *find_budget(course.state, "/");
    settle(config.budgets, *config.budgets.find("/"), account, course.state.time);
    EXPECT_EQ(account.used().cpu, charged(folded(course, 1, 0), course.state.time))
        << "seed " << seed;
  }
}

TEST(spans_of_random_histories, leave_a_budget_drawn_on_by_what_is_held) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    Course course(seed);
    const auto* account = find_budget(course.state, "/");
    if (!account) continue;
    Drawn held;
    each_job(course.state, [&](const Job& job) {
      held += job.holding.draw.rate;
      std::int64_t cpus = 0;
      for (const auto& task : job.tasks)
        if (task.holds_slot() && task.state != TaskState::Stuck && !job.parked)
          cpus += job.spec().task.milli_cpus;
      EXPECT_EQ(job.holding.draw.rate.cpu, cpus) << "seed " << seed << " " << to_string(job.id);
    });
    EXPECT_EQ(account->rate, held) << "seed " << seed;
  }
}

TEST(spans_of_random_histories, follow_one_another_without_gap) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    Course course(seed);
    const AllocationRow* before = nullptr;
    auto ledger = folded(course, 1, 0);
    for (const auto& [key, row] : ledger.parts) {
      bool goes_on = row.part > 0;
      ASSERT_TRUE(!goes_on || (before && before->end == row.start)) << "seed " << seed;
      before = &row;
    }
  }
}

TEST(spans_of_random_histories, a_start_in_the_middle_changes_no_row) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    Course course(seed);
    auto whole = folded(course, 1, 0);
    for (std::size_t start = 7; start < course.history.size(); start += 41) {
      auto again = folded(course, 1, start);
      EXPECT_EQ(again.parts, whole.parts) << "seed " << seed << " from " << start;
      EXPECT_EQ(again.hosts, whole.hosts) << "seed " << seed << " from " << start;
    }
  }
}

TEST(spans_of_random_histories, grouping_changes_no_part) {
  for (unsigned seed = 1; seed <= kSeeds; ++seed) {
    Course course(seed);
    auto whole = folded(course, 1, 0);
    for (std::size_t group : {2, 5, 13})
      EXPECT_EQ(folded(course, group, 0).parts, whole.parts) << "seed " << seed << " by " << group;
  }
}

}  // namespace
}  // namespace wm::master
