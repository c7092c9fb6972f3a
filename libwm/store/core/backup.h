// Role: a copy of all that a master keeps, made while it works: every database of its state
// folder and the files beside them, with a list of what there is and its hashes.
//
//   report.db meter.db acct.db ─► core.db ─► history-*.db ─► archive.db ─► the rest ─► MANIFEST
//
// The order is what makes the copies one state: what is derived from events is never ahead of
// core.db, and history, which may be, is cut back to it. The archive is not behind it: a job that
// core.db has forgotten has its record there; of one that it knows still the job counts. Used by
// badmin backup and its tests.
#pragma once

#include <string>
#include <vector>

#include "libwm/base/ids.h"
#include "libwm/base/result.h"
#include "libwm/base/units.h"

namespace wm::store {

/// What was copied.
struct BackupFacts {
  std::string store;  ///< id of the store
  Seq seq;            ///< last event in the copy
  std::vector<std::string> files;
  Bytes bytes{0};
};

/// Copies the stores in `state` into the empty folder `to`. Locks, the reserve and what is made
/// anew at each start are left out.
/// @errors NotFound: no core.db there; Store, Damaged: as SQLite says of a source or its copy;
///         System: a file cannot be read or written. What is in `to` then is of no use.
/// @cost reads and writes all of it once   @thread any; the master may run
Result<BackupFacts> copy_stores(const std::string& state, const std::string& to);

/// Compares a folder with its MANIFEST. @errors Damaged: a file is missing, or has other bytes than
/// were written; NotFound: no MANIFEST   @cost O(size)
Result<void> verify_copy(const std::string& folder);

}  // namespace wm::store
