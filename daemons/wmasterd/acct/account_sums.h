// Role: bacct's sums from acct.db: whole hours from the sums kept there, the rest from jobs.
#pragma once

#include <optional>
#include <vector>

#include "libwm/model/verbs/acct.h"
#include "libwm/store/acct/acct_db.h"

namespace wm::master {

/// Can the question be answered of sums? Not where it asks for single jobs, names, hosts, or for
/// times of submission or dispatch. @cost O(1)
bool is_of_sums(const AcctRequest& request);

/// Its sums by what it asks for; none: more than one answer holds, so jobs must be asked for.
/// Whether an asker may see them is not decided here.
/// @errors Store, Damaged
/// @cost sums of the time asked for, and the jobs of six hours that are cut by its edges or by
/// months
Result<std::optional<std::vector<AcctSumRow>>> read_sums(store::AcctReader& reader,
                                                         const AcctRequest& request);

}  // namespace wm::master
