// The rows of /api/v1 about what was used and what may be: accounting's sums, budgets, limits.
#include "daemons/wuserd/cluster/routes.h"
#include "daemons/wuserd/site/reply.h"
#include "libwm/base/clock.h"
#include "libwm/conf/load.h"
#include "libwm/model/verbs/acct.h"
#include "libwm/rest/usage_json.h"
#include "libwm/view/json.h"
#include "libwm/view/tally.h"

namespace wm::user {
namespace {

Result<Answer> usage(Call& call) {
  WM_TRY(auto asked, rest::usage_asked(call.target));
  auto now = wall_now();
  auto days = rest::usage_days(asked.days, now);
  AcctRequest request;
  request.jobs.user = "all";
  request.jobs.finished = true;
  request.ended_from = days.front();
  request.sums = asked.by;
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto names, master->ask(request));
  request.sums = AcctBy::Month;
  request.months = days;
  WM_TRY(auto by_day, master->ask(request));
  return json_reply(rest::usage_json(asked, days, now, names.sums, by_day.sums));
}

Result<Answer> budgets(Call& call) {
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->ask(BudgetsRequest{}));
  return json_reply("{\"budgets\":" + view::budgets_json(reply.budgets) + "}");
}

// As blimits, of the configuration that wuserd reads.
Result<Answer> limits(Call& call) {
  WM_TRY(auto config, conf::load(call.site.conf_dir, conf::this_host()));
  JobSelection everybody;
  everybody.user = "all";
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto jobs, master->ask(JobsRequest{everybody}));
  WM_TRY(auto plans, master->ask(PlansRequest{}));
  auto rows = view::limit_rows(config, jobs.jobs, plans.plans);
  return json_reply("{\"limits\":" + view::limits_json(rows) + "}");
}

}  // namespace

const std::vector<Route>& usage_routes() {
  static const std::vector<Route> routes{
      {"GET", "/api/v1/usage", usage,
       "What jobs that ended used, by=user, plan, project, queue or app, and by day", "usage",
       "by days"},
      {"GET", "/api/v1/limits", limits, "Limits, and how much of each is in use", "limits"},
      {"GET", "/api/v1/budgets", budgets, "How budgets stand, a row for each resource", "budgets"},
  };
  return routes;
}

}  // namespace wm::user
