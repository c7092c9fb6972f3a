#include "daemons/wagent/trials/trial_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "libwm/base/json.h"
#include "libwm/model/event.h"

namespace wm::wagent {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kLongestCourse = 48;  // points of a metric
constexpr const char* kSteps[] = {"step", "steps", "epoch", "iteration"};

struct Point {
  double step = 0, value = 0;
};
struct Metric {
  double latest = 0, least = 0, greatest = 0;
  std::vector<Point> course;
};
using Metrics = std::map<std::string, Metric>;

Json value_in(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  auto at = object.find(key);
  return at == object.end() ? Json() : *at;
}

// emetrics writes numbers as texts; whether they were is said beside them.
Json plain(const Json& entry) {
  auto value = value_in(entry, "value");
  bool number = value_in(entry, "type").is_number() && value.is_string();
  return number ? json_or_null<Json>(value.get<std::string>()) : value;
}

double number_in(const Json& value) { return value.is_number() ? value.get<double>() : NAN; }

void note(Metrics& metrics, const std::string& name, const Json& value, double step) {
  double x = number_in(value);
  if (!std::isfinite(x)) return;
  auto [it, is_new] = metrics.try_emplace(name, Metric{x, x, x, {}});
  Metric& metric = it->second;
  metric.latest = x;
  metric.least = std::min(metric.least, x);
  metric.greatest = std::max(metric.greatest, x);
  metric.course.push_back({step, x});
}

bool is_step(const std::string& name) {
  return std::ranges::find(kSteps, name) != std::end(kSteps);
}

// Where an object says that it stands; else how many there were.
double step_of(const Json& object, std::size_t number) {
  for (const char* key : kSteps)
    if (double step = number_in(value_in(object, key)); std::isfinite(step)) return step;
  return static_cast<double>(number);
}

Metrics of_list(std::string_view text) {
  Metrics metrics;
  auto list = json_or_null<Json>(text);
  if (!list.is_array()) return metrics;
  std::size_t number = 0;
  for (const auto& object : list) {
    if (!object.is_object()) continue;
    auto step = step_of(object, ++number);
    for (const auto& [name, value] : object.items()) note(metrics, name, value, step);
  }
  return metrics;
}

// {"etimes":{"iteration":{"type":2,"value":"4"}},"values":{"loss":{"type":3,"value":"0.2"}}}
void add_line(Metrics& metrics, std::string_view text, std::size_t number) {
  auto line = json_or_null<Json>(text);
  auto iteration = plain(value_in(value_in(line, "etimes"), "iteration"));
  auto step =
      std::isfinite(number_in(iteration)) ? number_in(iteration) : static_cast<double>(number);
  note(metrics, "iteration", iteration, step);
  auto values = value_in(line, "values");
  if (!values.is_object()) return;
  for (const auto& [name, value] : values.items()) note(metrics, name, plain(value), step);
}

// The writer may be in the middle of the last.
Metrics of_lines(std::string_view text) {
  Metrics metrics;
  std::size_t number = 0;
  for (auto end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    add_line(metrics, text.substr(0, end), ++number);
    text.remove_prefix(end + 1);
  }
  return metrics;
}

// Six digits are enough to be drawn and compared by.
double short_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return std::strtod(text, nullptr);
}

// At most `most` points, evenly chosen; the first and the last are among them.
Json course_of(const std::vector<Point>& course, std::size_t most) {
  Json list = Json::array();
  if (course.size() < 2 || most < 2) return list;
  auto count = std::min(course.size(), most);
  for (std::size_t i = 0; i < count; ++i) {
    const Point& point = course[i * (course.size() - 1) / (count - 1)];
    list.push_back({short_of(point.step), short_of(point.value)});
  }
  return list;
}

std::string written(const Metrics& metrics, std::size_t most) {
  Json report;
  for (const auto& [name, m] : metrics) {
    report[name] = {{"latest", m.latest}, {"min", m.least}, {"max", m.greatest}};
    auto course = is_step(name) ? Json::array() : course_of(m.course, most);
    if (!course.empty()) report[name]["course"] = std::move(course);
  }
  return to_text(report);
}

}  // namespace

std::string report_of(std::string_view val_dicts, std::string_view emetrics) {
  auto metrics = of_list(val_dicts);
  metrics.merge(of_lines(emetrics));
  if (metrics.empty()) return "";
  // A course of fewer points where all have no room; none at the last.
  auto most = kLongestCourse;
  auto text = written(metrics, most);
  for (; text.size() > kMaxReport && most > 1; text = written(metrics, most)) most /= 2;
  return text.size() > kMaxReport ? "" : text;
}

}  // namespace wm::wagent
