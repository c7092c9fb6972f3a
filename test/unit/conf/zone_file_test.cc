// Time zones of the system's database: the instants at which months begin, also years from now.
#include "libwm/conf/zone_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <time.h>

#include <fstream>

#include "libwm/conf/load.h"
#include "libwm/model/budget.h"
#include "test/support/store_files.h"

namespace wm::conf {
namespace {

// As the C library has it.
std::int64_t by_library(const char* zone, int year, int month) {
  ::setenv("TZ", zone, 1);
  ::tzset();
  std::tm date{};
  date.tm_year = year - 1900, date.tm_mon = month - 1, date.tm_mday = 1, date.tm_isdst = -1;
  return ::mktime(&date);
}

TEST(zone_file, months_begin_where_the_library_says) {
  for (const char* name : {"Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC",
                           "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Auckland"}) {
    auto zone = read_zone(name);
    ASSERT_TRUE(zone) << zone.error().text;
    for (int year : {2020, 2026, 2037, 2038, 2059})
      for (unsigned month = 1; month <= 12; ++month)
        EXPECT_EQ(report::instant(*zone, {year, month, 1}),
                  by_library(name, year, static_cast<int>(month)))
            << name << " " << year << "-" << month;
  }
}

TEST(zone_file, a_file_without_changes_to_come_goes_by_its_rule) {
  // version 2, no change, one type: an hour east; then the rule
  std::string part(44, '\0');
  part.replace(0, 5, "TZif2");
  part[39] = 1, part[43] = 4;  // types, chars
  std::string type = {0, 0, 14, 16, 0, 0};
  auto bytes = part + type + std::string("CET\0", 4) + part + type + std::string("CET\0", 4) +
               "\nCET-1CEST,M3.5.0,M10.5.0/3\n";
  auto zone = zone_of("slim", bytes);
  ASSERT_TRUE(zone) << zone.error().text;
  EXPECT_EQ(report::stamp(*zone, 1'792'890'000), "2026-10-25 02:00+01:00");  // the second time
  EXPECT_EQ(report::stamp(*zone, 1'792'886'400), "2026-10-25 02:00+02:00");
}

TEST(zone_file, what_is_none_is_refused) {
  EXPECT_FALSE(read_zone("Mars/Olympus"));
  EXPECT_FALSE(read_zone("../zoneinfo/UTC"));
  EXPECT_FALSE(zone_of("cut", "TZif2"));
  EXPECT_FALSE(zone_of("other", std::string(200, 'x')));
}

TEST(zone_file, budgets_go_by_the_calendar_of_reports) {
  test::ScratchDir dir;
  auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(dir.path() + "/" + name) << text;
  };
  write("wm.conf", "[cluster]\ncluster_name = c\n");
  write("budgets.conf", "[/]\ncpu_hours = 5\n");
  write("report.conf", "report_timezone = Pacific/Auckland\n");
  ::setenv("TZ", "UTC0", 1);
  ::tzset();
  auto config = load(dir.path(), "h");
  ASSERT_TRUE(config) << config.error().text;
  const auto& budget = config->budgets.list.at(0);
  auto november = WallTime(std::chrono::seconds(1'795'000'000));
  auto month = period_at(config->budgets, budget, november);
  EXPECT_EQ(month.from, WallTime(std::chrono::seconds(1'793'444'400)));  // 31 October 11:00 UTC
  write("report.conf", "report_timezone = Mars/Olympus\n");
  EXPECT_FALSE(load(dir.path(), "h"));
}

}  // namespace
}  // namespace wm::conf
