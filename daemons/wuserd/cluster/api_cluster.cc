// The rows of /api/v1 about the cluster: hosts, queues, plans.
#include <nlohmann/json.hpp>

#include "daemons/wuserd/cluster/routes.h"
#include "daemons/wuserd/site/reply.h"
#include "daemons/wuserd/site/site.h"
#include "libwm/base/json.h"
#include "libwm/view/acts.h"
#include "libwm/view/json.h"

namespace wm::user {
namespace {

Result<Answer> hosts(Call& call) {
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->ask(HostsRequest{}));
  return json_reply("{\"hosts\":" + view::hosts_json(reply.hosts, view::Detail::Full) + "}");
}

Result<Answer> queues(Call& call) {
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->ask(QueuesRequest{}));
  return json_reply("{\"queues\":" + view::queues_json(reply.queues, view::Detail::Full) + "}");
}

Result<Answer> plans(Call& call) {
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->ask(PlansRequest{}));
  return json_reply("{\"plans\":" + view::plans_json(reply.plans, view::Detail::Full) + "}");
}

// ?user=NAME&kind=doorhist: the newest acts of the record, for administrators; the master judges
// who is one.
Result<Answer> audit(Call& call) {
  constexpr std::size_t kMost = 500;
  AuditRequest request;
  if (auto user = call.target.value("user"); !user.empty()) request.objects = {user};
  request.acts = view::acts_of(call.target.value("kind"));
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->ask(request));
  auto& entries = reply.entries;
  if (entries.size() > kMost) entries.erase(entries.begin(), entries.end() - kMost);
  auto list = Json::array();
  for (auto entry = entries.rbegin(); entry != entries.rend(); ++entry)
    list.push_back({{"number", entry->number},
                    {"time", epoch_seconds(entry->at)},
                    {"by", entry->by},
                    {"act", entry->act},
                    {"objects", entry->objects},
                    {"why", entry->why},
                    {"refused", entry->outcome}});
  Json all{{"acts", list}, {"checked", reply.checked}, {"broken", reply.broken}};
  return json_reply(to_text(all));
}

}  // namespace

const std::vector<Route>& cluster_routes() {
  static const std::vector<Route> routes{
      {"GET", "/api/v1/hosts", hosts, "Hosts", "hosts"},
      {"GET", "/api/v1/queues", queues, "Queues", "queues"},
      {"GET", "/api/v1/plans", plans, "Resource plans", "plans"},
      {"GET", "/api/v1/audit", audit, "What administrators and the door did, for administrators",
       "audit", "user kind"},
  };
  return routes;
}

}  // namespace wm::user
