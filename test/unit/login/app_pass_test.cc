// Role: passes to applications open what they were sealed for, and nothing else.
#include "libwm/login/app_pass.h"

#include <gtest/gtest.h>
#include <sodium.h>

namespace wm::rest {
namespace {

constexpr std::int64_t kOpened = 1000;

class app_pass : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_GE(sodium_init(), 0); }
  AppKey key_{1}, other_{2};
  AppNonce nonce_{3};
  AppPass pass_{PassKind::Cookie, "12.3", "a.b.c", "bob", kOpened + 60};
  std::string sealed_ = seal_pass(pass_, key_, nonce_);
};

TEST_F(app_pass, says_what_was_sealed) {
  auto back = open_pass(sealed_, key_, PassKind::Cookie, kOpened);
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, pass_);
  EXPECT_EQ(sealed_.find("a.b.c"), std::string::npos);
  EXPECT_EQ(sealed_.find_first_of(" ;,=\"\\"), std::string::npos) << "it becomes a cookie";
}

TEST_F(app_pass, is_refused_late_of_another_kind_or_key) {
  EXPECT_FALSE(open_pass(sealed_, key_, PassKind::Cookie, kOpened + 60));
  EXPECT_FALSE(open_pass(sealed_, key_, PassKind::Ticket, kOpened)) << "a cookie is no ticket";
  EXPECT_FALSE(open_pass(sealed_, other_, PassKind::Cookie, kOpened));
  EXPECT_FALSE(open_pass("", key_, PassKind::Cookie, kOpened));
  EXPECT_FALSE(open_pass(std::string(1 << 20, 'A'), key_, PassKind::Cookie, kOpened));
}

TEST_F(app_pass, is_refused_with_any_character_changed) {
  for (std::size_t i = 0; i + 1 < sealed_.size(); ++i) {
    auto changed = sealed_;
    changed[i] = changed[i] == 'Q' ? 'g' : 'Q';
    EXPECT_FALSE(open_pass(changed, key_, PassKind::Cookie, kOpened)) << i;
  }
}

TEST(app_job, is_the_number_that_a_path_begins_with) {
  EXPECT_EQ(app_job("/12/tree?x=/9/"), "12");
  EXPECT_EQ(app_job("/12.3/"), "12.3");
  EXPECT_EQ(app_job("/12?a"), "12");
  for (const char* none : {"", "/", "12/", "/a/12", "/12a/", "/12./", "/.3/", "/12.3.4/", "/%31/",
                           "/1234567890123456789012345/", "//12/"})
    EXPECT_EQ(app_job(none), "") << none;
}

TEST(own_cookies, do_not_reach_the_application) {
  EXPECT_EQ(without_own_cookies("_xsrf=1; __Host-wm=secret;__Host-wm-app-12=x;  a=b"),
            "_xsrf=1; a=b");
  EXPECT_EQ(without_own_cookies("__Host-wm-app-12=x"), "");
  EXPECT_EQ(without_own_cookies(""), "");
}

}  // namespace
}  // namespace wm::rest
