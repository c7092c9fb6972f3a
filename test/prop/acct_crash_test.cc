// acct.db after a crash at any commit, and made again from all events, is what it would have been;
// and what reports sum up of it adds up.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>

#include "daemons/wmasterd/acct/accounting.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/store/core/core_db.h"
#include "libwm/store/report/roll.h"
#include "test/prop/course.h"
#include "test/support/store_files.h"

namespace wm::master {
namespace {

constexpr unsigned kCourses = 4;
constexpr std::size_t kStep = 9;  // commits between two crashes
constexpr std::int64_t kUntil = 1'900'000'000;

/// Everything in a database but where the horizon came to, as text.
std::string dump(const std::string& dir) {
  sqlite3* db = nullptr;
  EXPECT_EQ(sqlite3_open((dir + "/acct.db").c_str(), &db), SQLITE_OK);
  std::string text;
  auto add = [](void* to, int n, char** cells, char**) {
    for (int i = 0; i < n; ++i) *static_cast<std::string*>(to) += std::string(cells[i]) + "|";
    *static_cast<std::string*>(to) += "\n";
    return 0;
  };
  for (const char* table : {"job", "allocation", "attempt", "job_event", "usage", "job_sum",
                            "host_span", "gpu_span", "plan_span"}) {
    auto sql = "SELECT * FROM " + std::string(table) + " ORDER BY 1, 2, 3, 4, 5";
    text += std::string(table) + "\n";
    EXPECT_EQ(sqlite3_exec(db, sql.c_str(), add, &text, nullptr), SQLITE_OK);
  }
  EXPECT_EQ(sqlite3_exec(db, "SELECT last_seq FROM mark", add, &text, nullptr), SQLITE_OK);
  sqlite3_close(db);
  return text;
}

/// A master that has committed `events` and taken part of them into acct.db, and starts again.
void start_again(const std::string& dir, const std::vector<Event>& events) {
  auto accounting = std::move(*Accounting::open(dir));
  ASSERT_TRUE(accounting->begin({}, events));
}

/// Folds events one by one, as they become durable.
class Folding {
 public:
  explicit Folding(const std::string& dir) : db_(std::move(*store::AcctDb::open({dir, ""}))) {}
  void take(const Event& event) {
    fsm::apply(state_, event);
    ASSERT_TRUE(db_->apply(fold(acct_state_, event, state_)));
  }

 private:
  std::unique_ptr<store::AcctDb> db_;
  Cluster state_;
  AcctState acct_state_;
};

TEST(accounting_of_random_histories, is_the_same_after_a_crash_at_any_commit) {
  log::open("acct_crash", "", log::Level::Error);
  for (unsigned seed = 1; seed <= kCourses; ++seed) {
    Course course(seed);
    test::ScratchDir whole_dir;
    start_again(whole_dir.path(), course.history);
    auto whole = dump(whole_dir.path());
    test::ScratchDir dir;
    Folding folding(dir.path());
    for (std::size_t i = 0; i < course.history.size(); ++i) {
      folding.take(course.history[i]);
      if (i % kStep != seed) continue;
      test::ScratchDir crashed;
      for (const auto& file : std::filesystem::directory_iterator(dir.path()))
        std::filesystem::copy(file, crashed.path() + "/" + file.path().filename().string());
      start_again(crashed.path(), course.history);
      ASSERT_EQ(dump(crashed.path()), whole) << "seed " << seed << " after event " << i;
    }
  }
}

TEST(accounting_of_random_histories, made_again_from_all_events_is_the_same) {
  for (unsigned seed = 1; seed <= kCourses; ++seed) {
    Course course(seed);
    test::ScratchDir dir;
    store::CoreOptions options;
    options.dir = dir.path(), options.reserve = Bytes{1 << 16};
    auto core = std::move(*store::CoreDb::open(options));
    store::Batch batch;
    for (const auto& event : course.history)
      batch.events.push_back({event.seq, event.time,
                              static_cast<std::uint16_t>(event.body.index() + 1), 1,
                              codec::encode(event.body)});
    ASSERT_TRUE(core->append(batch));
    start_again(dir.path(), course.history);
    auto before = dump(dir.path());
    ASSERT_TRUE(std::move(*Accounting::open(dir.path()))->rebuild());
    EXPECT_EQ(dump(dir.path()), before) << "seed " << seed;
  }
}

/// Sums by hour of a history, whatever pieces they were rolled in.
struct Rolled {
  test::ScratchDir dir;
  std::unique_ptr<store::AcctScan> acct;
  std::unique_ptr<store::ReportDb> reports;

  explicit Rolled(unsigned seed) {
    Course course(seed);
    start_again(dir.path(), course.history);
    acct = std::move(*store::AcctScan::open({dir.path(), ""}));
    reports = std::move(*store::ReportDb::open(dir.path(), "UTC"));
    EXPECT_TRUE(store::roll(*acct, *reports, {report::Zone{}, {}, kUntil}));
  }
};

TEST(sums_of_random_histories, by_job_by_host_and_by_hour_are_the_same) {  // I1, I3
  std::int64_t all = 0;
  for (unsigned seed = 1; seed <= 30; ++seed) {
    Rolled made(seed);
    report::Amounts by_job, by_host, by_hour;
    auto uses = *made.reports->hour_uses(0, kUntil * 1000);
    for (const auto& use : uses) by_job += use.amounts;
    auto hosts = *made.reports->hosts(0, kUntil * 1000);
    for (const auto& [name, use] : hosts) by_host += use.allocated();
    auto hours = *made.reports->hours(0, kUntil * 1000);
    for (const auto& hour : hours) by_hour += hour.uses.allocated();
    by_job.mem_mib_s = by_host.mem_mib_s = by_hour.mem_mib_s = 0;  // hosts have none
    EXPECT_EQ(by_job, by_host) << "seed " << seed;
    EXPECT_EQ(by_job, by_hour) << "seed " << seed;
    all += by_job.slot_ms;
  }
  EXPECT_GT(all, 0);
}

TEST(sums_of_random_histories, what_hosts_had_is_what_became_of_it) {  // I2
  for (unsigned seed = 1; seed <= 30; ++seed) {
    Rolled made(seed);
    std::int64_t had = 0;
    auto horizon = *made.acct->horizon();
    EXPECT_TRUE(made.acct->hosts({0, horizon}, [&](const store::HostSpanRow& row) {
      auto until = row.until == WallTime{} ? WallTime(Duration(horizon)) : row.until;
      had += row.slots / 1000 * whole_ms(row.since, until);
    }));
    auto total = *made.reports->totals(0, kUntil * 1000);
    EXPECT_EQ(total.capacity().slot_ms, had) << "seed " << seed;
  }
}

TEST(sums_of_random_histories, charged_and_refunded_are_what_was_allocated) {  // I4
  for (unsigned seed = 1; seed <= 30; ++seed) {
    Rolled made(seed);
    report::Amounts refunds, by_dim;
    auto rows = *made.reports->refunds(0, kUntil * 1000);
    for (const auto& row : rows) refunds += row.amounts;
    auto dims = *made.reports->dims(0, kUntil * 1000);
    for (const auto& use : dims) by_dim += use.refunded;
    EXPECT_EQ(by_dim, refunds) << "seed " << seed;
    EXPECT_LE(refunds.slot_ms, made.reports->totals(0, kUntil * 1000)->allocated().slot_ms);
  }
}

TEST(sums_of_random_histories, rolled_again_in_any_pieces_are_the_same) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    Rolled made(seed);
    auto before = *made.reports->totals(0, kUntil * 1000);
    auto from = *made.acct->earliest() / 1'000'000 + 20;
    auto again = store::roll(*made.acct, *made.reports, {report::Zone{}, from, kUntil});
    ASSERT_TRUE(again) << again.error().text;
    EXPECT_EQ(again->restated, 0u);
    EXPECT_EQ(made.reports->totals(0, kUntil * 1000)->of, before.of) << "seed " << seed;
  }
}

}  // namespace
}  // namespace wm::master
