// Role: what the master keeps on disk, in opaque bytes: events in sequence, the replies to
// requests by key, blobs (scripts, environments) by hash, and snapshots of the state.
// CoreDb is the real one; test/support/memory_store.h its twin for simulation.
//
//   append ──► event, blob, reply ──write_snapshot──► two snapshots ──archive──► history files
//
// An event is never changed and never taken back: the state is what all of them add up to, a
// snapshot only saves adding. Of two snapshots the older one is for a newest that turns out to be
// damaged; events that both have in them move to a file of their month. An error of the device
// leaves it unknown what is on disk: the file is closed and read anew, nothing is written twice.
//
// Three sides, each for one thread at a time, independent of each other:
//   commit   append, reopen                      the committer's thread
//   read     read_events, blob, reply, …         the loop thread
//   chores   write_snapshot, archive_events, …   a worker thread
//
// Invariants (numbers as in FORMAT.md): a batch is there whole or not at all (STORE-1);
// what append acknowledged survives any crash (STORE-2); events have no gap (STORE-3).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/base/units.h"
#include "libwm/store/sqlite/fault.h"

namespace wm::store {

/// BLAKE2b-256 of a blob's bytes.
using Hash = std::array<std::uint8_t, 32>;
/// Who asked, and the 16 bytes that the client chose: the same request again carries the same. Of
/// masters before, these bytes alone. @shape 4 bytes of the uid, little-endian, then the 16
using RequestKey = std::string;

/// The hash under which these bytes are kept. @cost O(bytes)   @thread any
Hash blob_hash(std::string_view bytes);

/// One event. The payload's meaning belongs to (type, version); the store never looks.
struct EventRow {
  Seq seq;
  WallTime time;
  std::uint16_t type = 0;
  std::uint16_t version = 0;
  std::string payload;
  bool operator==(const EventRow&) const = default;
};
/// A script or environment, by hash; putting the same bytes again is harmless.
struct BlobRow {
  Hash hash{};
  std::string bytes;
  bool operator==(const BlobRow&) const = default;
};
/// The answer to a request, to be given again if the request comes again.
struct ReplyRow {
  RequestKey key{};
  WallTime time;
  std::string reply;
  bool operator==(const ReplyRow&) const = default;
};

/// What becomes durable together. Events are numbered by the caller, without gaps, from
/// last_seq() + 1. The first reply kept under a key stands.
struct Batch {
  std::vector<EventRow> events;
  std::vector<BlobRow> blobs;
  std::vector<ReplyRow> replies;
  bool operator==(const Batch&) const = default;
};

/// The state after event `seq`, in the caller's bytes.
struct Snapshot {
  Seq seq;
  std::string bytes;
  bool operator==(const Snapshot&) const = default;
};

/// Bounds of one read. @units bytes: of payloads; the first event is returned in any case
struct ReadLimit {
  std::size_t rows = 4096;
  std::size_t bytes = std::size_t{4} << 20;
};

/// The master's store. Any failure of append other than BadArgument sets fault(), after
/// which every append fails until reopen() succeeds.
class EventStore {
 public:
  virtual ~EventStore() = default;

  /// Makes a batch durable.
  /// @errors BadArgument: events not in sequence (nothing written); Store, Damaged: as
  ///         fault() says; the batch may be found after reopen(), whole, or not
  /// @thread commit   @cost one sync
  virtual Result<void> append(const Batch& batch) = 0;
  /// Closes everything, opens it again and proves by a commit that writing works.
  /// @errors Store, Damaged: still not; fault() says why   @thread commit
  virtual Result<void> reopen() = 0;
  /// Why appends fail; None while they do not. @thread any
  virtual Fault fault() const = 0;
  /// True: the reserve was given up to go on writing; only ends and kills should be
  /// written until make_reserve() has it back. @thread any
  virtual bool low_space() const = 0;

  /// What this store and its copies are called: 16 random hex digits.
  /// @errors Store, Damaged   @thread read
  virtual Result<std::string> store_id() = 0;
  /// Last event stored; 0 before the first. @errors Store, Damaged   @thread read
  virtual Result<Seq> last_seq() = 0;
  /// Events from `from` on, in order, without gap; empty at the end.
  /// @errors NotFound: `from` is in the history files; Damaged: one is missing   @thread read
  virtual Result<std::vector<EventRow>> read_events(Seq from, ReadLimit limit = {}) = 0;
  /// @errors NotFound: no such blob   @thread read
  virtual Result<std::string> blob(const Hash& hash) = 0;
  /// The reply kept under `key`, or by a master before under its last 16 bytes, if any. @errors
  /// Store, Damaged   @thread read
  virtual Result<std::optional<std::string>> reply(const RequestKey& key) = 0;
  /// The newest snapshot that is whole; a damaged one is passed over for the older.
  /// @errors Damaged: there are snapshots and none is whole   @thread read
  virtual Result<std::optional<Snapshot>> latest_snapshot() = 0;

  /// Keeps a snapshot and drops all but the newest two. Appends go on meanwhile.
  /// @errors Store, Damaged   @thread chores   @cost O(bytes)
  virtual Result<void> write_snapshot(const Snapshot& snapshot) = 0;
  /// Moves events up to `through`, but none that the older snapshot does not contain, to
  /// the history. Returns how many. @errors Store, Damaged   @thread chores
  virtual Result<std::size_t> archive_events(Seq through) = 0;
  /// Drops blobs put by events up to `through` unless their hash is in `keep`; `keep` is what
  /// the state after `through` refers to. Returns how many.
  /// @errors Store, Damaged   @thread chores
  virtual Result<std::size_t> drop_blobs(const std::set<Hash>& keep, Seq through) = 0;
  /// Forgets replies older than `before`. Returns how many.
  /// @errors Store, Damaged   @thread chores
  virtual Result<std::size_t> drop_replies(WallTime before) = 0;
  /// Drops files of history with events older than `before` only, from the oldest on; never the
  /// newest file. Returns how many. @errors Store, Damaged, System   @thread chores
  virtual Result<std::size_t> drop_history(WallTime before) = 0;
  /// Makes the reserve again when there is room for it twice over; true: it is there.
  /// @errors System   @thread chores
  virtual Result<bool> make_reserve() = 0;
};

}  // namespace wm::store
