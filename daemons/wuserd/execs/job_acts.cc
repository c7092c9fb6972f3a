// The row of /api/v1 by which something is done to a job: by its owner, and by administrators to
// anybody's; the master judges both, and keeps administrators' acts.
#include "daemons/wuserd/execs/routes.h"
#include "daemons/wuserd/jobs/find.h"
#include "daemons/wuserd/site/json_body.h"
#include "daemons/wuserd/site/reply.h"
#include "daemons/wuserd/site/who.h"

namespace wm::user {
namespace {

struct JobAct {
  JobId id;
  std::string verb, why, queue;
  std::uint32_t tasks = 0;
};

Result<OutcomeReply> stop(client::Master& master, const JobAct& act) {
  KillRequest request;
  request.jobs.ids = {act.id};
  request.reason = act.why.empty() ? "stopped on a page" : act.why;
  return master.ask(request);
}

Result<OutcomeReply> hold(client::Master& master, const JobAct& act) {
  ReleaseRequest request;
  request.jobs.ids = {act.id};
  request.hold = act.verb == "hold";
  return master.ask(request);
}

Result<OutcomeReply> move(client::Master& master, const JobAct& act) {
  MoveRequest request;
  request.jobs = {act.id};
  request.top = act.verb == "top";
  return master.ask(request);
}

Result<OutcomeReply> change_queue(client::Master& master, const JobAct& act) {
  if (act.queue.empty()) return fail(Code::BadArgument, "queue: to which one?");
  SwitchRequest request;
  request.jobs.ids = {act.id};
  request.queue = act.queue;
  return master.ask(request);
}

Result<OutcomeReply> requeue(client::Master& master, const JobAct& act) {
  RequeueRequest request;
  request.jobs.ids = {act.id};
  return master.ask(request);
}

// Of an elastic one: at most so many tasks from now on.
Result<OutcomeReply> resize(client::Master& master, const JobAct& act) {
  if (act.tasks == 0) return fail(Code::BadArgument, "tasks: a number from 1 is wanted");
  ResizeRequest request;
  request.job = act.id;
  request.kind = ResizeRequest::Kind::Set;
  request.tasks = act.tasks;
  WM_TRY(master.ask(request));
  return OutcomeReply{};
}

using JobActor = Result<OutcomeReply> (*)(client::Master&, const JobAct&);
constexpr std::pair<std::string_view, JobActor> kJobActors[] = {
    {"stop", stop},   {"hold", hold},           {"release", hold},    {"top", move},
    {"bottom", move}, {"switch", change_queue}, {"requeue", requeue}, {"resize", resize},
};

Result<JobActor> actor_of(const std::string& verb) {
  std::string words;
  for (const auto& [name, actor] : kJobActors) {
    if (name == verb) return actor;
    words += (words.empty() ? "" : ", ") + std::string(name);
  }
  return fail(Code::BadArgument, "'" + verb.substr(0, 64) + "': one of " + words + " is wanted");
}

// One that the caller may not act on is as one that does not exist.
Result<JobView> job_to_act_on(Site& site, const std::string& id) {
  return looks_like_admin(site) ? find_job(site, id) : find_own_job(site, id);
}

Result<std::uint32_t> tasks_in(const Json& json) {
  auto found = json.find("tasks");
  if (found == json.end() || found->is_null()) return 0u;
  if (!found->is_number_integer() || *found < 1 || *found > 1'000'000)
    return fail(Code::BadArgument, "tasks: a whole number from 1 is wanted");
  return found->get<std::uint32_t>();
}

// Body, which may be missing: {"why": "…", "queue": "…", "tasks": 2}.
Result<JobAct> act_in(Call& call) {
  JobAct act;
  act.verb = call.args[1];
  WM_TRY(auto body, http::read_body(call.exchange, kLongestJson));
  if (body.empty()) return act;
  auto json = parse_json(body);
  if (!json || !json->is_object()) return fail(Code::BadArgument, "a JSON object is wanted");
  WM_TRY(act.why, text_in(*json, "why"));
  WM_TRY(act.queue, text_in(*json, "queue"));
  WM_TRY(act.tasks, tasks_in(*json));
  return act;
}

Result<Answer> act_on_job(Call& call) {
  WM_TRY(auto actor, actor_of(call.args[1]));
  WM_TRY(auto view, job_to_act_on(call.site, call.args[0]));
  WM_TRY(auto act, act_in(call));
  act.id = view.id;
  WM_TRY(auto master, call.site.masters.take());
  WM_TRY(auto reply, actor(*master, act));
  for (const auto& outcome : reply.jobs)
    if (outcome.code != 0) return fail(static_cast<Code>(outcome.code), outcome.text);
  return done();
}

}  // namespace

const std::vector<Route>& job_act_routes() {
  static const std::vector<Route> routes{
      {"POST", "/api/v1/jobs/{id}/{verb}", act_on_job,
       "stop, hold, release, top, bottom, switch (to a queue), requeue or resize (to tasks)"},
  };
  return routes;
}

}  // namespace wm::user
