// Line by line, then a small shell-like splitter.
#include "libwm/submit/directives.h"

#include <algorithm>
#include <optional>

#include "libwm/submit/submit_options.h"

namespace wm::cmd {
namespace {

constexpr std::string_view kMark = "#BSUB";
constexpr std::string_view kLineBlanks = " \t\r";

std::string_view left_trimmed(std::string_view text) {
  auto first = text.find_first_not_of(kLineBlanks);
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

bool is_blank(char c) { return kLineBlanks.find(c) != std::string_view::npos; }

// Splits text into words, a line at a time: quotes may reach from one line into the next.
class Splitter {
 public:
  /// Takes a line. True: it ends in a backslash that is no comment's, so the next one goes on from
  /// it.
  bool take(std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    bool goes_on = line.ends_with('\\');
    if (goes_on) line.remove_suffix(1);
    for (std::size_t i = 0; i < line.size(); ++i) {
      if (quote_ == 0 && !in_word_ && line[i] == '#') return false;
      if (quote_ == '"' && line[i] == '\\' && line.substr(i + 1).starts_with('"'))
        word_ += line[++i];
      else take_char(line[i]);
    }
    return goes_on;
  }
  /// What was taken for the sign of a next line is a backslash.
  void keep_backslash() { take_char('\\'); }
  /// The words so far; false where a quote is still open.
  bool finish(std::vector<std::string>& words) {
    end_word();
    words = std::move(words_);
    return quote_ == 0;
  }

 private:
  void take_char(char c) {
    bool mark = quote_ != 0 ? c == quote_ : c == '\'' || c == '"';
    if (quote_ == 0 && is_blank(c)) return end_word();
    in_word_ = true;
    if (mark) quote_ = quote_ != 0 ? 0 : c;
    else word_ += c;
  }
  void end_word() {
    if (in_word_) words_.push_back(std::move(word_));
    word_.clear();
    in_word_ = false;
  }

  std::vector<std::string> words_;
  std::string word_;
  bool in_word_ = false;
  char quote_ = 0;
};

template <class Visit>
void for_each_line(std::string_view text, Visit visit) {
  for (int number = 1; !text.empty(); ++number) {
    auto end = std::min(text.find('\n'), text.size());
    visit(number, text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

// What stands behind #BSUB; nothing: the line is no directive.
std::optional<std::string_view> behind_mark(std::string_view line) {
  line = left_trimmed(line);
  if (!line.starts_with(kMark)) return std::nullopt;
  line.remove_prefix(kMark.size());
  if (line.empty() || !(is_blank(line[0]) || line[0] == '-')) return std::nullopt;
  return line;
}

// Visits each line with the directive that it belongs to: at its beginning, or going on.
enum class Part { None, Begins, GoesOn };
template <class Visit>
void for_each_part(std::string_view script, Splitter& words, Visit visit) {
  bool goes_on = false;
  for_each_line(script, [&](int number, std::string_view line) {
    auto behind = behind_mark(line);
    auto part = goes_on ? Part::GoesOn : behind ? Part::Begins : Part::None;
    if (part == Part::Begins) words = {};
    goes_on = part != Part::None && words.take(behind.value_or(line));
    visit(part, number, line, goes_on);
  });
}

}  // namespace

Result<std::vector<Directive>> directives_of(std::string_view script) {
  std::vector<Directive> all;
  Splitter words;
  int begins = 0, bad_line = 0;
  auto add = [&] {
    Directive directive{begins, {}};
    if (!words.finish(directive.words) && bad_line == 0) bad_line = begins;
    if (!directive.words.empty()) all.push_back(std::move(directive));
    begins = 0;
  };
  for_each_part(script, words, [&](Part part, int number, std::string_view, bool goes_on) {
    if (part == Part::Begins) begins = number;
    if (part != Part::None && !goes_on) add();
  });
  if (begins > 0) add();  // the script ends in a backslash
  if (bad_line > 0)
    return fail(Code::BadArgument,
                "line " + std::to_string(bad_line) + " of the script: a quote is not closed");
  return all;
}

Result<ScriptOptions> script_options(std::string_view script) {
  WM_TRY(auto all, directives_of(script));
  ScriptOptions found;
  for (const auto& directive : all) {
    if (directive.is_remark()) {
      found.remarks.push_back(directive.line);
      continue;
    }
    const auto where = "line " + std::to_string(directive.line) + " of the script: ";
    auto more = parse_options(submit_options(), directive.words, Words::Anywhere);
    if (!more) return fail(more.error().code, where + more.error().text);
    if (!more->words.empty())
      return fail(Code::BadArgument, where + "'" + more->words[0] + "' is no option");
    found.options.append(*more);
  }
  return found;
}

std::string without_continuations(std::string_view script) {
  std::string text;
  Splitter words;
  text.reserve(script.size());
  for_each_part(script, words, [&](Part part, int, std::string_view line, bool) {
    if (part == Part::GoesOn && !left_trimmed(line).starts_with('#')) text += '#';
    text.append(line) += '\n';
  });
  if (!script.ends_with('\n') && !text.empty()) text.pop_back();
  return text;
}

Result<std::vector<std::string>> words_of(std::string_view line) {
  Splitter splitter;
  std::vector<std::string> words;
  if (splitter.take(line)) splitter.keep_backslash();
  if (!splitter.finish(words)) return fail(Code::BadArgument, "a quote is not closed");
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
