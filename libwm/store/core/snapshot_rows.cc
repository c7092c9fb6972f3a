// Role: snapshots in core.db. One is many parts and, written last, a row with the hash of
// the whole: parts without that row are leftovers of a crash.
#include <algorithm>
#include <string>
#include <vector>

#include "libwm/store/core/core_rows.h"

namespace wm::store {
namespace {

constexpr std::size_t kPartBytes = std::size_t{256} << 10;

// Parts of no snapshot: of one that was never finished, or of one that was dropped.
Result<void> delete_orphan_parts(Connection& db) {
  for (std::size_t gone = 1; gone > 0;) {
    WM_TRY(
        db.exec("DELETE FROM snapshot_part WHERE rowid = (SELECT rowid FROM snapshot_part"
                " WHERE seq NOT IN (SELECT seq FROM snapshot) LIMIT 1)"));
    gone = db.changes();
    if (gone > 0) db.give_way();
  }
  return {};
}

Result<void> insert_parts(Connection& db, const Snapshot& snapshot) {
  std::string_view rest = snapshot.bytes;
  for (std::int64_t part = 0; part == 0 || !rest.empty(); ++part) {
    auto row = db.use("INSERT INTO snapshot_part VALUES (?,?,?)");
    row.bind(stored(snapshot.seq)).bind(part).bind_bytes(rest.substr(0, kPartBytes));
    WM_TRY(row.run());
    rest.remove_prefix(std::min(kPartBytes, rest.size()));
    db.give_way();
  }
  return {};
}

Result<void> finish(Connection& db, const Snapshot& snapshot) {
  auto hash = blob_hash(snapshot.bytes);  // before the write lock is taken
  Transaction last(db);
  WM_TRY(last.begin());
  {
    auto row = db.use("INSERT INTO snapshot VALUES (?,?)");
    WM_TRY(row.bind(stored(snapshot.seq)).bind_bytes(view(hash)).run());
  }
  WM_TRY(
      db.exec("DELETE FROM snapshot WHERE seq NOT IN"
              " (SELECT seq FROM snapshot ORDER BY seq DESC LIMIT 2)"));
  return last.commit();
}

Result<std::string> join_parts(Connection& db, Seq seq) {
  std::string bytes;
  auto ask = db.use("SELECT bytes FROM snapshot_part WHERE seq = ? ORDER BY part");
  ask.bind(stored(seq));
  for (;;) {
    WM_TRY(bool row, ask.step());
    if (!row) return bytes;
    bytes += ask.text(0);
  }
}

struct Listed {
  Seq seq;
  std::string hash;
};

// Newest first.
Result<std::vector<Listed>> list(Connection& db) {
  std::vector<Listed> found;
  auto ask = db.use("SELECT seq, hash FROM snapshot ORDER BY seq DESC");
  for (;;) {
    WM_TRY(bool row, ask.step());
    if (!row) return found;
    found.push_back({Seq{static_cast<std::uint64_t>(ask.number(0))}, ask.text(1)});
  }
}

}  // namespace

Result<void> insert_snapshot(Connection& db, const Snapshot& snapshot) {
  WM_TRY(auto known, list(db));
  for (const auto& k : known)
    if (k.seq == snapshot.seq) return {};  // the same events make the same state
  WM_TRY(delete_orphan_parts(db));
  WM_TRY(insert_parts(db, snapshot));
  WM_TRY(finish(db, snapshot));
  return delete_orphan_parts(db);
}

Result<std::optional<Snapshot>> select_snapshot(Connection& db) {
  WM_TRY(auto known, list(db));
  for (const auto& k : known) {
    WM_TRY(auto bytes, join_parts(db, k.seq));
    if (view(blob_hash(bytes)) == k.hash) return std::optional(Snapshot{k.seq, std::move(bytes)});
  }
  if (known.empty()) return std::optional<Snapshot>();
  return fail(Code::Damaged, db.path() + ": no snapshot is whole (newest is of event " +
                                 std::to_string(known.front().seq.value) +
                                 "); restore the store from a backup");
}

Result<Seq> select_older_snapshot(Connection& db) {
  WM_TRY(auto known, list(db));
  return known.size() < 2 ? Seq{} : known[1].seq;
}

}  // namespace wm::store
