#include "libwm/view/field.h"

#include <array>
#include <cctype>
#include <cstdio>

#include "libwm/base/joined.h"
#include "libwm/view/times.h"

namespace wm::view {
namespace {

// Four places behind the point, none rounded up.
std::string decimals(double value) {
  auto text = std::to_string(value);
  return text.substr(0, text.find('.') + 5);
}

struct Texts {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(const std::string& text) const { return text; }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(double number) const { return decimals(number); }
  std::string operator()(bool is) const { return is ? "Y" : "N"; }
  std::string operator()(WallTime time) const { return short_time(time); }
  std::string operator()(Bytes bytes) const { return format_bytes(bytes); }
  std::string operator()(const std::vector<std::string>& words) const { return joined(words); }
  std::string operator()(Duration length) const {
    auto seconds = std::chrono::duration_cast<std::chrono::seconds>(length).count();
    return std::to_string(seconds) + " second(s)";
  }
};

}  // namespace

std::string size_text(Bytes bytes, const SizeUnit& unit) {
  constexpr std::string_view kLetters = "BKMGTPEZ";
  constexpr std::size_t kMega = 2, kTera = 4;
  auto name = unit.name;
  auto letter = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  auto power = kLetters.find(letter);
  if (letter == 'S') {
    power = kMega;
    for (auto rest = bytes.value >> 20; rest >= 1024 && power < kTera; rest >>= 10) ++power;
    name = kLetters[power];
  }
  if (power == kLetters.npos) power = kMega;
  double amount = static_cast<double>(bytes.value);
  for (std::size_t i = 0; i < power; ++i) amount /= 1024;
  std::array<char, 48> number{};
  bool whole = unit.whole && power == kMega;
  std::snprintf(number.data(), number.size(), whole ? "%.0f" : "%.1f", amount);
  return number.data() + name;
}

std::string text_of(const Value& value) { return std::visit(Texts{}, value); }

std::string key_of(const FieldName& field, Type type) {
  std::string key(field.name);
  if (key.starts_with('%')) return key.substr(1) + "_percent";
  if (type == Type::Duration) return key + "_s";
  return type == Type::Bytes ? key + "_bytes" : key;
}

}  // namespace wm::view
