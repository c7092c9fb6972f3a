// A router's loop between requests and kernels, over real sockets with a kernel that the test
// plays: what is handed out and answered, whom it believes, how many kernels it wants, what it
// tells.
#include "daemons/wrouter/router.h"

#include <gtest/gtest.h>

#include <atomic>
#include <list>
#include <mutex>
#include <set>

#include "test/support/hostile_peer.h"
#include "test/unit/wrouter/router_rig.h"

namespace wm::router {
namespace {

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
  std::atomic<bool> left = false;
  Rig rig;
  auto abandoned = rig.ask("abandoned", 0, [&] { return left.load(); });
  auto stays = rig.ask("stays", 0, [] { return false; });
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
  std::atomic<bool> left = false;
  Rig rig;
  Kernel kernel(rig.socket);
  ASSERT_TRUE(kernel.hello());
  auto abandoned = rig.ask("long", 0, [&] { return left.load(); });
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
  int looks = 0;                  // Guarded by lock.
  auto leave = [&](const std::string&) {
    std::lock_guard hold(lock);
    ++looks;
    news.notify_all();
  };
  auto read = [&](std::uint32_t rank) {
    std::lock_guard hold(lock);
    asked.insert(rank);
    return std::string();
  };
  Rig rig({}, {1, 3, leave, read});
  std::unique_lock hold(lock);
  EXPECT_TRUE(news.wait_for(hold, kPatience, [&] { return looks > 1; }));
  EXPECT_EQ(asked, (std::set<std::uint32_t>{0, 2}));
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
