#include "libwm/replay/lines.h"

#include <charconv>
#include <cmath>

namespace wm::replay {
namespace {

constexpr std::size_t kMaxLine = 64 << 10;
constexpr std::size_t kMaxLines = 10'000'000;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> split_blanks(std::string_view line) {
  std::vector<std::string_view> fields;
  for (std::size_t i = 0; i < line.size();) {
    std::size_t end = i;
    while (end < line.size() && !is_blank(line[end])) ++end;
    if (end > i) fields.push_back(line.substr(i, end - i));
    i = end + 1;
  }
  return fields;
}

std::vector<std::string_view> split_at(std::string_view line, char separator) {
  std::vector<std::string_view> fields;
  for (std::size_t from = 0;;) {
    std::size_t end = line.find(separator, from);
    fields.push_back(trimmed(line.substr(from, end == line.npos ? end : end - from)));
    if (end == line.npos) return fields;
    from = end + 1;
  }
}

std::vector<std::string_view> fields_of(std::string_view line, Separator separator) {
  if (separator == Separator::Blanks) return split_blanks(line);
  return split_at(line, separator == Separator::Comma ? ',' : '\t');
}

std::string place(std::size_t position, std::string_view name) {
  return "field " + std::to_string(position + 1) + " (" + std::string(name) + ")";
}

std::string shown(double value) {
  bool whole = std::abs(value) < 1e15 && value == std::floor(value);
  return whole ? std::to_string(static_cast<std::int64_t>(value)) : std::to_string(value);
}

}  // namespace

Error bad_line(std::uint32_t number, const std::string& what) {
  return fail(Code::BadArgument, "line " + std::to_string(number) + ": " + what);
}

Result<std::string> Line::word_at(std::size_t position, std::string_view name) const {
  if (position < fields.size() && !fields[position].empty()) return std::string(fields[position]);
  return bad_line(number, place(position, name) + " is missing");
}

Result<double> Line::number_at(std::size_t position, std::string_view name, double least,
                               double most) const {
  WM_TRY(auto word, word_at(position, name));
  double value = 0;
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value)) {
    return bad_line(number,
                    place(position, name) + ": '" + word.substr(0, 40) + "' is not a number");
  }
  if (value < least || value > most) {
    return bad_line(number, place(position, name) + ": " + word.substr(0, 40) + " is outside " +
                                shown(least) + ".." + shown(most));
  }
  return value;
}

Result<std::uint32_t> Line::count_at(std::size_t position, std::string_view name,
                                     std::uint32_t least, std::uint32_t most) const {
  WM_TRY(double value, number_at(position, name, least, most));
  if (value == std::floor(value)) return static_cast<std::uint32_t>(value);
  return bad_line(number, place(position, name) + ": not a whole number");
}

Result<std::vector<Line>> split_lines(std::string_view text, Separator separator, char comment) {
  std::vector<Line> lines;
  std::uint32_t number = 0;
  while (!text.empty()) {
    std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.size() > kMaxLine) {
      return bad_line(number, "longer than " + std::to_string(kMaxLine) + " bytes");
    }
    std::string_view bare = trimmed(line);
    if (bare.empty() || (comment != '\0' && bare.front() == comment)) continue;
    if (lines.size() == kMaxLines) return bad_line(number, "more than 10000000 lines");
    lines.push_back({number, fields_of(separator == Separator::Tab ? line : bare, separator)});
  }
  return lines;
}

Result<std::vector<Line>> table_lines(std::string_view text, std::string_view heading) {
  WM_TRY(auto lines, split_lines(text, Separator::Comma));
  if (lines.empty()) return bad_line(1, "is missing; expected the heading " + std::string(heading));
  auto wanted = split_at(heading, ',');
  const auto& found = lines.front().fields;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i < found.size() && found[i] == wanted[i]) continue;
    return bad_line(lines.front().number, "field " + std::to_string(i + 1) +
                                              " of the heading is not '" + std::string(wanted[i]) +
                                              "'");
  }
  lines.erase(lines.begin());
  return lines;
}

}  // namespace wm::replay
