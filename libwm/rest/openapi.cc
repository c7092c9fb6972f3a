#include "libwm/rest/openapi.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "libwm/base/json.h"
#include "libwm/rest/api_shapes.h"
#include "libwm/rest/json_text.h"
#include "libwm/rest/letters.h"

namespace wm::rest {
namespace {

// Shapes of answers. A field that may be absent is not required; what is not listed may be there.
constexpr const char* kSchemas = R"({
"problem": {"type": "object", "required": ["status", "title"],
  "properties": {"status": {"type": "integer"}, "title": {"type": "string"}}},
"session": {"type": "object", "required": ["user", "cluster", "version", "admin", "now"],
  "properties": {"user": {"type": "string"}, "cluster": {"type": "string"},
    "version": {"type": "string"}, "admin": {"type": "boolean"}, "now": {"type": "number"}}},
"audit": {"type": "object", "required": ["acts", "checked", "broken"],
  "properties": {"checked": {"type": "integer"}, "broken": {"type": "string"},
    "acts": {"type": "array", "items": {"type": "object", "required": ["number", "time", "by", "act", "objects", "why", "refused"],
      "properties": {"number": {"type": "integer"}, "time": {"type": "number"}, "by": {"type": "string"},
        "act": {"type": "string"}, "objects": {"type": "array", "items": {"type": "string"}},
        "why": {"type": "string"}, "refused": {"type": "string"}}}}}},
"jobs": {"type": "object", "required": ["now", "jobs"],
  "properties": {"now": {"type": "number"}, "jobs": {"type": "array", "items": {"$ref": "#/components/schemas/job_row"}},
    "next": {"type": "string"}}},
"job": {"type": "object", "required": ["now", "own", "exec_id", "exec", "groups", "job"],
  "properties": {"now": {"type": "number"}, "own": {"type": "boolean"}, "exec_id": {"type": "string"},
    "exec": {"type": "object", "nullable": true, "required": ["args", "framework", "bsub"],
      "properties": {"args": {"type": "string"}, "framework": {"type": "string"}, "bsub": {"type": "string"}}},
    "groups": {"type": "array", "items": {"type": "object", "required": ["jobid", "name"],
      "properties": {"jobid": {"type": "string"}, "name": {"type": "string"}}}},
    "job": {"$ref": "#/components/schemas/job_full"}}},
"run_row": {"type": "object", "required": ["id", "exec_id", "state", "kept", "own", "elements", "counts", "description", "note", "tags", "starred", "shelved", "etag"],
  "properties": {"id": {"type": "string"}, "exec_id": {"type": "string"}, "state": {"type": "string"},
    "kept": {"type": "boolean"}, "own": {"type": "boolean"}, "elements": {"type": "integer"}, "counts": {"type": "object", "additionalProperties": {"type": "integer"}},
    "description": {"type": "string"}, "note": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}},
    "starred": {"type": "boolean"}, "shelved": {"type": "boolean"}, "etag": {"type": "string"},
    "name": {"type": "string"}, "job_name": {"type": "string"}, "user": {"type": "string"}, "type": {"type": "string"},
    "app": {"type": "string"}, "plan": {"type": "string"}, "project": {"type": "string"}, "queue": {"type": "string"},
    "service": {"type": "string"}, "search": {"type": "boolean"}, "submit_time": {"type": "number", "nullable": true},
    "start_time": {"type": "number", "nullable": true}, "finish_time": {"type": "number", "nullable": true},
    "why": {"type": "string"}, "result_dir": {"type": "string"}, "args": {"type": "string"}, "framework": {"type": "string"},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "made_of": {"type": "object", "properties": {"project": {"type": "string"}, "experiment": {"type": "string"},
      "experiment_version": {"type": "string"}, "definition": {"type": "string"}, "definition_version": {"type": "string"},
      "package": {"type": "string"}}}}},
"runs": {"type": "object", "required": ["now", "runs"],
  "properties": {"now": {"type": "number"}, "runs": {"type": "array", "items": {"$ref": "#/components/schemas/run_row"}},
    "next": {"type": "string"}, "count": {"description": "a number, or 1000+"}}},
"compared": {"type": "object", "required": ["runs"],
  "properties": {"runs": {"type": "array", "items": {"allOf": [{"$ref": "#/components/schemas/run_row"},
    {"type": "object", "required": ["settings", "metrics", "extremes"],
      "properties": {"settings": {"type": "object", "additionalProperties": {"type": "string"}},
        "metrics": {"type": "object", "additionalProperties": {"type": "number"}},
        "extremes": {"type": "object", "additionalProperties":
          {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number"}}}}}]}}}},
"run": {"type": "object", "required": ["now", "files", "run", "parts"],
  "properties": {"now": {"type": "number"}, "files": {"type": "string", "enum": ["", "none", "there", "gone"]}, "run": {"$ref": "#/components/schemas/run_row"},
    "parts": {"type": "array", "items": {"$ref": "#/components/schemas/job_row"}}}},
"event": {"type": "object", "required": ["t", "event", "from", "to", "reason", "pause_ms", "steps_lost"],
  "properties": {"t": {"type": "number"}, "event": {"type": "string"}, "from": {"type": "integer"},
    "to": {"type": "integer"}, "reason": {"type": "string"}, "pause_ms": {"type": "number", "nullable": true},
    "steps_lost": {"type": "integer", "nullable": true}}},
"timeline": {"type": "object", "required": ["events"],
  "properties": {"events": {"type": "array", "items": {"$ref": "#/components/schemas/event"}}}},
"slots": {"type": "object", "required": ["now", "from", "capacity", "apps", "changes"],
  "properties": {"now": {"type": "number"}, "from": {"type": "number"}, "capacity": {"type": "integer"},
    "apps": {"type": "array", "items": {"type": "object", "required": ["id", "name", "user", "steps"],
      "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "user": {"type": "string"},
        "steps": {"type": "array", "items": {"type": "array", "minItems": 2, "maxItems": 2, "items": {"type": "number"}}}}}},
    "changes": {"type": "array", "items": {"$ref": "#/components/schemas/change"}}}},
"metrics": {"type": "object", "required": ["series", "behind"],
  "properties": {"behind": {"type": "integer"},
    "series": {"type": "array", "items": {"type": "object", "required": ["group", "name", "count", "last", "least", "most", "points"],
    "properties": {"group": {"type": "string"}, "name": {"type": "string"}, "count": {"type": "integer"},
      "last": {"type": "number"}, "least": {"type": "number"}, "most": {"type": "number"},
      "points": {"type": "array", "items": {"type": "array", "minItems": 5, "maxItems": 5, "items": {"type": "number"}}}}}}}},
"lines": {"type": "object", "required": ["bsub", "dlicmd"],
  "properties": {"bsub": {"type": "string"}, "dlicmd": {"type": "string"}}},
"framework": {"type": "object", "required": ["name", "desc", "deployMode", "hasTask0", "execMode", "appName", "exports",
    "numWorkers", "maxWorkers", "workerMemory", "backend", "frameworkVersion", "elastic", "origin", "available"],
  "properties": {"name": {"type": "string"}, "desc": {"type": "array", "items": {"type": "string"}},
    "frameworkVersion": {"type": "string"}, "elastic": {"type": "boolean"}, "origin": {"type": "string"},
    "execMode": {"type": "string", "enum": ["single", "distributed"]}, "appName": {"type": "string"},
    "exports": {"type": "object", "additionalProperties": {"type": "string"}}, "numWorkers": {"type": "integer"},
    "maxWorkers": {"type": "integer"}, "available": {"type": "boolean"}, "reason": {"type": "string"}}},
"frameworks": {"type": "object", "required": ["frameworks"],
  "properties": {"frameworks": {"type": "array", "items": {"$ref": "#/components/schemas/framework"}}}},
"runtime": {"type": "object", "required": ["packages"],
  "properties": {"packages": {"type": "array", "items": {"type": "object", "required": ["name", "version", "available"],
    "properties": {"name": {"type": "string"}, "version": {"type": "string"}, "available": {"type": "boolean"}}}}}},
"project": {"type": "object", "required": ["name", "description", "plan", "members"],
  "properties": {"name": {"type": "string"}, "description": {"type": "string"}, "plan": {"type": "string"},
    "members": {"type": "array", "items": {"$ref": "#/components/schemas/member"}}, "owner": {"type": "string"},
    "connections": {"type": "array", "items": {"type": "string"}},
    "role": {"type": "string", "enum": ["viewer", "editor", "admin", "owner"]}}},
"projects": {"type": "object", "required": ["projects", "away"],
  "properties": {"projects": {"type": "array", "items": {"$ref": "#/components/schemas/project"}},
    "away": {"type": "array", "items": {"type": "string"}}}},
"definitions": {"type": "object", "required": ["definitions"],
  "properties": {"definitions": {"type": "array", "items": {"$ref": "#/components/schemas/definition"}}}},
"experiments": {"type": "object", "required": ["experiments"],
  "properties": {"experiments": {"type": "array", "items": {"$ref": "#/components/schemas/experiment"}}}},
"conf": {"type": "object", "required": ["MSD_ENABLED"], "additionalProperties": {"type": "string"}},
"exec": {"type": "object", "required": ["id", "appId", "submissionId", "args", "creator", "state", "appName", "framework",
    "elastic", "numWorker", "createTime"],
  "properties": {"id": {"type": "string"}, "args": {"type": "string"}, "creator": {"type": "string"},
    "state": {"type": "string", "enum": ["SUBMITTED", "PENDING_CRD_SCHEDULER", "RUNNING", "FINISHED", "KILLED", "ERROR"]},
    "elastic": {"type": "boolean"}, "numWorker": {"type": "integer"}, "createTime": {"type": "string", "format": "date-time"},
    "error": {"type": "string"}}},
"app": {"type": "object", "required": ["id", "name", "consumer", "state", "submit_time", "tag", "type"],
  "properties": {"id": {"type": "string"}, "submit_time": {"type": "integer"}, "task12n_num": {"type": "integer"}}},
"connections": {"type": "object", "required": ["connections"],
  "properties": {"connections": {"type": "array", "items": {"$ref": "#/components/schemas/connection"}}}},
"text": {"type": "string"}
})";

Json schemas_of(const std::map<std::string, std::string>& more) {
  auto all = json_or_null(kSchemas);
  const auto in_words = api_schemas();
  for (const auto& [name, schema] : in_words.items()) all[name] = schema;
  for (const auto& [name, text] : more) all[name] = json_or_null(text);
  return all;
}

std::string_view name_of(std::string_view shape) {
  return shape.starts_with('[') ? shape.substr(1, shape.size() - 2) : shape;
}

Json reference(std::string_view name) {
  return {{"$ref", "#/components/schemas/" + std::string(name)}};
}

Json content_of(std::string_view shape) {
  if (shape.empty()) return {{"*/*", {{"schema", Json::object()}}}};
  if (shape == "bytes") return {{"*/*", {{"schema", {{"type", "string"}, {"format", "binary"}}}}}};
  if (shape == "text") return {{"text/plain", {{"schema", reference("text")}}}};
  if (shape == "events") return {{"text/event-stream", {{"schema", reference("stream_event")}}}};
  auto schema = reference(name_of(shape));
  if (shape.starts_with('[')) schema = {{"type", "array"}, {"items", schema}};
  return {{"application/json", {{"schema", schema}}}};
}

ApiShape shape_of(const RouteDoc& route) {
  auto name = std::string(route.method) + " " + std::string(route.pattern);
  for (const auto& shape : api_shapes())
    if (shape.operation == name)
      return {shape.operation, shape.body, shape.answer.empty() ? route.shape : shape.answer};
  return {"", "", route.shape};
}

Json answer_of(std::string_view shape) {
  if (shape == "none") return {{"description", "done"}};
  return {{"description", "what was asked for"}, {"content", content_of(shape)}};
}

void add_body(std::string_view shape, Json& operation) {
  if (shape.empty()) return;
  if (shape == "none") {
    operation["x-no-body"] = true;
    return;
  }
  auto kind = shape.starts_with("form_with_") ? "multipart/form-data" : "application/json";
  operation["requestBody"] = {{"required", true},
                              {"content", {{kind, {{"schema", reference(shape)}}}}}};
}

// "/jobs/{name...}" as "/jobs/{name}", with a parameter for each.
std::string path_of(std::string_view pattern, Json& parameters) {
  std::string path;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    if (pattern[at] != '{') {
      path += pattern[at];
      continue;
    }
    auto end = pattern.find('}', at);
    auto name = pattern.substr(at + 1, end - at - 1);
    if (name.ends_with("...")) name.remove_suffix(3);
    parameters.push_back(
        {{"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
    path += "{" + std::string(name) + "}";
    at = end;
  }
  return path;
}

Json operation_of(const RouteDoc& route, std::string_view path, Json parameters) {
  std::istringstream names{std::string(route.query)};
  for (std::string name; names >> name;)
    parameters.push_back({{"name", name}, {"in", "query"}, {"schema", {{"type", "string"}}}});
  auto shape = shape_of(route);
  bool ours = path.starts_with("/api/");
  Json refused{{"description", "refused, with the reason"}};
  refused["content"] = ours ? Json{{"application/problem+json", {{"schema", reference("problem")}}}}
                            : content_of("text");
  Json operation{{"summary", route.summary},
                 {"parameters", parameters},
                 {"responses",
                  {{"2XX", answer_of(shape.answer)},
                   {"401", {{"description", "log on first"}}},
                   {"default", std::move(refused)}}}};
  add_body(shape.body, operation);
  return operation;
}

}  // namespace

std::string openapi_json(std::span<const RouteDoc> routes, std::string_view version,
                         const std::map<std::string, std::string>& more) {
  Json paths = Json::object();
  for (const auto& route : routes) {
    Json parameters = Json::array();
    auto path = path_of(route.pattern, parameters);
    auto& operation = paths[path][lowered(route.method)];
    if (operation.is_null()) operation = operation_of(route, path, std::move(parameters));
  }
  Json document{{"openapi", "3.0.3"},
                {"info", {{"title", "WM"}, {"version", version}}},
                {"paths", std::move(paths)},
                {"components",
                 {{"schemas", schemas_of(more)},
                  {"securitySchemes",
                   {{"token", {{"type", "http"}, {"scheme", "bearer"}, {"bearerFormat", "JWT"}}},
                    {"password", {{"type", "http"}, {"scheme", "basic"}}}}}}},
                {"security", {{{"token", Json::array()}}, {{"password", Json::array()}}}}};
  return wm::to_text(document);
}

std::string unknown_shape(std::span<const RouteDoc> routes,
                          const std::map<std::string, std::string>& more) {
  auto schemas = schemas_of(more);
  for (const auto& route : routes) {
    auto shape = shape_of(route);
    for (auto said : {shape.answer, shape.body}) {
      std::string name(name_of(said));
      bool special = name == "none" || name == "bytes" || name == "events";
      if (!name.empty() && !special && !schemas.contains(name)) return name;
    }
  }
  return "";
}

}  // namespace wm::rest
