// Role: what core.db keeps and gives back. Crashes and failing disks: test/fault.
#include "libwm/store/core/core_db.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <thread>

#include "test/support/faulty_disk.h"
#include "test/support/store_files.h"

namespace wm::store {
namespace {

using namespace wm::test;

class core_db : public ::testing::Test {
 protected:
  void SetUp() override { open(); }
  void open() {
    store_.reset();
    auto made = try_open();
    ASSERT_TRUE(made) << made.error().text;
    store_ = std::move(*made);
  }
  Result<std::unique_ptr<CoreDb>> try_open(Duration busy_limit = std::chrono::seconds(5)) {
    return CoreDb::open({.dir = dir_.path(), .reserve = Bytes{1 << 16}, .busy_limit = busy_limit});
  }
  // Runs SQL on the closed file, as another program would.
  void meddle(const std::string& sql) {
    store_.reset();
    sqlite3* db = nullptr;
    ASSERT_EQ(sqlite3_open((dir_.path() + "/core.db").c_str(), &db), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(db, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(db);
  }
  std::int64_t count(const std::string& sql) {
    auto db = Connection::open({.path = dir_.path() + "/core.db"});
    return (*db)->number(sql).value();
  }
  ScratchDir dir_;
  std::unique_ptr<CoreDb> store_;
};

TEST_F(core_db, a_batch_is_read_back_after_reopening) {  // STORE-2
  auto batch = full_batch(1, 5);
  ASSERT_TRUE(store_->append(batch));
  open();
  EXPECT_EQ(all_events(*store_), batch.events);
  EXPECT_EQ(store_->last_seq()->value, 5u);
  EXPECT_EQ(*store_->blob(batch.blobs[0].hash), batch.blobs[0].bytes);
  EXPECT_EQ(**store_->reply(batch.replies[0].key), batch.replies[0].reply);
}

TEST_F(core_db, a_reply_that_a_master_before_kept_is_found_by_the_clients_bytes) {
  Batch batch;
  batch.replies.push_back({std::string(16, 'k'), at_second(1), "of before"});
  ASSERT_TRUE(store_->append(batch));
  const std::string own = std::string("\xe9\x03\0\0", 4) + std::string(16, 'k');
  EXPECT_EQ(**store_->reply(own), "of before");
  batch.replies = {{own, at_second(2), "of now"}};
  ASSERT_TRUE(store_->append(batch));
  EXPECT_EQ(**store_->reply(own), "of now");
  EXPECT_FALSE(*store_->reply(std::string("\xea\x03\0\0", 4) + std::string(16, 'l')));
}

TEST_F(core_db, payloads_keep_zeros_and_emptiness) {
  Batch batch = events(1, 2);
  batch.events[0].payload = std::string("\0a\0", 3);
  batch.events[1].payload = "";
  ASSERT_TRUE(store_->append(batch));
  EXPECT_EQ(all_events(*store_), batch.events);
}

TEST_F(core_db, events_out_of_sequence_are_refused_without_stopping_the_store) {  // STORE-3
  ASSERT_TRUE(store_->append(events(1, 2)));
  auto refused = store_->append(events(4, 1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::BadArgument);
  EXPECT_EQ(store_->fault(), Fault::None);
  EXPECT_TRUE(store_->append(events(3, 1)));
  EXPECT_EQ(store_->last_seq()->value, 3u);
}

TEST_F(core_db, one_read_is_bounded_by_rows_and_by_bytes) {
  Batch batch = events(1, 10);
  for (auto& e : batch.events) e.payload = std::string(100, 'x');
  ASSERT_TRUE(store_->append(batch));
  EXPECT_EQ(store_->read_events(Seq{3}, {.rows = 4})->size(), 4u);
  EXPECT_EQ(store_->read_events(Seq{3}, {.bytes = 250})->size(), 3u);
  EXPECT_EQ(store_->read_events(Seq{3}, {.bytes = 1})->size(), 1u);
  EXPECT_TRUE(store_->read_events(Seq{11}, {})->empty());
}

TEST_F(core_db, a_missing_event_is_damage) {  // STORE-3
  ASSERT_TRUE(store_->append(events(1, 5)));
  meddle("DELETE FROM event WHERE seq = 3");
  open();
  auto rows = store_->read_events(Seq{1}, {});
  ASSERT_FALSE(rows);
  EXPECT_EQ(rows.error().code, Code::Damaged);
  EXPECT_THAT(rows.error().text, ::testing::HasSubstr("event 3 is missing"));
}

TEST_F(core_db, the_first_reply_under_a_key_stands) {  // STORE-6
  Batch first, second;
  first.replies.push_back({request_key(9), at_second(1), "job 1"});
  second.replies.push_back({request_key(9), at_second(2), "job 2"});
  ASSERT_TRUE(store_->append(first));
  ASSERT_TRUE(store_->append(second));
  EXPECT_EQ(**store_->reply(request_key(9)), "job 1");
  EXPECT_FALSE(store_->reply(request_key(8))->has_value());
}

TEST_F(core_db, replies_older_than_the_limit_are_dropped) {
  Batch batch;
  for (std::uint64_t n = 1; n <= 2500; ++n)
    batch.replies.push_back({request_key(n), at_second(static_cast<std::int64_t>(n)), "r"});
  ASSERT_TRUE(store_->append(batch));
  EXPECT_EQ(*store_->drop_replies(at_second(2401)), 2400u);
  EXPECT_FALSE(store_->reply(request_key(2400))->has_value());
  EXPECT_TRUE(store_->reply(request_key(2401))->has_value());
}

TEST_F(core_db, only_unreferenced_blobs_of_old_events_are_dropped) {  // STORE-7
  auto kept = full_batch(1, 1), dropped = full_batch(2, 1), young = full_batch(3, 1);
  for (auto* b : {&kept, &dropped, &young}) ASSERT_TRUE(store_->append(*b));
  EXPECT_EQ(*store_->drop_blobs({kept.blobs[0].hash}, Seq{2}), 1u);
  EXPECT_TRUE(store_->blob(kept.blobs[0].hash));
  EXPECT_TRUE(store_->blob(young.blobs[0].hash));
  EXPECT_EQ(store_->blob(dropped.blobs[0].hash).error().code, Code::NotFound);
}

TEST_F(core_db, a_blob_put_again_is_young_again) {  // STORE-7
  auto first = full_batch(1, 1);
  ASSERT_TRUE(store_->append(first));
  auto again = events(2, 1);
  again.blobs = first.blobs;
  ASSERT_TRUE(store_->append(again));
  EXPECT_EQ(*store_->drop_blobs({}, Seq{1}), 0u);
  EXPECT_TRUE(store_->blob(first.blobs[0].hash));
}

TEST_F(core_db, the_two_newest_snapshots_are_kept_and_the_newest_is_read) {  // STORE-8
  ASSERT_TRUE(store_->append(events(1, 9)));
  EXPECT_FALSE(store_->latest_snapshot()->has_value());
  std::string large(3'500'000, 's');
  for (std::uint64_t seq : {3, 6, 9})
    ASSERT_TRUE(store_->write_snapshot({Seq{seq}, large + std::to_string(seq)}));
  EXPECT_EQ(**store_->latest_snapshot(), (Snapshot{Seq{9}, large + "9"}));
  EXPECT_EQ(count("SELECT count(*) FROM snapshot"), 2);
  EXPECT_EQ(count("SELECT count(*) FROM snapshot_part WHERE seq = 3"), 0);
}

TEST_F(core_db, a_damaged_snapshot_is_passed_over_for_the_older) {  // STORE-8
  ASSERT_TRUE(store_->write_snapshot({Seq{0}, "old"}));
  ASSERT_TRUE(store_->append(events(1, 4)));
  ASSERT_TRUE(store_->write_snapshot({Seq{4}, "new"}));
  meddle("UPDATE snapshot_part SET bytes = 'nex' WHERE seq = 4");
  open();
  EXPECT_EQ(**store_->latest_snapshot(), (Snapshot{Seq{0}, "old"}));
  meddle("UPDATE snapshot_part SET bytes = 'olx' WHERE seq = 0");
  open();
  EXPECT_EQ(store_->latest_snapshot().error().code, Code::Damaged);
}

TEST_F(core_db, the_sequence_goes_on_after_all_events_became_history) {
  ASSERT_TRUE(store_->append(events(1, 4)));
  ASSERT_TRUE(store_->write_snapshot({Seq{4}, "a"}));
  meddle("DELETE FROM event");
  open();
  EXPECT_TRUE(store_->append(events(5, 1)));
}

TEST_F(core_db, files_are_for_the_owner_only) {  // STORE-4
  ASSERT_TRUE(store_->append(events(1, 1)));
  for (const char* name : {"/core.db", "/core.db-wal", "/core.db-shm", "/store_reserve"}) {
    struct stat st {};
    ASSERT_EQ(::stat((dir_.path() + name).c_str(), &st), 0) << name;
    EXPECT_EQ(st.st_mode & 0777, 0600u) << name;
  }
  store_.reset();
  ASSERT_EQ(::chmod((dir_.path() + "/core.db").c_str(), 0644), 0);
  open();
  struct stat st {};
  ASSERT_EQ(::stat((dir_.path() + "/core.db").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0600u);
}

TEST_F(core_db, a_second_process_is_refused) {
  auto second = try_open(std::chrono::milliseconds(20));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::Conflict);
}

TEST_F(core_db, a_process_that_is_about_to_end_is_waited_for) {
  Result<std::unique_ptr<CoreDb>> second = fail(Code::System, "not opened");
  std::thread next([&] { second = try_open(); });
  store_.reset();
  next.join();
  ASSERT_TRUE(second) << second.error().text;
}

TEST_F(core_db, a_newer_version_is_refused_with_what_to_do) {  // STORE-5
  meddle("PRAGMA user_version = 99");
  auto refused = try_open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::Damaged);
  EXPECT_THAT(refused.error().text, ::testing::HasSubstr("version 99"));
  EXPECT_THAT(refused.error().text, ::testing::HasSubstr("newer program"));
}

TEST_F(core_db, another_programs_database_is_refused) {  // STORE-5
  meddle("PRAGMA application_id = 7");
  auto refused = try_open();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::Damaged);
}

TEST_F(core_db, a_missing_directory_is_named) {
  auto refused = CoreDb::open({.dir = dir_.path() + "/nowhere"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::NotFound);
  EXPECT_THAT(refused.error().text, ::testing::HasSubstr("/nowhere"));
}

TEST(core_db_on_a_bad_disk, scribbled_pages_are_found_at_opening) {  // STORE-5
  ScratchDir dir;
  FaultyDisk disk;
  CoreOptions options{.dir = dir.path(), .vfs = disk.vfs(), .reserve = Bytes{1 << 16}};
  {
    auto store = CoreDb::open(options);
    ASSERT_TRUE(store) << store.error().text;
    ASSERT_TRUE((*store)->append(events(1, 500)));
  }
  disk.scribble(dir.path() + "/core.db", std::size_t{4096} * 3, std::string(4096, '\x5a'));
  auto refused = CoreDb::open(options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::Damaged);
  EXPECT_THAT(refused.error().text, ::testing::HasSubstr("backup"));
}

}  // namespace
}  // namespace wm::store
