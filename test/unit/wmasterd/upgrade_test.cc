// What a master of the version before has on disk (test/upgrade), read by this one: every job as
// that version's own commands showed it, budgets, reservations, history, accounting; and the
// archive, which that version did not have, filled once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "daemons/wmasterd/acct/accounting.h"
#include "daemons/wmasterd/acct/archive.h"
#include "daemons/wmasterd/rim/real_env.h"
#include "daemons/wmasterd/state/core.h"
#include "daemons/wmasterd/state/purge.h"
#include "daemons/wmasterd/verbs/selection.h"
#include "libwm/base/clock.h"
#include "libwm/base/log.h"
#include "libwm/fsm/fsm.h"
#include "libwm/store/acct/acct_db.h"
#include "libwm/store/core/history.h"
#include "test/support/store_files.h"

namespace wm::master {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kBefore = "test/upgrade/before.tar.gz";

/// A job as that version's bjobs showed it.
struct Shown {
  JobId id;
  std::string stat, name, user, queue, app, plan, attempt;
};

std::vector<Shown> read_shown(const std::string& path) {
  std::vector<Shown> all;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::vector<std::string> w;
    for (std::string word; std::getline(words, word, '|');) w.push_back(word);
    w.resize(9);
    JobId id{static_cast<std::uint32_t>(std::stoul(w[0])),
             static_cast<std::uint32_t>(std::stoul("0" + w[1]))};
    all.push_back({id, w[2], w[3], w[4], w[5], w[6], w[7], w[8]});
  }
  return all;
}

std::int64_t rows_of(const std::string& file, const std::string& table) {
  sqlite3* db = nullptr;
  sqlite3_stmt* ask = nullptr;
  std::int64_t rows = -1;
  if (::sqlite3_open(file.c_str(), &db) == SQLITE_OK &&
      ::sqlite3_prepare_v2(db, ("SELECT count(*) FROM " + table).c_str(), -1, &ask, nullptr) ==
          SQLITE_OK &&
      ::sqlite3_step(ask) == SQLITE_ROW)
    rows = ::sqlite3_column_int64(ask, 0);
  ::sqlite3_finalize(ask);
  ::sqlite3_close(db);
  return rows;
}

/// A master of today on that folder, as its main wires it, without hosts and clients.
class Upgraded {
 public:
  Upgraded() {
    static const bool quiet = (log::open("upgrade", "", log::Level::Error), true);
    static_cast<void>(quiet);
    auto unpack = "tar -xzf " + std::string(kBefore) + " -C " + dir.path();
    EXPECT_EQ(std::system(unpack.c_str()), 0);
    fs::create_directories(dir.path() + "/conf");
    for (const auto& file : fs::directory_iterator("test/upgrade/conf"))
      fs::copy(file.path(), dir.path() + "/conf/" + file.path().filename().string());
    // It is to be as it was, whenever the test runs.
    std::ofstream(dir.path() + "/conf/wm.conf")
        << "clean_period = 8000h\nkeep_batch_runs = 800000h\n";
  }
  ~Upgraded() { stop(); }

  std::string state_dir() const { return dir.path() + "/state"; }
  void start() {
    RealEnvOptions options;
    options.conf_dir = dir.path() + "/conf";
    options.state_dir = state_dir();
    options.store_reserve = Bytes{4096};
    auto made = RealEnv::make(*loop, options);
    ASSERT_TRUE(made) << made.error().text;
    env = *std::move(made);
    core = std::make_unique<Core>(
        *env, Rights{{0}}, [](const AcctRequest&) { return HistoryReply{}; },
        [this](const std::vector<Event>& events, const Cluster&) {
          if (archive) archive->take(events, env->mono());
        });
    auto done = core->start(&began);
    ASSERT_TRUE(done) << done.error().text;
  }
  void begin_archive() {
    archive = std::make_unique<Archive>(ArchiveParts{
        state_dir(), [this](const std::string& hash) { return env->blob(hash); },
        [this](std::function<void()> act) { boost::asio::post(*loop, std::move(act)); }});
    archive->begin(core->journal().published(), began.before.seq, began.events,
                   [this] { return core->view_source(); });
    core->set_archive(archive.get());
  }
  /// Until every job that has ended has its record.
  void settle() {
    auto until = steady_now() + std::chrono::seconds(60);
    while (steady_now() < until && (archive->waiting() > 0 || archive->is_busy())) loop->run_one();
    EXPECT_EQ(archive->waiting(), 0u);
    EXPECT_EQ(archive->standing().trouble, "");
  }
  // What was to be done on the loop is not done any more, as where a master ends.
  void stop() {
    archive.reset();
    if (env) env->stop();
    core.reset();
    env.reset();
    loop = std::make_unique<boost::asio::io_context>();
    began = {};
  }
  const Cluster& state() const { return core->journal().published(); }
  std::vector<Shown> shown() const { return read_shown(dir.path() + "/jobs"); }
  std::vector<std::uint32_t> forgotten() const {
    std::vector<std::uint32_t> all;
    std::ifstream in(dir.path() + "/forgotten");
    for (std::uint32_t job = 0; in >> job;) all.push_back(job);
    return all;
  }
  /// Records by number.
  std::map<std::uint32_t, store::RunRow> records() const {
    std::map<std::uint32_t, store::RunRow> all;
    auto reader = store::ArchiveReader::open({state_dir(), ""});
    auto numbers =
        reader ? (*reader)->numbers({}, 1000) : Result<std::vector<std::uint32_t>>(reader.error());
    EXPECT_TRUE(numbers) << numbers.error().text;
    for (auto job : numbers ? *numbers : std::vector<std::uint32_t>())
      all.emplace(job, (*reader)->run(job)->row);
    return all;
  }

  test::ScratchDir dir;
  std::unique_ptr<boost::asio::io_context> loop = std::make_unique<boost::asio::io_context>();
  std::unique_ptr<RealEnv> env;
  std::unique_ptr<Archive> archive;
  std::unique_ptr<Core> core;
  Journal::Began began;
};

const Job* part_of(const Cluster& state, JobId id) {
  const Job* job = find_job(state, id);
  return job || id.index == 0 ? job : find_job(state, {id.job, 0});
}

TEST(upgrade, every_job_of_the_version_before_is_there_as_it_was_shown) {
  Upgraded old;
  old.start();
  auto shown = old.shown();
  ASSERT_THAT(shown, SizeIs(::testing::Ge(18)));
  for (const auto& was : shown) {
    SCOPED_TRACE(to_string(was.id));
    const Job* job = part_of(old.state(), was.id);
    ASSERT_TRUE(job);
    auto state = find_job(old.state(), was.id) ? std::string(lsf_state(*job))
                                               : std::string(lsf_state(state_of(*job, was.id)));
    EXPECT_EQ(state, was.stat);
    const auto& spec = job->spec();
    EXPECT_EQ(spec.owner.user, was.user);
    EXPECT_EQ(spec.queue, was.queue);
    EXPECT_EQ(app_of(*old.state().config, spec).name, was.app);
    EXPECT_EQ(was.name.rfind(spec.name.substr(0, spec.name.find('[')), 0), 0u) << spec.name;
    if (find_job(old.state(), was.id)) {
      EXPECT_EQ(std::to_string(job->attempt.value), was.attempt);
    }
  }
}

TEST(upgrade, budgets_reservations_hosts_and_queues_stand_as_they_stood) {
  Upgraded old;
  old.start();
  const auto& state = old.state();
  const auto* budget = find_budget(state, "/research");
  ASSERT_TRUE(budget);
  EXPECT_GT(budget->drawn.cpu + budget->rate.cpu, 0);
  EXPECT_TRUE(find_reservation(state, "course"));
  ASSERT_TRUE(find_host(state, "h3"));
  EXPECT_EQ(find_host(state, "h3")->closed_why, "its disk");
  EXPECT_TRUE(state.queues.at("night").closed);
  EXPECT_TRUE(state.job_groups->contains("/team/a"));
}

TEST(upgrade, no_event_and_no_row_of_accounting_is_lost) {
  Upgraded old;
  auto last = rows_of(old.state_dir() + "/core.db", "event");
  EXPECT_GT(last, 0);
  std::map<std::string, std::int64_t> rows;
  for (const char* table : {"job", "allocation", "attempt", "job_event", "usage", "host_span"})
    rows[table] = rows_of(old.state_dir() + "/acct.db", table);
  EXPECT_THAT(rows, Not(Contains(::testing::Pair(::testing::_, ::testing::Le(0)))));
  old.start();
  std::uint64_t seen = 0;
  auto visited =
      store::visit_events({old.state_dir(), ""}, Seq{1}, [&](const store::EventRow& row) {
        EXPECT_EQ(row.seq.value, ++seen);
        return Result<void>();
      });
  ASSERT_TRUE(visited) << visited.error().text;
  EXPECT_GE(seen, static_cast<std::uint64_t>(last));
  auto accounting = Accounting::open(old.state_dir());
  ASSERT_TRUE(accounting) << accounting.error().text;
  for (const auto& [table, count] : rows)
    EXPECT_EQ(rows_of(old.state_dir() + "/acct.db", table), count) << table;
  auto last_job = (*accounting)->last_job();
  ASSERT_TRUE(last_job);
  EXPECT_EQ(*last_job, old.state().last_job);
}

TEST(upgrade, the_archive_is_filled_once_with_what_was_forgotten_and_what_has_ended) {
  Upgraded old;
  old.start();
  old.begin_archive();
  EXPECT_TRUE(old.archive->standing().filling);
  old.settle();
  auto records = old.records();
  for (auto job : old.forgotten()) EXPECT_THAT(records, Contains(Key(job)));
  for (const auto& was : old.shown()) {
    const Job* job = old.state().jobs.find(was.id.job);  // null: ended, and forgotten meanwhile
    bool over = !job || is_purgeable(old.state(), *job, WallTime::max());
    EXPECT_EQ(records.contains(was.id.job), over) << was.id.job << " " << was.stat;
  }
  auto training = records.at(old.forgotten().front());
  EXPECT_EQ(training.name, "old-training");
  EXPECT_EQ(training.kind, AppType::Training);
  EXPECT_EQ(training.plan, "/research");
  old.stop();
  old.start();
  old.begin_archive();
  EXPECT_FALSE(old.archive->standing().filling) << "once";
  old.settle();
  EXPECT_EQ(old.records(), records);
}

// keep_history has dropped the events of then.
TEST(upgrade, where_old_events_are_gone_the_archive_is_filled_of_accounting) {
  Upgraded old;
  for (const auto& file : fs::directory_iterator(old.state_dir()))
    if (file.path().filename().string().starts_with("history-")) fs::remove(file.path());
  ASSERT_GT(store::first_event({old.state_dir(), ""})->value, 1u);
  old.start();
  old.begin_archive();
  old.settle();
  auto records = old.records();
  for (auto job : old.forgotten()) EXPECT_THAT(records, Contains(Key(job)));
  auto training = records.at(old.forgotten().front());
  EXPECT_EQ(training.name, "old-training");
  EXPECT_EQ(training.kind, AppType::Training) << "as its profile is today: it is kept for as long";
  EXPECT_EQ(training.plan, "/research");
  EXPECT_NE(training.ended, WallTime{});
}

}  // namespace
}  // namespace wm::master
