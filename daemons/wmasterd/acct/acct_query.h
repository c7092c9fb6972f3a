// Role: the questions of bhist and bacct to acct.db: which rows fit, as many as one answer takes.
// Runs on a worker. Called by accounting.cc.
#pragma once

#include "libwm/model/verbs/acct.h"
#include "libwm/store/acct/acct_db.h"

namespace wm::master {

/// Jobs that fit, with what happened to them. @errors Store, Damaged
/// @cost at most 20,000 rows looked at, and the events of those returned
Result<HistoryReply> read_history(store::AcctReader& reader, const AcctRequest& request);

/// Finished jobs that fit. @errors, @cost as read_history
Result<AcctReply> read_account(store::AcctReader& reader, const AcctRequest& request);

}  // namespace wm::master
