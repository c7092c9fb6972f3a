// Role: shapes in words, and the OpenAPI document that is made of them.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "libwm/rest/api_shapes.h"
#include "libwm/rest/openapi.h"
#include "libwm/rest/shape_words.h"

namespace wm::rest {
namespace {

using nlohmann::json;

TEST(shapes, words_are_schemas) {
  auto made = schema_of("name:s age?:n? state:=on|off rows:[row] labels:{s} best:trial? more:any");
  EXPECT_EQ(made["required"], (json{"name", "state", "rows", "labels", "best", "more"}));
  const auto& fields = made["properties"];
  EXPECT_EQ(fields["name"], (json{{"type", "string"}}));
  EXPECT_EQ(fields["age"], (json{{"type", "number"}, {"nullable", true}}));
  EXPECT_EQ(fields["state"]["enum"], (json{"on", "off"}));
  EXPECT_EQ(fields["rows"]["items"]["$ref"], "#/components/schemas/row");
  EXPECT_EQ(fields["labels"]["additionalProperties"]["type"], "string");
  EXPECT_EQ(fields["best"]["allOf"][0]["$ref"], "#/components/schemas/trial");
  EXPECT_EQ(fields["best"]["nullable"], true);
  EXPECT_FALSE(fields["more"].contains("type"));
  EXPECT_EQ(schema_of("s"), (json{{"type", "string"}}));
}

TEST(shapes, every_operation_is_named_once_and_every_shape_is_there) {
  std::set<std::string_view> operations;
  for (const auto& shape : api_shapes()) {
    EXPECT_TRUE(operations.insert(shape.operation).second) << shape.operation;
    auto blank = shape.operation.find(' ');
    RouteDoc route{shape.operation.substr(0, blank), shape.operation.substr(blank + 1), "",
                   shape.answer.empty() ? "project" : "", ""};
    EXPECT_EQ(unknown_shape({&route, 1}, {{"job_row", "{}"}}), "") << shape.operation;
  }
}

TEST(shapes, a_document_says_what_is_sent_and_what_nothing_is) {
  const RouteDoc routes[] = {
      {"POST", "/api/v1/projects", "", "project", ""},
      {"POST", "/api/v1/notebooks/{id}/stop", "", "", ""},
      {"POST", "/api/v1/projects/{project}/definitions", "", "definition", ""},
      {"GET", "/api/v1/stream", "", "", ""}};
  auto paths = json::parse(openapi_json(routes, "1", {}))["paths"];
  auto body = paths["/api/v1/projects"]["post"]["requestBody"]["content"]["application/json"];
  EXPECT_EQ(body["schema"]["$ref"], "#/components/schemas/project_words");
  const auto& act = paths["/api/v1/notebooks/{id}/stop"]["post"];
  EXPECT_EQ(act["x-no-body"], true);
  EXPECT_FALSE(act["responses"]["2XX"].contains("content"));
  EXPECT_TRUE(
      paths["/api/v1/projects/{project}/definitions"]["post"]["requestBody"]["content"].contains(
          "multipart/form-data"));
  EXPECT_TRUE(
      paths["/api/v1/stream"]["get"]["responses"]["2XX"]["content"].contains("text/event-stream"));
}

}  // namespace
}  // namespace wm::rest
