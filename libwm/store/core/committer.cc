// Role: see committer.h.
#include "libwm/store/core/committer.h"

#include <iterator>
#include <utility>

#include "libwm/store/core/move_to_end.h"

namespace wm::store {
namespace {

// A group is committed at this size at the latest, so that the first reply does not wait
// for a burst of submits behind it.
constexpr std::size_t kGroupBytes = std::size_t{8} << 20;

std::size_t bytes_of(const Batch& batch) {
  std::size_t bytes = 0;
  for (const auto& e : batch.events) bytes += e.payload.size();
  for (const auto& b : batch.blobs) bytes += b.bytes.size();
  for (const auto& r : batch.replies) bytes += r.reply.size();
  return bytes;
}

}  // namespace

Committer::Committer(EventStore& store, Post post) : store_(store), post_(std::move(post)) {
  thread_ = std::thread([this] { run(); });
}

Committer::~Committer() {
  {
    std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void Committer::submit(Batch batch, Done done) {
  auto bytes = bytes_of(batch);
  push({std::move(batch), std::move(done), bytes, false});
}

void Committer::probe(Done done) { push({{}, std::move(done), 0, true}); }

std::size_t Committer::queued_bytes() const {
  std::lock_guard lock(mutex_);
  return queued_bytes_;
}

void Committer::push(Entry entry) {
  {
    std::lock_guard lock(mutex_);
    queued_bytes_ += entry.bytes;
    queue_.push_back(std::move(entry));
  }
  wake_.notify_one();
}

// The next group: a probe alone, or batches up to the next probe and the size limit.
std::vector<Committer::Entry> Committer::take() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return ending_ || !queue_.empty(); });
  std::size_t bytes = 0;
  auto end = queue_.begin();
  while (end != queue_.end() && bytes < kGroupBytes) {
    if (end->is_probe && end != queue_.begin()) break;
    bytes += end->bytes;
    if ((end++)->is_probe) break;
  }
  std::vector<Entry> group(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
  queue_.erase(queue_.begin(), end);
  return group;
}

void Committer::run() {
  for (;;) {
    auto group = take();
    if (group.empty()) return;  // ending, and nothing left
    if (group.front().is_probe) {
      state_ = store_.reopen();
      finish(std::move(group), state_);
    } else {
      commit(std::move(group));
    }
  }
}

void Committer::commit(std::vector<Entry> group) {
  if (state_) {
    Batch joined = std::move(group.front().batch);
    for (std::size_t i = 1; i < group.size(); ++i) {
      move_to_end(joined.events, group[i].batch.events);
      move_to_end(joined.blobs, group[i].batch.blobs);
      move_to_end(joined.replies, group[i].batch.replies);
    }
    auto done = store_.append(joined);
    if (!done) state_ = fail(Code::Store, done.error().text);
  }
  finish(std::move(group), state_);
}

void Committer::finish(std::vector<Entry> group, Result<void> result) {
  {
    std::lock_guard lock(mutex_);
    for (const auto& entry : group) queued_bytes_ -= entry.bytes;
  }
  std::vector<Done> waiting;
  for (auto& entry : group) waiting.push_back(std::move(entry.done));
  post_([waiting = std::move(waiting), result = std::move(result)] {
    for (const auto& done : waiting) done(result);
  });
}

}  // namespace wm::store
