#include "libwm/rest/metrics.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "libwm/base/json.h"
#include "libwm/rest/json_text.h"

namespace wm::rest {
namespace {

constexpr std::size_t kMostSeries = 64;

template <class Take>
void each_line(std::string_view text, const Take& take) {
  while (!text.empty()) {
    auto end = text.find('\n');
    if (end == text.npos) return;  // it is still being written
    take(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

std::optional<double> leading_number(std::string_view text) {
  std::string copy(text);
  char* end = nullptr;
  double value = std::strtod(copy.c_str(), &end);
  if (end == copy.c_str()) return std::nullopt;
  return value;
}

// Numbers are seen as such and as texts.
std::optional<double> number_in(const SortedJson& value) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string()) return leading_number(value.get_ref<const std::string&>());
  return std::nullopt;
}

const SortedJson& at(const SortedJson& object, std::initializer_list<const char*> path) {
  static const SortedJson kNone;
  const SortedJson* found = &object;
  for (const char* name : path) {
    if (!found->is_object() || !found->contains(name)) return kNone;
    found = &(*found)[name];
  }
  return *found;
}

// What follows `label` up to the next comma.
std::string_view after(std::string_view line, std::string_view label) {
  auto start = line.find(label);
  if (start == line.npos) return {};
  auto rest = line.substr(start + label.size());
  return rest.substr(0, rest.find_first_of(",:"));
}

// One number for several: where they end, when, their mean, least and most.
SortedJson folded(const MetricPoint* first, const MetricPoint* end) {
  double sum = 0, least = first->value, most = first->value;
  for (auto* p = first; p != end; ++p) {
    sum += p->value;
    least = std::min(least, p->value);
    most = std::max(most, p->value);
  }
  const auto& last = *(end - 1);
  return {last.iteration, last.time_s, sum / static_cast<double>(end - first), least, most};
}

SortedJson points_of(std::vector<MetricPoint> points, std::size_t most) {
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.iteration < b.iteration; });
  SortedJson list = SortedJson::array();
  auto count = std::min(points.size(), most);
  for (std::size_t i = 0; i < count; ++i) {
    auto from = points.size() * i / count, to = points.size() * (i + 1) / count;
    list.push_back(folded(points.data() + from, points.data() + to));
  }
  return list;
}

}  // namespace

void Metrics::add(const std::string& group, const std::string& name, const MetricPoint& point) {
  if (!std::isfinite(point.value) || !std::isfinite(point.iteration)) return;
  auto key = std::make_pair(group, name);
  if (series_.size() >= kMostSeries && !series_.contains(key)) return;
  series_[key].push_back(point);
}

void Metrics::read_emetrics(std::string_view text) {
  each_line(text, [&](std::string_view line) {
    auto json = json_or_null<SortedJson>(line);
    const auto& values = at(json, {"values"});
    auto group = at(json, {"grouplabel"});
    auto iteration = number_in(at(json, {"etimes", "iteration", "value"}));
    if (!values.is_object() || !group.is_string() || !iteration) return;
    auto time = number_in(at(json, {"meta", "time"})).value_or(0) / 1000;
    for (const auto& [name, value] : values.items())
      if (auto v = number_in(at(value, {"value"}))) add(group, name, {*iteration, time, *v});
  });
}

void Metrics::read_log(std::string_view text) {
  double time = 0;
  each_line(text, [&](std::string_view line) {
    if (line.starts_with("Timestamp "))
      time = leading_number(after(line, "Timestamp ")).value_or(0) / 1000;
    if (!line.starts_with("Iteration ")) return;
    auto iteration = leading_number(after(line, "Iteration "));
    auto tag = after(line, "tag "), value = after(line, "simple_value ");
    auto bar = tag.find('_');
    auto v = leading_number(value);
    if (!iteration || bar == tag.npos || !v) return;
    add(std::string(tag.substr(0, bar)), std::string(tag.substr(bar + 1)), {*iteration, time, *v});
  });
}

void Metrics::read_results(const std::string& text) {
  auto list = json_or_null<SortedJson>(text);
  if (!list.is_array()) return;
  double row = 0;
  for (const auto& item : list) {
    ++row;
    if (!item.is_object()) continue;
    auto step = number_in(at(item, {"step"}));
    if (!step) step = number_in(at(item, {"steps"}));
    for (const auto& [name, value] : item.items())
      if (auto v = number_in(value); v && name != "step" && name != "steps")
        add("test", name, {step.value_or(row), 0, *v});
  }
}

namespace {

using Series = std::vector<MetricPoint>;

bool is_one_of(const std::pair<std::string, std::string>& key, std::span<const std::string> names) {
  return std::find(names.begin(), names.end(), key.first + " " + key.second) != names.end();
}

double grid_width(std::span<const Metrics> jobs, std::span<const std::string> names,
                  std::size_t most) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const auto& job : jobs)
    for (const auto& [key, points] : job.series()) {
      if (!is_one_of(key, names)) continue;
      for (const auto& point : points) {
        low = std::min(low, point.iteration);
        high = std::max(high, point.iteration);
      }
    }
  if (!(high > low) || most == 0) return 1;
  return std::exp2(std::ceil(std::log2((high - low) / static_cast<double>(most))));
}

SortedJson on_grid(Series points, double width) {
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.iteration < b.iteration; });
  SortedJson list = SortedJson::array();
  for (std::size_t from = 0, to = 0; from < points.size(); from = to) {
    auto bucket = std::floor(points[from].iteration / width);
    while (to < points.size() && std::floor(points[to].iteration / width) == bucket) ++to;
    auto point = folded(points.data() + from, points.data() + to);
    point[0] = bucket * width;
    point.push_back(to - from);
    list.push_back(std::move(point));
  }
  return list;
}

}  // namespace

std::string compared_json(std::span<const Metrics> jobs, std::span<const std::string> names,
                          std::size_t most) {
  auto width = grid_width(jobs, names, most);
  SortedJson list = SortedJson::array();
  for (const auto& job : jobs) {
    SortedJson series = SortedJson::array();
    for (const auto& [key, points] : job.series())
      if (is_one_of(key, names))
        series.push_back({{"group", key.first},
                          {"name", key.second},
                          {"count", points.size()},
                          {"points", on_grid(points, width)}});
    list.push_back({{"series", std::move(series)}});
  }
  return wm::to_text(SortedJson{{"width", width}, {"runs", std::move(list)}});
}

std::string Metrics::json(std::size_t most) const {
  SortedJson list = SortedJson::array();
  for (const auto& [key, points] : series_)
    list.push_back({{"group", key.first},
                    {"name", key.second},
                    {"count", points.size()},
                    {"points", points_of(points, most)}});
  return wm::to_text(SortedJson{{"series", list}});
}

}  // namespace wm::rest
