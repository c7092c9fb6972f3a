// Role: the statements on core.db that the three sides of CoreDb run, as functions of a
// connection; each knows its tables and nothing of threads, faults or files.
// Used only by core_db.cc and history.cc.
#pragma once

#include "libwm/store/core/event_store.h"
#include "libwm/store/sqlite/sqlite.h"

namespace wm::store {

/// Rows of a batch into their tables, inside the caller's transaction.
/// @errors Store, Damaged
Result<void> insert_batch(Connection& db, const Batch& batch);
/// The id of the store. @errors Store, Damaged
Result<std::string> select_store_id(Connection& db);
/// Highest sequence of any event or snapshot. @errors Store, Damaged
Result<Seq> select_last_seq(Connection& db);
/// Events from `from` on; the first may be later than `from`.
/// @errors Damaged: a gap after the first
Result<std::vector<EventRow>> select_events(Connection& db, Seq from, ReadLimit limit);
/// @errors NotFound
Result<std::string> select_blob(Connection& db, const Hash& hash);
/// @errors Store, Damaged
Result<std::optional<std::string>> select_reply(Connection& db, const RequestKey& key);
/// @errors Damaged: none of the snapshots is whole
Result<std::optional<Snapshot>> select_snapshot(Connection& db);

/// Writes a snapshot in parts, each its own transaction, so that commits get their turn.
/// @errors Store, Damaged
Result<void> insert_snapshot(Connection& db, const Snapshot& snapshot);
/// Sequence of the older of two snapshots; 0 while there are fewer than two.
/// @errors Store, Damaged
Result<Seq> select_older_snapshot(Connection& db);
/// @errors Store, Damaged
Result<std::size_t> delete_blobs(Connection& db, const std::set<Hash>& keep, Seq through);
/// @errors Store, Damaged
Result<std::size_t> delete_replies(Connection& db, WallTime before);
/// A commit that changes nothing anybody reads. @errors Store, Damaged
Result<void> probe_commit(Connection& db);

/// Bytes of a fixed-size key as SQLite takes them; borrowed from `key`. @cost O(1)
template <std::size_t N>
std::string_view view(const std::array<std::uint8_t, N>& key) {
  return {reinterpret_cast<const char*>(key.data()), N};
}

}  // namespace wm::store
