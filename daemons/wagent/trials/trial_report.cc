#include "daemons/wagent/trials/trial_report.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "libwm/model/event.h"

namespace wm::wagent {
namespace {

using Json = nlohmann::json;

struct Metric {
  double latest = 0, least = 0, greatest = 0;
};
using Metrics = std::map<std::string, Metric>;

Json parsed(std::string_view text) { return Json::parse(text, nullptr, false); }

Json value_in(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  auto at = object.find(key);
  return at == object.end() ? Json() : *at;
}

// emetrics writes numbers as texts; whether they were is said beside them.
Json plain(const Json& entry) {
  auto value = value_in(entry, "value");
  bool number = value_in(entry, "type").is_number() && value.is_string();
  return number ? parsed(value.get<std::string>()) : value;
}

void note(Metrics& metrics, const std::string& name, const Json& value) {
  double x = value.is_number() ? value.get<double>() : NAN;
  if (!std::isfinite(x)) return;
  auto [it, is_new] = metrics.try_emplace(name, Metric{x, x, x});
  Metric& metric = it->second;
  if (!is_new) metric = {x, std::min(metric.least, x), std::max(metric.greatest, x)};
}

Metrics of_list(std::string_view text) {
  Metrics metrics;
  auto list = parsed(text);
  if (!list.is_array()) return metrics;
  for (const auto& step : list)
    if (step.is_object())
      for (const auto& [name, value] : step.items()) note(metrics, name, value);
  return metrics;
}

// {"etimes":{"iteration":{"type":2,"value":"4"}},"values":{"loss":{"type":3,"value":"0.2"}}}
void add_line(Metrics& metrics, std::string_view text) {
  auto line = parsed(text);
  note(metrics, "iteration", plain(value_in(value_in(line, "etimes"), "iteration")));
  auto values = value_in(line, "values");
  if (!values.is_object()) return;
  for (const auto& [name, value] : values.items()) note(metrics, name, plain(value));
}

// The writer may be in the middle of the last.
Metrics of_lines(std::string_view text) {
  Metrics metrics;
  for (auto end = text.find('\n'); end != text.npos; end = text.find('\n')) {
    add_line(metrics, text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return metrics;
}

}  // namespace

std::string report_of(std::string_view val_dicts, std::string_view emetrics) {
  auto metrics = of_list(val_dicts);
  metrics.merge(of_lines(emetrics));
  if (metrics.empty()) return "";
  Json report;
  for (const auto& [name, m] : metrics)
    report[name] = {{"latest", m.latest}, {"min", m.least}, {"max", m.greatest}};
  auto text = report.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > kMaxReport ? "" : text;
}

}  // namespace wm::wagent
