// The rows of /api/v1 about the cluster: hosts, queues, plans.
#include <nlohmann/json.hpp>

#include "daemons/wuserd/cluster/host_list.h"
#include "daemons/wuserd/cluster/routes.h"
#include "daemons/wuserd/site/reply.h"
#include "daemons/wuserd/site/site.h"
#include "libwm/base/clock.h"
#include "libwm/base/json.h"
#include "libwm/rest/exec_json.h"
#include "libwm/view/acts.h"
#include "libwm/view/json.h"

namespace wm::user {
namespace {

HostList& told_hosts() {
  static HostList list;
  return list;
}

// A first part is asked for anew; those after it are of the same list, if that is not old.
Result<HostList::Hosts> hosts_now(Site& site, bool first) {
  auto now = steady_now();
  auto known = first ? nullptr : told_hosts().recent(now);
  if (known) return known;
  WM_TRY(auto master, site.masters.take());
  WM_TRY(auto reply, master->ask(HostsRequest{}));
  return told_hosts().keep(std::move(reply.hosts), now);
}

// What is left comes with after=NEXT.
Result<Answer> hosts(Call& call) {
  WM_TRY(auto part, host_part(call.target));
  WM_TRY(auto all, hosts_now(call.site, part.after.empty()));
  auto found = hosts_of(*all, part);
  bool more = part.limit != 0 && found.size() == part.limit &&
              found.back().host.name != all->back().host.name;
  return json_reply("{\"hosts\":" + view::hosts_json(found, view::Detail::Full) +
                    (more ? ",\"next\":" + rest::json_text(found.back().host.name) : "") + "}");
}

Result<Answer> one_host(Call& call) {
  HostsRequest request;
  request.names = {call.args[0]};
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, master->ask(request));
  for (const auto& view : reply.hosts)
    if (view.host.name == call.args[0])
      return json_reply("{\"host\":" + view::host_json(view, view::Detail::Full) + "}");
  return fail(Code::NotFound, "host " + call.args[0].substr(0, 200) + " does not exist");
}

Result<Answer> capacity(Call& call) {
  WM_TRY(auto all, hosts_now(call.site, true));
  return json_reply(capacity_json(*all));
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
      {"GET", "/api/v1/hosts", hosts,
       "Hosts by name; with limit in parts: next is what after takes; out=yes: those that take no "
       "jobs",
       "hosts", "limit after out"},
      {"GET", "/api/v1/hosts/{name}", one_host, "One host", "host_page"},
      {"GET", "/api/v1/capacity", capacity, "What all hosts have, and what of it is in use",
       "capacity"},
      {"GET", "/api/v1/queues", queues, "Queues", "queues"},
      {"GET", "/api/v1/plans", plans, "Resource plans", "plans"},
      {"GET", "/api/v1/audit", audit, "What administrators and the door did, for administrators",
       "audit", "user kind"},
  };
  return routes;
}

}  // namespace wm::user
