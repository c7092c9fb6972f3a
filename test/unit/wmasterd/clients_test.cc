// What clients ask, against the real core on a simulated env: a request key means one deed,
// who may do what, what a refusal says, who is told of a job's end.
#include "daemons/wmasterd/verbs/clients.h"

#include <gtest/gtest.h>

#include "daemons/wmasterd/verbs/admission.h"
#include "libwm/codec/packed.h"
#include "libwm/model/verbs/group_verbs.h"
#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;

TEST(clients, a_repeated_submission_is_one_job_with_one_answer) {
  Desk desk;
  desk.start();
  auto id = desk.submit("one");
  EXPECT_EQ(desk.submit("one"), id);
  ASSERT_EQ(desk.first.frames.size(), 2u);
  EXPECT_EQ(desk.first.frames[1], desk.first.frames[0]);
  EXPECT_NE(desk.submit("two"), id);
  EXPECT_EQ(desk.jobs(), 2u);
}

TEST(clients, a_repeat_while_the_first_is_under_way_waits_for_its_answer) {
  Desk desk;
  desk.start();
  auto bytes = codec::encode(desk.submission("one"));
  desk.send(desk.first, Verb::Submit, bytes);
  desk.send(desk.second, Verb::Submit, bytes);
  desk.settle();
  ASSERT_EQ(desk.first.frames.size(), 1u);
  EXPECT_EQ(desk.first.frames[0].type, Verb::Submit);
  EXPECT_EQ(desk.second.frames, desk.first.frames);
  EXPECT_EQ(desk.jobs(), 1u);
}

TEST(clients, a_repeat_after_a_restart_gets_the_first_answer) {
  Desk desk;
  desk.start();
  desk.submit("one");
  desk.restart();
  desk.submit("one");
  ASSERT_EQ(desk.first.frames.size(), 2u);
  EXPECT_EQ(desk.first.frames[1], desk.first.frames[0]);
  EXPECT_EQ(desk.jobs(), 1u);
}

TEST(clients, a_repeated_kill_and_resize_get_their_first_answers) {
  ElasticDesk desk;
  desk.ask(Verb::Resize, desk.release(1, "resize"));
  desk.ask(Verb::Resize, desk.release(1, "resize"));
  desk.ask(Verb::Kill, desk.kill(desk.id));
  auto events = desk.disk.events.size();
  desk.ask(Verb::Kill, desk.kill(desk.id));
  ASSERT_EQ(desk.first.frames.size(), 4u);
  EXPECT_EQ(desk.first.frames[1], desk.first.frames[0]);
  EXPECT_EQ(desk.first.frames[3], desk.first.frames[2]);
  EXPECT_EQ(desk.disk.events.size(), events);
}

TEST(clients, a_repeated_hold_and_a_repeated_close_get_their_first_answers) {
  Desk desk;
  desk.start();
  ReleaseRequest hold{key("hold"), {}, true};
  hold.jobs.ids = {desk.submit("one")};
  AdminRequest close{key("close"), AdminRequest::Act::QueueClose, {"normal"}, ""};
  desk.first.frames.clear();
  desk.ask(Verb::Release, hold);
  desk.ask(Verb::Admin, close, kBoss);
  auto events = desk.disk.events.size();
  desk.restart();
  desk.first.frames.resize(2);
  desk.ask(Verb::Release, hold);
  desk.ask(Verb::Admin, close, kBoss);
  ASSERT_EQ(desk.first.frames.size(), 4u);
  EXPECT_EQ(desk.first.frames[2], desk.first.frames[0]);
  EXPECT_EQ(desk.first.frames[3], desk.first.frames[1]);
  EXPECT_EQ(desk.disk.events.size(), events);
}

TEST(clients, a_kill_repeated_while_the_first_is_under_way_waits_for_its_answer) {
  Desk desk;
  desk.start();
  auto bytes = codec::encode(desk.kill(desk.submit("one")));
  desk.first.frames.clear();
  desk.send(desk.first, Verb::Kill, bytes);
  desk.send(desk.second, Verb::Kill, bytes);
  desk.settle();
  ASSERT_EQ(desk.first.frames.size(), 1u);
  EXPECT_EQ(desk.second.frames, desk.first.frames);
  EXPECT_EQ(desk.first.last<OutcomeReply>().jobs[0].code, number(Code::Ok));
}

TEST(clients, a_job_signed_by_the_sessions_own_proof_needs_no_other_credential) {
  Desk desk;
  desk.start();
  auto request = desk.submission("one", {}, "");
  auto digest = desk.env->hash(request.spec + request.request_key);
  auto ask = [&](const Caller& caller) {
    desk.core->clients().on_frame(desk.first.id, caller, static_cast<std::uint16_t>(Verb::Submit),
                                  codec::encode(request));
    desk.settle();
  };
  ask({kUser, "session credential", "something else"});
  EXPECT_EQ(desk.first.refusal().code, number(Code::Denied));
  ask({kUser, "session credential", ""});
  EXPECT_EQ(desk.first.refusal().code, number(Code::Denied));
  EXPECT_EQ(desk.jobs(), 0u);
  ask({kUser, "session credential", digest});
  auto id = desk.first.last<SubmitReply>().job;
  EXPECT_EQ(find_job(desk.state(), id)->sealed->credential, "session credential");
  EXPECT_EQ(find_job(desk.state(), id)->spec().owner, kUser);
}

TEST(clients, accounting_is_made_again_for_administrators_and_told_when_it_is) {
  Desk desk;
  desk.start();
  std::function<void(Result<Seq>)> finish;
  desk.core->clients().set_accounting([&](auto done) { finish = std::move(done); }, nullptr);
  AdminRequest request{key("a1"), AdminRequest::Act::RebuildAcct, {}, ""};
  desk.ask(Verb::Admin, request);
  EXPECT_EQ(desk.first.refusal().code, number(Code::Denied));
  EXPECT_FALSE(finish);
  request.request_key = key("a2");
  desk.first.frames.clear();
  desk.ask(Verb::Admin, request, kBoss);
  EXPECT_TRUE(desk.first.frames.empty());
  finish(Seq{42});
  desk.settle();
  EXPECT_EQ(desk.first.last<AdminReply>().lines,
            (std::vector<std::string>{"Accounting is made again, up to event 42"}));
  request.request_key = key("a3");
  desk.ask(Verb::Admin, request, kBoss);
  finish(fail(Code::Store, "acct.db: disk I/O error"));
  desk.settle();
  EXPECT_EQ(desk.first.refusal(), (VerbError{number(Code::Store), "acct.db: disk I/O error"}));
}

TEST(clients, accounting_that_is_behind_is_asked_again) {
  Desk desk;
  desk.start();
  int behind = 3;
  desk.core->clients().set_accounting(nullptr, [&](const AcctRequest&) -> Result<AcctReply> {
    if (behind-- > 0) return fail(Code::Timeout, "7 events behind");
    return AcctReply{{{.id = {5, 0}}}, {}};
  });
  desk.ask(Verb::Account, AcctRequest{});
  EXPECT_EQ(desk.first.last<AcctReply>().jobs.size(), 1u);
  behind = 1 << 20;
  desk.ask(Verb::Account, AcctRequest{});
  desk.sim.run(desk.sim.now() + std::chrono::minutes(1));
  EXPECT_EQ(desk.first.refusal().text, "7 events behind") << "not for ever";
}

// A job of u1 with something in every text that its owner wrote, as u2 and others see it.
struct PrivateDesk : Desk {
  explicit PrivateDesk(JobInfo info) {
    past.config.cluster.job_info = info;
    past.reconfigure();
    SpecBuilder builder;
    builder.spec.name = builder.spec.program.command = builder.spec.program.cwd = "secret";
    builder.spec.files.out = builder.spec.description = builder.spec.side.pre = "secret";
    start();
    id = submit("one", builder);
    core->clients().set_accounting(nullptr, [&](const AcctRequest&) -> Result<AcctReply> {
      AcctJob job{.id = id, .user = "u1", .name = "secret", .queue = "normal"};
      job.command = "secret";
      return AcctReply{{job}, {}};
    });
  }
  JobsReply listed(const Identity& who, const std::string& name = "") {
    JobsRequest request;
    request.jobs.user = "all";
    request.jobs.name = name;
    ask(Verb::Jobs, request, who);
    return first.last<JobsReply>();
  }
  bool tells_secret() const {
    return first.frames.back().bytes.find("secret") != std::string::npos;
  }
  JobId id;
};

TEST(clients, a_summary_of_others_jobs_has_nothing_that_they_wrote) {
  PrivateDesk desk(JobInfo::Summary);
  auto seen = desk.listed(kOther);
  ASSERT_EQ(seen.jobs.size(), 1u);
  EXPECT_EQ(seen.jobs[0].job->spec().owner, kUser);
  EXPECT_EQ(seen.jobs[0].job->spec().queue, "normal");
  EXPECT_FALSE(seen.jobs[0].reasons.empty());
  EXPECT_FALSE(desk.tells_secret());
  EXPECT_TRUE(desk.listed(kOther, "sec*").jobs.empty()) << "names cannot be guessed at";
  desk.ask(Verb::Account, AcctRequest{}, kOther);
  ASSERT_EQ(desk.first.last<AcctReply>().jobs.size(), 1u);
  EXPECT_FALSE(desk.tells_secret());
  for (const auto& who : {kUser, kBoss}) {
    desk.listed(who);
    EXPECT_TRUE(desk.tells_secret()) << who.user;
    desk.ask(Verb::Account, AcctRequest{}, who);
    EXPECT_TRUE(desk.tells_secret()) << who.user;
  }
}

/// What is said of that job, without its number.
template <class Request>
std::string said_of(PrivateDesk& desk, Verb verb, Request request, JobId id, const Identity& who) {
  request.job = id;
  if constexpr (requires { request.request_key; }) request.request_key = std::string(16, 'k');
  desk.ask(verb, request, who);
  auto text = desk.first.refusal().text;
  auto number = text.find(to_string(id));
  if (number != std::string::npos) text.erase(number, to_string(id).size());
  return std::to_string(static_cast<int>(desk.first.refusal().code)) + " " + text;
}

TEST(clients, who_is_not_to_see_a_job_hears_of_every_verb_that_there_is_none) {
  PrivateDesk desk(JobInfo::None);
  const JobId none{desk.id.job + 4711, 0};
  auto same = [&]<class Request>(Verb verb, Request request) {
    auto hidden = said_of(desk, verb, request, desk.id, kOther);
    EXPECT_EQ(hidden, said_of(desk, verb, request, none, kOther)) << static_cast<int>(verb);
    EXPECT_EQ(hidden.find("denied"), std::string::npos) << hidden;
  };
  same(Verb::Peek, ClientPeek{});
  same(Verb::Peek, ClientPeek{.stream = kScriptStream});
  same(Verb::Notes, NotesRequest{});
  same(Verb::Post, PostRequest{});
  same(Verb::Wait, WaitRequest{});
  same(Verb::Attach, AttachRequest{});
  same(Verb::Resize, ResizeRequest{});
  for (JobId id : {desk.id, none}) {
    desk.ask(Verb::Await, AwaitRequest{.condition = "ended(" + to_string(id) + ")"}, kOther);
    EXPECT_EQ(desk.first.refusal().text, "Job <" + to_string(id) + ">: No matching job found");
  }
}

TEST(clients, others_jobs_that_are_not_shown_are_not_found) {
  PrivateDesk desk(JobInfo::None);
  EXPECT_TRUE(desk.listed(kOther).jobs.empty());
  JobsRequest request;
  request.jobs.ids = {desk.id};
  desk.ask(Verb::Jobs, request, kOther);
  EXPECT_EQ(desk.first.last<JobsReply>().missing, std::vector{desk.id});
  desk.ask(Verb::Account, AcctRequest{}, kOther);
  EXPECT_TRUE(desk.first.last<AcctReply>().jobs.empty());
  desk.core->clients().set_accounting(nullptr, [&](const AcctRequest&) -> Result<AcctReply> {
    AcctReply reply;
    reply.sums = {{"u1", "normal", "/a", {}}, {kOther.user, "normal", "/a", {}}};
    return reply;
  });
  desk.ask(Verb::Account, AcctRequest{}, kOther);
  ASSERT_EQ(desk.first.last<AcctReply>().sums.size(), 1u) << "nor what they come to";
  EXPECT_EQ(desk.first.last<AcctReply>().sums[0].user, kOther.user);
  EXPECT_EQ(desk.listed(kUser).jobs.size(), 1u);
}

TEST(clients, by_default_everybody_sees_all_of_a_job) {
  PrivateDesk desk(JobInfo::All);
  desk.listed(kOther);
  EXPECT_TRUE(desk.tells_secret());
}

TEST(clients, another_users_kill_is_denied_and_an_admins_is_not) {
  Desk desk;
  desk.start();
  auto id = desk.submit("one");
  desk.ask(Verb::Kill, desk.kill(id, "k1"), kOther);
  auto outcome = desk.first.last<OutcomeReply>().jobs;
  ASSERT_EQ(outcome.size(), 1u);
  EXPECT_EQ(outcome[0].code, number(Code::Denied));
  EXPECT_EQ(desk.state_of(id), JobState::Pending);
  desk.ask(Verb::Kill, desk.kill(id, "k2"), kBoss);
  EXPECT_EQ(desk.first.last<OutcomeReply>().jobs[0].code, number(Code::Ok));
  EXPECT_EQ(desk.state_of(id), JobState::Killed);
  EXPECT_EQ(find_job(desk.state(), id)->outcome.term, Term::Admin);
}

TEST(clients, administrators_of_a_queue_run_it_and_no_other) {
  Desk desk;
  QueueConf night;
  night.name = "night";
  night.admins = {"u2"};
  desk.past.config.queues.insert(desk.past.config.queues.begin(), night);  // by name
  desk.past.reconfigure();
  desk.start();
  int asked = 0;
  auto admin = [&](AdminRequest::Act act, const std::vector<std::string>& names) {
    desk.ask(Verb::Admin, AdminRequest{key("a" + std::to_string(++asked)), act, names, ""}, kOther);
    return desk.first.frames.back().type == Verb::Admin;
  };
  using Act = AdminRequest::Act;
  EXPECT_TRUE(admin(Act::QueueInactivate, {"night"}));
  EXPECT_TRUE(desk.state().queues.find("night")->second.inactive);
  EXPECT_FALSE(admin(Act::QueueInactivate, {"night", "normal"}));
  EXPECT_FALSE(admin(Act::QueueInactivate, {}));
  EXPECT_FALSE(admin(Act::Reconfig, {"night"}));
  auto theirs = desk.submit("one", SpecBuilder().queue("night")), other = desk.submit("two");
  desk.ask(Verb::Move, MoveRequest{key("m1"), {theirs}}, kOther);
  EXPECT_EQ(desk.first.last<OutcomeReply>().jobs[0].code, number(Code::Ok));
  desk.ask(Verb::Move, MoveRequest{key("m2"), {theirs, other}}, kOther);
  EXPECT_EQ(desk.first.refusal().code, number(Code::Denied));
  auto kill = desk.kill(theirs, "k1");
  kill.jobs.ids = {theirs, other};
  desk.ask(Verb::Kill, kill, kOther);
  EXPECT_EQ(desk.state_of(theirs), JobState::Killed);
  EXPECT_EQ(desk.state_of(other), JobState::Pending);
}

TEST(clients, only_administrators_close_queues) {
  Desk desk;
  desk.start();
  AdminRequest request{key("a1"), AdminRequest::Act::QueueClose, {"normal"}, "repair"};
  desk.ask(Verb::Admin, request);
  EXPECT_EQ(desk.first.refusal().code, number(Code::Denied));
  EXPECT_TRUE(desk.state().queues.empty());
  request.request_key = key("a2");
  desk.ask(Verb::Admin, request, kBoss);
  EXPECT_EQ(desk.first.last<AdminReply>().lines,
            (std::vector<std::string>{"Queue <normal> is closed"}));
  EXPECT_TRUE(desk.state().queues.at("normal").closed);
  desk.ask(Verb::Admin, AdminRequest{key("a3"), AdminRequest::Act::QueueOpen, {"normal"}, ""},
           {0, 0, "root"});
  EXPECT_FALSE(desk.state().queues.count("normal") && desk.state().queues.at("normal").closed);
}

TEST(clients, an_unknown_verb_is_told_so) {
  Desk desk;
  desk.start();
  desk.send(desk.first, static_cast<Verb>(999), "");
  desk.settle();
  EXPECT_EQ(desk.first.refusal().code, number(Code::Version));
}

TEST(clients, malformed_bytes_are_refused_whatever_the_verb) {
  Desk desk;
  desk.start();
  std::size_t asked = 0;
  for (auto verb = static_cast<int>(Verb::Submit); verb <= static_cast<int>(Verb::Ping); ++verb) {
    desk.send(desk.first, static_cast<Verb>(verb), "\xff\xff\xff");
    desk.settle();
    EXPECT_EQ(desk.first.frames.size(), ++asked) << "verb " << verb;
    EXPECT_NE(desk.first.refusal().text, "") << "verb " << verb;
  }
  desk.ask(Verb::Submit, SubmitRequest{key("one"), "\xff\xff\xff", "1001", "", ""});
  desk.first.refusal();
  desk.ask(Verb::Submit, SubmitRequest{"short", "", "1001", "", ""});
  EXPECT_EQ(desk.first.refusal().text, "a request key has 16 bytes, not 5");
  EXPECT_EQ(desk.jobs(), 0u);
}

TEST(clients, who_waits_for_a_job_is_told_when_its_state_changes) {
  Desk desk;
  desk.start();
  auto id = desk.submit("one");
  desk.send(desk.second, Verb::Wait, codec::encode(WaitRequest{id, JobState::Pending}));
  desk.submit("two");
  EXPECT_TRUE(desk.second.frames.empty()) << "nothing changed";
  desk.ask(Verb::Kill, desk.kill(id));
  ASSERT_EQ(desk.second.frames.size(), 1u);
  EXPECT_EQ(desk.second.last<WaitReply>().state, JobState::Killed);
  EXPECT_EQ(desk.second.last<WaitReply>().term, Term::Owner);
  desk.ask(Verb::Wait, WaitRequest{id, JobState::Pending});
  EXPECT_EQ(desk.first.last<WaitReply>().state, JobState::Killed) << "told at once";
  desk.ask(Verb::Wait, WaitRequest{{99, 0}, JobState::Pending});
  EXPECT_EQ(desk.first.refusal().code, number(Code::NotFound));
}

TEST(clients, a_signal_that_nobody_could_hear_is_refused) {
  Desk desk;
  auto host = desk.past.host(1);
  auto runs = desk.past.submit({}), waits = desk.past.submit({});
  desk.past.run(runs, {host});
  desk.start();  // the host has not come back to it
  auto request = desk.kill(runs);
  request.jobs.ids = {runs, waits};
  request.signal = 10;
  desk.ask(Verb::Kill, request);
  auto outcomes = desk.first.last<OutcomeReply>().jobs;
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].code, number(Code::Unavailable));
  EXPECT_EQ(outcomes[1].text, "Job <2>: Job has not started yet");
}

TEST(clients, who_has_left_is_not_waited_for) {
  Desk desk;
  desk.start();
  auto id = desk.submit("one");
  desk.send(desk.second, Verb::Wait, codec::encode(WaitRequest{id, JobState::Pending}));
  desk.core->clients().on_left(desk.second.id);
  desk.ask(Verb::Kill, desk.kill(id));
  EXPECT_TRUE(desk.second.frames.empty());
}

TEST(clients, a_write_while_the_store_fails_is_refused_and_can_be_repeated) {
  Desk desk;
  desk.start();
  desk.disk.failing = true;
  desk.ask(Verb::Submit, desk.submission("one"));
  EXPECT_EQ(desk.first.refusal().code, number(Code::Store));
  EXPECT_EQ(desk.jobs(), 0u);
  desk.disk.failing = false;
  desk.sim.run(desk.sim.now() + std::chrono::seconds(2));
  desk.submit("one");
  EXPECT_EQ(desk.jobs(), 1u);
}

TEST(clients, a_request_key_is_the_callers_own) {
  Desk desk;
  desk.start();
  auto one = desk.submit("same");
  desk.ask(Verb::Submit, desk.submission("same", {}, "1002"), kOther);
  auto other = desk.first.last<SubmitReply>().job;
  EXPECT_NE(other, one) << "the answer to somebody else's request";
  EXPECT_EQ(desk.jobs(), 2u);
  desk.ask(Verb::Submit, desk.submission("same", {}, "1002"), kOther);
  EXPECT_EQ(desk.first.last<SubmitReply>().job, other);
  desk.ask(Verb::Submit, desk.submission("same"));
  EXPECT_EQ(desk.first.last<SubmitReply>().job, one);
  EXPECT_EQ(desk.jobs(), 2u);
}

TEST(clients, a_request_key_of_another_says_nothing_while_its_request_is_under_way) {
  Desk desk;
  desk.start();
  desk.send(desk.first, Verb::Submit, codec::encode(desk.submission("same")));
  desk.send(desk.second, Verb::Submit, codec::encode(desk.submission("same", {}, "1002")), kOther);
  desk.settle();
  EXPECT_NE(desk.first.last<SubmitReply>().job, desk.second.last<SubmitReply>().job);
}

}  // namespace
}  // namespace wm::master
