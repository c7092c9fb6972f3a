// Role: copies of a store that is in use: one state, whole, and refused when they are not.
#include "libwm/store/core/backup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "libwm/store/core/core_db.h"
#include "libwm/store/core/history.h"
#include "test/support/store_files.h"

namespace wm::store {
namespace {

using namespace wm::test;

class backup : public ::testing::Test {
 protected:
  void SetUp() override { store_ = opened(dir_.path()); }
  static std::unique_ptr<CoreDb> opened(const std::string& dir) {
    auto made = CoreDb::open({.dir = dir, .reserve = Bytes{1 << 16}});
    EXPECT_TRUE(made) << made.error().text;
    return made ? std::move(*made) : nullptr;
  }
  ScratchDir dir_, to_;
  std::unique_ptr<CoreDb> store_;
};

TEST_F(backup, the_copy_opens_as_the_store_it_was) {
  ASSERT_TRUE(store_->append(events(1, 5)));
  std::ofstream(dir_.path() + "/audit.log") << "line\n";
  auto facts = copy_stores(dir_.path(), to_.path());
  ASSERT_TRUE(facts) << facts.error().text;
  EXPECT_EQ(facts->seq, Seq{5});
  EXPECT_EQ(facts->files, (std::vector<std::string>{"core.db", "audit.log"}));
  ASSERT_TRUE(store_->append(events(6, 1))) << "the store goes on";
  auto copy = opened(to_.path());
  ASSERT_TRUE(copy);
  EXPECT_EQ(*copy->last_seq(), Seq{5});
  EXPECT_EQ(*copy->store_id(), *store_->store_id());
}

TEST_F(backup, history_is_never_ahead_of_the_events) {
  ASSERT_TRUE(store_->append(events(1, 6)));
  ASSERT_TRUE(store_->write_snapshot({Seq{4}, "a"}));
  ASSERT_TRUE(store_->write_snapshot({Seq{5}, "b"}));
  ASSERT_TRUE(store_->archive_events(Seq{4}));
  ASSERT_TRUE(copy_stores(dir_.path(), to_.path()));
  ASSERT_TRUE(opened(to_.path()));
  std::vector<std::uint64_t> seen;
  ASSERT_TRUE(visit_events({to_.path()}, Seq{1}, [&](const EventRow& row) {
    seen.push_back(row.seq.value);
    return Result<void>();
  }));
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(backup, a_changed_copy_is_refused) {
  ASSERT_TRUE(store_->append(events(1, 2)));
  ASSERT_TRUE(copy_stores(dir_.path(), to_.path()));
  ASSERT_TRUE(verify_copy(to_.path()));
  std::ofstream(to_.path() + "/core.db", std::ios::app) << "x";
  auto verified = verify_copy(to_.path());
  ASSERT_FALSE(verified);
  EXPECT_EQ(verified.error().code, Code::Damaged);
  std::filesystem::remove(to_.path() + "/core.db");
  EXPECT_FALSE(verify_copy(to_.path()));
}

TEST_F(backup, what_has_no_store_is_named) {
  ScratchDir empty;
  auto facts = copy_stores(empty.path(), to_.path());
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().code, Code::NotFound);
}

TEST_F(backup, a_damaged_database_is_no_backup) {
  ASSERT_TRUE(store_->append(events(1, 2)));
  std::ofstream(dir_.path() + "/acct.db") << std::string(8192, 'x');
  auto facts = copy_stores(dir_.path(), to_.path());
  ASSERT_FALSE(facts);
  EXPECT_NE(facts.error().text.find("acct.db"), std::string::npos);
}

TEST(store_id, two_stores_have_two_ids_and_keep_them) {
  ScratchDir one, two;
  std::string id;
  {
    auto db = CoreDb::open({.dir = one.path(), .reserve = Bytes{1 << 16}});
    ASSERT_TRUE(db);
    id = *(*db)->store_id();
  }
  auto again = CoreDb::open({.dir = one.path(), .reserve = Bytes{1 << 16}});
  auto other = CoreDb::open({.dir = two.path(), .reserve = Bytes{1 << 16}});
  ASSERT_TRUE(again && other);
  EXPECT_EQ(id.size(), 16u);
  EXPECT_EQ(*(*again)->store_id(), id);
  EXPECT_NE(*(*other)->store_id(), id);
}

}  // namespace
}  // namespace wm::store
