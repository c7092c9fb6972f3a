// Role: a whole copy of a database that is in use, for a backup: what one read transaction sees,
// without free pages, in one file without a log. Writers go on meanwhile.
#pragma once

#include <string>

#include "libwm/base/result.h"

namespace wm::store {

/// Copies `from` to `to`, a name that is not there yet, and checks the copy. On failure nothing
/// stays at `to`.
/// @errors Conflict: `to` is there; Store, Damaged: as SQLite says of one of the two
/// @cost O(size), read and written once; checkpoints of `from` wait   @thread any
/// @source SQLite, VACUUM INTO; PRAGMA quick_check
Result<void> copy_database(const std::string& from, const std::string& to);

}  // namespace wm::store
