// Role: what a search may try: parameters with their values, and where each
// value lies. A sampler sees points: of a parameter of numbers a coordinate in
// [0, 1], scaled as the parameter is (log, power, steps in equal parts); of one
// of words the number of the word. NaN: not active, since the condition of the
// parameter does not hold. Of this folder only.
// @source keys of hyperParams: wmla-surface 5.1; conditions and log: search
// spaces of Bergstra et
//         al., NeurIPS 2011
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "libwm/base/result.h"

namespace wm::search {

using Value = std::variant<std::int64_t, double, std::string>;

struct Setting {
  std::string name;
  Value value;
  bool operator==(const Setting&) const = default;
};
/// What a trial runs with, in the order of the space.
using Config = std::vector<Setting>;

enum class Kind : std::uint8_t {
  Continuous,  ///< any number from low to high
  Steps,       ///< low, low + step, …: `count` of them
  Numbers,     ///< a list of numbers, rising
  Words,       ///< a list without an order
};

/// Active only where the parent has one of these values.
struct Condition {
  std::size_t parent = 0;
  std::vector<Value> values;
};

struct Param {
  std::string name;
  Kind kind = Kind::Continuous;
  bool whole = false;        ///< its values are whole numbers
  double low = 0, high = 0;  ///< of the exponent, where there is a power
  double step = 0;
  double power = 0;  ///< 0: none; else a value is power to the x
  bool log = false;
  std::uint64_t count = 0;  ///< of values; 0: without end
  std::vector<Value> values;
  std::vector<Condition> when;
};

struct Space {
  std::vector<Param> params;
  std::vector<std::size_t> order;  ///< parents before who depends on them
};

using Point = std::vector<double>;

/// Orders the parameters and checks them against each other. @errors
/// BadArgument, Limit: named
Result<Space> space_of(std::vector<Param> params);

/// The value at a coordinate, and the coordinate of a value; none where it is
/// none of the parameter's.
Value value_at(const Param& param, double coordinate);
std::optional<double> coordinate_of(const Param& param, const Value& value);
/// The coordinate of the k-th value of a parameter with `count` ones.
double coordinate_at(const Param& param, std::uint64_t k);
/// Where coordinates that give the same value come together.
double snapped(const Param& param, double coordinate);

/// Whether parameter `i` is active in `point`, in which its parents'
/// coordinates are set.
bool is_active(const Space& space, const Point& point, std::size_t i);
/// A point's inactive coordinates become NaN, the others snapped. `point` has
/// them all.
void settle(const Space& space, Point& point);
Config config_at(const Space& space, const Point& point);
/// None where the config is not one of the space.
std::optional<Point> point_of(const Space& space, const Config& config);

/// Parameters in their order as wheels of an odometer; those that are inactive
/// stand still.
using Wheels = std::vector<std::uint64_t>;
Point point_at(const Space& space, const Wheels& wheels);
/// The next position, or false after the last.
bool advance(const Space& space, Wheels& wheels);
/// How many configs there are, if that is at most `limit`. @cost O(limit)
std::optional<std::uint64_t> count_up_to(const Space& space, std::uint64_t limit);

/// A number without the dust of binary fractions: 0.031, not
/// 0.031000000000000003.
double dusted(double number);
std::optional<double> number_of(const Value& value);
bool equal(const Value& a, const Value& b);

}  // namespace wm::search
