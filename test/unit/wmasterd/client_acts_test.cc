// What clients do to jobs, against the real core on a simulated env: moves, kills, signals, jobs
// that are queued again, changed, held, and the arrays among them.
#include <gtest/gtest.h>

#include "libwm/codec/packed.h"
#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;

TEST(clients, a_move_that_is_asked_again_is_answered_and_not_done_again) {
  Desk desk;
  desk.start();
  auto first = desk.submit("one"), second = desk.submit("two");
  MoveRequest request{key("m1"), {second}};
  desk.ask(Verb::Move, request, kBoss);
  auto answer = desk.first.frames.back();
  desk.ask(Verb::Move, MoveRequest{key("m2"), {first}}, kBoss);
  auto place = find_job(desk.state(), second)->waits.place;
  desk.ask(Verb::Move, request, kBoss);
  EXPECT_EQ(desk.first.frames.back(), answer);
  EXPECT_EQ(find_job(desk.state(), second)->waits.place, place);
}

TEST(clients, who_is_moved_to_an_end_goes_before_or_behind_those_that_were_moved_there) {
  Desk desk;
  desk.start();
  auto first = desk.submit("one"), second = desk.submit("two"), third = desk.submit("three");
  auto place = [&](JobId id) { return find_job(desk.state(), id)->waits.place; };
  desk.ask(Verb::Move, MoveRequest{key("m1"), {first}}, kBoss);
  desk.ask(Verb::Move, MoveRequest{key("m2"), {second}}, kBoss);
  EXPECT_LT(place(second), place(first));
  EXPECT_LT(place(first), place(third));
  desk.ask(Verb::Move, MoveRequest{key("m3"), {first}, false}, kBoss);
  desk.ask(Verb::Move, MoveRequest{key("m4"), {second}, false}, kBoss);
  EXPECT_GT(place(second), place(first));
  EXPECT_GT(place(first), place(third));
}

TEST(clients, what_the_state_machines_refuse_is_not_answered_as_done) {
  Desk desk;
  auto host = desk.past.host(1);
  desk.past.step(HostSilent{host});
  desk.past.step(HostDied{host, "boss", "off"});
  desk.start();
  AdminRequest request{key("a1"), AdminRequest::Act::HostDead, {"h1"}, ""};
  desk.ask(Verb::Admin, request, kBoss);
  EXPECT_EQ(desk.first.refusal().code, number(Code::Conflict));
  desk.ask(Verb::Admin, request, kBoss);
  EXPECT_EQ(desk.first.refusal().code, number(Code::Conflict)) << "no answer is kept of it";
}

// badmin(1) of LSF 10.1: hclose takes hosts, host groups and "all"; qclose queues and "all".
TEST(clients, a_group_means_its_hosts_and_all_every_host_and_queue) {
  Desk desk;
  for (int n = 0; n < 3; ++n) desk.past.host(1);
  for (const char* name : {"h1", "h2", "h3"}) {
    auto& conf = desk.past.config.hosts.emplace_back();
    conf.name = name;
    if (conf.name != "h1") conf.groups = {"fast"};
  }
  desk.past.reconfigure();
  desk.start();
  auto act = [&, n = 0](AdminRequest::Act what, const std::string& name) mutable {
    desk.ask(Verb::Admin, AdminRequest{key("a" + std::to_string(++n)), what, {name}, ""}, kBoss);
  };
  auto closed = [&] {
    std::string marks;
    for (const auto& conf : desk.past.config.hosts)
      marks += find_host(desk.state(), conf.name)->closed ? 'c' : 'o';
    return marks;
  };
  act(AdminRequest::Act::HostClose, "fast");
  EXPECT_EQ(closed(), "occ");
  act(AdminRequest::Act::HostClose, "all");
  EXPECT_EQ(closed(), "ccc");
  act(AdminRequest::Act::HostOpen, "all");
  EXPECT_EQ(closed(), "ooo");
  act(AdminRequest::Act::HostClose, "slow");
  EXPECT_EQ(desk.first.refusal().code, number(Code::NotFound));
  act(AdminRequest::Act::HostDead, "all");
  EXPECT_EQ(desk.first.refusal().code, number(Code::NotFound)) << "a death is said host by host";
  act(AdminRequest::Act::QueueClose, "all");
  for (const auto& queue : desk.past.config.queues)
    EXPECT_TRUE(desk.state().queues.at(queue.name).closed) << queue.name;
}

TEST(clients, an_application_profile_bounds_run_limits_and_has_a_usual_one) {
  Desk desk;
  auto& apps = desk.past.config.apps;
  auto batch = std::find_if(apps.begin(), apps.end(), [](auto& a) { return a.name == "batch"; });
  ASSERT_NE(batch, apps.end());
  batch->run_limit = {std::chrono::minutes(30), std::chrono::hours(1)};
  desk.past.reconfigure();
  desk.start();
  SpecBuilder open, asked, beyond;
  asked.spec.run_limit = std::chrono::minutes(45);
  beyond.spec.run_limit = std::chrono::minutes(61);
  EXPECT_EQ(desk.refused(beyond),
            (VerbError{number(Code::Limit),
                       "RUNLIMIT: Cannot exceed profile's hard limit(s): application profile "
                       "'batch' allows 1h"}));
  auto limit_of = [&](JobId id) {
    desk.ask(Verb::Jobs, JobsRequest{{.ids = {id}}});
    return desk.first.last<JobsReply>().jobs.at(0).run_limit;
  };
  EXPECT_EQ(limit_of(desk.submit("one", open)), std::chrono::minutes(30));
  EXPECT_EQ(limit_of(desk.submit("two", asked)), std::chrono::minutes(45));
}

TEST(clients, a_kill_answers_for_each_id) {
  Desk desk;
  desk.start();
  auto over = desk.submit("one"), waits = desk.submit("two");
  desk.ask(Verb::Kill, desk.kill(over, "k1"));
  auto request = desk.kill(over, "k2");
  request.jobs.ids = {over, waits, {99, 0}};
  desk.ask(Verb::Kill, request);
  std::map<JobId, std::uint8_t> codes;
  for (const auto& outcome : desk.first.last<OutcomeReply>().jobs)
    codes[outcome.job] = outcome.code;
  EXPECT_EQ(codes, (std::map<JobId, std::uint8_t>{{over, number(Code::Conflict)},
                                                  {waits, number(Code::Ok)},
                                                  {{99, 0}, number(Code::NotFound)}}));
}

TEST(clients, a_signal_that_programs_end_of_ends_what_waits) {
  for (int signal : {SIGINT, SIGTERM, SIGKILL}) {
    Desk desk;
    desk.start();
    auto id = desk.submit("one"), array = desk.submit("two", SpecBuilder().array(1, 3));
    auto request = desk.kill(id);
    request.jobs.ids = {id, array};
    request.signal = signal;
    desk.ask(Verb::Kill, request);
    auto outcomes = desk.first.last<OutcomeReply>().jobs;
    ASSERT_EQ(outcomes.size(), 2u);
    EXPECT_EQ(outcomes[0].text, "Job <1> is being terminated");
    for (const auto& outcome : outcomes) EXPECT_EQ(outcome.code, number(Code::Ok));
    EXPECT_EQ(desk.state_of(id), JobState::Killed);
    EXPECT_TRUE(find_job(desk.state(), array)->kill);
  }
}

TEST(clients, a_job_that_is_queued_again_makes_way_for_nobody) {
  Desk desk;
  auto host = desk.past.host(1);
  auto runs = desk.past.submit({}), waits = desk.past.submit({});
  desk.past.run(runs, {host});
  desk.start();
  RequeueRequest request{key("r1"), desk.kill(runs).jobs};
  request.jobs.ids = {runs, waits};
  desk.ask(Verb::Requeue, request);
  auto outcomes = desk.first.last<OutcomeReply>().jobs;
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0].text, "Job <2>: Job has not started yet");
  EXPECT_EQ(outcomes[1].text, "Job <1> is being requeued");
  const Job& job = *find_job(desk.state(), runs);
  ASSERT_TRUE(job.waits.preempted);
  EXPECT_TRUE(job.waits.preempted->for_nobody());
  EXPECT_TRUE(job.waits.preempted->requeue);
  request.request_key = key("r2");
  desk.ask(Verb::Requeue, request, kOther);
  EXPECT_EQ(desk.first.last<OutcomeReply>().jobs.at(0).code, number(Code::Denied));
}

// What brequeue with this request says of these jobs.
std::vector<std::string> requeued(Desk& desk, RequeueRequest request, std::vector<JobId> ids) {
  static int count = 0;
  request.request_key = key("again" + std::to_string(++count));
  request.jobs.ids = std::move(ids);
  request.jobs.finished = request.done || request.exited;
  request.jobs.unfinished = request.means_active();
  desk.ask(Verb::Requeue, request);
  std::vector<std::string> texts;
  for (const auto& outcome : desk.first.last<OutcomeReply>().jobs) texts.push_back(outcome.text);
  return texts;
}

TEST(clients, what_is_over_is_queued_again_where_that_is_meant) {
  Desk desk;
  auto host = desk.past.host(1);
  auto done = desk.past.submit({}), exited = desk.past.submit({});
  for (JobId id : {done, exited}) {
    desk.past.run(id, {host});
    desk.past.step(
        TaskEnded{id, Attempt{1}, TaskNumber{1}, id == done ? 0 : 256, Term::None, {}, ""});
  }
  desk.start();
  using Texts = std::vector<std::string>;
  EXPECT_EQ(requeued(desk, {}, {done}), Texts{"Job <1>: Job has already finished"});
  EXPECT_EQ(requeued(desk, {.exited = true}, {done}), Texts{"Job <1>: Job has already finished"});
  EXPECT_EQ(requeued(desk, {.exited = true, .hold = true}, {exited}),
            Texts{"Job <2> is being requeued"});
  EXPECT_EQ(desk.state_of(exited), JobState::Held);
  EXPECT_EQ(requeued(desk, {.active = true, .done = true, .exited = true}, {}),
            Texts{"Job <1> is being requeued"});
  EXPECT_FALSE(is_over(desk.state_of(done)));
  EXPECT_EQ(requeued(desk, {.done = true}, {done}), Texts{"Job <1>: Job has not finished"});
}

TEST(clients, of_an_array_what_is_over_is_queued_again_and_the_rest_left) {
  Desk desk;
  desk.start();
  auto id = desk.submit("one", SpecBuilder().array(1, 3));
  desk.ask(Verb::Kill, desk.kill({id.job, 2}, "k1"));
  using Texts = std::vector<std::string>;
  EXPECT_EQ(requeued(desk, {.exited = true}, {id}), Texts{"Job <1[2]> is being requeued"});
  EXPECT_EQ(desk.state_of({id.job, 2}), JobState::Pending);
  EXPECT_EQ(requeued(desk, {.exited = true}, {id}), Texts{"Job <1>: Job has not finished"});
}

TEST(clients, a_user_moves_jobs_among_his_own_and_others_keep_their_turns) {
  Desk desk;
  desk.start();
  auto a = desk.submit("a"), b = desk.submit("b"), c = desk.submit("c");
  auto turn = [&](JobId id) {
    const Job* job = find_job(desk.state(), id);
    return job->waits.turn ? job->waits.turn : id.job;
  };
  desk.ask(Verb::Move, MoveRequest{key("m1"), {c}});
  EXPECT_EQ(desk.first.last<OutcomeReply>().jobs.at(0).text,
            "Job <3> has been moved to position 1 from top.");
  EXPECT_EQ(turn(c), 1u);
  EXPECT_EQ(turn(a), 2u);
  EXPECT_EQ(turn(b), 3u);
  desk.ask(Verb::Move, MoveRequest{key("m2"), {c, a}, false});
  EXPECT_EQ(turn(b), 1u);
  EXPECT_EQ(turn(c), 2u);
  EXPECT_EQ(turn(a), 3u);
  for (JobId id : {a, b, c}) EXPECT_EQ(find_job(desk.state(), id)->waits.place, 0);
  desk.ask(Verb::Move, MoveRequest{key("m3"), {a}}, kOther);
  EXPECT_EQ(desk.first.refusal().code, number(Code::Denied));
}

TEST(clients, a_job_is_given_a_position_among_its_owners_or_by_an_administrator_among_all) {
  Desk desk;
  desk.start();
  auto a = desk.submit("a"), b = desk.submit("b"), c = desk.submit("c"), d = desk.submit("d");
  auto order = [&] {
    std::vector<JobId> ids{a, b, c, d};
    std::ranges::sort(ids, {}, [&](JobId id) {
      const Job* job = find_job(desk.state(), id);
      return std::pair(job->waits.place, job->waits.turn ? job->waits.turn : id.job);
    });
    return ids;
  };
  desk.ask(Verb::Move, MoveRequest{key("m1"), {d}, true, 2});
  EXPECT_EQ(desk.first.last<OutcomeReply>().jobs.at(0).text,
            "Job <4> has been moved to position 2 from top.");
  EXPECT_EQ(order(), (std::vector<JobId>{a, d, b, c}));
  desk.ask(Verb::Move, MoveRequest{key("m2"), {a}, false, 2}, kBoss);
  auto told = desk.first.last<OutcomeReply>().jobs;
  ASSERT_EQ(told.size(), 1u) << "those that stand around it are not told of";
  EXPECT_EQ(told[0].text, "Job <1> has been moved to position 2 from bottom.");
  EXPECT_EQ(order(), (std::vector<JobId>{d, b, a, c}));
  desk.ask(Verb::Move, MoveRequest{key("m3"), {a}, true, 1000}, kBoss);
  EXPECT_EQ(order(), (std::vector<JobId>{d, b, c, a})) << "there are not so many";
  for (auto wrong : {MoveRequest{key("m4"), {a}, true, 0}, MoveRequest{key("m5"), {a}, true, 1001},
                     MoveRequest{key("m6"), {a, b}, true, 2}}) {
    desk.ask(Verb::Move, wrong, kBoss);
    EXPECT_EQ(desk.first.refusal().code, number(Code::BadArgument));
  }
  desk.ask(Verb::Move, MoveRequest{key("m7"), {}}, kBoss);
  EXPECT_TRUE(desk.first.last<OutcomeReply>().jobs.empty()) << "of nobody";
  EXPECT_EQ(order(), (std::vector<JobId>{d, b, c, a}));
}

TEST(clients, an_array_of_which_some_is_over_is_changed_as_what_is_left_of_it) {
  Desk desk;
  desk.start();
  auto id = desk.submit("one", SpecBuilder().array(1, 3));
  desk.ask(Verb::Kill, desk.kill({id.job, 2}, "k1"));
  desk.ask(Verb::Release, ReleaseRequest{key("r1"), desk.kill(id).jobs, true});
  auto held = desk.first.last<OutcomeReply>().jobs;
  ASSERT_EQ(held.size(), 1u);
  EXPECT_EQ(held[0].code, number(Code::Ok)) << held[0].text;
  desk.ask(Verb::Kill, desk.kill(id, "k2"));
  auto killed = desk.first.last<OutcomeReply>().jobs;
  ASSERT_EQ(killed.size(), 1u);
  EXPECT_EQ(killed[0].text, "Job <1> is being terminated");
  desk.ask(Verb::Kill, desk.kill(id, "k3"));
  auto over = desk.first.last<OutcomeReply>().jobs;
  ASSERT_EQ(over.size(), 1u) << "an array is over in one line";
  EXPECT_EQ(over[0].text, "Job <1>: Job has already finished");
  EXPECT_EQ(over[0].code, number(Code::Conflict));
}

TEST(clients, an_element_that_is_named_and_over_is_told_so) {
  Desk desk;
  desk.start();
  auto id = desk.submit("one", SpecBuilder().array(1, 3));
  desk.ask(Verb::Kill, desk.kill({id.job, 2}, "k1"));
  desk.ask(Verb::Kill, desk.kill({id.job, 2}, "k2"));
  EXPECT_EQ(desk.first.last<OutcomeReply>().jobs.at(0).text,
            "Job <1[2]>: Job has already finished");
}

TEST(clients, a_kill_of_an_array_ends_what_still_waits_in_it) {
  Desk desk;
  desk.start();
  auto id = desk.submit("one", SpecBuilder().array(1, 50));
  desk.ask(Verb::Kill, desk.kill(id));
  EXPECT_EQ(desk.first.last<OutcomeReply>().jobs.size(), 1u);
  JobsRequest request;
  request.jobs.ids = {id};
  desk.ask(Verb::Jobs, request);
  auto shown = desk.first.last<JobsReply>().jobs;
  ASSERT_EQ(shown.size(), 50u);
  for (const auto& view : shown) EXPECT_EQ(view.job->state, JobState::Killed);
}

TEST(clients, the_live_state_tells_which_alternative_a_job_runs_under) {
  Desk desk;
  auto host = desk.past.host(4);
  SpecBuilder spec;
  spec.alternatives = {spec.spec};
  spec.alternatives[0].min_tasks = spec.alternatives[0].max_tasks = 2;
  auto id = desk.past.submit(spec);
  desk.past.step(JobDispatched{id, Attempt{1}, {{.number = TaskNumber{1}, .host = host}}, "", 1});
  desk.start();
  desk.ask(Verb::State, StateRequest{}, kBoss);
  auto bytes = codec::unpacked(desk.first.last<StateReply>().packed, Bytes{1 << 30});
  ASSERT_TRUE(bytes) << bytes.error().text;
  auto state = codec::decode<Cluster>(*bytes);
  ASSERT_TRUE(state) << state.error().text;
  EXPECT_EQ(state->jobs.find(id.job)->spec().max_tasks, 2u);
}

TEST(clients, hold_and_release_say_when_they_do_not_apply) {
  Desk desk;
  desk.start();
  auto id = desk.submit("one");
  ReleaseRequest request{key("hold"), {}, true};
  request.jobs.ids = {id};
  desk.ask(Verb::Release, request, kOther);
  EXPECT_EQ(desk.first.last<OutcomeReply>().jobs[0].code, number(Code::Denied));
  request.request_key = key("hold of owner");
  desk.ask(Verb::Release, request);
  EXPECT_EQ(desk.first.last<OutcomeReply>().jobs[0].code, number(Code::Ok));
  EXPECT_EQ(desk.state_of(id), JobState::Held);
  request = {key("release"), request.jobs, false};
  desk.ask(Verb::Release, request);
  EXPECT_EQ(desk.state_of(id), JobState::Pending);
  request.request_key = key("again");
  desk.ask(Verb::Release, request);
  EXPECT_EQ(desk.first.last<OutcomeReply>().jobs[0].code, number(Code::Conflict));
}

TEST(clients, a_resize_below_the_minimum_is_refused_with_the_numbers) {
  ElasticDesk desk;
  desk.ask(Verb::Resize, desk.release(2, "r1"));
  EXPECT_EQ(desk.first.refusal(),
            (VerbError{number(Code::BadArgument),
                       "Job <1>: cannot release 2 of 3 tasks, its minimum is 2"}));
  EXPECT_EQ(find_job(desk.state(), desk.id)->size.cap, 0u);
  desk.ask(Verb::Resize, desk.release(1, "r2"));
  EXPECT_EQ(desk.first.last<ResizeReply>().cap, 2u);
  EXPECT_EQ(find_job(desk.state(), desk.id)->size.cap, 2u);
  desk.ask(Verb::Resize, desk.release(1, "r3"), kOther);
  EXPECT_EQ(desk.first.refusal().code, number(Code::Denied));
}

}  // namespace
}  // namespace wm::master
