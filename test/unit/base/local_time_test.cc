// Instants as people read them, in a zone with summer time, one without, and on both sides of 1970.
#include "libwm/base/local_time.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace wm {
namespace {

constexpr const char* kAll = "%Y-%m-%d %H:%M:%S %z";

class local_time : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const char* zone = std::getenv("TZ")) before_ = zone;
  }
  void TearDown() override {
    if (before_.empty()) ::unsetenv("TZ");
    else ::setenv("TZ", before_.c_str(), 1);
    ::tzset();
  }
  void in(const char* zone) {
    ::setenv("TZ", zone, 1);
    ::tzset();
  }

 private:
  std::string before_;
};

WallTime at(std::int64_t seconds) { return WallTime(std::chrono::seconds(seconds)); }

TEST_F(local_time, is_that_of_the_zone) {
  in("UTC0");
  EXPECT_EQ(local_text(at(0), kAll), "1970-01-01 00:00:00 +0000");
  EXPECT_EQ(local_text(at(1795765446), "%a %b %e %H:%M:%S %Y"), "Fri Nov 27 07:44:06 2026");
  in("CET-1CEST,M3.5.0,M10.5.0/3");
  EXPECT_EQ(local_text(at(1774745999), kAll), "2026-03-29 01:59:59 +0100");
  EXPECT_EQ(local_text(at(1774746000), kAll), "2026-03-29 03:00:00 +0200") << "summer begins";
  EXPECT_EQ(local_parts(at(1774746000)).tm_gmtoff, 7200);
}

TEST_F(local_time, a_part_of_a_second_is_of_the_second_it_is_in) {
  in("UTC0");
  EXPECT_EQ(local_text(at(10) - Duration(1), kAll), "1970-01-01 00:00:09 +0000");
  EXPECT_EQ(local_text(at(0) - Duration(1), kAll), "1969-12-31 23:59:59 +0000");
}

TEST_F(local_time, parts_are_those_of_the_calendar) {
  in("UTC0");
  auto parts = local_parts(at(1795765446));
  EXPECT_EQ(parts.tm_year, 126);
  EXPECT_EQ(parts.tm_mon, 10);
  EXPECT_EQ(parts.tm_mday, 27);
  EXPECT_EQ(parts.tm_hour, 7);
}

TEST_F(local_time, a_text_that_is_too_long_is_none) {
  EXPECT_EQ(local_text(at(0), std::string(200, 'x').c_str()), "");
  EXPECT_EQ(local_text(at(0), ""), "");
}

}  // namespace
}  // namespace wm
