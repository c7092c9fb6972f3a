// Role: the HTTP server of wgatewayd and wuserd, in a process of its own: broken, endless, torn and
// slow requests harm nobody else; it goes on answering.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "libwm/http/client.h"
#include "libwm/http/listen.h"
#include "libwm/http/server.h"
#include "test/support/folder.h"
#include "test/support/mutate.h"

namespace wm::http {
namespace {

constexpr std::size_t kLongestBody = 1 << 16;

class http_server : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = wm::test::made_folder();
    auto listening = listen_at(path(), 0600);
    ASSERT_TRUE(listening);
    pid_ = ::fork();
    if (pid_ != 0) {
      ::close(*listening);
      return;
    }
    ::signal(SIGPIPE, SIG_IGN);
    ServerOptions options;
    options.connections = 64;
    options.patience = std::chrono::seconds(2);
    (void)serve(*listening, options, [](Exchange& exchange) {
      if (exchange.head().target == "/throw") throw std::runtime_error("a handler's fault");
      if (exchange.head().target == "/late") ::sleep(1);
      if (exchange.head().target == "/long") {
        (void)exchange.reply({200, {}, std::string(9 << 20, 'x')});
        return;
      }
      if (exchange.head().target == "/half") {
        (void)exchange.begin({200, {}, ""});
        (void)exchange.write("half");
        throw 7;
      }
      auto body = read_body(exchange, kLongestBody);
      (void)exchange.reply({body ? 200 : 413, {}, body ? *body : body.error().text});
    });
    ::_exit(1);
  }
  void TearDown() override {
    ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << "it ended by itself";
    std::filesystem::remove_all(folder_);
  }
  std::string path() const { return folder_ + "/s"; }
  std::string file(const char* name) const { return folder_ + "/" + name; }

  // Sends the bytes and no more; what comes back does not matter. Waits until the line is closed:
  // else on a slow machine more of them are open than it takes.
  void throw_at_it(const std::string& bytes) const {
    auto fd = connect_to(path());
    ASSERT_TRUE(fd);
    (void)::send(*fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    ::shutdown(*fd, SHUT_WR);
    char block[4096];
    while (::recv(*fd, block, sizeof block, 0) > 0) continue;
    ::close(*fd);
  }
  void expect_answers() const {
    auto client = Client::connect(path());
    ASSERT_TRUE(client);
    auto reply = client->send("POST", "/x", "well");
    ASSERT_TRUE(reply) << reply.error().text;
    EXPECT_EQ(reply->body, "well");
  }

 private:
  std::string folder_;
  pid_t pid_ = 0;
};

const std::vector<std::string> kPieces{"\r\n",
                                       "\r\n\r\n",
                                       "GET ",
                                       "POST ",
                                       " HTTP/1.1",
                                       " HTTP/9.9",
                                       "Transfer-Encoding: chunked\r\n",
                                       "Content-Length: 18446744073709551616\r\n",
                                       "Content-Length: -1\r\n",
                                       "Content-Length: 5\r\n",
                                       "ffffffffffffffff\r\n",
                                       "0\r\n\r\n",
                                       std::string(1, '\0'),
                                       "\xff\xff",
                                       ": ",
                                       "Host: x\r\n",
                                       std::string(9000, 'a')};

TEST_F(http_server, spoiled_requests_do_not_end_it) {
  const std::vector<std::string> good{
      "GET /x HTTP/1.1\r\nHost: x\r\n\r\n",
      "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
      "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"};
  test::Mutator mutator(2, kPieces);
  const auto tries = test::fuzz_count(600);
  for (unsigned i = 0; i < tries && !HasFatalFailure(); ++i)
    throw_at_it(mutator.spoiled(good[i % good.size()]));
  expect_answers();
}

TEST_F(http_server, a_body_without_end_is_refused_at_its_bound) {
  auto fd = connect_to(path());
  ASSERT_TRUE(fd);
  std::string head = "POST /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";
  std::string chunk = "1000\r\n" + std::string(4096, 'x') + "\r\n";
  ASSERT_GT(::send(*fd, head.data(), head.size(), MSG_NOSIGNAL), 0);
  for (int i = 0; i < 64; ++i)
    if (::send(*fd, chunk.data(), chunk.size(), MSG_NOSIGNAL) <= 0) break;
  char answer[64] = "";
  EXPECT_GT(::recv(*fd, answer, sizeof answer - 1, 0), 0);
  EXPECT_NE(std::string(answer).find(" 413 "), std::string::npos) << answer;
  ::close(*fd);
  expect_answers();
}

TEST_F(http_server, those_who_only_hold_a_line_keep_nobody_out_for_long) {
  std::vector<int> idle;
  for (int i = 0; i < 60; ++i)
    if (auto fd = connect_to(path()); fd) idle.push_back(*fd);
  expect_answers();
  for (int fd : idle) ::close(fd);
  expect_answers();
}

TEST_F(http_server, what_a_handler_throws_is_answered_500_and_ends_nothing) {
  auto client = Client::connect(path());
  ASSERT_TRUE(client);
  auto reply = client->send("GET", "/throw", "");
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_EQ(reply->status, 500);
  EXPECT_EQ(reply->body, "Error 500: the request could not be answered; the log says why\n");
  auto half = Client::connect(path());
  ASSERT_TRUE(half);
  EXPECT_FALSE(half->send("GET", "/half", "")) << "cut off, not taken for a whole answer";
  expect_answers();
}

TEST_F(http_server, one_too_many_is_asked_to_come_again) {
  std::vector<int> idle;
  for (int i = 0; i < 64; ++i)
    if (auto fd = connect_to(path()); fd) idle.push_back(*fd);
  auto client = Client::connect(path());
  ASSERT_TRUE(client);
  auto reply = client->send("POST", "/x", "well");
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_EQ(reply->status, 503);
  EXPECT_TRUE(reply->body.starts_with("Error 503: too many requests")) << reply->body;
  EXPECT_NE(std::find(reply->fields.begin(), reply->fields.end(),
                      std::pair<std::string, std::string>{"retry-after", "1"}),
            reply->fields.end());
  for (int fd : idle) ::close(fd);
  int status = 503;
  for (int tries = 0; status == 503 && tries < 1000; ++tries) {
    ::poll(nullptr, 0, 5);  // until their threads have seen it
    auto again = Client::connect(path());
    auto answer = again ? again->send("POST", "/x", "well") : Result<Reply>(again.error());
    status = answer ? answer->status : 503;
  }
  EXPECT_EQ(status, 200);
}

TEST_F(http_server, files_go_and_come_whole_and_what_is_refused_leaves_none) {
  std::string large(40000, 'x');
  std::ofstream(file("there")) << large;
  auto client = Client::connect(path(), {std::chrono::seconds(20), 40000});
  ASSERT_TRUE(client);
  auto sent = client->send_file("POST", "/x", file("there"));
  ASSERT_TRUE(sent) << sent.error().text;
  EXPECT_EQ(sent->body, large);
  EXPECT_EQ(client->send_file("POST", "/x", file("none")).error().code, Code::NotFound);
  auto come = client->fetch("/x", file("here"));
  ASSERT_TRUE(come) << come.error().text;
  EXPECT_EQ(come->status, 200);
  EXPECT_EQ(std::filesystem::file_size(file("here")), 0u) << "a GET's body here";
  auto great = client->fetch("/long", file("great"));
  ASSERT_TRUE(great) << great.error().text;
  EXPECT_EQ(std::filesystem::file_size(file("great")), 9u << 20);
  auto refused = client->fetch("/throw", file("no"));
  ASSERT_TRUE(refused) << refused.error().text;
  EXPECT_EQ(refused->status, 500);
  EXPECT_FALSE(refused->body.empty());
  EXPECT_FALSE(std::filesystem::exists(file("no")));
  auto again = Client::connect(path(), {.answer = 39999});
  auto longer = again->send_file("POST", "/x", file("there"));
  ASSERT_FALSE(longer) << longer->status << " " << longer->body.size();
  EXPECT_EQ(longer.error().code, Code::Unavailable);
}

TEST_F(http_server, who_is_late_is_given_up) {
  auto client = Client::connect(path(), {.patience = std::chrono::milliseconds(50)});
  ASSERT_TRUE(client);
  EXPECT_EQ(client->send("GET", "/late", "").error().code, Code::Timeout);
  expect_answers();
}

}  // namespace
}  // namespace wm::http
