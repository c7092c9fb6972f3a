// Role: brings a database file to the version that this program writes, or refuses it.
// A schema is a list of steps; step i takes the file from version i to i + 1 (SQLite's
// user_version). Steps are append-only: an old file walks through those it lacks.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "libwm/base/result.h"
#include "libwm/store/sqlite/sqlite.h"

namespace wm::store {

/// What a file of one kind must be. `application_id` tells our files from others'.
struct Schema {
  std::string_view what;
  std::int32_t application_id = 0;
  std::span<const char* const> steps;
};

/// Checks that the file is of this kind and applies the steps it lacks.
/// @errors Damaged: another program's file or a newer version; Store: as SQLite
Result<void> prepare(Connection& db, const Schema& schema);
/// Checks that the file is of this kind and version, for readers. @errors Damaged: another; Store
Result<void> check_version(Connection& db, const Schema& schema);
/// SQLite's quick integrity check. @errors Damaged: unsound   @cost reads the whole file
Result<void> check_sound(Connection& db);

}  // namespace wm::store
