#include "libwm/frames/stream.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>
#include <vector>

#include "libwm/frames/blocking.h"

namespace wm::frames {
namespace {

// A stream that has a blocking socket of the test as peer.
struct Pair {
  explicit Pair(Stream::Limits limits = {}) {
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) std::abort();
    stream = std::make_unique<Stream>(loop, fds[0], limits);
    peer = fds[1];
  }
  ~Pair() { hang_up(); }
  void hang_up() {
    if (peer >= 0) ::close(std::exchange(peer, -1));
  }
  void start() {
    stream->start([this](std::string frame) { heard.push_back(std::move(frame)); },
                  [this] { ++closed; });
  }
  // What there is to do now.
  void run() {
    loop.restart();
    loop.poll();
  }
  boost::asio::io_context loop;
  std::unique_ptr<Stream> stream;
  int peer = -1, closed = 0;
  std::vector<std::string> heard;
};

TEST(stream, frames_go_both_ways) {
  Pair pair;
  pair.start();
  ASSERT_TRUE(write_frame(pair.peer, "one"));
  ASSERT_TRUE(write_frame(pair.peer, ""));
  pair.stream->send("two");
  pair.stream->send("three");
  pair.run();
  EXPECT_EQ(pair.heard, (std::vector<std::string>{"one", ""}));
  EXPECT_EQ(**read_frame(pair.peer), "two");
  EXPECT_EQ(**read_frame(pair.peer), "three");
}

TEST(stream, its_owner_hears_once_that_the_peer_has_gone_after_all_it_said) {
  Pair pair;
  pair.start();
  ASSERT_TRUE(write_frame(pair.peer, "last words"));
  pair.hang_up();
  pair.run();
  EXPECT_EQ(pair.heard, std::vector<std::string>{"last words"});
  EXPECT_EQ(pair.closed, 1);
  pair.stream->send("nobody");
  pair.run();
  EXPECT_EQ(pair.closed, 1);
}

TEST(stream, a_frame_that_is_too_long_ends_it) {
  Pair pair({.frame = 4});
  pair.start();
  ASSERT_TRUE(write_frame(pair.peer, "four"));
  ASSERT_TRUE(write_frame(pair.peer, "five5"));
  pair.run();
  EXPECT_EQ(pair.heard, std::vector<std::string>{"four"});
  EXPECT_EQ(pair.closed, 1);
}

TEST(stream, a_peer_that_does_not_read_is_given_up) {
  Pair pair({.waiting = 1 << 20});
  pair.start();
  std::string much(1 << 18, 'x');
  for (int i = 0; i < 16 && pair.closed == 0; ++i) {
    pair.stream->send(much);
    pair.run();
  }
  EXPECT_EQ(pair.closed, 1);
}

TEST(stream, no_handler_runs_after_close_or_from_inside_a_call) {
  Pair pair;
  pair.start();
  ASSERT_TRUE(write_frame(pair.peer, "one"));
  EXPECT_TRUE(pair.heard.empty());
  pair.stream->close();
  pair.run();
  EXPECT_TRUE(pair.heard.empty());
  EXPECT_EQ(pair.closed, 0);
}

TEST(stream, it_may_be_destroyed_inside_its_own_handler) {
  Pair pair;
  int calls = 0;
  pair.stream->start(
      [&](std::string) {
        ++calls;
        pair.stream.reset();
      },
      [&] { ++pair.closed; });
  ASSERT_TRUE(write_frame(pair.peer, "one"));
  ASSERT_TRUE(write_frame(pair.peer, "two"));
  pair.run();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(pair.closed, 0);
}

TEST(stream, drain_delivers_at_once_what_the_kernel_holds) {
  Pair pair;
  pair.start();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(write_frame(pair.peer, std::string(1000, 'x')));
  pair.stream->drain();
  EXPECT_EQ(pair.heard.size(), 20U);
  EXPECT_EQ(pair.stream->peer().pid, ::getpid());
}

TEST(stream, a_handler_that_holds_it_is_let_go_when_it_closes) {
  Pair pair;
  std::shared_ptr<Stream> stream = std::move(pair.stream);
  std::weak_ptr<Stream> known = stream;
  stream->start([stream](std::string) {}, [] {});
  stream->close();
  stream.reset();
  pair.run();
  EXPECT_TRUE(known.expired());
}

TEST(blocking, a_stream_that_ends_between_frames_is_no_error_and_within_one_is) {
  int fds[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), 0);
  auto bytes = frame("whole") + frame("cut").substr(0, 5);
  ASSERT_EQ(::send(fds[0], bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  ::close(fds[0]);
  EXPECT_EQ(**read_frame(fds[1]), "whole");
  EXPECT_EQ(read_frame(fds[1]).error().code, Code::Damaged);
  EXPECT_FALSE(*read_frame(fds[1]));
  ::close(fds[1]);
}

}  // namespace
}  // namespace wm::frames
