// Role: a store, its archive and a cluster at a desk, on real files or on a disk that fails on
// demand, for tests of the archive as the master runs it.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "daemons/wmasterd/acct/archive.h"
#include "daemons/wmasterd/verbs/runs.h"
#include "libwm/base/log.h"
#include "libwm/codec/codec.h"
#include "libwm/store/core/core_db.h"
#include "test/support/builders.h"
#include "test/support/faulty_disk.h"
#include "test/support/store_files.h"

namespace wm::master {

/// A loop that runs what threads post to it when the test says so.
struct ManualLoop {
  std::mutex mutex;
  std::condition_variable posted;
  std::vector<std::function<void()>> acts;
  PostToLoop post() {
    return [this](std::function<void()> act) {
      std::lock_guard lock(mutex);
      acts.push_back(std::move(act));
      posted.notify_one();
    };
  }
  /// Until something is posted.
  void wait() {
    std::unique_lock lock(mutex);
    posted.wait(lock, [this] { return !acts.empty(); });
  }
  void run() {
    std::unique_lock lock(mutex);
    auto now = std::exchange(acts, {});
    lock.unlock();
    for (auto& act : now) act();
  }
};

/// A store, its archive, and a cluster with events that become durable.
struct ArchiveDesk {
  test::ScratchDir dir;
  test::FaultyDisk disk;
  std::string vfs;
  test::ClusterBuilder cluster;
  ManualLoop loop;
  std::unique_ptr<store::CoreDb> core;
  std::unique_ptr<Archive> archive;
  std::map<std::string, std::string> blobs;
  std::size_t taken = 0;
  TimePoint now{};
  HostId host;

  explicit ArchiveDesk(bool on_faulty_disk = false)
      : vfs(on_faulty_disk ? disk.vfs() : std::string()) {
    static const bool quiet = (log::open("archive", "", log::Level::Error), true);
    static_cast<void>(quiet);
    store::CoreOptions options;
    options.dir = dir.path();
    options.reserve = Bytes{1 << 16};
    options.vfs = vfs;
    core = std::move(*store::CoreDb::open(options));
    AppConf training;
    training.name = "torch";
    training.type = AppType::Training;
    cluster.config.apps.push_back(training);
    cluster.reconfigure();
    host = cluster.host(8);
  }
  void open() {
    archive.reset();
    archive = std::make_unique<Archive>(ArchiveParts{
        dir.path(), [this](const std::string& hash) -> Result<std::string> { return blobs[hash]; },
        loop.post(), vfs});
  }
  void begin(Seq before = {}, const std::vector<Event>& events = {}) {
    open();
    keep();
    archive->begin(cluster.state, before, events, [this] { return view_source(); });
  }
  ViewSource view_source() {
    ViewSource all;
    all.state = std::make_shared<const Cluster>(cluster.state.freeze());
    all.reasons = std::make_shared<PendReasons>();
    return all;
  }
  std::vector<Event> keep() {
    std::vector<Event> fresh(cluster.history.begin() + static_cast<std::ptrdiff_t>(taken),
                             cluster.history.end());
    taken = cluster.history.size();
    store::Batch batch;
    for (const auto& event : fresh)
      batch.events.push_back({event.seq, event.time,
                              static_cast<std::uint16_t>(event.body.index() + 1), 1,
                              codec::encode(event.body)});
    if (batch.events.empty()) return fresh;
    EXPECT_TRUE(core->append(batch));
    return fresh;
  }
  void tick() {
    now += std::chrono::seconds(1);
    loop.run();
    archive->take(keep(), now);
  }
  /// Until all is written, or the archive is in trouble.
  void settle() {
    tick();
    for (int i = 0; i < 100'000 && archive->waiting() > 0; ++i) {
      if (!archive->standing().trouble.empty()) return;
      if (archive->is_busy()) loop.wait();
      loop.run();
      now += std::chrono::seconds(1);
      archive->take({}, now);
    }
    EXPECT_EQ(archive->waiting(), 0u);
  }
  /// Until its trouble is over.
  void recover() {
    for (int i = 0; i < 100'000; ++i) {
      if (archive->is_busy()) loop.wait();
      loop.run();
      now += std::chrono::seconds(60);
      archive->take({}, now);
      if (archive->standing().trouble.empty() && archive->waiting() == 0) return;
    }
    ADD_FAILURE() << archive->standing().trouble;
  }
  JobId finish(test::SpecBuilder spec, const std::string& name = "mnist") {
    spec.spec.name = name;
    spec.spec.app = "torch";
    spec.spec.exec.framework = "PyTorch";
    spec.spec.exec.args = "--exec-start PyTorch --lr 0.1";
    auto id = cluster.submit(spec);
    cluster.run(id, {host});
    end(id);
    return id;
  }
  void end(JobId id, int status = 0) {
    TaskEnded ended{id, cluster.job(id).attempt, TaskNumber{1}, status, Term::None, {}, ""};
    cluster.step(ended);
  }
  void purge(JobId id) { cluster.step(JobPurged{id}); }
  RunsReply page(RunsRequest request, RunAsker asker) {
    if (request.query.user.empty()) request.query.user = "all";
    auto bytes = page_of_runs(view_source(), &archive->files(), request, asker);
    EXPECT_TRUE(bytes) << bytes.error().text;
    auto reply = codec::decode<RunsReply>(codec::encode(*bytes));
    EXPECT_TRUE(reply);
    return *reply;
  }
  static RunAsker boss() {
    return {"boss", 0, [](bool, const std::string&) { return JobInfo::All; }};
  }
  std::vector<std::uint32_t> numbers(RunsRequest request, RunAsker asker = boss()) {
    std::vector<std::uint32_t> found;
    for (const auto& run : page(std::move(request), std::move(asker)).runs)
      found.push_back(run.facts.job);
    return found;
  }
};

}  // namespace wm::master
