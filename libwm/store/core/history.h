// Role: events that the snapshots no longer need, in one file a month beside core.db, and
// reading all events ever stored, from whichever file holds them.
//
//   history-202601.db  history-202602.db …  core.db
//   ◄──────────── ascending sequence, file by file ────────────►
//
// Invariant (STORE-9): an event goes to the month of its time, but never to a file before
// the newest there is, so file order is sequence order even if the clock was set back. It
// is written there before it leaves core.db: for a moment it may be in both, never in none.
// Called by CoreDb's chores side, bhist, replay and rebuild.
#pragma once

#include <functional>
#include <string>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/store/core/event_store.h"

namespace wm::store {

class Connection;

/// Which store. `vfs` as in CoreOptions.
struct StoreFiles {
  std::string dir = {};
  std::string vfs = {};
};

/// Moves events up to `through` out of core.db (`core`), but none that the older of its two
/// snapshots does not contain. Returns how many.
/// @errors Store, Damaged   @thread the connection's   @cost commits of 2,000 events
Result<std::size_t> move_to_history(Connection& core, const StoreFiles& files, Seq through);

/// Removes files that hold only events older than `before`, from the oldest on, and never the
/// newest. Returns how many. @errors Store, Damaged; System: a file cannot be removed
/// @thread any   @cost opens those of which the month is over by then
Result<std::size_t> drop_history(const StoreFiles& files, WallTime before);

/// The first event that is still there, 0 if there is none: after 1 once history was dropped.
/// @errors Store, Damaged   @thread any
Result<Seq> first_event(const StoreFiles& files);

/// Finishes or undoes what a crash left half done in the newest history file, so that it can
/// be read without writing. @errors Store, Damaged   @thread any
Result<void> settle_history(const StoreFiles& files);

/// Told every event, in order. An error stops the visit and is returned.
using EventVisitor = std::function<Result<void>(const EventRow&)>;

/// Shows every event from `from` on, from the history files and core.db, each once, while
/// a master may be writing. Returns the sequence of the last one shown, or from - 1.
/// @errors Damaged: one is missing; Store: a file cannot be read; what the visitor returns
/// @thread any, own connections   @cost memory of one chunk (4,096 events or 4 MiB)
Result<Seq> visit_events(const StoreFiles& files, Seq from, const EventVisitor& visitor);

}  // namespace wm::store
