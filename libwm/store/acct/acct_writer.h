// Role: keeps acct.db up with the events, on a thread of its own, so that the loop never
// waits for it. Rows that wait are joined into one transaction.
//
//   loop: offer(rows) ─► queue (bounded) ─► thread: apply ─► written()
//           │ full or failed                    │ fails
//           ▼                                   ▼
//   refused: offer the same again later    failure() until retry() works; nothing is lost
//
// Invariant (STORE-15): rows are written in the order of their events, none left out: after
// a refusal only the refused rows are taken. After a crash the owner makes the rows after
// AcctDb::last_seq() again from core.db.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>

#include "libwm/store/acct/acct_db.h"

namespace wm::store {

/// @thread everything: the loop   @owns its thread; `db` is its own while it lives
class AcctWriter {
 public:
  /// `max_rows`: the queue's bound.
  AcctWriter(AcctDb& db, std::size_t max_rows);
  /// Writes what is queued unless writing fails, then ends the thread.
  ~AcctWriter();
  AcctWriter(const AcctWriter&) = delete;
  AcctWriter& operator=(const AcctWriter&) = delete;

  /// Takes rows to be written. False: the queue is full, or an earlier offer was refused
  /// and must come first. @cost O(1)
  bool offer(AcctRows rows);
  /// The last event that has its rows written. @cost O(1)
  Seq written() const;
  /// Why writing stopped; Ok while it works. @errors Store, Damaged
  Result<void> failure() const;
  /// After a failure: opens the database again and goes on with what is queued.
  void retry();
  /// Waits until all that was taken is written or writing failed. For ending and tests.
  void drain();

 private:
  void run();
  bool take(AcctRows& group);
  Result<void> write(const AcctRows& group);

  AcctDb& db_;  // of thread_ alone
  std::size_t max_rows_;
  mutable std::mutex mutex_;
  std::condition_variable wake_, settled_;
  // Guarded by mutex_.
  std::deque<AcctRows> queue_;
  std::size_t queued_rows_ = 0;
  Seq refused_, written_;
  Result<void> failure_;
  bool busy_ = false, reopen_ = false, ending_ = false;
  std::thread thread_;
};

}  // namespace wm::store
