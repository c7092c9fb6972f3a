#include "libwm/rest/shape_words.h"

#include <nlohmann/json.hpp>
#include <sstream>

namespace wm::rest {
namespace {

using nlohmann::json;

json plain(std::string_view type) {
  if (type == "s") return {{"type", "string"}};
  if (type == "n") return {{"type", "number"}};
  if (type == "i") return {{"type", "integer"}};
  if (type == "b") return {{"type", "boolean"}};
  if (type == "any") return {{"description", "any value"}};
  return {{"$ref", "#/components/schemas/" + std::string(type)}};
}

json words_of(std::string_view list) {
  json all = json::array();
  std::istringstream words{std::string(list)};
  for (std::string word; std::getline(words, word, '|');) all.push_back(word);
  return {{"type", "string"}, {"enum", all}};
}

json type_of(std::string_view type) {
  if (type.ends_with('?')) {
    auto made = type_of(type.substr(0, type.size() - 1));
    if (made.contains("$ref")) made = {{"allOf", json::array({made})}};
    made["nullable"] = true;
    return made;
  }
  if (type.starts_with('['))
    return {{"type", "array"}, {"items", type_of(type.substr(1, type.size() - 2))}};
  if (type.starts_with('{'))
    return {{"type", "object"}, {"additionalProperties", type_of(type.substr(1, type.size() - 2))}};
  if (type.starts_with('=')) return words_of(type.substr(1));
  return plain(type);
}

}  // namespace

json schema_of(std::string_view words) {
  if (words.find(':') == words.npos) return type_of(words);
  json schema{{"type", "object"}, {"properties", json::object()}};
  std::istringstream fields{std::string(words)};
  for (std::string field; fields >> field;) {
    auto colon = field.find(':');
    auto name = field.substr(0, colon);
    bool optional = name.ends_with('?');
    if (optional) name.pop_back();
    else schema["required"].push_back(name);
    schema["properties"][name] = type_of(std::string_view(field).substr(colon + 1));
  }
  return schema;
}

}  // namespace wm::rest
