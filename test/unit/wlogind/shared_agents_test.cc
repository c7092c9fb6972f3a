// Role: which wuserd a guest may have started: those of users who share something with the guest,
// by name or by group, and nobody else's.
#include "daemons/wlogind/shared_agents.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

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

}  // namespace
}  // namespace wm::login
