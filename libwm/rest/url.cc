#include "libwm/rest/url.h"

#include <algorithm>

namespace wm::rest {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_plain(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '.' || c == '_' || c == '~';
}

bool is_control(unsigned char c) { return c < 0x20 || c == 0x7f; }

Result<std::string> segment_of(std::string_view text) {
  auto segment = unescaped(text);
  bool hostile = segment == "." || segment == ".." || segment.find('/') != segment.npos ||
                 std::any_of(segment.begin(), segment.end(), is_control);
  if (hostile) return fail(Code::BadArgument, "the address holds what no name of ours does");
  return segment;
}

void read_query(std::string_view text, Target& target) {
  while (!text.empty()) {
    auto end = std::min(text.find('&'), text.size());
    auto pair = text.substr(0, end);
    auto equals = std::min(pair.find('='), pair.size());
    auto value = equals < pair.size() ? pair.substr(equals + 1) : std::string_view();
    if (!pair.empty())
      target.query.emplace(unescaped(pair.substr(0, equals), true), unescaped(value, true));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::string unescaped(std::string_view text, bool plus) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool escape =
        text[i] == '%' && i + 2 < text.size() && digit(text[i + 1]) >= 0 && digit(text[i + 2]) >= 0;
    if (escape) {
      out += static_cast<char>(digit(text[i + 1]) * 16 + digit(text[i + 2]));
      i += 2;
    } else {
      out += plus && text[i] == '+' ? ' ' : text[i];
    }
  }
  return out;
}

std::string escaped(std::string_view text) {
  static constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (unsigned char c : text) {
    if (is_plain(c)) out += static_cast<char>(c);
    else out.append({'%', kDigits[c >> 4], kDigits[c & 15]});
  }
  return out;
}

std::string Target::value(std::string_view name) const {
  auto found = query.find(name);
  return found == query.end() ? "" : found->second;
}

Result<Target> parse_target(std::string_view target) {
  if (!target.starts_with('/')) return fail(Code::BadArgument, "no path");
  Target parsed;
  auto question = std::min(target.find('?'), target.size());
  auto path = target.substr(1, question - 1);
  while (!path.empty()) {
    auto end = std::min(path.find('/'), path.size());
    if (end > 0) {
      WM_TRY(auto segment, segment_of(path.substr(0, end)));
      parsed.segments.push_back(std::move(segment));
    }
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  if (question < target.size()) read_query(target.substr(question + 1), parsed);
  return parsed;
}

}  // namespace wm::rest
