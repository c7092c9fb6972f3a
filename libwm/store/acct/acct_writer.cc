// Role: see acct_writer.h.
#include "libwm/store/acct/acct_writer.h"

#include <utility>

namespace wm::store {
AcctWriter::AcctWriter(AcctDb& db, std::size_t max_rows) : db_(db), max_rows_(max_rows) {
  if (auto last = db.last_seq()) written_ = *last;
  else failure_ = last.error();
  thread_ = std::thread([this] { run(); });
}

AcctWriter::~AcctWriter() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

bool AcctWriter::offer(AcctRows rows) {
  std::lock_guard lock(mutex_);
  if (refused_ && rows.seq != refused_) return false;
  bool full = !queue_.empty() && queued_rows_ + rows.size() > max_rows_;
  refused_ = full ? rows.seq : Seq{};
  if (full) return false;
  queued_rows_ += rows.size();
  queue_.push_back(std::move(rows));
  wake_.notify_one();
  return true;
}

Seq AcctWriter::written() const {
  std::lock_guard lock(mutex_);
  return written_;
}

Result<void> AcctWriter::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

void AcctWriter::retry() {
  std::lock_guard lock(mutex_);
  if (failure_) return;
  reopen_ = true;
  wake_.notify_one();
}

void AcctWriter::drain() {
  std::unique_lock lock(mutex_);
  settled_.wait(lock, [this] { return !busy_ && !reopen_ && (queue_.empty() || !failure_); });
}

// Waits for something to do; false: nothing more to come. The group stays at the head of
// the queue until it is written.
bool AcctWriter::take(AcctRows& group) {
  std::unique_lock lock(mutex_);
  busy_ = false;
  settled_.notify_all();
  wake_.wait(lock, [this] { return ending_ || reopen_ || (failure_ && !queue_.empty()); });
  if (!reopen_ && (queue_.empty() || !failure_)) return false;
  for (const auto& rows : queue_) {
    if (group.size() + rows.size() > kRowsPerTransaction && group.seq) break;
    join(group, rows);
  }
  busy_ = true;
  return true;
}

Result<void> AcctWriter::write(const AcctRows& group) {
  bool reopen = false;
  {
    std::lock_guard lock(mutex_);
    reopen = std::exchange(reopen_, false);
  }
  if (reopen) WM_TRY(db_.reopen());
  return group.seq ? db_.apply(group) : Result<void>();
}

void AcctWriter::run() {
  for (;;) {
    AcctRows group;
    if (!take(group)) return;
    auto done = write(group);
    std::lock_guard lock(mutex_);
    failure_ = done;
    if (!done || !group.seq) continue;
    written_ = std::max(written_, group.seq);
    while (!queue_.empty() && queue_.front().seq <= group.seq) {
      queued_rows_ -= queue_.front().size();
      queue_.pop_front();
    }
  }
}

}  // namespace wm::store
