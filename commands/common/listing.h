// Role: -o and -json for commands that list objects: one call over a table of fields.
// Default tables are the commands' own. Used by bhosts, bqueues, bplans, bwhy.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "libwm/submit/options.h"
#include "libwm/view/format.h"

namespace wm::cmd {

/// What a listing is called in JSON, and what it shows when -json comes without -o.
struct Listing {
  std::string_view command, count_key, default_fields;
};

/// The text for -o, -json, or both; nothing when the options ask for neither.
/// @errors BadArgument: as parse_format   @cost O(cells)
template <class T>
Result<std::optional<std::string>> listed(const Parsed& options, const Listing& how,
                                          std::span<const view::Field<T>> table,
                                          std::span<const T> objects) {
  bool json = options.has("json");
  if (!json && !options.has("o")) return std::optional<std::string>();
  auto names = view::names_of(table);
  WM_TRY(auto format,
         view::parse_format(options.first("o").value_or(std::string(how.default_fields)), names));
  auto headings = view::headings_of(format, names);
  auto rows = view::cells_of(format, table, objects);
  if (json)
    return std::optional(
        view::json_text(how.command, how.count_key, view::records_of(headings, rows)));
  return std::optional(view::table_text(format, headings, rows, !options.has("noheader")));
}

}  // namespace wm::cmd
