// A router's loop between requests and kernels, over real sockets with a kernel that the test
// plays: what is handed out and answered, whom it believes, how many kernels it wants, what it
// tells.
#include "daemons/wrouter/router.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <list>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/client/connection.h"
#include "libwm/serve/frames.h"
#include "test/support/folder.h"
#include "test/support/hostile_peer.h"

namespace wm::router {
namespace {

using namespace std::chrono_literals;
using serve::Word;

constexpr Duration kPatience = 30s;  // of what comes in milliseconds

wire::SharedKey key_of(std::uint8_t byte) {
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
  ~Rig() {
    router.stop();
    loop.join();
  }
  static serve::Profile profile(serve::Policy policy) {
    serve::Profile profile;
    profile.name = "digits";
    policy.schedule_interval = 50ms;
    profile.policy = policy;
    return profile;
  }
  std::future<Answer> ask(const std::string& body, std::uint64_t group = 0) {
    return std::async(std::launch::async, [this, body, group] { return router.ask(body, group); });
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
  std::thread loop;
};

TEST(router, a_request_goes_to_a_kernel_and_its_answer_comes_back) {
  Rig rig;
  Kernel kernel(rig.socket);
  auto welcome = kernel.hello();
  ASSERT_TRUE(welcome) << welcome.error().text;
  EXPECT_EQ(welcome->type, static_cast<std::uint16_t>(Word::Welcome));
  EXPECT_EQ(serve::read_welcome(welcome->payload)->workers, 1u);
  auto answer = rig.ask("seven");
  auto batch = kernel.batch();
  ASSERT_EQ(batch.tasks.size(), 1u);
  EXPECT_EQ(batch.tasks[0].data, "seven");
  kernel.answer(batch, "it is ");
  auto told = answer.get();
  EXPECT_EQ(told.status, 200);
  EXPECT_EQ(told.body, "it is seven");
  auto state = rig.state();
  EXPECT_EQ(state["arrived"], 1);
  EXPECT_EQ(state["finished"], 1);
  EXPECT_EQ(state["failed"], 0);
  EXPECT_EQ(state["queued"], 0);
  ASSERT_EQ(state["kernels"].size(), 1u);
  EXPECT_EQ(state["kernels"][0]["instance"], "one");
  EXPECT_EQ(state["kernels"][0]["finished"], 1);
  EXPECT_EQ(state["kernels"][0]["leaving"], false);
}

// The master asks a kernel on a drained host to leave once its successor is among them.
TEST(router, it_says_which_tasks_its_kernels_are_and_leaves_out_those_that_leave) {
  Rig rig;
  Kernel first(rig.socket), second(rig.socket), nobodys(rig.socket);
  ASSERT_TRUE(first.hello("h1-1-a@3"));
  ASSERT_TRUE(nobodys.hello("by hand"));
  EXPECT_TRUE(rig.told_serving({TaskNumber{3}}));
  ASSERT_TRUE(second.hello("h2-1-b@5"));
  EXPECT_TRUE(rig.told_serving({TaskNumber{3}, TaskNumber{5}}));
  first.send(Word::Leaving, "");
  EXPECT_TRUE(rig.told_serving({TaskNumber{5}}));
}

TEST(router, a_kernel_is_told_how_many_may_work_in_it) {
  serve::Policy policy;
  policy.parallel_size = 3;
  Rig rig(policy);
  Kernel kernel(rig.socket);
  EXPECT_EQ(serve::read_welcome(kernel.hello()->payload)->workers, 3u);
}

TEST(router, a_request_waits_for_its_first_kernel) {
  Rig rig;
  auto answer = rig.ask("early");
  Kernel kernel(rig.socket);
  ASSERT_TRUE(kernel.hello());
  kernel.answer(kernel.batch(), "");
  EXPECT_EQ(answer.get().body, "early");
}

TEST(router, what_nobody_waits_for_any_more_is_not_computed) {
  Rig rig;
  std::atomic<bool> left = false;
  auto abandoned = std::async(std::launch::async, [&] {
    return rig.router.ask("abandoned", 0, [&] { return left.load(); });
  });
  auto stays = std::async(std::launch::async,
                          [&] { return rig.router.ask("stays", 0, [] { return false; }); });
  while (rig.state()["queued"] != 2) std::this_thread::sleep_for(1ms);
  left = true;
  EXPECT_EQ(abandoned.get().status, 499);
  EXPECT_EQ(rig.state()["queued"], 1);
  Kernel kernel(rig.socket);
  ASSERT_TRUE(kernel.hello());
  auto batch = kernel.batch();
  ASSERT_EQ(batch.tasks.size(), 1u);
  EXPECT_EQ(batch.tasks[0].data, "stays");
  kernel.answer(batch, "it ");
  EXPECT_EQ(stays.get().body, "it stays");
}

TEST(router, who_left_while_a_kernel_works_is_answered_nothing_and_the_kernel_stays) {
  Rig rig;
  Kernel kernel(rig.socket);
  ASSERT_TRUE(kernel.hello());
  std::atomic<bool> left = false;
  auto abandoned = std::async(
      std::launch::async, [&] { return rig.router.ask("long", 0, [&] { return left.load(); }); });
  auto batch = kernel.batch();
  left = true;
  EXPECT_EQ(abandoned.get().status, 499);
  kernel.answer(batch, "");
  auto next = rig.ask("next");
  kernel.answer(kernel.batch(), "the ");
  EXPECT_EQ(next.get().body, "the next");
}

TEST(router, one_that_was_replaced_tells_all_that_wait_to_come_again_and_ends) {
  Rig rig;
  auto waits = rig.ask("one");
  while (rig.state()["queued"] != 1) std::this_thread::sleep_for(1ms);
  rig.router.give_way();
  auto told = waits.get();
  EXPECT_EQ(told.status, 503);
  EXPECT_GE(told.retry_after, 1);
  rig.loop.join();
  rig.loop = std::thread([] {});
}

TEST(router, what_a_kernel_fails_at_is_no_200) {
  Rig rig;
  Kernel kernel(rig.socket);
  ASSERT_TRUE(kernel.hello());
  auto answer = rig.ask("bad");
  kernel.answer(kernel.batch(), "why ", false);
  EXPECT_NE(answer.get().status, 200);
  EXPECT_EQ(rig.state()["failed"], 1);
}

TEST(router, what_a_lost_kernel_had_another_one_does) {
  Rig rig;
  auto first = std::make_unique<Kernel>(rig.socket);
  ASSERT_TRUE(first->hello("first"));
  auto answer = rig.ask("precious");
  first->batch();
  first.reset();
  Kernel second(rig.socket);
  ASSERT_TRUE(second.hello("second"));
  auto batch = second.batch();
  EXPECT_EQ(batch.tasks.at(0).data, "precious");
  second.answer(batch, "");
  EXPECT_EQ(answer.get().status, 200);
  auto state = rig.state();
  ASSERT_EQ(state["kernels"].size(), 1u);
  EXPECT_EQ(state["kernels"][0]["instance"], "second");
}

TEST(router, a_kernel_that_leaves_is_heard_and_gets_nothing_more) {
  Rig rig;
  Kernel leaver(rig.socket), other(rig.socket);
  ASSERT_TRUE(leaver.hello("leaver"));
  ASSERT_TRUE(other.hello("other"));
  leaver.send(Word::Leaving, "");
  auto heard = leaver.connection.next(kPatience);
  ASSERT_TRUE(heard);
  EXPECT_EQ(heard->type, static_cast<std::uint16_t>(Word::Leaving));
  EXPECT_EQ(heard->payload, "");
  for (int n = 0; n < 3; ++n) {
    auto answer = rig.ask("x");
    other.answer(other.batch(), "");
    EXPECT_EQ(answer.get().status, 200);
  }
  EXPECT_EQ(rig.state()["kernels"][0]["leaving"], true);
}

TEST(router, one_with_another_key_is_no_kernel) {
  Rig rig;
  Kernel stranger(rig.socket, 8, 0s);
  EXPECT_FALSE(stranger.hello());
  EXPECT_EQ(rig.state()["kernels"].size(), 0u);
}

TEST(router, one_that_says_what_is_no_word_is_cut_off) {
  Rig rig;
  for (int kind = 0; kind < 4; ++kind) {
    Kernel kernel(rig.socket);
    ASSERT_TRUE(kernel.hello());
    if (kind == 0) kernel.send(Word::Answers, "rubbish");
    if (kind == 1) kernel.send(Word::Batch, serve::to_bytes(serve::Answers{}));
    if (kind == 2) kernel.send(Word::Hello, serve::to_bytes(serve::KernelHello{"two", "h", 1}));
    if (kind == 3) kernel.send(static_cast<Word>(999), "");
    EXPECT_TRUE(kernel.cut_off()) << kind;
  }
  EXPECT_EQ(rig.state()["kernels"].size(), 0u);
}

TEST(router, one_that_has_not_greeted_is_no_kernel) {
  Rig rig;
  for (auto [word, bytes] :
       {std::pair(Word::Answers, serve::to_bytes(serve::Answers{})),
        std::pair(Word::Leaving, std::string()), std::pair(Word::Hello, std::string("x"))}) {
    Kernel kernel(rig.socket, 7, 0s);
    EXPECT_FALSE(kernel.connection.call(static_cast<std::uint16_t>(word), bytes));
  }
  EXPECT_EQ(rig.state()["kernels"].size(), 0u);
}

TEST(router, one_that_answers_what_it_was_not_asked_is_told_and_cut_off) {
  Rig rig;
  Kernel liar(rig.socket);
  ASSERT_TRUE(liar.hello());
  liar.send(Word::Answers, serve::to_bytes(serve::Answers{77, true, 1, {{5, true, "x"}}}));
  auto told = liar.connection.next(kPatience);
  ASSERT_TRUE(told);
  EXPECT_EQ(told->type, static_cast<std::uint16_t>(Word::Leaving));
  EXPECT_NE(told->payload, "") << "why";
  EXPECT_TRUE(liar.cut_off());
}

TEST(router, an_answer_that_came_late_is_for_nobody) {
  serve::Policy policy;
  policy.execution_timeout = 100ms;
  Rig rig(policy);
  Kernel kernel(rig.socket);
  ASSERT_TRUE(kernel.hello());
  auto answer = rig.ask("slow");
  auto batch = kernel.batch();
  EXPECT_NE(answer.get().status, 200) << "given up without the kernel";
  kernel.answer(batch, "");
  EXPECT_EQ(rig.state()["arrived"], 1);
}

TEST(router, wants_the_least_number_at_once_and_no_request_is_needed_for_it) {
  serve::Policy policy;
  policy.kernel_min = 2;
  Rig rig(policy);
  EXPECT_EQ(rig.first_wish(), 2u);
}

TEST(router, at_zero_kernels_the_first_request_wants_one_again) {
  serve::Policy policy;
  policy.kernel_min = 0;
  Rig rig(policy);
  EXPECT_EQ(rig.first_wish(), 0u);
  auto answer = rig.ask("wake up");
  EXPECT_TRUE(rig.wished(1, true));
  Kernel kernel(rig.socket);
  ASSERT_TRUE(kernel.hello());
  kernel.answer(kernel.batch(), "");
  EXPECT_EQ(answer.get().body, "wake up");
}

TEST(router, another_profile_holds_from_now_on) {
  Rig rig;
  EXPECT_EQ(rig.first_wish(), 1u);
  serve::Policy policy;
  policy.kernel_min = 5;
  policy.parallel_size = 4;
  rig.router.adopt(Rig::profile(policy));
  EXPECT_TRUE(rig.wished(5, false));
  Kernel kernel(rig.socket);
  EXPECT_EQ(serve::read_welcome(kernel.hello()->payload)->workers, 4u);
}

TEST(router, its_figures_are_json) {
  Rig rig;
  auto state = rig.state();
  for (const char* name : {"queued", "in_flight", "oldest_ms", "task_us", "wanted",
                           "requests_per_s", "bytes_per_s", "latency_ms"})
    EXPECT_TRUE(state.contains(name)) << name;
  EXPECT_EQ(state["latency_ms"]["total"].size(), 3u);
  EXPECT_FALSE(json_or_null(rig.router.series(60)).is_null());
}

TEST(router, peers_that_mean_ill_keep_no_kernel_from_its_work) {
  Rig rig;
  std::list<test::HostilePeer> crowd;
  for (auto manner : test::kManners)
    for (int n = 0; n < 3; ++n)
      crowd.emplace_back(test::HostilePeer::End::Connects, rig.socket, manner);
  Kernel kernel(rig.socket);
  ASSERT_TRUE(kernel.hello());
  for (int n = 0; n < 20; ++n) {
    auto answer = rig.ask("n" + std::to_string(n));
    kernel.answer(kernel.batch(), "");
    EXPECT_EQ(answer.get().body, "n" + std::to_string(n));
  }
  EXPECT_EQ(rig.state()["kernels"].size(), 1u) << "nobody else is one";
}

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

TEST(router, routers_of_one_service_leave_word_and_the_first_decides) {
  Board board;
  Rig first({}, board.notes(0)), second({}, board.notes(1));
  EXPECT_EQ(first.first_wish(), 1u);
  EXPECT_TRUE(board.has(0));
  EXPECT_TRUE(board.has(1));
  second.state();
  std::lock_guard hold(second.lock);
  EXPECT_TRUE(second.wishes.empty()) << "it has just begun, and is not the first";
}

TEST(router, it_reads_the_word_of_each_other_router_and_not_its_own) {
  std::mutex lock;
  std::condition_variable news;
  std::set<std::uint32_t> asked;  // Guarded by lock.
  auto read = [&](std::uint32_t rank) {
    std::lock_guard hold(lock);
    asked.insert(rank);
    news.notify_all();
    return std::string();
  };
  Rig rig({}, {1, 3, [](const std::string&) {}, read});
  std::unique_lock hold(lock);
  EXPECT_TRUE(news.wait_for(hold, kPatience, [&] { return asked.contains(2); }));
  EXPECT_EQ(asked, (std::set<std::uint32_t>{0, 2}));
}

// A kernel that cannot import what it needs is not waited for until the time-out.
TEST(router, who_asks_while_kernels_fail_is_told_why_at_once) {
  std::mutex lock;
  KernelFailure failure;  // Guarded by lock.
  auto failed = [&] {
    std::lock_guard hold(lock);
    return failure;
  };
  failure = {wall_now() - std::chrono::minutes(5), "of an earlier start"};
  Rig rig({}, {0, 1, [](const std::string&) {}, nullptr, failed});
  auto asked = rig.ask("x");
  EXPECT_EQ(rig.first_wish(), 1u);
  EXPECT_EQ(asked.wait_for(300ms), std::future_status::timeout) << "that one does not count";
  {
    std::lock_guard hold(lock);
    failure = {wall_now(), "ModuleNotFoundError: No module named 'x'"};
  }
  auto answer = asked.get();
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("No module named 'x'"), std::string::npos) << answer.body;
}

TEST(router, one_alone_leaves_no_word) {
  bool left = false;
  Notes notes{0, 1, [&](const std::string&) { left = true; }, nullptr};
  Rig rig({}, notes);
  EXPECT_EQ(rig.first_wish(), 1u);
  rig.router.adopt(Rig::profile({}));
  rig.state();
  EXPECT_FALSE(left);
}

}  // namespace
}  // namespace wm::router
