// Groups over gloo, each member in a thread of its own over loopback.
#include "libwm/trainer/groups/gloo_group.h"

#include <gtest/gtest.h>

#include <future>
#include <numeric>
#include <thread>

#include "libwm/trainer/groups/store.h"

namespace wm::groups {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatience = 20s;

class Gloo : public testing::Test {
 protected:
  // Members of one epoch, in rank order.
  std::vector<std::shared_ptr<Group>> connect(int world) {
    std::string why;
    while (static_cast<int>(backends_.size()) < world)
      backends_.push_back(make_gloo("127.0.0.1", why));
    ++epoch_;
    std::vector<std::future<std::shared_ptr<Group>>> coming;
    for (int rank = 0; rank < world; ++rank)
      coming.push_back(std::async(std::launch::async, [this, rank, world] {
        std::string problem;
        return backends_[static_cast<std::size_t>(rank)]->connect(plan(rank, world), cancelled_,
                                                                  problem);
      }));
    std::vector<std::shared_ptr<Group>> groups;
    for (auto& one : coming) groups.push_back(one.get());
    return groups;
  }
  Plan plan(int rank, int world) const {
    return {.epoch = epoch_,
            .lead = 1,
            .rank = rank,
            .world = world,
            .rendezvous = backends_[0]->rendezvous()};
  }

  std::vector<std::unique_ptr<Backend>> backends_;
  std::atomic<bool> cancelled_{false};
  std::uint32_t epoch_ = 0;
};

TEST_F(Gloo, sums_are_the_same_bits_on_all_members) {
  auto groups = connect(3);
  std::vector<std::future<std::vector<double>>> sums;
  for (std::size_t rank = 0; rank < 3; ++rank)
    sums.push_back(std::async(std::launch::async, [group = groups[rank], rank] {
      std::vector<double> values(1001);
      std::iota(values.begin(), values.end(), 0.1 * static_cast<double>(rank));
      EXPECT_TRUE(group->sum(values));
      return values;
    }));
  auto first = sums[0].get();
  EXPECT_NEAR(first[10], 30.3, 1e-12);
  EXPECT_EQ(sums[1].get(), first);
  EXPECT_EQ(sums[2].get(), first);
}

TEST_F(Gloo, messages_arrive_while_nobody_sums) {
  auto groups = connect(2);
  std::string text(3'000'000, 'x'), got(text.size(), '\0');
  auto sent = std::async(std::launch::async, [&] { return groups[0]->send(text, 1); });
  EXPECT_TRUE(groups[1]->receive(got, 0));
  EXPECT_TRUE(sent.get());
  EXPECT_EQ(got, text);
}

TEST_F(Gloo, an_abort_ends_a_sum_that_waits) {
  auto groups = connect(3);
  auto waiting = [&](std::size_t rank) {
    return std::async(std::launch::async, [group = groups[rank]] {
      std::vector<double> values{1, 2, 3};
      bool good = group->sum(values);
      EXPECT_EQ(values, (std::vector<double>{1, 2, 3}));
      return good;
    });
  };
  auto one = waiting(0), two = waiting(1);  // the third never comes
  for (auto& group : groups) group->abort();
  ASSERT_EQ(one.wait_for(kPatience), std::future_status::ready);
  ASSERT_EQ(two.wait_for(kPatience), std::future_status::ready);
  EXPECT_FALSE(one.get());
  EXPECT_FALSE(two.get());
  EXPECT_TRUE(groups[0]->dead());
  std::vector<double> late{1};
  EXPECT_FALSE(groups[0]->sum(late));
}

TEST_F(Gloo, an_abort_ends_a_message_that_waits) {
  auto groups = connect(2);
  auto waiting = std::async(std::launch::async, [group = groups[0]] {
    std::string got(10, '\0');
    return group->receive(got, 1);
  });
  groups[0]->abort();
  ASSERT_EQ(waiting.wait_for(kPatience), std::future_status::ready);
  EXPECT_FALSE(waiting.get());
}

TEST_F(Gloo, all_leave_in_peace) {
  auto groups = connect(2);
  auto other = std::async(std::launch::async, [&] { groups[1]->leave(); });
  auto began = std::chrono::steady_clock::now();
  groups[0]->leave();
  other.get();
  EXPECT_LT(std::chrono::steady_clock::now() - began, kLeaveLimit);
}

TEST_F(Gloo, a_second_group_stands_beside_the_first) {
  auto old = connect(2);
  auto next = connect(3);
  std::vector<double> a{1}, b{1};
  auto peer = std::async(std::launch::async, [&] { return old[1]->sum(b); });
  EXPECT_TRUE(old[0]->sum(a));
  EXPECT_TRUE(peer.get());
  for (auto& group : next) group->abort();  // is nothing to the members of the first
  std::vector<double> c{1}, d{1};
  auto again = std::async(std::launch::async, [&] { return old[1]->sum(d); });
  EXPECT_TRUE(old[0]->sum(c));
  EXPECT_TRUE(again.get());
}

TEST_F(Gloo, connecting_to_a_member_that_does_not_come_ends_when_cancelled) {
  std::string why;
  backends_.push_back(make_gloo("127.0.0.1", why));
  auto coming = std::async(std::launch::async,
                           [&] { return backends_[0]->connect(plan(0, 2), cancelled_, why); });
  cancelled_ = true;
  ASSERT_EQ(coming.wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(coming.get(), nullptr);
  EXPECT_EQ(why, "a member did not come in time");
}

TEST_F(Gloo, one_member_needs_nobody) {
  auto groups = connect(1);
  std::vector<double> values{1.5};
  EXPECT_TRUE(groups[0]->sum(values));
  EXPECT_EQ(values[0], 1.5);
}

TEST(gloo, an_address_of_another_host_is_refused) {
  std::string why;
  EXPECT_EQ(make_gloo("192.0.2.1", why), nullptr);
  EXPECT_EQ(why, "cannot listen at 192.0.2.1");
}

TEST(store, answers_with_what_was_set_and_knows_prefixes_apart) {
  std::atomic<bool> cancelled{false};
  auto server = StoreServer::open("127.0.0.1");
  ASSERT_TRUE(server);
  auto soon = StoreClient::Clock::now() + kPatience;
  auto one = StoreClient::open(server->address(), "a", soon, cancelled);
  auto two = StoreClient::open(server->address(), "b", soon, cancelled);
  std::string value("\0\1 bytes", 8);
  ASSERT_TRUE(one->set("k", value));
  ASSERT_TRUE(two->set("k", ""));
  EXPECT_EQ(one->get("k"), value);
  EXPECT_EQ(two->get("k"), "");
  cancelled = true;
  EXPECT_EQ(one->get("other"), std::nullopt);
}

TEST(store, a_server_that_ends_ends_the_waiting) {
  std::atomic<bool> cancelled{false};
  auto server = StoreServer::open("127.0.0.1");
  auto client =
      StoreClient::open(server->address(), "a", StoreClient::Clock::now() + kPatience, cancelled);
  auto waiting = std::async(std::launch::async, [&] { return client->get("never"); });
  server = nullptr;
  ASSERT_EQ(waiting.wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(waiting.get(), std::nullopt);
}

}  // namespace
}  // namespace wm::groups
