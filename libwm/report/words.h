// Role: numbers and names as reports write them, and what each form of output must not be given
// raw. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libwm/report/sums.h"

namespace wm::report {

/// @cost O(1)
inline double to_double(std::int64_t n) { return static_cast<double>(n); }
/// "41,200.5": with `decimals` behind the point. @cost O(digits)
std::string number(double n, int decimals);
/// "10.3 %"; "n/a" of nothing. @cost O(1)
std::string percent(double part, double whole);
/// "5 s", "4 min", "2.1 h", "3.4 d". @cost O(1)
std::string wait_words(double seconds);
/// "128.4" hours of milli-units times ms; "128.4" of slot·ms. @cost O(1)
std::string unit_hours(std::int64_t mms);
std::string slot_hours(std::int64_t slot_ms);
/// Seconds with at most three decimals, for tables and programs. @cost O(1)
std::string unit_seconds(std::int64_t mms);
std::string slot_seconds(std::int64_t slot_ms);

/// The most of a name, and of a sentence, that is told. @units bytes
inline constexpr std::size_t kName = 200, kSentence = 2000;
/// A name as one line of plain text: nothing a terminal obeys. @cost O(text)
std::string plain(std::string_view text, std::size_t most = kName);
/// Lines of at most 78 columns of a text of words, those after the first behind `indent`. `before`:
/// columns that stand before the first line. @cost O(text)
std::string wrapped(std::string_view text, std::string_view indent = "", std::size_t before = 0);
/// As the text of an element or attribute of HTML. @cost O(text)
std::string html(std::string_view text, std::size_t most = kName);
/// As a field of a table of comma separated values that no spreadsheet takes for a formula.
/// @source RFC 4180   @cost O(text)
std::string csv(std::string_view text);
/// As a word of a data block that gnuplot reads: no tabs, quotes or backquotes. @cost O(text)
std::string data_word(std::string_view text);

}  // namespace wm::report
