// Role: the tables of events and of their history, version by version; FORMAT.md
// explains them.
#pragma once

#include "libwm/store/sqlite/schema.h"

namespace wm::store {

/// Of the event store, core.db. @cost O(1)
extern const Schema kCoreSchema;
/// Of a month of its history. @cost O(1)
extern const Schema kHistorySchema;

}  // namespace wm::store
