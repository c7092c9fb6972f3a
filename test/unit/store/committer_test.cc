// Role: the order, joining and failing of commits. Deterministic: a gate in the store holds
// the commit thread until the test lets it go.
#include "libwm/store/core/committer.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "test/support/memory_store.h"
#include "test/support/sim_committer.h"
#include "test/support/store_files.h"

namespace wm::store {
namespace {

using namespace wm::test;

// A store that keeps its appends waiting for permission, so that batches pile up behind one.
class GatedStore final : public EventStore {
 public:
  Result<void> append(const Batch& batch) override {
    std::unique_lock lock(mutex_);
    waiting_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return open_; });
    sizes_.push_back(batch.events.size());
    return inner_.append(batch);
  }
  void await_append() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_; });
  }
  void open() {
    std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  MemoryStore& inner() { return inner_; }
  const std::vector<std::size_t>& sizes() const { return sizes_; }

  Result<void> reopen() override { return inner_.reopen(); }
  Fault fault() const override { return inner_.fault(); }
  bool low_space() const override { return false; }
  Result<std::string> store_id() override { return std::string("00000000000000aa"); }
  Result<Seq> last_seq() override { return inner_.last_seq(); }
  Result<std::vector<EventRow>> read_events(Seq from, ReadLimit limit) override {
    return inner_.read_events(from, limit);
  }
  Result<std::string> blob(const Hash& hash) override { return inner_.blob(hash); }
  Result<std::optional<std::string>> reply(const RequestKey& key) override {
    return inner_.reply(key);
  }
  Result<std::optional<Snapshot>> latest_snapshot() override { return inner_.latest_snapshot(); }
  Result<void> write_snapshot(const Snapshot& s) override { return inner_.write_snapshot(s); }
  Result<std::size_t> archive_events(Seq s) override { return inner_.archive_events(s); }
  Result<std::size_t> drop_blobs(const std::set<Hash>& keep, Seq s) override {
    return inner_.drop_blobs(keep, s);
  }
  Result<std::size_t> drop_replies(WallTime t) override { return inner_.drop_replies(t); }
  Result<std::size_t> drop_history(WallTime) override { return std::size_t{0}; }
  Result<bool> make_reserve() override { return true; }

 private:
  MemoryStore inner_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool waiting_ = false, open_ = false;
  std::vector<std::size_t> sizes_;
};

// The loop: what the committer posts, run when the test says so.
class Loop {
 public:
  Post post() {
    return [this](std::function<void()> f) {
      std::lock_guard lock(mutex_);
      posted_.push_back(std::move(f));
      changed_.notify_all();
    };
  }
  void run_until(const std::function<bool()>& ready) {
    while (!ready()) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !posted_.empty(); });
      auto f = std::move(posted_.front());
      posted_.pop_front();
      lock.unlock();
      f();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> posted_;
};

class committer : public ::testing::Test {
 protected:
  void submit(std::uint64_t first, std::uint64_t count) {
    committer_.submit(events(first, count), [this, first](Result<void> r) {
      done_.push_back({first, r ? Code::Ok : r.error().code});
    });
  }
  Code probe() {
    std::optional<Code> result;
    committer_.probe([&](Result<void> r) { result = r ? Code::Ok : r.error().code; });
    loop_.run_until([&] { return result.has_value(); });
    return *result;
  }
  void await(std::size_t n) {
    loop_.run_until([&] { return done_.size() >= n; });
  }
  using Outcomes = std::vector<std::pair<std::uint64_t, Code>>;
  GatedStore store_;
  Loop loop_;
  Outcomes done_;
  Committer committer_{store_, loop_.post()};
};

TEST_F(committer, batches_handed_in_during_a_commit_become_one) {  // STORE-12
  submit(1, 1);
  store_.await_append();
  submit(2, 2);
  submit(4, 3);
  EXPECT_GT(committer_.queued_bytes(), 0u);
  store_.open();
  await(3);
  EXPECT_EQ(done_, (Outcomes{{1, Code::Ok}, {2, Code::Ok}, {4, Code::Ok}}));
  EXPECT_EQ(store_.sizes(), (std::vector<std::size_t>{1, 5}));
  EXPECT_EQ(committer_.queued_bytes(), 0u);
}

TEST_F(committer, a_failure_fails_everything_queued_and_later_until_a_probe) {  // STORE-12
  submit(1, 1);
  store_.await_append();
  submit(2, 1);
  store_.inner().fail_next(Fault::Io);
  store_.open();
  await(2);
  submit(3, 1);
  await(3);
  EXPECT_EQ(done_, (Outcomes{{1, Code::Store}, {2, Code::Store}, {3, Code::Store}}));
  EXPECT_EQ(store_.sizes().size(), 1u);  // nothing was tried after the failure
  EXPECT_EQ(probe(), Code::Ok);
  submit(1, 1);
  await(4);
  EXPECT_EQ(done_.back(), (std::pair{std::uint64_t{1}, Code::Ok}));
}

TEST_F(committer, a_probe_that_fails_leaves_it_failed) {  // STORE-12
  store_.open();
  store_.inner().fail_next(Fault::NoSpace);
  submit(1, 1);
  await(1);
  ASSERT_EQ(done_[0].second, Code::Ok);  // the reserve was given up
  store_.inner().fail_next(Fault::NoSpace);
  store_.inner().stay_failed(true);
  submit(2, 1);
  await(2);
  EXPECT_EQ(done_[1].second, Code::Store);
  EXPECT_EQ(probe(), Code::Store);
  submit(2, 1);
  await(3);
  EXPECT_EQ(done_[2].second, Code::Store);
  store_.inner().stay_failed(false);
  EXPECT_EQ(probe(), Code::Ok);
}

TEST(committer_end, what_is_queued_is_committed_before_it_ends) {
  MemoryStore store;
  int done = 0;
  std::mutex mutex;
  {
    Committer committer(store, [&](std::function<void()> f) {
      std::lock_guard lock(mutex);
      f();
    });
    for (std::uint64_t n = 1; n <= 50; ++n)
      committer.submit(events(n, 1), [&](Result<void> r) { done += r ? 1 : 0; });
  }
  EXPECT_EQ(done, 50);
  EXPECT_EQ(store.every_event().size(), 50u);
}

TEST(sim_committer, a_crash_loses_what_was_not_committed) {
  MemoryStore store;
  SimCommitter queue(store);
  int done = 0;
  for (std::uint64_t n = 1; n <= 4; ++n)
    queue.submit(events(n, 1), [&](Result<void> r) { done += r ? 1 : 0; });
  EXPECT_TRUE(queue.commit_one());
  queue.crash(true);
  EXPECT_FALSE(queue.commit_one());
  EXPECT_EQ(done, 1);
  EXPECT_EQ(store.every_event().size(), 2u);
}

}  // namespace
}  // namespace wm::store
