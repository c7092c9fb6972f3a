// Accounting as the master runs it, on real files: rows of durable events are written in the end,
// and made again from the history of events.
#include "test/unit/wmasterd/acct_desk.h"

namespace wm::master {
namespace {

using test::at;
using test::SpecBuilder;

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
