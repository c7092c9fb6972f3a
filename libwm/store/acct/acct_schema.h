// Role: the tables of accounting, version by version; FORMAT.md
// explains them.
#pragma once

#include "libwm/store/sqlite/schema.h"

namespace wm::store {

/// Of acct.db. @cost O(1)
extern const Schema kAcctSchema;

}  // namespace wm::store
