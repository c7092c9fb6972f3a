#include "libwm/expr/explain.h"

#include <cstdio>
#include <set>

#include "libwm/expr/select.h"
#include "libwm/expr/token.h"

namespace wm::expr {
namespace {

constexpr int kMostLevels = 200;

// One level: the text between two of its &&; nothing if it has || outside parentheses.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t from = 0;
  for (const Token& token : tokens_of(text)) {
    if (token.kind != Token::Kind::Sign) continue;
    if (token.text == "(") ++depth;
    if (token.text == ")") --depth;
    if (depth > 0) continue;
    if (token.text == "||") return {text};
    if (token.text != "&&") continue;
    parts.push_back(text.substr(from, token.at - from));
    from = token.at + 2;
  }
  parts.push_back(text.substr(from));
  return parts;
}

std::string_view without_blanks(std::string_view text) {
  auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// "(…)", with a first parenthesis that closes at the end.
bool is_wrapped(std::string_view text) {
  if (!text.starts_with('(')) return false;
  int depth = 0;
  for (const Token& token : tokens_of(text)) {
    if (token.kind != Token::Kind::Sign) continue;
    if (token.text == "(") ++depth;
    if (token.text == ")" && --depth == 0) return token.at + 1 == text.size();
  }
  return false;
}

void collect(std::string_view text, int depth, std::vector<std::string>& terms) {
  text = without_blanks(text);
  if (depth < kMostLevels && is_wrapped(text))
    return collect(text.substr(1, text.size() - 2), depth + 1, terms);
  auto parts = split(text);
  if (parts.size() == 1 || depth >= kMostLevels) {
    terms.emplace_back(text);
    return;
  }
  for (auto part : parts) collect(part, depth + 1, terms);
}

// Numbers to two places: what a host has changes by more from one look to the next.
std::string shown(const Value& value) {
  if (auto* text = std::get_if<std::string>(&value)) return *text;
  char digits[400];  // the largest double has 309
  std::snprintf(digits, sizeof digits, "%.2f", std::get<double>(value));
  std::string text = digits;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

// " (ncpus=16, mem=800)": the host's values of the names in the term.
std::string values_in(const std::string& term, const Lookup& lookup) {
  std::set<std::string> seen;
  std::string text;
  for (const Token& token : tokens_of(term)) {
    bool name = token.kind == Token::Kind::Name && token.text != "defined";
    if (!name || !seen.insert(token.text).second) continue;
    auto value = lookup(token.text);
    if (value) text += (text.empty() ? " (" : ", ") + token.text + "=" + shown(*value);
  }
  return text.empty() ? text : text + ")";
}

}  // namespace

std::vector<std::string> terms_of(std::string_view select) {
  std::vector<std::string> terms;
  collect(select, 0, terms);
  return terms;
}

std::vector<std::string> failing_terms(std::string_view select, const Lookup& lookup) {
  std::vector<std::string> failing;
  for (const auto& term : terms_of(select)) {
    auto parsed = Select::parse(term);
    if (parsed && parsed->matches(lookup)) continue;
    failing.push_back(term + values_in(term, lookup));
  }
  return failing;
}

}  // namespace wm::expr
