// Role: how a page's ticket becomes a cookie that is good for one job, and who is turned away.
#include <gtest/gtest.h>
#include <sodium.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "daemons/wgatewayd/gate.h"
#include "libwm/base/clock.h"
#include "test/support/folder.h"

namespace wm::gateway {
namespace {

constexpr const char* kPages = "https://wm.example.org";
constexpr const char* kApps = "https://apps.example.org";

class OneUser : public Doorman {
 public:
  OneUser() : keys_(rest::token_keys(std::string(32, 'a')).value()) {}
  std::string token(std::int64_t life = 3600) {
    return rest::sign_token(
        {"ann", "one", "id", 7, now_s(), now_s() + life, "read,submit,inference"}, keys_.secret);
  }
  Result<std::string> log_on(const rest::Login&, const std::string&, bool) override {
    return fail(Code::Denied, "no");
  }
  Result<std::string> service_token(const rest::Claims& claims, const std::string&) override {
    auto narrow = claims;
    narrow.scopes = "inference";
    return rest::sign_token(narrow, keys_.secret);
  }
  Result<std::string> agent_of(const rest::Claims& claims, const std::string&) override {
    return "/run/" + claims.user + ".sock";
  }
  Result<std::string> running_agent(const std::string& user) override {
    if (user != "bob") return fail(Code::Denied, "not there");
    return std::string("/run/bob.sock");
  }
  std::vector<rest::TokenPublicKey> keys() override { return {keys_.open}; }

 private:
  rest::TokenKeys keys_;
};

class Said : public http::Exchange {
 public:
  Said(http::Head head, std::string body) : head_(std::move(head)), body_(std::move(body)) {}
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

class apps : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_GE(sodium_init(), 0); }

  test::OwnFolder folder_;
  OneUser* user_ = new OneUser;
  Gate gate_{"one",
             kPages,
             kApps,
             rest::AppKey{9},
             std::unique_ptr<Doorman>(user_),
             std::make_unique<Revoked>(folder_.path() + "/revoked", 0)};

  http::Reply ask(const std::string& method, const std::string& target, http::Fields fields,
                  const std::string& body = "") {
    Said said({method, target, std::move(fields)}, body);
    answer(gate_, said);
    return said.answer;
  }
  std::string ticket(const std::string& job) {
    auto reply = ask("POST", "/auth/v1/app", {{"x-auth-token", user_->token()}},
                     "{\"job\":\"" + job + "\"}");
    return reply.status == 200 ? nlohmann::json::parse(reply.body)["ticket"].get<std::string>()
                               : reply.body;
  }
  http::Reply enter(const std::string& ticket, const std::string& origin = kPages,
                    const std::string& host = "apps.example.org") {
    return ask("POST", "/_open", {{"origin", origin}, {"host", host}}, "ticket=" + ticket);
  }
  static std::string cookie_of(const http::Reply& reply) {
    for (const auto& [name, value] : reply.fields)
      if (name == "Set-Cookie") return value.substr(0, value.find(';'));
    return "";
  }
  int visit(const std::string& path, const std::string& cookie, const std::string& origin = "",
            const std::string& host = "apps.example.org") {
    return ask("GET", "/_visit",
               {{"x-wm-target", path}, {"cookie", cookie}, {"origin", origin}, {"host", host}})
        .status;
  }
};

TEST_F(apps, clients_of_inference_get_a_token_that_is_good_for_nothing_else) {
  auto reply = ask("POST", "/dlim/v1/auth/token", {{"x-auth-token", user_->token()}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  auto json = nlohmann::json::parse(reply.body);
  EXPECT_EQ(json["access_token"], json["user_token"]);
  auto keys = user_->keys();
  auto claims = rest::verify_token(json["service_token"].get<std::string>(), keys, "one", now_s());
  ASSERT_TRUE(claims);
  EXPECT_EQ(claims->scopes, "inference");
  EXPECT_EQ(ask("POST", "/dlim/v1/auth/token", {}).status, 401);
  EXPECT_EQ(ask("GET", "/dlim/v1/auth/token", {}).status, 404);
}

TEST_F(apps, a_ticket_becomes_a_cookie_for_its_job_alone) {
  auto entered = enter(ticket("12"));
  ASSERT_EQ(entered.status, 303) << entered.body;
  auto cookie = cookie_of(entered);
  EXPECT_TRUE(cookie.starts_with("__Host-wm-app-12="));
  EXPECT_EQ(visit("/12/tree", "_xsrf=1; " + cookie), 200);
  EXPECT_EQ(visit("/12/tree", cookie, kApps), 200);
  EXPECT_EQ(visit("/13/tree", cookie), 401);
  auto renamed = cookie;
  renamed.replace(renamed.find("12"), 2, "13");
  EXPECT_EQ(visit("/13/tree", renamed), 401) << "the name is not what counts";
  EXPECT_EQ(visit("/12/tree", cookie, "https://elsewhere"), 401);
  EXPECT_EQ(visit("/12/tree", "__Host-wm=" + user_->token()), 401)
      << "the pages' cookie opens none";
}

TEST_F(apps, a_ticket_is_taken_once_and_from_the_pages_alone) {
  auto one = ticket("12");
  EXPECT_EQ(enter(one, "https://elsewhere").status, 401);
  EXPECT_EQ(enter(one, kApps).status, 401);
  EXPECT_EQ(enter(one, "").status, 401);
  EXPECT_EQ(enter(one).status, 303);
  EXPECT_EQ(enter(one).status, 401);
  auto cookie = cookie_of(enter(ticket("12")));
  EXPECT_EQ(enter(cookie.substr(cookie.find('=') + 1)).status, 401) << "a cookie is no ticket";
}

TEST_F(apps, no_ticket_without_a_token_or_to_what_is_no_job) {
  EXPECT_EQ(ask("POST", "/auth/v1/app", {}, R"({"job":"12"})").status, 401);
  auto by_page = http::Fields{{"cookie", "__Host-wm=" + user_->token()}, {"origin", kPages}};
  EXPECT_EQ(ask("POST", "/auth/v1/app", by_page, R"({"job":"12"})").status, 200);
  by_page[1].second = kApps;
  EXPECT_EQ(ask("POST", "/auth/v1/app", by_page, R"({"job":"12"})").status, 401)
      << "an application must not open another";
  for (const char* job : {"", "../1", "12/x", "a", "12."})
    EXPECT_NE(ticket(job).find("the number of a job"), std::string::npos) << job;
}

TEST_F(apps, log_off_closes_what_was_opened) {
  auto cookie = cookie_of(enter(ticket("12")));
  ASSERT_EQ(visit("/12/", cookie), 200);
  EXPECT_EQ(ask("POST", "/auth/v1/logoff", {{"x-auth-token", user_->token()}}).status, 200);
  EXPECT_EQ(visit("/12/", cookie), 401);
}

TEST_F(apps, anothers_is_opened_only_where_it_has_a_host_name_of_its_own) {
  auto ask_for = [&](const std::string& owner) {
    return ask("POST", "/auth/v1/app", {{"x-auth-token", user_->token()}},
               R"({"job":"12","owner":")" + owner + "\"}");
  };
  EXPECT_EQ(ask_for("ann").status, 200) << "one's own";
  EXPECT_EQ(ask_for("bob").status, 400);
  gate_.apps_origin = "https://*.apps.example.org";
  std::string host = "12.apps.example.org";
  for (auto [owner, status] : {std::pair{"bob", 200}, {"eve", 401}}) {
    auto ticket = nlohmann::json::parse(ask_for(owner).body)["ticket"].get<std::string>();
    auto cookie = cookie_of(enter(ticket, kPages, host));
    auto reply =
        ask("GET", "/_visit", {{"x-wm-target", "/12/"}, {"cookie", cookie}, {"host", host}});
    EXPECT_EQ(reply.status, status) << owner;
    http::Fields wanted{
        {"X-Agent", "/run/bob.sock"}, {"X-Token", ""}, {"X-Guest", "ann"}, {"X-App", "12"}};
    if (status == 200) {
      EXPECT_EQ(reply.fields, wanted) << "bob's process has no token of ann's";
    }
  }
}

TEST_F(apps, with_a_host_name_a_job_no_other_is_answered) {
  gate_.apps_origin = "https://*.apps.example.org";
  EXPECT_EQ(enter(ticket("12.3"), kPages, "13.apps.example.org").status, 401);
  auto entered = enter(ticket("12.3"), kPages, "12-3.apps.example.org");
  ASSERT_EQ(entered.status, 303);
  auto cookie = cookie_of(entered);
  EXPECT_EQ(visit("/12.3/", cookie, "", "12-3.apps.example.org"), 200);
  EXPECT_EQ(visit("/12.3/", cookie, "https://13.apps.example.org", "12-3.apps.example.org"), 401);
  EXPECT_EQ(visit("/12.3/", cookie, "", "13.apps.example.org"), 401);
}

}  // namespace
}  // namespace wm::gateway
