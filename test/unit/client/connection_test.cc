#include "libwm/client/connection.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <set>

#include "test/support/fake_munge.h"
#include "test/support/folder.h"
#include "test/support/hostile_peer.h"
#include "test/support/session_pair.h"
#include "test/support/threaded_server.h"

namespace wm::client {
namespace {

using namespace std::chrono_literals;
using test::FakeMunge;
using test::ThreadedServer;
using wire::Frame;
using wire::Link;

constexpr std::uint32_t kAlice = 1001, kMaster = 990;

class connection : public ::testing::Test {
 protected:
  connection() {
    listen_options.link.session = test::master_options(0);
    listen_options.link.credentials = munge->as(kMaster);
    options.session = test::client_options(kMaster);
    options.credentials = munge->as(kAlice);
    options.retry = {.first_delay = 1ms, .notice_after = 0ms, .give_up_after = 10s};
    options.notice = [this](std::string_view text) { notices.emplace_back(text); };
  }

  void serve(ThreadedServer::Answer answer, std::uint16_t port = 0) {
    server = std::make_unique<ThreadedServer>(listen_options, std::move(answer), port);
    options.to = server->endpoint();
  }

  // Answers every request with its own words.
  static void echo(Link& link, Frame frame) {
    ASSERT_TRUE(link.send(frame.type, "re: " + frame.payload));
  }

  std::shared_ptr<FakeMunge> munge = FakeMunge::make();
  wire::ListenOptions listen_options;
  ConnectionOptions options;
  std::vector<std::string> notices;
  std::unique_ptr<ThreadedServer> server;
};

TEST_F(connection, a_call_returns_the_answer_and_keeps_the_session) {
  std::set<std::string> sessions;
  serve([&](Link& link, Frame frame) {
    sessions.insert(link.address());
    echo(link, frame);
  });
  Connection to_master(options);
  for (auto text : {"one", "two"}) {
    auto reply = to_master.call(20, text);
    ASSERT_TRUE(reply) << reply.error().text;
    EXPECT_EQ(*reply, (Frame{20, std::string("re: ") + text}));
  }
  EXPECT_EQ(to_master.peer()->uid, kMaster);
  EXPECT_TRUE(notices.empty());
  server.reset();
  EXPECT_EQ(sessions.size(), 1u);
}

TEST_F(connection, the_proof_of_a_new_session_signs_more_when_told) {
  std::string signed_besides;
  serve([&](Link& link, Frame frame) {
    signed_besides = link.proof().also_signed;
    echo(link, frame);
  });
  Connection to_master(options);
  EXPECT_TRUE(to_master.also_sign(std::string(32, 's')));
  ASSERT_TRUE(to_master.call(20, "submit"));
  EXPECT_FALSE(to_master.also_sign(std::string(32, 't'))) << "this session's proof is made";
  server.reset();
  EXPECT_EQ(signed_besides, std::string(32, 's'));
}

TEST_F(connection, a_greeted_master_learns_later_what_the_proof_signs) {
  std::string signed_besides;
  std::set<std::string> sessions;
  serve([&](Link& link, Frame frame) {
    sessions.insert(link.address());
    signed_besides = link.proof().also_signed;
    echo(link, frame);
  });
  Connection to_master(options);
  to_master.greet();
  EXPECT_FALSE(to_master.peer()) << "nothing is proven yet";
  EXPECT_TRUE(to_master.also_sign(std::string(32, 's')));
  auto reply = to_master.call(20, "submit");
  ASSERT_TRUE(reply) << reply.error().text;
  to_master.greet();  // greeted already
  ASSERT_TRUE(to_master.call(20, "again"));
  server.reset();
  EXPECT_EQ(signed_besides, std::string(32, 's'));
  EXPECT_EQ(sessions.size(), 1u);
}

TEST_F(connection, greeting_a_master_that_is_away_is_no_error_yet) {
  serve(echo);
  auto port = server->endpoint().port;
  server.reset();
  Connection to_master(options);
  to_master.greet();
  serve(echo, port);
  auto reply = to_master.call(20, "submit");
  ASSERT_TRUE(reply) << reply.error().text;
}

TEST_F(connection, large_requests_and_answers_pass) {
  serve(echo);
  std::string large(10 << 20, 'x');
  auto reply = Connection(options).call(20, large);
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_EQ(reply->payload.size(), large.size() + 4);
}

TEST_F(connection, an_answer_of_several_frames_is_read_one_by_one) {
  serve([](Link& link, Frame frame) {
    if (frame.type == 21) return echo(link, frame);
    for (auto text : {"a", "b", "c"}) ASSERT_TRUE(link.send(30, text));
  });
  Connection to_master(options);
  EXPECT_EQ(to_master.call(20, "stream")->payload, "a");
  EXPECT_EQ(to_master.next(10s)->payload, "b");
  EXPECT_EQ(to_master.next(10s)->payload, "c");
  EXPECT_EQ(to_master.next(0ms).error().code, Code::Timeout);
  ASSERT_TRUE(to_master.send(21, "more"));
  EXPECT_EQ(to_master.next(10s)->payload, "re: more");
}

TEST_F(connection, waits_for_a_master_that_is_away_and_says_so) {
  serve(echo);
  auto port = server->endpoint().port;
  server.reset();
  options.notice = [&](std::string_view text) {
    notices.emplace_back(text);
    if (!server) serve(echo, port);
  };
  auto reply = Connection(options).call(20, "submit");
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_EQ(reply->payload, "re: submit");
  EXPECT_EQ(notices,
            (std::vector<std::string>{
                "batch system daemon not responding ... still trying (" + to_string(options.to) +
                ": Connection refused; nothing listens there: does wmasterd run?)"}));
}

TEST_F(connection, a_request_whose_answer_was_lost_is_sent_again) {
  std::vector<std::string> seen;
  serve([&](Link& link, Frame frame) {
    seen.push_back(frame.payload);
    if (seen.size() < 3) return link.close();
    echo(link, frame);
  });
  auto reply = Connection(options).call(20, "submit key=7");
  ASSERT_TRUE(reply) << reply.error().text;
  server.reset();
  EXPECT_EQ(seen, std::vector<std::string>(3, "submit key=7"));
}

TEST_F(connection, a_master_that_does_not_answer_in_time_is_asked_again) {
  std::atomic<int> asked = 0;
  serve([&](Link& link, Frame frame) {
    if (++asked > 1) echo(link, frame);
  });
  auto reply = Connection(options).call(20, "submit", Duration(30ms));
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_GE(asked, 2);
}

TEST_F(connection, gives_up_when_told) {
  serve(echo);
  server.reset();
  options.retry.give_up_after = 20ms;
  auto reply = Connection(options).call(20, "submit");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::Refused);
  EXPECT_NE(reply.error().text.find(to_string(options.to)), std::string::npos);
}

TEST_F(connection, a_refusal_is_final_and_its_reason_arrives) {
  serve(echo);
  options.session.role = wire::Role::Host;
  auto reply = Connection(options).call(20, std::string(12 << 20, 'x'));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Code::Denied);
  EXPECT_NE(reply.error().text.find("host with uid 1001"), std::string::npos) << reply.error().text;
  EXPECT_TRUE(notices.empty());
}

TEST_F(connection, a_false_master_gets_no_request) {
  std::atomic<int> requests = 0;
  listen_options.link.credentials = munge->as(1002);
  serve([&](Link&, Frame) { ++requests; });
  EXPECT_EQ(Connection(options).call(20, "secret").error().code, Code::Denied);
  server.reset();
  EXPECT_EQ(requests, 0);
}

TEST_F(connection, another_version_is_named_at_once) {
  listen_options.link.session.version = 9;
  serve(echo);
  auto reply = Connection(options).call(20, "submit");
  EXPECT_EQ(reply.error().code, Code::Version);
  EXPECT_NE(reply.error().text.find("version 9"), std::string::npos);
}

TEST_F(connection, ones_own_identity_service_being_down_is_not_waited_for) {
  serve(echo);
  auto own = FakeMunge::make();
  own->stop();
  options.credentials = own->as(kAlice);
  auto reply = Connection(options).call(20, "submit");
  EXPECT_EQ(reply.error().code, Code::System);
  EXPECT_TRUE(notices.empty());
}

TEST_F(connection, an_unknown_host_is_named) {
  options.to = {"no-such-host.invalid", 7100, {}};
  auto reply = Connection(options).call(20, "submit");
  EXPECT_EQ(reply.error().code, Code::NotFound);
  EXPECT_NE(reply.error().text.find("no-such-host.invalid"), std::string::npos);
}

TEST_F(connection, reaches_a_unix_socket_by_the_kernels_word) {
  test::OwnFolder dir;
  listen_options.link.session.method = wire::Method::Local;
  server = std::make_unique<ThreadedServer>(listen_options, echo,
                                            wire::Endpoint{{}, 0, dir.path() + "/s"});
  options.to = server->endpoint();
  options.session.method = wire::Method::Local;
  options.session.peers = {{wire::Role::Master, ::getuid()}};
  options.credentials = nullptr;
  auto reply = Connection(options).call(20, "hello");
  server.reset();
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_EQ(reply->payload, "re: hello");
}

// Whatever listens there: the call ends within its times, and nothing of it is taken for an answer.
TEST_F(connection, who_listens_may_mean_ill_and_is_given_up) {
  options.hello_timeout = 200ms;
  options.request_timeout = 400ms;
  options.retry.give_up_after = 0ms;
  test::OwnFolder folder;
  for (auto manner : test::kManners) {
    auto path = folder.path() + "/" + std::to_string(static_cast<int>(manner));
    test::HostilePeer peer(test::HostilePeer::End::Listens, path, manner);
    options.to = {"", 0, path};
    Connection to_it(options);
    auto answer = to_it.call(20, std::string(1000, 'x'));
    ASSERT_FALSE(answer) << static_cast<int>(manner);
    EXPECT_FALSE(to_it.peer());
    EXPECT_FALSE(answer.error().text.empty());
  }
}

}  // namespace
}  // namespace wm::client
