// How members decide alike to shrink a broken communicator or to make a fresh one.
#include "libwm/trainer/groups/nccl_rule.h"

#include <gtest/gtest.h>

namespace wm::groups {
namespace {

constexpr std::uint64_t kCommunicator = 0x100000003ull;

Bringing brings(int rank, int world = 4, std::uint64_t key = kCommunicator) {
  return {key, rank, world};
}

TEST(nccl_rule, survivors_of_one_communicator_shrink_it) {
  std::vector<Bringing> all{brings(0), brings(2), brings(3)};
  EXPECT_EQ(choose_making(all), (Making{true, {1}}));
}

TEST(nccl_rule, the_first_and_the_last_rank_can_be_left_out) {
  std::vector<Bringing> all{brings(1), brings(2)};
  EXPECT_EQ(choose_making(all), (Making{true, {0, 3}}));
}

TEST(nccl_rule, one_survivor_shrinks_to_itself) {
  std::vector<Bringing> all{brings(1, 2)};
  EXPECT_EQ(choose_making(all), (Making{true, {0}}));
}

TEST(nccl_rule, a_planned_resize_is_made_fresh_since_nobody_brings_anything) {
  std::vector<Bringing> all(3);
  EXPECT_EQ(choose_making(all), Making{});
}

TEST(nccl_rule, a_newcomer_makes_it_fresh) {
  std::vector<Bringing> all{brings(0), brings(2), Bringing{}};
  EXPECT_EQ(choose_making(all), Making{});
  std::vector<Bringing> first{Bringing{}, brings(0), brings(2)};
  EXPECT_EQ(choose_making(first), Making{});
}

TEST(nccl_rule, members_of_different_epochs_make_it_fresh) {
  std::vector<Bringing> all{brings(0), brings(2, 4, kCommunicator + 1)};
  EXPECT_EQ(choose_making(all), Making{});
}

TEST(nccl_rule, another_order_makes_it_fresh) {
  std::vector<Bringing> all{brings(2), brings(0)};
  EXPECT_EQ(choose_making(all), Making{});
  std::vector<Bringing> twice{brings(1), brings(1)};
  EXPECT_EQ(choose_making(twice), Making{});
}

TEST(nccl_rule, a_broken_link_between_living_members_makes_it_fresh) {
  std::vector<Bringing> all{brings(0, 2), brings(1, 2)};
  EXPECT_EQ(choose_making(all), Making{});
}

TEST(nccl_rule, a_rank_beyond_its_world_makes_it_fresh) {
  std::vector<Bringing> all{brings(0), brings(4)};
  EXPECT_EQ(choose_making(all), Making{});
  EXPECT_EQ(choose_making({}), Making{});
}

TEST(nccl_rule, what_a_member_brings_survives_the_store) {
  for (auto one : {Bringing{}, brings(3), brings(0, 1, ~0ull)})
    EXPECT_EQ(unpack_bringing(pack(one)), one);
  for (auto text : {"", "1", "1 2", "1 2 x", "1 2 3 4", "-1 2 3"})
    EXPECT_EQ(unpack_bringing(text), std::nullopt) << text;
}

TEST(nccl_rule, a_wait_ends_when_library_and_device_are_through_or_one_fails) {
  EXPECT_EQ(answer_of(7, true), Answer::Working);
  EXPECT_EQ(answer_of(0, false), Answer::Working);
  EXPECT_EQ(answer_of(0, true), Answer::Ready);
  EXPECT_EQ(answer_of(6, true), Answer::Broken);
  EXPECT_EQ(answer_of(1, false), Answer::Broken);
}

}  // namespace
}  // namespace wm::groups
