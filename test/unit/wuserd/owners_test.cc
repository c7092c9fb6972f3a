// Role: what a wuserd asks others of theirs: each answer passed on by its code, one that lies or
// says nothing is nobody's, and one that is not logged on is started by wlogind where something is
// shared.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "daemons/wuserd/data/member_data.h"
#include "daemons/wuserd/site/space_owner.h"
#include "daemons/wuserd/spaces/spaces.h"
#include "libwm/login/share_words.h"
#include "libwm/proc/accounts.h"
#include "test/support/folder.h"
#include "test/support/hostile_peer.h"
#include "test/unit/wuserd/asked.h"
#include "test/unit/wuserd/played_master.h"

namespace wm::user {
namespace {

using namespace std::chrono_literals;

constexpr Duration kPatience = 10s;

class owners : public ::testing::Test {
 protected:
  owners() { site.door_dir = folder.path(); }
  std::string path() const {
    return folder.path() + "/" + std::to_string(::getuid()) + ".guests.sock";
  }
  /// The owner is the account that runs the test: any other may not exist.
  std::string owner() const { return proc::account(::getuid()).value().name; }
  /// An execution with data that this owner shares.
  JobView with_data() const {
    auto spec = own_spec("PyTorch");
    spec.spec.exec.labels[kShareLabel] = owner() + "~digits/0123";
    return job_view({7, 0}, JobState::Running, spec);
  }
  static std::function<void(http::Exchange&)> says(int status, const std::string& body = "{}") {
    return [=](http::Exchange& exchange) { (void)exchange.reply({status, {}, body}); };
  }

  test::OwnFolder folder;
  Site site{ClusterConf{}, "bob", folder.path(), folder.path() + "/results"};
};

TEST_F(owners, an_answer_is_passed_on_by_its_code) {
  for (auto [status, code] :
       {std::pair(400, Code::BadArgument), std::pair(403, Code::Denied),
        std::pair(404, Code::NotFound), std::pair(409, Code::Conflict), std::pair(412, Code::Stale),
        std::pair(413, Code::Limit), std::pair(500, Code::Unavailable),
        std::pair(302, Code::Unavailable)}) {
    PlayedServer server(path(), says(status, R"({"title":"so it is"})"));
    auto found = SpaceOwner::find(site, owner(), kPatience);
    ASSERT_TRUE(found) << found.error().text;
    auto told = found->ask("GET", "/x");
    ASSERT_FALSE(told) << status;
    EXPECT_EQ(told.error().code, code) << status;
    EXPECT_NE(told.error().text.find("so it is"), std::string::npos);
  }
  PlayedServer server(path(), says(200, "well"));
  EXPECT_EQ(SpaceOwner::find(site, owner(), kPatience)->ask("GET", "/x").value(), "well");
}

/// wlogind where it is asked for wuserds of owners.
class PlayedLogin {
 public:
  PlayedLogin(const std::string& folder, std::function<rest::LoginAnswer(std::string)> answer)
      : listening_(http::listen_at(folder + "/" + rest::kSharesSocket, 0600).value()) {
    thread_ = std::thread([this, answer = std::move(answer)] {
      for (;;) {
        Fd asked(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (!asked) return;
        rest::ShareQuestion question;
        if (::recv(asked.get(), &question, sizeof question, MSG_WAITALL) != sizeof question)
          continue;
        auto said = answer(question.owner);
        (void)::send(asked.get(), &said, sizeof said, MSG_NOSIGNAL);
      }
    });
  }
  PlayedLogin(const PlayedLogin&) = delete;
  ~PlayedLogin() {
    ::shutdown(listening_.get(), SHUT_RDWR);
    thread_.join();
  }

 private:
  Fd listening_;
  std::thread thread_;
};

TEST_F(owners, one_that_is_not_logged_on_is_started_where_something_is_shared) {
  std::unique_ptr<PlayedServer> started;
  std::string asked;
  PlayedLogin login(folder.path(), [&](const std::string& owner) {
    asked = owner;
    started = std::make_unique<PlayedServer>(path(), says(200, "well"));
    return rest::LoginAnswer{};
  });
  auto found = SpaceOwner::find(site, owner(), kPatience);
  ASSERT_TRUE(found) << found.error().text;
  EXPECT_EQ(found->ask("GET", "/x").value(), "well");
  EXPECT_EQ(asked, owner());
}

TEST_F(owners, one_that_wlogind_does_not_start_is_not_looked_for_again) {
  std::unique_ptr<PlayedServer> anothers;
  PlayedLogin login(folder.path(), [&](const std::string&) {
    anothers = std::make_unique<PlayedServer>(path(), says(200, "of somebody else"));
    rest::LoginAnswer no;
    no.code = static_cast<std::uint32_t>(Code::NotFound);
    return no;
  });
  EXPECT_EQ(SpaceOwner::find(site, owner(), kPatience).error().code, Code::Unavailable);
}

TEST_F(owners, without_wlogind_whoever_is_not_logged_on_is_told) {
  auto found = SpaceOwner::find(site, owner(), kPatience);
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::Unavailable);
  EXPECT_NE(found.error().text.find("is not logged on"), std::string::npos);
  EXPECT_EQ(SpaceOwner::find(site, "no such account", kPatience).error().code, Code::NotFound);
}

TEST_F(owners, data_of_an_execution_is_given_up_or_gone_already) {
  std::string method, target;
  {
    PlayedServer server(path(), [&](http::Exchange& exchange) {
      method = exchange.head().method;
      target = exchange.head().target;
      (void)exchange.reply({204, {}, ""});
    });
    EXPECT_TRUE(give_up_data(site, with_data()));
  }
  EXPECT_EQ(method + " " + target, "DELETE /api/v1/projects/digits/fetches/0123");
  {
    PlayedServer server(path(), says(404));
    EXPECT_TRUE(give_up_data(site, with_data()));
  }
  PlayedServer server(path(), says(403));
  EXPECT_EQ(give_up_data(site, with_data()).error().code, Code::Denied);
}

TEST_F(owners, an_execution_without_shared_data_asks_nobody) {
  EXPECT_TRUE(give_up_data(site, job_view({7, 0}, JobState::Running, own_spec("PyTorch"))));
  EXPECT_EQ(shared_progress(site, job_view({7, 0}, JobState::Running, own_spec())), "");
}

TEST_F(owners, data_is_asked_for_and_its_place_is_below_the_owners) {
  site.conf.dirs.results = "/results";
  PlayedServer server(path(), says(200, R"({"id":"77ab","job":"12"})"));
  rest::ExecRequest request;
  auto job = ask_for_data(site, request, owner() + "~digits");
  ASSERT_TRUE(job) << job.error().text;
  EXPECT_EQ(*job, "12");
  EXPECT_EQ(request.data_root, "/results/.projects/" + owner() + "/digits/77ab");
  EXPECT_EQ(request.labels[kShareLabel], owner() + "~digits/77ab");
}

// What it says becomes a path and a dependency.
TEST_F(owners, an_owner_that_lies_about_a_fetch_gives_no_place) {
  for (const char* lie :
       {"", "[]", R"({"id":"../../etc","job":"12"})", R"({"id":"77","job":"12 && true"})",
        R"({"id":"","job":"12"})", R"({"id":"77","job":""})", R"({"id":7,"job":12})"}) {
    PlayedServer server(path(), says(200, lie));
    rest::ExecRequest request;
    auto job = ask_for_data(site, request, owner() + "~digits");
    ASSERT_FALSE(job) << lie;
    EXPECT_EQ(job.error().code, Code::Unavailable) << lie;
    EXPECT_EQ(request.data_root, "");
    EXPECT_TRUE(request.labels.empty());
  }
}

TEST_F(owners, lists_are_of_each_that_answers_whatever_the_others_do) {
  PlayedServer server(path(), [](http::Exchange& exchange) {
    (void)exchange.reply({200, {}, exchange.head().target});
  });
  std::vector<std::string> all(40, owner());
  all[3] = "no such account";
  auto lists = lists_of(site, all, "/api/v1/spaces", kPatience);
  ASSERT_EQ(lists.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(bool(lists[i]), i != 3) << i;
    EXPECT_EQ(lists[i] ? *lists[i] : "", i == 3 ? "" : "/api/v1/spaces") << i;
  }
  EXPECT_EQ(lists[3].error().code, Code::NotFound);
}

TEST_F(owners, one_that_means_ill_is_waited_for_no_longer_than_was_asked_for) {
  for (auto manner : test::kManners) {
    test::HostilePeer ill(test::HostilePeer::End::Listens, path(), manner);
    auto lists = lists_of(site, {owner()}, "/x", 100ms);
    ASSERT_EQ(lists.size(), 1u);
    EXPECT_FALSE(lists[0]) << static_cast<int>(manner);
  }
}

}  // namespace
}  // namespace wm::user
