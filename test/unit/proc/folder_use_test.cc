// How much lies below a folder, and what is not looked at.
#include "libwm/proc/folder_use.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libwm/files/fd.h"
#include "test/support/folder.h"

namespace wm::proc {
namespace {

namespace fs = std::filesystem;
using More = FolderUse::More;

constexpr Bytes kMuch{1LL << 40};

class folder_use_of : public ::testing::Test {
 protected:
  void write(const std::string& name, std::size_t size) {
    fs::create_directories(fs::path(path(name)).parent_path());
    std::ofstream(path(name)) << std::string(size, 'x');
  }
  std::string path(const std::string& name) const { return own_.path() + "/top/" + name; }
  FolderUse look(Bytes enough = kMuch) const { return folder_use(own_.path() + "/top", enough); }
  test::OwnFolder own_;
};

TEST_F(folder_use_of, files_count_by_what_they_take_however_deep_they_are) {
  write("a", 100'000);
  write("b/c/d", 200'000);
  auto use = look();
  EXPECT_EQ(use.more, More::None);
  EXPECT_EQ(use.names, 4u);
  EXPECT_GE(use.size.value, 300'000);
  EXPECT_LT(use.size.value, 400'000);
}

TEST_F(folder_use_of, an_empty_file_takes_a_name_and_a_hole_takes_nothing) {
  for (int i = 0; i < 50; ++i) write("n" + std::to_string(i), 0);
  ASSERT_EQ(::truncate(path("n0").c_str(), 1L << 33), 0);
  auto use = look();
  EXPECT_GE(use.size.value, 50 * 1024);
  EXPECT_LT(use.size.value, 1 << 20);
}

TEST_F(folder_use_of, a_file_of_several_names_counts_once) {
  write("a", 1'000'000);
  for (int i = 0; i < 9; ++i)
    ASSERT_EQ(::link(path("a").c_str(), path("l" + std::to_string(i)).c_str()), 0);
  EXPECT_LT(look().size.value, 1'100'000);
}

TEST_F(folder_use_of, no_link_leads_out_of_it) {
  write("a", 10);
  fs::create_directories(own_.path() + "/other");
  std::ofstream(own_.path() + "/other/big") << std::string(5'000'000, 'x');
  fs::create_symlink(own_.path() + "/other", path("link"));
  fs::create_symlink(own_.path() + "/other/big", path("file"));
  EXPECT_LT(look().size.value, 100'000);
  fs::create_symlink(own_.path() + "/other", own_.path() + "/itself");
  EXPECT_EQ(folder_use(own_.path() + "/itself", kMuch).names, 0u);
}

TEST_F(folder_use_of, more_than_enough_is_not_looked_through) {
  for (int i = 0; i < 100; ++i) write("n" + std::to_string(i), 10'000);
  auto use = look(Bytes{50'000});
  EXPECT_EQ(use.more, More::Size);
  EXPECT_LT(use.names, 20u);
  EXPECT_GT(use.size.value, 50'000);
}

TEST_F(folder_use_of, what_is_too_deep_to_be_looked_at_is_told) {
  write("a", 1);
  std::string down = own_.path() + "/top";
  for (int i = 0; i < kDeepestFolder; ++i) down += "/d", ::mkdir(down.c_str(), 0700);
  EXPECT_EQ(look().more, More::None);
  ::mkdir((down + "/d").c_str(), 0700);
  EXPECT_EQ(look().more, More::Depth);
}

TEST_F(folder_use_of, very_many_names_are_too_many) {
  fs::create_directories(own_.path() + "/top");
  Fd folder(::open((own_.path() + "/top").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (std::uint32_t i = 0; i <= kMostNames; ++i)
    ASSERT_EQ(::symlinkat("x", folder.get(), std::to_string(i).c_str()), 0);
  EXPECT_EQ(look().more, More::Names);
}

TEST_F(folder_use_of, what_is_not_there_has_nothing) { EXPECT_EQ(look().names, 0u); }

}  // namespace
}  // namespace wm::proc
