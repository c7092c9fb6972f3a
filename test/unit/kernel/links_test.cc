// A kernel and its routers when they are not there yet, are gone, come back, move, mean ill; and
// how a kernel leaves: it is given what it was handed, and nothing more.
#include <signal.h>
#include <sys/socket.h>

#include <list>

#include "libwm/proc/channel.h"
#include "test/support/hostile_peer.h"
#include "test/unit/kernel/kernel_rig.h"

namespace wm::kernel {
namespace {

using namespace std::chrono_literals;
using serve::Word;

constexpr auto kMoment = 150ms;  // something that is not to happen would have by then

constexpr std::uint16_t type_of(Word word) { return static_cast<std::uint16_t>(word); }

class kernel_links : public Rig {
 protected:
  kernel_links() { tell_place(at("s")); }
  void replicas(const char* count) { ::setenv("WM_SERVICE_REPLICA", count, 1); }
  static void heard_leaving(PlayedRouter& router) {
    auto frame = router.heard();
    EXPECT_EQ(frame.type, type_of(Word::Leaving));
    EXPECT_EQ(frame.payload, "");
  }
};

TEST_F(kernel_links, without_a_service_or_its_router_there_is_no_kernel) {
  EXPECT_FALSE(open(0));
  EXPECT_NE(error, "");
  std::filesystem::remove(at("router"));
  EXPECT_FALSE(open(0));
  EXPECT_NE(error.find("no router yet"), std::string::npos);
  std::ofstream(at("key")) << "short";
  EXPECT_FALSE(open(0));
  EXPECT_NE(error.find("no service's folder"), std::string::npos);
}

TEST_F(kernel_links, it_waits_for_a_router_that_is_not_there_yet) {
  auto opened = std::async(std::launch::async, [&] { return open(); });
  EXPECT_EQ(opened.wait_for(kMoment), std::future_status::timeout);
  PlayedRouter router(at("s"));
  auto kernel = opened.get();
  EXPECT_TRUE(kernel) << error;
}

TEST_F(kernel_links, a_router_that_stays_away_longer_than_its_patience_is_told) {
  auto router = std::make_unique<PlayedRouter>(at("s"));
  auto kernel = open(0.1);
  ASSERT_TRUE(kernel) << error;
  router.reset();
  OwnBatch batch;
  EXPECT_EQ(next(kernel, batch), -1);
  EXPECT_NE(error.find("does not come back"), std::string::npos);
}

// The router has given it to others by then.
TEST_F(kernel_links, what_a_lost_connection_brought_and_nobody_took_is_not_given_out) {
  PlayedRouter router(at("s"));
  auto kernel = open();
  ASSERT_TRUE(kernel) << error;
  router.hand({1, {{1, "taken"}}});
  OwnBatch taken, batch;
  ASSERT_EQ(next(kernel, taken), 1);
  router.hand({2, {{2, "not taken"}}});
  router.hang_up();
  ASSERT_TRUE(router.greeted(2));
  router.hand({3, {{3, "handed anew"}}});
  ASSERT_EQ(next(kernel, batch), 1);
  EXPECT_EQ(data(batch), "handed anew");
  taken.reset();
  batch.reset();
  EXPECT_EQ(router.answers().batch, 3u) << "the answer of the earlier connection is dropped";
  EXPECT_EQ(router.hellos().size(), 2u) << "it came back once";
}

// One on a host that is cut off does not hang up.
TEST_F(kernel_links, a_router_that_has_moved_is_followed) {
  PlayedRouter before(at("s")), after(at("t"));
  auto kernel = open();
  ASSERT_TRUE(kernel) << error;
  tell_place(at("t"));
  ASSERT_TRUE(after.greeted(1));
  after.hand({1, {{1, "of the new one"}}});
  OwnBatch batch;
  ASSERT_EQ(next(kernel, batch), 1);
  EXPECT_EQ(data(batch), "of the new one");
  EXPECT_EQ(before.hellos().size(), 1u);
}

TEST_F(kernel_links, one_of_two_routers_may_be_away_for_any_time) {
  replicas("2");
  tell_place(at("t"), "router-1");
  PlayedRouter first(at("s"));
  auto second = std::make_unique<PlayedRouter>(at("t"));
  auto kernel = open(0.05);
  ASSERT_TRUE(kernel) << error;
  second.reset();
  auto waits = std::async(std::launch::async, [&] {
    OwnBatch batch;
    auto said = next(kernel, batch);
    return std::to_string(said) + data(batch);
  });
  EXPECT_EQ(waits.wait_for(3 * kMoment), std::future_status::timeout) << "the other one is there";
  second = std::make_unique<PlayedRouter>(at("t"));
  ASSERT_TRUE(second->greeted(1));
  second->hand({1, {{1, "of the second"}}});
  EXPECT_EQ(waits.get(), "1of the second");
}

TEST_F(kernel_links, a_batch_is_answered_where_it_came_from) {
  replicas("2");
  tell_place(at("t"), "router-1");
  PlayedRouter first(at("s"), 2), second(at("t"), 5);
  auto kernel = open();
  ASSERT_TRUE(kernel) << error;
  EXPECT_EQ(wm_kernel_workers(kernel.get()), 5u) << "as many as any of them has work for";
  for (auto* router : {&second, &first}) {
    router->hand({3, {{3, "x"}}});
    OwnBatch batch;
    ASSERT_EQ(next(kernel, batch), 1);
    batch.reset();
    EXPECT_EQ(router->answers().batch, 3u);
  }
}

TEST_F(kernel_links, a_kernel_that_leaves_says_so_once_and_does_what_it_was_handed) {
  PlayedRouter router(at("s"));
  auto kernel = open();
  ASSERT_TRUE(kernel) << error;
  wm_kernel_leave(kernel.get());
  heard_leaving(router);
  router.hand({1, {{1, "on its way already"}}});
  router.say(Word::Leaving, "");
  OwnBatch batch;
  ASSERT_EQ(next(kernel, batch), 1);
  EXPECT_EQ(data(batch), "on its way already");
  batch.reset();
  EXPECT_EQ(router.answers().batch, 1u);
  EXPECT_EQ(next(kernel, batch), 0);
  EXPECT_EQ(next(kernel, batch), 0) << "and so for each worker";
}

TEST_F(kernel_links, it_leaves_when_all_routers_have_heard_it_whatever_one_repeats) {
  replicas("2");
  tell_place(at("t"), "router-1");
  PlayedRouter first(at("s")), second(at("t"));
  auto kernel = open();
  ASSERT_TRUE(kernel) << error;
  wm_kernel_leave(kernel.get());
  heard_leaving(first);
  heard_leaving(second);
  first.say(Word::Leaving, "");
  first.say(Word::Leaving, "");
  first.hand({1, {{1, "after it"}}});
  OwnBatch batch;
  ASSERT_EQ(next(kernel, batch), 1) << "both of the words before it were heard";
  auto waits = std::async(std::launch::async, [&] {
    OwnBatch last;
    auto said = next(kernel, last);
    return std::to_string(said) + data(last);
  });
  EXPECT_EQ(waits.wait_for(kMoment), std::future_status::timeout) << "the second has not heard it";
  second.hand({2, {{2, "of the second"}}});
  EXPECT_EQ(waits.get(), "1of the second");
  second.say(Word::Leaving, "");
  EXPECT_EQ(next(kernel, batch), 0);
}

TEST_F(kernel_links, one_that_leaves_while_its_router_is_away_waits_for_nobody) {
  auto router = std::make_unique<PlayedRouter>(at("s"));
  auto kernel = open(3600);
  ASSERT_TRUE(kernel) << error;
  router.reset();
  auto none = proc::listen_unix(at("s"));
  ASSERT_TRUE(none);
  Fd tried(::accept(none->get(), nullptr, nullptr));  // it looks for its router
  wm_kernel_leave(kernel.get());
  tried.reset();
  none->reset();
  OwnBatch batch;
  EXPECT_EQ(next(kernel, batch), 0);
}

TEST_F(kernel_links, one_that_is_closed_while_its_router_is_away_waits_for_nobody) {
  auto router = std::make_unique<PlayedRouter>(at("s"));
  auto kernel = open(3600);
  ASSERT_TRUE(kernel) << error;
  router.reset();
  auto none = proc::listen_unix(at("s"));
  ASSERT_TRUE(none);
  Fd tried(::accept(none->get(), nullptr, nullptr));
  tried.reset();
  none->reset();
  kernel.reset();  // in time, or the program ends
}

TEST_F(kernel_links, a_signal_lets_the_kernel_leave_that_asked_for_it_while_it_is_there) {
  PlayedRouter router(at("s"));
  auto kernel = open();
  ASSERT_TRUE(kernel) << error;
  wm_kernel_leave_on_term(kernel.get());
  open(60, "another").reset();  // its end takes nothing from the first
  ASSERT_EQ(router.hellos().size(), 2u);
  ::raise(SIGTERM);
  heard_leaving(router);
  kernel.reset();
  ::raise(SIGTERM);  // of none by now
  ::raise(SIGINT);
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGINT, SIG_DFL);
}

// A thread may never come back from the batch that it has: the process is to be started anew.
TEST_F(kernel_links, a_kernel_that_is_cut_off_ends_its_process_and_says_why) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto cut_off = [&] {
    PlayedRouter router(at("s"));
    auto kernel = open();
    std::filesystem::remove_all(folder.path());  // this process has one of its own, and no end
    router.say(Word::Leaving, "it answers what it was not asked");
    OwnBatch batch;
    (void)next(kernel, batch);
  };
  EXPECT_EXIT(cut_off(), ::testing::ExitedWithCode(1), "it answers what it was not asked");
}

TEST(kernel_process, may_begin_with_opening_a_kernel) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto begin = [] {
    if (wm_kernel_open("/nowhere", "one", 0) == nullptr) std::fputs(wm_kernel_error(), stderr);
    std::exit(0);
  };
  EXPECT_EXIT(begin(), ::testing::ExitedWithCode(0), "no service's folder");
}

TEST_F(kernel_links, routers_that_mean_ill_are_no_routers_and_are_not_waited_for) {
  std::list<test::HostilePeer> crowd;
  std::list<test::OwnFolder> folders;
  std::list<std::future<bool>> opened;
  for (auto manner : test::kManners) {
    auto path = folders.emplace_back().path();
    std::ofstream(path + "/key", std::ios::binary) << std::string(32, '\7');
    std::ofstream(path + "/router") << wire::to_string({"", 0, path + "/s"});
    crowd.emplace_back(test::HostilePeer::End::Listens, path + "/s", manner);
    opened.push_back(std::async(std::launch::async, [path] {
      return OwnKernel(in_time([&] { return wm_kernel_open(path.c_str(), "one", 0); })) != nullptr;
    }));
  }
  for (auto& one : opened) EXPECT_FALSE(one.get());
}

TEST_F(kernel_links, a_router_that_is_stopped_keeps_nobody_from_the_work_of_the_other) {
  replicas("2");
  tell_place(at("t"), "router-1");
  PlayedRouter router(at("s"));
  test::HostilePeer stopped(test::HostilePeer::End::Listens, at("t"), test::Manner::Stopped);
  auto kernel = open();
  ASSERT_TRUE(kernel) << error;
  router.hand({1, {{1, "work"}}});
  OwnBatch batch;
  ASSERT_EQ(next(kernel, batch), 1);
  EXPECT_EQ(data(batch), "work");
}

}  // namespace
}  // namespace wm::kernel
