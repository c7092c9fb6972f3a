// Role: output of the commands: `-o "field[:[-]width] … delimiter='c'"` and -json over one
// table of fields per kind of object, and the fixed-width cells of default tables.
// Formatting is pure; the caller prints. @source LSF bjobs -o, -json (lsf-surface 3.4, 3.5)
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/view/field.h"

namespace wm::view {

/// A column as the user asked for it.
struct Column {
  std::size_t field = 0;     ///< index into the fields
  std::optional<int> width;  ///< none: as wide as the value
  bool right = false;
  std::string unit = {};  ///< of a size, as written; empty: the format's
};

/// A whole -o argument.
struct Format {
  std::vector<Column> columns;
  char delimiter = ' ';
  SizeUnit unit = {};  ///< of sizes in columns that name none
};

/// Reads -o: "field[:[-][width][:unit]] ... [delimiter='c']". "all" stands for every field, of the
/// width said behind it; duplicates are kept.
/// @errors BadArgument: unknown field, named; bad width, unit or delimiter
/// @cost O(words · fields)
Result<Format> parse_format(std::string_view text, std::span<const FieldName> fields);

/// The unit of sizes in that column. @cost O(1)
inline SizeUnit unit_of(const Format& format, const Column& column) {
  return column.unit.empty() ? format.unit : SizeUnit{column.unit, format.unit.whole};
}

/// The names of a table. @cost O(fields)
template <class T>
std::vector<FieldName> names_of(std::span<const Field<T>> table) {
  std::vector<FieldName> names;
  for (const auto& row : table) names.push_back(row.field);
  return names;
}

/// The header line's words, then one row of cells per object. @cost O(cells)
template <class T>
std::vector<std::vector<std::string>> cells_of(const Format& format,
                                               std::span<const Field<T>> table,
                                               std::span<const T> objects) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& object : objects) {
    auto& row = rows.emplace_back();
    for (const auto& column : format.columns)
      row.push_back(table[column.field].show(object, unit_of(format, column)));
  }
  return rows;
}

/// Headings of the columns: the fields' own, or their names in capitals. @cost O(columns)
std::vector<std::string> headings_of(const Format& format, std::span<const FieldName> fields);

/// The lines of a -o table: empty cells become "-", widths cut and pad. @cost O(text)
std::string table_text(const Format& format, std::span<const std::string> headings,
                       std::span<const std::vector<std::string>> rows, bool with_header);

/// The same for a person: columns stand below each other, as wide as the widest cell or heading.
/// @cost O(text)
std::string aligned_text(Format format, std::span<const std::string> headings,
                         std::span<const std::vector<std::string>> rows);

/// One record of a JSON document: keys and texts, in order.
using Record = std::vector<std::pair<std::string, std::string>>;

/// {"COMMAND":command, count_key:n, "RECORDS":[…]}, every value a string. Bytes that are not
/// UTF-8 are replaced. @cost O(text)
std::string json_text(std::string_view command, std::string_view count_key,
                      std::span<const Record> records);

/// Headings and cells as records. @cost O(cells)
std::vector<Record> records_of(std::span<const std::string> headings,
                               std::span<const std::vector<std::string>> rows);

/// `text` as a terminal takes it in one line: line ends and tabs are blanks, other control
/// characters '?'. What users name things may hold any. @cost O(text)
std::string printable(std::string_view text);

/// The columns of `text`: its UTF-8 characters, each taken for one wide. @cost O(text)
std::size_t columns_of(std::string_view text);

/// The first `columns` characters of `text`, none cut in two. @cost O(columns)
std::string_view first_columns(std::string_view text, std::size_t columns);

/// One logical line of at most 80 columns a line, the others behind 21 blanks; words are cut
/// anywhere at the edge, as LSF does. Ends with a line end. @cost O(text)
std::string wrapped(const std::string& line);

/// `text` printable, cut to and filled up to `width` columns, on the left or right. @cost O(text)
std::string fit(std::string_view text, int width, bool right = false);

/// As fit, but a text that is too long keeps its end: "*e_of_job". @source bjobs JOB_NAME
std::string fit_name(std::string_view text, int width);

}  // namespace wm::view
