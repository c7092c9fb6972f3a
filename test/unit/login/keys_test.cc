// Role: API keys: what is kept of them, which are believed; words between wgatewayd and wlogind.
#include <gtest/gtest.h>
#include <sodium.h>

#include "libwm/login/api_keys.h"
#include "libwm/login/login_words.h"

namespace wm::rest {
namespace {

class api_keys : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_GE(sodium_init(), 0); }
  std::string secret = key_secret(std::string(32, 'r'));
  std::vector<ApiKey> keys{{"old", key_hash("wmkey_other"), "read", 1, 2000},
                           {"laptop", key_hash(secret), "read,submit", 10, 100}};
};

TEST_F(api_keys, are_read_back_and_hold_no_secret) {
  auto text = to_text(keys);
  EXPECT_EQ(parse_keys(text), keys);
  EXPECT_EQ(text.find(secret), std::string::npos);
  EXPECT_TRUE(secret.starts_with(kKeyPrefix));
}

TEST_F(api_keys, are_believed_until_they_end) {
  ASSERT_TRUE(find_key(keys, secret, 99));
  EXPECT_EQ(find_key(keys, secret, 99)->name, "laptop");
  EXPECT_FALSE(find_key(keys, secret, 100));
  EXPECT_FALSE(find_key(keys, secret + "x", 99));
  EXPECT_FALSE(find_key({}, secret, 99));
  EXPECT_FALSE(find_key(keys, keys[1].hash, 99)) << "the hash is no secret";
}

TEST_F(api_keys, lines_that_are_none_are_passed_over) {
  EXPECT_TRUE(parse_keys("a b c\n\nx y z 1 two\nx y z 1 2 3\n").empty());
  EXPECT_EQ(parse_keys("junk\nn h read 1 2").size(), 1u);
}

TEST_F(api_keys, scopes_are_words_of_a_list) {
  EXPECT_FALSE(parse_scopes("")) << "none is not all";
  EXPECT_FALSE(parse_scopes(","));
  EXPECT_EQ(parse_scopes("submit,read").value(), "read,submit");
  EXPECT_FALSE(parse_scopes("read,admin"));
  EXPECT_FALSE(has_scope("", "submit"));
  EXPECT_FALSE(has_scope(",", "read"));
  EXPECT_TRUE(has_scope("read,submit", "submit"));
  EXPECT_FALSE(has_scope("read", "submit"));
  EXPECT_FALSE(has_scope("submitted", "submit"));
}

TEST(login_words, fields_take_what_fits_and_end) {
  LoginQuestion question;
  EXPECT_TRUE(put(question.user, std::string(63, 'u')));
  EXPECT_EQ(take(question.user), std::string(63, 'u'));
  EXPECT_FALSE(put(question.user, std::string(64, 'u')));
  EXPECT_FALSE(put(question.user, std::string_view("a\0b", 3)));
  std::memset(question.user, 'x', sizeof question.user);
  EXPECT_EQ(take(question.user).size(), sizeof question.user) << "whoever filled it in";
}

using Segments = std::vector<std::string>;

TEST(scopes, inference_asks_services_and_what_looks_like_that_is_not_enough) {
  EXPECT_TRUE(allows("inference", "POST", Segments{"dlim", "v1", "inference", "ping"}));
  EXPECT_TRUE(allows("inference", "GET", Segments{"dlim", "v1", "model", "ping", "streaming"}));
  EXPECT_TRUE(allows("inference", "GET", Segments{"dlim", "v2", "health", "ready"}));
  EXPECT_TRUE(allows("inference", "POST", Segments{"dlim", "v2", "models", "ping", "infer"}));
  // /dlim/v1/model/ping/profile?/streaming and the like: a query is no part of the path.
  for (const char* last : {"profile", "readme", "instances"})
    EXPECT_FALSE(allows("inference", "GET", Segments{"dlim", "v1", "model", "ping", last}));
  EXPECT_FALSE(allows("inference", "GET", Segments{"dlim", "v1", "model", "ping"}));
  EXPECT_FALSE(allows("inference", "DELETE", Segments{"dlim", "v1", "model", "p", "streaming"}));
  EXPECT_FALSE(allows("inference", "GET", Segments{"dlim", "v1", "model", "a", "b", "streaming"}));
  EXPECT_FALSE(allows("inference", "GET", Segments{"dlim", "v1", "inference", "ping"}));
  EXPECT_FALSE(allows("inference", "POST", Segments{"api", "v2", "models", "ping"}));
  EXPECT_FALSE(allows("inference", "GET", Segments{"dlim", "v2", "health"}));
  EXPECT_FALSE(allows("inference", "GET", Segments{}));
}

TEST(scopes, to_read_and_to_submit_are_two) {
  Segments execs{"platform", "rest", "deeplearning", "v1", "execs"};
  EXPECT_TRUE(allows("read", "GET", execs));
  EXPECT_TRUE(allows("read", "HEAD", execs));
  EXPECT_FALSE(allows("read", "POST", execs));
  EXPECT_TRUE(allows("submit", "DELETE", execs));
  EXPECT_FALSE(allows("submit", "GET", execs));
  EXPECT_FALSE(allows("", "GET", execs));
  EXPECT_TRUE(allows("submit", "POST", Segments{"dlim", "v1", "inference", "ping"}));
  EXPECT_FALSE(allows("read", "POST", Segments{"dlim", "v1", "inference", "ping"}));
}

}  // namespace
}  // namespace wm::rest
