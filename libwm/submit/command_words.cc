#include "libwm/submit/command_words.h"

#include <string_view>

#include "libwm/base/single_quoted.h"

namespace wm::cmd {
namespace {

constexpr std::string_view kBlanks = " \t\n", kEscaped = "\"'\\()";

// A '#' in front would make a comment of all that follows.
std::string escaped(std::string_view word) {
  std::string text = word.starts_with('#') ? "\\" : "";
  for (char c : word) {
    if (kEscaped.find(c) != kEscaped.npos) text += '\\';
    text += c;
  }
  return text;
}

std::string later_word(std::string_view word, Names names) {
  bool name = word.starts_with('$') && names == Names::AsTheyAre;
  bool whole = word.empty() || name || word.find_first_of(kBlanks) != word.npos;
  return whole ? single_quoted(word) : escaped(word);
}

}  // namespace

std::string command_line_of(std::span<const std::string> words, Names names) {
  if (words.empty()) return "";
  std::string line = words.front();
  for (const auto& word : words.subspan(1)) line += " " + later_word(word, names);
  return line;
}

}  // namespace wm::cmd
