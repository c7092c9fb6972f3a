// Role: the committer of a simulated master: the simulation says when a commit happens, and
// a crash loses what was submitted but not committed, with everybody who waited for it.
#pragma once

#include <deque>
#include <utility>

#include "libwm/store/core/committer.h"

namespace wm::test {

/// @thread one. `store` outlives this.
class SimCommitter final : public store::CommitQueue {
 public:
  explicit SimCommitter(store::EventStore& store) : store_(store) {}

  void submit(store::Batch batch, store::Done done) override {
    queue_.push_back({std::move(batch), std::move(done), false});
  }
  void probe(store::Done done) override { queue_.push_back({{}, std::move(done), true}); }
  std::size_t queued_bytes() const override { return queue_.size(); }

  bool idle() const { return queue_.empty(); }
  /// Commits the oldest entry and tells its owner. False: nothing was queued.
  bool commit_one() {
    if (queue_.empty()) return false;
    auto entry = std::move(queue_.front());
    queue_.pop_front();
    auto result = perform(entry);
    entry.done(result);
    return true;
  }
  /// The master dies. With `after_write`, the oldest entry was already on disk.
  void crash(bool after_write) {
    if (after_write && !queue_.empty()) (void)perform(queue_.front());
    queue_.clear();
    failed_ = Result<void>();
  }

 private:
  struct Entry {
    store::Batch batch;
    store::Done done;
    bool is_probe = false;
  };
  Result<void> perform(const Entry& entry) {
    if (entry.is_probe) return failed_ = store_.reopen();
    if (failed_) failed_ = store_.append(entry.batch);
    return failed_;
  }
  store::EventStore& store_;
  std::deque<Entry> queue_;
  Result<void> failed_;
};

}  // namespace wm::test
