#include "libwm/serve/model.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>

#include "libwm/base/json.h"

namespace wm::serve {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

Error bad_model(std::string_view key, std::string_view rule) {
  return fail(Code::BadArgument, "model.json: " + std::string(key) + ": " + std::string(rule));
}

Result<std::string> text_at(const Json& json, const char* key, const std::string& otherwise) {
  auto found = json.find(key);
  if (found == json.end() || found->is_null()) return otherwise;
  if (!found->is_string()) return bad_model(key, "a text is wanted");
  return found->get<std::string>();
}

Result<Pairs> pairs_at(const Json& json, const char* key, const char* name) {
  Pairs pairs;
  auto found = json.find(key);
  if (found == json.end() || found->is_null()) return pairs;
  if (!found->is_array()) return bad_model(key, "a list is wanted");
  for (const auto& entry : *found) {
    bool fine = entry.is_object() && entry.contains(name) && entry[name].is_string() &&
                entry.contains("value") && entry["value"].is_string();
    if (!fine)
      return bad_model(key, "objects of \"" + std::string(name) + "\" and \"value\" are wanted");
    pairs.emplace_back(entry[name].get<std::string>(), entry["value"].get<std::string>());
  }
  return pairs;
}

bool is_inner_path(std::string_view path) {
  if (path.empty() || path.starts_with('/') || path.size() > 1000) return false;
  for (std::size_t at = 0; at <= path.size();) {
    auto end = std::min(path.find('/', at), path.size());
    if (path.substr(at, end - at) == "..") return false;
    at = end + 1;
  }
  return std::all_of(path.begin(), path.end(), [](char c) { return c >= ' ' && c != '\''; });
}

bool is_variable(std::string_view name) {
  return !name.empty() && !is_digit(name[0]) && std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '_';
  });
}

}  // namespace

bool is_service_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || !(is_letter(name[0]) || is_digit(name[0]))) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return is_letter(c) || is_digit(c) || c == '_' || c == '-' || c == '.';
  });
}

Result<std::pair<std::string, std::string>> read_variable(const std::string& json) {
  auto entry = json_or_null(json);
  bool fine = entry.is_object() && entry.contains("name") && entry["name"].is_string() &&
              entry.contains("value") && entry["value"].is_string();
  if (!fine) return fail(Code::BadArgument, "objects of \"name\" and \"value\" are wanted");
  auto name = entry["name"].get<std::string>(), value = entry["value"].get<std::string>();
  if (!is_variable(name) || value.find('\0') != value.npos)
    return fail(Code::BadArgument, "'" + name + "' is no name of a variable");
  return std::pair(name, value);
}

Result<Model> read_model(std::string_view text) {
  auto json = json_or_null(text);
  if (!json.is_object()) return fail(Code::BadArgument, "model.json: a JSON object is wanted");
  Model model;
  WM_TRY(model.name, text_at(json, "name", ""));
  WM_TRY(model.kernel_path, text_at(json, "kernel_path", "kernel.py"));
  WM_TRY(model.runtime, text_at(json, "runtime", "python"));
  WM_TRY(model.weight_path, text_at(json, "weight_path", "N/A"));
  WM_TRY(model.tag, text_at(json, "tag", ""));
  WM_TRY(model.model_path, text_at(json, "model_path", ""));
  WM_TRY(model.framework, text_at(json, "framework", ""));
  WM_TRY(model.attributes, pairs_at(json, "attributes", "key"));
  WM_TRY(model.environments, pairs_at(json, "mk_environments", "name"));
  if (!is_service_name(model.name))
    return bad_model(
        "name", "'" + model.name + "': letters, digits, '_', '-' and '.' are wanted, at most 64");
  if (!is_inner_path(model.kernel_path))
    return bad_model("kernel_path", "'" + model.kernel_path + "': a file of the package is wanted");
  if (!is_service_name(model.runtime))
    return bad_model("runtime", "'" + model.runtime + "': the name of a runtime is wanted");
  for (const auto& [name, value] : model.environments)
    if (!is_variable(name) || value.find('\0') != value.npos)
      return bad_model("mk_environments", "'" + name + "' is no name of a variable");
  model.text = std::string(text);
  return model;
}

std::string date_text(WallTime when) {
  using namespace std::chrono;
  constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  auto day = floor<days>(when);
  year_month_day date(day);
  hh_mm_ss clock(floor<seconds>(when - day));
  auto two = [](auto n, char fill) {
    auto text = std::to_string(n);
    return text.size() < 2 ? fill + text : text;
  };
  return std::string(kDays[weekday(day).c_encoding()]) + " " +
         kMonths[static_cast<unsigned>(date.month()) - 1] + " " +
         two(static_cast<unsigned>(date.day()), ' ') + " " + two(clock.hours().count(), '0') + ":" +
         two(clock.minutes().count(), '0') + ":" + two(clock.seconds().count(), '0') + " " +
         std::to_string(static_cast<int>(date.year())) + " GMT";
}

}  // namespace wm::serve
