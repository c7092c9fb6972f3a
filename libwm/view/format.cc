// -o arguments and tables.
#include "libwm/view/format.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace wm::view {
namespace {

// In UTF-8 all bytes of a character but the first are 10xxxxxx.
bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

std::string lower(std::string_view text) {
  std::string result(text);
  for (auto& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string upper(std::string_view text) {
  std::string result(text);
  for (auto& c : result) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return result;
}

bool is_alias(std::string_view aliases, const std::string& word) {
  return (" " + std::string(aliases) + " ").find(" " + word + " ") != std::string::npos;
}

std::optional<std::size_t> field_index(std::span<const FieldName> fields, const std::string& word) {
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (lower(fields[i].name) == word || is_alias(fields[i].aliases, word)) return i;
  return std::nullopt;
}

// Cuts delimiter='c' (or "c", or a bare character) out of the text.
Result<char> take_delimiter(std::string& text) {
  constexpr std::string_view kKey = "delimiter=";
  auto at = text.find(kKey);
  if (at == std::string::npos) return ' ';
  auto rest = std::string_view(text).substr(at + kKey.size());
  bool quoted = rest.size() >= 3 && (rest[0] == '\'' || rest[0] == '"') && rest[2] == rest[0];
  if (rest.empty()) return fail(Code::BadArgument, "delimiter= needs a character");
  char delimiter = quoted ? rest[1] : rest[0];
  if (!quoted && rest.size() > 1 && rest[1] != ' ')
    return fail(Code::BadArgument,
                std::string(kKey) + std::string(rest) + ": the delimiter is one character");
  text.erase(at, kKey.size() + (quoted ? 3 : 1));
  return delimiter;
}

// What follows the name: ":", ":12", ":-12", each perhaps with ":unit".
Result<void> read_column(std::string_view word, std::string_view rest, int usual, Column& column) {
  if (rest.empty()) return {};
  rest.remove_prefix(1);
  auto colon = rest.find(':');
  auto width = rest.substr(0, colon);
  if (colon != rest.npos) column.unit = rest.substr(colon + 1);
  bool letters = std::ranges::all_of(column.unit, [](unsigned char c) { return std::isalpha(c); });
  if (column.unit.size() > 3 || !letters)
    return fail(Code::BadArgument, std::string(word) + ": a unit has one to three letters");
  column.right = width.starts_with('-');
  if (column.right) width.remove_prefix(1);
  if (width.empty()) {
    if (column.unit.empty() || column.right) column.width = usual;
    return {};
  }
  int value = 0;
  auto [end, ec] = std::from_chars(width.data(), width.data() + width.size(), value);
  if (ec != std::errc() || end != width.data() + width.size() || value < 1 || value > 4096)
    return fail(Code::BadArgument, std::string(word) + ": bad width");
  column.width = value;
  return {};
}

std::string cell(const std::string& text, const Column& column) {
  return column.width ? fit(text, *column.width, column.right) : printable(text);
}

std::string row_text(const Format& format, std::span<const std::string> cells, bool header) {
  std::string line;
  for (std::size_t i = 0; i < format.columns.size(); ++i) {
    if (i > 0) line += format.delimiter;
    line += cell(cells[i].empty() && !header ? "-" : cells[i], format.columns[i]);
  }
  return line + "\n";
}

}  // namespace

Result<Format> parse_format(std::string_view text, std::span<const FieldName> fields) {
  Format format;
  std::string rest(text);
  WM_TRY(format.delimiter, take_delimiter(rest));
  for (std::size_t at = 0; (at = rest.find_first_not_of(" \t\n", at)) != std::string::npos;) {
    auto end = std::min(rest.find_first_of(" \t\n", at), rest.size());
    auto word = rest.substr(at, end - at);
    at = end;
    auto colon = std::min(word.find(':'), word.size());
    auto name = lower(word.substr(0, colon));
    auto found = field_index(fields, name);
    if (!found && name != "all")
      return fail(Code::BadArgument, word.substr(0, colon) + ": unknown output field");
    auto first = found.value_or(0), last = found ? first + 1 : fields.size();
    for (auto i = first; i < last; ++i) {
      Column column{.field = i};
      WM_TRY(read_column(word, std::string_view(word).substr(colon), fields[i].width, column));
      format.columns.push_back(column);
    }
  }
  if (format.columns.empty()) return fail(Code::BadArgument, "-o names no output field");
  return format;
}

std::vector<std::string> headings_of(const Format& format, std::span<const FieldName> fields) {
  std::vector<std::string> headings;
  for (const auto& column : format.columns) {
    const auto& field = fields[column.field];
    headings.push_back(field.heading.empty() ? upper(field.name) : std::string(field.heading));
  }
  return headings;
}

std::string table_text(const Format& format, std::span<const std::string> headings,
                       std::span<const std::vector<std::string>> rows, bool with_header) {
  std::string text;
  if (with_header) text += row_text(format, headings, true);
  for (const auto& row : rows) text += row_text(format, row, false);
  return text;
}

std::string aligned_text(Format format, std::span<const std::string> headings,
                         std::span<const std::vector<std::string>> rows) {
  for (std::size_t i = 0; i + 1 < format.columns.size(); ++i) {
    std::size_t widest = headings[i].size();
    for (const auto& row : rows) widest = std::max(widest, columns_of(row[i]));
    format.columns[i].width = static_cast<int>(widest);
  }
  return table_text(format, headings, rows, true);
}

std::vector<Record> records_of(std::span<const std::string> headings,
                               std::span<const std::vector<std::string>> rows) {
  std::vector<Record> records;
  for (const auto& row : rows) {
    auto& record = records.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) record.emplace_back(headings[i], row[i]);
  }
  return records;
}

std::string printable(std::string_view text) {
  std::string shown(text);
  for (auto& c : shown) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
    else if (byte < 0x20 || byte == 0x7f) c = '?';
  }
  return shown;
}

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

std::string_view first_columns(std::string_view text, std::size_t columns) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (begins_character(text[at]) && columns-- == 0) return text.substr(0, at);
  return text;
}

std::string wrapped(const std::string& line) {
  constexpr std::size_t kLineWidth = 80, kIndent = 21;
  std::string shown = printable(line);
  std::string_view rest = shown;
  std::string text;
  for (auto width = kLineWidth; text.empty() || !rest.empty(); width = kLineWidth - kIndent) {
    auto part = first_columns(rest, width);
    text += (text.empty() ? "" : "\n" + std::string(kIndent, ' ')) + std::string(part);
    rest.remove_prefix(part.size());
  }
  return text + "\n";
}

std::string fit(std::string_view text, int width, bool right) {
  auto size = static_cast<std::size_t>(width);
  auto cut = printable(first_columns(text, size));
  std::string fill(size - columns_of(cut), ' ');
  return right ? fill + cut : cut + fill;
}

std::string fit_name(std::string_view text, int width) {
  auto size = static_cast<std::size_t>(width), all = columns_of(text);
  if (all <= size) return fit(text, width);
  return "*" + printable(text.substr(first_columns(text, all - size + 1).size()));
}

}  // namespace wm::view
