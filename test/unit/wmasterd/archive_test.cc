// The archive as the master runs it, on real files: records of what has ended, what a crash kept
// from it, making it again, and pages of runs, live and kept together.
#include "daemons/wmasterd/acct/archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <algorithm>
#include <fstream>

#include "test/unit/wmasterd/archive_desk.h"

namespace wm::master {
namespace {

using std::chrono::seconds;
using test::ClusterBuilder;
using test::SpecBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(archive, a_job_is_forgotten_only_once_its_record_is_there) {
  ArchiveDesk desk;
  desk.begin();
  desk.settle();
  auto id = desk.finish({});
  desk.archive->take(desk.keep(), desk.now);
  EXPECT_FALSE(desk.archive->holds(desk.cluster.state, id));
  desk.settle();
  EXPECT_TRUE(desk.archive->holds(desk.cluster.state, id));
  auto before = desk.page({.whole = true}, ArchiveDesk::boss());
  desk.purge(id);
  desk.settle();
  auto after = desk.page({.whole = true}, ArchiveDesk::boss());
  ASSERT_EQ(after.runs.size(), 1u);
  EXPECT_TRUE(after.runs[0].facts.kept);
  EXPECT_EQ(codec::encode(after.runs[0].parts.at(0)), codec::encode(before.runs[0].parts.at(0)))
      << "it is shown as before";
  EXPECT_EQ(after.runs[0].parts[0].job->spec().exec.args, "--exec-start PyTorch --lr 0.1");
}

TEST(archive, an_array_is_one_record_with_all_of_its_elements_and_what_they_were_given) {
  ArchiveDesk desk;
  desk.begin();
  SpecBuilder spec;
  spec.spec.name = "search", spec.spec.app = "torch", spec.spec.exec.framework = "PyTorch";
  spec.spec.array = {{1, 10, 1}}, spec.spec.open = true;
  spec.spec.exec.search = "{}";
  auto id = desk.cluster.submit(spec);
  desk.blobs["h1"] = "{\"lr\":1}";
  for (std::uint32_t n : {1u, 2u}) {
    desk.cluster.step(ElementGiven{{id.job, n}, "h" + std::to_string(n)});
    desk.cluster.run({id.job, n}, {desk.host});
    desk.end({id.job, n}, n == 2 ? 256 : 0);
  }
  desk.settle();
  desk.cluster.step(ArrayClosed{id, "ann"});
  desk.settle();
  desk.purge(id);
  desk.settle();
  auto whole = desk.page({.query = {.search = true}, .whole = true}, ArchiveDesk::boss());
  ASSERT_EQ(whole.runs.size(), 1u);
  const auto& run = whole.runs[0];
  ASSERT_EQ(run.parts.size(), 2u);
  EXPECT_EQ(run.parts[1].id, (JobId{id.job, 2}));
  EXPECT_EQ(run.parts[1].job->state, JobState::Failed);
  EXPECT_EQ(run.facts.state, JobState::Failed);
  EXPECT_EQ(run.facts.elements, 2u);
  EXPECT_TRUE(run.facts.closed);
  EXPECT_THAT(run.facts.given, ElementsAre("{\"lr\":1}", ""));
  EXPECT_EQ(desk.page({}, ArchiveDesk::boss()).runs.at(0).parts.size(), 1u)
      << "a list has its head";
}

TEST(archive, what_a_crash_kept_from_it_is_made_good_at_the_start) {
  ArchiveDesk desk;
  desk.begin();
  desk.settle();
  auto id = desk.finish({});
  desk.cluster.step(RunDescribed{id, {.name = "good"}, "ann"});
  auto events = desk.keep();
  desk.begin(events.front().seq, events);  // it never heard of them
  EXPECT_FALSE(desk.archive->holds(desk.cluster.state, id));
  desk.settle();
  desk.purge(id);
  desk.settle();
  EXPECT_THAT(desk.numbers({.query = {.name = "good"}}), ElementsAre(id.job));
}

TEST(archive, an_old_cluster_gets_its_records_of_the_history_and_what_was_deleted_stays_so) {
  ArchiveDesk desk;
  auto first = desk.finish({}), second = desk.finish({}, "gone"), live = desk.finish({}, "live");
  desk.purge(first);
  desk.purge(second);
  desk.cluster.step(RunDescribed{first, {.tags = {"best"}}, "ann"});
  desk.cluster.step(RunDeleted{second, "ann"});
  desk.begin();
  desk.settle();
  EXPECT_THAT(desk.numbers({}), ElementsAre(live.job, first.job));
  EXPECT_THAT(desk.numbers({.query = {.tag = "best"}}), ElementsAre(first.job));
  ASSERT_TRUE(desk.archive->rebuild());
  desk.settle();
  desk.settle();
  EXPECT_THAT(desk.numbers({}), ElementsAre(live.job, first.job));
}

TEST(archive, a_damaged_file_is_moved_aside_and_made_again) {
  ArchiveDesk desk;
  auto id = desk.finish({});
  desk.purge(id);
  std::ofstream(desk.dir.path() + "/archive.db") << std::string(8192, 'x');
  desk.begin();
  EXPECT_NE(desk.archive->standing().trouble, "");
  desk.recover();
  EXPECT_THAT(desk.numbers({}), ElementsAre(id.job));
  EXPECT_TRUE(std::ifstream(desk.dir.path() + "/archive.db.damaged").good());
}

TEST(archive, a_full_disk_keeps_jobs_live_until_there_is_room) {
  ArchiveDesk desk(true);
  desk.begin();
  desk.settle();
  auto id = desk.finish({});
  desk.cluster.step(RunDescribed{id, {.name = "x"}, "ann"});
  auto events = desk.keep();
  desk.disk.full_while_exists(desk.dir.path());
  desk.archive->take(events, desk.now += seconds(1));
  desk.settle();
  EXPECT_NE(desk.archive->standing().trouble, "");
  EXPECT_FALSE(desk.archive->holds(desk.cluster.state, id));
  bool told = false;
  desk.archive->when_written([&](const Result<void>& done) { told = !done; });
  EXPECT_TRUE(told) << "nobody waits for a stuck archive";
  desk.disk.full_while_exists("");
  desk.recover();
  EXPECT_TRUE(desk.archive->holds(desk.cluster.state, id));
  EXPECT_THAT(desk.numbers({.query = {.name = "x"}}), ElementsAre(id.job));
}

// As a kill -9 at each write, or a power cut: what was told is made good from the events.
TEST(archive, killed_at_any_write_it_loses_no_run_and_gives_no_deleted_one_back) {
  bool was_killed = true;
  int kills = 0;
  for (int n = 1; was_killed && n < 500; ++n) {
    ArchiveDesk desk(true);
    desk.begin();
    desk.settle();
    auto kept = desk.finish({}), gone = desk.finish({}), live = desk.finish({});
    desk.settle();
    desk.purge(kept);  // its record is there, as the master asks before it forgets a job
    desk.purge(gone);
    desk.cluster.step(RunDeleted{gone, "ann"});
    desk.cluster.step(RunDescribed{kept, {.name = "good"}, "ann"});
    auto last = desk.finish({}, "last");
    auto events = desk.keep();
    desk.disk.crash_at(n);
    desk.archive->take(events, desk.now += seconds(1));
    for (int i = 0; i < 1000 && desk.archive->waiting() > 0; ++i) {
      if (!desk.archive->standing().trouble.empty()) break;
      if (desk.archive->is_busy()) desk.loop.wait();
      desk.loop.run();
      desk.archive->take({}, desk.now += seconds(1));
    }
    was_killed = desk.disk.crashed();
    kills += was_killed ? 1 : 0;
    desk.archive.reset();
    desk.core.reset();
    desk.disk.power_cycle(static_cast<std::uint32_t>(n));
    desk.open();
    desk.archive->begin(desk.cluster.state, Seq{events.front().seq.value - 1}, events,
                        [&desk] { return desk.view_source(); });
    desk.recover();
    EXPECT_THAT(desk.numbers({}), ElementsAre(last.job, live.job, kept.job)) << "killed at " << n;
    EXPECT_THAT(desk.numbers({.query = {.name = "good"}}), ElementsAre(kept.job)) << n;
    EXPECT_TRUE(desk.archive->holds(desk.cluster.state, last)) << n;
  }
  EXPECT_GT(kills, 3);
}

TEST(archive, that_another_program_holds_is_waited_for_and_nothing_is_forgotten_meanwhile) {
  ArchiveDesk desk;
  desk.begin();
  desk.settle();
  sqlite3* other = nullptr;
  ASSERT_EQ(::sqlite3_open((desk.dir.path() + "/archive.db").c_str(), &other), SQLITE_OK);
  ASSERT_EQ(::sqlite3_exec(other, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr), SQLITE_OK);
  auto id = desk.finish({});
  desk.settle();
  EXPECT_NE(desk.archive->standing().trouble, "");
  EXPECT_FALSE(desk.archive->holds(desk.cluster.state, id));
  EXPECT_THAT(desk.numbers({}), ElementsAre(id.job)) << "the live one is shown";
  ::sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr);
  ::sqlite3_close(other);
  desk.recover();
  EXPECT_TRUE(desk.archive->holds(desk.cluster.state, id));
}

TEST(archive, batch_jobs_have_records_unless_none_are_wanted) {
  ArchiveDesk desk;
  desk.begin();
  auto id = desk.cluster.submit({});
  desk.cluster.run(id, {desk.host});
  desk.end(id);
  desk.settle();
  EXPECT_THAT(desk.numbers({.query = {.kind = AppType::Batch}}), ElementsAre(id.job));
  desk.cluster.config.cluster.times.keep_batch_runs = {};
  desk.cluster.reconfigure();
  auto other = desk.cluster.submit({});
  desk.cluster.run(other, {desk.host});
  desk.end(other);
  desk.settle();
  desk.purge(other);
  desk.purge(id);
  desk.settle();
  EXPECT_THAT(desk.numbers({}), ElementsAre(id.job));
}

void finish_batch(ArchiveDesk& desk) {
  while (desk.archive->is_busy()) desk.loop.wait(), desk.loop.run();
}

// As the master tidies up: all that is too old at that moment goes.
void forget(ArchiveDesk& desk, WallTime at) {
  finish_batch(desk);
  desk.archive->forget(*desk.cluster.state.config, at);
  desk.now += seconds(20);
  desk.tick();
  ASSERT_TRUE(desk.archive->is_busy());
  finish_batch(desk);
}

TEST(archive, records_go_after_keep_runs_of_the_site_and_of_their_profiles) {
  ArchiveDesk desk;
  auto& config = desk.cluster.config;
  AppConf notes, precious;
  notes.name = "notes", notes.type = AppType::Notebook, notes.keep_runs = seconds(100);
  precious.name = "precious", precious.type = AppType::Batch, precious.keep_runs = Duration{};
  config.apps.push_back(notes), config.apps.push_back(precious);
  std::ranges::sort(config.apps, {}, &AppConf::name);  // as it is read
  config.cluster.times.keep_runs = seconds(1000);
  config.cluster.times.keep_batch_runs = seconds(10);
  desk.cluster.reconfigure();
  desk.begin();
  auto run = [&](const char* app) {
    auto id = desk.cluster.submit(SpecBuilder().app(app));
    desk.cluster.run(id, {desk.host});
    desk.end(id);
    return id;
  };
  auto training = run("torch"), note = run("notes"), kept = run("precious"), batch = run("");
  desk.settle();
  auto ended = desk.cluster.job(batch).times.ended;
  for (auto id : {training, note, kept, batch}) desk.purge(id);
  desk.settle();
  forget(desk, ended + seconds(9));
  EXPECT_THAT(desk.numbers({}), ElementsAre(batch.job, kept.job, note.job, training.job));
  forget(desk, ended + seconds(11));
  EXPECT_THAT(desk.numbers({}), ElementsAre(kept.job, note.job, training.job));
  forget(desk, ended + seconds(101));
  EXPECT_THAT(desk.numbers({}), ElementsAre(kept.job, training.job));
  // Times are today's: what is kept for longer from now on stays.
  config.cluster.times.keep_runs = {};
  desk.cluster.reconfigure();
  forget(desk, ended + seconds(1001));
  EXPECT_THAT(desk.numbers({}), ElementsAre(kept.job, training.job));
  config.cluster.times.keep_runs = seconds(1000);
  desk.cluster.reconfigure();
  forget(desk, ended + seconds(1001));
  EXPECT_THAT(desk.numbers({}), ElementsAre(kept.job));
}

TEST(archive, a_search_without_trials_is_not_older_than_all_others) {
  ArchiveDesk desk;
  desk.cluster.config.cluster.times.keep_runs = seconds(1000);
  desk.cluster.reconfigure();
  desk.begin();
  SpecBuilder spec;
  spec.spec.app = "torch", spec.spec.array = {{1, 10, 1}}, spec.spec.open = true;
  spec.spec.exec.search = "{}";
  auto id = desk.cluster.submit(spec);
  desk.cluster.step(ArrayClosed{id, "wm"});
  desk.settle();
  auto submitted = desk.cluster.job(id).times.submitted;
  desk.purge(id);
  desk.settle();
  forget(desk, submitted + seconds(999));
  EXPECT_THAT(desk.numbers({}), ElementsAre(id.job));
  forget(desk, submitted + seconds(1001));
  EXPECT_THAT(desk.numbers({}), IsEmpty());
}

TEST(archive, a_record_of_an_ordinary_training_is_small) {
  ArchiveDesk desk;
  desk.begin();
  auto id = desk.finish({});
  desk.settle();
  auto reader = store::ArchiveReader::open(desk.archive->files());
  auto found = (*reader)->run(id.job);
  EXPECT_LT(found->row.views.size() + found->row.text.size(), 1500u);
}

TEST(runs, pages_go_through_what_is_live_and_what_is_kept_each_run_once) {
  ArchiveDesk desk;
  desk.begin();
  std::vector<JobId> ids;
  for (int i = 0; i < 7; ++i) ids.push_back(desk.finish({}));
  desk.settle();
  for (int i : {0, 2, 3, 5}) desk.purge(ids[static_cast<std::size_t>(i)]);
  desk.settle();
  std::vector<std::uint32_t> source;
  RunsRequest request{.limit = 2};
  for (int pages = 0; pages < 10; ++pages) {
    auto page = desk.page(request, ArchiveDesk::boss());
    for (const auto& run : page.runs) source.push_back(run.facts.job);
    if (page.next == 0) break;
    request.query.to = page.next;
  }
  EXPECT_THAT(source, ElementsAre(ids[6].job, ids[5].job, ids[4].job, ids[3].job, ids[2].job,
                                  ids[1].job, ids[0].job));
  EXPECT_THAT(desk.numbers({.query = {.oldest_first = true}, .limit = 3}),
              ElementsAre(ids[0].job, ids[1].job, ids[2].job));
  EXPECT_EQ(desk.page({.limit = 1, .count = true}, ArchiveDesk::boss()).count, 7u);
}

TEST(runs, who_may_not_see_a_run_does_not_find_it_and_a_summary_tells_nothing_its_owner_wrote) {
  ArchiveDesk desk;
  desk.begin();
  auto id = desk.finish({}, "secret");
  desk.cluster.step(RunDescribed{id, {.description = "hidden"}, "ann"});
  desk.settle();
  for (bool kept : {false, true}) {
    RunAsker none{"eve", 4711,
                  [](bool own, const std::string&) { return own ? JobInfo::All : JobInfo::None; }};
    EXPECT_THAT(desk.numbers({.count = true}, none), IsEmpty()) << kept;
    EXPECT_EQ(desk.page({.count = true}, none).count, 0u);
    RunAsker summary{"eve", 4711, [](bool own, const std::string&) {
                       return own ? JobInfo::All : JobInfo::Summary;
                     }};
    EXPECT_THAT(desk.numbers({.query = {.name = "secret"}}, summary), IsEmpty());
    EXPECT_THAT(desk.numbers({.query = {.text = "hidden"}}, summary), IsEmpty());
    auto shown = desk.page({.whole = true}, summary);
    ASSERT_EQ(shown.runs.size(), 1u);
    EXPECT_EQ(shown.runs[0].facts.words, RunWords());
    EXPECT_EQ(codec::encode(shown.runs[0].parts[0]).find("secret"), std::string::npos);
    EXPECT_EQ(codec::encode(shown.runs[0].parts[0]).find("--lr"), std::string::npos);
    if (kept) break;
    desk.purge(id);
    desk.settle();
  }
}

TEST(runs, a_deleted_run_is_in_no_list_though_its_job_is_live) {
  ArchiveDesk desk;
  desk.begin();
  auto id = desk.finish({}), other = desk.finish({});
  desk.cluster.step(JobPurged{id});
  desk.cluster.step(RunDeleted{id, "ann"});
  desk.settle();
  EXPECT_THAT(desk.numbers({}), ElementsAre(other.job));
  auto standing =
      standing_of_run(desk.cluster.state, desk.archive->files(), id, ArchiveDesk::boss());
  EXPECT_FALSE(standing->known);
}

TEST(runs, of_accounting_a_record_is_made_that_shows_what_it_knows) {
  ArchiveDesk desk;
  desk.begin();
  store::JobRow row;
  row.id = {77, 0}, row.user = "ann", row.name = "old", row.command = "sleep 1";
  row.queue = "normal", row.state = "failed", row.submitted = WallTime(seconds(5));
  row.ended = WallTime(seconds(9)), row.exit_status = 256;
  auto db = store::ArchiveDb::open(desk.archive->files());
  auto made = row_of_account({row}, *desk.cluster.state.config);
  ASSERT_TRUE((*db)->apply({{made, {}, {}, true}}, Seq{}));
  auto page =
      desk.page({.query = {.states = {JobState::Failed}}, .whole = true}, ArchiveDesk::boss());
  ASSERT_EQ(page.runs.size(), 1u);
  EXPECT_EQ(page.runs[0].parts[0].job->spec().program.command, "sleep 1");
  EXPECT_EQ(page.runs[0].parts[0].job->times.ended, row.ended);
  RunAsker ann{"ann", 1234,
               [](bool own, const std::string&) { return own ? JobInfo::All : JobInfo::None; }};
  EXPECT_THAT(desk.numbers({}, ann), ElementsAre(77)) << "its owner is known by name";
}

}  // namespace
}  // namespace wm::master
