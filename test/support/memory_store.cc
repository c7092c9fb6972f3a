// Role: see memory_store.h.
#include "test/support/memory_store.h"

#include <algorithm>
#include <utility>

namespace wm::test {

using store::Fault;

Result<void> MemoryStore::check_sequence(const store::Batch& batch) const {
  Seq last{events_.size()};
  for (const auto& event : batch.events)
    if (event.seq.value != ++last.value)
      return fail(Code::BadArgument, "event " + std::to_string(event.seq.value) +
                                         " out of sequence: expected " +
                                         std::to_string(last.value));
  return {};
}

Result<void> MemoryStore::meet_fault() {
  auto fault = std::exchange(next_fault_, Fault::None);
  bool reserve_helps = fault == Fault::NoSpace && !low_space_;
  if (reserve_helps) low_space_ = true;
  else if (fault != Fault::None) fault_ = fault;
  if (fault_ == Fault::None) return {};
  return fail(Code::Store, "memory store: stopped by " + std::string(fault_name(fault_)));
}

Result<void> MemoryStore::append(const store::Batch& batch) {
  if (fault_ != Fault::None) return fail(Code::Store, "memory store: stopped until reopened");
  WM_TRY(check_sequence(batch));
  WM_TRY(meet_fault());
  events_.insert(events_.end(), batch.events.begin(), batch.events.end());
  for (const auto& b : batch.blobs) blobs_[b.hash] = {b.bytes, Seq{events_.size()}};
  for (const auto& r : batch.replies) replies_.emplace(r.key, r);
  return {};
}

Result<void> MemoryStore::reopen() {
  if (stay_failed_) return fail(Code::Store, "memory store: still failed");
  fault_ = Fault::None;
  return {};
}

Result<std::vector<store::EventRow>> MemoryStore::read_events(Seq from, store::ReadLimit limit) {
  std::vector<store::EventRow> rows;
  std::size_t bytes = 0;
  if (from <= archived_ && archived_.value < events_.size())
    return fail(Code::NotFound, "event " + std::to_string(from.value) + " is in the history");
  for (auto at = std::max(from, Seq{archived_.value + 1}).value - 1;
       at < events_.size() && rows.size() < limit.rows && bytes < limit.bytes; ++at) {
    bytes += events_[at].payload.size();
    rows.push_back(events_[at]);
  }
  return rows;
}

Result<std::string> MemoryStore::blob(const store::Hash& hash) {
  auto found = blobs_.find(hash);
  if (found != blobs_.end()) return found->second.bytes;
  return fail(Code::NotFound, "memory store: no blob of this hash");
}

Result<std::optional<std::string>> MemoryStore::reply(const store::RequestKey& key) {
  auto found = replies_.find(key);
  if (found == replies_.end()) return std::optional<std::string>();
  return std::optional<std::string>(found->second.reply);
}

Result<std::optional<store::Snapshot>> MemoryStore::latest_snapshot() {
  if (snapshots_.empty()) return std::optional<store::Snapshot>();
  return std::optional<store::Snapshot>(snapshots_.rbegin()->second);
}

Result<void> MemoryStore::write_snapshot(const store::Snapshot& snapshot) {
  snapshots_.emplace(snapshot.seq, snapshot);
  while (snapshots_.size() > 2) snapshots_.erase(snapshots_.begin());
  return {};
}

Result<std::size_t> MemoryStore::archive_events(Seq through) {
  Seq older = snapshots_.size() < 2 ? Seq{} : snapshots_.begin()->first;
  Seq last = std::max(archived_, std::min({through, older, Seq{events_.size()}}));
  Seq before = std::exchange(archived_, last);
  return last.value - before.value;
}

Result<std::size_t> MemoryStore::drop_blobs(const std::set<store::Hash>& keep, Seq through) {
  return std::erase_if(blobs_, [&](const auto& entry) {
    return entry.second.seq <= through && !keep.contains(entry.first);
  });
}

Result<std::size_t> MemoryStore::drop_replies(WallTime before) {
  return std::erase_if(replies_, [&](const auto& entry) { return entry.second.time < before; });
}

Result<bool> MemoryStore::make_reserve() {
  low_space_ = false;
  return true;
}

}  // namespace wm::test
