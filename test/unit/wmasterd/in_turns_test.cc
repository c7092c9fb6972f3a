// Events that concern many jobs, in parts: others get their turn between them, and nothing is lost
// when the store fails.
#include "daemons/wmasterd/state/in_turns.h"

#include <gtest/gtest.h>

#include "test/support/journal_desk.h"

namespace wm::master {
namespace {

struct TurnsDesk : test::JournalDesk {
  static std::vector<EventBody> submissions(std::uint32_t jobs) {
    std::vector<EventBody> events;
    auto sealed = test::SpecBuilder().sealed();
    for (std::uint32_t n = 1; n <= jobs; ++n) events.push_back(JobSubmitted{{n, 0}, sealed});
    return events;
  }
  std::uint32_t made() const { return journal->newest().last_job; }
};

TEST(in_turns, a_part_is_proposed_when_the_one_before_is_durable) {
  TurnsDesk desk;
  desk.open();
  InTurns turns(*desk.journal);
  EXPECT_TRUE(turns.idle());
  turns.add(TurnsDesk::submissions(2 * InTurns::kPart + 1));
  EXPECT_EQ(desk.made(), InTurns::kPart);
  turns.on_tick();
  EXPECT_EQ(desk.made(), InTurns::kPart) << "it is under way";
  for (int passes = 0; !turns.idle() && passes < 100'000; ++passes)
    desk.pass(std::chrono::microseconds(10));
  EXPECT_EQ(desk.state().last_job, 2 * InTurns::kPart + 1);
  EXPECT_EQ(desk.groups, (std::vector<std::size_t>{InTurns::kPart, InTurns::kPart, 1}));
}

TEST(in_turns, what_the_store_did_not_keep_is_proposed_again_and_what_is_illegal_is_left_out) {
  TurnsDesk desk;
  desk.open();
  InTurns turns(*desk.journal);
  desk.disk.failing = true;
  auto events = TurnsDesk::submissions(3);
  events.insert(events.begin() + 1, JobReleased{{7, 0}, "u1"});
  turns.add(std::move(events));
  desk.pass(std::chrono::seconds(1));
  turns.on_tick();
  EXPECT_FALSE(turns.idle());
  EXPECT_EQ(desk.state().last_job, 0u);
  desk.disk.failing = false;
  desk.pass(std::chrono::seconds(5));
  turns.on_tick();
  desk.pass();
  EXPECT_TRUE(turns.idle());
  EXPECT_EQ(desk.state().last_job, 3u);
}

}  // namespace
}  // namespace wm::master
