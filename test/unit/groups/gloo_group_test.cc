// Groups over gloo, each member in a thread of its own over loopback.
#include "libwm/trainer/groups/gloo_group.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <future>
#include <numeric>
#include <thread>

#include "libwm/trainer/groups/proof.h"
#include "libwm/trainer/groups/store.h"

namespace wm::groups {
namespace {

using namespace std::chrono_literals;
constexpr auto kPatience = 20s;
const std::string kKey(kProofBytes, 'k'), kOther(kProofBytes, 'o');

// A backend of a worker of this job.
std::unique_ptr<Backend> backend(const std::string& key = kKey) {
  std::string why;
  auto made = make_gloo("127.0.0.1", why);
  made->use_key(key);
  return made;
}

class Gloo : public testing::Test {
 protected:
  // Members of one epoch, in rank order.
  std::vector<std::shared_ptr<Group>> connect(int world) {
    while (static_cast<int>(backends_.size()) < world) backends_.push_back(backend());
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
  backends_.push_back(backend());
  auto coming = std::async(std::launch::async,
                           [&] { return backends_[0]->connect(plan(0, 2), cancelled_, why); });
  cancelled_ = true;
  ASSERT_EQ(coming.wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(coming.get(), nullptr);
  EXPECT_EQ(why, "a member did not come in time");
}

TEST_F(Gloo, a_worker_of_another_job_is_no_member) {
  backends_.push_back(backend());
  backends_.push_back(backend(kOther));
  std::string why;
  EXPECT_EQ(backends_[1]->connect(plan(1, 2), cancelled_, why), nullptr);
  EXPECT_EQ(why, "rank 0 at " + backends_[0]->rendezvous() +
                     " does not answer, or does not hold the key of this job");
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

class Store : public testing::Test {
 protected:
  Store() { server_->use_key(kKey); }
  std::unique_ptr<StoreClient> client(std::string prefix, const std::string& key = kKey) {
    return StoreClient::open(server_->address(), std::move(prefix), key,
                             StoreClient::Clock::now() + kPatience, cancelled_);
  }
  // A connection that has proved nothing.
  int stranger() {
    int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    timeval limit{20, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    auto port = server_->address().substr(server_->address().rfind(':') + 1);
    at.sin_port = htons(static_cast<std::uint16_t>(std::stoi(port)));
    ::inet_pton(AF_INET, "127.0.0.1", &at.sin_addr);
    EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at), 0);
    return fd;
  }
  // Says `words`, and nothing more. Returns all that is answered.
  static std::string answer_to(int fd, const std::string& words) {
    EXPECT_EQ(::send(fd, words.data(), words.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(words.size()));
    ::shutdown(fd, SHUT_WR);
    std::string got;
    std::array<char, 256> chunk;
    for (ssize_t n; (n = ::recv(fd, chunk.data(), chunk.size(), 0)) > 0;)
      got.append(chunk.data(), static_cast<std::size_t>(n));
    ::close(fd);
    return got;
  }

  std::unique_ptr<StoreServer> server_ = StoreServer::open("127.0.0.1");
  std::atomic<bool> cancelled_{false};
};

TEST_F(Store, answers_with_what_was_set_and_knows_prefixes_apart) {
  auto one = client("a"), two = client("b");
  std::string value("\0\1 bytes", 8);
  ASSERT_TRUE(one->set("k", value));
  ASSERT_TRUE(two->set("k", ""));
  EXPECT_EQ(one->get("k"), value);
  EXPECT_EQ(two->get("k"), "");
  cancelled_ = true;
  EXPECT_EQ(one->get("other"), std::nullopt);
}

TEST_F(Store, a_server_that_ends_ends_the_waiting) {
  auto one = client("a");
  auto waiting = std::async(std::launch::async, [&] { return one->get("never"); });
  server_ = nullptr;
  ASSERT_EQ(waiting.wait_for(kPatience), std::future_status::ready);
  EXPECT_EQ(waiting.get(), std::nullopt);
}

TEST_F(Store, requests_of_one_who_proves_nothing_are_neither_answered_nor_done) {
  auto member = client("a");
  ASSERT_TRUE(member->set("k", "secret"));
  std::string size("\0\0\0\3", 4), none(4, '\0');
  auto ask = "G" + size + "a/k" + none, put = "S" + size + "a/k" + size + "bad";
  for (const auto& words :
       {ask, put, std::string(32, '0') + put + std::string(32, '0'), std::string(64, '0') + ask}) {
    EXPECT_EQ(answer_to(stranger(), words).find("secret"), std::string::npos);
  }
  EXPECT_EQ(member->get("k"), "secret");
}

TEST_F(Store, a_worker_of_another_job_is_not_let_in_nor_is_one_before_the_key_is_known) {
  EXPECT_EQ(client("a", kOther), nullptr);
  EXPECT_EQ(client("a", ""), nullptr);
  server_->use_key("");
  EXPECT_EQ(client("a"), nullptr);
}

TEST_F(Store, strangers_who_say_nothing_keep_no_member_out) {
  std::vector<int> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(stranger());
  auto late = client("a");
  ASSERT_TRUE(late);
  EXPECT_TRUE(late->set("k", "1"));
  for (int fd : silent) ::close(fd);
}

TEST(proof, is_the_same_as_the_python_trainers) {  // hmac.digest in proof.py
  std::string nonces(64, '\1');
  auto made = proof_of(kKey, "client", "127.0.0.1:5", nonces);
  EXPECT_EQ(static_cast<unsigned char>(made[0]), 0x93);
  EXPECT_EQ(static_cast<unsigned char>(made[31]), 0xd4);
  EXPECT_TRUE(fits(made, made));
  EXPECT_FALSE(fits(made, proof_of(kKey, "server", "127.0.0.1:5", nonces)));
  EXPECT_FALSE(fits(made, made.substr(1)));
}

}  // namespace
}  // namespace wm::groups
