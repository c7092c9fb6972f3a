#include "libwm/client/names.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wm::client {
namespace {

TEST(names, an_account_is_found_by_name_and_by_number) {
  auto root = find_account("root");
  ASSERT_TRUE(root) << root.error().text;
  EXPECT_EQ(root->uid, 0u);
  EXPECT_EQ(root->home, "/root");
  EXPECT_EQ(find_account("0")->name, "root");
}

TEST(names, an_account_that_nobody_knows_is_named) {
  auto none = find_account("no-such-account");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().code, Code::NotFound);
  EXPECT_NE(none.error().text.find("no-such-account"), std::string::npos);
}

TEST(names, a_numeric_address_is_itself) {
  for (std::string address : {"127.9.8.7", "::1"})
    EXPECT_EQ(*find_addresses(address), std::vector{address});
}

TEST(names, localhost_is_on_the_loopback) {
  auto found = find_addresses("localhost");
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_TRUE(std::count(found->begin(), found->end(), "127.0.0.1") ||
              std::count(found->begin(), found->end(), "::1"));
}

TEST(names, an_unknown_host_is_named) {
  auto none = find_addresses("no-such-host.invalid");
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().text.find("no-such-host.invalid"), std::string::npos);
}

}  // namespace
}  // namespace wm::client
