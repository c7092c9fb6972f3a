// Role: which wuserd a guest may have started: those of users who share something with the guest,
// by name or by group, and nobody else's.
#include "daemons/wlogind/shared_agents.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "libwm/base/clock.h"
#include "libwm/files/fd.h"
#include "libwm/files/whole_file.h"
#include "test/support/folder.h"

namespace wm::login {
namespace {

TEST(shares, a_line_names_an_account_or_a_group) {
  const std::string text = "bob\n@vision\n";
  EXPECT_TRUE(shares_name(text, "bob", {}));
  EXPECT_TRUE(shares_name(text, "eve", {"users", "vision"}));
  EXPECT_FALSE(shares_name(text, "eve", {"users"}));
  for (const char* user : {"", "bo", "bobby", "vision", "@vision", "bob\n@vision"})
    EXPECT_FALSE(shares_name(text, user, {})) << user;
  EXPECT_FALSE(shares_name("", "bob", {""})) << "a group without a name is none";
}

TEST(shares, who_is_named_nowhere_has_nothing_started) {
  test::OwnFolder own;
  proc::Account owner{"ann", own.path(), "/bin/sh", ::getuid(), ::getgid()};
  proc::Account guest{"bob", "/", "/bin/sh", ::getuid(), ::getgid()};
  AgentPlan plan{"/bin/false", "/etc/wm", own.path(), "wm-web", ::getuid(), own.path(), {}, ""};
  std::filesystem::create_directories(own.path() + "/ann");
  for (const char* text : {"", "eve\n"}) {
    ASSERT_TRUE(replace_file(own.path() + "/ann/shares", text, 0600));
    auto started = start_for_guest(owner, guest, plan);
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().code, Code::Denied);
    EXPECT_EQ(started.error().text, "ann shares nothing with this account");
  }
  EXPECT_FALSE(std::filesystem::exists(own.path() + "/" + std::to_string(::getuid()) + ".sock"));
}

/// An owner who shares with bob; the owner's wuserd is a program that ends at once.
struct SharingDesk {
  SharingDesk() {
    std::filesystem::create_directories(own.path() + "/ann");
    EXPECT_TRUE(replace_file(own.path() + "/ann/shares", "bob\n", 0600));
  }
  Result<void> start() { return start_for_guest(owner, guest, plan); }
  /// Until what was started has ended.
  void reap() {
    while (::waitpid(-1, nullptr, 0) > 0) {
    }
  }
  /// As if it had been started so long ago.
  void age(std::int64_t seconds) {
    timespec times[2] = {{now_s() - seconds, 0}, {now_s() - seconds, 0}};
    auto mark = own.path() + "/" + std::to_string(owner.uid) + ".shared";
    EXPECT_EQ(::utimensat(AT_FDCWD, mark.c_str(), times, 0), 0);
  }
  test::OwnFolder own;
  proc::Account owner{"ann", own.path(), "/bin/sh", ::getuid(), ::getgid()};
  proc::Account guest{"bob", "/", "/bin/sh", ::getuid(), ::getgid()};
  AgentPlan plan{"/bin/true", "/etc/wm",  own.path(), "wm-web",
                 ::getuid(),  own.path(), {},         own.path()};
};

TEST(shares, who_is_named_has_it_started_and_once_a_minute_at_most) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  SharingDesk desk;
  ASSERT_TRUE(desk.start());
  EXPECT_TRUE(
      std::filesystem::exists(desk.own.path() + "/" + std::to_string(::getuid()) + ".sock"));
  desk.reap();
  auto again = desk.start();
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::Limit);
  desk.age(30);
  EXPECT_FALSE(desk.start());
  desk.age(90);
  EXPECT_TRUE(desk.start());
  desk.reap();
}

TEST(shares, one_that_runs_is_not_started_and_no_pace_is_kept) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  SharingDesk desk;
  auto lock = desk.own.path() + "/" + std::to_string(::getuid()) + ".lock";
  Fd held(::open(lock.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(held.get(), LOCK_EX), 0);
  EXPECT_TRUE(desk.start());
  EXPECT_TRUE(desk.start());
  EXPECT_FALSE(
      std::filesystem::exists(desk.own.path() + "/" + std::to_string(::getuid()) + ".shared"));
}

}  // namespace
}  // namespace wm::login
