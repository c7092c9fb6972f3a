// Role: the queue before acct.db: order, bound, failure and going on.
#include "libwm/store/acct/acct_writer.h"

#include <gtest/gtest.h>

#include "test/support/faulty_disk.h"
#include "test/support/store_files.h"

namespace wm::store {
namespace {

using namespace wm::test;

AcctRows rows_of(std::uint64_t seq, std::uint32_t jobs = 1) {
  AcctRows rows;
  rows.seq = Seq{seq};
  for (std::uint32_t i = 0; i < jobs; ++i) {
    JobRow job;
    job.id = {static_cast<std::uint32_t>(seq), i};
    rows.jobs.push_back(job);
  }
  return rows;
}

class acct_writer : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = AcctDb::open({dir_.path(), disk_.vfs()});
    ASSERT_TRUE(made) << made.error().text;
    db_ = std::move(*made);
  }
  std::size_t stored() {
    auto reader = AcctReader::open({dir_.path(), disk_.vfs()});
    return (*reader)->jobs({}, {}, 1000)->size();
  }
  ScratchDir dir_;
  FaultyDisk disk_;
  std::unique_ptr<AcctDb> db_;
};

TEST_F(acct_writer, what_was_taken_is_written_in_order) {
  AcctWriter writer(*db_, 1000);
  for (std::uint64_t seq = 1; seq <= 100; ++seq) EXPECT_TRUE(writer.offer(rows_of(seq)));
  writer.drain();
  EXPECT_EQ(writer.written().value, 100u);
  EXPECT_TRUE(writer.failure());
  EXPECT_EQ(stored(), 100u);
}

TEST_F(acct_writer, what_is_queued_is_written_before_it_ends) {
  {
    AcctWriter writer(*db_, 1000);
    for (std::uint64_t seq = 1; seq <= 20; ++seq) EXPECT_TRUE(writer.offer(rows_of(seq)));
  }
  EXPECT_EQ(db_->last_seq()->value, 20u);
}

TEST_F(acct_writer, a_failure_loses_nothing_and_retry_goes_on) {
  AcctWriter writer(*db_, 1000);
  disk_.full_while_exists(dir_.path());
  EXPECT_TRUE(writer.offer(rows_of(1)));
  writer.drain();
  EXPECT_FALSE(writer.failure());
  EXPECT_EQ(writer.written().value, 0u);
  EXPECT_TRUE(writer.offer(rows_of(2)));
  disk_.full_while_exists("");
  writer.retry();
  writer.drain();
  EXPECT_TRUE(writer.failure());
  EXPECT_EQ(writer.written().value, 2u);
  EXPECT_EQ(stored(), 2u);
}

TEST_F(acct_writer, a_full_queue_refuses_and_then_takes_the_refused_rows_first) {  // STORE-15
  AcctWriter writer(*db_, 10);
  disk_.full_while_exists(dir_.path());
  EXPECT_TRUE(writer.offer(rows_of(1, 8)));
  writer.drain();  // failed: the rows stay in the queue
  EXPECT_FALSE(writer.offer(rows_of(2, 4)));
  EXPECT_FALSE(writer.offer(rows_of(3, 1)));  // would fit, but comes after 2
  disk_.full_while_exists("");
  writer.retry();
  writer.drain();
  EXPECT_FALSE(writer.offer(rows_of(3, 1)));
  EXPECT_TRUE(writer.offer(rows_of(2, 4)));
  EXPECT_TRUE(writer.offer(rows_of(3, 1)));
  writer.drain();
  EXPECT_EQ(stored(), 13u);
}

}  // namespace
}  // namespace wm::store
