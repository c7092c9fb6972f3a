// Role: a visit carries bytes both ways between its owner and an application of this host alone.
#include "daemons/wagent/launch/visit.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "libwm/proc/channel.h"
#include "test/support/folder.h"

namespace wm::wagent {
namespace {

class visit : public ::testing::Test {
 protected:
  test::OwnFolder folder_;
  std::string path_ = folder_.path() + "/visit";
  boost::asio::io_context loop_;
  std::string heard_;
  std::uint64_t taken_ = 0;
  int ups_ = 0;
  std::optional<LaunchEnded> ended_;

  Result<std::unique_ptr<Visit>> start(const std::string& address) {
    return Visit::start(loop_, {address}, [this](const FromLaunch& words) {
      if (auto* output = std::get_if<LaunchOutput>(&words)) heard_ += output->bytes;
      if (auto* taken = std::get_if<LaunchTaken>(&words)) taken_ += taken->bytes;
      if (std::holds_alternative<LaunchUp>(words)) ++ups_;
      if (auto* ended = std::get_if<LaunchEnded>(&words)) ended_ = *ended;
    });
  }
  template <class Condition>
  void run_until(Condition met) {
    auto until = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!met() && std::chrono::steady_clock::now() < until) {
      loop_.restart();
      loop_.run_one_for(std::chrono::milliseconds(100));
    }
  }
};

TEST_F(visit, carries_both_ways_until_the_application_closes) {
  auto listening = proc::listen_unix(path_);
  ASSERT_TRUE(listening);
  auto going = start(path_);
  ASSERT_TRUE(going);
  (*going)->on(LaunchInput{"early "});
  run_until([&] { return ups_ == 1; });
  Fd application(::accept(listening->get(), nullptr, nullptr));
  (*going)->on(LaunchInput{"late"});
  run_until([&] { return taken_ == 10; });
  char bytes[32] = "";
  EXPECT_EQ(::recv(application.get(), bytes, 10, MSG_WAITALL), 10);
  EXPECT_STREQ(bytes, "early late");
  ASSERT_EQ(::send(application.get(), "answer", 6, MSG_NOSIGNAL), 6);
  application.reset();
  run_until([&] { return ended_.has_value(); });
  EXPECT_EQ(heard_, "answer");
  ASSERT_TRUE(ended_);
  EXPECT_FALSE(ended_->refused);
}

TEST_F(visit, where_nobody_listens_it_is_refused) {
  auto going = start("/nonexistent/web");
  ASSERT_TRUE(going);
  run_until([&] { return ended_.has_value(); });
  ASSERT_TRUE(ended_);
  EXPECT_TRUE(ended_->refused);
}

TEST_F(visit, goes_nowhere_but_to_this_host) {
  for (const char* other : {"10.0.0.1:80", "0.0.0.0:80", "example.org:80", "nonsense", ""})
    EXPECT_FALSE(start(other)) << other;
}

}  // namespace
}  // namespace wm::wagent
