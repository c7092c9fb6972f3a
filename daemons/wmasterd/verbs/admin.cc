// The verb Admin: what administrators do to queues, hosts, GPUs and the configuration.
#include <algorithm>

#include "daemons/wmasterd/hosts/fence.h"
#include "daemons/wmasterd/hosts/gpu_marks.h"
#include "daemons/wmasterd/verbs/verbs.h"
#include "libwm/conf/difference.h"
#include "libwm/fsm/part.h"
#include "libwm/fsm/reconfig.h"

namespace wm::master::verbs {
namespace {

using AdminAct = AdminRequest::Act;

std::string no_such_host(const std::string& name) {
  return name + ": Bad host name, host group name or cluster name";
}

// The host, the hosts of the group, or with "all" every host, as in LSF; none: there is no such.
std::vector<const Host*> hosts_named(const Cluster& state, const std::string& name) {
  std::vector<const Host*> hosts;
  if (const Host* host = find_host(state, name)) return {host};
  for (const auto& conf : state.config->hosts) {
    if (name != "all" && std::ranges::find(conf.groups, name) == conf.groups.end()) continue;
    if (const Host* host = find_host(state, conf.name)) hosts.push_back(host);
  }
  return hosts;
}

Result<void> death_events(const Cluster& state, const AdminRequest& request, const Identity& who,
                          std::vector<EventBody>& events, std::vector<std::string>& lines) {
  for (const auto& name : request.names) {
    const Host* host = find_host(state, name);
    if (!host) return fail(Code::NotFound, no_such_host(name));
    if (host->state == HostState::Ok)
      return fail(Code::Conflict,
                  name + ": the host is heard; hdead is for a silent host that is known to be off");
    for (auto& event : death_of(state, *host, who.user, request.why))
      events.push_back(std::move(event));
    lines.push_back("Declare <" + name + "> dead ...... done");
  }
  return {};
}

Result<void> host_events(const Cluster& state, const AdminRequest& request, const Identity& who,
                         std::vector<EventBody>& events, std::vector<std::string>& lines) {
  if (request.act == AdminAct::HostDead) return death_events(state, request, who, events, lines);
  bool close = request.act == AdminAct::HostClose;
  for (const auto& name : request.names) {
    auto hosts = hosts_named(state, name);
    if (hosts.empty()) return fail(Code::NotFound, no_such_host(name));
    for (const Host* host : hosts) {
      if (close)
        events.push_back(HostClosed{host->id, who.user, request.why, false, request.drain});
      else events.push_back(HostOpened{host->id, who.user});
      const char* word = !close ? "Open <" : request.drain ? "Drain <" : "Close <";
      lines.push_back(word + host->name + "> ...... done");
    }
  }
  return {};
}

// What is done about queues.
struct QueueAct {
  AdminAct act;
  QueueStandingChange change;
  const char* word;
};

const QueueAct* queue_act(AdminAct act) {
  static constexpr QueueAct kActs[] = {
      {AdminAct::QueueClose, QueueStandingChange::Close, "closed"},
      {AdminAct::QueueOpen, QueueStandingChange::Open, "opened"},
      {AdminAct::QueueInactivate, QueueStandingChange::Inactivate, "inactivated"},
      {AdminAct::QueueActivate, QueueStandingChange::Activate, "activated"}};
  const auto* row = std::ranges::find(kActs, act, &QueueAct::act);
  return row == std::end(kActs) ? nullptr : row;
}

Result<void> queue_events(const Cluster& state, const AdminRequest& request, const Identity& who,
                          std::vector<EventBody>& events, std::vector<std::string>& lines) {
  const QueueAct* row = queue_act(request.act);
  if (!row) return fail(Code::BadArgument, "an act that is not known");
  auto names = request.names;
  if (names == std::vector<std::string>{"all"} && !state.config->queue("all")) {
    names.clear();
    for (const auto& queue : state.config->queues) names.push_back(queue.name);
  }
  for (const auto& name : names) {
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
    if (!fsm::lists_host(config, stranger.name))
      lines.push_back("Host <" + stranger.name + "> asks to join and is not in hosts.conf");
  lines.push_back("Reconfiguration done");
  return lines;
}

Result<void> gpu_events(const Cluster& state, const AdminRequest& request, const Said& said,
                        std::vector<EventBody>& events, std::vector<std::string>& lines) {
  const Host* host = find_host(state, request.names[0]);
  if (!host) return fail(Code::NotFound, no_such_host(request.names[0]));
  WM_TRY(events, marks_by_admin(*host, request, said.by, said.at, lines));
  return {};
}

std::vector<EventBody> admin_events(Service& service, const AdminRequest& request,
                                    const Identity& who, std::vector<std::string>& lines,
                                    Error& error) {
  const Cluster& state = service.journal.newest();
  std::vector<EventBody> events;
  Result<void> verdict;
  if (request.act == AdminAct::Reconfig) {
    auto config = service.env.store.read_config();
    if (config) {
      auto taken = std::make_shared<const Config>(std::move(*config));
      events = fsm::reconfigured(state, taken);
      lines = words_about(state, events, service.hosts.strangers(), *taken);
    } else {
      verdict = config.error();
    }
  } else if (request.act == AdminAct::ClockTrust) {
    events.push_back(ClockTrusted{who.user, request.why});
    lines.push_back(service.journal.deeds_wait()
                        ? "The clock is trusted: nothing waits any more"
                        : "The clock was not set lately: nothing has waited");
  } else if (request.act == AdminAct::GpuClose || request.act == AdminAct::GpuOpen) {
    verdict = gpu_events(state, request, {who.user, service.env.clock.wall()}, events, lines);
  } else if (request.act == AdminAct::HostClose || request.act == AdminAct::HostOpen ||
             request.act == AdminAct::HostDead) {
    verdict = host_events(state, request, who, events, lines);
  } else {
    verdict = queue_events(state, request, who, events, lines);
  }
  if (!verdict) error = verdict.error();
  return events;
}

// badmin's word for it.
const char* word_of(AdminAct act) {
  switch (act) {
    case AdminAct::Reconfig: return "reconfig";
    case AdminAct::HostClose: return "hclose";
    case AdminAct::HostOpen: return "hopen";
    case AdminAct::HostDead: return "hdead";
    case AdminAct::QueueClose: return "qclose";
    case AdminAct::QueueOpen: return "qopen";
    case AdminAct::QueueInactivate: return "qinact";
    case AdminAct::QueueActivate: return "qact";
    case AdminAct::GpuClose: return "gclose";
    case AdminAct::GpuOpen: return "gopen";
    case AdminAct::RebuildAcct: return "rebuild-acct";
    case AdminAct::ClockTrust: return "clock-trust";
    case AdminAct::Difference: return "difference";
  }
  return "?";
}

// Done, or refused for `outcome`.
void record_admin(Service& service, const AdminRequest& request, const std::string& by,
                  const std::string& outcome) {
  if (!service.audit.keep) return;
  AuditEntry entry;
  entry.at = service.env.clock.wall();
  entry.by = by;
  entry.act = word_of(request.act);
  if (request.drain) entry.why = "drained" + std::string(request.why.empty() ? "" : ": ");
  entry.objects = request.names;
  for (const auto& gpu : request.gpus) entry.objects.push_back("gpu " + gpu);
  entry.why += request.why;
  entry.outcome = outcome;
  service.audit.keep(std::move(entry));
}

void difference(Service& service, const Call& call) {
  auto next = service.env.store.read_config();
  if (!next) return call.refuse(next.error());
  call.reply(AdminReply{conf::differences(*service.journal.published().config, *next)});
}

void rebuild_acct(Service& service, const Call& call, const AdminRequest& request) {
  if (!service.rebuild_acct)
    return call.refuse(fail(Code::Unavailable, "this master keeps no accounting"));
  service.answers.begin(call, request.request_key);
  service.rebuild_acct([&service, call, key = request.request_key](Result<Seq> done) {
    if (done) {
      AdminReply reply{{"Accounting is made again, up to event " + std::to_string(done->value)}};
      return service.answers.commit_all(call, key, {}, reply);
    }
    service.answers.refuse(call, key, done.error());
  });
}

}  // namespace

bool is_about_queues(AdminAct act) { return queue_act(act) != nullptr; }

void admin(Service& service, const Call& call, const AdminRequest& request) {
  if (request.act == AdminAct::Difference) return difference(service, call);
  if (request.act == AdminAct::RebuildAcct) {
    record_admin(service, request, call.caller().user, "");
    return rebuild_acct(service, call, request);
  }
  bool names_none = request.act == AdminAct::Reconfig || request.act == AdminAct::ClockTrust;
  if (!names_none && request.names.empty())
    return call.refuse(fail(Code::BadArgument, "no host or queue named"));
  AdminReply reply;
  Error error;
  Proposal proposal;
  proposal.events = admin_events(service, request, call.caller(), reply.lines, error);
  if (error.code != Code::Ok) {
    record_admin(service, request, call.caller().user, error.text);
    return call.refuse(error);
  }
  Answer<AdminReply> answer = [reply](const auto& results) -> Result<AdminReply> {
    for (const auto& result : results)
      if (!holds(result)) return result.error();
    return reply;
  };
  service.answers.commit(
      call, request.request_key, std::move(proposal), std::move(answer),
      [&service, request, by = call.caller().user] { record_admin(service, request, by, ""); });
}

void audit(Service& service, const Call& call, const AuditRequest& request) {
  if (!service.audit.look_up)
    return call.refuse(fail(Code::Unavailable, "this master keeps no record of acts"));
  auto bytes = std::make_shared<Result<std::string>>(std::string());
  service.env.workers.read_store(
      [bytes, request, look_up = service.audit.look_up] {
        auto reply = look_up(request);
        *bytes = reply ? Call::encoded(*reply) : reply.error();
      },
      [call, bytes] { call.send(std::move(*bytes)); });
}

}  // namespace wm::master::verbs
