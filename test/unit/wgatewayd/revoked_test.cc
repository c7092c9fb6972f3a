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

// One by one, as the master tells them: all that there is, each time.
std::uint64_t written_for(const std::string& path, int count) {
  Revoked list(path, 100);
  Revocations said;
  for (int n = 0; n < count; ++n) {
    if (n % 2 == 0) said.ids["token-" + std::to_string(n)] = wall_at(1000);
    else said.users["user-" + std::to_string(n)] = {wall_at(120), wall_at(1000)};
    EXPECT_TRUE(list.heard(said));
  }
  return list.written();
}

TEST_F(revoked, twice_as_many_cost_twice_the_writing) {
  auto some = written_for(folder + "/some", 400), twice = written_for(folder + "/twice", 800);
  EXPECT_GT(some, 400u * 10);
  EXPECT_LT(twice, some * 5 / 2) << "a line each";
  Revoked again(folder + "/twice", 100);
  EXPECT_TRUE(again.has(token("token-798")));
}

TEST_F(revoked, of_one_users_lines_the_last_holds_and_the_file_does_not_grow_for_ever) {
  std::uint64_t written = 0;
  {
    Revoked list(folder + "/revoked", 100);
    Revocations said;
    for (int n = 0; n < 1000; ++n) {
      said.users["ann"] = {wall_at(100 + n), wall_at(5000)};
      EXPECT_TRUE(list.heard(said));
    }
    written = list.written();
  }
  EXPECT_LT(std::filesystem::file_size(folder + "/revoked"), 70u * 20);
  EXPECT_LT(written, 1000u * 40);
  Revoked again(folder + "/revoked", 200);
  EXPECT_TRUE(again.has(token("d", 1099)));
  EXPECT_FALSE(again.has(token("d", 1100)));
}

TEST_F(revoked, what_is_over_leaves_the_file_when_it_is_most_of_it) {
  Revoked list(folder + "/revoked", 100);
  Revocations said;
  for (int n = 0; n < 500; ++n) said.ids["token-" + std::to_string(n)] = wall_at(1000);
  EXPECT_TRUE(list.heard(said));
  auto full = std::filesystem::file_size(folder + "/revoked");
  said.ids.erase(said.ids.begin(), std::prev(said.ids.end(), 10));
  EXPECT_TRUE(list.heard(said));
  EXPECT_LT(std::filesystem::file_size(folder + "/revoked"), full / 10);
}

}  // namespace
}  // namespace wm::gateway
