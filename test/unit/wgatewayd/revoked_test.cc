// Role: tokens that were logged off stay refused, also by a gateway that is started again.
#include "daemons/wgatewayd/revoked.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>

#include "test/support/folder.h"

namespace wm::gateway {
namespace {

class revoked : public ::testing::Test {
 protected:
  void SetUp() override { folder = wm::test::made_folder(); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  std::string folder;
};

rest::Claims token(const std::string& id, std::int64_t issued = 90) {
  rest::Claims claims;
  claims.user = "ann";
  claims.id = id;
  claims.issued = issued;
  return claims;
}

WallTime wall_at(std::int64_t seconds) { return WallTime(Duration(std::chrono::seconds(seconds))); }

TEST_F(revoked, ids_are_refused_until_they_would_have_ended) {
  {
    Revoked list(folder + "/revoked", 100);
    EXPECT_FALSE(list.has(token("a")));
    EXPECT_TRUE(list.add("a", 200));
    EXPECT_TRUE(list.add("b", 150));
    EXPECT_TRUE(list.has(token("a")));
  }
  Revoked again(folder + "/revoked", 160);
  EXPECT_TRUE(again.has(token("a")));
  EXPECT_FALSE(again.has(token("b"))) << "it is over";
}

TEST_F(revoked, what_was_made_of_a_token_ends_with_it_and_not_the_other_way_round) {
  Revoked list(folder + "/revoked", 100);
  EXPECT_TRUE(list.add("a", 200));
  EXPECT_TRUE(list.add("b.service", 200));
  Revocations said;
  said.ids["c"] = wall_at(300);
  EXPECT_TRUE(list.heard(said));
  for (const char* id : {"a.service", "a.service.again", "b.service.again", "c.service"})
    EXPECT_TRUE(list.has(token(id))) << id;
  for (const char* id : {"b", "b.other", "aa", "ab.a"}) EXPECT_FALSE(list.has(token(id))) << id;
}

TEST_F(revoked, what_cannot_be_kept_is_refused_all_the_same) {
  Revoked list(folder + "/none/revoked", 100);
  EXPECT_FALSE(list.add("a", 200));
  EXPECT_TRUE(list.has(token("a")));
}

TEST_F(revoked, what_the_master_said_is_known_after_a_start_without_it) {
  Revocations said;
  said.ids["c"] = wall_at(300);
  said.users["ann"] = {wall_at(120), wall_at(400)};
  {
    Revoked list(folder + "/revoked", 100);
    EXPECT_TRUE(list.heard(said));
    EXPECT_TRUE(list.has(token("c", 130)));
    EXPECT_TRUE(list.has(token("d", 120))) << "in the same second";
    EXPECT_FALSE(list.has(token("d", 121)));
  }
  Revoked again(folder + "/revoked", 350);
  EXPECT_TRUE(again.has(token("d", 120)));
  EXPECT_FALSE(again.has(token("c", 130))) << "it is over";
  EXPECT_TRUE(again.heard({}));
  EXPECT_FALSE(again.has(token("d", 120))) << "the master says all that there is";
}

}  // namespace
}  // namespace wm::gateway
