// Role: what a server says to requests that do not read, and what one peer may take of it: time and
// memory. Its survival under spoiled requests is test/fault/http_test.
#include "libwm/http/server.h"

#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <future>
#include <thread>

#include "libwm/files/fd.h"
#include "libwm/http/client.h"
#include "test/unit/http/served.h"

namespace wm::http {
namespace {

constexpr std::size_t kLongestBody = 1 << 20;

void answer_well(Exchange& exchange) { (void)exchange.reply({200, {}, "well"}); }

void echo(Exchange& exchange) {
  auto body = read_body(exchange, kLongestBody);
  bool full = !body && body.error().code == Code::Unavailable;
  (void)exchange.reply({body ? 200 : full ? 503 : 413, {}, body ? *body : body.error().text});
}

TEST(server, a_head_that_is_too_long_is_told_so) {
  Served server(answer_well);
  auto said = server.said_to("GET /x?option=" + std::string(100 << 10, 'v') +
                             " HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(said.starts_with("HTTP/1.1 431 ")) << said;
  EXPECT_NE(said.find("longer than 65536 bytes"), said.npos) << said;
  auto field = "GET / HTTP/1.1\r\nCookie: " + std::string(100 << 10, 'v') + "\r\n\r\n";
  EXPECT_TRUE(server.said_to(field).starts_with("HTTP/1.1 431 "));
}

TEST(server, a_request_that_does_not_read_is_told_so_in_the_words_of_its_site) {
  ServerOptions options;
  options.failure = [](const Head&, int status, const std::string& text) {
    return Reply{status, {}, "site: " + text};
  };
  Served server(answer_well, options);
  auto said = server.said_to("GET / HTTP/9.9\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(said.starts_with("HTTP/1.1 400 ")) << said;
  EXPECT_NE(said.find("site: the request does not read: "), said.npos) << said;
  EXPECT_TRUE(server.said_to("\r\nno\tHTTP\r\n\r\n").starts_with("HTTP/1.1 400 "));
}

TEST(server, a_peer_that_takes_nothing_of_an_answer_holds_no_thread) {
  std::promise<Result<void>> sent;
  ServerOptions options;
  options.patience = std::chrono::milliseconds(20);
  Served server(
      [&](Exchange& exchange) {
        sent.set_value(exchange.reply({200, {}, std::string(64 << 20, 'x')}));
      },
      options);
  auto fd = server.connected();
  ASSERT_TRUE(write_all(fd.get(), "GET / HTTP/1.1\r\n\r\n", "request"));
  auto result = sent.get_future().get();  // for ever, if it sends without a limit
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::Timeout);
}

TEST(server, a_peer_that_gives_its_head_by_bytes_is_left) {
  ServerOptions options;
  options.patience = std::chrono::milliseconds(20);
  Served server(answer_well, options);
  auto fd = server.connected();
  char byte = 'G';
  auto given = [&] { return ::send(fd.get(), &byte, 1, MSG_NOSIGNAL) == 1; };
  while (given()) std::this_thread::yield();  // until it is closed
}

TEST(server, bodies_have_one_bound_together) {
  ServerOptions options;
  options.bodies = Bytes{64 << 10};
  std::promise<void> held, go;
  auto let_go = go.get_future().share();
  Served server(
      [&](Exchange& exchange) {
        if (exchange.head().target != "/hold") return echo(exchange);
        auto body = read_body(exchange, kLongestBody);
        held.set_value();
        let_go.wait();
        (void)exchange.reply({body ? 200 : 500, {}, ""});
      },
      options);
  auto holder = Client::connect(server.path()), other = Client::connect(server.path());
  ASSERT_TRUE(holder && other);
  auto holding = std::async(std::launch::async, [&] {
    return holder->send("POST", "/hold", std::string(60 << 10, 'x'))->status;
  });
  held.get_future().wait();
  auto refused = other->send("POST", "/", std::string(10 << 10, 'x'));
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 503);
  EXPECT_NE(
      std::ranges::find(refused->fields, std::pair<std::string, std::string>("retry-after", "1")),
      refused->fields.end());
  EXPECT_EQ(other->send("POST", "/", std::string(3 << 10, 'x'))->status, 200);  // there is so much
  go.set_value();
  EXPECT_EQ(holding.get(), 200);
  int status = 503;  // it comes back when the request is over, a moment after its answer
  for (int i = 0; i < 10'000 && status == 503; ++i)
    status = other->send("POST", "/", std::string(60 << 10, 'x'))->status;
  EXPECT_EQ(status, 200);
}

TEST(server, a_body_is_read_in_large_pieces) {
  constexpr int kBody = 48 << 10;
  std::promise<void> begun;
  std::promise<int> taken;
  Served server([&](Exchange& exchange) {
    begun.set_value();
    auto waiting = [&] {
      int bytes = 0;
      ::ioctl(exchange.descriptor(), FIONREAD, &bytes);
      return bytes;
    };
    while (waiting() < kBody) std::this_thread::yield();
    char first = 0;
    EXPECT_TRUE(exchange.read(&first, 1));
    taken.set_value(kBody - waiting());
    (void)exchange.reply({200, {}, "well"});
  });
  auto fd = server.connected();
  // The head alone until it is read: what comes with it says nothing about the body.
  ASSERT_TRUE(write_all(fd.get(),
                        "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: " +
                            std::to_string(kBody) + "\r\n\r\n",
                        "head"));
  begun.get_future().wait();
  std::thread rest([&] { EXPECT_TRUE(write_all(fd.get(), std::string(kBody, 'b'), "body")); });
  EXPECT_GE(taken.get_future().get(), 32 << 10) << "bytes of one read";
  rest.join();
}

TEST(server, who_is_not_admitted_gets_nothing) {
  ServerOptions options;
  options.admits = [](uid_t) { return false; };
  Served server(answer_well, options);
  EXPECT_EQ(server.said_to("GET / HTTP/1.1\r\n\r\n"), "");
}

TEST(head, is_written_as_it_was_read) {
  Head head{"GET", "/a?b", {{"host", "x"}, {"connection", "close"}}};
  EXPECT_EQ(text_of(head), "GET /a?b HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
  EXPECT_EQ(head.field("host"), "x");
  EXPECT_EQ(head.field("accept"), "");
}

}  // namespace
}  // namespace wm::http
