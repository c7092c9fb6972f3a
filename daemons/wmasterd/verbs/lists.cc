// Verbs that read: jobs, queues, hosts, plans, accounting, the whole state. Answers are made off
// the loop, of the published state.
#include "daemons/wmasterd/verbs/portion.h"
#include "daemons/wmasterd/verbs/privacy.h"
#include "daemons/wmasterd/verbs/verbs.h"
#include "daemons/wmasterd/verbs/views.h"
#include "libwm/codec/packed.h"
#include "libwm/sched/plan_view.h"

namespace wm::master::verbs {
namespace {

constexpr Duration kBehind = std::chrono::milliseconds(20);
constexpr Duration kPatience = std::chrono::seconds(20);  // with accounting that is behind

ViewSource source(const Service& service) {
  ViewSource all{service.journal.published_ptr(), service.cycle.reasons(),
                 service.hosts.readings().freeze(), service.hosts.progress(),
                 service.hosts.meetings()};
  if (service.searches) all.waits = service.searches->waits();
  return all;
}

// Rows of what has just happened may still be on their way: then it is asked again.
template <class Reply>
void read_acct(Service& service, const Call& call, const AcctReading<Reply>& read,
               AcctRequest request, TimePoint until) {
  if (!read) return call.refuse(fail(Code::Unavailable, "this master keeps no accounting"));
  auto result = std::make_shared<Result<std::string>>(std::string());
  if (request.jobs.user.empty()) request.jobs.user = call.caller().user;
  auto done = [&service, call, read, request, until, result] {
    bool behind =
        !*result && result->error().code == Code::Timeout && service.env.clock.mono() < until;
    if (!behind) return call.send(std::move(*result));
    service.env.clock.after(kBehind,
                            [=, &service] { read_acct(service, call, read, request, until); });
  };
  service.env.workers.read_store(
      [result, read, request, user = call.caller().user,
       info = info_for(service.journal.published().config, service.rights, call.caller())] {
        auto reply = read(request);
        if (reply)
          hide(*reply, request.jobs,
               [&](const auto& job) { return info(job.user == user, job.queue); });
        *result = reply ? Call::encoded(*reply) : reply.error();
      },
      done);
}

// What is sent takes the place of what is there.
void make_sent(Table<Job>& jobs) {
  std::vector<std::uint32_t> numbers;
  jobs.each([&](std::uint32_t number, const Job&) { numbers.push_back(number); });
  for (auto number : numbers)
    jobs.edit(number) = view::sent(*jobs.find(number), view::Reach::Image);
}

std::string image_of(Cluster state) {
  make_sent(state.jobs);
  make_sent(state.elements);
  return codec::packed(codec::encode(state));
}

}  // namespace

void jobs(Service& service, const Call& call, const JobsRequest& request) {
  service.answers.read(
      call, [source = source(service), request, caller = call.caller(),
             info = info_for(service.journal.published().config, service.rights, call.caller())] {
        JobsReplyBytes reply;
        Portion portion;
        std::vector<JobId> hidden;
        auto visit = [&](const Job& job, JobId id) {
          const JobSpec& spec = job.spec();
          auto shown = shown_to(info(spec.owner.uid == caller.uid, spec.queue), request.jobs);
          if (shown == JobInfo::None) {
            hidden.push_back(id);
            return true;
          }
          auto view = codec::encode(view_of(source, job, id, shown));
          if (!portion.takes(view.size())) return false;
          reply.jobs.push_back(std::move(view));
          return true;
        };
        auto walked = each_selected(*source.state, request.jobs, caller.user, visit);
        reply.missing = std::move(walked.missing);
        reply.rest = std::move(walked.rest);
        for (JobId id : hidden) count_as_missing(id, request.jobs, reply.missing);
        return reply;
      });
}

void queues(Service& service, const Call& call, const QueuesRequest& request) {
  service.answers.read(call, [state = service.journal.published_ptr(), names = request.names] {
    return QueuesReply{view_queues(*state, names)};
  });
}

void hosts(Service& service, const Call& call, const HostsRequest& request) {
  service.answers.read(call, [source = source(service), strangers = service.hosts.strangers(),
                              request, now = service.env.clock.wall()] {
    HostsReply reply;
    Portion portion;
    for (auto& view : view_hosts(source, request, now)) {
      if (!portion.takes_value(view)) {
        reply.rest = {request.names, reply.hosts.back().host.name, request.with_cpus};
        break;
      }
      reply.hosts.push_back(std::move(view));
    }
    if (!reply.rest) reply.strangers = strangers;
    return reply;
  });
}

// The numbers need the claims of every job: a worker finds them, the loop does not wait.
void plans(Service& service, const Call& call, const PlansRequest& request) {
  auto reply = std::make_shared<PlansReply>();
  service.env.workers.read_store(
      [reply, state = service.journal.published_ptr(), now = service.env.clock.wall(),
       paths = request.paths] {
        for (auto& view : sched::view_plans(*state, now)) {
          if (!is_asked(paths, view.path)) continue;
          if (const PlanConf* conf = state->config->plan(view.path)) view.conf = *conf;
          reply->plans.push_back(std::move(view));
        }
      },
      [call, reply] { call.reply(*reply); });
}

void history(Service& service, const Call& call, const HistoryRequest& request) {
  read_acct(service, call, service.history, request, service.env.clock.mono() + kPatience);
}

void account(Service& service, const Call& call, const AcctRequest& request) {
  read_acct(service, call, service.account, request, service.env.clock.mono() + kPatience);
}

void state(Service& service, const Call& call, const StateRequest&) {
  auto reply = std::make_shared<StateReply>();
  service.env.workers.read_store(
      [reply, state = service.journal.published_ptr()] {
        reply->packed = image_of(Cluster(*state));
      },
      [call, reply] { call.reply(*reply); });
}

void ping(Service& service, const Call& call, const PingRequest&) {
  const auto& conf = service.journal.published().config->cluster;
  call.reply(PingReply{conf.name, conf.master_host, WM_VERSION});
}

}  // namespace wm::master::verbs
