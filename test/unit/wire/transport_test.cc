// Real sockets on loopback and in a temporary directory; identity by a service in memory.
#include "libwm/wire/transport.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <filesystem>
#include <latch>

#include "libwm/wire/peer_room.h"
#include "test/support/fake_munge.h"
#include "test/support/folder.h"
#include "test/support/loop.h"
#include "test/support/session_pair.h"

namespace wm::wire {
namespace {

using namespace std::chrono_literals;
using test::FakeMunge;
using test::kAlice;
using test::kMaster;

// An end of a link that remembers what it was told.
struct Peer {
  std::unique_ptr<Link> link;
  std::vector<Frame> frames;
  std::optional<Error> closed;
  std::optional<Error> not_dialled;

  void take(std::unique_ptr<Link> given) {
    link = std::move(given);
    link->start([this](Frame frame) { frames.push_back(std::move(frame)); },
                [this](const Error& error) { closed = error; });
  }
};

class transport : public ::testing::Test {
 protected:
  transport() {
    dir_ = wm::test::made_folder();
    listen_options.link.session = test::master_options(0);
    listen_options.link.credentials = munge->as(kMaster);
    dial_options.link.session = test::client_options(kMaster);
    dial_options.link.credentials = munge->as(kAlice);
  }
  ~transport() override { std::filesystem::remove_all(dir_); }

  Endpoint any_port() const { return {"127.0.0.1", 0, {}}; }
  Endpoint in_dir(const char* name) const { return {{}, 0, dir_ + "/" + name}; }

  void listen(const Endpoint& at) {
    auto made = wires.listen(at, listen_options,
                             [this](std::unique_ptr<Link> link) { server.take(std::move(link)); });
    ASSERT_TRUE(made) << made.error().text;
    listener = std::move(*made);
  }
  void dial(const Endpoint& to) {
    dialing = wires.dial(to, dial_options, [this](Result<std::unique_ptr<Link>> link) {
      if (link) client.take(std::move(*link));
      else client.not_dialled = link.error();
    });
  }
  void connect() {
    listen(any_port());
    dial(listener->endpoint());
    ASSERT_TRUE(loop.until([&] { return client.link && server.link; }));
  }

  std::string dir_;
  test::Loop loop;
  std::shared_ptr<FakeMunge> munge = FakeMunge::make();
  ListenOptions listen_options;
  DialOptions dial_options;
  Transport wires{loop.context};
  Peer client, server;
  std::unique_ptr<Listener> listener;
  std::unique_ptr<Dialing> dialing;
};

TEST_F(transport, carries_frames_both_ways_between_proven_peers) {
  connect();
  EXPECT_EQ(server.link->identity().uid, kAlice);
  EXPECT_EQ(client.link->identity().uid, kMaster);
  ASSERT_TRUE(client.link->send(20, "submit"));
  ASSERT_TRUE(server.link->send(30, std::string(3 << 20, 'r')));
  ASSERT_TRUE(loop.until([&] { return !server.frames.empty() && !client.frames.empty(); }));
  EXPECT_EQ(server.frames[0], (Frame{20, "submit"}));
  EXPECT_EQ(client.frames[0].payload.size(), 3u << 20);
}

TEST_F(transport, many_frames_keep_their_order) {
  connect();
  for (int i = 0; i < 5000; ++i) ASSERT_TRUE(client.link->send(20, std::to_string(i)));
  ASSERT_TRUE(loop.until([&] { return server.frames.size() == 5000; }));
  for (int i = 0; i < 5000; ++i) ASSERT_EQ(server.frames[i].payload, std::to_string(i));
}

TEST_F(transport, frames_that_come_before_start_wait_for_it) {
  std::unique_ptr<Link> kept;
  auto made = wires.listen(any_port(), listen_options, [&](auto link) { kept = std::move(link); });
  ASSERT_TRUE(made);
  dial((*made)->endpoint());
  ASSERT_TRUE(loop.until([&] { return client.link != nullptr; }));
  ASSERT_TRUE(client.link->send(20, "early"));
  client.link->close();
  ASSERT_TRUE(loop.until([&] { return kept != nullptr; }));
  for (int i = 0; i < 20; ++i) loop.context.poll();
  server.take(std::move(kept));
  EXPECT_TRUE(server.frames.empty()) << "never inside start()";
  ASSERT_TRUE(loop.until([&] { return server.closed.has_value(); }));
  EXPECT_EQ(server.frames, (std::vector<Frame>{{20, "early"}}));
  EXPECT_EQ(server.closed->code, Code::Unavailable);
}

TEST_F(transport, close_sends_what_is_queued_and_tells_only_the_peer) {
  connect();
  ASSERT_TRUE(server.link->send(30, std::string(8 << 20, 'r')));
  server.link->close();
  ASSERT_TRUE(loop.until([&] { return client.closed.has_value(); }));
  ASSERT_EQ(client.frames.size(), 1u);
  EXPECT_EQ(client.closed->code, Code::Unavailable);
  EXPECT_FALSE(server.closed);
  EXPECT_EQ(server.link->send(30, "x").error().code, Code::Unavailable);
}

TEST_F(transport, a_link_may_be_destroyed_by_its_own_handler) {
  connect();
  server.link->start([&](Frame) { server.link.reset(); }, [](const Error&) { FAIL(); });
  ASSERT_TRUE(client.link->send(20, "one"));
  ASSERT_TRUE(client.link->send(20, "two"));
  ASSERT_TRUE(loop.until([&] { return client.closed.has_value(); }));
  EXPECT_EQ(server.link, nullptr);
}

TEST_F(transport, a_peer_that_does_not_read_loses_the_link) {
  listen_options.link.outbound_limit = 1 << 20;
  std::unique_ptr<Link> mute;
  listen(any_port());
  dialing =
      wires.dial(listener->endpoint(), dial_options, [&](auto link) { mute = std::move(*link); });
  ASSERT_TRUE(loop.until([&] { return mute && server.link; }));
  Result<void> sent;
  for (int i = 0; i < 1000 && sent; ++i) {
    loop.context.poll();
    sent = server.link->send(30, std::string(100'000, 'r'));
  }
  ASSERT_FALSE(sent);
  EXPECT_EQ(sent.error().code, Code::Limit);
  EXPECT_FALSE(server.closed) << "never inside send()";
  ASSERT_TRUE(loop.until([&] { return server.closed.has_value(); }));
  EXPECT_EQ(server.closed->code, Code::Limit);
}

TEST_F(transport, a_user_who_claims_to_be_a_host_is_told_why_not) {
  dial_options.link.session.role = Role::Host;
  listen(any_port());
  dial(listener->endpoint());
  ASSERT_TRUE(loop.until([&] { return client.closed.has_value(); }));
  EXPECT_EQ(client.closed->code, Code::Denied);
  EXPECT_NE(client.closed->text.find("host with uid 1001"), std::string::npos);
  EXPECT_EQ(server.link, nullptr);
}

TEST_F(transport, a_server_of_another_user_is_not_dialled) {
  listen_options.link.credentials = munge->as(1002);
  listen(any_port());
  dial(listener->endpoint());
  ASSERT_TRUE(loop.until([&] { return client.not_dialled.has_value(); }));
  EXPECT_EQ(client.not_dialled->code, Code::Denied);
}

TEST_F(transport, on_a_unix_socket_the_kernel_names_both) {
  listen_options.link.session.method = Method::Local;
  listen_options.link.session.peers = {{Role::Client, ::getuid()}};
  listen_options.link.credentials = nullptr;
  dial_options.link.session.method = Method::Local;
  dial_options.link.session.peers = {{Role::Master, ::getuid()}};
  dial_options.link.credentials = nullptr;
  listen(in_dir("s"));
  dial(in_dir("s"));
  ASSERT_TRUE(loop.until([&] { return client.link && server.link; }));
  EXPECT_EQ(server.link->identity().uid, ::getuid());
  EXPECT_EQ(server.link->identity().pid, ::getpid());
  ASSERT_TRUE(client.link->send(20, "hello"));
  ASSERT_TRUE(loop.until([&] { return server.frames.size() == 1; }));
}

TEST_F(transport, a_unix_socket_has_its_mode_and_goes_with_its_listener) {
  listen_options.socket_mode = 0620;
  listen(in_dir("s"));
  struct stat found {};
  ASSERT_EQ(::stat((dir_ + "/s").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0620u);
  listener.reset();
  EXPECT_NE(::stat((dir_ + "/s").c_str(), &found), 0);
}

TEST_F(transport, a_stale_socket_file_is_replaced_a_live_one_is_not) {
  {
    boost::asio::local::stream_protocol::acceptor dead(loop.context);
    dead.open();
    dead.bind({dir_ + "/s"});
  }
  listen(in_dir("s"));
  auto second = wires.listen(in_dir("s"), listen_options, [](auto) {});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::Conflict);
}

TEST_F(transport, listening_where_it_cannot_is_an_error_that_names_the_address) {
  listen(any_port());
  auto taken = wires.listen(listener->endpoint(), listen_options, [](auto) {});
  EXPECT_EQ(taken.error().code, Code::Conflict);
  EXPECT_NE(taken.error().text.find(to_string(listener->endpoint())), std::string::npos);
  EXPECT_EQ(wires.listen({"some.name", 0, {}}, listen_options, [](auto) {}).error().code,
            Code::BadArgument);
  listen_options.link.session.method = Method::Local;
  EXPECT_EQ(wires.listen(any_port(), listen_options, [](auto) {}).error().code, Code::BadArgument);
}

TEST_F(transport, dialling_where_nobody_listens_is_refused) {
  listen(any_port());
  auto at = listener->endpoint();
  listener.reset();
  dial(at);
  ASSERT_TRUE(loop.until([&] { return client.not_dialled.has_value(); }));
  EXPECT_EQ(client.not_dialled->code, Code::Refused);
  EXPECT_NE(client.not_dialled->text.find(to_string(at)), std::string::npos);
}

TEST_F(transport, dials_from_the_address_it_is_told) {
  dial_options.source_address = "127.0.0.9";
  listen(any_port());
  dial(listener->endpoint());
  ASSERT_TRUE(loop.until([&] { return server.link != nullptr; }));
  EXPECT_TRUE(server.link->address().starts_with("127.0.0.9:")) << server.link->address();
}

TEST_F(transport, a_dial_given_up_tells_nothing) {
  listen(any_port());
  dial(listener->endpoint());
  dialing.reset();
  for (int i = 0; i < 50; ++i) loop.context.run_one_for(1ms);
  EXPECT_FALSE(client.link);
  EXPECT_FALSE(client.not_dialled);
}

TEST_F(transport, a_listener_that_never_speaks_times_the_dial_out) {
  boost::asio::ip::tcp::acceptor mute(loop.context,
                                      {boost::asio::ip::make_address("127.0.0.1"), 0});
  dial_options.link.hello_timeout = 30ms;
  dial({"127.0.0.1", mute.local_endpoint().port(), {}});
  ASSERT_TRUE(loop.until([&] { return client.not_dialled.has_value(); }));
  EXPECT_EQ(client.not_dialled->code, Code::Timeout);
}

TEST_F(transport, half_open_sessions_are_bounded_and_mute_ones_give_way) {  // WIRE-14
  listen_options.half_open_limit = 2;
  listen_options.link.hello_timeout = 1h;
  listen(any_port());
  boost::asio::ip::tcp::endpoint to(boost::asio::ip::make_address("127.0.0.1"),
                                    listener->endpoint().port);
  std::vector<boost::asio::ip::tcp::socket> mute;
  for (int i = 0; i < 5; ++i) mute.emplace_back(loop.context).connect(to);
  std::size_t most = 0;
  dial(listener->endpoint());
  ASSERT_TRUE(loop.until([&] {
    most = std::max(most, listener->half_open());
    return client.link && server.link;
  })) << "an honest peer must get in while mute ones are there";
  EXPECT_EQ(most, 2u);
}

TEST_F(transport, an_account_at_its_sessions_waits_until_one_of_them_ends) {
  listen_options.link.room = std::make_shared<PeerRoom>(PeerLimits{.sessions = 1});
  connect();
  Peer second;
  auto dial_second = [&] {
    second = {};
    dialing =
        wires.dial(listener->endpoint(), dial_options, [&](Result<std::unique_ptr<Link>> link) {
          if (link) second.take(std::move(*link));
          else second.not_dialled = link.error();
        });
  };
  auto refused = [&] { return second.not_dialled ? second.not_dialled : second.closed; };
  dial_second();
  ASSERT_TRUE(loop.until([&] { return refused().has_value(); }));
  EXPECT_EQ(refused()->code, Code::Unavailable) << "for which commands try again";
  server.link.reset();
  ASSERT_TRUE(loop.until([&] { return client.closed.has_value(); }));
  server = {};
  dial_second();
  EXPECT_TRUE(loop.until([&] { return server.link && second.link; }));
}

TEST_F(transport, half_a_request_above_what_its_account_may_hold_ends_the_session) {
  auto room = std::make_shared<PeerRoom>(PeerLimits{.half_frames = 1 << 20});
  listen_options.link.room = room;
  connect();
  ASSERT_TRUE(client.link->send(20, std::string(300 << 10, 'a')));
  ASSERT_TRUE(loop.until([&] { return server.frames.size() == 1; })) << "whole, it counts no more";
  ASSERT_TRUE(client.link->send(20, std::string(4 << 20, 'b')));
  ASSERT_TRUE(loop.until([&] { return server.closed.has_value(); }));
  EXPECT_NE(server.closed->text.find("parts of requests"), std::string::npos)
      << server.closed->text;
  EXPECT_TRUE(loop.until([&] { return room->sessions_of(kAlice) == 0; }));
}

TEST_F(transport, a_mute_session_times_out) {  // WIRE-14
  listen_options.link.hello_timeout = 30ms;
  listen(any_port());
  boost::asio::ip::tcp::socket mute(loop.context);
  mute.connect({boost::asio::ip::make_address("127.0.0.1"), listener->endpoint().port});
  ASSERT_TRUE(loop.until([&] { return listener->half_open() == 1; }));
  EXPECT_TRUE(loop.until([&] { return listener->half_open() == 0; }));
}

TEST_F(transport, reads_no_more_until_it_is_told_to_read_on) {
  connect();
  server.link->read_no_more();
  ASSERT_TRUE(client.link->send(20, "one"));
  for (int i = 0; i < 20; ++i) loop.context.run_one_for(2ms);
  EXPECT_TRUE(server.frames.empty());
  server.link->read_on();
  EXPECT_TRUE(loop.until([&] { return server.frames.size() == 1; }));
}

// An identity service that does not answer before it is released.
class SlowCredentials final : public Credentials {
 public:
  explicit SlowCredentials(std::shared_ptr<Credentials> real) : real_(std::move(real)) {}
  Result<std::string> encode(std::string_view payload, Duration ttl) override {
    return real_->encode(payload, ttl);
  }
  Result<Signed> decode(std::string_view credential) override {
    if (slow) release.wait();
    return real_->decode(credential);
  }
  Result<Signed> verify_signature(std::string_view c) override {
    return real_->verify_signature(c);
  }
  std::atomic<bool> slow = false;
  std::latch release{1};

 private:
  std::shared_ptr<Credentials> real_;
};

TEST_F(transport, a_slow_identity_service_does_not_hold_up_open_links) {  // WIRE-14
  auto slow = std::make_shared<SlowCredentials>(munge->as(kMaster));
  listen_options.link.credentials = slow;
  connect();
  slow->slow = true;
  auto first = std::move(server.link);
  std::vector<Frame> got;
  first->start([&](Frame frame) { got.push_back(std::move(frame)); }, [](const Error&) {});
  Peer second;
  auto waiting = wires.dial(listener->endpoint(), dial_options,
                            [&](auto link) { second.take(std::move(*link)); });
  ASSERT_TRUE(loop.until([&] { return listener->half_open() == 1; }));
  ASSERT_TRUE(client.link->send(20, "still served"));
  EXPECT_TRUE(loop.until([&] { return got.size() == 1; }));
  EXPECT_FALSE(server.link) << "the second is not checked yet";
  slow->release.count_down();
  EXPECT_TRUE(loop.until([&] { return second.link && server.link; }));
}

}  // namespace
}  // namespace wm::wire
