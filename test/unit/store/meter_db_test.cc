// meter.db: what tasks used of their GPUs, by the hour; none where nobody measured.
#include "libwm/store/report/meter_db.h"

#include <gtest/gtest.h>

#include <fstream>

#include "test/support/store_files.h"

namespace wm::store {
namespace {

using std::chrono::minutes;

MeterRow row(std::int64_t hour, std::uint32_t job, int seen, int busy) {
  return {
      hour * 3600, "h1", {{job, 0}, Attempt{1}, TaskNumber{1}, minutes(seen), minutes(busy), 5}};
}

TEST(meter_db, what_tasks_and_hosts_used_adds_up_and_the_peak_is_the_most) {
  test::ScratchDir dir;
  auto db = MeterDb::open(dir.path());
  ASSERT_TRUE(db) << db.error().text;
  auto one = row(10, 7, 0, 0), other = row(10, 7, 0, 0);
  one.used.cpu = minutes(3), one.used.cpu_seen = minutes(1), one.used.mem_peak = Bytes{500};
  other.used.cpu = minutes(1), other.used.cpu_seen = minutes(1), other.used.mem_peak = Bytes{300};
  ASSERT_TRUE((*db)->add({one, other}));
  auto sum = (*db)->of_job({7, 0}, 0, 99 * 3600).value();
  EXPECT_EQ(sum.cpu_us, Duration(minutes(4)).count());
  EXPECT_EQ(sum.cpu_seen_us, Duration(minutes(2)).count());
  EXPECT_EQ(sum.mem_peak, 500);
  ASSERT_TRUE((*db)->add(HostMeterRow{36'000, "h1", 60'000'000, 12'000}));
  ASSERT_TRUE((*db)->add(HostMeterRow{36'000, "h1", 60'000'000, 3'000}));
  EXPECT_EQ((*db)->host_energy(0, 99 * 3600).value(), 15'000);
  EXPECT_EQ((*db)->host_energy(0, 3600).value(), 0);
}

// As version 1 left it.
TEST(meter_db, a_file_of_version_1_keeps_its_rows) {
  test::ScratchDir dir;
  {
    auto old = Connection::open({.path = dir.path() + "/meter.db"});
    ASSERT_TRUE((*old)->exec(
        "CREATE TABLE task_meter (job INTEGER NOT NULL, idx INTEGER NOT NULL,"
        "  attempt INTEGER NOT NULL, task INTEGER NOT NULL, hour INTEGER NOT NULL,"
        "  host TEXT NOT NULL, seen_us INTEGER NOT NULL, busy_us INTEGER NOT NULL,"
        "  energy_mj INTEGER NOT NULL, PRIMARY KEY (job, idx, attempt, task, hour)) WITHOUT ROWID;"
        "CREATE INDEX task_meter_by_hour ON task_meter (hour);"
        "INSERT INTO task_meter VALUES (7, 0, 1, 1, 36000, 'h1', 60, 30, 5);"
        "PRAGMA application_id = 1464692084; PRAGMA user_version = 1;"));
  }
  auto db = MeterDb::open(dir.path());
  ASSERT_TRUE(db) << db.error().text;
  ASSERT_TRUE((*db)->add({row(10, 7, 1, 1)}));
  EXPECT_EQ((*db)->total(0, 99 * 3600)->busy_us, 30 + Duration(minutes(1)).count());
}

TEST(meter_db, what_plans_asked_for_adds_up_and_is_forgotten) {
  test::ScratchDir dir;
  auto db = MeterDb::open(dir.path());
  ASSERT_TRUE(db) << db.error().text;
  PlanMeterRow row{3600, "/a", false, {60'000, 8 * 60'000, 4 * 60'000, 2 * 60'000}};
  auto later = row;
  later.hour = 7200;
  ASSERT_TRUE((*db)->add({row, row, later}));
  auto plans = (*db)->plans(0, 7200).value();
  ASSERT_EQ(plans.size(), 1u);
  EXPECT_EQ(plans["/a"].used, (PlanMeter{120'000, 16 * 60'000, 8 * 60'000, 4 * 60'000}));
  ASSERT_TRUE((*db)->forget(7200));
  EXPECT_TRUE((*db)->plans(0, 7200)->empty());
  EXPECT_EQ((*db)->plans(0, 9000)->size(), 1u);
}

TEST(meter_db, adds_up_by_the_hour_and_tells_idle_hours_apart) {
  test::ScratchDir dir;
  EXPECT_EQ(MeterDb::read(dir.path()).value(), nullptr);
  auto db = MeterDb::open(dir.path());
  ASSERT_TRUE(db) << db.error().text;
  ASSERT_TRUE(
      (*db)->add({row(10, 7, 30, 20), row(10, 7, 30, 10), row(11, 7, 60, 0), row(11, 8, 60, 60)}));
  auto reader = MeterDb::read(dir.path());
  ASSERT_TRUE(reader && *reader);
  auto sum = (*reader)->of_job({7, 0}, 0, 99 * 3600).value();
  EXPECT_EQ(sum.seen_us, Duration(minutes(120)).count());
  EXPECT_EQ(sum.busy_us, Duration(minutes(30)).count());
  EXPECT_EQ(sum.idle_us, Duration(minutes(60)).count());
  EXPECT_EQ(sum.energy_mj, 15);
  EXPECT_EQ((*reader)->total(11 * 3600, 12 * 3600).value().seen_us, Duration(minutes(120)).count());
  ASSERT_TRUE((*db)->forget(11 * 3600));
  EXPECT_EQ((*reader)->total(0, 11 * 3600).value().seen_us, 0);
}

TEST(meter_db, what_is_none_is_refused) {
  test::ScratchDir dir;
  std::ofstream(dir.path() + "/meter.db") << std::string(8192, 'x');
  EXPECT_FALSE(MeterDb::read(dir.path()));
  EXPECT_FALSE(MeterDb::open(dir.path()));
}

}  // namespace
}  // namespace wm::store
