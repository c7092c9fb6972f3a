// Role: the file `outranked` beside core.db: a host has obeyed a newer state of this cluster than
// the store has. The master writes it and stops; `badmin take-over` adds who decided that this
// store goes on; the next start does that and removes it.
//
//   stopped ─ newer store brought back ─► file removed, master runs
//        └─── badmin take-over ─────────► TakenOver is durable, file removed, master runs
#pragma once

#include <optional>
#include <string>

#include "libwm/base/result.h"
#include "libwm/model/master_rank.h"

namespace wm::store {

/// What was met, and who decided to go on all the same; empty: nobody yet.
struct Outranked {
  std::string host;
  MasterRank met;
  std::string by, why;
  bool operator==(const Outranked&) const = default;
};

/// None: there is no file. @errors Damaged: not ours; System   @thread any   @cost one read
Result<std::optional<Outranked>> read_outranked(const std::string& dir);
/// The file belongs to the folder's owner. @errors System: path and reason   @cost two fsync
Result<void> write_outranked(const std::string& dir, const Outranked& words);
/// @errors System: it is there and cannot be removed
Result<void> forget_outranked(const std::string& dir);

/// Why a master of rank `own` must not start beside these words; empty: it may. The file can go
/// then. Pure.
std::string must_not_start(const Outranked& words, const MasterRank& own);

}  // namespace wm::store
