// Role: which master a host obeys: kept over its restarts, older ones refused.
#include "daemons/wnoded/rim/obeyed.h"

#include <gtest/gtest.h>

#include <fstream>

#include "libwm/codec/codec.h"
#include "test/support/node_core.h"
#include "test/support/store_files.h"

namespace wm::node {
namespace {

const MasterRank kOwn{"aa", 1, Seq{10}, 4};

TEST(obeyed, it_reads_as_it_was_kept) {
  test::ScratchDir dir;
  auto path = dir.path() + "/obeyed";
  EXPECT_EQ(*read_obeyed(path), MasterRank{});
  ASSERT_TRUE(keep_obeyed(path, kOwn));
  EXPECT_EQ(*read_obeyed(path), kOwn);
  std::ofstream(path) << "aa one";
  EXPECT_FALSE(read_obeyed(path));
}

class obeying : public test::NodeCore {
 protected:
  static HostWelcome welcome(const MasterRank& master) {
    HostWelcome words;
    words.host = HostId{1};
    words.cluster = "c";
    words.master = master;
    return words;
  }
  Result<void> say(const MasterRank& master) {
    return node_.on_frame(static_cast<std::uint16_t>(NodeVerb::Welcome),
                          codec::encode(welcome(master)));
  }
  static MasterRank at(std::uint64_t seq) { return {"aa", 1, Seq{seq}, 4}; }
};

TEST_F(obeying, a_restored_store_is_refused_and_the_next_registration_says_why) {
  ASSERT_TRUE(say(at(10)));
  auto refused = say(at(9));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::Denied);
  EXPECT_NE(refused.error().text.find("event 9"), std::string::npos);
  EXPECT_EQ(registered().obeyed, at(10));
}

TEST_F(obeying, what_is_obeyed_is_kept_at_once_when_a_session_begins) {
  ASSERT_TRUE(say(at(10)));
  ASSERT_EQ(env_.obeyed.size(), 1u);
  EXPECT_EQ(env_.obeyed.back(), at(10));
}

TEST_F(obeying, heartbeats_raise_it_and_are_kept_now_and_then) {
  ASSERT_TRUE(say(at(10)));
  hear(NodeVerb::Heartbeat, at(11));
  EXPECT_EQ(registered().obeyed, at(11));
  EXPECT_EQ(env_.obeyed.size(), 1u) << "kept a moment ago";
  env_.now += std::chrono::seconds(11);
  hear(NodeVerb::Heartbeat, at(12));
  EXPECT_EQ(env_.obeyed.back(), at(12));
  ASSERT_TRUE(node_.on_frame(static_cast<std::uint16_t>(NodeVerb::Heartbeat), ""))
      << "a master of an earlier version";
}

TEST_F(obeying, an_administrators_choice_is_a_higher_term) {
  ASSERT_TRUE(say(at(10)));
  ASSERT_TRUE(say({"bb", 2, Seq{3}, 4}));
  EXPECT_FALSE(say(at(11))) << "the one that was given up";
}

}  // namespace
}  // namespace wm::node
