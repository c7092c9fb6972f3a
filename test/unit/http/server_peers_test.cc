// Role: the server behind nginx, and what asks others' servers: one account's connections keep no
// other out, a peer that is stopped costs no more than the patience, and whatever bytes come, the
// next request is answered.
#include <gtest/gtest.h>
#include <malloc.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <thread>

#include "libwm/base/log.h"
#include "libwm/files/fd.h"
#include "libwm/http/client.h"
#include "libwm/http/listen.h"
#include "libwm/http/server.h"
#include "test/support/folder.h"
#include "test/support/mutate.h"

namespace wm::http {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kOfOne = 4;

/// Answers until the process ends, as serve() does; one for all tests.
const std::string& server() {
  static test::OwnFolder folder;
  static const std::string path = folder.path() + "/s";
  static const ServerOptions options{.connections = 512, .of_one_account = kOfOne, .patience = 10s};
  static const std::function<void(Exchange&)> handle = [](Exchange& exchange) {
    auto body = read_body(exchange, 1000);
    (void)exchange.reply({body ? 200 : 413, {}, body ? *body : std::string()});
  };
  static const bool begun = [] {
    log::set_level(log::Level::Error);  // what spoiled requests are is said of each
    int fd = listen_at(path, 0600).value();
    std::thread([fd] { (void)serve(fd, options, handle); }).detach();
    return true;
  }();
  (void)begun;
  return path;
}

Fd connection(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return fd;
}

/// All that comes until the other end closes.
std::string answer_of(const Fd& fd) {
  std::string text;
  char block[4096];
  for (;;) {
    auto n = ::read(fd.get(), block, sizeof block);
    if (n <= 0) return text;
    text.append(block, static_cast<std::size_t>(n));
  }
}

std::string ask(const std::string& bytes) {
  auto fd = connection(server());
  (void)::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  ::shutdown(fd.get(), SHUT_WR);
  return answer_of(fd);
}

/// The same, as soon as there is room: the server hears of an end when it reads it.
std::string ask_again(const std::string& bytes) {
  std::string answer;
  for (int tries = 0; tries < 1000 && answer.empty(); ++tries) answer = ask(bytes);
  return answer;
}

const std::string kGood = "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nhi";

TEST(server_peers,
     what_one_account_opens_beyond_its_share_is_closed_and_what_it_closes_is_free_again) {
  std::vector<Fd> idle;
  for (std::size_t n = 0; n < kOfOne; ++n) idle.push_back(connection(server()));
  EXPECT_EQ(answer_of(connection(server())), "");
  idle.clear();
  EXPECT_TRUE(ask_again(kGood).starts_with("HTTP/1.1 200"));
}

TEST(server_peers, spoiled_requests_leave_it_as_it_was) {
  const std::vector<std::string> corpus{
      kGood, "GET /x?a=b HTTP/1.1\r\nHost: h\r\nCookie: a=b\r\n\r\n",
      "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n",
      kGood + "GET / HTTP/1.0\r\n\r\n", "PUT / HTTP/1.1\r\nExpect: 100-continue\r\n\r\n"};
  test::Mutator mutator(7, {"\r\n", "Content-Length: 99999999999999999999\r\n", ": ", "chunked",
                            "Transfer-Encoding: ", std::string(1, '\0'), "ffffffffffffffff\r\n",
                            "HTTP/9.9", std::string(70000, 'a'), "\xff", "-1", "/../"});
  const auto tries = test::fuzz_count(200);
  std::size_t before = 0;
  for (unsigned i = 0; i < tries && !HasFailure(); ++i) {
    auto sent = mutator.spoiled(mutator.one_of(corpus));
    auto answer = ask(sent);
    EXPECT_EQ(answer.find("HTTP/1.1 5"), answer.npos) << sent.substr(0, 500);
    if (i == tries / 2) before = ::mallinfo2().uordblks;
  }
  auto after = ::mallinfo2().uordblks;
  EXPECT_LT(after, before + (1 << 20));
  EXPECT_TRUE(ask_again(kGood).starts_with("HTTP/1.1 200"));
}

// Its queue is full: a connect would wait for as long as it is stopped.
TEST(client_peers, a_peer_that_takes_nobody_costs_the_patience) {
  test::OwnFolder folder;
  auto path = folder.path() + "/stopped";
  Fd stopped(listen_at(path, 0600).value());
  ASSERT_EQ(::listen(stopped.get(), 0), 0);
  auto waiting = connection(path);
  auto made = Client::connect(path, {.patience = 20ms});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::Timeout) << made.error().text;
  EXPECT_EQ(Client::connect(folder.path() + "/none", {.patience = 20ms}).error().code,
            Code::Refused);
}

TEST(client_peers, what_is_sent_after_a_bounded_connect_waits_as_it_was_told) {
  auto made = Client::connect(server(), {.patience = 10s});
  ASSERT_TRUE(made) << made.error().text;
  auto reply = made->send("POST", "/x", "hello");
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_EQ(reply->body, "hello");
}

// It closes the connection: the server sees that nobody wants its answer.
TEST(client, waits_no_longer_than_who_asked_is_there) {
  test::OwnFolder folder;
  int asker[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, asker), 0);
  Fd own(asker[0]), others(asker[1]);
  auto path = folder.path() + "/mute";
  Fd listening(listen_at(path, 0600).value());
  auto client = Client::connect(path);
  ASSERT_TRUE(client);
  client->wait_only_for(own.get());
  EXPECT_FALSE(has_hung_up(own.get()));
  std::thread leaves([&] {
    Fd taken(::accept(listening.get(), nullptr, nullptr));
    char begins = 0;
    EXPECT_EQ(::recv(taken.get(), &begins, 1, 0), 1);
    others = Fd();
  });
  auto reply = client->send("POST", "/", "x");
  leaves.join();
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::Unavailable);
  EXPECT_TRUE(has_hung_up(own.get()));
}

TEST(client, takes_the_answer_of_one_that_is_there_as_ever) {
  int asker[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, asker), 0);
  Fd own(asker[0]), others(asker[1]);
  auto client = Client::connect(server());
  ASSERT_TRUE(client);
  client->wait_only_for(own.get());
  auto reply = client->send("POST", "/", "said");
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_EQ(reply->body, "said");
}

}  // namespace
}  // namespace wm::http
