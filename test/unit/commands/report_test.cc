// What wmreport does with this machine: zones, its lock, files written whole, other programs.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "commands/report/place.h"
#include "test/support/golden_day.h"
#include "test/support/store_files.h"

namespace wm::cmd {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(zone, the_systems_database_says_when_clocks_change) {
  auto zone = zone_named("Europe/Berlin", test::kGoldenDay);
  ASSERT_TRUE(zone) << zone.error().text;
  for (std::int64_t s = 1767222000; s < 1798758000; s += 1800)  // 2026
    ASSERT_EQ(report::offset_at(*zone, s), report::offset_at(test::berlin(), s)) << s;
}

TEST(zone, what_is_no_zone_is_refused) {
  for (const char* name : {"Mars/Olympus", "../../etc/passwd", "/etc/passwd", "Europe"}) {
    auto zone = zone_named(name, 0);
    ASSERT_FALSE(zone) << name;
    EXPECT_NE(zone.error().text.find(name), std::string::npos);
  }
}

TEST(lock, the_second_is_told_who_holds_it) {
  test::ScratchDir dir;
  auto path = dir.path() + "/lock";
  auto first = Lock::take(path, {});
  ASSERT_TRUE(first);
  auto second = Lock::take(path, milliseconds(60));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::Conflict);
  EXPECT_NE(second.error().text.find("another wmreport (pid "), std::string::npos);
  first->reset();
  EXPECT_TRUE(Lock::take(path, {}));
}

TEST(file, is_written_whole_with_its_mode_or_stays) {
  test::ScratchDir dir;
  auto path = dir.path() + "/a/b/page.html";
  ASSERT_TRUE(write_file(path, "old", 0640));
  ASSERT_TRUE(write_file(path, "new", 0600));
  EXPECT_EQ(text_of(path), "new");
  struct stat st {};
  ASSERT_EQ(::stat(path.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
  EXPECT_FALSE(write_file(path + "/c", "x", 0600));  // its folder is a file
  EXPECT_EQ(text_of(path), "new");
}

}  // namespace
}  // namespace wm::cmd
