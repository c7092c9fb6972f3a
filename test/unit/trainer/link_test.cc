// The link and the C interface over it, against an agent's end played by the test.
#include "libwm/trainer/link.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "libwm/codec/codec.h"
#include "libwm/model/node/worker_key.h"
#include "libwm/trainer/wmtrainer.h"
#include "test/support/folder.h"

namespace wm::trainer {
namespace {

using namespace std::chrono_literals;
constexpr Duration kPatience = 10s;

// The agent's end of link 2.
class AgentEnd {
 public:
  explicit AgentEnd(const std::string& path) {
    listener_ = ::socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listener_, 4), 0);
  }
  ~AgentEnd() {
    hang_up();
    ::close(listener_);
  }
  void accept() {
    fd_ = ::accept(listener_, nullptr, nullptr);
    timeval limit{10, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  void hang_up() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  void tell(const ToWorker& words) { raw(codec::encode(words)); }
  void give(const std::string& key) { raw(codec::encode(WorkerKey{key})); }
  void raw(const std::string& bytes) {
    std::string out(4, '\0');
    for (int i = 0; i < 4; ++i) out[i] = static_cast<char>(bytes.size() >> (8 * i));
    out += bytes;
    EXPECT_EQ(::send(fd_, out.data(), out.size(), 0), static_cast<ssize_t>(out.size()));
  }
  // The next words; Done{999} when the link was closed.
  FromWorker any() {
    unsigned char head[4];
    if (::recv(fd_, head, 4, MSG_WAITALL) != 4) return WorkerDone{999};
    std::string bytes(head[0] | head[1] << 8 | head[2] << 16, '\0');
    EXPECT_EQ(::recv(fd_, bytes.data(), bytes.size(), MSG_WAITALL),
              static_cast<ssize_t>(bytes.size()));
    auto words = codec::decode<FromWorker>(bytes);
    EXPECT_TRUE(words);
    return *words;
  }
  // The next that are no progress report.
  FromWorker next() {
    while (true) {
      FromWorker words = any();
      if (!std::holds_alternative<WorkerProgress>(words)) return words;
    }
  }

 private:
  int listener_ = -1;
  int fd_ = -1;
};

struct link_test : testing::Test {
  test::OwnFolder folder;
  std::string path = folder.path() + "/link";
  WorkerHello hello{1, TaskNumber{2}, 11, 4};
};

TEST_F(link_test, says_hello_then_what_it_is_told_to_say) {
  AgentEnd agent(path);
  auto link = Link::open(path, hello);
  ASSERT_TRUE(link);
  (*link)->say(WorkerReady{"127.0.0.1:5"});
  agent.accept();
  EXPECT_EQ(agent.next(), FromWorker{hello});
  EXPECT_EQ(agent.next(), FromWorker{WorkerReady{"127.0.0.1:5"}});
  (*link)->say(WorkerConnected{EpochNumber{1}});
  EXPECT_EQ(agent.next(), FromWorker{WorkerConnected{EpochNumber{1}}});
}

TEST_F(link_test, reconnects_and_repeats_what_still_holds) {  // W-2
  AgentEnd agent(path);
  auto link = Link::open(path, hello);
  agent.accept();
  EXPECT_EQ(agent.next(), FromWorker{hello});
  WorkerSwitched switched{EpochNumber{1}, 3, {}, false};
  (*link)->say(switched);
  EXPECT_EQ(agent.next(), FromWorker{switched});
  agent.hang_up();
  agent.accept();
  EXPECT_EQ(agent.next(), FromWorker{hello});
  EXPECT_EQ(agent.next(), FromWorker{switched});
}

TEST_F(link_test, a_reporter_says_its_progress_alone_and_only_after_steps) {  // W-13
  AgentEnd agent(path);
  wm_trainer* trainer = nullptr;
  ASSERT_EQ(wm_trainer_open(path.c_str(), 0, 0, &trainer), 0);
  wm_trainer_ready(trainer, "127.0.0.1:5");
  wm_progress values{};
  values.epoch = 2;
  values.step = 7;
  values.step_time_s = 0.5;
  wm_trainer_progress(trainer, &values);
  agent.accept();
  auto first = agent.any();
  ASSERT_TRUE(std::holds_alternative<WorkerProgress>(first));
  EXPECT_EQ(std::get<WorkerProgress>(first).epoch, EpochNumber{2});
  EXPECT_EQ(std::get<WorkerProgress>(first).step, 7u);
  values.step = 8;
  wm_trainer_progress(trainer, &values);
  ASSERT_EQ(std::get<WorkerProgress>(agent.any()).step, 8u) << "7 was not said twice";
  wm_trainer_close(trainer);
}

TEST_F(link_test, hands_on_plans_in_order_and_drops_dead_ones) {
  AgentEnd agent(path);
  auto link = Link::open(path, hello);
  agent.accept();
  agent.tell(EpochWithdrawn{EpochNumber{4}, "late"});
  agent.tell(EpochPlan{EpochNumber{4}, LeadNumber{1}, {}, "", false, "dead", 0});
  agent.tell(EpochPlan{EpochNumber{5}, LeadNumber{1}, {}, "", false, "alive", 0});
  EXPECT_EQ((*link)->wait(kPatience), ToWorker(EpochWithdrawn{EpochNumber{4}, "late"}));
  auto words = (*link)->wait(kPatience);
  ASSERT_TRUE(words);
  EXPECT_EQ(std::get<EpochPlan>(*words).reason, "alive");
}

TEST_F(link_test, a_frame_that_does_not_decode_ends_the_connection) {  // F-1
  AgentEnd agent(path);
  auto link = Link::open(path, hello);
  agent.accept();
  EXPECT_EQ(agent.next(), FromWorker{hello});
  agent.raw("\x0a\xff\xff\xff");
  EXPECT_EQ(agent.next(), FromWorker{WorkerDone{999}});
}

TEST_F(link_test, last_words_are_said_before_it_ends) {
  AgentEnd agent(path);
  {
    auto link = Link::open(path, hello);
    (*link)->say(WorkerLeft{EpochNumber{2}});
  }
  agent.accept();
  EXPECT_EQ(agent.next(), FromWorker{hello});
  EXPECT_EQ(agent.next(), FromWorker{WorkerLeft{EpochNumber{2}}});
}

TEST_F(link_test, stop_ends_a_wait) {
  auto link = Link::open("", hello);
  std::thread stopper([&] { (*link)->stop(); });
  EXPECT_FALSE((*link)->wait(Duration(-1)));
  stopper.join();
}

TEST_F(link_test, a_path_too_long_for_a_unix_address_is_refused) {
  auto link = Link::open(std::string(200, 'x'), hello);
  ASSERT_FALSE(link);
  EXPECT_EQ(link.error().code, Code::Limit);
}

TEST_F(link_test, the_c_interface_shows_a_plan_whole) {
  AgentEnd agent(path);
  wm_trainer* t = nullptr;
  ASSERT_EQ(wm_trainer_open(path.c_str(), 2, 4, &t), 0);
  agent.accept();
  agent.tell(EpochPlan{EpochNumber{7},
                       LeadNumber{2},
                       {TaskNumber{3}, TaskNumber{1}},
                       "a:1",
                       true,
                       "lost task 2",
                       1});
  wm_event e;
  ASSERT_EQ(wm_trainer_wait(t, 10000, &e), 0);
  EXPECT_EQ(e.kind, WM_EVENT_PLAN);
  EXPECT_EQ(e.epoch, 7u);
  EXPECT_EQ(e.survivors, 1u);
  EXPECT_EQ(e.emergency, 1);
  EXPECT_EQ(std::vector<std::uint32_t>(e.members, e.members + e.member_count),
            (std::vector<std::uint32_t>{3, 1}));
  EXPECT_STREQ(e.rendezvous, "a:1");
  EXPECT_STREQ(e.reason, "lost task 2");
  wm_trainer_close(t);
}

TEST_F(link_test, the_key_of_the_workers_is_given_beside_the_words_and_is_no_word) {
  AgentEnd agent(path);
  wm_trainer* t = nullptr;
  ASSERT_EQ(wm_trainer_open(path.c_str(), 2, 4, &t), 0);
  agent.accept();
  unsigned char key[32] = {};
  EXPECT_EQ(wm_trainer_key(t, 0, key), -1);
  EXPECT_STREQ(wm_trainer_error(), "the agent has given no key");
  agent.give("too short");
  std::string given = "the key of the workers of a test";
  agent.give(given);
  EXPECT_EQ(wm_trainer_key(t, 10000, key), 0);
  EXPECT_EQ(std::string(key, key + sizeof key), given);
  wm_event e;
  EXPECT_EQ(wm_trainer_wait(t, 0, &e), 0);
  EXPECT_EQ(e.kind, WM_EVENT_NONE);
  wm_trainer_stop(t);
  EXPECT_EQ(wm_trainer_key(t, -1, key), -1);
  wm_trainer_close(t);
}

TEST(wmtrainer, mac_is_hmac_sha_256) {  // RFC 4231, test case 1: its key is padded with zeros
  unsigned char key[32] = {}, mac[32];
  std::fill_n(key, 20, static_cast<unsigned char>(0x0b));
  wm_trainer_mac(key, "Hi There", 8, mac);
  EXPECT_EQ(mac[0], 0xb0);
  EXPECT_EQ(mac[1], 0x34);
  EXPECT_EQ(mac[31], 0xf7);
  EXPECT_EQ(wm_trainer_key(nullptr, 0, key), -1);
}

TEST(wmtrainer, without_a_handle_every_word_is_dropped) {
  wm_event e;
  EXPECT_EQ(wm_trainer_ready(nullptr, "x"), 0);
  EXPECT_EQ(wm_trainer_wait(nullptr, 0, &e), 0);
  EXPECT_EQ(e.kind, WM_EVENT_NONE);
}

TEST(wmtrainer, positions_of_a_pass_name_every_sample_once_and_none_beyond) {
  wm_ledger ledger{101, 5, 1};
  std::vector<std::uint64_t> out(101), seeds(101), sorted;
  ASSERT_EQ(wm_ledger_samples(&ledger, 2, 0, 101, out.data(), seeds.data()), 0);
  sorted = out;
  std::sort(sorted.begin(), sorted.end());
  for (std::uint64_t i = 0; i < 101; ++i) EXPECT_EQ(sorted[i], i);
  EXPECT_EQ(wm_ledger_samples(&ledger, 2, 100, 2, out.data(), nullptr), -1);
  EXPECT_STREQ(wm_trainer_error(), "ledger: positions 100+2 of 101");
}

}  // namespace
}  // namespace wm::trainer
