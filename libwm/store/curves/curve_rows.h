// Role: rows of metrics.idx: up to 256 entries of one level of one series, packed.
// Used only inside libwm/store/curves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/store/curves/bucket.h"
#include "libwm/store/sqlite/sqlite.h"

namespace wm::store {

/// CURVE-1.
inline constexpr std::uint64_t kCurveRow = 256;

/// The entries of a row as bytes, doubles as this machine has them; level 0 holds values alone.
/// @cost O(entries)
std::string packed_row(unsigned level, const std::vector<CurveBucket>& entries);
/// @errors Damaged: no whole entries, or more than a row holds
Result<std::vector<CurveBucket>> unpacked_row(unsigned level, const std::string& bytes);

/// None there: empty. @errors Store, Damaged
Result<std::vector<CurveBucket>> read_row(Connection& db, std::int64_t series, unsigned level,
                                          std::uint64_t row);
/// @errors Store, Damaged
Result<void> write_row(Connection& db, std::int64_t series, unsigned level, std::uint64_t row,
                       const std::vector<CurveBucket>& entries);

}  // namespace wm::store
