// Role: a token that is known already is answered as one that is not.
#include "libwm/http/known_tokens.h"

#include <gtest/gtest.h>
#include <sodium.h>

namespace wm::http {
namespace {

class known_tokens : public testing::Test {
 protected:
  void SetUp() override { ASSERT_GE(sodium_init(), 0); }
  bool takes(const std::string& token, const rest::TokenKeys& by, std::string_view cluster = "one",
             std::int64_t now = 1000) {
    auto claims = known_.verify(token, {by.open}, cluster, now);
    if (claims) {
      EXPECT_EQ(claims->user, "ann");
    }
    return claims.has_value();
  }
  rest::TokenKeys keys_ = *rest::token_keys(std::string(32, 'a'));
  rest::TokenKeys others_ = *rest::token_keys(std::string(32, 'b'));
  std::string token_ = rest::sign_token({"ann", "one", "id", 7, 900, 2000, ""}, keys_.secret);
  KnownTokens known_;
};

TEST_F(known_tokens, what_is_known_is_still_refused_when_it_is_over_or_for_another_cluster) {
  EXPECT_TRUE(takes(token_, keys_));
  EXPECT_TRUE(takes(token_, keys_, "one", 1999));
  EXPECT_FALSE(takes(token_, keys_, "one", 2000));
  EXPECT_FALSE(takes(token_, keys_, "two"));
  EXPECT_TRUE(takes(token_, keys_));
}

TEST_F(known_tokens, other_keys_make_it_unknown_and_what_was_never_good_is_not_kept) {
  EXPECT_TRUE(takes(token_, keys_));
  EXPECT_FALSE(takes(token_, others_));
  EXPECT_FALSE(takes(token_, others_));
  EXPECT_TRUE(takes(token_, keys_));
  auto forged = token_;
  forged.back() = forged.back() == 'A' ? 'B' : 'A';
  forged[forged.size() - 10] = forged[forged.size() - 10] == 'x' ? 'y' : 'x';
  EXPECT_FALSE(takes(forged, keys_));
  EXPECT_FALSE(takes(forged, keys_));
}

}  // namespace
}  // namespace wm::http
