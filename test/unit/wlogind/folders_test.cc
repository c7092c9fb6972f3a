// Role: wlogind's folders: which account they have to be of, and how keys of an earlier version
// move.
#include "daemons/wlogind/folders.h"

#include <gtest/gtest.h>
#include <sodium.h>
#include <sys/stat.h>

#include <filesystem>

#include "libwm/files/whole_file.h"
#include "libwm/http/token_files.h"
#include "test/support/folder.h"

namespace wm::login {
namespace {

namespace fs = std::filesystem;

class login_folders : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_GE(sodium_init(), 0); }
  test::OwnFolder own_;
  std::string run_ = own_.path() + "/run", state_ = own_.path() + "/state";
};

TEST_F(login_folders, one_below_a_folder_that_others_can_change_is_refused) {
  auto open = own_.path() + "/open";
  fs::create_directory(open);
  ASSERT_EQ(::chmod(open.c_str(), 0777), 0);
  auto made = own_folders(open + "/login", open + "/login");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::Denied);
  ASSERT_EQ(::chmod(open.c_str(), 0755), 0);
  EXPECT_TRUE(own_folders(open + "/login", open + "/login"));
}

TEST_F(login_folders, one_that_others_may_write_or_that_is_a_link_is_refused) {
  fs::create_directory(run_);
  ASSERT_EQ(::chmod(run_.c_str(), 0777), 0);
  EXPECT_FALSE(own_folders(run_, run_));
  fs::create_directory(own_.path() + "/other");
  fs::create_symlink(own_.path() + "/other", own_.path() + "/link");
  EXPECT_FALSE(own_folders(own_.path() + "/link", own_.path() + "/link"));
}

TEST_F(login_folders, everybody_may_pass_through_and_nobody_may_look) {
  ASSERT_TRUE(own_folders(run_, state_));
  for (const auto& path : {run_, state_})
    EXPECT_EQ(fs::status(path).permissions(), static_cast<fs::perms>(0711)) << path;
}

TEST_F(login_folders, the_keys_outlive_the_folder_of_sockets) {
  ASSERT_TRUE(own_folders(run_, state_));
  auto first = http::own_token_keys(run_);
  ASSERT_TRUE(first) << first.error().text;
  fs::remove_all(run_);  // the machine starts anew
  ASSERT_TRUE(own_folders(run_, state_));
  auto again = http::own_token_keys(run_);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_EQ(first->open, again->open) << "who was logged on still is";
  EXPECT_EQ(fs::status(state_ + "/token.seed").permissions(), static_cast<fs::perms>(0600));
}

TEST_F(login_folders, keys_that_are_changed_by_the_folders_name_are_changed_where_they_lie) {
  ASSERT_TRUE(own_folders(run_, state_));
  auto first = http::own_token_keys(run_);
  ASSERT_TRUE(first);
  ASSERT_TRUE(http::change_token_keys(run_, 2000, 1000));
  fs::remove_all(run_);
  ASSERT_TRUE(own_folders(run_, state_));
  auto changed = http::own_token_keys(run_);
  ASSERT_TRUE(changed);
  EXPECT_NE(first->open, changed->open);
  EXPECT_EQ(http::PublicKeys::open(run_ + "/token.pub").value()->good(1000).size(), 2u);
}

TEST_F(login_folders, keys_of_an_earlier_version_move_once) {
  ASSERT_TRUE(own_folders(run_, run_));
  auto before = http::own_token_keys(run_);
  ASSERT_TRUE(before);
  ASSERT_TRUE(own_folders(run_, state_));
  EXPECT_TRUE(fs::is_symlink(run_ + "/token.seed"));
  EXPECT_EQ(http::own_token_keys(run_)->open, before->open);
  EXPECT_EQ(http::own_token_keys(state_)->open, before->open);
}

TEST_F(login_folders, a_link_that_leads_elsewhere_is_set_right) {
  ASSERT_TRUE(own_folders(run_, state_));
  auto other = own_.path() + "/other";
  ASSERT_TRUE(replace_file(other, "another's key", 0600));
  fs::remove(run_ + "/token.seed");
  fs::create_symlink(other, run_ + "/token.seed");
  ASSERT_TRUE(own_folders(run_, state_));
  EXPECT_EQ(fs::read_symlink(run_ + "/token.seed"), state_ + "/token.seed");
  EXPECT_TRUE(fs::exists(other)) << "the link alone goes";
}

}  // namespace
}  // namespace wm::login
