// Role: a typed pointer to one field of a configuration struct: what a key's text is read
// into and printed from. Its alternatives are the types that a key can have; each has one
// reader, one printer and one description in field.cc.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "libwm/base/result.h"
#include "libwm/model/config/config.h"

namespace wm::conf {

/// Bounds of a number, size or time. @units the field's own: count, bytes, microseconds
struct Range {
  std::int64_t least = 0;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

/// "20000-24999": two fields under one key.
struct PortRange {
  std::uint32_t* first;
  std::uint32_t* last;
};
/// "any", "none" or a list of plans.
struct BorrowField {
  Borrow* borrow;
  std::vector<std::string>* from;
};
/// One of an enumeration's words, or `none` for what stands elsewhere.
template <class E>
struct WordOr {
  std::optional<E>* value;
  std::string_view none;
};
/// A text that is one of a few words.
struct Choice {
  std::string* text;
  std::span<const std::string_view> words;
};

/// A signal's name or number, or a command, by which something is done to jobs.
struct ActField {
  std::string* text;
};

/// Whom a limit is about: all of them together, or each for itself.
struct ConsumersField {
  Consumers* consumers;
  bool each;
};

/// Where a key's value goes. @owns nothing: points into the struct being filled
using Field =
    std::variant<std::string*, bool*, std::uint32_t*, std::int32_t*, Bytes*, Duration*,
                 std::optional<std::uint32_t>*, std::optional<Duration>*, std::vector<std::string>*,
                 std::vector<std::uint32_t>*, std::map<std::string, std::string>*, PortRange,
                 BorrowField, Choice, RequeueExits*, AppType*, ResizeMode*, GpuMode*, PlanPolicy*,
                 Interactive*, Backfill*, JobOrder*, std::optional<Bytes>*, PlaceBy*, PreemptBy*,
                 SizeBy*, JobInfo*, WordOr<PlaceBy>, WordOr<SizeBy>, WeekWindows*,
                 std::vector<TimedShares>*, ConsumersField, ActField, std::vector<LoadLimit>*,
                 TerminateWhen*>;

/// Reads `text` into the field; the field is left alone on failure.
/// @errors BadArgument: not of the field's type or outside `range`; the text names both
/// @cost O(text)
Result<void> set_field(const Field& field, std::string_view text, Range range);

/// The field's value as set_field would read it. @cost O(value)
std::string show_field(const Field& field);

/// What may stand there, for people: "number", "size such as 16G", "yes or no" …
/// @cost O(1)
std::string describe_field(const Field& field);

}  // namespace wm::conf
