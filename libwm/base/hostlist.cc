#include "libwm/base/hostlist.h"

#include <charconv>

namespace wm {
namespace {

constexpr std::size_t kMaxHosts = 100000;
constexpr std::size_t kMaxName = 255;  // of DNS; also what keeps 100,000 of them small

Error bad(std::string_view text) {
  return fail(Code::BadArgument,
              "'" + std::string(text) + "' is not a host list such as gpu[01-16]");
}

bool read_number(std::string_view text, std::uint32_t& out) {
  auto [p, ec] = std::from_chars(text.data(), text.data() + text.size(), out);
  return ec == std::errc() && p == text.data() + text.size();
}

std::string padded(std::uint32_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

// Appends prefix + each number of "1-3,7" + suffix.
Result<void> expand_range(std::string_view prefix, std::string_view range, std::string_view suffix,
                          std::vector<std::string>& out) {
  for (std::size_t at = 0; at <= range.size();) {
    auto end = std::min(range.find(',', at), range.size());
    auto part = range.substr(at, end - at);
    auto dash = part.find('-');
    auto first = part.substr(0, dash);
    auto last = dash == std::string_view::npos ? first : part.substr(dash + 1);
    std::uint32_t from = 0, to = 0;
    if (first.size() > kMaxName || !read_number(first, from) || !read_number(last, to) || to < from)
      return bad(range);
    if (prefix.size() + last.size() + suffix.size() > kMaxName)
      return fail(Code::BadArgument, "host list: a name of over 255 characters");
    if (to - from >= kMaxHosts || out.size() + (to - from) >= kMaxHosts)
      return fail(Code::Limit, "host list names over 100000 hosts");
    for (auto i = from; i <= to; ++i)
      out.push_back(std::string(prefix) + padded(i, first.size()) + std::string(suffix));
    at = end + 1;
  }
  return {};
}

Result<void> expand_item(std::string_view item, std::vector<std::string>& out) {
  auto open = item.find('[');
  auto close = item.find(']');
  if (item.empty() || (open == std::string_view::npos) != (close == std::string_view::npos))
    return bad(item);
  if (open == std::string_view::npos) {
    out.emplace_back(item);
    return {};
  }
  if (close < open) return bad(item);
  return expand_range(item.substr(0, open), item.substr(open + 1, close - open - 1),
                      item.substr(close + 1), out);
}

}  // namespace

Result<std::vector<std::string>> expand_hosts(std::string_view text) {
  std::vector<std::string> out;
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++depth;
    if (i < text.size() && text[i] == ']') --depth;
    bool separator = i == text.size() || (depth == 0 && (text[i] == ',' || text[i] == ' '));
    if (!separator) continue;
    if (i > start) WM_TRY(expand_item(text.substr(start, i - start), out));
    start = i + 1;
  }
  if (out.empty()) return bad(text);
  return out;
}

}  // namespace wm
