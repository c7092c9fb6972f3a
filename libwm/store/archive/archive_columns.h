// Role: rows of archive.db out of its tables, for its writer and its readers: a record, what its
// owner says of it, whether it was deleted.
#pragma once

#include <string>
#include <vector>

#include "libwm/store/archive/archive_rows.h"
#include "libwm/store/sqlite/sqlite.h"

namespace wm::store {

/// 'it''s' for SQL. @cost O(length)
std::string quoted_sql(std::string_view text);
/// Tags as one text, and back. @cost O(length)
std::string joined_tags(const std::vector<std::string>& tags);
std::vector<std::string> split_tags(const std::string& text);

/// The record of that number; job = 0: none. @errors Store, Damaged   @cost one row
Result<RunRow> row_of_run(Connection& db, std::uint32_t job);
/// What its owner says of it; nothing: the default. @errors Store, Damaged   @cost one row
Result<RunWords> words_of_run(Connection& db, std::uint32_t job);
/// Was it deleted? @errors Store, Damaged   @cost one look-up
Result<bool> is_run_gone(Connection& db, JobId run);

}  // namespace wm::store
