// The verbs Group and Groups: job groups are made, limited, removed and counted.
#include "daemons/wmasterd/verbs/record.h"
#include "daemons/wmasterd/verbs/verbs.h"

namespace wm::master::verbs {
namespace {

using GroupAct = GroupRequest::Act;

const char* word_of(GroupAct act) {
  return act == GroupAct::Add ? "bgadd" : act == GroupAct::Modify ? "bgmod" : "bgdel";
}

Result<void> check_path(const std::string& path) {
  bool good = path.size() > 1 && path.starts_with('/') && !path.ends_with('/') &&
              path.find("//") == path.npos && path.size() <= 512 &&
              path.find_first_of(" \t\n<>") == path.npos;
  if (good) return {};
  return fail(Code::BadArgument, path + ": Bad job group name; one like /risk/day is wanted");
}

// Jobs in it or below it that are not over; groups below it.
bool is_empty(const Cluster& state, const std::string& path) {
  bool empty = true;
  state.jobs.each([&](std::uint32_t, const Job& job) {
    bool over = job.state == JobState::Array ? job.kill.has_value() : is_over(job.state);
    empty = empty && (over || !is_in_group(job.spec().job_group, path));
  });
  for (const auto& [other, group] : *state.job_groups)
    empty = empty && (other == path || !is_in_group(other, path));
  return empty;
}

Result<EventBody> event_of(const Service& service, const Call& call, const GroupRequest& request) {
  const Cluster& state = service.journal.newest();
  const std::string& path = request.path;
  const std::string& by = call.caller().user;
  WM_TRY(check_path(path));
  auto known = state.job_groups->find(path);
  bool there = known != state.job_groups->end();
  if (request.act == GroupAct::Add) {
    if (there) return fail(Code::Conflict, path + ": Job group already exists");
    return EventBody(JobGroupSet{path, {by, request.limit, service.env.clock.wall()}, by});
  }
  if (!there) return fail(Code::NotFound, path + ": Job group does not exist");
  bool admin = roles_in_queue(*state.config, service.rights, call.caller(), "").admin;
  if (known->second.owner != by && !admin)
    return fail(Code::Denied,
                path + ": User permission denied, the group is " + known->second.owner + "'s");
  if (request.act == GroupAct::Modify) {
    JobGroup group = known->second;
    if (request.with_limit) group.limit = request.limit;
    return EventBody(JobGroupSet{path, group, by});
  }
  if (!is_empty(state, path))
    return fail(Code::Conflict, path + ": Job group has jobs, or groups below it");
  return EventBody(JobGroupRemoved{path, by});
}

}  // namespace

void group(Service& service, const Call& call, const GroupRequest& request) {
  auto event = event_of(service, call, request);
  if (!event) return call.refuse(event.error());
  Proposal proposal;
  proposal.events.push_back(std::move(*event));
  service.answers.commit_all(call, request.request_key, std::move(proposal),
                             GroupReply{request.path});
  if (roles_in_queue(*service.journal.newest().config, service.rights, call.caller(), "").admin)
    record(service, call, {word_of(request.act), {request.path}, "", ""});
}

void groups(Service& service, const Call& call, const GroupsRequest&) {
  service.answers.read(call, [state = service.journal.published_ptr()] {
    GroupsReply reply;
    reply.groups = *state->job_groups;
    each_job(*state, [&](const Job& job) {
      bool runs = job.state == JobState::Launching || job.state == JobState::Running ||
                  job.state == JobState::Suspended || job.state == JobState::Unknown;
      if (!runs) return;
      for (std::string_view path = job.spec().job_group; !path.empty(); path = group_above(path))
        ++reply.active[std::string(path)];
    });
    return reply;
  });
}

}  // namespace wm::master::verbs
