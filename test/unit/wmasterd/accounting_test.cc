// Accounting as the master runs it, on real files: rows of durable events, what a report gets,
// and making everything again from the history of events.
#include "daemons/wmasterd/acct/accounting.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "daemons/wmasterd/verbs/portion.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/store/core/core_db.h"
#include "test/support/builders.h"
#include "test/support/store_files.h"

namespace wm::master {
namespace {

using test::at;
using test::ClusterBuilder;
using test::SpecBuilder;

/// A store and its accounting in a directory.
struct AcctDesk {
  test::ScratchDir dir;
  ClusterBuilder cluster;
  std::unique_ptr<store::CoreDb> core;
  std::unique_ptr<Accounting> accounting;
  Cluster state;  // what was taken has made
  std::size_t taken = 0;
  double clock = 0;

  AcctDesk() {
    static const bool quiet = (log::open("accounting", "", log::Level::Error), true);
    static_cast<void>(quiet);
    store::CoreOptions options;
    options.dir = dir.path();
    options.reserve = Bytes{1 << 16};
    auto opened = store::CoreDb::open(options);
    WM_CHECK(opened.has_value());
    core = std::move(*opened);
    cluster.reconfigure();
    open();
  }
  void open() {
    accounting.reset();
    accounting = std::move(*Accounting::open(dir.path()));
    EXPECT_TRUE(accounting->begin({}, {}));
  }
  /// Makes what has happened since the last call durable.
  std::vector<Event> keep() {
    std::vector<Event> fresh(cluster.history.begin() + static_cast<std::ptrdiff_t>(taken),
                             cluster.history.end());
    taken = cluster.history.size();
    store::Batch batch;
    for (const auto& event : fresh)
      batch.events.push_back({event.seq, event.time,
                              static_cast<std::uint16_t>(event.body.index() + 1), 1,
                              codec::encode(event.body)});
    EXPECT_TRUE(core->append(batch));
    return fresh;
  }
  /// The same, and accounting is told, until it has written all unless it is being made again.
  void commit() {
    for (const auto& event : keep()) {
      fsm::apply(state, event);
      accounting->take({event}, state);
    }
    catch_up();
  }
  /// As the master's ticks do.
  void catch_up() {
    auto is_behind = [this] {
      auto reply = accounting->history({});
      return !reply && reply.error().code == Code::Timeout;
    };
    while (is_behind()) accounting->take({}, state);
  }

  /// A job that waits, runs and ends, 10 seconds after the one before.
  JobId ended(SpecBuilder builder, std::int32_t status = 0) {
    auto id = cluster.submit(builder);
    cluster.run(id, {HostId{1}});
    cluster.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, status, Term::None, {}, ""}, clock += 10);
    return id;
  }
  std::vector<std::uint32_t> found(AcctRequest request) {
    if (request.jobs.user.empty()) request.jobs.user = "all";
    auto reply = accounting->account(request);
    EXPECT_TRUE(reply) << reply.error().text;
    std::vector<std::uint32_t> numbers;
    if (reply)
      for (const auto& job : reply->jobs) numbers.push_back(job.id.job);
    return numbers;
  }
};
using Found = std::vector<std::uint32_t>;
using Ids = std::vector<JobId>;

TEST(accounting, a_report_has_the_rows_of_all_that_was_taken_before) {
  AcctDesk desk;
  desk.cluster.host(4);
  auto id = desk.ended({});
  desk.commit();
  AcctRequest request;
  request.jobs.ids = {id, {99, 0}};
  auto reply = desk.accounting->history(request);
  ASSERT_TRUE(reply) << reply.error().text;
  ASSERT_EQ(reply->jobs.size(), 1u);
  EXPECT_EQ(reply->jobs[0].state, "finished");
  EXPECT_EQ(reply->jobs[0].events.front().event, "SUBMIT");
  EXPECT_EQ(reply->jobs[0].events.back().event, "END");
  EXPECT_EQ(reply->missing, (std::vector<JobId>{{99, 0}}));
}

TEST(accounting, bacct_gets_finished_jobs_that_fit_every_condition) {
  AcctDesk desk;
  desk.cluster.host(4);
  SpecBuilder named;
  named.spec.name = "train-1";
  named.spec.service_class = "gold";
  named.spec.reservation = "u1#0";
  auto done = desk.ended(named), failed = desk.ended({}, 3 << 8);
  auto others = desk.ended(SpecBuilder().user("u2", 1002));
  desk.cluster.submit({});  // pending: not accounted
  desk.commit();
  EXPECT_EQ(desk.found({}), (Found{done.job, failed.job, others.job}));
  AcctRequest request;
  request.exited = false;
  EXPECT_EQ(desk.found(request), (Found{done.job, others.job}));
  request = {};
  request.done = false;
  EXPECT_EQ(desk.found(request), (Found{failed.job}));
  request = {};
  request.jobs.user = "u2";
  EXPECT_EQ(desk.found(request), (Found{others.job}));
  request = {};
  request.jobs.service_class = "gold";
  request.sums = AcctBy::All;  // single jobs have to be looked at for that
  EXPECT_EQ(desk.found(request), (Found{done.job}));
  request.jobs.reservation = "u2#0";
  EXPECT_EQ(desk.found(request), Found{});
  request = {};
  request.jobs.name = "train*";
  EXPECT_EQ(desk.found(request), (Found{done.job}));
  request = {};
  request.jobs.host = "h1";
  EXPECT_EQ(desk.found(request).size(), 3u);
  request.jobs.host = "h";
  EXPECT_EQ(desk.found(request).size(), 0u);
  request = {};
  request.jobs.ids = {failed, {77, 0}};
  EXPECT_EQ(desk.found(request), (Found{failed.job}));
}

TEST(accounting, bacct_gets_jobs_of_a_time) {
  AcctDesk desk;
  desk.cluster.host(4);
  auto first = desk.ended({}), second = desk.ended({});
  auto border = desk.cluster.job(second).times.ended;
  desk.commit();
  AcctRequest request;
  request.ended_from = border;
  EXPECT_EQ(desk.found(request), (Found{second.job}));
  request = {};
  request.ended_to = border;
  EXPECT_EQ(desk.found(request), (Found{first.job}));
  request = {};
  request.dispatched_to = border + std::chrono::hours(1);
  EXPECT_EQ(desk.found(request).size(), 2u);
  request.dispatched_from = border + std::chrono::minutes(1);
  EXPECT_EQ(desk.found(request).size(), 0u);
}

TEST(accounting, bacct_is_told_how_far_a_start_was_from_its_first_promise) {
  AcctDesk desk;
  desk.cluster.host(4);
  desk.ended({});  // nothing was promised
  auto promised = desk.cluster.submit({});
  desk.cluster.step(StartPromised{promised, at(30)});
  desk.cluster.step(StartPromised{promised, at(45)});  // slipped: the first one counts
  desk.cluster.run(promised, {HostId{1}});
  desk.cluster.step(TaskEnded{promised, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""}, 60);
  desk.commit();
  AcctRequest request;
  request.jobs.user = "all";
  auto reply = desk.accounting->account(request);
  ASSERT_TRUE(reply) << reply.error().text;
  ASSERT_EQ(reply->jobs.size(), 2u);
  EXPECT_EQ(reply->jobs[0].promise_error, std::nullopt);
  auto late = desk.cluster.job(promised).times.dispatched - at(30);
  EXPECT_EQ(reply->jobs[1].promise_error, std::chrono::duration_cast<std::chrono::seconds>(late));
}

// What bacct would add up itself.
std::map<std::string, AcctSum> added_up(const std::vector<AcctJob>& jobs, AcctBy by) {
  std::map<std::string, AcctSum> sums;
  for (const auto& job : jobs) {
    auto key = by == AcctBy::User ? job.user : by == AcctBy::Plan ? job.plan : std::string();
    add(sums[key], {job.submitted, job.dispatched, job.started, job.ended, job.cpu, job.slot_time,
                    job.gpu_time, job.state == "finished", job.promise_error});
  }
  return sums;
}

TEST(accounting, bacct_gets_the_same_sums_as_it_would_make_of_the_jobs) {
  AcctDesk desk;
  desk.cluster.host(4);
  std::vector<WallTime> ends;
  for (int i = 0; i < 12; ++i) {
    auto id = desk.ended(i % 3 ? SpecBuilder() : SpecBuilder().user("u2", 1002), i % 4 ? 0 : 256);
    ends.push_back(desk.cluster.job(id).times.ended);
    desk.clock += 20'000;
  }
  desk.commit();
  for (int edge = 0; edge < 12; edge += 3)
    for (auto by : {AcctBy::All, AcctBy::User, AcctBy::Plan})
      for (bool done : {true, false}) {
        AcctRequest request;
        request.jobs.user = "all", request.done = done, request.plan = "/";
        request.ended_from = ends[static_cast<std::size_t>(edge)];
        if (edge == 6) request.ended_to = ends[9];
        auto jobs = desk.accounting->account(request);
        request.sums = by;
        auto reply = desk.accounting->account(request);
        ASSERT_TRUE(reply && jobs);
        EXPECT_TRUE(reply->jobs.empty());
        std::map<std::string, AcctSum> sums;
        for (const auto& row : reply->sums) merge(sums[row.key], row.sum);
        EXPECT_EQ(sums, added_up(jobs->jobs, by)) << "from " << edge;
      }
}

TEST(accounting, sums_by_month_are_cut_at_the_months_of_who_asks) {
  AcctDesk desk;
  desk.cluster.host(4);
  auto first = desk.ended({}), second = desk.ended({});
  desk.commit();
  auto border = desk.cluster.job(second).times.ended;
  AcctRequest request;
  request.jobs.user = "all", request.sums = AcctBy::Month;
  request.months = {desk.cluster.job(first).times.ended, border};
  auto reply = desk.accounting->account(request);
  ASSERT_TRUE(reply) << reply.error().text;
  ASSERT_EQ(reply->sums.size(), 2u);
  EXPECT_EQ(reply->sums[0].key, "1");
  EXPECT_EQ(reply->sums[1].key, "2");
  EXPECT_EQ(reply->sums[1].sum.jobs, 1);
}

TEST(accounting, of_what_sums_cannot_tell_jobs_come) {
  AcctDesk desk;
  desk.cluster.host(4);
  desk.ended({});
  desk.commit();
  AcctRequest request;
  request.jobs.user = "all", request.sums = AcctBy::Host;
  EXPECT_EQ(desk.found(request).size(), 1u);
  request.sums = AcctBy::All, request.jobs.host = "h1";
  EXPECT_EQ(desk.found(request).size(), 1u);
}

TEST(accounting, a_long_list_comes_in_portions) {
  AcctDesk desk;
  desk.cluster.host(4);
  for (int i = 0; i < 2500; ++i) {
    auto id = desk.cluster.submit({});
    desk.cluster.step(KillRequested{id, {Term::Owner, "u1", "", at(1)}});
  }
  desk.commit();
  AcctRequest request;
  request.jobs.user = "all";
  request.jobs.finished = true;
  auto all_of = [&](auto ask) {
    std::vector<std::uint32_t> numbers;
    for (auto part = request;;) {
      auto reply = ask(part);
      EXPECT_TRUE(reply) << reply.error().text;
      for (const auto& job : reply->jobs) numbers.push_back(job.id.job);
      EXPECT_LE(reply->jobs.size(), kMostInAnswer);
      if (!reply->rest) return numbers;
      part.jobs = *reply->rest;
    }
  };
  Found all(2500);
  std::iota(all.begin(), all.end(), 1);
  EXPECT_EQ(all_of([&](auto& part) { return desk.accounting->account(part); }), all);
  EXPECT_EQ(all_of([&](auto& part) { return desk.accounting->history(part); }), all);
  request.jobs.ids = {{2500, 0}, {7, 0}};
  EXPECT_EQ(all_of([&](auto& part) { return desk.accounting->account(part); }), (Found{2500, 7}));
}

// The second array finds the queue full of the first.
TEST(accounting, what_the_writer_could_not_take_is_written_though_nothing_more_happens) {
  AcctDesk desk;
  for (int i = 0; i < 2; ++i) desk.cluster.submit(SpecBuilder().array(1, 60'000));
  desk.commit();
  AcctRequest request;
  request.jobs.ids = {{2, 60'000}};
  auto reply = desk.accounting->history(request);
  ASSERT_TRUE(reply) << reply.error().text;
  EXPECT_EQ(reply->jobs.size(), 1u);
}

TEST(accounting, bhist_gets_jobs_that_fit_every_condition) {
  AcctDesk desk;
  auto host = desk.cluster.host(4);
  SpecBuilder named;
  named.spec.name = "train-1";
  auto done = desk.ended(named), failed = desk.ended({}, 3 << 8);
  auto waits = desk.cluster.submit({}), runs = desk.cluster.submit(named);
  desk.cluster.run(runs, {host});
  desk.commit();
  auto found = [&](auto set, Ids ids = {}) {
    AcctRequest request;
    request.jobs.user = "all";
    request.jobs.ids = std::move(ids);
    set(request);
    auto reply = desk.accounting->history(request);
    EXPECT_TRUE(reply) << reply.error().text;
    Found numbers;
    for (const auto& job : reply->jobs) numbers.push_back(job.id.job);
    return numbers;
  };
  EXPECT_EQ(found([](auto&) {}), (Found{waits.job, runs.job})) << "those that have not ended";
  EXPECT_EQ(found([](auto& r) { r.jobs.finished = true; }),
            (Found{done.job, failed.job, waits.job, runs.job}));
  EXPECT_EQ(found([](auto& r) { r.jobs.finished = true, r.jobs.unfinished = r.done = false; }),
            (Found{failed.job}));
  EXPECT_EQ(found([](auto& r) { r.jobs.pending_only = true; }), (Found{waits.job}));
  EXPECT_EQ(found([](auto& r) { r.jobs.running_only = true; }), (Found{runs.job}));
  EXPECT_EQ(found([](auto& r) { r.jobs.name = "train*"; }), (Found{runs.job}));
  EXPECT_EQ(found([](auto& r) { r.jobs.host = "h1"; }), (Found{runs.job}));
  EXPECT_EQ(found([](auto&) {}, {failed, waits}), (Found{failed.job, waits.job}))
      << "ids mean jobs in every state";
}

TEST(accounting, the_history_of_an_element_begins_as_that_of_its_array) {
  AcctDesk desk;
  auto host = desk.cluster.host(4);
  auto array = desk.cluster.submit(SpecBuilder().array(1, 2));
  desk.cluster.step(JobHeld{array, "u1"});
  desk.cluster.step(JobReleased{array, "u1"});
  desk.cluster.run({array.job, 1}, {host});
  desk.cluster.step(JobHeld{array, "u1"});
  desk.commit();
  AcctRequest request;
  request.jobs.ids = {array};
  auto reply = desk.accounting->history(request);
  ASSERT_TRUE(reply) << reply.error().text;
  std::vector<std::string> told;
  for (const auto& job : reply->jobs) {
    told.push_back(to_string(job.id) + " " + job.state + ":");
    for (const auto& event : job.events) told.back() += " " + event.event;
  }
  EXPECT_EQ(told, (std::vector<std::string>{"1[1] running: SUBMIT HOLD RELEASE DISPATCH START",
                                            "1[2] held: SUBMIT HOLD RELEASE HOLD"}));
}

TEST(accounting, made_again_while_jobs_go_on_it_is_the_same) {
  AcctDesk desk;
  desk.cluster.host(4);
  desk.ended({});
  desk.commit();
  auto before = desk.found({});
  ASSERT_TRUE(desk.accounting->begin_rebuild());
  EXPECT_EQ(desk.accounting->begin_rebuild().error().code, Code::Conflict);
  auto seen = desk.ended({});  // durable before the rebuild reads, told before it ends
  desk.commit();
  EXPECT_EQ(desk.accounting->history({}).error().code, Code::Unavailable);
  auto last = desk.accounting->remake();
  ASSERT_TRUE(last) << last.error().text;
  EXPECT_EQ(last->value, desk.cluster.history.back().seq.value);
  auto unseen = desk.ended({});  // durable after it has read
  desk.commit();
  desk.accounting->end_rebuild();
  desk.catch_up();
  before.push_back(seen.job);
  before.push_back(unseen.job);
  EXPECT_EQ(desk.found({}), before);
  auto reader = store::AcctReader::open({desk.dir.path(), ""});
  ASSERT_TRUE(reader);
  auto usage =
      (*reader)->usage(WallTime{}, WallTime(std::chrono::hours(24 * 365 * 200)), nullptr, 10);
  ASSERT_TRUE(usage);
  std::uint32_t done = 0;
  for (const auto& day : *usage) done += day.jobs_done;
  EXPECT_EQ(done, 3u) << "nothing is added twice";
}

TEST(accounting, a_start_begins_with_the_lines_of_unfinished_jobs) {
  AcctDesk desk;
  desk.cluster.host(4);
  auto id = desk.cluster.submit({});
  desk.cluster.run(id, {HostId{1}});
  desk.commit();
  ASSERT_TRUE(desk.accounting->history({}));  // written
  desk.accounting.reset();
  desk.accounting = std::move(*Accounting::open(desk.dir.path()));
  EXPECT_EQ(desk.accounting->last_seq()->value, desk.cluster.history.back().seq.value);
  ASSERT_TRUE(desk.accounting->begin(desk.cluster.state, {}));
  desk.cluster.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""}, 1);
  desk.commit();
  AcctRequest request;
  request.jobs.ids = {id};
  auto reply = desk.accounting->history(request);
  ASSERT_TRUE(reply);
  std::size_t starts = 0;
  for (const auto& event : reply->jobs.at(0).events) starts += event.event == "START";
  EXPECT_EQ(starts, 1u);
  EXPECT_EQ(reply->jobs[0].events.back().event, "END");
}

TEST(accounting, what_a_crash_kept_from_being_written_is_folded_as_it_happened) {
  AcctDesk desk;
  desk.cluster.host(4);
  auto begun = desk.cluster.submit({});
  desk.cluster.run(begun, {HostId{1}});
  desk.commit();
  Cluster snapshot = desk.state;
  auto whole = desk.cluster.submit({});
  desk.cluster.run(whole, {HostId{1}});
  for (JobId id : {begun, whole})
    desk.cluster.step(TaskEnded{id, Attempt{1}, TaskNumber{1}, 0, Term::None, {}, ""}, 9);
  auto unwritten = desk.keep();
  desk.accounting.reset();
  desk.accounting = std::move(*Accounting::open(desk.dir.path()));
  ASSERT_TRUE(desk.accounting->begin(snapshot, unwritten));
  desk.catch_up();
  AcctRequest request;
  request.jobs.ids = {begun, whole};
  auto reply = desk.accounting->history(request);
  ASSERT_TRUE(reply);
  ASSERT_EQ(reply->jobs.size(), 2u);
  for (const auto& job : reply->jobs) {
    std::vector<std::string> words;
    for (const auto& event : job.events) words.push_back(event.event);
    EXPECT_EQ(words.front(), "SUBMIT");
    EXPECT_EQ(words.back(), "END");
    EXPECT_EQ(std::ranges::count(words, "END"), 1);
  }
}

/// Jobs that are submitted, killed and forgotten: many, without a look at the whole state for each.
std::vector<Event> short_lives(Seq last, std::uint32_t jobs) {
  std::vector<Event> events;
  auto add = [&](EventBody body) { events.push_back({Seq{++last.value}, at(1), std::move(body)}); };
  auto sealed = SpecBuilder().sealed();
  for (std::uint32_t n = 1; n <= jobs; ++n) add(JobSubmitted{{n, 0}, sealed});
  for (std::uint32_t n = 1; n <= jobs; ++n)
    add(KillRequested{{n, 0}, {Term::Owner, "ann", "", at(1)}});
  for (std::uint32_t n = 1; n <= jobs; ++n) add(JobPurged{{n, 0}});
  return events;
}

TEST(accounting, a_database_that_is_locked_costs_no_memory_and_loses_no_row) {
  AcctDesk desk;
  desk.commit();
  auto locker = std::move(*store::Connection::open({.path = desk.dir.path() + "/acct.db"}));
  ASSERT_TRUE(locker->exec("BEGIN IMMEDIATE"));  // as an administrator's sqlite3 does
  constexpr std::uint32_t kJobs = 45'000;  // beyond the writer's queue, and what waits before it
  auto events = short_lives(desk.state.seq, kJobs);
  store::Batch batch;
  for (const auto& event : events)
    batch.events.push_back({event.seq, event.time,
                            static_cast<std::uint16_t>(event.body.index() + 1), 1,
                            codec::encode(event.body)});
  ASSERT_TRUE(desk.core->append(batch));
  for (std::size_t from = 0; from < events.size(); from += 1000) {
    std::vector<Event> group(events.begin() + static_cast<std::ptrdiff_t>(from),
                             events.begin() + static_cast<std::ptrdiff_t>(from + 1000));
    for (const auto& event : group) fsm::apply(desk.state, event);
    desk.accounting->take(group, desk.state.freeze());
    ASSERT_LE(desk.accounting->held_in_memory(), 21'000u);
  }
  EXPECT_TRUE(desk.accounting->is_behind());
  ASSERT_TRUE(locker->exec("ROLLBACK"));
  desk.catch_up();
  EXPECT_FALSE(desk.accounting->is_behind());
  AcctRequest first_and_last;
  first_and_last.jobs.ids = {{1, 0}, {kJobs, 0}};
  auto reply = desk.accounting->history(first_and_last);
  ASSERT_TRUE(reply) << reply.error().text;
  ASSERT_EQ(reply->jobs.size(), 2u);
  for (const auto& job : reply->jobs) {
    std::vector<std::string> words;
    for (const auto& event : job.events) words.push_back(event.event);
    EXPECT_EQ(words, (std::vector<std::string>{"SUBMIT", "KILL", "END"})) << to_string(job.id);
  }
}

TEST(accounting, is_not_emptied_where_history_was_dropped) {
  AcctDesk desk;
  desk.cluster.host(4);
  auto id = desk.ended({});
  desk.commit();
  desk.core.reset();
  auto core = std::move(*store::Connection::open({.path = desk.dir.path() + "/core.db"}));
  ASSERT_TRUE(core->exec("DELETE FROM event WHERE seq < 3"));
  ASSERT_TRUE(desk.accounting->begin_rebuild());
  auto made = desk.accounting->remake();
  desk.accounting->end_rebuild();
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::NotFound);
  AcctRequest request;
  request.jobs.ids = {id};
  EXPECT_EQ(desk.accounting->history(request)->jobs.size(), 1u);
}

}  // namespace
}  // namespace wm::master
