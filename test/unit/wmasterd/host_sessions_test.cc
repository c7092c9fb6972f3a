// Who is connected, and which host has been silent for too long.
#include "daemons/wmasterd/hosts/host_sessions.h"

#include <gtest/gtest.h>

namespace wm::master {
namespace {

using std::chrono::seconds;

class host_sessions : public ::testing::Test {
 protected:
  PeerId join(std::uint64_t peer, std::uint32_t host, Duration attended = {}) {
    return sessions_.join(PeerId{peer}, HostId{host}, true, WallTime{seconds(1000)}, attended);
  }
  bool is_silent(Duration attended) {
    return sessions_.is_silent(h1_, attended, seconds(10), seconds(60));
  }

  HostSessions sessions_;
  const HostId h1_{1};
};

TEST_F(host_sessions, one_that_joins_speaks_for_its_host_and_takes_orders_once_that_is_durable) {
  EXPECT_FALSE(sessions_.connected(h1_));
  EXPECT_FALSE(join(7, 1));
  EXPECT_EQ(sessions_.host_of(PeerId{7}), h1_);
  EXPECT_TRUE(sessions_.connected(h1_));
  auto line = sessions_.line(h1_);
  EXPECT_EQ(line.peer, PeerId{7});
  EXPECT_TRUE(line.takes_changes);
  EXPECT_FALSE(line.registered);
  sessions_.of(h1_).registered = true;
  EXPECT_FALSE(join(7, 1)) << "it registers again: nobody gives way";
  EXPECT_FALSE(sessions_.line(h1_).registered);
}

TEST_F(host_sessions, a_newer_session_takes_the_place_of_the_one_before) {
  join(7, 1);
  EXPECT_EQ(join(8, 1), PeerId{7});
  EXPECT_FALSE(sessions_.host_of(PeerId{7}));
  EXPECT_FALSE(sessions_.leave(PeerId{7}, {})) << "it was nobody's any more";
  EXPECT_TRUE(sessions_.connected(h1_));
  EXPECT_EQ(sessions_.leave(PeerId{8}, {}), h1_);
  EXPECT_FALSE(sessions_.connected(h1_));
  EXPECT_FALSE(sessions_.leave(PeerId{8}, {}));
}

TEST_F(host_sessions, one_that_is_not_heard_is_silent_and_one_that_left_may_come_back_soon) {
  join(7, 1, seconds(100));
  EXPECT_FALSE(is_silent(seconds(110)));
  EXPECT_TRUE(is_silent(seconds(111)));
  sessions_.of(h1_).heard = seconds(111);
  EXPECT_FALSE(is_silent(seconds(111)));
  sessions_.leave(PeerId{7}, seconds(120));
  EXPECT_FALSE(is_silent(seconds(123)));
  EXPECT_TRUE(is_silent(seconds(124)));
}

TEST_F(host_sessions, after_a_start_of_the_master_hosts_have_their_time_to_register) {
  sessions_.of(h1_);
  EXPECT_FALSE(is_silent(seconds(60)));
  EXPECT_TRUE(is_silent(seconds(61)));
}

}  // namespace
}  // namespace wm::master
