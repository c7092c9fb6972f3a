// Role: what wmasterd does before it reads its state: account, folders, an earlier version's state.
#include "daemons/wmasterd/rim/begin.h"

#include <gtest/gtest.h>
#include <pwd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "test/support/store_files.h"

namespace wm::master {
namespace {

namespace fs = std::filesystem;

// The exit code of `body` in a child, which may change its account.
template <class Body>
int in_child(Body body) {
  auto child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

class begin : public ::testing::Test {
 protected:
  void SetUp() override { fs::permissions(dir_.path(), fs::perms{0755}); }
  conf::MasterFolders folders() const { return {dir_.path() + "/s/master", dir_.path() + "/l/m"}; }
  test::ScratchDir dir_;
};

TEST_F(begin, as_root_it_makes_its_folders_and_becomes_the_account) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  const passwd* nobody = ::getpwnam("nobody");
  ASSERT_TRUE(nobody);
  const auto uid = nobody->pw_uid;
  EXPECT_EQ(in_child([&] {
              if (!begin_as("nobody", folders())) return 1;
              if (::geteuid() != uid || ::getuid() != uid || ::setuid(0) == 0) return 2;
              std::ofstream(folders().state + "/core.db") << "x";
              return fs::exists(folders().state + "/core.db") ? 0 : 3;
            }),
            0);
  for (const auto& folder : {folders().state, folders().log}) {
    struct stat found {};
    ASSERT_EQ(::stat(folder.c_str(), &found), 0) << folder;
    EXPECT_EQ(found.st_uid, uid);
    EXPECT_EQ(found.st_mode & 0777, 0750u);
  }
}

TEST_F(begin, as_somebody_whom_clients_would_refuse_it_does_not_start) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  EXPECT_EQ(in_child([&] {
              if (::setuid(::getpwnam("nobody")->pw_uid) != 0) return 1;
              auto begun = begin_as("root", folders());
              if (begun) return 2;
              bool named = begun.error().text.find("'nobody'") != std::string::npos;
              return begun.error().code == Code::Denied && named ? 0 : 3;
            }),
            0);
  EXPECT_FALSE(fs::exists(folders().state));
}

TEST_F(begin, an_account_that_is_missing_is_named) {
  auto begun = begin_as("no-such-account", folders());
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().code, Code::NotFound);
  EXPECT_NE(begun.error().text.find("'no-such-account'"), std::string::npos);
}

TEST_F(begin, folders_that_are_there_keep_their_modes) {
  fs::create_directories(folders().state);
  fs::permissions(folders().state, fs::perms{0755});
  ASSERT_TRUE(begin_as("", folders()));
  EXPECT_EQ(fs::status(folders().state).permissions(), fs::perms{0755});
}

TEST_F(begin, the_state_of_an_earlier_version_is_not_passed_over) {
  fs::create_directories(folders().state);
  EXPECT_TRUE(check_state_place(dir_.path() + "/s", folders()));
  std::ofstream(dir_.path() + "/s/core.db") << "x";
  auto refused = check_state_place(dir_.path() + "/s", folders());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text.find("move core.db*"), std::string::npos);
  fs::rename(dir_.path() + "/s/core.db", folders().state + "/core.db");
  EXPECT_TRUE(check_state_place(dir_.path() + "/s", folders()));
}

}  // namespace
}  // namespace wm::master
