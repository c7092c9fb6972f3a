// Verbs that say where a job is to run: RunNow starts a pending one at once, Migrate has one that
// runs start anew elsewhere.
#include <algorithm>

#include "daemons/wmasterd/verbs/record.h"
#include "daemons/wmasterd/verbs/selection.h"
#include "daemons/wmasterd/verbs/verbs.h"
#include "libwm/sched/capacity/host_rules.h"
#include "libwm/sched/placement/place_now.h"

namespace wm::master::verbs {
namespace {

// Hosts and host groups, rising.
Result<std::vector<HostId>> hosts_named(const Cluster& state,
                                        const std::vector<std::string>& names) {
  std::vector<HostId> hosts;
  for (const auto& name : names) {
    auto before = hosts.size();
    state.hosts.each([&](std::uint32_t, const Host& host) {
      if (sched::names_host({name}, *state.config, host)) hosts.push_back(host.id);
    });
    if (hosts.size() == before)
      return fail(Code::NotFound, name + ": Bad host name, host group name or cluster name");
  }
  std::ranges::sort(hosts);
  hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
  return hosts;
}

Result<sched::Start> start_of(Service& service, const RunNowRequest& request) {
  const Cluster& state = service.journal.newest();
  const Job* job = job_or_base(state, request.job);
  if (!job) return fail(Code::NotFound, named(request.job) + ": No matching job found");
  bool whole = request.job.index == 0 && !job->spec().array.empty();
  if (whole || !job->spec().groups.empty())
    return fail(
        Code::BadArgument,
        named(request.job) + ": an element is wanted, not a job array or a job with groups");
  if (state_of(*job, request.job) != JobState::Pending)
    return fail(Code::Conflict, named(request.job) + ": Job is not pending");
  if (request.hosts.empty()) return fail(Code::BadArgument, "a host is wanted: brun -m");
  WM_TRY(auto hosts, hosts_named(state, request.hosts));
  auto start = sched::place_now(state, *job, request.job, hosts, service.env.clock.wall());
  if (!start) return start.error().within(named(request.job));
  return start;
}

}  // namespace

void run_now(Service& service, const Call& call, const RunNowRequest& request) {
  auto refuse = [&](const Error& error) {
    record(service, call, {"brun", {to_string(request.job)}, "", error.text});
    call.refuse(error);
  };
  auto start = start_of(service, request);
  if (!start) return refuse(start.error());
  RunNowReply reply;
  for (const auto& spot : start->tasks)
    reply.hosts.push_back(service.journal.newest().hosts.find(spot.host.value)->name);
  Proposal proposal;
  proposal.events = service.cycle.dispatch(*start);
  service.answers.commit_all(call, request.request_key, std::move(proposal), reply);
  record(service, call, {"brun", {to_string(request.job)}, "", ""});
}

void migrate(Service& service, const Call& call, const MigrateRequest& request) {
  const Cluster& state = service.journal.newest();
  auto hosts = hosts_named(state, request.hosts);
  if (!hosts) return call.refuse(hosts.error());
  OutcomeReply reply;
  Proposal proposal;
  std::vector<JobId> ids;
  auto until = service.env.clock.wall() + state.config->cluster.times.kill_grace;
  auto move = [&](const Job& job, JobId id) {
    auto refuse = [&](const char* why) {
      reply.jobs.push_back({id, code_of(Code::Conflict), named(id) + why});
    };
    if (slots_held(job) == 0 || job.id != id) return refuse(": Job has not started yet");
    if (!job.spec().rerunnable && job.spec().checkpoint.dir.empty())
      return refuse(": Job is not rerunnable (bsub -r), nor checkpointable (bsub -k)");
    auto only = *hosts;
    if (only.empty())
      state.hosts.each([&](std::uint32_t, const Host& host) {
        bool there = std::ranges::any_of(
            job.tasks, [&](const Task& task) { return task.host == host.id && task.holds_slot(); });
        if (!there) only.push_back(host.id);
      });
    if (only.empty()) return refuse(": there is no other host");
    ids.push_back(id);
    Preempted wish{{}, until, true, "migrated by user " + call.caller().user, false};
    proposal.events.push_back(JobPreempted{id, job.attempt, wish});
    proposal.events.push_back(JobRelocated{id, only, call.caller().user});
  };
  auto walked = each_permitted(service, call, request.jobs, reply, move);
  for (JobId id : walked.missing)
    reply.jobs.push_back({id, code_of(Code::NotFound), named(id) + ": No matching job found"});
  for (JobId id : walked.over)
    reply.jobs.push_back({id, code_of(Code::Conflict), named(id) + ": Job has already finished"});
  reply.rest = walked.rest;
  Answer<OutcomeReply> answer = [=](const auto& results) mutable -> Result<OutcomeReply> {
    for (std::size_t i = 0; i < ids.size(); ++i)
      reply.jobs.push_back(
          outcome_of(ids[i], results[2 * i], named(ids[i]) + " is being migrated"));
    return reply;
  };
  service.answers.commit(call, request.request_key, std::move(proposal), answer);
}

}  // namespace wm::master::verbs
