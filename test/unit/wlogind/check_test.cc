// Role: which log-on is asked about at all.
#include "daemons/wlogind/check.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "libwm/base/clock.h"
#include "libwm/login/api_keys.h"
#include "test/support/folder.h"
#include "test/unit/wlogind/pam_desk.h"

namespace wm::login {
namespace {

TEST(find_account, names_that_none_has_root_and_strangers_get_one_refusal) {
  auto none = find_account("nobody-of-that-name");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::Denied);
  for (const char* name : {"", "-x", "root", "a b", "a\nb", "a/b", "../x", "\x1b[2J"}) {
    auto found = find_account(name);
    ASSERT_FALSE(found) << name;
    EXPECT_EQ(found.error(), none.error()) << name;
  }
}

TEST(find_account, an_account_of_the_system_is_found) {
  auto found = find_account("daemon");
  ASSERT_TRUE(found);
  EXPECT_NE(found->uid, 0u);
}

TEST(check_secret, without_an_account_a_key_and_no_secret_are_refused_in_the_same_words) {
  auto key = check_secret(std::nullopt, "wmkey_abc", {"wm", ""});
  auto none = check_secret(std::nullopt, "", {"wm", ""});
  ASSERT_FALSE(key);
  ASSERT_FALSE(none);
  EXPECT_EQ(key.error(), none.error());
  EXPECT_EQ(key.error().code, Code::Denied);
}

/// An account of the system with a home of the test's, in which there is one key. Root only: who is
/// asked becomes that account.
struct KeyHome {
  KeyHome() : account(proc::account("daemon").value()) {
    ::chmod(folder.path().c_str(), 0755);
    account.home = folder.path() + "/home";
    for (const char* below : {"", "/.config", "/.config/wm"}) own(account.home + below, 0700, true);
    write("read,inference", 0, 0600);
  }
  void own(const std::string& path, mode_t mode, bool make) {
    if (make) std::filesystem::create_directory(path);
    EXPECT_EQ(::chown(path.c_str(), account.uid, account.gid), 0);
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
  }
  void write(const std::string& scopes, std::int64_t expires, mode_t mode) {
    auto file = account.home + "/.config/wm/keys";
    rest::ApiKey key{"laptop", rest::key_hash(secret), scopes, 1,
                     expires ? expires : now_s() + 600};
    std::ofstream(file) << rest::to_text({key});
    own(file, mode, false);
  }
  Result<Grant> shown(const std::string& what) const {
    return check_secret(account, what, pam.service);
  }
  PamDesk pam;
  test::OwnFolder folder;
  proc::Account account;
  std::string secret = rest::key_secret(std::string(32, 'k'));
};

TEST(check_secret, a_key_of_the_accounts_own_file_gives_what_it_says_and_another_one_nothing) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  KeyHome home;
  auto grant = home.shown(home.secret);
  ASSERT_TRUE(grant);
  EXPECT_EQ(grant->scopes, "read,inference");
  EXPECT_FALSE(home.shown(rest::key_secret(std::string(32, 'x'))));
  home.write("read", now_s() - 1, 0600);
  EXPECT_FALSE(home.shown(home.secret)) << "it has expired";
  home.write("read", 0, 0666);
  EXPECT_FALSE(home.shown(home.secret)) << "others can write the file";
  home.write("read", 0, 0600);
  EXPECT_TRUE(home.shown(home.secret));
  auto file = home.account.home + "/.config/wm/keys";
  EXPECT_EQ(::chown(file.c_str(), 65534, 65534), 0);
  EXPECT_FALSE(home.shown(home.secret)) << "the file is another's";
  std::filesystem::remove(file);
  EXPECT_FALSE(home.shown(home.secret));
  EXPECT_EQ(home.pam.asked(), "") << "a key is no password";
}

TEST(check_secret, a_key_of_an_account_that_may_not_log_on_gives_nothing) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  KeyHome home;
  EXPECT_TRUE(is_usable(home.account, home.pam.service));
  home.pam.write("pam_deny.so");
  EXPECT_FALSE(home.shown(home.secret));
  EXPECT_FALSE(is_usable(home.account, home.pam.service));
}

TEST(check_secret, keys_are_read_as_the_account_whatever_root_may_read) {
  if (::geteuid() != 0) GTEST_SKIP() << "not root";
  KeyHome home;
  home.own(home.account.home + "/.config/wm/keys", 0000, false);
  EXPECT_FALSE(home.shown(home.secret));
}

const proc::Account kSomebody{"ann", "/home/ann", "/bin/sh", 4711, 4711};

TEST(check_secret, the_accounts_password_gives_all_scopes_and_has_no_end) {
  PamDesk pam;
  auto grant = check_secret(kSomebody, "right", pam.service);
  ASSERT_TRUE(grant);
  EXPECT_EQ(*grant, (Grant{std::string(rest::kAllScopes), 0}));
  EXPECT_EQ(pam.asked(), "ann\n");
}

TEST(check_secret, a_wrong_password_and_a_locked_account_are_refused_in_the_same_words) {
  PamDesk pam;
  auto wrong = check_secret(kSomebody, "wrong", pam.service);
  ASSERT_FALSE(wrong);
  pam.write("pam_deny.so");
  auto locked = check_secret(kSomebody, "right", pam.service);
  ASSERT_FALSE(locked);
  EXPECT_EQ(wrong.error(), locked.error());
  EXPECT_EQ(pam.asked(), "ann\nann\n");
}

TEST(check_secret, a_name_that_none_has_takes_as_long_and_is_refused_whatever_pam_says) {
  PamDesk pam;
  EXPECT_FALSE(check_secret(std::nullopt, "right", pam.service));
  EXPECT_EQ(pam.asked(), "wm-nobody-of-that-name\n");
}

TEST(check_secret, no_secret_is_refused_before_pam_is_asked) {
  PamDesk pam;
  EXPECT_FALSE(check_secret(kSomebody, "", pam.service));
  EXPECT_EQ(pam.asked(), "");
}

TEST(check_secret, without_rules_nobody_is_let_in) {
  test::OwnFolder own;
  EXPECT_FALSE(check_secret(kSomebody, "right", {"wm", own.path() + "/none"}));
  EXPECT_FALSE(check_secret(kSomebody, "right", {"wm", own.path()}));
  EXPECT_FALSE(is_usable(kSomebody, {"wm", own.path() + "/none"}));
}

TEST(is_plain_name, has_letters_digits_and_what_directories_of_a_site_put_into_names) {
  for (const char* name : {"a", "z", "A", "Z", "0", "9", "_apt", "ann.b", "ann-b", "ann@site.org",
                           "azAZ09_-.@", "0-", "_"})
    EXPECT_TRUE(is_plain_name(name)) << name;
  for (const char* name : {"", "-", "-ann", "`", "{", "[", "/", ":", "a b", "a\nb", "a/b", "a:b",
                           "a@`b", "a;b", "\x1b[2J", "\xc3\xa4"})
    EXPECT_FALSE(is_plain_name(name)) << name;
}

}  // namespace
}  // namespace wm::login
