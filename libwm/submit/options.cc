// A word is an exact name, else a one-letter option with its value or more flags attached.
#include "libwm/submit/options.h"

#include <algorithm>
#include <cctype>

#include "libwm/base/nearest.h"

namespace wm::cmd {
namespace {

using Kind = Option::Kind;

bool takes_value(const Option& option) {
  return option.kind == Kind::Text || option.kind == Kind::Number || option.kind == Kind::Ignored;
}

const Option* find(std::span<const Option> options, std::string_view name) {
  auto at =
      std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.name == name; });
  return at == options.end() ? nullptr : &*at;
}

std::string_view without_leading_blanks(std::string_view text) {
  auto first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

bool may_be_attached(const Option& option, std::string_view value) {
  if (!takes_value(option) || value.empty()) return false;
  return option.kind != Kind::Number ||
         std::isdigit(static_cast<unsigned char>(without_leading_blanks(value)[0]));
}

class Reader {
 public:
  Reader(std::span<const Option> options, std::span<const std::string> args, Words words)
      : options_(options), args_(args), words_(words) {}

  Result<Parsed> all() {
    for (; at_ < args_.size(); ++at_) {
      const auto& word = args_[at_];
      bool option = word.size() > 1 && word[0] == '-' && !only_words_;
      if (option && word == "--") {
        only_words_ = true;
      } else if (option) {
        WM_TRY(one_option(std::string_view(word).substr(1), word));
      } else {
        parsed_.words.push_back(word);
        only_words_ = only_words_ || words_ == Words::Last;
      }
    }
    return std::move(parsed_);
  }

 private:
  // `name` is `word` without its dash and without the flags taken off its front.
  Result<void> one_option(std::string_view name, const std::string& word) {
    if (const auto* exact = find(options_, name)) return take(*exact);
    const auto* letter = in_cluster(name);
    if (!letter) return unknown(word);
    if (letter->kind == Kind::Refused) return store(*letter, "");
    if (may_be_attached(*letter, name.substr(1)))
      return store(*letter, std::string(without_leading_blanks(name.substr(1))));
    if (takes_value(*letter)) return unknown(word);
    if (!rest_is_known(name.substr(1))) return unknown(word);
    WM_TRY(store(*letter, ""));
    return one_option(name.substr(1), word);
  }

  // The option that the first letter is where more stands behind it.
  const Option* in_cluster(std::string_view name) const {
    return name.starts_with('h') ? nullptr : find(options_, name.substr(0, 1));
  }

  bool rest_is_known(std::string_view rest) const {
    if (find(options_, rest)) return rest != "h";
    const auto* letter = in_cluster(rest);
    if (!letter) return false;
    return may_be_attached(*letter, rest.substr(1)) ||
           (!takes_value(*letter) && rest_is_known(rest.substr(1)));
  }

  Result<void> take(const Option& option) {
    if (!takes_value(option)) return store(option, "");
    if (at_ + 1 == args_.size())
      return fail(Code::BadArgument, "option -" + std::string(option.name) + " needs a value");
    return store(option, args_[++at_]);
  }

  Result<void> store(const Option& option, std::string value) {
    std::string name(option.name);
    if (option.kind == Kind::Refused)
      return fail(Code::BadArgument, "-" + name + ": " + std::string(option.doc));
    bool ignored = option.kind == Kind::Ignored || option.kind == Kind::IgnoredFlag;
    if (ignored) parsed_.ignored.push_back(name);
    parsed_.options[name].push_back(std::move(value));
    return {};
  }

  Error unknown(const std::string& word) const {
    std::vector<std::string_view> names;
    for (const auto& option : options_)
      if (option.kind != Kind::Refused) names.push_back(option.name);
    auto near = nearest(std::string_view(word).substr(1), names);
    return fail(
        Code::BadArgument,
        word + ": unknown option" + (near.empty() ? "" : " (nearest: -" + std::string(near) + ")"));
  }

  std::span<const Option> options_;
  std::span<const std::string> args_;
  Words words_;
  std::size_t at_ = 0;
  bool only_words_ = false;
  Parsed parsed_;
};

}  // namespace

std::optional<std::string> Parsed::first(std::string_view name) const {
  auto at = options.find(name);
  if (at == options.end()) return std::nullopt;
  return at->second.front();
}

std::vector<std::string> Parsed::all(std::string_view name) const {
  auto at = options.find(name);
  return at == options.end() ? std::vector<std::string>() : at->second;
}

void Parsed::append(const Parsed& other) {
  for (const auto& [name, values] : other.options) {
    auto& ours = options[name];
    ours.insert(ours.end(), values.begin(), values.end());
  }
  words.insert(words.end(), other.words.begin(), other.words.end());
  ignored.insert(ignored.end(), other.ignored.begin(), other.ignored.end());
}

Result<Parsed> parse_options(std::span<const Option> options, std::span<const std::string> args,
                             Words words) {
  return Reader(options, args, words).all();
}

namespace {

constexpr std::size_t kColumns = 80, kDocColumn = 25, kSynopsisColumn = 11;

/// The words of `line` behind `text`; those that do not fit go on below, from `column` on.
void append_filled(std::string& text, std::string_view line, std::size_t column) {
  auto width = text.size() - (text.rfind('\n') + 1);
  for (bool first = true; !line.empty(); first = false) {
    auto end = std::min(line.find(' ', line.find_first_not_of(' ')), line.size());
    auto word = line.substr(0, end);
    line.remove_prefix(end);
    if (!first && width + word.size() > kColumns) {
      text += "\n" + std::string(column, ' ');
      width = column;
      word.remove_prefix(1);
    }
    text += word;
    width += word.size();
  }
  text += '\n';
}

/// Where a further line of one of the synopsis begins: below its second column if it has two.
std::size_t column_of(std::string_view line) {
  auto gap = line.find("  ", std::min(line.find_first_not_of(' '), line.size()));
  auto second = line.find_first_not_of(' ', gap);
  return gap == line.npos || second == line.npos ? kSynopsisColumn : second;
}

}  // namespace

std::string usage(std::string_view synopsis, std::span<const Option> options) {
  std::string text = "usage: ";
  for (std::size_t at = 0; at <= synopsis.size();) {
    auto end = std::min(synopsis.find('\n', at), synopsis.size());
    auto line = synopsis.substr(at, end - at);
    append_filled(text, line, column_of(line));
    at = end + 1;
  }
  for (const auto& option : options) {
    if (!option.group.empty()) text += std::string(option.group) + ":\n";
    if (option.doc.empty() || option.kind == Option::Kind::Refused) continue;
    std::string left = "  -" + std::string(option.name);
    if (!option.argument.empty()) left += " " + std::string(option.argument);
    left.resize(std::max(left.size() + 1, kDocColumn), ' ');
    text += left;
    append_filled(text, option.doc, kDocColumn);
  }
  return text;
}

namespace {

std::string_view word_of(Option::Kind kind) {
  switch (kind) {
    case Option::Kind::Flag: return "flag";
    case Option::Kind::Text: return "text";
    case Option::Kind::Number: return "number";
    case Option::Kind::Ignored: return "ignored";
    case Option::Kind::IgnoredFlag: return "ignored-flag";
    case Option::Kind::Refused: break;
  }
  return "refused";
}

}  // namespace

std::string table_text(std::string_view synopsis, std::span<const Option> options) {
  std::string text;
  for (std::size_t at = 0; at <= synopsis.size();) {
    auto end = std::min(synopsis.find('\n', at), synopsis.size());
    text += "synopsis\t" + std::string(synopsis.substr(at, end - at)) + "\n";
    at = end + 1;
  }
  std::string_view group;
  for (const auto& option : options) {
    if (!option.group.empty()) group = option.group;
    text += "option\t-";
    for (auto cell : {option.name, word_of(option.kind), option.argument, group})
      text += std::string(cell) + "\t";
    text += std::string(option.doc) + "\n";
  }
  return text;
}

}  // namespace wm::cmd
