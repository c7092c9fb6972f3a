// What the peers of one account may hold: others, hosts and the cluster's own accounts do not
// notice.
#include "libwm/wire/peer_room.h"

#include <gtest/gtest.h>

namespace wm::wire {
namespace {

Identity client(std::uint32_t uid) { return {Role::Client, uid, uid, 0}; }
Identity host(std::uint32_t uid) { return {Role::Host, uid, uid, 0}; }

PeerRoom room() {
  return PeerRoom({.sessions = 3, .all_sessions = 5, .half_frames = 100, .reserved = {0}});
}

TEST(peer_room, one_account_at_its_sessions_is_refused_and_others_are_not) {
  auto peers = room();
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(peers.enter(client(1001)));
  auto refused = peers.enter(client(1001));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::Unavailable) << "which a client waits for";
  EXPECT_NE(refused.error().text.find("uid 1001: has 3 sessions"), std::string::npos);
  EXPECT_TRUE(peers.enter(client(1002)));
  peers.leave(client(1001), 0);
  EXPECT_TRUE(peers.enter(client(1001)));
}

TEST(peer_room, all_accounts_together_leave_room_for_hosts_and_the_clusters_own) {
  auto peers = room();
  for (std::uint32_t uid = 1; uid <= 5; ++uid) EXPECT_TRUE(peers.enter(client(uid)));
  EXPECT_FALSE(peers.enter(client(6)));
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(peers.enter(client(0)));
    EXPECT_TRUE(peers.enter(host(1))) << "of the same account, in another role";
  }
}

TEST(peer_room, bytes_of_half_frames_are_counted_by_account_and_given_back) {
  auto peers = room();
  for (auto uid : {1001u, 1001u, 1002u}) ASSERT_TRUE(peers.enter(client(uid)));
  EXPECT_TRUE(peers.hold(client(1001), 0, 60));
  EXPECT_FALSE(peers.hold(client(1001), 0, 60)) << "its other session";
  EXPECT_TRUE(peers.hold(client(1002), 0, 90));
  peers.leave(client(1001), 60);
  EXPECT_TRUE(peers.hold(client(1001), 60, 100));
  EXPECT_TRUE(peers.hold(client(1001), 100, 0)) << "the frame is whole";
  EXPECT_TRUE(peers.hold(client(1001), 0, 100));
}

TEST(peer_room, an_account_without_sessions_is_forgotten) {
  auto peers = room();
  ASSERT_TRUE(peers.enter(client(1001)));
  peers.leave(client(1001), 0);
  EXPECT_EQ(peers.sessions_of(1001), 0u);
  peers.leave(client(1001), 0);
  EXPECT_TRUE(peers.enter(client(1001)));
}

}  // namespace
}  // namespace wm::wire
