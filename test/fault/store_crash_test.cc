// Role: the store on a disk that dies, runs full or fails, at every single operation.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "libwm/store/core/core_db.h"
#include "libwm/store/core/history.h"
#include "test/support/faulty_disk.h"
#include "test/support/store_files.h"

namespace wm::store {
namespace {

using namespace wm::test;

constexpr int kBatches = 24;

// What the store was asked to keep, and what it said it had kept.
struct Log {
  std::vector<Batch> tried;
  std::size_t acknowledged = 0;
  Seq snapshot;

  Seq last(std::size_t batches) const {
    return batches == 0 ? Seq{} : tried[batches - 1].events.back().seq;
  }
};

CoreOptions options_for(const ScratchDir& dir, const FaultyDisk& disk) {
  CoreOptions options;
  options.dir = dir.path();
  options.vfs = disk.vfs();
  options.reserve = Bytes{1 << 16};
  options.checkpoint_pages = 3;  // several checkpoints in a short run
  return options;
}

bool do_chores(EventStore& store, Log& log, int i) {
  if (i % 5 == 4) {
    if (!store.write_snapshot({log.last(log.acknowledged), std::string(9000, 's')})) return false;
    log.snapshot = log.last(log.acknowledged);
  }
  return i % 7 != 6 || store.archive_events(log.snapshot);
}

// Appends until the disk stops it. Sizes differ so that pages split in different places.
void run(EventStore& store, Log& log) {
  std::uint64_t next = 1;
  for (int i = 0; i < kBatches; ++i) {
    auto count = static_cast<std::uint64_t>(1 + i * 7 % 5);
    log.tried.push_back(full_batch(next, count));
    next += count;
    if (!store.append(log.tried.back())) return;
    ++log.acknowledged;
    if (!do_chores(store, log, i)) return;
  }
}

void expect_whole(EventStore& store, const Batch& batch) {
  for (const auto& blob : batch.blobs) EXPECT_EQ(*store.blob(blob.hash), blob.bytes);
  for (const auto& reply : batch.replies) EXPECT_EQ(**store.reply(reply.key), reply.reply);
}

void expect_absent(EventStore& store, const Batch& batch) {
  for (const auto& blob : batch.blobs) EXPECT_FALSE(store.blob(blob.hash));
  for (const auto& reply : batch.replies) EXPECT_FALSE(store.reply(reply.key)->has_value());
}

// Every acknowledged batch is there, the one in flight whole or not at all, nothing else.
void expect_kept(EventStore& store, const StoreFiles& files, const Log& log) {
  std::vector<EventRow> found;
  auto visited = visit_events(files, Seq{1}, [&](const EventRow& row) {
    found.push_back(row);
    return Result<void>();
  });
  ASSERT_TRUE(visited) << visited.error().text;
  bool all = *visited == log.last(log.tried.size());
  ASSERT_TRUE(all || *visited == log.last(log.acknowledged)) << visited->value;
  std::vector<EventRow> wanted;
  for (std::size_t i = 0; i < (all ? log.tried.size() : log.acknowledged); ++i) {
    wanted.insert(wanted.end(), log.tried[i].events.begin(), log.tried[i].events.end());
    expect_whole(store, log.tried[i]);
  }
  EXPECT_EQ(found, wanted);
  if (!all) expect_absent(store, log.tried.back());
  auto snapshot = store.latest_snapshot();
  ASSERT_TRUE(snapshot) << snapshot.error().text;
  EXPECT_GE(*snapshot ? (*snapshot)->seq : Seq{}, log.snapshot);
}

// True: the run ended before the crash was reached.
bool crash_and_recover(int at, std::uint32_t seed) {
  ScratchDir dir;
  FaultyDisk disk;
  auto options = options_for(dir, disk);
  Log log;
  disk.crash_at(at);
  if (auto store = CoreDb::open(options)) run(**store, log);
  bool done = !disk.crashed();
  disk.power_cycle(seed);
  auto store = CoreDb::open(options);
  EXPECT_TRUE(store) << store.error().text;
  if (store) expect_kept(**store, {options.dir, options.vfs}, log);
  return done;
}

TEST(store_crash, acknowledged_batches_survive_a_crash_at_every_operation) {  // STORE-1, STORE-2
  int at = 1;
  while (!crash_and_recover(at, static_cast<std::uint32_t>(at))) {
    ASSERT_FALSE(::testing::Test::HasFailure()) << "crash at operation " << at;
    ++at;
  }
  EXPECT_GT(at, 200);  // the run is long enough to mean something
}

class store_fault : public ::testing::Test {
 protected:
  void SetUp() override {
    options_ = options_for(dir_, disk_);
    auto made = CoreDb::open(options_);
    ASSERT_TRUE(made) << made.error().text;
    store_ = std::move(*made);
    ASSERT_TRUE(store_->append(full_batch(1, 3)));
  }
  bool reserve_exists() const {
    return ::access((dir_.path() + "/store_reserve").c_str(), F_OK) == 0;
  }
  ScratchDir dir_;
  FaultyDisk disk_;
  CoreOptions options_;
  std::unique_ptr<CoreDb> store_;
};

TEST_F(store_fault, a_full_disk_gives_up_the_reserve_and_goes_on) {  // STORE-11
  disk_.full_while_exists(dir_.path() + "/store_reserve");
  EXPECT_TRUE(store_->append(full_batch(4, 2)));
  EXPECT_TRUE(store_->low_space());
  EXPECT_FALSE(reserve_exists());
  EXPECT_EQ(store_->fault(), Fault::None);
  EXPECT_TRUE(store_->append(full_batch(6, 1)));
  EXPECT_EQ(all_events(*store_).size(), 6u);
}

TEST_F(store_fault, a_store_opens_on_a_full_disk_by_giving_up_the_reserve) {  // STORE-11
  store_.reset();
  disk_.full_while_exists(dir_.path() + "/store_reserve");
  auto again = CoreDb::open(options_);
  ASSERT_TRUE(again) << again.error().text;
  EXPECT_TRUE((*again)->low_space());
  EXPECT_FALSE(reserve_exists());
  EXPECT_TRUE((*again)->append(full_batch(4, 2)));
}

TEST_F(store_fault, the_reserve_comes_back_with_space) {  // STORE-11
  disk_.full_while_exists(dir_.path() + "/store_reserve");
  ASSERT_TRUE(store_->append(full_batch(4, 2)));
  disk_.full_while_exists("");
  EXPECT_TRUE(*store_->make_reserve());
  EXPECT_TRUE(reserve_exists());
  EXPECT_FALSE(store_->low_space());
}

TEST_F(store_fault, a_disk_full_beyond_the_reserve_stops_the_store_until_there_is_room) {
  disk_.full_while_exists(dir_.path());
  auto refused = store_->append(full_batch(4, 2));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::Store);
  EXPECT_THAT(refused.error().text, ::testing::HasSubstr("free space"));
  EXPECT_EQ(store_->fault(), Fault::NoSpace);
  EXPECT_FALSE(store_->reopen());
  disk_.full_while_exists("");
  ASSERT_TRUE(store_->reopen());
  EXPECT_EQ(store_->last_seq()->value, 3u);
  EXPECT_TRUE(store_->append(full_batch(4, 2)));
}

TEST_F(store_fault, after_a_failed_sync_nothing_is_written_before_reopen) {  // STORE-10
  disk_.fail_sync(1);
  ASSERT_FALSE(store_->append(full_batch(4, 2)));
  EXPECT_EQ(store_->fault(), Fault::Io);
  int before = disk_.operations();
  auto refused = store_->append(full_batch(4, 2));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::Store);
  EXPECT_EQ(disk_.operations(), before);
}

TEST_F(store_fault, what_is_written_after_a_failed_sync_and_reopen_survives_a_crash) {  // STORE-10
  for (int nth = 1; nth <= 3; ++nth) {
    disk_.fail_sync(nth);
    Seq last = *store_->last_seq();
    for (int i = 0; i < nth && store_->append(events(last.value + 1, 1)); ++i) ++last.value;
    ASSERT_EQ(store_->fault(), Fault::Io);
    ASSERT_TRUE(store_->reopen());
    last = *store_->last_seq();
    ASSERT_TRUE(store_->append(events(last.value + 1, 1)));
    store_.reset();
    disk_.power_cycle(7);
    auto again = CoreDb::open(options_);
    ASSERT_TRUE(again) << again.error().text;
    store_ = std::move(*again);
    EXPECT_EQ(store_->last_seq()->value, last.value + 1);
  }
}

TEST_F(store_fault, a_write_error_stops_the_store_and_leaves_the_batch_out) {  // STORE-1
  auto lost = full_batch(4, 2);
  disk_.fail_write(2);
  ASSERT_FALSE(store_->append(lost));
  EXPECT_EQ(store_->fault(), Fault::Io);
  ASSERT_TRUE(store_->reopen());
  EXPECT_EQ(store_->last_seq()->value, 3u);
  expect_absent(*store_, lost);
}

TEST_F(store_fault, a_sync_that_fails_under_a_snapshot_stops_appends_too) {  // STORE-10
  disk_.fail_sync(1);
  EXPECT_FALSE(store_->write_snapshot({Seq{3}, "state"}));
  EXPECT_EQ(store_->fault(), Fault::Io);
  EXPECT_FALSE(store_->append(events(4, 1)));
  ASSERT_TRUE(store_->reopen());
  EXPECT_TRUE(store_->append(events(4, 1)));
}

}  // namespace
}  // namespace wm::store
