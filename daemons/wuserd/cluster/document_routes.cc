// GET /api/v1/openapi.json: the interface's own description, made of the routes that answer.
#include "daemons/wuserd/cluster/routes.h"
#include "daemons/wuserd/site/reply.h"
#include "daemons/wuserd/site/site.h"
#include "libwm/rest/openapi.h"
#include "libwm/view/json.h"

namespace wm::user {
namespace {

Result<Answer> document(Call&) { return json_reply(openapi_document()); }

}  // namespace

std::string openapi_document() {
  std::vector<rest::RouteDoc> docs;
  for (const auto* table : all_routes())
    for (const auto& route : *table)
      docs.push_back({route.method, route.pattern, route.summary, route.shape, route.query});
  return rest::openapi_json(docs, WM_VERSION,
                            {{"job_row", view::job_schema(view::Detail::Brief)},
                             {"job_full", view::job_schema(view::Detail::Full)}});
}

const std::vector<Route>& document_routes() {
  static const std::vector<Route> routes{
      {"GET", "/api/v1/openapi.json", document, "This document", "document"}};
  return routes;
}

}  // namespace wm::user
