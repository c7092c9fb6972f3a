// What a rank asks its host's agent before its exec, and what its environment becomes.
#include "libwm/proc/rank_call.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <thread>

#include "libwm/proc/channel.h"

namespace wm::proc {
namespace {

using Words = std::vector<std::string>;

TEST(rank_call, the_agents_words_go_before_the_users_and_theirs_before_its_defaults) {
  RankAnswer answer{"", {"PMIX_RANK=3", "B=agent"}, {"C=default", "D=default"}};
  EXPECT_EQ(with_answer({"A=1", "B=user", "C=user"}, answer),
            (Words{"A=1", "B=agent", "C=user", "D=default", "PMIX_RANK=3"}));
}

class AtASocket : public testing::Test {
 protected:
  /// Calls; the agent's side says `answer` to the caller.
  Result<RankAnswer> call(const RankAnswer& answer, bool streams = false) {
    auto path = testing::TempDir() + "/ranks." + std::to_string(::getpid());
    auto listener = listen_unix(path);
    EXPECT_TRUE(listener);
    std::thread agent([&] {
      pollfd called{listener->get(), POLLIN, 0};  // it does not block
      ::poll(&called, 1, -1);
      Fd fd(::accept(listener->get(), nullptr, nullptr));
      auto who = receive_rank_call(fd.get());
      if (who) caller_ = who->call;
      if (who && who->out) {
        EXPECT_EQ(::write(who->out.get(), "x", 1), -1);  // the end that is read
        out_ = std::move(who->out);
        hold_ = std::move(who->hold);
      }
      EXPECT_TRUE(answer_rank_call(fd.get(), answer));
    });
    int given[2];
    EXPECT_EQ(::pipe(given), 0);
    Fd ours(given[1]);
    watched_.reset(given[0]);
    streams_.hold = ours.get();
    auto said = call_for_rank(path, {TaskNumber{4}, 3, streams}, streams_);
    agent.join();
    ::unlink(path.c_str());
    return said;
  }
  RankCall caller_;
  Fd out_, hold_, watched_;
  RankStreams streams_;
};

TEST_F(AtASocket, rank_call_says_who_and_hears_the_answer) {
  RankAnswer answer{"", {"PMIX_RANK=3"}, {"X=1"}};
  auto said = call(answer);
  ASSERT_TRUE(said);
  EXPECT_EQ(*said, answer);
  EXPECT_EQ(caller_, (RankCall{TaskNumber{4}, 3}));
}

TEST_F(AtASocket, rank_call_hands_over_the_other_ends_of_its_output) {
  ASSERT_TRUE(call({}, true));
  EXPECT_TRUE(caller_.streams);
  ASSERT_EQ(::write(streams_.out.get(), "said", 4), 4);
  char text[8] = "";
  EXPECT_EQ(::read(out_.get(), text, sizeof text), 4);
  EXPECT_STREQ(text, "said");
}

TEST_F(AtASocket, rank_call_hands_over_what_the_agent_is_to_hold) {
  ASSERT_TRUE(call({}, true));
  ASSERT_TRUE(hold_);
  pollfd watched{watched_.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&watched, 1, 0), 0);  // the caller's own end is closed, the agent's is not
  hold_.reset();
  EXPECT_EQ(::poll(&watched, 1, 0), 1);
  EXPECT_EQ(watched.revents, POLLHUP);
}

TEST_F(AtASocket, rank_call_fails_with_the_agents_reason) {
  auto said = call(RankAnswer{"PMIx: no library", {}, {}});
  ASSERT_FALSE(said);
  EXPECT_EQ(said.error().text, "PMIx: no library");
}

}  // namespace
}  // namespace wm::proc
