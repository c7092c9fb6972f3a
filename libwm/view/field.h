// Role: what is shown of an object is a table of fields: a name, a type, and a function from the
// object to a value. One table gives LSF's texts (-o and -json of the commands, format.h) and
// typed JSON (json.h). What no table lists is shown to nobody.
//
//   {{"mem", "aliases", width}, where, [](const T& object) { return value; }[, LSF's text]}
//
// The type is that of what the function returns; an optional that is empty, like a moment that is
// not set, is no value: "" in LSF's form, null in JSON.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "libwm/base/units.h"

namespace wm::view {

/// What a field is. In JSON a Time is seconds since the epoch, a Duration seconds, with fractions.
enum class Type : std::uint8_t { String, Int, Real, Bool, Time, Duration, Bytes, List };

/// A field of one object; the first: it has none.
using Value = std::variant<std::monostate, std::string, std::int64_t, double, bool, WallTime,
                           Duration, Bytes, std::vector<std::string>>;

/// As the commands show it where a field has no text of its own: "Y", "Nov 20 07:44",
/// "60 second(s)", "1.5G", "a b". @cost O(text)
std::string text_of(const Value& value);

/// The unit in which a size is shown.
struct SizeUnit {
  std::string name;    ///< "M", "GB"; "S": the largest of M, G and T; empty: as the field has it
  bool whole = false;  ///< megabytes without a decimal
};
/// "14807.0M", "16030M" when whole, "4.0G": the number in the unit that its first letter means, and
/// the name behind it. Of a name that means none the number is in MB. @cost O(1)
/// @source LSF: the unit of a field in lsload -o, lshosts -o, bjobs -o
std::string size_text(Bytes bytes, const SizeUnit& unit);

/// Name, aliases and recommended width of a field.
struct FieldName {
  std::string_view name;
  std::string_view aliases;  ///< separated by blanks
  int width = 10;
  std::string_view heading = {};  ///< of its column; empty: the name in capitals
};

/// The key in typed JSON: with its unit, where it has one: "run_time_s", "mem_bytes",
/// "complete_percent". @cost O(name)
std::string key_of(const FieldName& field, Type type);

/// Where a field is shown, beside LSF's form, and to whom; a sum of these.
using Where = unsigned;
inline constexpr Where kText = 0;     ///< LSF's form only: a column of LSF's that says nothing new
inline constexpr Where kFull = 1;     ///< JSON of one object
inline constexpr Where kBrief = 3;    ///< and of lists
inline constexpr Where kPrivate = 4;  ///< not where only a summary may be seen (JobInfo)

/// The type of a value, of an optional one, too. @cost O(1)
template <class R>
consteval Type type_of() {
  if constexpr (requires(R r) { r.value(); }) return type_of<typename R::value_type>();
  else if constexpr (std::same_as<R, bool>) return Type::Bool;
  else if constexpr (std::integral<R>) return Type::Int;
  else if constexpr (std::floating_point<R>) return Type::Real;
  else if constexpr (std::same_as<R, WallTime>) return Type::Time;
  else if constexpr (std::same_as<R, Duration>) return Type::Duration;
  else if constexpr (std::same_as<R, Bytes>) return Type::Bytes;
  else if constexpr (std::same_as<R, std::vector<std::string>>) return Type::List;
  else {
    static_assert(std::convertible_to<R, std::string_view>, "no type of a field");
    return Type::String;
  }
}

/// What a field's function returned, as a value. @cost O(1)
template <class R>
Value value_of(R from) {
  if constexpr (requires { from.value(); }) return from ? value_of(*from) : Value();
  else if constexpr (type_of<R>() == Type::Int) return static_cast<std::int64_t>(from);
  else if constexpr (type_of<R>() == Type::Real) return static_cast<double>(from);
  else if constexpr (type_of<R>() == Type::String) return std::string(std::string_view(from));
  else if constexpr (type_of<R>() == Type::Time) return from == WallTime{} ? Value() : Value(from);
  else return from;
}

/// A row of a table about objects T.
template <class T>
struct Field {
  using Text = std::string (*)(const T&);

  /// A text, the same in every form. @cost O(1)
  constexpr Field(FieldName name, Where where, Text of) : field(name), where(where), text_(of) {}
  /// A value, and LSF's text of it where that is not the type's. @cost O(1)
  template <class Of>
  requires std::is_class_v<Of>  // a lambda: it is made anew where it is called
  constexpr Field(FieldName name, Where where, Of, Text text = nullptr)
      : field(name),
        where(where),
        type(type_of<std::remove_cvref_t<std::invoke_result_t<Of, const T&>>>()),
        value_([](const T& object) { return value_of(Of{}(object)); }),
        text_(text) {}

  /// The typed value. @cost of the field's function
  Value value(const T& object) const { return value_ ? value_(object) : Value(text_(object)); }
  /// LSF's text; empty: no value. @cost of the field's function
  std::string show(const T& object) const {
    return text_ ? text_(object) : text_of(value_(object));
  }
  /// The same with a size in the unit asked for; what is no size is as above.
  std::string show(const T& object, const SizeUnit& unit) const {
    if (type != Type::Bytes || !value_ || unit.name.empty()) return show(object);
    auto found = value_(object);
    auto* bytes = std::get_if<Bytes>(&found);
    return bytes ? size_text(*bytes, unit) : "";
  }

  FieldName field;
  Where where = kFull;
  Type type = Type::String;

 private:
  Value (*value_)(const T&) = nullptr;
  Text text_ = nullptr;
};

}  // namespace wm::view
