// The verbs Reserve and Reservations: advance reservations are made, changed, removed and shown.
#include <algorithm>
#include <utility>

#include "daemons/wmasterd/verbs/own_reservations.h"
#include "daemons/wmasterd/verbs/record.h"
#include "daemons/wmasterd/verbs/verbs.h"
#include "daemons/wmasterd/verbs/views.h"
#include "libwm/expr/select.h"
#include "libwm/expr/value.h"
#include "libwm/sched/capacity/host_rules.h"
#include "libwm/sched/capacity/set_aside.h"

namespace wm::master::verbs {
namespace {

using ReserveAct = ReserveRequest::Act;

const char* word_of(ReserveAct act) {
  switch (act) {
    case ReserveAct::Add: return "brsvadd";
    case ReserveAct::Remove: return "brsvdel";
    case ReserveAct::Modify:
    case ReserveAct::AddHosts:
    case ReserveAct::RemoveHosts: return "brsvmod";
  }
  return "?";
}

Error bad(const std::string& text) { return fail(Code::BadArgument, text); }

// "alice#0": the first that is free.
std::string name_for(const Cluster& state, const Reservation& what) {
  const std::string base =
      what.kind == ReservedFor::System || what.users.empty() ? "system" : what.users.front();
  for (std::uint32_t n = 0;; ++n)
    if (auto name = base + "#" + std::to_string(n); !find_reservation(state, name)) return name;
}

Result<void> check_what(const Reservation& what, WallTime now) {
  if (what.name.find_first_of(" \t\n<>\"'/") != std::string::npos || what.name.size() > 60)
    return bad("'" + what.name + "' is no name for a reservation");
  if (what.kind != ReservedFor::System && what.users.empty())
    return bad("a user or group is wanted for whom slots are reserved (-u, -g), or -s");
  if (!what.windows.empty()) return {};
  if (what.end <= what.begin) return bad("Bad time specification: it ends before it begins");
  return what.end <= now ? bad("Bad time specification: its end is over") : Result<void>{};
}

// The hosts named, groups too, or all; those that the select expression and the rule, if there is
// one, leave, in that order.
Result<std::vector<HostId>> hosts_for(const Cluster& state, const ReserveRequest& request,
                                      const LimitRule* rule) {
  auto select = expr::Select::parse(request.select);
  if (!select) return select.error().within("-R");
  std::vector<HostId> hosts;
  auto add = [&](const Host& host) {
    const HostConf* conf = state.config->host(host.name);
    auto lookup = [&](std::string_view name) { return expr::host_value(host, conf, name); };
    bool wanted = (select->empty() || select->matches(lookup)) && host.state != HostState::Dead &&
                  (!rule || allows_host(*state.config, *rule, host));
    if (wanted && std::ranges::find(hosts, host.id) == hosts.end()) hosts.push_back(host.id);
  };
  for (const auto& name : request.hosts) {
    auto before = hosts.size();
    bool known = false;
    state.hosts.each([&](std::uint32_t, const Host& host) {
      if (!sched::names_host({name}, *state.config, host)) return;
      known = true;
      add(host);
    });
    if (!known && hosts.size() == before)
      return fail(Code::NotFound, name + ": Bad host name, host group name or cluster name");
  }
  if (request.hosts.empty()) state.hosts.each([&](std::uint32_t, const Host& host) { add(host); });
  return hosts;
}

Result<Reservation> known(const Cluster& state, const std::string& name) {
  if (const Reservation* found = find_reservation(state, name)) return *found;
  return fail(Code::NotFound, name + ": No such reservation");
}

// Its places are as they were; at its new times they must be free of others.
Result<void> check_places(const Cluster& state, const Reservation& what) {
  for (const PromisedPlace& place : what.places) {
    const Host* host = state.hosts.find(place.host.value);
    if (!host || sched::unreserved(state, what, *host) >= place.tasks) continue;
    return fail(Code::Conflict,
                "host " + host->name + ": other reservations keep its slots at that time");
  }
  return {};
}

void add_places(Reservation& what, const std::vector<PromisedPlace>& more) {
  for (const PromisedPlace& place : more) {
    auto at = std::ranges::find(what.places, place.host, &PromisedPlace::host);
    if (at == what.places.end()) what.places.push_back(place);
    else at->tasks += place.tasks;
  }
}

// So many slots less on these hosts; 0: all of them.
void drop_places(Reservation& what, const std::vector<HostId>& hosts, std::uint32_t amount) {
  std::uint32_t left = amount ? amount : ~0u;
  for (PromisedPlace& place : what.places) {
    if (std::ranges::find(hosts, place.host) == hosts.end()) continue;
    auto n = std::min(left, place.tasks);
    place.tasks -= n;
    left -= n;
  }
  std::erase_if(what.places, [](const PromisedPlace& place) { return place.tasks == 0; });
}

// `rule`: by which somebody who is no administrator makes it; null: an administrator does.
Result<Reservation> wanted(const Cluster& state, const ReserveRequest& request, WallTime now,
                           const LimitRule* rule) {
  Reservation what = request.what;
  if (request.act == ReserveAct::Add) {
    if (what.name.empty()) what.name = name_for(state, what);
    else if (find_reservation(state, what.name))
      return fail(Code::Conflict, what.name + ": the reservation exists already");
    what.made = now;
  } else {
    WM_TRY(auto before, known(state, what.name));
    if (request.act != ReserveAct::Modify) what = before;
    what.places = before.places;
    what.by = before.by;
    what.made = before.made;
  }
  WM_TRY(check_what(what, now));
  if (request.act == ReserveAct::Modify) {
    WM_TRY(check_places(state, what));
    return what;
  }
  WM_TRY(auto hosts, hosts_for(state, request, rule));
  if (request.act == ReserveAct::RemoveHosts) {
    drop_places(what, hosts, request.amount);
    if (what.places.empty()) return bad(what.name + ": no host would be left; brsvdel removes it");
    return what;
  }
  Reservation others = what;
  others.name = request.act == ReserveAct::Add ? what.name : "";  // its own slots are kept already
  sched::AsideWish wish{std::move(hosts), request.amount, request.whole_hosts};
  WM_TRY(auto places, sched::set_aside(state, others, wish));
  add_places(what, places);
  return what;
}

// What is one's own is changed as one makes it: by the first section that allows it; else the first
// says why not.
Result<Reservation> wanted_by(const Identity& who, const Cluster& state,
                              const ReserveRequest& request, WallTime now) {
  if (request.act != ReserveAct::Add) {
    WM_TRY(auto before, known(state, request.what.name));
    if (!is_own(before, who))
      return fail(Code::Denied, request.what.name + ": User permission denied, not yours");
    if (request.act == ReserveAct::Remove) return before;
  }
  Result<Reservation> first = fail(Code::Denied, who.user + ": User permission denied");
  bool any = false;
  for (const LimitRule* rule : reserve_rules(*state.config, who)) {
    auto what = wanted(state, request, now, rule);
    auto allowed = what ? check_reserve_rule(state, *rule, *what, who) : what.error();
    if (allowed) return what;
    if (!std::exchange(any, true)) first = allowed.error();
  }
  return first;
}

void refuse(const Service& service, const Call& call, const ReserveRequest& request,
            const Error& error) {
  record(service, call, {word_of(request.act), {request.what.name}, "", error.text});
  call.refuse(error);
}

ReservationView reservation_view(const Cluster& state, const Reservation& what, WallTime now) {
  ReservationView view{what, {}, {}};
  for (const PromisedPlace& place : what.places) {
    const Host* host = state.hosts.find(place.host.value);
    view.hosts.push_back(host ? host->name : "?");
    view.used.push_back(used_of(state, what, place.host));
  }
  if (auto span = span_of(what, state.config->clock, now)) {
    view.from = span->from;
    view.until = span->until == WallTime::max() ? WallTime{} : span->until;
    view.active = span->from <= now;
  }
  return view;
}

}  // namespace

void reserve(Service& service, const Call& call, const ReserveRequest& request) {
  const Cluster& state = service.journal.newest();
  const WallTime now = service.env.clock.wall();
  Proposal proposal;
  ReserveReply reply{request.what.name, {}};
  bool admin = roles_in_queue(*state.config, service.rights, call.caller(), "").admin;
  bool removes = request.act == ReserveAct::Remove;
  Result<Reservation> what = request.what;
  if (!admin) what = wanted_by(call.caller(), state, request, now);
  else if (!removes) what = wanted(state, request, now, nullptr);
  if (!what) return refuse(service, call, request, what.error());
  if (removes) {
    proposal.events.push_back(ReservationRemoved{request.what.name, call.caller().user});
  } else {
    if (what->by.empty()) what->by = call.caller().user;
    reply.name = what->name;
    for (JobId id : sched::in_the_way(state, *what, now))
      reply.warnings.push_back("Job <" + to_string(id) + "> may still run when it begins");
    proposal.events.push_back(ReservationSet{std::move(*what), call.caller().user});
  }
  Answer<ReserveReply> answer = [reply](const auto& results) -> Result<ReserveReply> {
    if (!holds(results.front())) return results.front().error();
    return reply;
  };
  service.answers.commit(call, request.request_key, std::move(proposal), std::move(answer),
                         [&service, call, act = request.act, name = reply.name] {
                           record(service, call, {word_of(act), {name}, "", ""});
                         });
}

void reservations(Service& service, const Call& call, const ReservationsRequest& request) {
  service.answers.read(
      call, [request, state = service.journal.published_ptr(), now = service.env.clock.wall()] {
        ReservationsReply reply;
        std::map<std::string, std::vector<JobId>> jobs;
        each_job(*state, [&](const Job& job) {
          if (!job.spec().reservation.empty() && !is_over(job.state))
            jobs[job.spec().reservation].push_back(job.id);
        });
        auto add = [&](const Reservation& what) {
          reply.reservations.push_back(reservation_view(*state, what, now));
          reply.reservations.back().jobs = jobs[what.name];
        };
        if (request.names.empty())
          for (const auto& [name, what] : *state->reservations) add(what);
        for (const auto& name : request.names) {
          if (const Reservation* what = find_reservation(*state, name)) add(*what);
          else reply.missing.push_back(name);
        }
        return reply;
      });
}

}  // namespace wm::master::verbs
