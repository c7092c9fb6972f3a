// Folders of one user's below a folder that all share.
#include "libwm/proc/own_folders.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "test/support/folder.h"

namespace wm::proc {
namespace {

namespace fs = std::filesystem;

class OwnFolders : public ::testing::Test {
 protected:
  OwnFolders() {
    root_ = wm::test::made_folder();
    ::chmod(root_.c_str(), 01777);
  }
  ~OwnFolders() override { fs::remove_all(root_); }

  Result<void> make() const {
    return make_own_folders(root_, root_ + "/ann/batchworkdir/12/log/1");
  }
  std::string why() const {
    auto made = make();
    return made ? "" : made.error().text;
  }
  std::string root_;
};

TEST_F(OwnFolders, are_made_so_that_nobody_else_writes_there) {
  auto before = ::umask(0);
  EXPECT_EQ(why(), "");
  EXPECT_EQ(why(), "") << "again";
  ::umask(before);
  struct stat is {};
  ASSERT_EQ(::stat((root_ + "/ann/batchworkdir/12/log/1").c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777, 0755u);
}

TEST_F(OwnFolders, a_link_in_the_way_is_refused) {
  fs::create_directory(root_ + "/mallory");
  fs::create_directory_symlink(root_ + "/mallory", root_ + "/ann");
  EXPECT_EQ(why(), "results folder " + root_ + "/ann is a link or a file: remove it");
  EXPECT_TRUE(fs::is_empty(root_ + "/mallory"));
}

TEST_F(OwnFolders, a_folder_that_others_may_write_is_refused_also_deep_down) {
  fs::create_directories(root_ + "/ann/batchworkdir/12");
  ::chmod((root_ + "/ann/batchworkdir/12").c_str(), 0777);
  EXPECT_EQ(make().error().code, Code::Denied);
  ::chmod((root_ + "/ann/batchworkdir/12").c_str(), 0755);
  EXPECT_EQ(why(), "");
}

TEST_F(OwnFolders, somebody_elses_folder_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  fs::create_directory(root_ + "/ann");
  ASSERT_EQ(::chown((root_ + "/ann").c_str(), 65534, 65534), 0);
  EXPECT_NE(why().find("belongs to uid 65534"), std::string::npos) << why();
}

TEST_F(OwnFolders, a_shared_folder_without_the_sticky_bit_is_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  ASSERT_EQ(::chown(root_.c_str(), 65534, 65534), 0);
  ::chmod(root_.c_str(), 0777);
  EXPECT_NE(why().find("sticky"), std::string::npos) << why();
}

}  // namespace
}  // namespace wm::proc
