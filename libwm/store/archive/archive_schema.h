// Role: the tables of archive.db, version by version; FORMAT.md
// explains them.
#pragma once

#include "libwm/store/sqlite/schema.h"

namespace wm::store {

/// Of archive.db. @cost O(1)
extern const Schema kArchiveSchema;

}  // namespace wm::store
