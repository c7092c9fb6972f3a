// What wmreport roll removes from report_dir: old pages of its own, and nothing that others have
// put there, whatever it is called and wherever it leads.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>

#include "commands/report/old_pages.h"
#include "test/support/folder.h"

namespace wm::cmd {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kOldest = 1'700'000'000;

/// A report_dir with files of some age in it.
class Pages {
 public:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  void put(const std::string& name, std::int64_t written) {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << "x";
    age(name, written);
  }
  void age(const std::string& name, std::int64_t written) {
    timespec times[2] = {{written, 0}, {written, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, path(name).c_str(), times, AT_SYMLINK_NOFOLLOW), 0) << name;
  }
  void put_old(const std::string& name) { put(name, kOldest - 10); }
  bool has(const std::string& name) const {
    return fs::symlink_status(path(name)).type() != fs::file_type::not_found;
  }
  std::size_t roll() { return remove_old_pages(path("reports"), kOldest); }

 private:
  test::OwnFolder folder_;
};

TEST(old_pages, names_of_reports_are_known) {
  for (const char* name :
       {"day-2026-10-25.html", "day-2026-10-25.json", "week-2026-W43.txt", "month-2026-10.html",
        "day-2026-10-25-util.csv", "week-2026-W43-ann.html", "week-2026-W43-ann-mine.csv",
        "month-2026-10-_physics_optics.json", "month-2026-10-_physics-balance.csv",
        "day-2026-10-25..2026-10-26.html", "week-2026-10-25_14_30..2026-10-26T08_00-util.csv",
        ".day-2026-10-25.html.new.4711.0"})
    EXPECT_TRUE(is_page_name(name)) << name;
}

TEST(old_pages, other_names_are_not) {
  for (const char* name :
       {"", ".", "notes.txt", "day-2026-10-25", "day-2026-10-25.", "day-2026-10-25.csv",
        "day-2026-10-25-.html", "day-2026-10.html", "day-2026-W43.html", "week-2026-10-25.html",
        "month-2026-10x.html", "day-2026-10-25.html.gz", "day-2026-10-25.pdf",
        "day-2026-10-25~.html", "day-2026-10-25-a b.html", "my-day-2026-10-25.html",
        "Day-2026-10-25.html",
        "day-2026-10-25..x.html", ".day-2026-10-25.html.swp", "x.day-2026-10-25.html.new.1.0",
        ".notes.new.4711.0", "mail-ann-day-2026-10-25.eml"})
    EXPECT_FALSE(is_page_name(name)) << name;
}

TEST(old_pages, old_ones_go_and_new_ones_stay) {
  Pages pages;
  for (const char* name :
       {"day-2023-10-25.html", "day-2023-10-25-util.csv", "week-2023-W43-ann.json"})
    pages.put_old(std::string("reports/2023/10/") + name);
  pages.put("reports/2023/10/day-2023-10-26.html", kOldest);
  EXPECT_EQ(pages.roll(), 3U);
  EXPECT_FALSE(pages.has("reports/2023/10/day-2023-10-25.html"));
  EXPECT_TRUE(pages.has("reports/2023/10/day-2023-10-26.html"));
  EXPECT_EQ(pages.roll(), 0U);
}

TEST(old_pages, what_others_have_there_stays) {
  Pages pages;
  std::set<std::string> planted = {"reports/thesis.txt",
                                   "reports/2023/10/thesis.txt",
                                   "reports/2023/10/.hidden",
                                   "reports/day-2023-10-25.html",
                                   "reports/2023/day-2023-10-25.html",
                                   "reports/mine/10/day-2023-10-25.html",
                                   "reports/2023/ten/day-2023-10-25.html",
                                   "reports/2023/10/sub/day-2023-10-25.html",
                                   "reports/20231/10/day-2023-10-25.html",
                                   "reports/2023/10/day-2023-10-24.html/inside"};
  for (const auto& name : planted) pages.put_old(name);
  EXPECT_EQ(pages.roll(), 0U);
  for (const auto& name : planted) EXPECT_TRUE(pages.has(name)) << name;
}

TEST(old_pages, links_are_neither_followed_nor_removed) {
  Pages pages;
  pages.put_old("else/10/day-2023-10-25.html");
  pages.put_old("else/day-2023-10-25.html");
  pages.put_old("reports/2023/10/week-2023-W43.html");
  fs::create_directory_symlink(pages.path("else"), pages.path("reports/2022"));
  fs::create_directory_symlink(pages.path("else"), pages.path("reports/2023/11"));
  auto link = pages.path("reports/2023/10/day-2023-10-25.html");
  fs::create_symlink(pages.path("else/day-2023-10-25.html"), link);
  pages.age("reports/2023/10/day-2023-10-25.html", kOldest - 10);
  EXPECT_EQ(pages.roll(), 1U);
  EXPECT_TRUE(pages.has("else/10/day-2023-10-25.html"));
  EXPECT_TRUE(pages.has("else/day-2023-10-25.html"));
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST(old_pages, report_dir_itself_may_be_a_link_or_missing) {
  Pages pages;
  EXPECT_EQ(pages.roll(), 0U);
  pages.put_old("disk/2023/10/day-2023-10-25.html");
  fs::create_directory_symlink(pages.path("disk"), pages.path("reports"));
  EXPECT_EQ(pages.roll(), 1U);
}

TEST(old_pages, files_of_other_accounts_and_what_is_no_file_stay) {
  Pages pages;
  pages.put_old("reports/2023/10/day-2023-10-25.html");
  auto pipe = pages.path("reports/2023/10/day-2023-10-26.html");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  pages.age("reports/2023/10/day-2023-10-26.html", kOldest - 10);
  auto page = pages.path("reports/2023/10/day-2023-10-25.html");
  bool given = ::chown(page.c_str(), 65534, 65534) == 0;
  EXPECT_EQ(pages.roll(), given ? 0U : 1U);  // only root can give one away
  EXPECT_TRUE(fs::is_fifo(pipe));
}

}  // namespace
}  // namespace wm::cmd
