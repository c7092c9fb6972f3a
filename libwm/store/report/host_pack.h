// Role: what hosts' units did in one hour as a few bytes: of a thousand hosts over a month a table
// of rows would be most of report.db. Used by report_db.cc alone.
//
//   hosts by rising number: step to it, its uses; of each: amounts as far as they differ from what
//   is usual (a CPU a slot, a GPU a whole one, no GPU)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/report/sums.h"

namespace wm::store {

/// What one host's units did in one way.
struct HostUse {
  std::uint32_t host = 0;
  report::Use use{};
  report::Amounts amounts;  ///< without memory
  bool operator==(const HostUse&) const = default;
};

/// By host, then use, both rising. @cost O(rows)
std::string pack_hosts(const std::vector<HostUse>& rows);
/// @errors Damaged: cut, or not made so
Result<std::vector<HostUse>> unpack_hosts(std::string_view bytes);

}  // namespace wm::store
