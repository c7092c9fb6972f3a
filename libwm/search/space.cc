#include "libwm/search/space.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

namespace wm::search {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Ends of the scale on which a parameter's coordinate is even: half a step
// beyond its first and last value, so that each has its share.
struct Scale {
  double from, to;
};

Scale log_scale(const Param& param) {
  if (param.kind == Kind::Continuous) return {std::log(param.low), std::log(param.high)};
  double below = std::max(param.low - param.step / 2, param.low / 2);
  double last = param.low + param.step * static_cast<double>(param.count - 1);
  return {std::log(below), std::log(last + param.step / 2)};
}

std::uint64_t place_in(double coordinate, std::uint64_t count) {
  double place = std::floor(coordinate * static_cast<double>(count));
  return static_cast<std::uint64_t>(std::clamp(place, 0.0, static_cast<double>(count - 1)));
}

// Which step a number is nearest to.
std::uint64_t step_near(const Param& param, double number) {
  double place = std::round((number - param.low) / param.step);
  return static_cast<std::uint64_t>(std::clamp(place, 0.0, static_cast<double>(param.count - 1)));
}

std::uint64_t step_at(const Param& param, double coordinate) {
  if (!param.log) return place_in(coordinate, param.count);
  auto [from, to] = log_scale(param);
  return step_near(param, std::exp(from + coordinate * (to - from)));
}

Value typed(const Param& param, double number) {
  if (param.power > 0) number = std::pow(param.power, number);
  if (param.whole) return static_cast<std::int64_t>(std::llround(number));
  return param.kind == Kind::Steps ? dusted(number) : number;
}

double number_at(const Param& param, double coordinate) {
  coordinate = std::clamp(coordinate, 0.0, 1.0);
  if (param.kind == Kind::Steps)
    return param.low + param.step * static_cast<double>(step_at(param, coordinate));
  if (!param.log) return param.low + coordinate * (param.high - param.low);
  auto [from, to] = log_scale(param);
  return std::clamp(std::exp(from + coordinate * (to - from)), param.low, param.high);
}

// A value that lies well outside is none of the parameter's; one that a script
// rounded is.
bool is_within(const Param& param, double number) {
  double slack = 1e-6 * (std::abs(param.low) + std::abs(param.high)) + param.step / 2;
  return number >= param.low - slack && number <= param.high + slack;
}

std::optional<double> coordinate_of_number(const Param& param, double number) {
  if (param.power > 0) number = std::log(number) / std::log(param.power);
  if (!std::isfinite(number) || !is_within(param, number)) return {};
  if (param.kind == Kind::Steps) return coordinate_at(param, step_near(param, number));
  if (param.high == param.low) return 0.5;
  if (!param.log) return std::clamp((number - param.low) / (param.high - param.low), 0.0, 1.0);
  if (number <= 0) return {};
  auto [from, to] = log_scale(param);
  return std::clamp((std::log(number) - from) / (to - from), 0.0, 1.0);
}

Result<void> check_condition(const std::vector<Param>& params, const Param& param,
                             const Condition& condition) {
  const auto& parent = params[condition.parent];
  auto name = "parameter '" + param.name + "': its condition names ";
  if (parent.kind == Kind::Continuous)
    return fail(Code::BadArgument, name + "'" + parent.name + "', which has no list of values");
  for (const auto& value : condition.values)
    if (!coordinate_of(parent, value))
      return fail(Code::BadArgument, name + "a value that '" + parent.name + "' has not");
  return {};
}

bool has_parents(const Param& param, const std::set<std::size_t>& placed) {
  return std::ranges::all_of(param.when, [&](const auto& c) { return placed.contains(c.parent); });
}

}  // namespace

double dusted(double number) {
  char text[64];
  auto end = std::to_chars(text, text + sizeof text, number, std::chars_format::general, 12).ptr;
  std::from_chars(text, end, number);
  return number;
}

std::optional<double> number_of(const Value& value) {
  if (auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (auto* number = std::get_if<double>(&value)) return *number;
  const auto& text = std::get<std::string>(value);
  double number = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (ec != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

bool equal(const Value& a, const Value& b) {
  auto *left = std::get_if<std::string>(&a), *right = std::get_if<std::string>(&b);
  if (left && right) return *left == *right;
  auto x = number_of(a), y = number_of(b);
  return x && y && std::abs(*x - *y) <= 1e-9 * (std::abs(*x) + std::abs(*y));
}

Result<Space> space_of(std::vector<Param> params) {
  for (const auto& param : params)
    for (const auto& condition : param.when) WM_TRY(check_condition(params, param, condition));
  Space space{std::move(params), {}};
  std::set<std::size_t> placed;
  while (placed.size() < space.params.size()) {
    auto before = placed.size();
    for (std::size_t i = 0; i < space.params.size(); ++i)
      if (!placed.contains(i) && has_parents(space.params[i], placed)) {
        placed.insert(i);
        space.order.push_back(i);
      }
    if (placed.size() == before)
      return fail(Code::BadArgument, "the conditions of parameters depend on each other in a ring");
  }
  return space;
}

Value value_at(const Param& param, double coordinate) {
  if (param.kind == Kind::Words)
    return param.values[std::min<std::size_t>(static_cast<std::size_t>(std::max(coordinate, 0.0)),
                                              param.values.size() - 1)];
  if (param.kind == Kind::Numbers) return param.values[place_in(coordinate, param.count)];
  return typed(param, number_at(param, coordinate));
}

double coordinate_at(const Param& param, std::uint64_t k) {
  if (param.kind == Kind::Words) return static_cast<double>(k);
  if (!param.log) return (static_cast<double>(k) + 0.5) / static_cast<double>(param.count);
  auto [from, to] = log_scale(param);
  return (std::log(param.low + param.step * static_cast<double>(k)) - from) / (to - from);
}

std::optional<double> coordinate_of(const Param& param, const Value& value) {
  if (param.kind == Kind::Words || param.kind == Kind::Numbers) {
    for (std::size_t k = 0; k < param.values.size(); ++k)
      if (equal(param.values[k], value)) return coordinate_at(param, k);
    return {};
  }
  auto number = number_of(value);
  return number ? coordinate_of_number(param, *number) : std::nullopt;
}

double snapped(const Param& param, double coordinate) {
  if (param.kind == Kind::Continuous) return std::clamp(coordinate, 0.0, 1.0);
  if (param.kind == Kind::Words)
    return std::floor(std::clamp(coordinate, 0.0, static_cast<double>(param.count - 1)));
  coordinate = std::clamp(coordinate, 0.0, 1.0);
  if (param.kind == Kind::Numbers) return coordinate_at(param, place_in(coordinate, param.count));
  return coordinate_at(param, step_at(param, coordinate));
}

bool is_active(const Space& space, const Point& point, std::size_t i) {
  return std::ranges::all_of(space.params[i].when, [&](const Condition& condition) {
    double at = point[condition.parent];
    if (std::isnan(at)) return false;
    auto value = value_at(space.params[condition.parent], at);
    return std::ranges::any_of(condition.values, [&](const auto& v) { return equal(v, value); });
  });
}

void settle(const Space& space, Point& point) {
  for (auto i : space.order)
    point[i] = is_active(space, point, i) ? snapped(space.params[i], point[i]) : kNone;
}

Config config_at(const Space& space, const Point& point) {
  Config config;
  for (std::size_t i = 0; i < point.size(); ++i)
    if (!std::isnan(point[i]))
      config.push_back({space.params[i].name, value_at(space.params[i], point[i])});
  return config;
}

std::optional<Point> point_of(const Space& space, const Config& config) {
  Point point(space.params.size(), kNone);
  for (auto i : space.order) {
    if (!is_active(space, point, i)) continue;
    auto found = std::ranges::find(config, space.params[i].name, &Setting::name);
    if (found == config.end()) return {};
    auto at = coordinate_of(space.params[i], found->value);
    if (!at) return {};
    point[i] = *at;
  }
  return point;
}

Point point_at(const Space& space, const Wheels& wheels) {
  Point point(space.params.size(), kNone);
  for (std::size_t n = 0; n < space.order.size(); ++n) {
    auto i = space.order[n];
    if (is_active(space, point, i)) point[i] = coordinate_at(space.params[i], wheels[n]);
  }
  return point;
}

bool advance(const Space& space, Wheels& wheels) {
  auto point = point_at(space, wheels);
  for (std::size_t n = space.order.size(); n-- > 0;) {
    auto i = space.order[n];
    if (!std::isnan(point[i]) && wheels[n] + 1 < space.params[i].count) {
      ++wheels[n];
      return true;
    }
    wheels[n] = 0;
  }
  return false;
}

std::optional<std::uint64_t> count_up_to(const Space& space, std::uint64_t limit) {
  double least = 1;  // what the parameters without a condition make
  for (const auto& param : space.params) {
    if (param.count == 0) return {};
    if (param.when.empty()) least *= static_cast<double>(param.count);
  }
  if (least > static_cast<double>(limit)) return {};
  Wheels wheels(space.params.size());
  std::uint64_t count = 1;
  while (advance(space, wheels))
    if (++count > limit) return {};
  return count;
}

}  // namespace wm::search
