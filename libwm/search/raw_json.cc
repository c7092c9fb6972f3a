#include "libwm/search/raw_json.h"

#include <algorithm>

namespace wm::search {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view trimmed(std::string_view text) {
  auto from = text.find_first_not_of(kBlanks);
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(kBlanks) - from + 1);
}

// Behind the closing quote of the string that begins at `at`; none: it has no such quote.
std::optional<std::size_t> string_end(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') ++at;
    else if (text[at] == '"') return at + 1;
  }
  return {};
}

// Where a value that begins at `at` ends: at a comma, or where what holds it ends.
std::optional<std::size_t> value_end(std::string_view text, std::size_t at) {
  std::size_t depth = 0;
  while (at < text.size()) {
    char c = text[at];
    if (c == '"') {
      auto end = string_end(text, at);
      if (!end) return std::nullopt;
      at = *end;
      continue;
    }
    if (c == ',' && depth == 0) return at;
    if (c == '[' || c == '{') ++depth;
    if ((c == ']' || c == '}') && depth-- == 0) return std::nullopt;
    ++at;
  }
  return depth == 0 ? std::optional(at) : std::nullopt;
}

std::size_t blanks_end(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

}  // namespace

std::optional<std::vector<RawPart>> raw_parts(std::string_view json, bool object) {
  json = trimmed(json);
  if (json.size() < 2 || json.front() != (object ? '{' : '[') ||
      json.back() != (object ? '}' : ']'))
    return {};
  auto inside = trimmed(json.substr(1, json.size() - 2));
  std::vector<RawPart> parts;
  for (std::size_t at = 0; at < inside.size();) {
    RawPart part;
    if (object) {
      if (inside[at] != '"') return {};
      auto end = string_end(inside, at);
      if (!end) return {};
      part.key = inside.substr(at + 1, *end - at - 2);
      at = blanks_end(inside, *end);
      if (at >= inside.size() || inside[at] != ':') return {};
      ++at;
    }
    auto end = value_end(inside, at);
    if (!end) return {};
    part.text = trimmed(inside.substr(at, *end - at));
    if (part.text.empty()) return {};
    parts.push_back(part);
    if (*end >= inside.size()) return parts;
    at = blanks_end(inside, *end + 1);
    if (at >= inside.size()) return {};  // a comma, and nothing behind it
  }
  return parts;
}

}  // namespace wm::search
