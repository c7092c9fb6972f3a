// The rows of /platform/rest/deeplearning/v1 that are about executions.
#include <algorithm>
#include <charconv>
#include <climits>

#include "daemons/wuserd/catalog/catalog.h"
#include "daemons/wuserd/data/staging.h"
#include "daemons/wuserd/execs/end.h"
#include "daemons/wuserd/execs/exec_start.h"
#include "daemons/wuserd/execs/routes.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/jobs/outputs.h"
#include "daemons/wuserd/site/reply.h"
#include "daemons/wuserd/site/site.h"
#include "libwm/rest/app_query.h"
#include "libwm/rest/exec_outcome.h"
#include "libwm/rest/frameworks.h"

namespace wm::user {
namespace {

std::string exec_json_of(const Call& call, const JobView& exec) {
  return rest::exec_json(exec, call.site.conf.name, why_no_data(call.site, exec));
}

// ?state=A,B: empty takes all.
bool has_state(const JobView& exec, const std::string& states) {
  if (states.empty()) return true;
  auto state = "," + std::string(rest::exec_state(*exec.job)) + ",";
  return ("," + states + ",").find(state) != std::string::npos;
}

Result<std::size_t> limit_of(const std::string& text) {
  if (text.empty()) return static_cast<std::size_t>(INT_MAX);
  std::size_t limit = 0;
  auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (ec != std::errc() || end != text.data() + text.size())
    return fail(Code::BadArgument, "limit: a number is wanted");
  return limit;
}

Result<Answer> list_execs(Call& call) {
  WM_TRY(auto limit, limit_of(call.target.value("limit")));
  RunQuery query;
  query.oldest_first = call.target.value("sort_by") == "id:asc";
  auto states = call.target.value("state");
  if (rest::is_of_live_alone(states)) query.states = live_states();
  std::vector<std::string> items;
  if (limit > 0)
    WM_TRY(each_exec(call.site, query, [&](const JobView& exec) {
      if (has_state(exec, states)) items.push_back(exec_json_of(call, exec));
      return items.size() < limit;
    }));
  // Those that were refused have ids of their own, and come last.
  bool errors = states.empty() || ("," + states + ",").find(",ERROR,") != std::string::npos;
  if (errors)
    for (auto& text : call.site.refused.all())
      if (items.size() < limit) items.push_back(std::move(text));
  return json_reply(rest::list_json(items));
}

Result<Answer> begin_exec(Call& call) {
  WM_TRY(auto exec, start_exec(call));
  return json_reply(exec_json_of(call, exec));
}

Result<Answer> show_exec(Call& call) {
  if (call.site.refused.is_one(call.args[0])) {
    WM_TRY(auto text, call.site.refused.find(call.args[0]));
    return json_reply(text);
  }
  WM_TRY(auto exec, find_exec(call.site, call.args[0]));
  return json_reply(exec_json_of(call, exec));
}

Result<Answer> end_exec(Call& call) {
  WM_TRY(auto exec, find_exec(call.site, call.args[0]));
  if (is_over(exec.job->state))
    return fail(Code::Conflict, "execution " + call.args[0] + " has ended already");
  WM_TRY(stop_exec(call.site, exec));
  return done();
}

Result<Answer> remove_exec(Call& call) {
  if (call.site.refused.is_one(call.args[0])) {
    WM_TRY(call.site.refused.remove(call.args[0]));
    return done();
  }
  WM_TRY(auto exec, find_exec(call.site, call.args[0]));
  WM_TRY(delete_exec(call.site, exec));
  return done();
}

Result<Answer> remove_execs(Call& call) {
  WM_TRY(auto execs, all_execs(call.site));
  for (const auto& exec : execs)
    if (!is_over(exec.job->state)) WM_TRY(stop_exec(call.site, exec));
  for (const auto& exec : execs) WM_TRY(delete_exec(call.site, exec));
  call.site.refused.remove_all();
  return done();
}

Result<Answer> exec_log(Call& call) {
  if (call.site.refused.is_one(call.args[0])) {
    WM_TRY(auto why, call.site.refused.reason(call.args[0]));
    return Answer(log_reply(call.exchange.head(), why + "\n"));
  }
  WM_TRY(auto exec, find_exec(call.site, call.args[0]));
  WM_TRY(send_logs(call, exec, call.target.value("logType")));
  return Answer();
}

Result<Answer> exec_result(Call& call) {
  WM_TRY(auto exec, find_exec(call.site, call.args[0]));
  WM_TRY(send_results(call, exec));
  return Answer();
}

// Clients ask this before everything else.
Result<Answer> conf(Call&) { return json_reply(R"({"MSD_ENABLED":"true"})"); }

Result<Answer> status(Call& call) {
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->ask(PingRequest{}));
  return json_reply("{\"status\":\"OK\",\"cluster\":" + rest::json_text(reply.cluster) +
                    ",\"master\":" + rest::json_text(reply.master) +
                    ",\"version\":" + rest::json_text(reply.version) + "}");
}

}  // namespace

#define DL "/platform/rest/deeplearning/v1"
const std::vector<Route>& exec_routes() {
  static const std::vector<Route> routes{
      {"GET", DL "/conf", conf, "What clients ask first", "conf"},
      {"GET", DL "/status", status, "Does the master answer", "status"},
      {"GET", DL "/execs", list_execs, "Executions, the newest first", "[exec]",
       "limit state sort_by"},
      {"POST", DL "/execs", begin_exec, "Starts one: fields file and data", "exec", "args"},
      {"DELETE", DL "/execs", remove_execs},
      {"GET", DL "/execs/{id}", show_exec, "One execution", "exec"},
      {"DELETE", DL "/execs/{id}", remove_exec},
      {"POST", DL "/execs/{id}/stop", end_exec},
      {"GET", DL "/execs/{id}/log", exec_log, "Output of its workers", "text", "logType args"},
      {"GET", DL "/execs/{id}/result", exec_result, "Zip of its results"},
  };
  return routes;
}

}  // namespace wm::user
