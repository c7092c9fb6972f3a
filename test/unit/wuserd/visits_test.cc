// Role: a browser's request on its way to an application: what opens doors of WM stays behind, what
// is not there or not shared is answered by wuserd itself.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <filesystem>
#include <fstream>

#include "daemons/wuserd/notebooks/notebooks.h"
#include "libwm/files/fd.h"
#include "libwm/model/node/launch.h"
#include "test/support/folder.h"
#include "test/support/said_exchange.h"
#include "test/unit/wuserd/played_master.h"

namespace wm::user {
namespace {

namespace fs = std::filesystem;

/// An agent in front of an application that keeps the first words of a connection and says one.
class PlayedApplication {
 public:
  explicit PlayedApplication(const std::string& path)
      : server_(
            options(), [this](wire::Link& link, wire::Frame frame) { take(link, frame); },
            wire::Endpoint{"", 0, path}) {}
  std::string heard() {
    std::lock_guard hold(lock_);
    return heard_;
  }
  std::string address() {
    std::lock_guard hold(lock_);
    return address_;
  }

 private:
  static wire::ListenOptions options() {
    wire::ListenOptions options;
    options.link.session.role = wire::Role::Agent;
    options.link.session.method = wire::Method::Local;
    options.link.session.peers = {{wire::Role::Client, std::nullopt}};
    return options;
  }
  static void say(wire::Link& link, const FromLaunch& words) {
    (void)link.send(kFromLaunch, codec::encode(words));
  }
  void take(wire::Link& link, const wire::Frame& frame) {
    auto words = codec::decode<ToLaunch>(frame.payload);
    ASSERT_TRUE(words);
    std::lock_guard hold(lock_);
    if (auto* to = std::get_if<LaunchConnect>(&*words)) {
      address_ = to->address;
      return say(link, LaunchUp{1});
    }
    auto* input = std::get_if<LaunchInput>(&*words);
    if (input == nullptr) return;
    heard_ += input->bytes;
    if (heard_.find("\r\n\r\n") == std::string::npos) return;
    say(link, LaunchOutput{1, "from the application"});
    say(link, LaunchEnded{});
  }

  std::mutex lock_;
  std::string heard_, address_;  // Guarded by lock_.
  test::ThreadedServer server_;
};

/// A browser's connection, which is taken over.
class Visiting : public test::SaidExchange {
 public:
  explicit Visiting(http::Head head) : SaidExchange(std::move(head)) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    own_.reset(ends[0]);
    browser_.reset(ends[1]);
  }
  http::Bare take_over() override { return {own_.get(), ""}; }
  std::string got() const {
    char bytes[4096];
    auto n = ::recv(browser_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    return {bytes, static_cast<std::size_t>(n > 0 ? n : 0)};
  }

 private:
  Fd own_, browser_;
};

class visits : public WithMaster {
 protected:
  void SetUp() override {
    WithMaster::SetUp();
    if (IsSkipped()) return;
    site = std::make_unique<Site>(master->conf(), "ann", folder.path(), folder.path());
    master->door(folder.path() + "/agent");
  }
  /// A job of this user's with what its application says of itself. Each has a number of its own:
  /// places are believed for a moment.
  void runs(std::uint32_t number, JobState state, const std::string& web) {
    auto view = job_view({number, 0}, state, own_spec());
    view.result_dir = folder.path() + "/" + std::to_string(number);
    fs::create_directories(view.result_dir);
    if (!web.empty()) std::ofstream(view.result_dir + "/web.json") << web;
    master->know({view});
  }
  int status(std::uint32_t number, const std::string& guest = "") {
    Visiting exchange({"GET", "/x", {}});
    visit(*site, exchange, std::to_string(number), guest);
    return exchange.answer.status;
  }

  test::OwnFolder folder;
  std::unique_ptr<Site> site;
};

TEST_F(visits, what_opens_doors_of_ours_does_not_reach_an_application) {
  runs(101, JobState::Running, R"({"address":"/run/app.sock","base":"/101/"})");
  PlayedApplication application(folder.path() + "/agent");
  Visiting exchange({"GET",
                     "/101/tree?a=b",
                     {{"host", "door"},
                      {"x-wm-token", "SECRET"},
                      {"x-wm-app", "SECRET"},
                      {"authorization", "Basic SECRET"},
                      {"x-auth-token", "SECRET"},
                      {"connection", "keep-alive"},
                      {"accept", "text/html"},
                      {"x-own", "kept"}}});
  visit(*site, exchange, "101", "");
  auto heard = application.heard();
  EXPECT_EQ(heard.find("SECRET"), heard.npos) << heard;
  EXPECT_TRUE(heard.starts_with("GET /101/tree?a=b HTTP/1.1\r\n")) << heard;
  for (const char* line :
       {"host: door\r\n", "accept: text/html\r\n", "x-own: kept\r\n", "connection: close\r\n"})
    EXPECT_NE(heard.find(line), heard.npos) << line << heard;
  EXPECT_EQ(heard.find("keep-alive"), heard.npos);
  EXPECT_EQ(application.address(), "/run/app.sock");
  EXPECT_EQ(exchange.got(), "from the application");
}

TEST_F(visits, an_application_that_does_not_know_of_its_place_sees_the_rest) {
  runs(102, JobState::Running, R"({"address":"/run/app.sock","base":"/102/","strip":true})");
  PlayedApplication application(folder.path() + "/agent");
  Visiting exchange({"GET", "/102/tree", {{"upgrade", "websocket"}}});
  visit(*site, exchange, "102", "");
  auto heard = application.heard();
  EXPECT_TRUE(heard.starts_with("GET /tree HTTP/1.1\r\n")) << heard;
  EXPECT_NE(heard.find("connection: Upgrade\r\n"), heard.npos) << heard;
}

TEST_F(visits, one_that_is_not_there_is_told_by_its_state) {
  runs(103, JobState::Pending, "");
  EXPECT_EQ(status(103), 503);
  runs(103, JobState::Running, "");
  EXPECT_EQ(status(103), 503) << "it has not said where it listens";
  runs(103, JobState::Finished, R"({"address":"/run/app.sock"})");
  EXPECT_EQ(status(103), 410);
  EXPECT_EQ(status(104), 404);
}

TEST_F(visits, a_guest_finds_what_is_shared_and_nothing_else) {
  runs(105, JobState::Finished, R"({"address":"/run/app.sock"})");
  EXPECT_EQ(status(105, "bob"), 404) << "not even that it has ended";
  std::ofstream(folder.path() + "/105/web.share") << R"(["bob"])";
  EXPECT_EQ(status(105, "bob"), 410);
  EXPECT_EQ(status(105, "eve"), 404);
}

}  // namespace
}  // namespace wm::user
