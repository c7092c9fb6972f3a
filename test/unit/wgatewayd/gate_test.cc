// Role: who is logged off by what, and how a refusal reaches the client through nginx.
#include "daemons/wgatewayd/gate.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <nlohmann/json.hpp>

#include "libwm/base/clock.h"
#include "libwm/base/hash.h"
#include "libwm/login/api_keys.h"
#include "test/support/folder.h"

namespace wm::gateway {
namespace {

constexpr const char* kOrigin = "https://wm.example.org";

// Says to every log-on what it is told to.
class ToldDoorman : public Doorman {
 public:
  Result<std::string> log_on(const rest::Login&, const std::string&, bool) override {
    return answer;
  }
  Result<std::string> service_token(const rest::Claims&, const std::string&) override {
    return answer;
  }
  Result<std::string> agent_of(const rest::Claims&, const std::string&) override {
    return std::string("/run/ann.sock");
  }
  Result<std::string> running_agent(const std::string&) override {
    return fail(Code::Denied, "none");
  }
  std::vector<rest::TokenPublicKey> keys() override { return {keys_.open}; }
  std::string token(std::int64_t life, const std::string& scopes) {
    return rest::sign_token({"ann", "one", "id", 7, now_s(), now_s() + life, scopes}, keys_.secret);
  }
  Result<std::string> answer = fail(Code::Denied, "no");

 private:
  rest::TokenKeys keys_ = rest::token_keys(std::string(32, 'a')).value();
};

class Asked : public http::Exchange {
 public:
  explicit Asked(http::Head head, std::string body) : head_(std::move(head)), body_(body) {}
  const http::Head& head() const override { return head_; }
  uid_t peer() const override { return 0; }
  Result<std::size_t> read(char* into, std::size_t room) override {
    auto n = body_.copy(into, room);
    body_.erase(0, n);
    return n;
  }
  Result<void> reply(const http::Reply& reply) override {
    answer = reply;
    return {};
  }
  Result<void> begin(const http::Reply&) override { return {}; }
  Result<void> write(std::string_view) override { return {}; }
  Result<void> finish() override { return {}; }
  http::Bare take_over() override { return {}; }
  http::Reply answer;

 private:
  http::Head head_;
  std::string body_;
};

std::string field_of(const http::Reply& reply, std::string_view name) {
  for (const auto& [n, value] : reply.fields)
    if (n == name) return value;
  return "";
}

class gate : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_GE(sodium_init(), 0);
    token_ = door_->token(3600, std::string(rest::kAllScopes));
  }
  http::Reply ask(const std::string& method, const std::string& target, http::Fields fields,
                  const std::string& body = "") {
    Asked asked({method, target, std::move(fields)}, body);
    answer(gate_, asked);
    return asked.answer;
  }
  bool opens() { return ask("GET", "/_auth", {{"x-auth-token", token_}}).status == 200; }
  http::Fields cookie() const { return {{"cookie", "__Host-wm=" + token_}}; }
  http::Fields cookie_from(const std::string& origin) const {
    return {{"cookie", "__Host-wm=" + token_}, {"origin", origin}};
  }
  static http::Fields basic(const std::string& words) {
    return {{"authorization", "Basic " + base64(words)}};
  }

  test::OwnFolder folder_;
  ToldDoorman* door_ = new ToldDoorman;
  Gate gate_{"one",
             kOrigin,
             "",
             rest::AppKey{9},
             std::unique_ptr<Doorman>(door_),
             std::make_unique<Revoked>(folder_.path() + "/revoked", 0)};
  std::string token_;
};

TEST_F(gate, programs_of_cloud_pak_log_on_by_password_or_key) {
  door_->answer = token_;
  const char* path = "/icp4d-api/v1/authorize";
  for (const char* body :
       {R"({"username":"ann","password":"p"})", R"({"username":"ann","api_key":"k"})"}) {
    auto reply = ask("POST", path, {}, body);
    EXPECT_EQ(reply.status, 200) << body;
    EXPECT_EQ(nlohmann::json::parse(reply.body)["token"], token_);
  }
  EXPECT_EQ(ask("POST", path, {}, R"({"username":"ann"})").status, 400);
  EXPECT_EQ(ask("GET", path, {}).status, 405);
  EXPECT_EQ(ask("POST", path, {{"origin", kOrigin}}, R"({"username":"a","password":"p"})").status,
            401);
  door_->answer = fail(Code::Denied, "no");
  EXPECT_EQ(ask("POST", path, {}, R"({"username":"ann","password":"p"})").status, 401);
}

TEST_F(gate, no_other_page_and_no_link_logs_a_visitor_off) {
  for (const char* path : {"/auth/v1/logoff", "/platform/rest/conductor/v1/auth/logoff"}) {
    auto by_get = ask("GET", path, cookie());
    EXPECT_EQ(by_get.status, 405);
    auto foreign = ask("POST", path, cookie_from("https://elsewhere"));
    EXPECT_EQ(foreign.status, 401);
    auto opaque = ask("POST", path, cookie_from("null"));
    EXPECT_EQ(opaque.status, 401);
    auto without = ask("POST", path, {{"origin", "https://elsewhere"}});
    for (const auto& reply : {by_get, foreign, opaque, without})
      EXPECT_EQ(field_of(reply, "Set-Cookie"), "") << "the browser keeps its cookie";
    EXPECT_TRUE(opens());
  }
}

TEST_F(gate, the_pages_own_post_logs_off_and_takes_the_cookie) {
  auto reply = ask("POST", "/auth/v1/logoff", cookie_from(kOrigin));
  EXPECT_EQ(reply.status, 200);
  EXPECT_TRUE(field_of(reply, "Set-Cookie").starts_with("__Host-wm=; Path=/; Max-Age=0"));
  EXPECT_FALSE(opens());
}

TEST_F(gate, a_client_that_brings_its_token_logs_off_by_any_method) {
  EXPECT_EQ(ask("GET", "/auth/v1/logoff", {{"x-auth-token", token_}}).status, 200);
  EXPECT_FALSE(opens());
}

TEST_F(gate, nginx_is_told_what_a_refusal_is) {
  auto malformed = ask("GET", "/_auth", {{"authorization", "Basic !"}});
  EXPECT_EQ(malformed.status, 401);
  EXPECT_EQ(field_of(malformed, "X-Refused"), "400");
  door_->answer = fail(Code::Limit, "too many\r\nX-Agent: /x");
  auto limited = ask("GET", "/_auth", basic("ann:x"));
  EXPECT_EQ(limited.status, 401);
  EXPECT_EQ(field_of(limited, "X-Refused"), "429");
  EXPECT_EQ(field_of(limited, "Retry-After"), "60");
  EXPECT_EQ(field_of(limited, "X-Why"), "too many??X-Agent: /x");
  door_->answer = fail(Code::Unavailable, "wlogind does not answer");
  auto away = ask("GET", "/_auth", basic("ann:x"));
  EXPECT_EQ(away.status, 401);
  EXPECT_EQ(field_of(away, "X-Refused"), "503");
  EXPECT_EQ(field_of(away, "Retry-After"), "2");
  auto nobody = ask("GET", "/_auth", {});
  EXPECT_EQ(nobody.status, 401);
  EXPECT_EQ(field_of(nobody, "X-Refused"), "401");
}

TEST_F(gate, a_client_that_asks_itself_is_told_plainly) {
  door_->answer = fail(Code::Limit, "too many");
  auto limited = ask("GET", "/auth/v1/logon", basic("ann:x"));
  EXPECT_EQ(limited.status, 429);
  EXPECT_EQ(field_of(limited, "Retry-After"), "60");
}

TEST_F(gate, what_is_said_of_a_tokens_life_is_the_tokens) {
  door_->answer = door_->token(600, "read");
  auto json = nlohmann::json::parse(ask("GET", "/auth/v1/logon", basic("ann:x")).body);
  EXPECT_LE(json["expiresIn"], 600);
  EXPECT_GT(json["expiresIn"], 500);
  auto page =
      ask("POST", "/auth/v1/logon", {{"origin", kOrigin}}, R"({"username":"ann","password":"x"})");
  EXPECT_FALSE(nlohmann::json::parse(page.body).contains("accessToken"));
  auto cookie = field_of(page, "Set-Cookie");
  EXPECT_EQ(cookie.find("Max-Age=28800"), cookie.npos) << cookie;
}

TEST_F(gate, a_token_without_scopes_asks_no_service) {
  auto none = door_->token(600, "");
  EXPECT_EQ(ask("POST", "/dlim/v1/auth/token", {{"x-auth-token", none}}).status, 401);
}

}  // namespace
}  // namespace wm::gateway
