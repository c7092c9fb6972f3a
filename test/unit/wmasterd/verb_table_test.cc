// Who may do what, from the table of verbs: every verb is asked by everybody about a job of one of
// them, and is refused exactly to those whom the table leaves out.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "daemons/wmasterd/verbs/table.h"
#include "libwm/model/verbs/budget_verbs.h"
#include "libwm/model/verbs/change_verbs.h"
#include "libwm/model/verbs/group_verbs.h"
#include "libwm/model/verbs/pack_verbs.h"
#include "libwm/model/verbs/reservation_verbs.h"
#include "libwm/model/verbs/run_verbs.h"
#include "libwm/model/verbs/token_verbs.h"
#include "libwm/model/verbs/watch_verbs.h"
#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;

const Identity kQueueAdmin{1004, 1004, "qadmin"};
const Identity kRoot{0, 0, "root"};

struct Asking {
  const char* name;
  Identity who;
  Roles roles;  // towards a job of u1 in the queue of qadmin
};
const Asking kAskers[] = {{"owner", kUser, {true, false, false}},
                          {"other", kOther, {}},
                          {"administrator of the queue", kQueueAdmin, {false, true, false}},
                          {"administrator", kBoss, {false, false, true}},
                          {"root", kRoot, {false, false, true}}};

template <class Request>
std::string about(JobId id, Request request = {}) {
  request.request_key = key("same");
  if constexpr (requires { request.jobs.ids; }) request.jobs.ids = {id};
  else if constexpr (requires { request.jobs; }) request.jobs = {id};
  else request.job = id;
  return codec::encode(request);
}

std::string admin_bytes(AdminRequest::Act act, std::vector<std::string> names) {
  return codec::encode(AdminRequest{key("same"), act, std::move(names), "", {}});
}

template <class Request>
std::string about_tokens(Request request) {
  request.request_key = key("same");
  return codec::encode(request);
}

// A request of every verb, about the job or its queue.
std::map<Verb, std::string> requests_about(JobId id) {
  SwitchRequest to_normal;
  to_normal.queue = "normal";
  ModifyRequest signed_by_owner;
  signed_by_owner.credential = "1001";
  return {{Verb::Submit, codec::encode(SubmitRequest{})},
          {Verb::Pack, codec::encode(PackRequest{})},
          {Verb::Kill, about<KillRequest>(id)},
          {Verb::Requeue, about<RequeueRequest>(id)},
          {Verb::Release, about<ReleaseRequest>(id)},
          {Verb::Resize, about<ResizeRequest>(id)},
          {Verb::Give, about<GiveRequest>(id)},
          {Verb::Peek, codec::encode(ClientPeek{id, {}, 1, 0})},
          {Verb::Switch, about(id, to_normal)},
          {Verb::Limit, about<LimitRequest>(id)},
          {Verb::Spec, codec::encode(SpecRequest{id})},
          {Verb::Modify, about(id, signed_by_owner)},
          {Verb::Attach, codec::encode(AttachRequest{id, {}, {}})},
          {Verb::Move, about<MoveRequest>(id)},
          {Verb::Admin, admin_bytes(AdminRequest::Act::QueueClose, {"normal"})},
          {Verb::Audit, codec::encode(AuditRequest{})},
          {Verb::State, codec::encode(StateRequest{})},
          {Verb::Reserve, codec::encode(ReserveRequest{key("same")})},
          {Verb::Reservations, codec::encode(ReservationsRequest{})},
          {Verb::Group, codec::encode(GroupRequest{key("same")})},
          {Verb::Groups, codec::encode(GroupsRequest{})},
          {Verb::Post, about<PostRequest>(id)},
          {Verb::Notes, codec::encode(NotesRequest{id})},
          {Verb::RunNow, about<RunNowRequest>(id)},
          {Verb::Migrate, about<MigrateRequest>(id)},
          {Verb::Conf, codec::encode(ConfRequest{})},
          {Verb::Perfmon, codec::encode(PerfmonRequest{})},
          {Verb::Jobs, codec::encode(JobsRequest{})},
          {Verb::Queues, codec::encode(QueuesRequest{})},
          {Verb::Hosts, codec::encode(HostsRequest{})},
          {Verb::Plans, codec::encode(PlansRequest{})},
          {Verb::Budgets, codec::encode(BudgetsRequest{})},
          {Verb::History, codec::encode(AcctRequest{})},
          {Verb::Account, codec::encode(AcctRequest{})},
          {Verb::Wait, codec::encode(WaitRequest{id, JobState::Array, {}})},
          {Verb::Watch, codec::encode(WatchRequest{})},
          {Verb::Await, codec::encode(AwaitRequest{"ended(" + to_string(id) + ")", {}})},
          {Verb::Revoke, about_tokens(RevokeRequest{})},
          {Verb::Revoked, codec::encode(RevokedRequest{})},
          {Verb::Note, about_tokens(NoteRequest{})},
          {Verb::Runs, codec::encode(RunsRequest{})},
          {Verb::DeleteRuns, codec::encode(DeleteRunsRequest{key("same"), {id}})},
          {Verb::DescribeRun, codec::encode(DescribeRunRequest{key("same"), id, {}, {}})},
          {Verb::Archive, codec::encode(ArchiveRequest{})},
          {Verb::Ping, codec::encode(PingRequest{})}};
}

// A master with a job of u1 that waits, in a queue that qadmin runs.
struct TableDesk : Desk {
  JobId id;
  TableDesk() {
    for (auto& queue : past.config.queues) queue.admins = {"qadmin"};
    past.reconfigure();
    id = past.submit(SpecBuilder());
    start();
  }
  // Was the caller denied it, as a whole or about the job?
  bool denied(Verb verb, const std::string& bytes, const Identity& who) {
    first.frames.clear();
    send(first, verb, bytes, who);
    settle();
    if (first.frames.empty()) return ADD_FAILURE() << "no answer", true;
    if (first.frames.back().type == Verb::Failed)
      return first.refusal().code == number(Code::Denied);
    auto outcome = codec::decode<OutcomeReply>(first.frames.back().bytes);
    return outcome && outcome->jobs.size() == 1 && outcome->jobs[0].job == id &&
           outcome->jobs[0].code == number(Code::Denied);
  }
};

TEST(verb_table, every_verb_is_there_once_and_has_a_request_here) {
  std::set<Verb> seen;
  auto requests = requests_about({1, 0});
  for (const auto& row : verb_table()) {
    EXPECT_TRUE(seen.insert(row.verb).second) << static_cast<int>(row.verb);
    EXPECT_TRUE(requests.count(row.verb)) << static_cast<int>(row.verb);
  }
  EXPECT_EQ(seen.size(), requests.size());
}

TEST(verb_table, each_verb_serves_those_whom_the_table_names_and_nobody_else) {
  for (const auto& row : verb_table()) {
    if (row.may == May::Anyone) continue;
    for (const auto& asking : kAskers) {
      TableDesk desk;
      EXPECT_EQ(desk.denied(row.verb, requests_about(desk.id)[row.verb], asking.who),
                !allows(row.may, asking.roles))
          << "verb " << static_cast<int>(row.verb) << " asked by the " << asking.name;
    }
  }
}

TEST(verb_table, what_anyone_may_ask_is_denied_to_nobody) {
  for (const auto& row : verb_table()) {
    if (row.may != May::Anyone || row.verb == Verb::Submit) continue;  // it has to be signed
    for (const auto& asking : kAskers) {
      TableDesk desk;
      desk.core->clients().set_accounting(nullptr, [](const AcctRequest&) { return AcctReply{}; });
      EXPECT_FALSE(desk.denied(row.verb, requests_about(desk.id)[row.verb], asking.who))
          << "verb " << static_cast<int>(row.verb) << " asked by the " << asking.name;
    }
  }
}

TEST(verb_table, administrators_of_a_queue_may_do_nothing_about_hosts_or_the_whole) {
  for (auto act : {AdminRequest::Act::HostClose, AdminRequest::Act::Reconfig,
                   AdminRequest::Act::RebuildAcct, AdminRequest::Act::GpuClose}) {
    TableDesk desk;
    EXPECT_TRUE(desk.denied(Verb::Admin, admin_bytes(act, {"normal"}), kQueueAdmin));
  }
}

TEST(verb_table, of_several_queues_all_have_to_be_ones_that_he_runs) {
  TableDesk desk;
  auto both = admin_bytes(AdminRequest::Act::QueueClose, {"normal", "no_such_queue"});
  EXPECT_TRUE(desk.denied(Verb::Admin, both, kQueueAdmin));
  EXPECT_FALSE(desk.denied(Verb::Admin, both, kBoss));
}

TEST(verb_table, who_owns_a_job_and_runs_its_queue_is_both) {
  EXPECT_TRUE(allows(May::Owner, {true, true, false}));
  EXPECT_TRUE(allows(May::QueueAdmin, {true, true, false}));
  EXPECT_FALSE(allows(May::Owner, {false, true, true})) << "acting as him";
  EXPECT_FALSE(allows(May::Admin, {true, true, false}));
}

}  // namespace
}  // namespace wm::master
