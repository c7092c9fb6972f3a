// Reservations, job groups, messages and jobs placed by hand, as the master serves them: who may,
// what is refused, what outlives a restart, what the record of acts says.
#include <gtest/gtest.h>

#include "daemons/wmasterd/state/agenda.h"
#include "daemons/wmasterd/state/run_windows.h"
#include "daemons/wmasterd/verbs/perfmon.h"
#include "libwm/model/verbs/group_verbs.h"
#include "libwm/model/verbs/reservation_verbs.h"
#include "test/unit/wmasterd/desk.h"

namespace wm::master {
namespace {

using test::SpecBuilder;
using namespace std::chrono_literals;

struct ArrangedDesk : Desk {
  std::vector<AuditEntry> acts;
  int requests = 0;
  HostId host;
  ArrangedDesk() {
    host = past.host(4);
    start();
    keep_acts();
  }
  void keep_acts() {
    core->clients().set_audit(
        {[this](AuditEntry entry) { acts.push_back(std::move(entry)); }, nullptr});
  }
  std::string next() { return key("a" + std::to_string(++requests)); }
  ReserveRequest wish(std::uint32_t slots, Duration from, Duration to) {
    ReserveRequest request;
    request.request_key = next();
    request.what.users = {"u1"};
    request.what.begin = env->wall() + from;
    request.what.end = env->wall() + to;
    request.amount = slots;
    return request;
  }
  ReserveReply reserve(const ReserveRequest& request) {
    ask(Verb::Reserve, request, kBoss);
    return first.last<ReserveReply>();
  }
  ReservationsReply seen() {
    ask(Verb::Reservations, ReservationsRequest{});
    return first.last<ReservationsReply>();
  }
  GroupRequest group(GroupRequest::Act act, const std::string& path,
                     std::optional<std::uint32_t> limit = {}) {
    return {next(), act, path, true, limit};
  }
};

TEST(arranged, a_reservation_gets_the_first_free_name_and_outlives_the_master) {
  ArrangedDesk desk;
  EXPECT_EQ(desk.reserve(desk.wish(2, 1h, 2h)).name, "u1#0");
  EXPECT_EQ(desk.reserve(desk.wish(2, 1h, 2h)).name, "u1#1");
  desk.restart();
  auto reply = desk.seen();
  ASSERT_EQ(reply.reservations.size(), 2u);
  const auto& view = reply.reservations[0];
  EXPECT_EQ(view.what.name, "u1#0");
  EXPECT_EQ(view.what.by, "boss");
  EXPECT_FALSE(view.active);
  EXPECT_EQ(view.what.places, (std::vector<PromisedPlace>{{desk.host, 2}}));
}

TEST(arranged, slots_are_reserved_once_and_refused_with_what_there_is) {
  ArrangedDesk desk;
  desk.reserve(desk.wish(3, 1h, 2h));
  desk.ask(Verb::Reserve, desk.wish(2, 90min, 3h), kBoss);
  EXPECT_EQ(desk.first.refusal().code, number(Code::Impossible));
  EXPECT_NE(desk.first.refusal().text.find("1 are there"), std::string::npos);
  EXPECT_EQ(desk.reserve(desk.wish(2, 2h, 3h)).name, "u1#1");
  desk.ask(Verb::Reserve, desk.wish(1, 3h, 2h), kBoss);
  EXPECT_EQ(desk.first.refusal().code, number(Code::BadArgument));
  ASSERT_EQ(desk.acts.size(), 4u);
  EXPECT_EQ(desk.acts[0].act, "brsvadd");
  EXPECT_EQ(desk.acts[0].by, "boss");
  EXPECT_EQ(desk.acts[0].outcome, "");
  EXPECT_NE(desk.acts[1].outcome, "");
}

TEST(arranged, a_reservation_is_changed_and_removed) {
  ArrangedDesk desk;
  desk.reserve(desk.wish(2, 1h, 2h));
  auto request = desk.wish(1, 1h, 2h);
  request.what.name = "u1#0";
  request.act = ReserveRequest::Act::AddHosts;
  desk.reserve(request);
  EXPECT_EQ(desk.seen().reservations[0].what.places.front().tasks, 3u);
  request.request_key = desk.next();
  request.act = ReserveRequest::Act::RemoveHosts;
  request.amount = 2;
  desk.reserve(request);
  EXPECT_EQ(desk.seen().reservations[0].what.places.front().tasks, 1u);
  request.request_key = desk.next();
  request.act = ReserveRequest::Act::Modify;
  request.what.open = true;
  desk.reserve(request);
  EXPECT_TRUE(desk.seen().reservations[0].what.open);
  EXPECT_EQ(desk.seen().reservations[0].what.places.front().tasks, 1u);
  request.request_key = desk.next();
  request.act = ReserveRequest::Act::Remove;
  desk.reserve(request);
  EXPECT_TRUE(desk.seen().reservations.empty());
  request.request_key = desk.next();
  desk.ask(Verb::Reserve, request, kBoss);
  EXPECT_EQ(desk.first.refusal().code, number(Code::NotFound));
}

/// A desk where u1 may reserve up to 3 slots of h1 between 8 and 18 o'clock; h2 is there, too.
struct PlannersDesk : ArrangedDesk {
  PlannersDesk() {
    past.host(4);
    LimitRule rule{.name = "planners"};
    rule.users.names = {"u1"};
    rule.hosts.names = {"h1"};
    rule.slots = 3;
    rule.windows = *parse_windows("8:00-18:00");
    rule.reserve = true;
    past.config.limits = {rule};
    past.reconfigure();
    disk.events = past.history;
    restart();
    keep_acts();
  }
  /// From an hour of tomorrow on, by the clock on the wall.
  ReserveRequest at_hour(int hour, std::uint32_t slots) {
    auto request = wish(slots, 0h, 1h);
    auto day = std::chrono::floor<std::chrono::days>(env->wall()) + std::chrono::days(1);
    request.what.begin = std::chrono::time_point_cast<Duration>(day) + std::chrono::hours(hour);
    request.what.end = request.what.begin + 1h;
    return request;
  }
  std::string refusal(const ReserveRequest& request, const Identity& who = kUser) {
    ask(Verb::Reserve, request, who);
    return first.refusal().text;
  }
};

TEST(arranged, users_reserve_for_themselves_where_a_section_says_so) {
  PlannersDesk desk;
  desk.ask(Verb::Reserve, desk.at_hour(9, 2), kUser);
  EXPECT_EQ(desk.first.last<ReserveReply>().name, "u1#0");
  EXPECT_EQ(desk.seen().reservations[0].what.places, (std::vector<PromisedPlace>{{desk.host, 2}}));
  EXPECT_EQ(desk.seen().reservations[0].what.by, "u1");
  EXPECT_EQ(desk.refusal(desk.at_hour(9, 2)),
            "you would keep 4 slots at a time, 3 are allowed (limits.conf: planners)");
  desk.ask(Verb::Reserve, desk.at_hour(10, 3), kUser);
  EXPECT_EQ(desk.first.last<ReserveReply>().name, "u1#1") << "at another time";
  EXPECT_EQ(desk.acts.back().by, "u1");
  auto remove = desk.at_hour(9, 0);
  remove.act = ReserveRequest::Act::Remove;
  remove.what.name = "u1#0";
  desk.ask(Verb::Reserve, remove, kUser);
  EXPECT_EQ(desk.seen().reservations.size(), 1u);
}

TEST(arranged, what_no_section_allows_is_refused) {
  PlannersDesk desk;
  EXPECT_EQ(desk.refusal(desk.at_hour(9, 1), kOther),
            "u2: User permission denied, not an administrator");
  EXPECT_EQ(desk.refusal(desk.at_hour(18, 1)),
            "reservations are allowed within 08:00-18:00 (limits.conf: planners)");
  EXPECT_EQ(desk.refusal(desk.at_hour(9, 5)).substr(0, 25), "5 slots were asked for, 4");
  auto for_other = desk.at_hour(9, 1);
  for_other.what.users = {"u1", "u2"};
  EXPECT_EQ(desk.refusal(for_other),
            "a reservation for yourself alone is allowed: -u u1 (limits.conf: planners)");
  auto system = desk.at_hour(9, 1);
  system.what.kind = ReservedFor::System;
  EXPECT_NE(desk.refusal(system), "");
  auto elsewhere = desk.at_hour(9, 0);
  elsewhere.hosts = {"h2"};
  EXPECT_EQ(desk.refusal(elsewhere), "no host that was asked for has a slot");
  auto weekly = desk.at_hour(9, 1);
  weekly.what.begin = weekly.what.end = {};
  weekly.what.windows = *parse_windows("17:00-19:00");
  EXPECT_NE(desk.refusal(weekly).find("within 08:00-18:00"), std::string::npos);
  weekly.request_key = desk.next();
  weekly.what.windows = *parse_windows("8:00-18:00");
  desk.ask(Verb::Reserve, weekly, kUser);
  EXPECT_EQ(desk.first.last<ReserveReply>().name, "u1#0");
}

TEST(arranged, what_is_not_ones_own_is_not_changed) {
  PlannersDesk desk;
  desk.reserve(desk.at_hour(9, 1));
  auto remove = desk.at_hour(9, 0);
  remove.act = ReserveRequest::Act::Remove;
  remove.what.name = "u1#0";
  EXPECT_EQ(desk.refusal(remove), "u1#0: User permission denied, not yours");
  desk.ask(Verb::Reserve, desk.at_hour(10, 1), kUser);
  auto more = desk.at_hour(10, 3);
  more.act = ReserveRequest::Act::AddHosts;
  more.what.name = "u1#1";
  EXPECT_NE(desk.refusal(more).find("4 slots at a time"), std::string::npos);
}

TEST(arranged, only_those_it_is_for_may_use_a_reservation) {
  ArrangedDesk desk;
  desk.reserve(desk.wish(2, 1h, 2h));
  auto job = [](const std::string& name, std::uint32_t tasks = 1) {
    SpecBuilder builder;
    builder.tasks(tasks, tasks);
    builder.spec.reservation = name;
    return builder;
  };
  EXPECT_EQ(desk.refused(job("nothing")).text, "nothing: No such reservation");
  EXPECT_EQ(desk.refused(job("u1#0", 3)).code, number(Code::Limit));
  auto id = desk.submit("own", job("u1#0"));
  EXPECT_EQ(desk.seen().reservations[0].jobs, std::vector{id});
  auto others = job("u1#0").user("u2", 1002);
  desk.ask(Verb::Submit, desk.submission("other", others, "1002"), kOther);
  EXPECT_EQ(desk.first.refusal().text, "u1#0: User cannot use the reservation");
}

TEST(arranged, what_runs_of_a_closed_reservation_ends_with_it) {
  test::ClusterBuilder past;
  auto host = past.host(2);
  Reservation made;
  made.name = "r";
  made.users = {"u1"};
  made.begin = test::at(0);
  made.end = test::at(600);
  made.places = {{host, 2}};
  past.step(ReservationSet{made, "root"});
  SpecBuilder spec;
  spec.spec.reservation = "r";
  auto id = past.submit(spec);
  EXPECT_EQ(reservation_ends(past.state, past.job(id)), WallTime{});
  past.run(id, {host});
  EXPECT_EQ(reservation_ends(past.state, past.job(id)), test::at(600));
  made.open = true;
  past.step(ReservationSet{made, "root"});
  EXPECT_EQ(reservation_ends(past.state, past.job(id)), WallTime{});
}

TEST(arranged, groups_are_their_makers_and_stay_while_jobs_are_in_them) {
  ArrangedDesk desk;
  using Act = GroupRequest::Act;
  desk.ask(Verb::Group, desk.group(Act::Add, "/risk", 2));
  EXPECT_EQ(desk.first.last<GroupReply>().path, "/risk");
  desk.ask(Verb::Group, desk.group(Act::Add, "/risk", 2));
  EXPECT_EQ(desk.first.refusal().code, number(Code::Conflict));
  desk.ask(Verb::Group, desk.group(Act::Modify, "/risk", 3), kOther);
  EXPECT_EQ(desk.first.refusal().code, number(Code::Denied));
  desk.ask(Verb::Group, desk.group(Act::Modify, "/risk", 3), kBoss);
  EXPECT_EQ(desk.state().job_groups->at("/risk").limit, 3u);
  SpecBuilder builder;
  builder.hold();
  builder.spec.job_group = "/risk/day";
  auto id = desk.submit("in", builder);
  desk.ask(Verb::Group, desk.group(Act::Remove, "/risk"));
  EXPECT_EQ(desk.first.refusal().code, number(Code::Conflict));
  desk.ask(Verb::Kill, desk.kill(id));
  desk.ask(Verb::Group, desk.group(Act::Remove, "/risk"));
  EXPECT_EQ(desk.first.last<GroupReply>().path, "/risk");
  desk.restart();
  desk.ask(Verb::Groups, GroupsRequest{});
  EXPECT_TRUE(desk.first.last<GroupsReply>().groups.empty());
  for (const char* bad : {"risk", "/", "/a//b", "/a/", "/a b", ""}) {
    desk.ask(Verb::Group, desk.group(Act::Add, bad));
    EXPECT_EQ(desk.first.refusal().code, number(Code::BadArgument)) << bad;
  }
}

TEST(arranged, messages_say_who_left_them_and_when) {
  ArrangedDesk desk;
  auto id = desk.submit("a");
  PostRequest request{desk.next(), id, {}};
  request.note.text = "half way";
  request.note.by = "somebody else";
  desk.ask(Verb::Post, request);
  desk.restart();
  desk.ask(Verb::Notes, NotesRequest{id});
  auto notes = desk.first.last<NotesReply>().notes;
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_EQ(notes[0].by, "u1");
  EXPECT_EQ(notes[0].text, "half way");
  EXPECT_GT(notes[0].at, WallTime{});
}

TEST(arranged, what_an_administrator_does_to_anothers_job_is_on_record) {
  ArrangedDesk desk;
  auto id = desk.submit("a");
  desk.ask(Verb::Kill, desk.kill(id, "mine"));
  EXPECT_TRUE(desk.acts.empty());
  auto other = desk.submit("b");
  desk.ask(Verb::Kill, desk.kill(other, "boss"), kBoss);
  ASSERT_EQ(desk.acts.size(), 1u);
  EXPECT_EQ(desk.acts[0].act, "kill");
  EXPECT_EQ(desk.acts[0].by, "boss");
  EXPECT_EQ(desk.acts[0].objects, std::vector<std::string>{"job " + to_string(other)});
}

TEST(arranged, the_configuration_is_told_without_what_only_daemons_need) {
  ArrangedDesk desk;
  desk.ask(Verb::Conf, ConfRequest{}, kOther);
  auto config = desk.first.last<ConfReply>().config;
  ASSERT_TRUE(config);
  EXPECT_NE(config->queue("normal"), nullptr);
  EXPECT_EQ(config->cluster.dirs.state, DirConf().state);
  for (const auto& app : config->apps) EXPECT_TRUE(app.env.empty());
}

TEST(run_windows, stop_what_runs_and_let_it_go_on) {
  test::ClusterBuilder past;
  auto minute = week_minute({}, test::at(0));
  for (auto& queue : past.config.queues)
    queue.run_window = {
        {(minute + kWeekMinutes - 60) % kWeekMinutes, (minute + 60) % kWeekMinutes}};
  past.reconfigure();
  auto host = past.host(2);
  auto id = past.submit(SpecBuilder()), stopped = past.submit(SpecBuilder());
  past.run(id, {host});
  past.run(stopped, {host});
  past.step(JobSuspended{stopped, "u1"});
  RunWindows windows;
  EXPECT_TRUE(windows.changes(past.state, test::at(0)).events.empty());
  auto events = windows.changes(past.state, test::at(3600)).events;
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<JobSuspended>(events[0]).job, id);
  past.step(events[0]);
  EXPECT_TRUE(windows.changes(past.state, test::at(3700)).events.empty());
  events = windows.changes(past.state, test::at(7 * 24 * 3600)).events;
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(std::get<JobResumed>(events[0]).job, id);
}

TEST(run_windows, who_asked_for_a_signal_gets_it_and_others_end_where_the_queue_says_so) {
  test::ClusterBuilder past;
  auto minute = week_minute({}, test::at(0));
  for (auto& queue : past.config.queues) {
    queue.run_window = {
        {(minute + kWeekMinutes - 60) % kWeekMinutes, (minute + 60) % kWeekMinutes}};
    queue.terminate_when.window = true;
  }
  past.reconfigure();
  auto host = past.host(2);
  SpecBuilder warned;
  warned.spec.side.window_signal = 10;
  auto id = past.submit(SpecBuilder()), asks = past.submit(warned);
  past.run(id, {host});
  past.run(asks, {host});
  RunWindows windows;
  windows.changes(past.state, test::at(0));
  auto made = windows.changes(past.state, test::at(3600));
  ASSERT_EQ(made.events.size(), 1u);
  const auto& kill = std::get<KillRequested>(made.events[0]);
  EXPECT_EQ(kill.job, id);
  EXPECT_NE(kill.wish.text.find("run window"), std::string::npos);
  EXPECT_EQ(made.signals, (std::vector<std::pair<JobId, std::int32_t>>{{asks, 10}}));
  EXPECT_TRUE(windows.changes(past.state, test::at(3700)).signals.empty());
  // A master that starts while it is closed does not know whether they were told.
  EXPECT_TRUE(RunWindows().changes(past.state, test::at(3700)).signals.empty());
}

TEST(perfmon, counts_by_samples) {
  Perfmon monitor;
  EXPECT_EQ(monitor.view(test::at(0)).lines,
            std::vector<std::string>{"Performance metric sampling has not been started."});
  EXPECT_FALSE(monitor.view(test::at(0)).on);
  monitor.start(test::at(0), 10s);
  for (int i = 0; i < 3; ++i) monitor.on_request("jobs", test::at(1));
  EXPECT_TRUE(monitor.view(test::at(2)).lines.back().starts_with("No performance metric data"));
  monitor.on_request("submit", test::at(11));
  auto view = monitor.view(test::at(25));
  ASSERT_EQ(view.lines.size(), 16u);
  EXPECT_EQ(view.lines[2], "Sample period:                   10 Seconds");
  EXPECT_EQ(view.lines[6],
            "Processed requests: mbatchd              1       3       1       2           4");
  EXPECT_EQ(view.metrics[0], (PerfmonMetric{"Processed requests: mbatchd", 1, 3, 1, 2, 4}));
  EXPECT_EQ(view.end, test::at(20));
}

}  // namespace
}  // namespace wm::master
