// Role: rows of acct.db there and back, the mark, and filling it again from all events.
#include "libwm/store/acct/acct_db.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "libwm/store/core/core_db.h"
#include "libwm/store/sqlite/sqlite.h"
#include "test/support/store_files.h"

namespace wm::store {
namespace {

using namespace wm::test;
using ::testing::ElementsAre;

// A row that differs from the default in every field, by `n`.
JobRow job_row(std::uint32_t n, std::uint32_t index = 0) {
  JobRow r;
  r.id = {n, index};
  r.user = n % 2 ? "ada" : "bob";
  r.name = "n" + std::to_string(n);
  r.queue = "normal", r.app = "training", r.plan = "/research", r.project = "p";
  r.command = "python3 train.py", r.cwd = "/home/ada", r.submit_host = "login1";
  r.exec_hosts = "node1 node2", r.state = "finished", r.reason = "done";
  r.submitted = at_second(n), r.dispatched = at_second(n + 1);
  r.started = at_second(n + 2), r.ended = at_second(n + 3);
  r.exit_status = 256, r.term = 5, r.attempt = Attempt{2}, r.resizes = 3;
  r.slots = 4, r.gpus = 4000, r.cpu = Duration(1), r.slot_time = Duration(2);
  r.gpu_time = Duration(3), r.gpu_energy_mj = 4500, r.max_mem = Bytes{1 << 20};
  r.service_class = "gold", r.reservation = "ada#0";
  return r;
}

JobEventRow event_of(std::uint32_t job, std::uint64_t seq, std::uint32_t part = 0) {
  return {{job, 0}, Seq{seq}, part, at_second(1), "RESIZE", 4, 2, "fair share", Duration(2500), 0};
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class acct_db : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = AcctDb::open(files());
    ASSERT_TRUE(made) << made.error().text;
    db_ = std::move(*made);
    auto reader = AcctReader::open(files());
    ASSERT_TRUE(reader) << reader.error().text;
    reader_ = std::move(*reader);
  }
  StoreFiles files() const { return {dir_.path(), ""}; }
  // A file as version 1 made it, with these rows besides, brought up to date.
  void begin_with_version_1(const std::string& more = "") {
    reader_.reset();
    db_.reset();
    const std::string path = dir_.path() + "/acct.db";
    std::filesystem::remove(path);
    sqlite3* old = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &old), SQLITE_OK);
    auto made = text_of("test/unit/store/acct_version_1.sql") + more;
    ASSERT_EQ(sqlite3_exec(old, made.c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(old);
    SetUp();
  }
  void apply(std::uint64_t seq, std::vector<JobRow> jobs) {
    AcctRows rows;
    rows.seq = Seq{seq};
    rows.jobs = std::move(jobs);
    ASSERT_TRUE(db_->apply(rows));
  }
  std::vector<std::uint32_t> found(const JobQuery& query) {
    std::vector<std::uint32_t> ids;
    auto jobs = reader_->jobs(query, {}, 100);
    EXPECT_TRUE(jobs) << jobs.error().text;
    for (const auto& job : *jobs) ids.push_back(job.id.job);
    return ids;
  }
  ScratchDir dir_;
  std::unique_ptr<AcctDb> db_;
  std::unique_ptr<AcctReader> reader_;
};

TEST_F(acct_db, a_file_of_version_1_gets_the_index_and_keeps_its_rows) {
  begin_with_version_1();
  JobQuery of_ada;
  of_ada.user = "ada";
  EXPECT_EQ(found(of_ada), (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(found({}), (std::vector<std::uint32_t>{1, 2, 3}));
  EXPECT_EQ(reader_->last_seq()->value, 9u);
  auto db = Connection::open({.path = dir_.path() + "/acct.db"});
  EXPECT_EQ((*db)->number("PRAGMA user_version").value(), 7);
}

TEST_F(acct_db, what_tasks_held_in_a_file_of_version_1_becomes_parts_and_attempts) {
  begin_with_version_1(
      "INSERT INTO allocation VALUES (1, 0, 1, 1, 'node1', 2000, 2000000, 4000000);"
      "INSERT INTO allocation VALUES (2, 0, 1, 1, 'node1', 0, 2000000, 0);");
  auto parts = reader_->allocations({1, 0}, nullptr, 9);
  ASSERT_EQ(parts->size(), 1u);
  EXPECT_EQ(parts->at(0).gpus, 2000);
  EXPECT_EQ(parts->at(0).slots, 1000);
  EXPECT_EQ(parts->at(0).end, WallTime(Duration(4000000)));
  auto lasting = reader_->lasting();
  ASSERT_TRUE(lasting) << lasting.error().text;
  ASSERT_EQ(lasting->allocations.size(), 1u);
  EXPECT_EQ(lasting->allocations[0].job.job, 2u);
}

TEST_F(acct_db, every_field_of_every_row_comes_back) {
  AcctRows rows;
  rows.seq = Seq{9};
  rows.jobs = {job_row(7, 2)};
  AllocationRow part{{7, 2}, Attempt{1}, TaskNumber{3}, 4, "node1", HoldClass::Leaving};
  part.slots = 1000, part.milli_cpus = 2000, part.gpus = 500, part.gpueq = 143;
  part.mem = Bytes{1 << 20}, part.gpu_list = "GPU-1 GPU-2", part.seq = Seq{3};
  part.start = at_second(1), part.end = at_second(2), part.member_at = at_second(1);
  rows.allocations = {part};
  rows.events = {event_of(7, 9, 1)};
  rows.usage = {{at_second(0), "ada", "/a", "q", 1, 2, Duration(3), Duration(4), Duration(5)}};
  ASSERT_TRUE(db_->apply(rows));
  EXPECT_EQ(*reader_->jobs({}, {}, 9), rows.jobs);
  EXPECT_EQ(*reader_->allocations({7, 2}, nullptr, 9), rows.allocations);
  EXPECT_EQ(*reader_->job_events({7, 0}, nullptr, 9), rows.events);
  EXPECT_EQ(*reader_->usage(at_second(0), at_second(1), nullptr, 9), rows.usage);
  EXPECT_EQ(reader_->last_seq()->value, 9u);
}

TEST_F(acct_db, the_newest_row_of_a_key_wins) {
  auto row = job_row(1);
  apply(1, {row});
  row.state = "killed";
  apply(2, {row});
  EXPECT_EQ(*reader_->jobs({}, {}, 9), std::vector{row});
}

TEST_F(acct_db, rows_of_an_event_already_marked_change_nothing) {  // STORE-13
  AcctRows rows;
  rows.seq = Seq{5};
  rows.usage = {{at_second(0), "ada", "/a", "q", 1, 0, Duration(10), {}, {}}};
  ASSERT_TRUE(db_->apply(rows));
  ASSERT_TRUE(db_->apply(rows));
  EXPECT_EQ(reader_->usage(at_second(0), at_second(1), nullptr, 9)->at(0).cpu, Duration(10));
  rows.seq = Seq{6};
  ASSERT_TRUE(db_->apply(rows));
  EXPECT_EQ(reader_->usage(at_second(0), at_second(1), nullptr, 9)->at(0).cpu, Duration(20));
}

TEST_F(acct_db, what_ended_long_ago_is_dropped_with_all_that_is_about_it) {
  AcctRows rows;
  rows.seq = Seq{5};
  rows.jobs = {job_row(10), job_row(2000)};
  rows.events = {event_of(10, 1), event_of(2000, 2)};
  ASSERT_TRUE(db_->apply(rows));
  AcctRows later;
  later.seq = Seq{5};
  later.horizon = later.forget = at_second(1000);
  ASSERT_TRUE(db_->apply(later));
  auto left = reader_->jobs({}, {}, 10).value();
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].id, (JobId{2000, 0}));
  EXPECT_TRUE(reader_->job_events({10, 0}, nullptr, 10).value().empty());
  EXPECT_EQ(reader_->job_events({2000, 0}, nullptr, 10).value().size(), 1u);
}

TEST_F(acct_db, jobs_are_chosen_by_user_and_by_time) {
  auto open_job = job_row(4);
  open_job.ended = WallTime();
  apply(1, {job_row(1), job_row(2), job_row(3), open_job});
  EXPECT_THAT(found({}), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(found({.user = "ada"}), ElementsAre(1, 3));
  EXPECT_THAT(found({.queue = "other"}), ElementsAre());
  EXPECT_THAT(found({.submitted_from = at_second(2), .submitted_to = at_second(4)}),
              ElementsAre(2, 3));
  EXPECT_THAT(found({.ended_to = at_second(6)}), ElementsAre(1, 2));
}

TEST_F(acct_db, chunks_go_on_where_the_last_ended) {
  std::vector<JobRow> jobs;
  for (std::uint32_t n = 1; n <= 7; ++n) jobs.push_back(job_row(3, n));
  apply(1, jobs);
  std::vector<JobRow> all;
  for (;;) {
    auto chunk = reader_->jobs({}, all.empty() ? JobId{} : all.back().id, 3);
    ASSERT_TRUE(chunk);
    if (chunk->empty()) break;
    EXPECT_LE(chunk->size(), 3u);
    all.insert(all.end(), chunk->begin(), chunk->end());
  }
  EXPECT_EQ(all, jobs);
}

TEST_F(acct_db, a_history_is_read_in_order_and_in_chunks) {
  AcctRows rows;
  rows.seq = Seq{9};
  rows.events = {event_of(1, 5), event_of(1, 3, 1), event_of(1, 3), event_of(2, 4)};
  ASSERT_TRUE(db_->apply(rows));
  auto first = reader_->job_events({1, 0}, nullptr, 2);
  EXPECT_THAT(*first, ElementsAre(event_of(1, 3), event_of(1, 3, 1)));
  EXPECT_THAT(*reader_->job_events({1, 0}, &first->back(), 2), ElementsAre(event_of(1, 5)));
}

TEST_F(acct_db, the_group_may_read_the_file) {
  struct stat st {};
  ASSERT_EQ(::stat((dir_.path() + "/acct.db").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0777, 0640u);
}

// ---- from all events -----------------------------------------------------------------

TEST_F(acct_db, stops_to_make_way_in_a_file_of_version_1_get_their_own_event) {
  begin_with_version_1(
      "INSERT INTO job_event VALUES (1, 0, 9, 0, 1, 'SUSPEND', 0, 0, 'by ada', -1, -1);"
      "INSERT INTO job_event VALUES (2, 0, 9, 0, 1, 'SUSPEND', 0, 0, 'preempted', -1, -1);");
  EXPECT_EQ(reader_->job_events({1, 0}, nullptr, 9)->at(0).event, "SUSPEND");
  EXPECT_EQ(reader_->job_events({2, 0}, nullptr, 9)->at(0).event, "PARK");
}

// Every event is a job of its own and a day's use; odd ones have rows of their own only.
Result<AcctRows> project(const EventRow& event) {
  AcctRows rows;
  auto n = static_cast<std::uint32_t>(event.seq.value);
  rows.jobs = {job_row(n)};
  if (n % 2 == 0) rows.usage = {{at_second(0), "ada", "/", "q", 1, 0, Duration(n), {}, {}}};
  return rows;
}

TEST_F(acct_db, filling_it_again_from_history_and_core_gives_the_same) {  // STORE-14
  auto core = CoreDb::open({.dir = dir_.path(), .reserve = Bytes{1 << 16}});
  ASSERT_TRUE(core);
  ASSERT_TRUE((*core)->append(events(1, 40)));
  for (std::uint64_t seq : {30, 40}) ASSERT_TRUE((*core)->write_snapshot({Seq{seq}, "s"}));
  ASSERT_EQ(*(*core)->archive_events(Seq{40}), 30u);
  apply(50, {job_row(99)});  // something that the events do not say
  for (int i = 0; i < 2; ++i) {
    auto last = rebuild_acct(files(), *db_, project);
    ASSERT_TRUE(last) << last.error().text;
    EXPECT_EQ(last->value, 40u);
    EXPECT_EQ(found({}).size(), 40u);
    EXPECT_EQ(reader_->usage(at_second(0), at_second(1), nullptr, 9)->at(0).cpu, Duration(420));
  }
  EXPECT_EQ(reader_->last_seq()->value, 40u);
}

TEST_F(acct_db, an_event_that_cannot_be_projected_is_named) {
  auto core = CoreDb::open({.dir = dir_.path(), .reserve = Bytes{1 << 16}});
  ASSERT_TRUE((*core)->append(events(1, 3)));
  auto last = rebuild_acct(files(), *db_, [](const EventRow& event) -> Result<AcctRows> {
    if (event.seq.value == 2) return fail(Code::Damaged, "unknown type");
    return AcctRows{};
  });
  ASSERT_FALSE(last);
  EXPECT_EQ(last.error().text, "event 2: unknown type");
}

}  // namespace
}  // namespace wm::store
