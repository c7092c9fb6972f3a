// Role: see core_rows.h: events, blobs and replies. Snapshots are in snapshot_rows.cc.
#include "libwm/store/core/core_rows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "libwm/base/hash.h"

namespace wm::store {
namespace {

// Deletes go in pieces so that a commit waits for one piece at most.
constexpr std::size_t kDeletePiece = 1000;

Seq seq_at(const Statement& row, int column) {
  return Seq{static_cast<std::uint64_t>(row.number(column))};
}

EventRow event_at(const Statement& row) {
  return {seq_at(row, 0), WallTime(Duration(row.number(1))),
          static_cast<std::uint16_t>(row.number(2)), static_cast<std::uint16_t>(row.number(3)),
          row.text(4)};
}

Error gap(Connection& db, Seq wanted, Seq found) {
  return fail(Code::Damaged, db.path() + ": event " + std::to_string(wanted.value) +
                                 " is missing, the next is " + std::to_string(found.value) +
                                 "; restore it from a backup");
}

Result<void> insert_events(Connection& db, const std::vector<EventRow>& events) {
  auto row = db.use("INSERT INTO event VALUES (?,?,?,?,?)");
  for (const auto& e : events) {
    row.bind(stored(e.seq)).bind(stored(e.time)).bind(e.type).bind(e.version);
    row.bind_bytes(e.payload);
    WM_TRY(row.run());
  }
  return {};
}

// A blob put again is as young as the newest batch that put it (drop_blobs looks at that).
Result<void> insert_blobs(Connection& db, const Batch& batch) {
  if (batch.blobs.empty()) return {};
  WM_TRY(auto last, select_last_seq(db));
  auto row = db.use(
      "INSERT INTO blob(hash, seq, bytes) VALUES (?,?,?)"
      " ON CONFLICT(hash) DO UPDATE SET seq = max(seq, excluded.seq)");
  for (const auto& b : batch.blobs) {
    row.bind_bytes(view(b.hash)).bind(stored(last)).bind_bytes(b.bytes);
    WM_TRY(row.run());
  }
  return {};
}

Result<void> insert_replies(Connection& db, const std::vector<ReplyRow>& replies) {
  auto row = db.use("INSERT OR IGNORE INTO reply(key, time, reply) VALUES (?,?,?)");
  for (const auto& r : replies) {
    row.bind_bytes(r.key).bind(stored(r.time)).bind_bytes(r.reply);
    WM_TRY(row.run());
  }
  return {};
}

Result<void> delete_blob_ids(Connection& db, const std::vector<std::int64_t>& ids) {
  Transaction piece(db);
  WM_TRY(piece.begin());
  auto row = db.use("DELETE FROM blob WHERE id = ?");
  for (auto id : ids) WM_TRY(row.bind(id).run());
  WM_TRY(piece.commit());
  db.give_way();
  return {};
}

Hash stored_hash(const std::string& bytes) {
  Hash hash{};
  std::copy_n(bytes.begin(), std::min(bytes.size(), hash.size()), hash.begin());
  return hash;
}

}  // namespace

Hash blob_hash(std::string_view bytes) { return stored_hash(hash_of(bytes)); }

Result<void> insert_batch(Connection& db, const Batch& batch) {
  WM_TRY(insert_events(db, batch.events));
  WM_TRY(insert_blobs(db, batch));
  return insert_replies(db, batch.replies);
}

Result<std::string> select_store_id(Connection& db) {
  auto ask = db.use("SELECT store FROM identity");
  WM_TRY(bool row, ask.step());
  if (row) return ask.text(0);
  return fail(Code::Damaged, db.path() + ": it has no id; restore it from a backup");
}

Result<Seq> select_last_seq(Connection& db) {
  WM_TRY(auto last, db.number("SELECT max(coalesce((SELECT max(seq) FROM event), 0),"
                              "           coalesce((SELECT max(seq) FROM snapshot), 0))"));
  return Seq{static_cast<std::uint64_t>(last)};
}

Result<std::vector<EventRow>> select_events(Connection& db, Seq from, ReadLimit limit) {
  std::vector<EventRow> rows;
  std::size_t bytes = 0;
  auto ask =
      db.use("SELECT seq, time, type, version, payload FROM event WHERE seq >= ? ORDER BY seq");
  ask.bind(stored(from));
  while (rows.size() < limit.rows && bytes < limit.bytes) {
    WM_TRY(bool row, ask.step());
    if (!row) break;
    auto event = event_at(ask);
    if (!rows.empty() && event.seq.value != rows.back().seq.value + 1)
      return gap(db, Seq{rows.back().seq.value + 1}, event.seq);
    bytes += event.payload.size();
    rows.push_back(std::move(event));
  }
  return rows;
}

Result<std::string> select_blob(Connection& db, const Hash& hash) {
  auto ask = db.use("SELECT bytes FROM blob WHERE hash = ?");
  ask.bind_bytes(view(hash));
  WM_TRY(bool row, ask.step());
  if (row) return ask.text(0);
  return fail(Code::NotFound, db.path() + ": no blob of this hash");
}

Result<std::optional<std::string>> select_reply(Connection& db, const RequestKey& key) {
  auto ask = db.use("SELECT reply FROM reply WHERE key IN (?, ?) ORDER BY length(key) DESC");
  std::string_view before(key);
  before.remove_prefix(key.size() - std::min(key.size(), std::size_t{16}));
  ask.bind_bytes(key).bind_bytes(before);
  WM_TRY(bool row, ask.step());
  if (!row) return std::optional<std::string>();
  return std::optional<std::string>(ask.text(0));
}

Result<std::size_t> delete_blobs(Connection& db, const std::set<Hash>& keep, Seq through) {
  std::size_t dropped = 0;
  std::int64_t after = 0;
  for (std::size_t seen = kDeletePiece; seen == kDeletePiece;) {
    std::vector<std::int64_t> ids;
    seen = 0;
    {
      auto ask = db.use("SELECT id, hash FROM blob WHERE id > ? AND seq <= ? ORDER BY id LIMIT ?");
      ask.bind(after).bind(stored(through)).bind(kDeletePiece);
      for (;; ++seen) {
        WM_TRY(bool row, ask.step());
        if (!row) break;
        after = ask.number(0);
        if (!keep.contains(stored_hash(ask.text(1)))) ids.push_back(after);
      }
    }
    if (!ids.empty()) WM_TRY(delete_blob_ids(db, ids));
    dropped += ids.size();
  }
  return dropped;
}

// Replies were put in the order of time, so the old ones have the lowest ids.
Result<std::size_t> delete_replies(Connection& db, WallTime before) {
  std::size_t dropped = 0;
  for (std::size_t piece = kDeletePiece; piece == kDeletePiece; dropped += piece) {
    auto row = db.use(
        "DELETE FROM reply WHERE id IN (SELECT id FROM"
        " (SELECT id, time FROM reply ORDER BY id LIMIT ?) WHERE time < ?)");
    WM_TRY(row.bind(kDeletePiece).bind(stored(before)).run());
    piece = db.changes();
    db.give_way();
  }
  return dropped;
}

Result<void> probe_commit(Connection& db) {
  Transaction probe(db);
  WM_TRY(probe.begin());
  WM_TRY(db.exec("UPDATE probe SET count = count + 1"));
  return probe.commit();
}

}  // namespace wm::store
