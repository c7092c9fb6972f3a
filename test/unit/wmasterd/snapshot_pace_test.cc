// When snapshots are due.
#include "daemons/wmasterd/state/snapshot_pace.h"

#include <gtest/gtest.h>

#include "daemons/wmasterd/state/journal.h"
#include "test/support/journal_desk.h"

namespace wm::master {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMiB = 1 << 20;

TimePoint at(Duration time) { return TimePoint(1h + time); }

TEST(snapshot_pace, one_is_due_by_the_bytes_of_events) {
  SnapshotPace pace;
  EXPECT_FALSE(pace.due(3 * kMiB, at(0s)));
  EXPECT_TRUE(pace.due(4 * kMiB, at(0s)));
  pace.begin(2 * kMiB, 0);
  EXPECT_TRUE(pace.due(2 * kMiB, at(0s))) << "what a start read counts";
}

TEST(snapshot_pace, a_large_one_comes_less_often) {
  SnapshotPace pace;
  pace.begin(0, 800 * kMiB);
  EXPECT_FALSE(pace.due(99 * kMiB, at(0s)));
  EXPECT_TRUE(pace.due(100 * kMiB, at(0s)));
}

TEST(snapshot_pace, never_two_are_under_way) {
  SnapshotPace pace;
  pace.began(4 * kMiB, at(0s));
  EXPECT_FALSE(pace.due(1000 * kMiB, at(1h)));
  pace.ended(kMiB, at(1h));
  EXPECT_FALSE(pace.due(1000 * kMiB, at(10h + 59min))) << "ten times an hour";
  EXPECT_TRUE(pace.due(1000 * kMiB, at(11h)));
}

TEST(snapshot_pace, what_came_while_one_was_written_counts_for_the_next) {
  SnapshotPace pace;
  pace.began(4 * kMiB, at(0s));
  pace.ended(kMiB, at(1s));
  EXPECT_FALSE(pace.due(7 * kMiB, at(1h)));
  EXPECT_TRUE(pace.due(8 * kMiB, at(1h)));
}

TEST(snapshot_pace, one_that_failed_is_followed_by_the_next) {
  SnapshotPace pace;
  pace.began(4 * kMiB, at(0s));
  pace.ended(0, at(1s));
  EXPECT_TRUE(pace.due(8 * kMiB, at(11s)));
}

// As after `bstop 0` of very many jobs: events come faster than snapshots are written.
TEST(snapshot_pace, a_journal_asks_for_one_at_a_time) {
  test::JournalDesk desk;
  desk.open();
  std::uint32_t number = 0;
  for (int turn = 0; turn < 12; ++turn) {
    Proposal proposal;
    for (int i = 0; i < 5000; ++i)
      proposal.events.push_back(JobSubmitted{{++number, 0}, test::SpecBuilder().sealed()});
    desk.journal->propose(std::move(proposal));
    desk.pass(1ms);
    EXPECT_LE(desk.env->snapshots_under_way, 1);
  }
  desk.pass(10s);
  EXPECT_GT(desk.disk.snapshot_seq.value, 0u);
}

}  // namespace
}  // namespace wm::master
