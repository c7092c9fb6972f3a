// Role: texts of job lists taken apart: lines with their numbers, fields with their names, so
// that every error says where it is. Bounded: a line of more than 64 KiB or a list of more
// than 10 million lines is refused. Used by the readers and by tables.cc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libwm/base/result.h"

namespace wm::replay {

/// One line, in fields.
struct Line {
  std::uint32_t number = 0;  ///< from 1
  std::vector<std::string_view> fields;

  /// The field at `position` (from 0), called `name` in errors.
  /// @errors BadArgument: "line 3: field 2 (time): 'x' is not a number", missing, outside the range
  Result<double> number_at(std::size_t position, std::string_view name, double least,
                           double most) const;
  /// The same, whole. @errors as number_at
  Result<std::uint32_t> count_at(std::size_t position, std::string_view name, std::uint32_t least,
                                 std::uint32_t most) const;
  /// @errors BadArgument: missing or empty
  Result<std::string> word_at(std::size_t position, std::string_view name) const;
};

/// What separates fields.
enum class Separator : std::uint8_t { Comma, Tab, Blanks };

/// The lines that are neither empty nor comments; a comment starts with `comment`.
/// @errors BadArgument: a line or the list is too long   @cost O(bytes)   @owns borrows `text`
Result<std::vector<Line>> split_lines(std::string_view text, Separator separator,
                                      char comment = '\0');

/// The lines below a heading that must start with these columns.
/// @errors BadArgument: another heading, as split_lines()
Result<std::vector<Line>> table_lines(std::string_view text, std::string_view heading);

/// An error of a line. @cost O(size)
Error bad_line(std::uint32_t number, const std::string& what);

}  // namespace wm::replay
