// Role: what a token is believed for, and from whom a request is taken.
#include "libwm/base/hash.h"
#include "libwm/login/token.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include "libwm/login/credential.h"

namespace wm::rest {
namespace {

constexpr std::int64_t kNow = 1000;
const Claims kAnn{"ann", "one", "id-1", 7, kNow, kNow + 60, "read,submit"};

class token : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_GE(sodium_init(), 0); }
  TokenKeys keys = token_keys(std::string(32, 'a')).value();
  TokenKeys others = token_keys(std::string(32, 'b')).value();
  std::string signed_ = sign_token(kAnn, keys.secret);

  bool is_valid(const std::string& text, std::int64_t now = kNow,
                std::string_view cluster = "one") {
    return verify_token(text, {&keys.open, 1}, cluster, now).has_value();
  }
};

TEST_F(token, says_what_was_signed) {
  auto claims = verify_token(signed_, {&keys.open, 1}, "one", kNow);
  ASSERT_TRUE(claims);
  EXPECT_EQ(*claims, kAnn);
  std::array both{others.open, keys.open};
  EXPECT_TRUE(verify_token(signed_, both, "one", kNow)) << "while keys are changed, both count";
}

TEST_F(token, is_refused_late_elsewhere_or_signed_by_others) {
  EXPECT_FALSE(is_valid(signed_, kNow + 60));
  EXPECT_FALSE(is_valid(signed_, kNow, "two"));
  EXPECT_FALSE(is_valid(sign_token(kAnn, others.secret)));
}

TEST_F(token, is_refused_with_any_bit_changed) {
  for (std::size_t i = 0; i < signed_.size(); ++i) {
    auto changed = signed_;
    changed[i] = changed[i] == 'Q' ? 'g' : 'Q';  // differ in bits that count, also at an end
    ASSERT_NE(changed, signed_);
    EXPECT_FALSE(is_valid(changed)) << i;
  }
  EXPECT_FALSE(is_valid(""));
  EXPECT_FALSE(is_valid(".."));
  EXPECT_FALSE(is_valid(signed_ + "="));
  EXPECT_FALSE(is_valid(std::string(5000, 'a')));
}

TEST_F(token, never_chooses_how_it_is_checked) {
  auto body = signed_.substr(signed_.find('.'));
  for (auto header : {R"({"alg":"none","typ":"JWT"})", R"({"alg":"HS256","typ":"JWT"})",
                      R"({"typ":"JWT","alg":"EdDSA"})"})
    EXPECT_FALSE(is_valid(base64_url(header) + body)) << header;
  EXPECT_FALSE(is_valid(base64_url(R"({"alg":"none"})") + body.substr(0, body.rfind('.') + 1)));
}

TEST_F(token, one_made_of_another_is_revoked_by_either_id) {
  using Ids = std::vector<std::string>;
  EXPECT_EQ(ids_of("a"), (Ids{"a"}));
  EXPECT_EQ(ids_of(narrower_id("a", "b").value()), (Ids{"a", "a.b"}));
  EXPECT_EQ(ids_of(narrower_id("a.b", "c").value()), (Ids{"a", "a.b", "a.b.c"}));
  EXPECT_TRUE(narrower_id(std::string(198, 'x'), "b"));
  EXPECT_EQ(narrower_id(std::string(199, 'x'), "b").error().code, Code::Limit);
}

TEST_F(token, a_seed_has_32_bytes) { EXPECT_FALSE(token_keys("short")); }

AuthFields with(std::string_view method, std::string_view origin) {
  AuthFields fields;
  fields.cookie = "other=1; __Host-wm=tok";
  fields.method = method;
  fields.origin = origin;
  return fields;
}

TEST(credential, a_cookie_changes_nothing_from_another_origin) {
  constexpr std::string_view kOwn = "https://wm";
  EXPECT_EQ(credential_of(with("GET", ""), kOwn)->token, "tok");
  EXPECT_EQ(credential_of(with("POST", kOwn), kOwn)->token, "tok");
  EXPECT_FALSE(credential_of(with("POST", ""), kOwn));
  EXPECT_FALSE(credential_of(with("DELETE", "https://apps"), kOwn));
  auto stream = with("GET", "https://apps");
  stream.stream = true;
  EXPECT_FALSE(credential_of(stream, kOwn));
  auto socket = with("GET", "");
  socket.upgrade = "websocket";
  EXPECT_FALSE(credential_of(socket, kOwn));
}

TEST(credential, comes_as_token_or_as_name_and_password) {
  AuthFields fields;
  EXPECT_FALSE(credential_of(fields, ""));
  fields.x_auth_token = "t1";
  EXPECT_EQ(credential_of(fields, "")->token, "t1");
  fields.authorization = "bearer t2";
  EXPECT_EQ(credential_of(fields, "")->token, "t2");
  fields.authorization = "Basic YW5uOnNlOmNyZXQ=";
  fields.x_auth_token = "";
  EXPECT_EQ(credential_of(fields, "")->login, (Login{"ann", "se:cret"}));
  for (auto bad : {"Basic", "Basic !", "Basic YW5u", "Basic OnB3", "Digest x"})
    EXPECT_FALSE(parse_basic(bad)) << bad;
}

TEST(credential, a_cookie_is_found_by_its_whole_name) {
  EXPECT_EQ(cookie_value("a=1; b=2", "b"), "2");
  EXPECT_EQ(cookie_value("ab=1", "b"), "");
  EXPECT_EQ(cookie_value("bb=1;b=", "b"), "");
}

}  // namespace
}  // namespace wm::rest
