// Role: tokens of the web door that are revoked: for whom that holds, how long it is kept.
#include <gtest/gtest.h>

#include "libwm/codec/codec.h"
#include "test/support/builders.h"

namespace wm {
namespace {

using namespace std::chrono_literals;
using test::ClusterBuilder;

class DoorFsm : public testing::Test {
 protected:
  WallTime after(Duration d) const { return c.state.time + d; }
  std::int64_t now_s() const {
    return std::chrono::floor<std::chrono::seconds>(c.state.time.time_since_epoch()).count();
  }
  bool holds(const std::string& id, const std::string& user, std::int64_t issued) const {
    return c.state.revoked->hold(id, user, issued);
  }
  ClusterBuilder c;
};

TEST_F(DoorFsm, one_token_is_good_no_more_and_others_are) {
  c.step(TokensRevoked{"ann", "t1", after(8h), "ann", ""});
  EXPECT_TRUE(holds("t1", "ann", now_s()));
  EXPECT_FALSE(holds("t2", "ann", now_s()));
  EXPECT_EQ(c.check(TokensRevoked{"ann", "t1", after(8h), "ann", ""}).error().code, Code::Stale);
  EXPECT_EQ(c.state.revoked->changed, c.state.seq);
}

TEST_F(DoorFsm, of_a_user_all_that_were_issued_until_then) {
  c.step(TokensRevoked{"ann", "", after(8h), "boss", "lost laptop"}, 1);
  EXPECT_TRUE(holds("t1", "ann", now_s()));
  EXPECT_TRUE(holds("t2", "ann", now_s() - 3600));
  EXPECT_FALSE(holds("t3", "ann", now_s() + 1)) << "logged on after it";
  EXPECT_FALSE(holds("t4", "bob", now_s() - 3600));
}

TEST_F(DoorFsm, what_would_have_ended_is_forgotten) {
  c.step(TokensRevoked{"ann", "t1", after(60s), "ann", ""});
  c.step(TokensRevoked{"ann", "t2", after(8h), "ann", ""}, 120);
  EXPECT_EQ(c.state.revoked->ids.size(), 1u);
  EXPECT_TRUE(holds("t2", "ann", now_s()));
}

TEST_F(DoorFsm, neither_a_token_nor_a_user_is_refused) {
  EXPECT_EQ(c.check(TokensRevoked{"", "", after(8h), "boss", ""}).error().code, Code::BadArgument);
}

TEST_F(DoorFsm, a_snapshot_keeps_them) {
  c.step(TokensRevoked{"ann", "t1", after(8h), "ann", ""});
  c.step(TokensRevoked{"bob", "", after(8h), "boss", ""});
  auto again = codec::decode<Cluster>(codec::encode(c.state));
  ASSERT_TRUE(again);
  EXPECT_EQ(*again->revoked, *c.state.revoked);
}

}  // namespace
}  // namespace wm
