// Braces are found first; what stands between them is parsed as any requirement.
#include "libwm/expr/alternatives.h"

#include <optional>

#include "libwm/base/excerpt.h"
#include "libwm/expr/token.h"

namespace wm::expr {
namespace {

constexpr std::size_t kMost = 8;

// Takes one "{…}" off the front; gives what is inside.
Result<std::string_view> take_braces(std::string_view& text) {
  if (text.front() != '{')
    return syntax("Error near \"" + excerpt(text) +
                  "\": compound requirements are not supported, Expected \"{\"");
  auto close = text.find('}');
  if (close == std::string_view::npos) return syntax("Error: \"{\" is not closed");
  auto inside = text.substr(1, close - 1);
  if (inside.find('{') != std::string_view::npos) return syntax("Error: \"{\" within braces");
  text = trimmed(text.substr(close + 1));
  return inside;
}

}  // namespace

Result<std::vector<ResReq>> parse_alternatives(std::string_view text, Bytes unit) {
  text = trimmed(text);
  std::vector<ResReq> all;
  if (text.find('{') == std::string_view::npos) {
    WM_TRY(auto only, parse_resreq(text, unit));
    all.push_back(std::move(only));
    return all;
  }
  for (;;) {
    if (all.size() == kMost)
      return syntax("more than " + std::to_string(kMost) + " alternative requirements");
    WM_TRY(auto inside, take_braces(text));
    WM_TRY(auto one, parse_resreq(inside, unit));
    all.push_back(std::move(one));
    if (text.empty()) return all;
    if (text.front() == '@')
      return syntax("Error near \"" + excerpt(text) + "\": a delay is not supported");
    if (!text.starts_with("||"))
      return syntax("Error near \"" + excerpt(text) + "\": Expected \"||\"");
    text = trimmed(text.substr(2));
    if (text.empty()) return syntax("Error: Expected \"{\" after \"||\"");
  }
}

Result<std::vector<ResReq>> parse_requirements(std::span<const std::string> texts, Bytes unit) {
  std::vector<std::string> plain;
  std::optional<std::vector<ResReq>> alternatives;
  for (const auto& text : texts) {
    if (text.find('{') == std::string::npos) {
      plain.push_back(text);
      continue;
    }
    if (alternatives) return syntax("only one -R may have alternatives");
    WM_TRY(auto parsed, parse_alternatives(text, unit));
    alternatives = std::move(parsed);
  }
  WM_TRY(auto common, parse_resreqs(plain, unit));
  if (!alternatives) return std::vector<ResReq>{common};
  for (auto& one : *alternatives) one = merge(common, one);
  return *alternatives;
}

std::string to_string(std::span<const ResReq> alternatives) {
  if (alternatives.size() == 1) return to_string(alternatives.front());
  std::string text;
  for (const auto& one : alternatives)
    text += (text.empty() ? "{" : " || {") + to_string(one) + "}";
  return text;
}

}  // namespace wm::expr
