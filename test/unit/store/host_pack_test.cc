// Hours of hosts as bytes: whole again, refused when cut; and a file of before becomes so.
#include "libwm/store/report/host_pack.h"

#include <gtest/gtest.h>

#include <random>

#include "libwm/store/report/report_db.h"
#include "libwm/store/report/report_schema.h"
#include "test/support/store_files.h"

namespace wm::store {
namespace {

using report::Use;

std::vector<HostUse> random_hour(unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<HostUse> rows;
  std::uint32_t host = 0;
  for (int i = 0; i < 50; ++i) {
    host += 1 + static_cast<std::uint32_t>(random() % 300);
    for (auto use : {Use::Held, Use::Stuck, Use::Idle, Use::Over}) {
      if (random() % 2) continue;
      auto slots = static_cast<std::int64_t>(random() % 400'000'000);
      HostUse row{host, use, {slots, slots * 1000, 0, 0, 0}};
      if (random() % 3 == 0) row.amounts.cpu_mms += static_cast<std::int64_t>(random() % 99);
      if (random() % 2) row.amounts.gpu_mms = static_cast<std::int64_t>(random() >> 8);
      row.amounts.gpueq_mms = row.amounts.gpu_mms / static_cast<std::int64_t>(1 + random() % 2);
      rows.push_back(row);
    }
  }
  return rows;
}

TEST(hours_of_hosts, are_whole_again) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    auto rows = random_hour(seed);
    auto again = unpack_hosts(pack_hosts(rows));
    ASSERT_TRUE(again) << seed;
    EXPECT_EQ(*again, rows) << seed;
  }
}

TEST(hours_of_hosts, take_a_few_bytes_each) {
  std::vector<HostUse> rows;
  for (std::uint32_t host = 1; host <= 1000; ++host) {
    rows.push_back({host, Use::Held, {3'600'000 * 40, 3'600'000'000 * 40, 0, 0, 0}});
    rows.push_back({host, Use::Idle, {3'600'000 * 24, 3'600'000'000 * 24, 0, 0, 0}});
  }
  EXPECT_LT(pack_hosts(rows).size(), 2000u * 7);
}

TEST(hours_of_hosts, that_are_cut_are_refused_or_fewer) {
  auto rows = random_hour(7);
  auto bytes = pack_hosts(rows);
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    auto part = unpack_hosts(std::string_view(bytes).substr(0, n));
    EXPECT_LT(part ? part->size() : 0, rows.size());
  }
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    auto other = bytes;
    other[n] = static_cast<char>(other[n] ^ 0x5a);
    (void)unpack_hosts(other);  // whatever it says, it says it
  }
}

TEST(hours_of_hosts, of_a_file_of_version_1_are_kept) {
  test::ScratchDir dir;
  {
    OpenOptions options;
    options.path = dir.path() + "/report.db";
    auto db = Connection::open(options);
    ASSERT_TRUE(db);
    ASSERT_TRUE((*db)->exec(kReportSchema.steps[0]));
    ASSERT_TRUE((*db)->exec(
        "PRAGMA user_version = 1; UPDATE meta SET zone = 'UTC';"
        "INSERT INTO host VALUES (1, 'h1'), (2, 'h2'); INSERT INTO hour VALUES (0, 3600000, 1);"
        "INSERT INTO host_hour VALUES (0, 1, 0, 5, 5000, 7, 7), (0, 2, 9, 6, 60, 0, 0),"
        " (0, 1, 9, 1, 1000, 0, 0)"));
    ASSERT_TRUE(
        (*db)->exec("PRAGMA application_id = " + std::to_string(kReportSchema.application_id)));
  }
  for (int again = 0; again < 2; ++again) {
    auto db = ReportDb::open(dir.path(), "UTC");
    ASSERT_TRUE(db) << db.error().text;
    auto hosts = (*db)->hosts(0, 3'600'000);
    ASSERT_TRUE(hosts);
    EXPECT_EQ((*hosts)["h1"][Use::Held], (report::Amounts{5, 5000, 7, 7, 0}));
    EXPECT_EQ((*hosts)["h2"][Use::Idle].cpu_mms, 60);
    EXPECT_EQ((*db)->totals(0, 3'600'000).value()[Use::Idle].slot_ms, 7);
  }
}

}  // namespace
}  // namespace wm::store
