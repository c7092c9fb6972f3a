// Role: group commit. The loop hands over batches; one thread commits all that wait as one
// transaction, and what came in meanwhile as the next.
//
//   loop: submit ─► queue ─► thread: append(joined) ─► post ─► loop: done(ok) in order
//                                │ fails
//                                ▼
//   failed: everything queued, and all that is submitted later, is done(Code::Store)
//                                │ probe(): reopen and probe commit succeed
//                                ▼
//   working again; the loop has meanwhile read its state back from disk
//
// Invariants (STORE-12): order is kept; done is called exactly once per submit, always
// through `post`, never from within submit. The queue's bound is the caller's: it stops
// taking requests while queued_bytes() is beyond its limit.
// The commit side's only user while this lives; the folder's other thread is AcctWriter's.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/store/core/event_store.h"

namespace wm::store {

/// Runs a function later on the loop's thread.
using Post = std::function<void(std::function<void()>)>;
/// What became of a batch. @errors Store: it may or may not be on disk, look after probe
using Done = std::function<void(Result<void>)>;

/// What the loop sees of it; the simulated one is in test/support/sim_committer.h.
/// @thread the loop
class CommitQueue {
 public:
  virtual ~CommitQueue() = default;
  /// Makes `batch` durable together with its neighbours, then posts `done`.
  /// @cost O(1)
  virtual void submit(Batch batch, Done done) = 0;
  /// Reopens the store and tries a commit; success ends the failed state. Posts `done`.
  /// @errors Store, Damaged: the store is still failed
  virtual void probe(Done done) = 0;
  /// Payload bytes not yet durable. @cost O(1)
  virtual std::size_t queued_bytes() const = 0;
};

/// The real one. @thread as CommitQueue   @owns its thread
class Committer final : public CommitQueue {
 public:
  /// `store` outlives this; `post` may be called from the commit thread at any time.
  Committer(EventStore& store, Post post);
  /// Commits what is queued, then ends the thread. Posted calls may still be to come.
  ~Committer() override;
  Committer(const Committer&) = delete;
  Committer& operator=(const Committer&) = delete;

  void submit(Batch batch, Done done) override;
  void probe(Done done) override;
  std::size_t queued_bytes() const override;

 private:
  struct Entry {
    Batch batch;
    Done done;
    std::size_t bytes = 0;
    bool is_probe = false;
  };
  void push(Entry entry);
  void run();
  std::vector<Entry> take();
  void commit(std::vector<Entry> group);
  void finish(std::vector<Entry> group, Result<void> result);

  EventStore& store_;  // appended to by thread_ alone
  Post post_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_.
  std::vector<Entry> queue_;
  std::size_t queued_bytes_ = 0;
  bool ending_ = false;

  Result<void> state_;  // commit thread only: why appends fail, Ok while they do not
  std::thread thread_;
};

}  // namespace wm::store
