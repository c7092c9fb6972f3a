// Role: what a server answers, and what becomes of the connection: kept, ended, handed over; what
// is said where a handler says nothing, throws, or there are too many; and that it goes on when it
// has no descriptor left.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <future>
#include <stdexcept>

#include "libwm/http/client.h"
#include "test/unit/http/served.h"

namespace wm::http {
namespace {

using namespace std::chrono_literals;

const std::string kAsk = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";
const std::string kAskOnce = "GET /x HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";

std::size_t times(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) ++count;
  return count;
}

std::string field_of(const Reply& reply, const std::string& name) {
  auto found = std::ranges::find(reply.fields, name, &Fields::value_type::first);
  return found == reply.fields.end() ? "none" : found->second;
}

TEST(answers, a_connection_is_kept_for_the_next_request) {
  Served server([](Exchange& exchange) {
    (void)exchange.reply({200, {}, exchange.head().target});
  });
  auto client = Client::connect(server.path());
  ASSERT_TRUE(client);
  for (const char* target : {"/one", "/two", "/three"}) {
    auto reply = client->send("GET", target, "");
    ASSERT_TRUE(reply) << reply.error().text;
    EXPECT_EQ(reply->body, target);
    EXPECT_TRUE(client->is_usable());
  }
  auto both = server.said_to(kAsk + kAskOnce);
  EXPECT_EQ(times(both, "HTTP/1.1 200"), 2u) << both;
}

TEST(answers, connections_one_after_another_are_each_answered) {
  Served server([](Exchange& exchange) { (void)exchange.reply({200, {}, "well"}); });
  for (int n = 0; n < 20; ++n) EXPECT_TRUE(server.said_to(kAskOnce).ends_with("well")) << n;
}

TEST(answers, a_body_that_nobody_read_is_in_the_way_of_none) {
  Served server([](Exchange& exchange) { (void)exchange.reply({200, {}, "well"}); });
  auto client = Client::connect(server.path());
  ASSERT_TRUE(client);
  for (int n = 0; n < 3; ++n)
    EXPECT_EQ(client->send("POST", "/", std::string(200 << 10, 'x'))->body, "well");
}

TEST(answers, a_handler_that_says_nothing_is_a_fault_of_ours) {
  Served server([](Exchange&) {});
  EXPECT_TRUE(server.said_to(kAskOnce).starts_with("HTTP/1.1 500"));
}

TEST(answers, a_handler_that_throws_is_answered_for_once_and_its_connection_ends) {
  Served server([](Exchange& exchange) {
    if (exchange.head().target == "/late") (void)exchange.reply({200, {}, "well"});
    throw std::runtime_error("broken");
  });
  auto said = server.said_to(kAsk + kAsk);
  EXPECT_TRUE(said.starts_with("HTTP/1.1 500")) << said;
  EXPECT_EQ(times(said, "HTTP/1.1 "), 1u) << said;
  EXPECT_NE(said.find("Connection: close"), said.npos) << said;
  auto late = server.said_to("GET /late HTTP/1.1\r\nHost: h\r\n\r\n" + kAsk);
  EXPECT_TRUE(late.starts_with("HTTP/1.1 200")) << late;
  EXPECT_EQ(times(late, "HTTP/1.1 "), 1u) << late;
}

TEST(answers, who_is_to_come_again_is_told_when_and_nobody_else_is) {
  Served server([](Exchange& exchange) {
    const auto& target = exchange.head().target;
    Fields own;
    if (target == "/own") own.emplace_back("Retry-After", "7");
    (void)exchange.reply({target == "/well" ? 200 : 503, own, ""});
  });
  auto client = Client::connect(server.path());
  ASSERT_TRUE(client);
  EXPECT_EQ(field_of(*client->send("GET", "/well", ""), "retry-after"), "none");
  EXPECT_EQ(field_of(*client->send("GET", "/full", ""), "retry-after"), "1");
  EXPECT_EQ(field_of(*client->send("GET", "/own", ""), "retry-after"), "7");
}

TEST(answers, one_in_pieces_is_whole_with_and_without_a_length) {
  Served server([](Exchange& exchange) {
    Fields length;
    if (exchange.head().target == "/known") length.emplace_back("Content-Length", "6");
    EXPECT_TRUE(exchange.begin({200, length, ""}));
    for (const char* piece : {"abc", "", "def"}) EXPECT_TRUE(exchange.write(piece));
    EXPECT_TRUE(exchange.finish());
  });
  auto client = Client::connect(server.path());
  ASSERT_TRUE(client);
  for (const char* target : {"/known", "/unknown", "/known"}) {
    auto reply = client->send("GET", target, "");
    ASSERT_TRUE(reply) << target << reply.error().text;
    EXPECT_EQ(reply->body, "abcdef") << target;
    EXPECT_EQ(field_of(*reply, "content-length"), target == std::string("/known") ? "6" : "none");
  }
}

TEST(answers, a_connection_that_was_taken_over_is_the_handlers) {
  Served server([](Exchange& exchange) {
    auto bare = exchange.take_over();
    EXPECT_TRUE(write_all(bare.fd, "early: " + bare.early, "words"));
  });
  auto said = server.said_to(kAsk + "words of no HTTP");
  EXPECT_EQ(said, "early: words of no HTTP") << "nothing of ours is added";
}

TEST(answers, one_request_too_many_is_told_to_come_again_and_holds_its_place_shortly) {
  std::promise<void> held, go;
  ServerOptions options;
  options.connections = 1;
  options.patience = 1h;
  Served server(
      [&](Exchange& exchange) {
        if (exchange.head().target == "/hold") {
          held.set_value();
          go.get_future().wait();
        }
        (void)exchange.reply({200, {}, "well"});
      },
      options);
  auto holder = server.connected();
  ASSERT_TRUE(
      write_all(holder.get(), "GET /hold HTTP/1.1\r\nConnection: close\r\n\r\n", "request"));
  held.get_future().wait();
  auto said = server.said_to(kAsk);
  EXPECT_TRUE(said.starts_with("HTTP/1.1 503")) << said;
  EXPECT_NE(said.find("Retry-After: 1"), said.npos) << said;
  EXPECT_EQ(Served::all_of(server.connected()), "") << "who says nothing is left in a moment";
  go.set_value();
  EXPECT_TRUE(Served::all_of(holder).ends_with("well"));
}

TEST(answers, one_that_did_not_read_gives_its_place_back) {
  ServerOptions options;
  options.connections = 1;
  Served server([](Exchange& exchange) { (void)exchange.reply({200, {}, "well"}); }, options);
  EXPECT_TRUE(server.said_to("no\tHTTP\r\n\r\n").starts_with("HTTP/1.1 400"));
  std::string said;
  auto until = std::chrono::steady_clock::now() + kServedPatience;
  while (!said.starts_with("HTTP/1.1 200") && std::chrono::steady_clock::now() < until)
    said = server.said_to(kAskOnce);
  EXPECT_TRUE(said.starts_with("HTTP/1.1 200")) << said;
}

/// This process opens nothing more, for as long as it lives.
class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit none{3, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  NoDescriptors(const NoDescriptors&) = delete;
  ~NoDescriptors() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_{};
};

bool join(const Fd& fd, const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return ::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

TEST(answers, a_server_without_a_descriptor_waits_for_one_and_goes_on) {
  Served server([](Exchange& exchange) { (void)exchange.reply({200, {}, "well"}); });
  EXPECT_TRUE(server.said_to(kAskOnce).ends_with("well"));  // it accepts by now
  std::array<Fd, 3> asked;
  timeval brief{0, 300'000}, patience{kServedPatience.count(), 0};
  for (auto& fd : asked) fd.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  {
    NoDescriptors full;
    for (const auto& fd : asked) {
      ASSERT_TRUE(join(fd, server.path()));
      ASSERT_TRUE(write_all(fd.get(), kAskOnce, "request"));
    }
    char byte = 0;  // the first has the descriptor that the kernel holds for an accept under way
    ::setsockopt(asked[2].get(), SOL_SOCKET, SO_RCVTIMEO, &brief, sizeof brief);
    EXPECT_LT(::recv(asked[2].get(), &byte, 1, 0), 0);
  }
  for (const auto& fd : asked) {
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    EXPECT_TRUE(Served::all_of(fd).ends_with("well"));
  }
}

TEST(answers, a_file_is_fetched_where_it_is_well_and_any_other_answer_is_kept) {
  Served server([](Exchange& exchange) {
    bool is_there = exchange.head().target == "/there";
    (void)exchange.reply(
        {is_there ? 200 : 404, {}, is_there ? std::string(300 << 10, 'f') : "none"});
  });
  test::OwnFolder folder;
  auto client = Client::connect(server.path());
  ASSERT_TRUE(client);
  auto into = folder.path() + "/into";
  auto none = client->fetch("/none", into);
  ASSERT_TRUE(none) << none.error().text;
  EXPECT_EQ(none->status, 404);
  EXPECT_EQ(none->body, "none");
  EXPECT_FALSE(std::filesystem::exists(into));
  auto there = client->fetch("/there", into);
  ASSERT_TRUE(there) << there.error().text;
  EXPECT_EQ(there->status, 200);
  EXPECT_EQ(std::filesystem::file_size(into), 300u << 10);
  EXPECT_EQ(client->fetch("/there", folder.path()).error().code, Code::System) << "it is a folder";
}

TEST(answers, an_answer_beyond_what_is_taken_of_a_peer_is_none) {
  Served server([](Exchange& exchange) {
    auto bytes = std::stoul(exchange.head().target.substr(1));
    if (exchange.head().method == "GET")
      return (void)exchange.reply({200, {}, std::string(bytes, 'x')});
    (void)exchange.begin({200, {}, ""});
    (void)exchange.write(std::string(bytes, 'x'));
    (void)exchange.finish();
  });
  for (const char* method : {"GET", "POST"}) {
    for (auto patience : {0s, 60s}) {
      auto client = Client::connect(server.path(), {.patience = patience, .answer = 1000});
      ASSERT_TRUE(client);
      auto fits = client->send(method, "/1000", "");
      ASSERT_TRUE(fits) << method << fits.error().text;
      EXPECT_EQ(fits->body.size(), 1000u);
      EXPECT_FALSE(client->send(method, "/1001", "")) << method;
    }
  }
}

}  // namespace
}  // namespace wm::http
