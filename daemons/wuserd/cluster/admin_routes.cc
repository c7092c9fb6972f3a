// The rows of /api/v1 with which administrators act on hosts and queues. The master judges who is
// one, and keeps the record of acts.
#include "daemons/wuserd/cluster/routes.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/reply.h"

namespace wm::user {
namespace {

struct ActWord {
  std::string_view noun, verb;
  AdminRequest::Act act;
};
constexpr ActWord kActWords[] = {
    {"host", "close", AdminRequest::Act::HostClose},
    {"host", "open", AdminRequest::Act::HostOpen},
    {"queue", "close", AdminRequest::Act::QueueClose},
    {"queue", "open", AdminRequest::Act::QueueOpen},
    {"queue", "inactivate", AdminRequest::Act::QueueInactivate},
    {"queue", "activate", AdminRequest::Act::QueueActivate},
};

Result<AdminRequest::Act> act_named(std::string_view noun, const std::string& verb) {
  std::string words;
  for (const auto& row : kActWords) {
    if (row.noun != noun) continue;
    if (row.verb == verb) return row.act;
    words += (words.empty() ? "" : ", ") + std::string(row.verb);
  }
  return fail(Code::BadArgument, "'" + verb.substr(0, 64) + "': " + words + " is wanted");
}

// Whether what can go on elsewhere does. @errors BadArgument: no true or false, or of no close
Result<bool> drain_in(const Json& json, AdminRequest::Act act) {
  auto asked = json.find("drain");
  if (asked == json.end()) return false;
  if (!asked->is_boolean()) return fail(Code::BadArgument, "drain: true or false is wanted");
  if (*asked && act != AdminRequest::Act::HostClose)
    return fail(Code::BadArgument, "drain: goes with the close of a host");
  return asked->get<bool>();
}

// Body: {"why": "…", "drain": true}. Answers with what was done, a line each.
Result<Answer> act_on(Call& call, std::string_view noun) {
  AdminRequest request;
  WM_TRY(request.act, act_named(noun, call.args[1]));
  WM_TRY(auto json, json_in(call));
  WM_TRY(request.why, text_in(json, "why"));
  WM_TRY(request.drain, drain_in(json, request.act));
  request.names = {call.args[0]};
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->ask(request));
  return json_reply(to_text(Json{{"lines", reply.lines}}));
}

Result<Answer> act_on_host(Call& call) { return act_on(call, "host"); }
Result<Answer> act_on_queue(Call& call) { return act_on(call, "queue"); }

}  // namespace

const std::vector<Route>& admin_routes() {
  static const std::vector<Route> routes{
      {"POST", "/api/v1/hosts/{name}/{verb}", act_on_host, "close (drain: services and elastic tasks move) or open, for administrators",
       "done_lines"},
      {"POST", "/api/v1/queues/{name}/{verb}", act_on_queue,
       "close, open, inactivate or activate, for administrators", "done_lines"},
  };
  return routes;
}

}  // namespace wm::user
