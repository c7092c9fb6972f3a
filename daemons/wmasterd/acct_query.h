// Role: bacct's questions to acct.db: which rows fit, a bounded number at a time. Runs on a
// worker. Called by accounting.cc.
#pragma once

#include "libwm/model/acct.h"
#include "libwm/model/verbs.h"
#include "libwm/store/acct_db.h"

namespace wm::master {

/// Finished jobs that fit, after request.after. @errors Store, Damaged
/// @cost at most 20,000 rows looked at and 1,000 returned
Result<AcctReply> read_account(store::AcctReader& reader, const AcctRequest& request);

}  // namespace wm::master
