// Role: -o and -json for commands that list objects: one call over a table of fields.
// Default tables are the commands' own. Used by bhosts, bqueues, bplans, bwhy.
#pragma once

#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "libwm/submit/options.h"
#include "libwm/view/format.h"

namespace wm::cmd {

/// What a listing is called in JSON, and what it shows when -json comes without -o; the variable
/// of the environment that stands for a -o that is not given.
struct Listing {
  std::string_view command, count_key, default_fields, variable = {};
};

/// The -o argument that counts: the option's; else, unless another form is asked for, the
/// variable's; of -json without either the default fields. Nothing: no listing of fields is wanted.
/// @cost O(options)   @source LSF: LSB_BQUEUES_FORMAT, LSB_BHOSTS_FORMAT, LSF_LSLOAD_FORMAT
inline std::optional<std::string> format_wanted(const Parsed& options, const Listing& how) {
  if (auto given = options.first("o")) return given;
  bool other = false;
  for (auto form : {"l", "w", "r", "gpu", "gpuload", "aff", "s", "T", "I", "N", "E"})
    other = other || options.has(form);
  const char* value =
      how.variable.empty() || other ? nullptr : std::getenv(std::string(how.variable).c_str());
  if (value && *value) return value;
  if (options.has("json")) return std::string(how.default_fields);
  return std::nullopt;
}

/// The text for -o, -json, or both; nothing when the options ask for neither. `unit`: of sizes in
/// columns that name none.
/// @errors BadArgument: as parse_format   @cost O(cells)
template <class T>
Result<std::optional<std::string>> listed(const Parsed& options, const Listing& how,
                                          std::span<const view::Field<T>> table,
                                          std::span<const T> objects, view::SizeUnit unit = {}) {
  bool json = options.has("json");
  auto wanted = format_wanted(options, how);
  if (!wanted) return std::optional<std::string>();
  auto names = view::names_of(table);
  WM_TRY(auto format, view::parse_format(*wanted, names));
  format.unit = std::move(unit);
  auto headings = view::headings_of(format, names);
  auto rows = view::cells_of(format, table, objects);
  if (json)
    return std::optional(
        view::json_text(how.command, how.count_key, view::records_of(headings, rows)));
  return std::optional(view::table_text(format, headings, rows, !options.has("noheader")));
}

}  // namespace wm::cmd
