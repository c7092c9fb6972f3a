// The rows of /api/v1 about data from elsewhere: connections, and how far a job's data is.
#include "daemons/wuserd/data/data_assets.h"
#include "daemons/wuserd/data/routes.h"
#include "daemons/wuserd/data/staging.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/site/reply.h"

namespace wm::user {
namespace {

constexpr std::size_t kLongestConnection = 64 << 10;

Result<Answer> connections(Call& call) {
  WM_TRY(auto all, own_connections(call.site));
  std::vector<std::string> items;
  for (const auto& connection : all) items.push_back(rest::shown_json(connection));
  return json_reply("{\"connections\":" + rest::list_json(items) + "}");
}

Result<Answer> make_connection(Call& call) {
  WM_TRY(auto body, http::read_body(call.exchange, kLongestConnection));
  WM_TRY(auto connection, keep_connection(call.site, body));
  return json_reply(rest::shown_json(connection), 201);
}

Result<Answer> drop_connection(Call& call) {
  if (auto user = user_of_connection(call.site, call.args[0]); !user.empty())
    return fail(Code::Conflict, "connection " + call.args[0] + " is used by data asset " + user);
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
const std::vector<Route>& data_routes() {
  static const std::vector<Route> routes{
      {"GET", API "/connections", connections, "Connections of one's own, without their secrets",
       "connections"},
      {"POST", API "/connections", make_connection, "Makes or changes one", "connection"},
      {"DELETE", API "/connections/{name}", drop_connection},
      {"POST", API "/connections/{name}/test", test, "Can it be used: the server's own words"},
      {"GET", API "/jobs/{id}/data", data, "How far the data that it waits for is", "data"},
  };
  return routes;
}

}  // namespace wm::user
