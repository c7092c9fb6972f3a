// The rows of /api/v1 about the cluster: hosts, queues, plans.
#include "daemons/wuserd/site.h"
#include "libwm/view/json.h"

namespace wm::user {
namespace {

Result<Answer> hosts(Call& call) {
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->hosts({}));
  return json_reply("{\"hosts\":" + view::hosts_json(reply.hosts, view::Detail::Full) + "}");
}

Result<Answer> queues(Call& call) {
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->queues({}));
  return json_reply("{\"queues\":" + view::queues_json(reply.queues, view::Detail::Brief) + "}");
}

Result<Answer> plans(Call& call) {
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->plans({}));
  return json_reply("{\"plans\":" + view::plans_json(reply.plans, view::Detail::Full) + "}");
}

}  // namespace

const std::vector<Route>& cluster_routes() {
  static const std::vector<Route> routes{
      {"GET", "/api/v1/hosts", hosts, "Hosts", "hosts"},
      {"GET", "/api/v1/queues", queues, "Queues", "queues"},
      {"GET", "/api/v1/plans", plans, "Resource plans", "plans"},
  };
  return routes;
}

}  // namespace wm::user
