// Role: the default table of a command if no client cuts its columns by position: as wide as
// what stands in them.
#pragma once

#include <span>
#include <string>

#include "commands/common/listing.h"

namespace wm::cmd {

/// -o and -json as listed(), else the default fields below each other. @errors as listed
/// @cost O(cells)
template <class T>
Result<std::string> listed_or_aligned(const Parsed& options, const Listing& how,
                                      std::span<const view::Field<T>> table,
                                      std::span<const T> objects) {
  WM_TRY(auto listing, listed<T>(options, how, table, objects));
  if (listing) return *listing;
  auto names = view::names_of(table);
  WM_TRY(auto format, view::parse_format(std::string(how.default_fields), names));
  return view::aligned_text(format, view::headings_of(format, names),
                            view::cells_of(format, table, objects));
}

}  // namespace wm::cmd
