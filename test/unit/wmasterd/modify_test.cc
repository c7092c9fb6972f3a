// What waiting jobs ask for is changed, against the real core on a simulated env: in another
// queue what was left open is filled in anew, and what it would not have taken it does not take.
#include <gtest/gtest.h>

#include "daemons/wmasterd/verbs/admission.h"
#include "daemons/wmasterd/verbs/clients.h"
#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;

/// A master with queues normal and night, which is of another plan and takes 4 tasks at most.
struct NightDesk : Desk {
  NightDesk() {
    PlanConf plan;
    plan.path = "/dark";
    past.config.plans.push_back(plan);
    QueueConf night;
    night.name = "night";
    night.plan = "/dark";
    night.max_tasks = 4;
    past.config.queues.insert(past.config.queues.begin(), night);  // by name
    past.reconfigure();
    start();
  }
  std::vector<JobOutcome> put(const std::vector<JobId>& ids, const std::string& queue = "night",
                              const Identity& who = kUser) {
    SwitchRequest request{key("s" + std::to_string(++requests)), {}, queue};
    request.jobs.ids = ids;
    ask(Verb::Switch, request, who);
    if (first.frames.back().type == Verb::Failed) return {};
    return first.last<OutcomeReply>().jobs;
  }
  const JobSpec& spec(JobId id) const { return find_job(state(), id)->spec(); }
  int requests = 0;
};

TEST(modify, in_another_queue_what_was_left_open_is_as_that_queue_has_it) {
  NightDesk desk;
  auto open = desk.submit("open", SpecBuilder().queue("").plan(""));
  auto said = desk.submit("said", SpecBuilder().plan("/"));
  auto done = desk.put({open, said});
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0], (JobOutcome{open, 0, "Job <1> is switched to queue <night>"}));
  EXPECT_EQ(desk.spec(open).queue, "night");
  EXPECT_EQ(desk.spec(open).plan, "/dark");
  EXPECT_EQ(desk.spec(said).plan, "/");
  EXPECT_EQ(desk.spec(said).owner, kUser);
  desk.restart();
  EXPECT_EQ(desk.spec(open).queue, "night");
}

TEST(modify, what_was_signed_stays_what_hosts_check) {
  NightDesk desk;
  auto id = desk.submit("one");
  auto before = find_job(desk.state(), id)->sealed;
  desk.put({id});
  auto after = find_job(desk.state(), id)->sealed;
  EXPECT_EQ(after->bytes, before->bytes);
  EXPECT_EQ(after->credential, before->credential);
  EXPECT_EQ(after->request_key, before->request_key);
}

TEST(modify, a_queue_takes_what_it_would_take_from_a_new_job) {
  NightDesk desk;
  auto wide = desk.submit("wide", SpecBuilder().tasks(5, 5)), narrow = desk.submit("narrow");
  auto done = desk.put({wide, narrow});
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0].code, number(Code::Limit));
  EXPECT_EQ(done[0].text, "Job <1>: Too many processors requested: 5, queue 'night' allows 4");
  EXPECT_EQ(desk.spec(wide).queue, "normal");
  EXPECT_EQ(desk.spec(narrow).queue, "night");
  desk.put({narrow}, "nigth");
  EXPECT_EQ(desk.first.refusal(), (VerbError{number(Code::NotFound), "nigth: No such queue"}));
}

TEST(modify, others_jobs_are_an_administrators) {
  NightDesk desk;
  auto id = desk.submit("one");
  EXPECT_EQ(desk.put({id}, "night", kOther)[0].code, number(Code::Denied));
  EXPECT_EQ(desk.spec(id).queue, "normal");
  EXPECT_EQ(desk.put({id}, "night", kBoss)[0].code, 0);
  EXPECT_EQ(desk.spec(id).queue, "night");
  EXPECT_EQ(desk.spec(id).owner, kUser);
}

TEST(modify, each_job_is_answered_by_how_it_stands) {
  NightDesk desk;
  auto over = desk.submit("over"), id = desk.submit("one");
  desk.ask(Verb::Kill, desk.kill(over));
  auto done = desk.put({over, id, {99, 0}});
  std::map<JobId, std::string> texts;
  for (const auto& outcome : done) texts[outcome.job] = outcome.text;
  EXPECT_EQ(texts, (std::map<JobId, std::string>{{over, "Job <1>: Job has already finished"},
                                                 {id, "Job <2> is switched to queue <night>"},
                                                 {{99, 0}, "Job <99>: No matching job found"}}));
}

TEST(modify, an_array_goes_as_a_whole_and_an_element_by_itself) {
  NightDesk desk;
  auto array = desk.submit("array", SpecBuilder().array(1, 3));
  auto done = desk.put({{array.job, 2}});
  ASSERT_EQ(done.size(), 1u);
  EXPECT_EQ(done[0].text, "Job <1[2]> is switched to queue <night>");
  EXPECT_EQ(desk.spec(array).queue, "normal");
  EXPECT_EQ(desk.spec({array.job, 2}).queue, "night");
  EXPECT_EQ(desk.put({array}).size(), 1u);
  EXPECT_EQ(desk.spec(array).queue, "night");
  desk.ask(Verb::Kill, desk.kill(array));
  EXPECT_EQ(desk.put({array})[0].text, "Job <1>: Job has already finished");
}

TEST(modify, a_repeated_switch_gets_its_first_answer) {
  NightDesk desk;
  auto id = desk.submit("one");
  desk.put({id});
  auto events = desk.disk.events.size();
  --desk.requests;
  desk.put({id});
  EXPECT_EQ(desk.first.frames.back(), desk.first.frames[desk.first.frames.size() - 2]);
  EXPECT_EQ(desk.disk.events.size(), events);
}

// ---- bmod ----

struct ModDesk : NightDesk {
  SpecReply fetched(JobId id, const Identity& who = kUser) {
    ask(Verb::Spec, SpecRequest{id}, who);
    return first.frames.back().type == Verb::Failed ? SpecReply{} : first.last<SpecReply>();
  }
  // Fetched, changed and sent; the answer is in `first`.
  template <class Change>
  void modify(JobId id, Change change, const std::string& signer = "1001") {
    auto before = fetched(id);
    auto spec = codec::decode<JobSpec>(before.spec);
    ASSERT_TRUE(spec);
    change(*spec);
    send_change(
        {key("m" + std::to_string(++requests)), id, before.revision, codec::encode(*spec), signer});
  }
  void send_change(const ModifyRequest& request) { ask(Verb::Modify, request); }
};

TEST(modify, a_change_is_what_its_owner_signed) {
  ModDesk desk;
  auto id = desk.submit("one");
  desk.modify(id, [](JobSpec& spec) { spec.min_tasks = spec.max_tasks = 2; });
  EXPECT_EQ(desk.first.last<OutcomeReply>().jobs[0].text,
            "Parameters of job <1> are being changed");
  EXPECT_EQ(desk.spec(id).min_tasks, 2u);
  EXPECT_EQ(desk.spec(id).owner, kUser);
  EXPECT_EQ(codec::decode<JobSpec>(find_job(desk.state(), id)->sealed->bytes)->min_tasks, 2u);
  EXPECT_EQ(desk.jobs(), 1u);
  desk.restart();
  EXPECT_EQ(desk.spec(id).min_tasks, 2u);
}

TEST(modify, nobody_signs_for_another) {
  ModDesk desk;
  auto id = desk.submit("one");
  auto widen = [](JobSpec& spec) { spec.max_tasks = spec.min_tasks = 2; };
  desk.modify(id, widen, "1002");
  EXPECT_EQ(desk.first.refusal().text, "the job was signed by another account");
  EXPECT_EQ(desk.fetched(id, kOther), SpecReply{});
  EXPECT_EQ(desk.first.refusal(),
            (VerbError{number(Code::Denied), "Job <1>: User permission denied"}));
  EXPECT_EQ(desk.fetched(id, kBoss), SpecReply{}) << "not even an administrator";
  EXPECT_EQ(desk.spec(id).min_tasks, 1u);
  desk.modify(id, widen);
  EXPECT_EQ(desk.spec(id).min_tasks, 2u);
}

TEST(modify, a_change_of_what_is_not_there_any_more_is_refused) {
  ModDesk desk;
  auto id = desk.submit("one");
  auto before = desk.fetched(id);
  desk.put({id});
  desk.send_change({key("late"), id, before.revision, before.spec, "1001"});
  EXPECT_EQ(desk.first.refusal(), (VerbError{number(Code::Conflict),
                                             "Job <1>: was changed meanwhile; look at it again"}));
  EXPECT_EQ(desk.spec(id).queue, "night");
}

TEST(modify, the_queue_it_was_put_into_stays_unless_it_is_changed) {
  ModDesk desk;
  auto id = desk.submit("one");
  desk.put({id});
  desk.modify(id, [](JobSpec& spec) { spec.min_tasks = spec.max_tasks = 2; });
  EXPECT_EQ(desk.spec(id).queue, "night");
  desk.modify(id, [](JobSpec& spec) { spec.min_tasks = spec.max_tasks = 5; });
  EXPECT_EQ(desk.first.refusal().text, "Too many processors requested: 5, queue 'night' allows 4");
  EXPECT_EQ(desk.spec(id).min_tasks, 2u);
  desk.modify(id, [](JobSpec& spec) { spec.queue = "night"; });
  desk.modify(id, [](JobSpec& spec) { spec.queue = "normal"; });
  EXPECT_EQ(desk.spec(id).queue, "normal");
}

TEST(modify, the_jobs_a_condition_was_about_stay_unless_it_is_changed) {
  ModDesk desk;
  auto first = desk.submit("first", [] {
    SpecBuilder b;
    b.spec.name = "x";
    return b;
  }());
  auto id = desk.submit("one", [] {
    SpecBuilder b;
    b.spec.when.depend = "done(x)";
    return b;
  }());
  auto later = desk.submit("later", [] {
    SpecBuilder b;
    b.spec.name = "x";
    return b;
  }());
  desk.modify(id, [](JobSpec& spec) { spec.min_tasks = spec.max_tasks = 2; });
  EXPECT_EQ(desk.spec(id).when.depend, "done(" + to_string(first) + ")");
  desk.modify(id, [](JobSpec& spec) { spec.when.depend = "ended(x)"; });
  EXPECT_NE(desk.spec(id).when.depend.find("ended(" + to_string(later) + ")"), std::string::npos)
      << desk.spec(id).when.depend;
}

TEST(modify, nobody_waits_for_itself) {
  ModDesk desk;
  auto depending = [&](const std::string& name, const std::string& on) {
    SpecBuilder builder;
    builder.spec.when.depend = on;
    return desk.submit(name, builder);
  };
  auto first = depending("first", ""), second = depending("second", "done(1)");
  depending("third", "ended(2)");
  for (const char* on : {"done(1)", "done(2)", "(exit(3) || done(2))"}) {
    desk.modify(first, [&](JobSpec& spec) { spec.when.depend = on; });
    EXPECT_EQ(desk.first.refusal().text,
              "-w " + std::string(on) + ": the job would wait for itself");
  }
  EXPECT_EQ(desk.spec(first).when.depend, "");
  desk.ask(Verb::Kill, desk.kill(second));
  desk.modify(first, [&](JobSpec& spec) { spec.when.depend = "ended(3)"; });
  EXPECT_EQ(desk.spec(first).when.depend, "ended(3)");
}

TEST(modify, script_and_environment_are_what_they_were) {
  ModDesk desk;
  auto id = desk.submit("one");
  desk.modify(id, [](JobSpec& spec) { spec.program.env_hash = "other"; });
  EXPECT_EQ(desk.first.refusal().code, number(Code::Damaged));
}

TEST(modify, one_that_has_started_stays_as_it_is) {
  ModDesk desk;
  auto id = desk.submit("one");
  desk.ask(Verb::Kill, desk.kill(id));
  desk.modify(id, [](JobSpec& spec) { spec.run_limit = std::chrono::minutes(1); });
  EXPECT_EQ(desk.first.refusal().text, "Job <1>: Job has already finished");
}

TEST(modify, an_element_can_be_changed_by_itself) {
  ModDesk desk;
  auto id = desk.submit("array", SpecBuilder().array(1, 3));
  desk.modify({id.job, 2}, [](JobSpec& spec) { spec.run_limit = std::chrono::minutes(1); });
  EXPECT_EQ(desk.spec({id.job, 2}).run_limit, std::chrono::minutes(1));
  EXPECT_EQ(desk.spec(id).run_limit, Duration{});
  desk.ask(Verb::Spec, SpecRequest{{id.job, 9}});
  EXPECT_EQ(desk.first.refusal().code, number(Code::NotFound));
}

// ---- bmod -W ----

using std::chrono::hours;
using std::chrono::minutes;

/// u1's job of one hour runs in a queue of two at most; another waits behind it.
struct LimitDesk : NightDesk {
  JobId runs, waits;
  LimitDesk() {
    core.reset();
    past.config.queues.back().run_limit.max = hours(2);
    past.reconfigure();
    auto host = past.host(1);
    SpecBuilder hour;
    hour.spec.run_limit = hours(1);
    runs = past.submit(hour);
    past.run(runs, {host});
    disk.events.clear();
    restart();
    waits = submit("waits", hour);
  }
  JobOutcome limit(JobId id, Duration limit, const Identity& who = kUser) {
    LimitRequest request{key("l" + std::to_string(++requests)), {}, limit};
    request.jobs.ids = {id};
    ask(Verb::Limit, request, who);
    return first.last<OutcomeReply>().jobs.at(0);
  }
};

TEST(modify, of_what_runs_its_owner_can_lower_the_run_limit) {
  LimitDesk desk;
  ASSERT_EQ(desk.state_of(desk.runs), JobState::Running);
  EXPECT_EQ(desk.limit(desk.runs, minutes(30)),
            (JobOutcome{desk.runs, 0, "Parameters of job <1> are being changed"}));
  EXPECT_EQ(desk.spec(desk.runs).run_limit, minutes(30));
  auto refused = desk.limit(desk.runs, hours(1));
  EXPECT_EQ(refused.code, number(Code::Denied));
  EXPECT_EQ(refused.text,
            "Job <1>: Job has started: only an administrator can raise its run limit of 30m");
  EXPECT_EQ(desk.limit(desk.runs, {}).code, number(Code::Denied)) << "none at all";
  EXPECT_EQ(desk.limit(desk.runs, minutes(15), kOther).code, number(Code::Denied));
  desk.restart();
  EXPECT_EQ(desk.spec(desk.runs).run_limit, minutes(30));
}

TEST(modify, an_administrator_can_raise_it_beyond_what_the_queue_allows) {
  LimitDesk desk;
  EXPECT_EQ(desk.limit(desk.runs, hours(9), kBoss).code, 0);
  EXPECT_EQ(desk.spec(desk.runs).run_limit, hours(9));
  EXPECT_EQ(desk.spec(desk.runs).owner, kUser);
}

TEST(modify, of_what_waits_the_queue_bounds_it) {
  LimitDesk desk;
  EXPECT_EQ(desk.limit(desk.waits, hours(2)).code, 0);
  EXPECT_EQ(desk.limit(desk.waits, hours(3), kBoss).code, number(Code::Limit));
  EXPECT_EQ(desk.spec(desk.waits).run_limit, hours(2));
}

TEST(modify, a_run_limit_stays_when_other_things_are_changed) {
  ModDesk desk;
  auto id = desk.submit("one");
  LimitRequest request{key("l"), {}, hours(2)};
  request.jobs.ids = {id};
  desk.ask(Verb::Limit, request);
  desk.modify(id, [](JobSpec& spec) { spec.min_tasks = spec.max_tasks = 2; });
  EXPECT_EQ(desk.spec(id).run_limit, hours(2));
  desk.put({id});
  EXPECT_EQ(desk.spec(id).run_limit, hours(2));
  desk.modify(id, [](JobSpec& spec) { spec.run_limit = hours(3); });
  EXPECT_EQ(desk.spec(id).run_limit, hours(3));
}

// A job of u1 that runs, signed.
struct SignedDesk : Desk {
  JobId id;
  SignedDesk() {
    start();
    id = submit("one");
    const Job& job = *find_job(state(), id);
    past.history = disk.events;
    past.state = state();
    auto host = past.host(1);
    past.run(job.id, {host});
    disk.events = past.history;
    restart();
  }
  JobSpec as_signed() { return *codec::decode<JobSpec>(find_job(state(), id)->sealed->bytes); }
  void sign(const std::string& name, const JobSpec& spec) {
    ask(Verb::Modify,
        ModifyRequest{key(name), id, find_job(state(), id)->revision, codec::encode(spec), "1001"});
  }
};

// Or an owner could raise the limit by signing it.
TEST(modify, of_what_runs_only_the_notification_command_is_signed_anew) {
  SignedDesk desk;
  ASSERT_EQ(desk.state_of(desk.id), JobState::Running);
  auto spec = desk.as_signed();
  spec.run_limit = hours(9);
  desk.sign("limit", spec);
  EXPECT_EQ(desk.first.refusal().text, "Job <1>: Job has already started");
  spec = desk.as_signed();
  spec.side.notify = "./tell";
  desk.sign("tell", spec);
  ASSERT_EQ(desk.first.frames.back().type, Verb::Modify) << desk.first.last<VerbError>().text;
  EXPECT_EQ(desk.first.last<OutcomeReply>().jobs.at(0).code, 0);
  const Job& job = *find_job(desk.state(), desk.id);
  EXPECT_EQ(job.spec().side.notify, "./tell");
  EXPECT_EQ(job.spec().queue, "normal") << "what the submitter left open stays filled in";
  EXPECT_EQ(desk.as_signed().side.notify, "./tell");
  EXPECT_EQ(job.state, JobState::Running);
}

TEST(modify, a_repeat_while_the_first_is_under_way_hears_its_refusal) {
  ModDesk desk;
  auto id = desk.submit("one");
  auto before = desk.fetched(id);
  desk.put({id});
  ModifyRequest late{key("late"), id, before.revision, before.spec, "1001"};
  auto bytes = codec::encode(late);
  desk.first.frames.clear();
  desk.send(desk.first, Verb::Modify, bytes);
  desk.send(desk.second, Verb::Modify, bytes);
  desk.settle();
  EXPECT_EQ(desk.first.refusal().code, number(Code::Conflict));
  EXPECT_EQ(desk.second.frames, desk.first.frames);
}

TEST(modify, history_says_what_is_different) {
  JobSpec before = SpecBuilder().tasks(4, 4).spec, after = before;
  EXPECT_EQ(change_words(before, after), "");
  after.queue = "night";
  after.max_tasks = 8;
  after.run_limit = std::chrono::minutes(5);
  EXPECT_EQ(change_words(before, after),
            "queue normal -> night; tasks 4 -> 4,8; run limit none -> 5m");
  after = before;
  after.program.cwd = "/elsewhere";
  EXPECT_EQ(change_words(before, after), "other parameters");
}

}  // namespace
}  // namespace wm::master
