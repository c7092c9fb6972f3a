// The rows of /api/v1 about data from elsewhere: connections, and how far a job's data is.
#include "daemons/wuserd/data/connections.h"
#include "daemons/wuserd/data/data_assets.h"
#include "daemons/wuserd/data/routes.h"
#include "daemons/wuserd/data/staging.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/site/keeping.h"
#include "daemons/wuserd/site/reply.h"

namespace wm::user {
namespace {

constexpr std::size_t kLongestConnection = 64 << 10;

Result<Answer> connections(Call& call) {
  WM_TRY(auto all, shown_connections(call.site));
  std::vector<std::string> items;
  for (const auto& connection : all) items.push_back(connection.json);
  return json_reply("{\"connections\":" + rest::list_json(items) + "}");
}

Answer connection_reply(const ShownConnection& shown, int status = 200) {
  auto reply = json_reply(shown.json, status);
  reply->fields.emplace_back("ETag", tag_of(shown.version));
  return reply;
}

Result<Answer> make_connection(Call& call) {
  WM_TRY(auto body, http::read_body(call.exchange, kLongestConnection));
  if (!call.args.empty()) {
    WM_TRY(body, with_name(body, call.args[0]));
  }
  WM_TRY(auto named, rest::parse_connection(body));
  WM_TRY(auto keeping, keeping_of(call, "/api/v1/connections/" + named.name));
  WM_TRY(auto kept, keep_connection(call.site, body, keeping));
  return connection_reply(kept, 201);
}

Result<Answer> show_connection(Call& call) {
  auto version = call.args.size() > 1 ? call.args[1] : "";
  WM_TRY(auto shown, shown_connection(call.site, call.args[0], version));
  return connection_reply(shown);
}

Result<Answer> versions_of_connection(Call& call) {
  WM_TRY(auto text, connection_versions(call.site, call.args[0]));
  return json_reply(text);
}

Result<Answer> take_back(Call& call) {
  auto match = std::string(call.exchange.head().field("if-match"));
  WM_TRY(auto shown, take_connection_back(call.site, call.args[0], match));
  return connection_reply(shown);
}

Result<Answer> drop_version(Call& call) {
  WM_TRY(remove_connection_version(call.site, call.args[0], call.args[1]));
  return Answer(http::Reply{204, {}, ""});
}

// What something of this user's needs stays.
Result<Answer> drop_connection(Call& call) {
  if (auto user = user_of_connection(call.site, call.args[0]); !user.empty())
    return fail(Code::Conflict, "connection " + call.args[0] + " is used by data asset " + user);
  if (auto project = project_with_connection(call.site, call.args[0]); !project.empty())
    return fail(Code::Conflict,
                "connection " + call.args[0] + " is for members of project " + project);
  WM_TRY(remove_connection(call.site, call.args[0]));
  return Answer(http::Reply{204, {}, ""});
}

Result<Answer> test(Call& call) {
  WM_TRY(test_connection(call.site, call.args[0]));
  return Answer(http::Reply{204, {}, ""});
}

Result<Answer> data(Call& call) {
  WM_TRY(auto view, find_own_job(call.site, call.args[0]));
  WM_TRY(auto text, data_json(call.site, view));
  return json_reply("{\"data\":" + text + "}");
}

}  // namespace

#define API "/api/v1"
#define CONNECTION API "/connections/{name}"
const std::vector<Route>& data_routes() {
  static const std::vector<Route> routes{
      {"GET", API "/connections", connections, "Connections of one's own, without their secrets",
       "connections"},
      {"POST", API "/connections", make_connection, "Makes one", "connection"},
      {"GET", CONNECTION, show_connection, "One, without its secrets; ETag is for If-Match",
       "connection"},
      {"PUT", CONNECTION, make_connection,
       "Makes the next version of one; a secret of *** stays as it was", "connection"},
      {"GET", CONNECTION "/versions", versions_of_connection, "All of its versions, present first"},
      {"GET", CONNECTION "/versions/{version}", show_connection, "One of them", "connection"},
      {"DELETE", CONNECTION "/versions/{version}", drop_version, "Takes one of them away"},
      {"POST", CONNECTION "/rollback", take_back, "The version before is the present one",
       "connection"},
      {"DELETE", API "/connections/{name}", drop_connection},
      {"POST", API "/connections/{name}/test", test, "Can it be used: the server's own words"},
      {"GET", API "/jobs/{id}/data", data, "How far the data that it waits for is", "data"},
  };
  return routes;
}

}  // namespace wm::user
