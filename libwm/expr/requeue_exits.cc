#include "libwm/expr/requeue_exits.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <vector>

#include "libwm/base/excerpt.h"

namespace wm::expr {
namespace {

constexpr std::uint32_t kMostCode = 255;
constexpr std::string_view kExclude = "EXCLUDE";

using Codes = std::set<std::uint32_t>;

// A parenthesis is a word of its own.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    auto first = text.find_first_not_of(" \t,");
    if (first == std::string_view::npos) return words;
    text.remove_prefix(first);
    bool parenthesis = text[0] == '(' || text[0] == ')';
    auto end = parenthesis ? 1 : std::min(text.find_first_of(" \t,()"), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

Error wrong(std::string_view word, const std::string& wanted) {
  return fail(Code::BadArgument, "'" + excerpt(std::string(word)) + "': " + wanted);
}

Result<void> read_code(std::string_view word, Codes& codes) {
  if (word == "all") {
    for (std::uint32_t code = 1; code <= kMostCode; ++code) codes.insert(code);
    return {};
  }
  bool without = word.starts_with('~');
  const char *begin = word.data() + without, *end = word.data() + word.size();
  std::uint32_t code = 0;
  auto [read, ec] = std::from_chars(begin, end, code);
  if (ec != std::errc() || read != end || code > kMostCode)
    return wrong(word, "exit codes from 0 to 255, all, ~code or EXCLUDE(code ...) are wanted");
  if (without) codes.erase(code);
  else codes.insert(code);
  return {};
}

std::vector<std::uint32_t> sorted(const Codes& codes) { return {codes.begin(), codes.end()}; }

}  // namespace

Result<RequeueExits> parse_requeue_exits(std::string_view text) {
  Codes codes, excluding;
  auto words = words_of(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] != kExclude) {
      WM_TRY(read_code(words[i], codes));
      continue;
    }
    auto open = words.begin() + static_cast<std::ptrdiff_t>(i) + 1;
    auto close = std::find(open, words.end(), ")");
    if (open == words.end() || *open != "(" || close == words.end() || close - open < 2)
      return wrong(text, "EXCLUDE wants exit codes in parentheses: EXCLUDE(3)");
    for (auto word = open + 1; word != close; ++word) WM_TRY(read_code(*word, excluding));
    i = static_cast<std::size_t>(close - words.begin());
  }
  codes.insert(excluding.begin(), excluding.end());
  return RequeueExits{sorted(codes), sorted(excluding)};
}

std::string format_requeue_exits(const RequeueExits& exits) {
  auto has = [](const std::vector<std::uint32_t>& codes, std::uint32_t code) {
    return std::binary_search(codes.begin(), codes.end(), code);
  };
  bool many = exits.codes.size() - exits.excluding.size() > kMostCode / 2;
  std::string text = many ? "all" : "", excluding;
  auto add = [](std::string& to, const std::string& word) {
    to += (to.empty() ? "" : ", ") + word;
  };
  for (std::uint32_t code = 0; code <= kMostCode; ++code) {
    bool queued = has(exits.codes, code), of_all = many && code > 0;
    if (has(exits.excluding, code)) add(excluding, std::to_string(code));
    else if (queued && !of_all) add(text, std::to_string(code));
    else if (!queued && of_all) add(text, "~" + std::to_string(code));
  }
  if (!excluding.empty()) add(text, "EXCLUDE(" + excluding + ")");
  return text;
}

}  // namespace wm::expr
