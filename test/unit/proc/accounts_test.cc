// Accounts by name and number; a name service that fails is no account that is missing.
#include "libwm/proc/accounts.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace wm::proc {
namespace {

TEST(accounts, root_is_found_by_name_and_by_number) {
  auto by_name = account("root"), by_number = account(uid_t{0});
  ASSERT_TRUE(by_name && by_number);
  EXPECT_EQ(by_name->uid, 0u);
  EXPECT_EQ(by_number->name, "root");
  EXPECT_EQ(by_number->home, by_name->home);
  auto groups = groups_of(*by_name);
  EXPECT_EQ(std::count(groups.begin(), groups.end(), gid_t{0}), 1);
  ASSERT_TRUE(group(gid_t{0}));
  EXPECT_EQ(group(group(gid_t{0})->name)->gid, 0u);
}

TEST(accounts, one_that_is_not_there_is_named) {
  auto none = account("no-such-account");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::NotFound);
  EXPECT_EQ(none.error().text, "no account 'no-such-account'");
  EXPECT_EQ(account(uid_t{4'000'000'007}).error().code, Code::NotFound);
  EXPECT_EQ(group("no-such-group").error().code, Code::NotFound);
  EXPECT_EQ(account(std::string(100'000, 'x')).error().code, Code::NotFound) << "of any length";
}

TEST(accounts, a_name_service_that_fails_does_not_say_that_there_is_no_account) {
  for (int error : {EIO, EMFILE, ENFILE, ENOMEM, ERANGE, ETIMEDOUT, ECONNREFUSED}) {
    auto why = not_looked_up(error, "account 'ann'");
    EXPECT_EQ(why.code, Code::Unavailable) << error;
    EXPECT_NE(why.text.find("account 'ann' cannot be looked up: "), std::string::npos);
  }
  for (int error : {0, ENOENT, ESRCH})
    EXPECT_EQ(not_looked_up(error, "account 'ann'").code, Code::NotFound) << error;
}

TEST(accounts, nobody_but_root_becomes_another) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may";
  auto root = account("root");
  ASSERT_TRUE(root);
  EXPECT_EQ(become(*root).error().code, Code::System);
}

}  // namespace
}  // namespace wm::proc
