// Role: a router in a test's hands: it welcomes each kernel, keeps what kernels say for the test
// and says what the test tells it to. On a thread of its own; stopped and joined when destroyed.
#pragma once

#include <gtest/gtest.h>
#include <sodium.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "libwm/serve/frames.h"
#include "libwm/wire/shared_key.h"
#include "libwm/wire/transport.h"

namespace wm::kernel {

inline constexpr Duration kPatience = std::chrono::seconds(20);  // of what comes in milliseconds

/// The key of all services of these tests.
inline wire::SharedKey key_of_tests() {
  wire::SharedKey key;
  key.fill(7);
  return key;
}

/// See above. @thread one, beside its own
class PlayedRouter {
 public:
  explicit PlayedRouter(const std::string& socket, std::uint32_t workers = 1) : workers_(workers) {
    EXPECT_GE(::sodium_init(), 0);
    auto made =
        wires_.listen({"", 0, socket}, options(), [this](auto link) { admit(std::move(link)); });
    EXPECT_TRUE(made) << socket;
    if (made) listener_ = std::move(*made);
    thread_ = std::thread([this] {
      auto guard = boost::asio::make_work_guard(loop_);
      loop_.run();
    });
  }
  PlayedRouter(const PlayedRouter&) = delete;
  ~PlayedRouter() {
    loop_.stop();
    thread_.join();
  }

  /// Says something to the kernel that came last.
  void say(serve::Word word, std::string payload) {
    boost::asio::post(loop_, [this, word, payload = std::move(payload)] {
      if (!links_.empty()) (void)links_.back()->send(static_cast<std::uint16_t>(word), payload);
    });
  }
  void hand(const serve::Batch& batch) { say(serve::Word::Batch, serve::to_bytes(batch)); }
  /// Ends all connections, what was said before still arrives; it goes on listening.
  void hang_up() {
    boost::asio::post(loop_, [this] { links_.clear(); });
  }

  /// Have so many kernels, or one so often, greeted by now or soon?
  bool greeted(std::size_t times) {
    std::unique_lock hold(lock_);
    return news_.wait_for(hold, kPatience, [&] { return hellos_.size() >= times; });
  }
  std::vector<serve::KernelHello> hellos() {
    std::lock_guard hold(lock_);
    return hellos_;
  }
  /// What kernels said next, but greetings; type 0: nothing came.
  wire::Frame heard() {
    std::unique_lock hold(lock_);
    if (!news_.wait_for(hold, kPatience, [&] { return !heard_.empty(); })) return {};
    auto frame = std::move(heard_.front());
    heard_.pop_front();
    return frame;
  }
  /// The same, which is to be answers.
  serve::Answers answers() {
    auto frame = heard();
    EXPECT_EQ(frame.type, static_cast<std::uint16_t>(serve::Word::Answers));
    auto answers = serve::read_answers(frame.payload);
    return answers ? std::move(*answers) : serve::Answers{};
  }

 private:
  static wire::ListenOptions options() {
    wire::ListenOptions options;
    options.link.session.role = wire::Role::Agent;
    options.link.session.method = wire::Method::SharedKey;
    options.link.session.peers = {{wire::Role::Client, std::nullopt}};
    options.link.session.frame_limit = 64 << 20;
    options.link.credentials = wire::shared_key_credentials(key_of_tests());
    return options;
  }

  void admit(std::unique_ptr<wire::Link> link) {
    auto& kept = *links_.emplace_back(std::move(link));
    kept.start([this, &kept](wire::Frame frame) { take(kept, std::move(frame)); },
               [](const Error&) {});
  }

  void take(wire::Link& link, wire::Frame frame) {
    std::lock_guard hold(lock_);
    if (frame.type == static_cast<std::uint16_t>(serve::Word::Hello)) {
      auto welcome = serve::to_bytes(serve::KernelWelcome{workers_});
      (void)link.send(static_cast<std::uint16_t>(serve::Word::Welcome), std::move(welcome));
      if (auto hello = serve::read_hello(frame.payload)) hellos_.push_back(std::move(*hello));
    } else {
      heard_.push_back(std::move(frame));
    }
    news_.notify_all();
  }

  const std::uint32_t workers_;
  boost::asio::io_context loop_;
  wire::Transport wires_{loop_};
  std::unique_ptr<wire::Listener> listener_;
  std::vector<std::unique_ptr<wire::Link>> links_;  // the loop's
  std::mutex lock_;
  std::condition_variable news_;
  std::vector<serve::KernelHello> hellos_;  // Guarded by lock_.
  std::deque<wire::Frame> heard_;           // Guarded by lock_.
  std::thread thread_;
};

}  // namespace wm::kernel
