// Role: a router on a thread of its own and kernels in the test's hands, over real sockets; and
// what several routers of a service leave for each other.
#pragma once

#include <gtest/gtest.h>
#include <sodium.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <list>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "daemons/wrouter/router.h"
#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/client/connection.h"
#include "libwm/serve/frames.h"
#include "test/support/folder.h"

namespace wm::router {

using namespace std::chrono_literals;
using serve::Word;

inline constexpr Duration kPatience = 30s;  // of what comes in milliseconds

inline wire::SharedKey key_of(std::uint8_t byte) {
  wire::SharedKey key;
  key.fill(byte);
  return key;
}

/// A kernel in the test's hands.
struct Kernel {
  explicit Kernel(const std::string& socket, std::uint8_t key = 7, Duration patience = kPatience)
      : connection(options(socket, key, patience)) {}
  static client::ConnectionOptions options(const std::string& socket, std::uint8_t key,
                                           Duration patience) {
    client::ConnectionOptions options;
    options.to = {"", 0, socket};
    options.session.role = wire::Role::Client;
    options.session.method = wire::Method::SharedKey;
    options.session.frame_limit = 64 << 20;
    options.session.peers = {{wire::Role::Agent, std::nullopt}};
    options.credentials = wire::shared_key_credentials(key_of(key));
    options.retry.give_up_after = patience;
    return options;
  }
  Result<wire::Frame> hello(const std::string& instance = "one") {
    return connection.call(static_cast<std::uint16_t>(Word::Hello),
                           serve::to_bytes(serve::KernelHello{instance, "host", 1}));
  }
  serve::Batch batch() {
    auto frame = connection.next(kPatience);
    if (!frame) return ADD_FAILURE() << frame.error().text, serve::Batch{};
    EXPECT_EQ(frame->type, static_cast<std::uint16_t>(Word::Batch));
    return serve::read_batch(frame->payload).value();
  }
  void answer(const serve::Batch& batch, const std::string& text, bool fine = true) {
    serve::Answers answers{batch.id, true, 1000, {}};
    for (const auto& task : batch.tasks) answers.tasks.push_back({task.id, fine, text + task.data});
    send(Word::Answers, serve::to_bytes(answers));
  }
  void send(Word word, std::string bytes) {
    (void)connection.send(static_cast<std::uint16_t>(word), std::move(bytes));
  }
  /// Nothing comes any more: the router has let go of it.
  bool cut_off() {
    for (;;) {
      auto frame = connection.next(kPatience);
      if (!frame) return frame.error().code == Code::Unavailable;
    }
  }
  client::Connection connection;
};

/// An answer on its way.
class Asked {
 public:
  explicit Asked(std::future<Answer> answer) : answer_(std::move(answer)) {}
  std::future_status wait_for(Duration time) { return answer_.wait_for(time); }
  /// Status 0: there is none.
  Answer get() {
    if (wait_for(kPatience) == std::future_status::ready) return answer_.get();
    return {0, "no answer", 0};
  }

 private:
  std::future<Answer> answer_;
};

/// A router of one service, and what it has said it wants.
struct Rig {
  explicit Rig(serve::Policy policy = {}, Notes notes = {})
      : router(
            profile(policy), key_of(7),
            [this](Wish said, bool again) { wish(std::move(said), again); }, std::move(notes)),
        socket(folder.path() + "/s") {
    EXPECT_GE(::sodium_init(), 0);
    EXPECT_TRUE(router.listen({"", 0, socket}));
    loop = std::thread([this] { router.run(); });
  }
  // Who waits still is answered, so that the test comes to its end.
  ~Rig() {
    if (unanswered > 0) router.give_way();
    else router.stop();
    loop.join();
    for (auto& asker : askers) asker.join();
  }
  static serve::Profile profile(serve::Policy policy) {
    serve::Profile profile;
    profile.name = "digits";
    bool is_default = policy.schedule_interval == serve::Policy{}.schedule_interval;
    if (is_default) policy.schedule_interval = 50ms;
    profile.policy = policy;
    return profile;
  }
  Asked ask(const std::string& body, std::uint64_t group = 0, const Router::Left& left = nullptr) {
    auto promise = std::make_shared<std::promise<Answer>>();
    ++unanswered;
    askers.emplace_back([this, promise, body, group, left] {
      promise->set_value(router.ask(body, group, left));
      --unanswered;
    });
    return Asked(promise->get_future());
  }
  Json state() { return json_or_null(router.state()); }
  void wish(Wish said, bool again) {
    std::lock_guard hold(lock);
    wishes.emplace_back(said.kernels, again);
    serving = std::move(said.serving);
    news.notify_all();
  }
  // Has it wished so, by now or soon?
  bool wished(std::uint32_t kernels, bool again) {
    std::unique_lock hold(lock);
    return news.wait_for(hold, kPatience,
                         [&] { return std::ranges::count(wishes, std::pair(kernels, again)) > 0; });
  }
  // Are these the tasks of its kernels, as it said last, by now or soon?
  bool told_serving(const std::vector<TaskNumber>& tasks) {
    std::unique_lock hold(lock);
    return news.wait_for(hold, kPatience, [&] { return serving == tasks; });
  }
  // Waits for so many wishes from now on: looks, each of which has one of the router that decides.
  bool looked(std::size_t times) {
    std::unique_lock hold(lock);
    auto wanted = wishes.size() + times;
    return news.wait_for(hold, kPatience, [&] { return wishes.size() >= wanted; });
  }
  std::uint32_t first_wish() {
    std::unique_lock hold(lock);
    news.wait_for(hold, kPatience, [&] { return !wishes.empty(); });
    return wishes.empty() ? UINT32_MAX : wishes[0].first;
  }

  test::OwnFolder folder;
  std::mutex lock;
  std::condition_variable news;
  std::vector<std::pair<std::uint32_t, bool>> wishes;  // Guarded by lock.
  std::vector<TaskNumber> serving;                     // Guarded by lock.
  Router router;
  std::string socket;
  std::atomic<int> unanswered = 0;
  std::list<std::thread> askers;
  std::thread loop;
};

/// What several routers leave for each other.
struct Board {
  Notes notes(std::uint32_t rank) {
    return {rank, 2, [this, rank](const std::string& note) { leave(rank, note); },
            [this](std::uint32_t of) {
              std::lock_guard hold(lock);
              return left[of];
            }};
  }
  void leave(std::uint32_t rank, const std::string& note) {
    std::lock_guard hold(lock);
    left[rank] = note;
    news.notify_all();
  }
  bool has(std::uint32_t rank) {
    std::unique_lock hold(lock);
    return news.wait_for(hold, kPatience, [&] { return !left[rank].empty(); });
  }
  std::mutex lock;
  std::condition_variable news;
  std::map<std::uint32_t, std::string> left;  // Guarded by lock.
};

}  // namespace wm::router
