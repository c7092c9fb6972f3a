// meter.db: what tasks used of their GPUs, by the hour; none where nobody measured.
#include "libwm/store/meter_db.h"

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
