#include "daemons/wagent/trials/trial_report.h"

#include <nlohmann/json.hpp>

#include "libwm/model/event.h"

namespace wm::wagent {
namespace {

using Json = nlohmann::json;

Json parsed(std::string_view text) { return Json::parse(text, nullptr, false); }

void put(Json& report, const std::string& name, const Json& value) {
  if (value.is_number() || value.is_string() || value.is_boolean()) report[name] = value;
}

// The last line that is ended: the writer may be in the middle of the next.
std::string_view last_line(std::string_view text) {
  auto end = text.rfind('\n');
  if (end == std::string_view::npos) return {};
  text = text.substr(0, end);
  auto before = text.rfind('\n');
  return before == std::string_view::npos ? text : text.substr(before + 1);
}

// Numbers are written as texts with a type beside them: 2 whole, 3 not.
Json value_of(const Json& typed, const Json& value) {
  bool number = typed.is_number() || (typed.is_string() && typed != "");
  if (!number || !value.is_string()) return value;
  auto read = parsed(value.get<std::string>());
  return read.is_number() ? read : value;
}

// {"etimes":{"iteration":{"type":2,"value":"4"}},"values":{"loss":{"type":3,"value":"0.2"}}}
void add_emetrics(Json& report, std::string_view text) {
  auto line = parsed(last_line(text));
  if (!line.is_object()) return;
  auto value_in = [](const Json& object, const char* key) {
    auto at = object.is_object() ? object.find(key) : object.end();
    return at == object.end() ? Json() : *at;
  };
  auto typed = [&](const Json& entry) {
    return value_of(value_in(entry, "type"), value_in(entry, "value"));
  };
  put(report, "iteration", typed(value_in(value_in(line, "etimes"), "iteration")));
  auto values = value_in(line, "values");
  if (!values.is_object()) return;
  for (const auto& [name, value] : values.items()) put(report, name, typed(value));
}

void add_val_dicts(Json& report, std::string_view text) {
  auto list = parsed(text);
  if (!list.is_array() || list.empty() || !list.back().is_object()) return;
  for (const auto& [name, value] : list.back().items()) put(report, name, value);
}

}  // namespace

std::string newest_report(std::string_view val_dicts, std::string_view emetrics) {
  Json report = Json::object();
  add_emetrics(report, emetrics);
  add_val_dicts(report, val_dicts);
  if (report.empty()) return "";
  auto text = report.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > kMaxReport ? "" : text;
}

}  // namespace wm::wagent
