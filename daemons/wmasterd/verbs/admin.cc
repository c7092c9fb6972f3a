// Verbs about queues, hosts, plans, and what administrators do to them.
#include <algorithm>

#include "daemons/wmasterd/hosts/fence.h"
#include "daemons/wmasterd/hosts/gpu_marks.h"
#include "daemons/wmasterd/state/reconfig.h"
#include "daemons/wmasterd/verbs/call.h"
#include "daemons/wmasterd/verbs/clients.h"
#include "daemons/wmasterd/verbs/portion.h"
#include "daemons/wmasterd/verbs/views.h"
#include "libwm/fsm/part.h"
#include "libwm/sched/plan_view.h"

namespace wm::master {
namespace {

using Act = AdminRequest::Act;

Result<void> host_events(const Cluster& state, const AdminRequest& request, const Identity& who,
                         std::vector<EventBody>& events, std::vector<std::string>& lines) {
  for (const auto& name : request.names) {
    const Host* host = find_host(state, name);
    if (!host)
      return fail(Code::NotFound, name + ": Bad host name, host group name or cluster name");
    if (request.act == Act::HostClose) {
      events.push_back(HostClosed{host->id, who.user, request.why});
      lines.push_back("Close <" + name + "> ...... done");
    } else if (request.act == Act::HostOpen) {
      events.push_back(HostOpened{host->id, who.user});
      lines.push_back("Open <" + name + "> ...... done");
    } else {
      if (host->state == HostState::Ok)
        return fail(
            Code::Conflict,
            name + ": the host is heard; hdead is for a silent host that is known to be off");
      for (auto& event : death_of(state, *host, who.user, request.why))
        events.push_back(std::move(event));
      lines.push_back("Declare <" + name + "> dead ...... done");
    }
  }
  return {};
}

// What is done about queues.
struct QueueAct {
  Act act;
  QueueStandingChange change;
  const char* word;
};

const QueueAct* queue_act(Act act) {
  static constexpr QueueAct kActs[] = {
      {Act::QueueClose, QueueStandingChange::Close, "closed"},
      {Act::QueueOpen, QueueStandingChange::Open, "opened"},
      {Act::QueueInactivate, QueueStandingChange::Inactivate, "inactivated"},
      {Act::QueueActivate, QueueStandingChange::Activate, "activated"}};
  const auto* row = std::ranges::find(kActs, act, &QueueAct::act);
  return row == std::end(kActs) ? nullptr : row;
}

Result<void> queue_events(const Cluster& state, const AdminRequest& request, const Identity& who,
                          std::vector<EventBody>& events, std::vector<std::string>& lines) {
  const QueueAct* row = queue_act(request.act);
  if (!row) return fail(Code::BadArgument, "an act that is not known");
  for (const auto& name : request.names) {
    if (!state.config->queue(name)) return fail(Code::NotFound, name + ": No such queue");
    events.push_back(QueueChanged{name, row->change, who.user, request.why});
    lines.push_back("Queue <" + name + "> is " + row->word);
  }
  return {};
}

// Who said it, and when.
struct Said {
  std::string by;
  WallTime at{};
};

std::string no_more_jobs(const Cluster& state, const HostClosed& closed) {
  const Host* host = state.hosts.find(closed.host.value);
  return "Host <" + host->name + "> is closed: " + closed.why + "; jobs that run there go on";
}

// What a reconfiguration means for hosts, and that it is done.
std::vector<std::string> words_about(const Cluster& state, const std::vector<EventBody>& events,
                                     const std::vector<Stranger>& strangers, const Config& config) {
  std::vector<std::string> lines;
  for (const auto& event : events)
    if (auto* closed = std::get_if<HostClosed>(&event))
      lines.push_back(no_more_jobs(state, *closed));
  for (const auto& stranger : strangers)
    if (!lists_host(config, stranger.name))
      lines.push_back("Host <" + stranger.name + "> asks to join and is not in hosts.conf");
  lines.push_back("Reconfiguration done");
  return lines;
}

Result<void> gpu_events(const Cluster& state, const AdminRequest& request, const Said& said,
                        std::vector<EventBody>& events, std::vector<std::string>& lines) {
  const Host* host = find_host(state, request.names[0]);
  if (!host)
    return fail(Code::NotFound,
                request.names[0] + ": Bad host name, host group name or cluster name");
  WM_TRY(events, marks_by_admin(*host, request, said.by, said.at, lines));
  return {};
}

}  // namespace

void Clients::queues(Call call, const QueuesRequest& request) {
  answer(call, [state = c_.journal.published_ptr(), names = request.names] {
    return QueuesReply{view_queues(*state, names)};
  });
}

void Clients::hosts(Call call, const HostsRequest& request) {
  answer(call, [seen = seen(), strangers = c_.hosts.strangers(), request] {
    HostsReply reply;
    Portion portion;
    for (auto& view : view_hosts(seen, request)) {
      if (!portion.takes_value(view)) {
        reply.rest = {request.names, reply.hosts.back().host.name};
        break;
      }
      reply.hosts.push_back(std::move(view));
    }
    if (!reply.rest) reply.strangers = strangers;
    return reply;
  });
}

// The numbers need the claims of every job: a worker finds them, the loop does not wait.
void Clients::plans(Call call, const PlansRequest& request) {
  auto reply = std::make_shared<PlansReply>();
  c_.world.answer(
      [reply, state = c_.journal.published_ptr(), now = c_.world.wall(), paths = request.paths] {
        for (auto& view : sched::view_plans(*state, now)) {
          if (!is_asked(paths, view.path)) continue;
          if (const PlanConf* conf = state->config->plan(view.path)) view.conf = *conf;
          reply->plans.push_back(std::move(view));
        }
      },
      [call, reply] { call.reply(*reply); });
}

std::vector<EventBody> Clients::admin_events(const AdminRequest& request, const Identity& who,
                                             std::vector<std::string>& lines, Error& error) {
  const Cluster& state = c_.journal.newest();
  std::vector<EventBody> events;
  Result<void> verdict;
  if (request.act == Act::Reconfig) {
    auto config = c_.world.read_config();
    if (config) {
      auto taken = std::make_shared<const Config>(std::move(*config));
      events = reconfigured(state, taken);
      lines = words_about(state, events, c_.hosts.strangers(), *taken);
    } else {
      verdict = config.error();
    }
  } else if (request.act == Act::GpuClose || request.act == Act::GpuOpen) {
    verdict = gpu_events(state, request, {who.user, c_.world.wall()}, events, lines);
  } else if (request.act == Act::HostClose || request.act == Act::HostOpen ||
             request.act == Act::HostDead) {
    verdict = host_events(state, request, who, events, lines);
  } else {
    verdict = queue_events(state, request, who, events, lines);
  }
  if (!verdict) error = verdict.error();
  return events;
}

void Clients::rebuild_acct(Call call, const AdminRequest& request) {
  if (!c_.rebuild_acct)
    return call.refuse(fail(Code::Unavailable, "this master keeps no accounting"));
  in_flight_[request.request_key];
  c_.rebuild_acct([this, call, key = request.request_key](Result<Seq> done) {
    if (done) {
      AdminReply reply{{"Accounting is made again, up to event " + std::to_string(done->value)}};
      return commit_all(call, key, {}, reply);
    }
    for (const auto& one : std::exchange(in_flight_[key], {})) one.refuse(done.error());
    in_flight_.erase(key);
    call.refuse(done.error());
  });
}

// Administrators of queues: about these, and nothing else.
bool Clients::may_ask(const Identity& who, const AdminRequest& request) const {
  bool all = !request.names.empty() && queue_act(request.act);
  for (const auto& name : request.names) all = all && runs_queue(who, name);
  return all || is_admin(who);
}

void Clients::admin(Call call, const AdminRequest& request) {
  if (!may_ask(call.caller(), request))
    return call.refuse(
        fail(Code::Denied, call.caller().user + ": User permission denied, not an administrator"));
  if (request.act == Act::RebuildAcct) return rebuild_acct(call, request);
  if (request.act != Act::Reconfig && request.names.empty())
    return call.refuse(fail(Code::BadArgument, "no host or queue named"));
  AdminReply reply;
  Error error;
  Proposal proposal;
  proposal.events = admin_events(request, call.caller(), reply.lines, error);
  if (error.code != Code::Ok) return call.refuse(error);
  commit_all(call, request.request_key, std::move(proposal), reply);
}

}  // namespace wm::master
