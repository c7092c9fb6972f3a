// Streams of a process between it and the listener: how much is read ahead, what becomes of
// input that nobody takes.
#include "daemons/wagent/launch/stream_set.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "test/unit/wagent/pipe.h"

namespace wm::wagent {
namespace {

/// A process that has our ends of three pipes.
class stream_set : public ::testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    proc::ConsoleEnds ends;
    ends.in = std::move(in_.write);
    ends.out = std::move(out_.read);
    ends.err = std::move(err_.read);
    streams_ = std::make_shared<StreamSet>(loop_, std::move(ends));
  }
  void TearDown() override { streams_->close(); }
  void listen() {
    streams_->serve({[this](std::uint32_t stream, const std::string& bytes) {
                       (stream == 1 ? said_ : erred_) += bytes;
                     },
                     [this](std::uint64_t bytes) { taken_ += bytes; }, [this] { ++ends_; }});
  }
  /// All that can happen now.
  void run() {
    loop_.restart();
    loop_.poll();
  }
  static void say(const Pipe& pipe, const std::string& bytes) {
    ASSERT_EQ(::write(pipe.write.get(), bytes.data(), bytes.size()),
              static_cast<ssize_t>(bytes.size()));
  }
  std::string process_reads() {
    std::string bytes(1 << 20, '\0');
    auto n = ::read(in_.read.get(), bytes.data(), bytes.size());
    return bytes.substr(0, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  }

  boost::asio::io_context loop_;
  Pipe in_, out_, err_;
  std::shared_ptr<StreamSet> streams_;
  std::string said_, erred_;
  std::uint64_t taken_ = 0;
  int ends_ = 0;
};

TEST_F(stream_set, output_of_both_streams_comes_and_their_end_is_told_once) {
  listen();
  say(out_, "out");
  say(err_, "err");
  run();
  EXPECT_EQ(said_, "out");
  EXPECT_EQ(erred_, "err");
  out_.write.reset();
  run();
  EXPECT_EQ(ends_, 0);
  err_.write.reset();
  run();
  EXPECT_EQ(ends_, 1);
  EXPECT_TRUE(streams_->at_end());
}

TEST_F(stream_set, nothing_is_read_while_nobody_listens) {
  say(out_, "early");
  run();
  EXPECT_EQ(said_, "");
  listen();
  run();
  EXPECT_EQ(said_, "early");
  streams_->leave();
  say(out_, "late");
  run();
  EXPECT_EQ(said_, "early");
  listen();
  run();
  EXPECT_EQ(said_, "earlylate");
}

TEST_F(stream_set, a_slow_listener_gets_no_more_than_its_window_and_slows_the_process) {
  listen();
  const std::string part(4096, 'x');
  std::size_t given = 0;
  for (int i = 0; i < 1000; ++i) {
    auto n = ::write(out_.write.get(), part.data(), part.size());
    if (n > 0) given += static_cast<std::size_t>(n);
    run();
  }
  EXPECT_EQ(said_.size(), kLaunchWindow);
  EXPECT_GT(given, kLaunchWindow);
  EXPECT_LT(given, 1000 * part.size());  // the pipe is full: it waits
  EXPECT_TRUE(streams_->waits());
  streams_->taken(100);
  run();
  EXPECT_EQ(said_.size(), kLaunchWindow + 100);
}

TEST_F(stream_set, room_that_was_never_used_up_does_not_add_up) {
  listen();
  streams_->taken(10 * kLaunchWindow);
  const std::string part(4096, 'x');
  for (int i = 0; i < 1000; ++i) {
    (void)!::write(out_.write.get(), part.data(), part.size());
    run();
  }
  EXPECT_EQ(said_.size(), kLaunchWindow);
}

TEST_F(stream_set, input_is_told_as_taken_when_the_pipe_has_it) {
  listen();
  streams_->write("line\n");
  run();
  EXPECT_EQ(process_reads(), "line\n");
  EXPECT_EQ(taken_, 5U);
}

TEST_F(stream_set, the_end_of_input_comes_behind_what_was_written_before) {
  listen();
  const std::string much(200000, 'i');  // more than a pipe holds
  streams_->write(much);
  streams_->write("");
  streams_->write("not any more");
  std::string got;
  for (int i = 0; i < 100; ++i) {
    run();
    got += process_reads();
  }
  EXPECT_EQ(got, much);
  EXPECT_EQ(taken_, much.size());
  char byte = 0;
  EXPECT_EQ(::read(in_.read.get(), &byte, 1), 0);
}

TEST_F(stream_set, input_for_a_process_that_reads_no_more_is_dropped_and_its_sender_told) {
  listen();
  in_.read.reset();
  streams_->write("line\n");
  run();
  EXPECT_EQ(taken_, 5U);
  streams_->write("more\n");
  EXPECT_EQ(taken_, 10U);
}

TEST_F(stream_set, who_comes_when_all_is_over_is_told_the_end) {
  out_.write.reset();
  err_.write.reset();
  listen();
  run();
  EXPECT_EQ(ends_, 1);
  listen();
  run();
  EXPECT_EQ(ends_, 2);
}

TEST_F(stream_set, after_it_is_closed_nothing_comes) {
  listen();
  say(out_, "out");
  streams_->close();
  run();
  EXPECT_EQ(said_, "");
  EXPECT_EQ(ends_, 0);
  EXPECT_TRUE(streams_->at_end());
}

}  // namespace
}  // namespace wm::wagent
