// Characters to tokens; the grammar above them is select.cc and resreq.cc.
#include "libwm/expr/token.h"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "libwm/base/excerpt.h"

namespace wm::expr {
namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '@';
}

// Factor to MB of a size unit, 0 when it is none.
double unit_factor(std::string unit) {
  for (auto& c : unit) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (unit.size() == 2 && unit[1] == 'b') unit.pop_back();
  if (unit.size() != 1) return 0;
  constexpr std::string_view kUnits = "kmgtp";
  auto power = kUnits.find(unit[0]);
  return power == std::string_view::npos ? 0 : std::pow(1024.0, static_cast<double>(power) - 1);
}

Token number_token(std::string_view text, std::size_t at) {
  Token token{.kind = Token::Kind::Number, .at = at};
  auto rest = text.substr(at);
  auto [end, ec] = std::from_chars(rest.data(), rest.data() + rest.size(), token.number);
  auto length = static_cast<std::size_t>(end - rest.data());
  if (ec != std::errc() || length == 0)
    return {.kind = Token::Kind::Bad, .text = {rest[0]}, .at = at};
  auto unit_end = length;
  while (unit_end < rest.size() && is_name(rest[unit_end])) ++unit_end;
  std::string unit(rest.substr(length, unit_end - length));
  token.text = rest.substr(0, unit_end);
  if (unit.empty()) return token;
  token.has_unit = true;
  token.number *= unit_factor(unit);
  // "2x" or "node1"-like words that start with a digit are names, not numbers.
  if (unit_factor(unit) == 0) token.kind = Token::Kind::Name;
  return token;
}

Token quoted_token(std::string_view text, std::size_t at) {
  auto end = text.find(text[at], at + 1);
  if (end == std::string_view::npos)
    return {.kind = Token::Kind::Bad, .text = std::string(text.substr(at)), .at = at};
  return {
      .kind = Token::Kind::Text, .text = std::string(text.substr(at + 1, end - at - 1)), .at = at};
}

Token sign_token(std::string_view text, std::size_t at) {
  for (std::string_view two : {"&&", "||", "==", "!=", "<=", ">="})
    if (text.substr(at, 2) == two)
      return {.kind = Token::Kind::Sign, .text = std::string(two), .at = at};
  bool known = std::string_view("!<>+-*/()[]=,:{}@~^").find(text[at]) != std::string_view::npos;
  return {.kind = known ? Token::Kind::Sign : Token::Kind::Bad, .text = {text[at]}, .at = at};
}

// What an equality compares with may be a host name: there '-' belongs to the name.
Token name_token(std::string_view text, std::size_t at, bool after_equality) {
  auto end = at;
  while (end < text.size() && (is_name(text[end]) || (after_equality && text[end] == '-'))) ++end;
  return {.kind = Token::Kind::Name, .text = std::string(text.substr(at, end - at)), .at = at};
}

Token token_at(std::string_view text, std::size_t at, bool after_equality) {
  char c = text[at];
  if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') return number_token(text, at);
  if (is_name_start(c)) return name_token(text, at, after_equality);
  if (c == '\'' || c == '"') return quoted_token(text, at);
  return sign_token(text, at);
}

std::size_t length_of(const Token& token) {
  return token.text.size() + (token.kind == Token::Kind::Text ? 2 : 0);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  auto first = text.find_first_not_of(" \t\n\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n\r") - first + 1);
}

Error syntax(const std::string& text) {
  return fail(Code::BadArgument, excerpt(text, 300) + ": Bad resource requirement syntax");
}

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    bool after_equality =
        !tokens.empty() && (tokens.back().text == "==" || tokens.back().text == "!=");
    tokens.push_back(token_at(text, at, after_equality));
    at += length_of(tokens.back());
  }
  tokens.push_back({.at = text.size()});
  return tokens;
}

}  // namespace wm::expr
