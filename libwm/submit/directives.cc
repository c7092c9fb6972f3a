// Line by line, then a small shell-like splitter.
#include "libwm/submit/directives.h"

#include <algorithm>

namespace wm::cmd {
namespace {

constexpr std::string_view kMark = "#BSUB";
constexpr std::string_view kLineBlanks = " \t\r";

std::string_view left_trimmed(std::string_view text) {
  auto first = text.find_first_not_of(kLineBlanks);
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

bool is_blank(char c) { return kLineBlanks.find(c) != std::string_view::npos; }

// Words of one directive; false when a quote is not closed.
bool split(std::string_view text, std::vector<std::string>& words) {
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quote != 0) {
      if (c == quote) quote = 0;
      else if (c == '\\' && quote == '"' && i + 1 < text.size() && text[i + 1] == '"')
        word += text[++i];
      else word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      in_word = true;
    } else if (is_blank(c)) {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else if (c == '#' && !in_word) {
      break;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return quote == 0;
}

template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  for (int number = 1; !text.empty(); ++number) {
    auto end = std::min(text.find('\n'), text.size());
    visit(number, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

Result<std::vector<std::string>> directive_words(std::string_view script) {
  std::vector<std::string> words;
  int bad_line = 0;
  for_each_line(script, [&](int number, std::string_view line) {
    line = left_trimmed(line);
    if (!line.starts_with(kMark) || line.size() == kMark.size() || !is_blank(line[kMark.size()]))
      return;
    if (!split(line.substr(kMark.size()), words) && bad_line == 0) bad_line = number;
  });
  if (bad_line > 0)
    return fail(Code::BadArgument,
                "line " + std::to_string(bad_line) + " of the script: a quote is not closed");
  return words;
}

Result<std::vector<std::string>> words_of(std::string_view line) {
  std::vector<std::string> words;
  if (!split(line, words)) return fail(Code::BadArgument, "a quote is not closed");
  return words;
}

std::string interpreter_of(std::string_view script) {
  if (!script.starts_with("#!")) return "";
  auto line = left_trimmed(script.substr(2, script.find('\n') - 2));
  auto last = line.find_last_not_of(kLineBlanks);
  return last == std::string_view::npos ? "" : std::string(line.substr(0, last + 1));
}

bool has_command(std::string_view script) {
  bool found = false;
  for_each_line(script, [&](int, std::string_view line) {
    line = left_trimmed(line);
    found = found || (!line.empty() && line[0] != '#');
  });
  return found;
}

}  // namespace wm::cmd
