// kill -9, or a power cut, at each write while runs end, are archived, forgotten, described and
// deleted, and while the archive is made again: a run is live or kept at every instant, and what
// was deleted stays so. As archive_test.cc, but with the store and the archive on one disk that
// dies.
#include <gmock/gmock.h>

#include <algorithm>

#include "libwm/fsm/fsm.h"
#include "test/unit/wmasterd/archive_desk.h"

namespace wm::master {
namespace {

using std::chrono::seconds;

/// What became durable of one run.
struct Durable {
  bool over = false, deleted = false;
  std::string name;
};

/// A desk with a disk that dies: its master ends there, and another one starts from what the disk
/// has.
struct DyingDesk : ArchiveDesk {
  DyingDesk() : ArchiveDesk(true) {
    begin();
    settle();
  }
  /// Makes durable what has happened. False: the disk has died.
  bool commit() {
    store::Batch batch;
    for (; taken < cluster.history.size(); ++taken) {
      const auto& event = cluster.history[taken];
      batch.events.push_back({event.seq, event.time,
                              static_cast<std::uint16_t>(event.body.index() + 1), 1,
                              codec::encode(event.body)});
    }
    auto fresh =
        std::vector<Event>(cluster.history.end() - static_cast<std::ptrdiff_t>(batch.events.size()),
                           cluster.history.end());
    if (!batch.events.empty() && !core->append(batch)) return false;
    archive->take(fresh, now += seconds(1));
    return !disk.crashed();
  }
  /// Until the archive has nothing to do. False: it cannot.
  bool written() {
    for (int i = 0; i < 1000; ++i) {
      if (archive->is_busy()) loop.wait();
      loop.run();
      if (!archive->standing().trouble.empty() || disk.crashed()) return false;
      archive->take({}, now += seconds(20));
      if (archive->waiting() == 0 && !archive->is_busy() && !archive->standing().filling)
        return true;
    }
    return false;
  }
  /// As the master does at each tick: only what has its record is forgotten.
  bool forget(JobId id) {
    if (!archive->holds(cluster.state, id)) return false;
    purge(id);
    return commit();
  }
  /// The course of a day; ends where the disk dies.
  void live() {
    auto kept = finish({}, "kept"), gone = finish({}, "gone"), last = finish({}, "last");
    if (!commit() || !written() || !forget(kept) || !forget(gone)) return;
    cluster.step(RunDescribed{kept, {.name = "good"}, "ann"});
    if (!commit()) return;
    cluster.step(RunDeleted{gone, "ann"});
    if (!commit() || !written()) return;
    cluster.step(JobPurged{last});  // deleted while it is live: both in one batch
    cluster.step(RunDeleted{last, "ann"});
    finish({}, "late");
    if (!commit() || !written() || !archive->rebuild()) return;
    written();
  }
  /// The next master, from what the disk has.
  void start_again(std::uint32_t seed) {
    archive.reset();
    core.reset();
    disk.power_cycle(seed);
    store::CoreOptions options;
    options.dir = dir.path();
    options.reserve = Bytes{1 << 16};
    options.vfs = vfs;
    auto opened = store::CoreDb::open(options);
    ASSERT_TRUE(opened) << opened.error().text;
    core = std::move(*opened);
    std::vector<Event> events;
    auto rows = core->read_events(Seq{1}, {100'000});
    ASSERT_TRUE(rows);
    for (const auto& row : *rows)
      events.push_back({row.seq, row.time, *codec::decode<EventBody>(row.payload)});
    cluster.history = events;
    cluster.state = Cluster{};
    for (const auto& event : events)
      if (fsm::check(cluster.state, event.body)) fsm::apply(cluster.state, event);
    taken = events.size();
    loop.run();
    open();
    archive->begin(cluster.state, Seq{}, events, [this] { return view_source(); });
    recover();
    ASSERT_TRUE(written()) << archive->standing().trouble;
  }
  std::map<std::uint32_t, Durable> durable() const {
    std::map<std::uint32_t, Durable> runs;
    Cluster state;
    for (const auto& event : cluster.history) {
      if (fsm::check(state, event.body)) fsm::apply(state, event);
      if (auto id = job_of(event.body); id.job)
        if (const Job* job = find_job(state, id))
          runs[id.job].over = is_over(job->state), runs[id.job].name = job->spec().name;
      if (const auto* said = std::get_if<RunDescribed>(&event.body))
        runs[said->run.job].name = said->words.name;
      if (const auto* deleted = std::get_if<RunDeleted>(&event.body))
        runs[deleted->run.job].deleted = true;
    }
    return runs;
  }
  /// Each run that is not deleted is found once, under its name; no other.
  void check(const std::string& when) {
    std::map<std::uint32_t, int> found;
    for (auto number : numbers({})) ++found[number];
    for (const auto& [number, run] : durable()) {
      EXPECT_EQ(found[number], run.deleted ? 0 : 1)
          << when << ": run " << number << " " << run.name;
      auto by_name = numbers({.query = {.name = run.name}});
      EXPECT_EQ(std::ranges::count(by_name, number), run.deleted ? 0 : 1) << when << run.name;
    }
  }
};

TEST(archive_crash, at_any_write_a_run_is_live_or_kept_and_what_was_deleted_stays_deleted) {
  int deaths = 0;
  bool died = true;
  for (int n = 1; died && n < 2000; ++n) {
    DyingDesk desk;
    desk.disk.crash_at(n);
    desk.live();
    died = desk.disk.crashed();
    deaths += died ? 1 : 0;
    auto when = "died at write " + std::to_string(n);
    ASSERT_NO_FATAL_FAILURE(desk.start_again(static_cast<std::uint32_t>(n)));
    desk.check(when);
    ASSERT_TRUE(desk.archive->rebuild());
    ASSERT_TRUE(desk.written()) << desk.archive->standing().trouble;
    desk.check(when + ", and it was made again");
    if (HasFailure()) return;
  }
  EXPECT_GT(deaths, 30);
}

}  // namespace
}  // namespace wm::master
