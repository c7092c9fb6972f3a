#include "libwm/model/load_limits.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace wm {
namespace {

enum class Unit { Count, Part, Minutes, Bytes };

struct Index {
  std::string_view name;
  Unit unit;
  bool less_is_worse;
};
constexpr Index kIndices[] = {
    {"r15s", Unit::Count, false}, {"r1m", Unit::Count, false}, {"r15m", Unit::Count, false},
    {"ut", Unit::Part, false},    {"it", Unit::Minutes, true}, {"tmp", Unit::Bytes, true},
    {"swp", Unit::Bytes, true},   {"mem", Unit::Bytes, true},
};

const Index* find_index(std::string_view name) {
  auto at = std::find_if(std::begin(kIndices), std::end(kIndices),
                         [&](const Index& index) { return index.name == name; });
  return at == std::end(kIndices) ? nullptr : at;
}

Error bad(std::string_view word, const std::string& why) {
  return fail(Code::BadArgument, "'" + std::string(word) + "': " + why);
}

Result<double> parse_number(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool whole = error == std::errc() && end == text.data() + text.size() && value >= 0;
  if (!whole || value > 1e15) return bad(text, "is not a number");
  return value;
}

Result<double> parse_value(const Index& index, std::string_view text) {
  if (index.unit == Unit::Bytes) {
    WM_TRY(auto bytes, parse_bytes(text));
    return static_cast<double>(bytes.value);
  }
  bool percent = index.unit == Unit::Part && text.ends_with('%');
  if (percent) text.remove_suffix(1);
  WM_TRY(double value, parse_number(text));
  if (percent) value /= 100;
  if (index.unit == Unit::Part && value > 1) return bad(text, "ut is at most 1, or 100%");
  return value;
}

Result<LoadLimit> parse_limit(std::string_view word) {
  auto equals = std::min(word.find('='), word.size());
  const Index* index = find_index(word.substr(0, equals));
  if (!index || equals == word.size())
    return bad(word, "INDEX=SCHED/STOP is wanted, of r15s r1m r15m ut it tmp swp mem");
  auto values = word.substr(equals + 1);
  auto slash = std::min(values.find('/'), values.size());
  LoadLimit limit{std::string(index->name), {}, {}};
  auto read = [&](std::string_view text, std::optional<double>& value) -> Result<void> {
    if (text.empty() || text == "-") return {};
    WM_TRY(value, parse_value(*index, text));
    return {};
  };
  WM_TRY(read(values.substr(0, slash), limit.sched));
  WM_TRY(read(values.substr(std::min(slash + 1, values.size())), limit.stop));
  if (!limit.sched && !limit.stop) return bad(word, "neither of its two limits is given");
  bool crossed = limit.sched && limit.stop && is_beyond(index->name, *limit.sched, *limit.stop);
  if (crossed) return bad(word, "jobs would be stopped before none is started: SCHED/STOP");
  return limit;
}

std::string show(const Index& index, double value) {
  if (index.unit == Unit::Bytes) return format_bytes(Bytes{static_cast<std::int64_t>(value)});
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.4g", value);
  return text.data();
}

}  // namespace

Result<std::vector<LoadLimit>> parse_load_limits(std::string_view text) {
  std::vector<LoadLimit> limits;
  while (true) {
    auto from = text.find_first_not_of(" \t,");
    if (from == std::string_view::npos) return limits;
    text.remove_prefix(from);
    auto end = std::min(text.find_first_of(" \t,"), text.size());
    WM_TRY(auto limit, parse_limit(text.substr(0, end)));
    for (const LoadLimit& other : limits)
      if (other.index == limit.index) return bad(limit.index, "is given twice");
    limits.push_back(std::move(limit));
    text.remove_prefix(end);
  }
}

std::string show_load_limits(const std::vector<LoadLimit>& limits) {
  std::string text;
  for (const LoadLimit& limit : limits) {
    auto value = [&](const std::optional<double>& v) {
      return v ? show_load(limit.index, *v) : std::string("-");
    };
    text += (text.empty() ? "" : " ") + limit.index + "=" + value(limit.sched);
    if (limit.stop) text += "/" + value(limit.stop);
  }
  return text;
}

std::optional<double> load_value(std::string_view index, const Measured& host) {
  auto known = [](double value) { return value < 0 ? std::nullopt : std::optional(value); };
  auto bytes = [&](Bytes amount) { return known(static_cast<double>(amount.value)); };
  const HostLoad& more = host.more;
  if (index == "r1m") return known(host.r1m);
  if (index == "r15s") return known(more.r15s);
  if (index == "r15m") return known(more.r15m);
  if (index == "tmp") return bytes(more.tmp);
  if (index == "swp") return bytes(more.swp);
  if (index == "mem") return bytes(more.mem);
  if (index == "it") return known(std::chrono::duration<double, std::ratio<60>>(more.idle).count());
  if (index == "ut" && host.milli_cpus > 0) return std::min(1.0, host.r1m * 1000 / host.milli_cpus);
  return std::nullopt;
}

std::string show_load(std::string_view index, double value) {
  const Index* known = find_index(index);
  return known ? show(*known, value) : std::string();
}

bool is_beyond(std::string_view index, double value, double limit) {
  const Index* known = find_index(index);
  return known && (known->less_is_worse ? value < limit : value > limit);
}

}  // namespace wm
