#include "libwm/rest/metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>

#include "libwm/base/json.h"
#include "libwm/rest/json_text.h"

namespace wm::rest {
namespace {

// The last may still be being written. @return where it begins
template <class Take>
std::size_t each_line(std::string_view text, const Take& take) {
  std::size_t from = 0;
  for (auto end = text.find('\n'); end != text.npos; end = text.find('\n', from)) {
    take(text.substr(from, end - from));
    from = end + 1;
  }
  return from;
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
  double sum = 0, least = HUGE_VAL, most = -HUGE_VAL, count = 0;
  for (auto* p = first; p != end; ++p) {
    const auto values = p->count == 0 ? 1.0 : static_cast<double>(p->count);
    sum += p->value * values;
    count += values;
    least = std::min(least, p->count == 0 ? p->value : p->least);
    most = std::max(most, p->count == 0 ? p->value : p->most);
  }
  const auto& last = *(end - 1);
  return {last.iteration, last.time_s, sum / count, least, most};
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

// Only what is finite.
MetricSink finite(const MetricSink& sink) {
  return [&sink](const MetricName& name, const MetricPoint& point) {
    if (std::isfinite(point.value) && std::isfinite(point.iteration)) sink(name, point);
  };
}

}  // namespace

std::size_t each_emetric(std::string_view text, const MetricSink& sink) {
  auto tell = finite(sink);
  return each_line(text, [&](std::string_view line) {
    auto json = json_or_null<SortedJson>(line);
    const auto& values = at(json, {"values"});
    auto group = at(json, {"grouplabel"});
    auto iteration = number_in(at(json, {"etimes", "iteration", "value"}));
    if (!values.is_object() || !group.is_string() || !iteration) return;
    auto time = number_in(at(json, {"meta", "time"})).value_or(0) / 1000;
    for (const auto& [name, value] : values.items())
      if (auto v = number_in(at(value, {"value"}))) tell({group, name}, {*iteration, time, *v});
  });
}

// A value's time stands in a line before it: a part of a file ends before that line.
std::size_t each_step(std::string_view text, const MetricSink& sink) {
  auto tell = finite(sink);
  return each_line(text, [&](std::string_view line) {
    std::array<double, 6> row{};  // as the file's first line names them; that one has no numbers
    for (auto& cell : row) {
      auto comma = line.find(',');
      auto value = leading_number(line.substr(0, comma));
      if (!value) return;
      cell = *value;
      line.remove_prefix(comma == line.npos ? line.size() : comma + 1);
    }
    auto [step, epoch, world, samples, begin, end] = row;
    tell({kSteps, "seconds"}, {step, 0, (end - begin) / 1e9});
    tell({kSteps, "samples"}, {step, 0, samples});
    tell({kSteps, "world"}, {step, 0, world});
  });
}

std::size_t each_logged(std::string_view text, const MetricSink& sink) {
  auto tell = finite(sink);
  double time = 0;
  bool is_time = false;
  std::size_t of_time = 0;
  auto end = each_line(text, [&](std::string_view line) {
    is_time = line.starts_with("Timestamp ");
    if (is_time) {
      of_time = static_cast<std::size_t>(line.data() - text.data());
      time = leading_number(after(line, "Timestamp ")).value_or(0) / 1000;
    }
    if (!line.starts_with("Iteration ")) return;
    auto iteration = leading_number(after(line, "Iteration "));
    auto tag = after(line, "tag "), value = after(line, "simple_value ");
    auto bar = tag.find('_');
    auto v = leading_number(value);
    if (!iteration || bar == tag.npos || !v) return;
    tell({std::string(tag.substr(0, bar)), std::string(tag.substr(bar + 1))},
         {*iteration, time, *v});
  });
  return is_time ? of_time : end;
}

void each_result(const std::string& text, const MetricSink& sink) {
  auto tell = finite(sink);
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
        tell({"test", name}, {step.value_or(row), 0, *v});
  }
}

void Metrics::add(const MetricName& name, const MetricPoint& point) {
  if (series_.size() >= kMostSeries && !series_.contains(name)) return;
  auto& [points, summary] = series_[name];
  points.push_back(point);
  if (summary.count++ == 0) summary.least = summary.most = point.value;
  summary.last = point.value;
  summary.least = std::min(summary.least, point.value);
  summary.most = std::max(summary.most, point.value);
}

void Metrics::put(const MetricName& name, std::vector<MetricPoint> points,
                  const MetricSummary& summary) {
  series_[name] = {std::move(points), summary};
}

namespace {

double grid_width(std::span<const Metrics> jobs, std::size_t most) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const auto& job : jobs)
    for (const auto& [name, one] : job.series())
      for (const auto& point : one.points) {
        low = std::min(low, point.iteration);
        high = std::max(high, point.iteration);
      }
  if (!(high > low) || most == 0) return 1;
  return std::exp2(std::ceil(std::log2((high - low) / static_cast<double>(most))));
}

std::uint64_t values_in(const MetricPoint* first, const MetricPoint* end) {
  std::uint64_t count = 0;
  for (auto* p = first; p != end; ++p) count += p->count == 0 ? 1 : p->count;
  return count;
}

SortedJson on_grid(std::vector<MetricPoint> points, double width) {
  std::stable_sort(points.begin(), points.end(),
                   [](const auto& a, const auto& b) { return a.iteration < b.iteration; });
  SortedJson list = SortedJson::array();
  for (std::size_t from = 0, to = 0; from < points.size(); from = to) {
    auto bucket = std::floor(points[from].iteration / width);
    while (to < points.size() && std::floor(points[to].iteration / width) == bucket) ++to;
    auto point = folded(points.data() + from, points.data() + to);
    point[0] = bucket * width;
    point.push_back(values_in(points.data() + from, points.data() + to));
    list.push_back(std::move(point));
  }
  return list;
}

}  // namespace

std::string compared_json(std::span<const Metrics> jobs, std::size_t most) {
  auto width = grid_width(jobs, most);
  SortedJson list = SortedJson::array();
  for (const auto& job : jobs) {
    SortedJson series = SortedJson::array();
    for (const auto& [name, one] : job.series())
      series.push_back({{"group", name.first},
                        {"name", name.second},
                        {"count", one.summary.count},
                        {"points", on_grid(one.points, width)}});
    list.push_back({{"series", std::move(series)}});
  }
  return wm::to_text(SortedJson{{"width", width}, {"runs", std::move(list)}});
}

std::string Metrics::json(std::size_t most) const {
  SortedJson list = SortedJson::array();
  for (const auto& [name, one] : series_)
    list.push_back({{"group", name.first},
                    {"name", name.second},
                    {"count", one.summary.count},
                    {"last", one.summary.last},
                    {"least", one.summary.least},
                    {"most", one.summary.most},
                    {"points", points_of(one.points, most)}});
  return wm::to_text(SortedJson{{"series", list}, {"behind", behind_}});
}

}  // namespace wm::rest
