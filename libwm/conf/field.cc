// One reader, printer and description per type of key, as overloads over field.h's
// alternatives.
#include "libwm/conf/field.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "libwm/base/joined.h"
#include "libwm/base/signals.h"
#include "libwm/expr/requeue_exits.h"
#include "libwm/model/load_limits.h"

namespace wm::conf {
namespace {

using Strings = std::vector<std::string>;
using StringMap = std::map<std::string, std::string>;

Error bad(std::string_view text, const std::string& expected) {
  return fail(Code::BadArgument, "'" + std::string(text) + "' is not " + expected);
}

template <class... Fs>
struct Overloaded : Fs... {
  using Fs::operator()...;
};
template <class... Fs>
Overloaded(Fs...) -> Overloaded<Fs...>;  // clang 14 does not find it by itself

// Every word of an enumeration. Its to_string says "unknown" past the last.
template <class E>
Strings words_of() {
  Strings words;
  for (std::uint8_t i = 0; to_string(static_cast<E>(i)) != "unknown"; ++i)
    words.emplace_back(to_string(static_cast<E>(i)));
  return words;
}

Strings split(std::string_view text) {
  Strings parts;
  while (true) {
    auto first = text.find_first_not_of(" \t,");
    if (first == std::string_view::npos) return parts;
    text.remove_prefix(first);
    auto end = std::min(text.find_first_of(" \t,"), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

Result<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc() || end != text.data() + text.size()) return bad(text, "a number");
  return value;
}

template <class Show>
Result<void> in_range(std::int64_t value, Range range, Show show) {
  if (value < range.least)
    return fail(Code::BadArgument, show(value) + " is below the least, " + show(range.least));
  if (value > range.most)
    return fail(Code::BadArgument, show(value) + " exceeds the most, " + show(range.most));
  return {};
}

template <class Int>
Result<Int> parse_count(std::string_view text, Range range) {
  WM_TRY(auto value, parse_integer(text));
  range.least = std::max<std::int64_t>(range.least, std::numeric_limits<Int>::min());
  range.most = std::min<std::int64_t>(range.most, std::numeric_limits<Int>::max());
  WM_TRY(in_range(value, range, [](std::int64_t n) { return std::to_string(n); }));
  return static_cast<Int>(value);
}

// Who comes from LSF means minutes: a bare number is not guessed at.
Result<void> has_unit(std::string_view text) {
  bool bare = !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos;
  if (!bare || text.find_first_not_of("0.") == std::string_view::npos) return {};
  auto number = std::string(text);
  return fail(Code::BadArgument,
              "'" + number + "' has no unit: write " + number + "min or " + number + "s");
}

Result<Duration> parse_time(std::string_view text, Range range) {
  WM_TRY(has_unit(text));
  WM_TRY(auto value, parse_duration(text));
  WM_TRY(in_range(value.count(), range,
                  [](std::int64_t us) { return format_duration(Duration(us)); }));
  return value;
}

Result<Bytes> parse_size(std::string_view text, Range range) {
  WM_TRY(auto value, parse_bytes(text));
  WM_TRY(in_range(value.value, range, [](std::int64_t n) { return format_bytes(Bytes{n}); }));
  return value;
}

Result<bool> parse_flag(std::string_view text) {
  if (text == "yes" || text == "true" || text == "on" || text == "1") return true;
  if (text == "no" || text == "false" || text == "off" || text == "0") return false;
  return bad(text, "yes or no");
}

Result<std::vector<std::uint32_t>> parse_counts(std::string_view text, Range range) {
  std::vector<std::uint32_t> values;
  for (const auto& part : split(text)) {
    WM_TRY(auto value, parse_count<std::uint32_t>(part, range));
    values.push_back(value);
  }
  return values;
}

Result<StringMap> parse_map(std::string_view text) {
  StringMap map;
  for (const auto& part : split(text)) {
    auto equals = part.find('=');
    if (equals == 0) return bad(part, "NAME=value");
    auto value = equals == std::string::npos ? "" : part.substr(equals + 1);
    if (!map.emplace(part.substr(0, equals), value).second)
      return fail(Code::BadArgument, "'" + part.substr(0, equals) + "' is given twice");
  }
  return map;
}

template <class E>
Result<E> parse_word(std::string_view text) {
  const Strings words = words_of<E>();
  for (std::size_t i = 0; i < words.size(); ++i)
    if (words[i] == text) return static_cast<E>(i);
  return bad(text, "one of " + joined(words, " "));
}

template <class T>
Result<void> store(T* field, Result<T> value) {
  if (!value) return value.error();
  *field = std::move(value).value();
  return {};
}

template <class T>
Result<void> store(T* field, T value) {
  *field = std::move(value);
  return {};
}

template <class T, class Parse>
Result<void> store_optional(std::optional<T>* field, std::string_view text, Parse parse) {
  if (text == "none") return store(field, std::optional<T>());
  WM_TRY(auto value, parse());
  return store(field, std::optional<T>(value));
}

Result<void> set_ports(PortRange field, std::string_view text, Range range) {
  auto dash = text.find('-');
  if (dash == std::string_view::npos) return bad(text, "a range such as 20000-24999");
  WM_TRY(auto first, parse_count<std::uint32_t>(text.substr(0, dash), range));
  WM_TRY(auto last, parse_count<std::uint32_t>(text.substr(dash + 1), range));
  if (first > last) return bad(text, "a range: its end is below its start");
  *field.first = first;
  *field.last = last;
  return {};
}

Result<void> set_borrow(BorrowField field, std::string_view text) {
  *field.borrow = text == "any" ? Borrow::Any : text == "none" ? Borrow::None : Borrow::Listed;
  *field.from = *field.borrow == Borrow::Listed ? split(text) : Strings();
  return {};
}

template <class E>
Strings words_of(WordOr<E> field) {
  Strings words = words_of<E>();
  words.emplace(words.begin(), field.none);
  return words;
}

template <class E>
Result<void> set_word_or(WordOr<E> field, std::string_view text) {
  if (text == field.none) return store(field.value, std::optional<E>());
  auto value = parse_word<E>(text);
  if (!value) return bad(text, "one of " + joined(words_of(field), " "));
  return store(field.value, std::optional<E>(*value));
}

Result<void> set_choice(Choice field, std::string_view text) {
  Strings words(field.words.begin(), field.words.end());
  if (std::find(words.begin(), words.end(), text) == words.end())
    return bad(text, "one of " + joined(words, " "));
  return store(field.text, std::string(text));
}

// "200 20:00-6:00; 50 6:0:00-1:0:00"
Result<std::vector<TimedShares>> parse_timed_shares(std::string_view text, Range range) {
  std::vector<TimedShares> all;
  while (!text.empty()) {
    auto end = std::min(text.find(';'), text.size());
    auto parts = split(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (parts.empty()) continue;
    TimedShares& made = all.emplace_back();
    WM_TRY(made.shares, parse_count<std::uint32_t>(parts.front(), range));
    parts.erase(parts.begin());
    WM_TRY(made.windows, parse_windows(joined(parts, " ")));
    if (made.windows.empty()) return bad(text, "a number and the windows in which it holds");
  }
  return all;
}

std::string show_timed_shares(const std::vector<TimedShares>& all) {
  std::string text;
  for (const TimedShares& timed : all)
    text += (text.empty() ? "" : "; ") + std::to_string(timed.shares) + " " +
            show_windows(timed.windows);
  return text;
}

Result<void> set_consumers(ConsumersField field, std::string_view text) {
  auto names = split(text);
  bool other = !field.consumers->names.empty() && field.consumers->each != field.each;
  if (other) return fail(Code::BadArgument, "all together and each for itself exclude each other");
  field.consumers->each = field.each && !names.empty();
  field.consumers->names = std::move(names);
  return {};
}

// One word in capitals is meant for a signal; whatever else is no signal is a command.
Result<void> set_act(ActField field, std::string_view text) {
  bool word = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isupper(c) || std::isdigit(c);
  });
  if (word && !signal_number(text))
    return bad(text, "a signal, of " + signal_names() + ", nor a command");
  return store(field.text, std::string(text));
}

// LSF: TERMINATE_WHEN = LOAD PREEMPT WINDOW
Result<TerminateWhen> parse_terminate_when(std::string_view text) {
  TerminateWhen when;
  for (const auto& word : split(text)) {
    if (word == "load") when.load = true;
    else if (word == "preempt") when.preempt = true;
    else if (word == "window") when.window = true;
    else return bad(word, "one of load preempt window");
  }
  return when;
}

std::string show_terminate_when(const TerminateWhen& when) {
  Strings words;
  if (when.load) words.emplace_back("load");
  if (when.preempt) words.emplace_back("preempt");
  if (when.window) words.emplace_back("window");
  return joined(words, " ");
}

std::string show_map(const StringMap& map) {
  Strings parts;
  for (const auto& [key, value] : map) parts.push_back(value.empty() ? key : key + "=" + value);
  return joined(parts, ", ");
}

std::string show_counts(const std::vector<std::uint32_t>& values) {
  Strings parts;
  for (auto value : values) parts.push_back(std::to_string(value));
  return joined(parts, ", ");
}

std::string show_borrow(BorrowField f) {
  return *f.borrow == Borrow::Listed ? joined(*f.from, ", ") : std::string(to_string(*f.borrow));
}

}  // namespace

Result<void> set_field(const Field& field, std::string_view text, Range range) {
  auto count = [&] { return parse_count<std::uint32_t>(text, range); };
  auto time = [&] { return parse_time(text, range); };
  auto size = [&] { return parse_size(text, range); };
  return std::visit(
      Overloaded{
          [&](std::string* f) { return store(f, std::string(text)); },
          [&](bool* f) { return store(f, parse_flag(text)); },
          [&](std::uint32_t* f) { return store(f, count()); },
          [&](std::int32_t* f) { return store(f, parse_count<std::int32_t>(text, range)); },
          [&](Bytes* f) { return store(f, parse_size(text, range)); },
          [&](Duration* f) { return store(f, time()); },
          [&](std::optional<std::uint32_t>* f) { return store_optional(f, text, count); },
          [&](std::optional<Duration>* f) { return store_optional(f, text, time); },
          [&](std::optional<Bytes>* f) { return store_optional(f, text, size); },
          [&](Strings* f) { return store(f, split(text)); },
          [&](std::vector<std::uint32_t>* f) { return store(f, parse_counts(text, range)); },
          [&](RequeueExits* f) { return store(f, expr::parse_requeue_exits(text)); },
          [&](StringMap* f) { return store(f, parse_map(text)); },
          [&](PortRange f) { return set_ports(f, text, range); },
          [&](BorrowField f) { return set_borrow(f, text); },
          [&](Choice f) { return set_choice(f, text); },
          [&](WeekWindows* f) { return store(f, parse_windows(text)); },
          [&](std::vector<TimedShares>* f) { return store(f, parse_timed_shares(text, range)); },
          [&](ConsumersField f) { return set_consumers(f, text); },
          [&](ActField f) { return set_act(f, text); },
          [&](std::vector<LoadLimit>* f) { return store(f, parse_load_limits(text)); },
          [&](TerminateWhen* f) { return store(f, parse_terminate_when(text)); },
          [&]<class E>(WordOr<E> f) { return set_word_or(f, text); },
          [&]<class E>(E* f) { return store(f, parse_word<E>(text)); },
      },
      field);
}

std::string show_field(const Field& field) {
  using Text = std::string;
  return std::visit(
      Overloaded{
          [](std::string* f) -> Text { return *f; },
          [](bool* f) -> Text { return *f ? "yes" : "no"; },
          [](std::uint32_t* f) -> Text { return std::to_string(*f); },
          [](std::int32_t* f) -> Text { return std::to_string(*f); },
          [](Bytes* f) -> Text { return format_bytes(*f); },
          [](Duration* f) -> Text { return format_duration(*f); },
          [](std::optional<std::uint32_t>* f) -> Text { return *f ? std::to_string(**f) : "none"; },
          [](std::optional<Duration>* f) -> Text { return *f ? format_duration(**f) : "none"; },
          [](std::optional<Bytes>* f) -> Text { return *f ? format_bytes(**f) : "none"; },
          [](Strings* f) -> Text { return joined(*f, ", "); },
          [](std::vector<std::uint32_t>* f) -> Text { return show_counts(*f); },
          [](RequeueExits* f) -> Text { return expr::format_requeue_exits(*f); },
          [](StringMap* f) -> Text { return show_map(*f); },
          [](PortRange f) -> Text {
            return std::to_string(*f.first) + "-" + std::to_string(*f.last);
          },
          [](BorrowField f) -> Text { return show_borrow(f); },
          [](Choice f) -> Text { return *f.text; },
          [](WeekWindows* f) -> Text { return show_windows(*f); },
          [](std::vector<TimedShares>* f) -> Text { return show_timed_shares(*f); },
          [](ConsumersField f) -> Text {
            return f.each == f.consumers->each ? joined(f.consumers->names, ", ") : "";
          },
          [](ActField f) -> Text { return *f.text; },
          [](std::vector<LoadLimit>* f) -> Text { return show_load_limits(*f); },
          [](TerminateWhen* f) -> Text { return show_terminate_when(*f); },
          []<class E>(WordOr<E> f) -> Text {
            return Text(*f.value ? to_string(**f.value) : f.none);
          },
          []<class E>(E* f) -> Text { return Text(to_string(*f)); },
      },
      field);
}

std::string describe_field(const Field& field) {
  using Text = std::string;
  return std::visit(
      Overloaded{
          [](std::string*) -> Text { return "text"; },
          [](bool*) -> Text { return "yes or no"; },
          [](std::uint32_t*) -> Text { return "number"; },
          [](std::int32_t*) -> Text { return "number, may be negative"; },
          [](Bytes*) -> Text { return "size such as 512M or 16G"; },
          [](Duration*) -> Text { return "time with its unit: 250ms, 10s, 5min, 2h"; },
          [](std::optional<std::uint32_t>*) -> Text { return "number or none"; },
          [](std::optional<Duration>*) -> Text { return "time or none"; },
          [](std::optional<Bytes>*) -> Text { return "size or none"; },
          [](Strings*) -> Text { return "list of names, separated by blanks or commas"; },
          [](std::vector<std::uint32_t>*) -> Text { return "list of numbers"; },
          [](RequeueExits*) -> Text { return "list of exit codes, all, ~code, EXCLUDE(code ...)"; },
          [](StringMap*) -> Text { return "list of NAME=value"; },
          [](PortRange) -> Text { return "range of ports"; },
          [](BorrowField) -> Text { return "any, none, or a list of plans"; },
          [](WeekWindows*) -> Text { return "windows [day:]hour[:minute]-[day:]hour[:minute]"; },
          [](std::vector<TimedShares>*) -> Text { return "number and windows, several with ;"; },
          [](ConsumersField) -> Text { return "list of names, all, ~name"; },
          [](ActField) -> Text { return "signal or command"; },
          [](std::vector<LoadLimit>*) -> Text { return "list of index=sched/stop"; },
          [](TerminateWhen*) -> Text { return "list of load, preempt, window"; },
          [](Choice f) -> Text { return joined(Strings(f.words.begin(), f.words.end()), ", "); },
          []<class E>(WordOr<E> f) -> Text { return joined(words_of(f), ", "); },
          []<class E>(E*) -> Text { return joined(words_of<E>(), ", "); },
      },
      field);
}

}  // namespace wm::conf
