// The socket of the agents as any local user may misuse it.
#include "daemons/wnoded/rim/agents.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "libwm/codec/codec.h"
#include "test/support/folder.h"
#include "test/support/loop.h"

namespace wm::node {
namespace {

using launch::AttemptKey;

constexpr std::size_t kOfOneUser = 3;
const AttemptKey kOurs{{7, 0}, {1}};

class agents : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = wm::test::made_folder();
    ASSERT_TRUE(agents_.listen(path()));
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path() const { return folder_ + "/node.sock"; }
  Fd connect() {
    auto fd = proc::connect_unix(path());
    EXPECT_TRUE(fd);
    return fd ? *std::move(fd) : Fd();
  }
  static std::string report(std::uint32_t job) {
    return codec::encode(AgentReport{{job, 0}, {1}, {}, JobProgress{}});
  }
  static std::string framed(const std::string& bytes) {
    std::string frame;
    for (int i = 0; i < 4; ++i) frame += static_cast<char>(bytes.size() >> (8 * i));
    return frame + bytes;
  }
  /// In one write, so that all of it has arrived when the first is looked at.
  static void say(const Fd& fd, const std::string& bytes) {
    ASSERT_EQ(::write(fd.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }

  test::Loop loop_;
  std::string folder_;
  std::vector<AttemptKey> asked_, heard_;
  Agents agents_{loop_.context,
                 [this](const AttemptKey& key, std::uint32_t uid) {
                   asked_.push_back(key);
                   return uid == ::geteuid() && key == kOurs;
                 },
                 [this](const AttemptKey& key, const AgentReport&) { heard_.push_back(key); },
                 kOfOneUser};
};

TEST_F(agents, who_speaks_for_its_attempt_is_heard) {
  auto fd = connect();
  say(fd, framed(report(7)) + framed(report(7)));
  ASSERT_TRUE(loop_.until([&] { return heard_.size() == 2; }));
  EXPECT_EQ(heard_[0], kOurs);
  EXPECT_EQ(asked_.size(), 1u);
}

TEST_F(agents, of_one_that_is_refused_nothing_more_is_heard) {
  auto fd = connect();
  say(fd, framed(report(99)) + framed(report(7)));
  ASSERT_TRUE(loop_.until([&] { return !asked_.empty() && agents_.connections() == 0; }));
  EXPECT_EQ(asked_.size(), 1u) << "not even what has arrived with the refused words";
  EXPECT_TRUE(heard_.empty());
}

TEST_F(agents, one_that_is_refused_leaves_nothing_behind) {
  auto fd = connect();
  say(fd, framed(report(99)) + framed("\xff\xff"));
  ASSERT_TRUE(loop_.until([&] { return !asked_.empty(); }));
  EXPECT_EQ(agents_.connections(), 0u);
}

TEST_F(agents, words_that_cannot_be_read_end_the_connection) {
  auto fd = connect();
  say(fd, framed("\xff\xff"));
  ASSERT_TRUE(loop_.until([&] { return agents_.connections() == 1; }));
  EXPECT_TRUE(loop_.until([&] { return agents_.connections() == 0; }));
}

TEST_F(agents, one_user_cannot_hold_all_places) {
  std::vector<Fd> silent;
  for (std::size_t i = 0; i < kOfOneUser; ++i) silent.push_back(connect());
  ASSERT_TRUE(loop_.until([&] { return agents_.connections() == kOfOneUser; }));
  auto late = connect();
  char byte = 0;
  EXPECT_TRUE(loop_.until([&] { return ::recv(late.get(), &byte, 1, MSG_DONTWAIT) == 0; }));
  EXPECT_EQ(agents_.connections(), kOfOneUser);
  silent.pop_back();
  ASSERT_TRUE(loop_.until([&] { return agents_.connections() < kOfOneUser; }));
  auto next = connect();
  say(next, framed(report(7)));
  EXPECT_TRUE(loop_.until([&] { return !heard_.empty(); }));
}

}  // namespace
}  // namespace wm::node
