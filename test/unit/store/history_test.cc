// Role: events that leave core.db, month by month, and visits over all files.
#include "libwm/store/core/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "libwm/store/core/core_db.h"
#include "test/support/store_files.h"

namespace wm::store {
namespace {

using namespace wm::test;
using ::testing::ElementsAre;

constexpr std::int64_t kMonth = std::int64_t{30} * 86400;

class history : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = CoreDb::open({.dir = dir_.path(), .reserve = Bytes{1 << 16}});
    ASSERT_TRUE(made) << made.error().text;
    store_ = std::move(*made);
  }
  // Appends one event for each time, in months after November 2026.
  void append(std::initializer_list<int> months) {
    for (int month : months) {
      auto batch = events(++last_, 1);
      batch.events[0].time = at_second(month * kMonth);
      ASSERT_TRUE(store_->append(batch));
    }
  }
  void snapshots(std::uint64_t older, std::uint64_t newer) {
    ASSERT_TRUE(store_->write_snapshot({Seq{older}, "a"}));
    ASSERT_TRUE(store_->write_snapshot({Seq{newer}, "b"}));
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(dir_.path()))
      if (auto name = entry.path().filename().string(); name.starts_with("history"))
        names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
  }
  std::vector<std::uint64_t> visit(std::uint64_t from) {
    std::vector<std::uint64_t> seen;
    auto last = visit_events({dir_.path()}, Seq{from}, [&](const EventRow& row) {
      seen.push_back(row.seq.value);
      return Result<void>();
    });
    EXPECT_TRUE(last) << last.error().text;
    return seen;
  }
  ScratchDir dir_;
  std::unique_ptr<CoreDb> store_;
  std::uint64_t last_ = 0;
};

TEST_F(history, events_go_to_the_file_of_their_month_and_are_visited_in_order) {  // STORE-9
  append({0, 0, 1, 2, 2});
  snapshots(4, 5);
  EXPECT_EQ(*store_->archive_events(Seq{4}), 4u);
  EXPECT_THAT(files(), ElementsAre("history-202611.db", "history-202612.db", "history-202701.db"));
  EXPECT_THAT(visit(1), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_THAT(visit(4), ElementsAre(4, 5));
}

TEST_F(history, a_clock_set_back_does_not_break_the_order) {  // STORE-9
  append({2, 0, 3});
  snapshots(3, 4);
  EXPECT_EQ(*store_->archive_events(Seq{2}), 2u);
  EXPECT_THAT(files(), ElementsAre("history-202701.db"));
  EXPECT_THAT(visit(1), ElementsAre(1, 2, 3));
}

TEST_F(history, nothing_leaves_that_two_snapshots_do_not_contain) {  // STORE-9
  append({0, 0, 0, 0});
  EXPECT_EQ(*store_->archive_events(Seq{4}), 0u);
  snapshots(2, 4);
  EXPECT_EQ(*store_->archive_events(Seq{4}), 2u);
  EXPECT_EQ(store_->read_events(Seq{2}).error().code, Code::NotFound);
  EXPECT_EQ(store_->read_events(Seq{3})->size(), 2u);
}

TEST_F(history, a_lost_history_file_is_named_as_a_gap) {  // STORE-3
  append({0, 1, 2});
  snapshots(2, 3);
  ASSERT_EQ(*store_->archive_events(Seq{2}), 2u);
  std::filesystem::remove(dir_.path() + "/history-202612.db");
  auto visited =
      visit_events({dir_.path()}, Seq{1}, [](const EventRow&) { return Result<void>(); });
  ASSERT_FALSE(visited);
  EXPECT_EQ(visited.error().code, Code::Damaged);
  EXPECT_THAT(visited.error().text, ::testing::HasSubstr("event 2 is in no file"));
}

TEST_F(history, the_visitor_can_stop_the_visit) {
  append({0, 0, 0});
  int seen = 0;
  auto visited = visit_events({dir_.path()}, Seq{1}, [&](const EventRow&) -> Result<void> {
    if (++seen == 2) return fail(Code::Conflict, "enough");
    return {};
  });
  ASSERT_FALSE(visited);
  EXPECT_EQ(visited.error().code, Code::Conflict);
  EXPECT_EQ(seen, 2);
}

TEST_F(history, many_events_move_in_pieces) {
  ASSERT_TRUE(store_->append(events(1, 4500)));
  snapshots(4400, 4500);
  EXPECT_EQ(*store_->archive_events(Seq{4500}), 4400u);
  EXPECT_EQ(visit(1).size(), 4500u);
}

TEST_F(history, files_of_months_that_are_long_over_are_dropped_from_the_oldest_on) {
  append({0, 1, 2, 3, 4});
  snapshots(4, 5);
  ASSERT_TRUE(store_->archive_events(Seq{4}));
  ASSERT_EQ(files().size(), 4u);
  EXPECT_EQ(store_->drop_history(WallTime{}).value(), 0u);
  EXPECT_EQ(store_->drop_history(at_second(2 * kMonth)).value(), 2u);
  EXPECT_EQ(files().size(), 2u);
  EXPECT_EQ(first_event({dir_.path()}).value(), Seq{3});
  EXPECT_EQ(visit(3), (std::vector<std::uint64_t>{3, 4, 5}));
  EXPECT_EQ(store_->drop_history(at_second(100 * kMonth)).value(), 1u) << "the newest stays";
}

TEST_F(history, a_file_with_an_event_younger_than_its_month_stays) {
  append({0, 3, 1, 4});  // the clock was wrong for a while, and set back
  snapshots(3, 4);
  ASSERT_TRUE(store_->archive_events(Seq{3}));
  EXPECT_EQ(store_->drop_history(at_second(2 * kMonth)).value(), 1u);
  EXPECT_EQ(visit(2), (std::vector<std::uint64_t>{2, 3, 4}));
}

}  // namespace
}  // namespace wm::store
