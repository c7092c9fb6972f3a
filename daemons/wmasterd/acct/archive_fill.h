// Role: the archive made of what is on disk: of every event ever stored, else of accounting. Used
// once when there was none, after damage, and by badmin archive -rebuild.
#pragma once

#include "daemons/wmasterd/acct/run_rows.h"
#include "libwm/store/archive/archive_db.h"

namespace wm::master {

/// Fills the archive with what the history of events knows of runs that the master has forgotten;
/// where old events were dropped, with what accounting knows of those that have no record: of their
/// profiles it knows the names, `config` what those are today. What is there stays until it is
/// written anew.
/// @errors Store, Damaged   @cost every event once, and a second state of the cluster in memory
/// @thread any
Result<void> fill_archive(const store::StoreFiles& files, const Config& config,
                          store::ArchiveDb& db, const BlobOf& blob);

/// What owners said of runs and deleted in the events after `after`.
/// @errors Store, Damaged   @cost those events   @thread any
Result<std::vector<store::ArchiveStep>> said_after(const store::StoreFiles& files, Seq after);

}  // namespace wm::master
