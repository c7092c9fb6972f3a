// Parts of holdings over random histories: they follow one another, they are what the state was
// charged, and neither a start in the middle nor how events were grouped changes a row.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "daemons/wmasterd/acct/books.h"
#include "test/support/builders.h"

namespace wm::master {
namespace {

using store::AllocationRow;
using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;

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

/// A random history: whatever is legal may happen.
class Course : public ClusterBuilder {
 public:
  explicit Course(unsigned seed) : random_(seed) {
    if (seed % 3) add_budget();
    reconfigure();
    for (int i = 0; i < 3; ++i) hosts_.push_back(host(8, 2));
    for (int i = 0; i < 250; ++i) act();
  }

  /// Of everything, in one period.
  void add_budget() {
    BudgetConf all;
    all.name = "/", all.cpu_hours = 1, all.gpu_hours = 1;
    config.budgets.list = {all};
  }

 private:
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  HostId any_host() { return hosts_[below(3)]; }
  bool open(HostId id) const { return is_open(host_of(id)); }
  void try_step(const EventBody& body) {
    if (check(body)) step(body, clock_);
  }

  void begin() {
    SpecBuilder spec;
    std::uint32_t most = 1 + below(3);
    spec.tasks(1, most);
    if (below(2)) spec.app("training").elastic();
    if (below(2)) spec.rerunnable();
    if (below(4) == 0) spec.hold();
    spec.spec.task.mem = Bytes{std::int64_t{1} << 28}, spec.spec.task.mem_per_host = below(3) == 0;
    JobId id{++last_, 0};
    try_step(JobSubmitted{id, spec.sealed()});
    jobs_.push_back(id);
  }

  void dispatch(const Job& job) {
    std::vector<Task> tasks;
    auto count = 1 + below(job.spec().max_tasks);
    for (std::uint32_t n = 1; n <= count; ++n) {
      Task task;
      task.number = TaskNumber{n}, task.host = any_host();
      task.has_process = n == 1 || launch_of(*state.config, job.spec()) == Launch::PerSlot;
      if (!open(task.host)) return;
      tasks.push_back(task);
    }
    Attempt attempt{job.attempt.value + 1};
    JobId id = job.id;
    try_step(JobDispatched{id, attempt, tasks, std::string(32, 'k')});
    for (const auto& task : tasks)
      if (task.has_process) try_step(TaskStarted{id, attempt, task.number, 100});
  }

  TaskNumber any_task(const Job& job) {
    return job.tasks.empty()
               ? TaskNumber{1}
               : job.tasks[below(static_cast<std::uint32_t>(job.tasks.size()))].number;
  }

  void act() {
    clock_ += below(4) ? 0.1 * below(50) : 0;
    if (jobs_.empty() || below(6) == 0) return begin();
    JobId id = jobs_[below(static_cast<std::uint32_t>(jobs_.size()))];
    const Job& job = *find_job(state, id);
    Attempt attempt = job.attempt;
    auto task = any_task(job);
    switch (below(16)) {
      case 0:
      case 1:
      case 2: return dispatch(job);
      case 3:
      case 4: return end(id, attempt, task);
      case 5: return try_step(JobSuspended{id, "ann"});
      case 6: return try_step(JobResumed{id, "ann"});
      case 7: return try_step(TaskStuck{id, attempt, task, "zombie"});
      case 8: return try_step(TasksLeaving{id, attempt, {task}, at(clock_ + 9), "reclaim"});
      case 9: return try_step(KillRequested{id, {Term::Owner, "ann", "", at(clock_)}});
      case 10: return try_step(HostSilent{any_host()});
      case 11: return try_step(HostHeard{any_host()});
      case 12: return grow(job);
      case 13:
        return try_step(below(2) ? EventBody(JobParked{id, attempt, {jobs_[0], "x"}})
                                 : EventBody(JobUnparked{id, attempt}));
      case 14:
        return try_step(below(2) ? EventBody(JobHeld{id, "ann"})
                                 : EventBody(JobReleased{id, "ann"}));
      default:
        if (config.budgets.list.empty() && below(3) == 0) {
          add_budget();
          return try_step(ConfigLoaded{std::make_shared<const Config>(config)});
        }
        return try_step(below(2) ? EventBody(HostClosed{any_host(), "ann", "x"})
                                 : EventBody(HostOpened{any_host(), "ann"}));
    }
  }

  // Now and then it was lost, or is told late.
  void end(JobId id, Attempt attempt, TaskNumber task) {
    TaskEnded ended{id, attempt, task, below(3) ? 0 : 256, Term::None, {}, ""};
    if (below(5) == 0) ended.term = Term::HostLost;
    if (below(3) == 0) ended.at = at(clock_ - 0.0007 * below(20'000));
    try_step(ended);
  }

  void grow(const Job& job) {
    Task task;
    task.number = TaskNumber{job.last_task.value + 1}, task.host = any_host();
    if (open(task.host)) try_step(TasksAdded{job.id, job.attempt, {task}, "free"});
  }

  std::mt19937 random_;
  std::vector<HostId> hosts_;
  std::vector<JobId> jobs_;
  std::uint32_t last_ = 0;
  double clock_ = 1;
};

Ledger folded(const Course& course, std::size_t group, std::size_t start) {
  Cluster state;
  Ledger ledger;
  Books books;
  for (std::size_t i = 0; i < course.history.size(); i += group) {
    if (start > 0 && i >= start) {
      books = books_of(state, ledger.lasting(state.seq));
      start = 0;
    }
    auto end = std::min(i + group, course.history.size());
    for (std::size_t k = i; k < end; ++k) fsm::apply(state, course.history[k]);
    for (std::size_t k = i; k < end; ++k) ledger.put(fold(books, course.history[k], state));
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
